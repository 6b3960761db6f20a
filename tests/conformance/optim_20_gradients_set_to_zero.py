# steps after gradients that were set to zero
import torch

for name, options in (("SGD", dict(momentum=0.9)), ("SGD", dict(momentum=0.9, nesterov=True)),
                      ("SGD", dict(momentum=0.9, dampening=0.5, weight_decay=0.1)),
                      ("Adam", {}), ("RMSprop", dict(momentum=0.5)), ("Adagrad", {})):
    x = torch.tensor([2.0, -1.0], requires_grad=True)
    optimizer = getattr(torch.optim, name)([x], lr=0.1, **options)
    for _ in range(20):
        optimizer.zero_grad(set_to_none=False)
        (x ** 2).sum().backward()
        optimizer.step()
    print(name, x.detach())
