import torch

torch.manual_seed(0)
weight = torch.randn(4, 2, requires_grad=True)
x, labels = torch.randn(6, 4), torch.randint(0, 2, (6,))


def loss_fn():
    return torch.nn.functional.cross_entropy(x @ weight, labels)


loss = loss_fn()
loss.backward(retain_graph=True)
print("norm after the first pass", weight.grad.norm().item())
loss.backward()
print("norm", weight.grad.norm().item())
