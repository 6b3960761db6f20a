# normal() of tensors and numbers: shapes, the numbers drawn, gradients and errors
import torch


def attempt(function):
    try:
        print(function())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")

torch.manual_seed(0)
print(torch.normal(torch.tensor([1., 2., 3.]), torch.tensor([.1, .2, .3])))
print(torch.normal(torch.arange(20.), torch.ones(20) * .5)[[0, 1, 15, 16, 19]])
print(torch.normal(torch.zeros(2, 1), torch.ones(3)).shape, torch.rand(1))

torch.manual_seed(0)
print(torch.normal(torch.tensor([1., 2., 3.]), 2.0), torch.normal(torch.ones(2)))
print(torch.normal(0.5, torch.arange(20.))[[0, 1, 15, 16, 19]])
print(torch.normal(mean=1.0, std=torch.tensor([.1, .2])), torch.rand(1))
print(torch.normal(torch.ones(2), 1.0, generator=torch.Generator().manual_seed(3)))

torch.manual_seed(0)
print(torch.normal(0, 1, (2,)), torch.normal(1.0, 2.0, size=(2,), requires_grad=True))
print(torch.normal(torch.tensor(1.), torch.tensor(2.), (2,), dtype=torch.float64))

torch.manual_seed(0)
mean = torch.tensor([1., 2.], requires_grad=True)
std = torch.tensor([1., 2.], requires_grad=True)
y = torch.normal(mean, std)
y.sum().backward()
print(y, mean.grad, std.grad)
print(torch.normal(mean, 1.0).grad_fn.name(), torch.normal(0.0, std).grad_fn.name())

attempt(lambda: torch.normal(torch.ones(3), -torch.ones(3)))
attempt(lambda: torch.normal(torch.ones(3), -1.0))
attempt(lambda: torch.normal(torch.tensor([1, 2]), 1.0))
attempt(lambda: torch.normal(0.0, torch.tensor([1, 2])))
