# Optimizers of before 2018 have the factor first; the first such call of a program warns.
import warnings
import torch

w = torch.tensor([1., 2.], requires_grad=True)
m = torch.zeros(2)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    (w * w).sum().backward()
    m.mul_(0.9).add_(1 - 0.9, w.grad)
    w.data.add_(-0.5, m)
    w.data.addcdiv_(-1, m, torch.tensor([1., 4.]))
    print(w, w.data.sub(2, m), torch.add(m, 3, w.grad))
    y = w.addcmul(0.5, w, w)
    print(y.add(2, 0.5))
    y.sum().backward()
    print(w.grad)
for item in caught:
    print(item.category.__name__ + ":", str(item.message).split(" (Trig")[0])
try:
    w.long().add(0.5, m.long())
except RuntimeError as error:
    print(error)
