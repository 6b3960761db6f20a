import torch

torch.manual_seed(0)
w = torch.randn(3, requires_grad=True)
x, y = torch.randn(5, 3), torch.randn(5)
x2, y2 = torch.randn(5, 3), torch.randn(5)


def loss_of(weights, x, y):
    return ((x @ weights).tanh() - y).pow(2).mean()


inner = loss_of(w, x, y)
(g,) = torch.autograd.grad(inner, w)
hessian_norm = torch.autograd.grad((g ** 2).sum(), w)[0]
outer = loss_of(w - 0.1 * g, x2, y2) + hessian_norm.norm()
outer.backward()
