"""Programs in float32 whose results must be PyTorch's to the last digit: test_digits.py runs them,
record_digits.py records what PyTorch gives."""
from __future__ import annotations


def numbers(torch, *sizes, low=-3.0, high=3.0, seed=1):
    """Uniform numbers from a seed of their own."""
    torch.manual_seed(seed)
    return (torch.rand(sizes) * (high - low) + low).requires_grad_()


def with_gradient(torch, function, *inputs):
    """The result, and the gradients that an uneven gradient of it leaves."""
    result = function(*inputs)
    result.backward(numbers(torch, *result.shape, low=-1.0, high=1.0, seed=7).detach())
    return [result.detach().reshape(-1).tolist(), *[x.grad.reshape(-1).tolist() for x in inputs]]


def gradient_of_tanh(torch):
    """From a result that is given, so that tanh itself has no part in it."""
    return with_gradient(torch, lambda x: x.tanh(), numbers(torch, 20, low=-1e-3, high=1e-3))


def along(name, dim, *sizes):
    return lambda torch: with_gradient(torch, lambda x: getattr(torch, name)(x, dim=dim),
                                       numbers(torch, *sizes))


def loss(name, target, *sizes):
    return lambda torch: with_gradient(
        torch, lambda x: getattr(torch.nn.functional, name)(x, target(torch)), numbers(torch, *sizes))


def product(first, second, turned=False):
    def program(torch):
        a, b = numbers(torch, *first), numbers(torch, *second, seed=2)
        return with_gradient(torch, lambda a, b: a @ (b.t() if turned else b), a, b)
    return program


def training(model, data, criterion, steps, **options):
    """The loss of every tenth step, and the parameters at the end."""
    def program(torch):
        torch.manual_seed(0)
        x, y = data(torch)
        net = model(torch.nn)
        optimizer = torch.optim.SGD(net.parameters(), **options)
        losses = []
        for step in range(steps):
            optimizer.zero_grad()
            value = criterion(torch.nn.functional)(net(x), y)
            value.backward()
            optimizer.step()
            if step % 10 == 0:
                losses.append(value.item())
        return [losses, *[p.detach().reshape(-1).tolist() for p in net.parameters()]]
    return program


def line(torch):
    x = torch.randn(50, 3)
    return x, x @ torch.tensor([[1.0], [-2.0], [0.5]]) + 0.1 * torch.randn(50, 1)


def corners(torch):
    return (torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]),
            torch.tensor([[0.0], [1.0], [1.0], [0.0]]))


def quadrants(torch):
    x = torch.randn(60, 2)
    return x, (x[:, 0] > 0).long() + (x[:, 1] > 0).long()


def sides(torch):
    x = torch.randn(100, 2)
    return x, (x.sum(1, keepdim=True) > 0).float()


PROGRAMS = {
    "tanh": gradient_of_tanh,
    "softmax": along("softmax", 1, 6, 5),
    "softmax of 20": along("softmax", -1, 3, 20),
    "softmax of columns": along("softmax", 0, 6, 5),
    "log_softmax": along("log_softmax", 1, 6, 5),
    "log_softmax of 20": along("log_softmax", -1, 3, 20),
    "cross_entropy": loss("cross_entropy", lambda torch: torch.tensor([0, 2, 1, 3, 3, 0]), 6, 4),
    "binary_cross_entropy_with_logits":
        loss("binary_cross_entropy_with_logits", lambda torch: torch.tensor([0.0, 1, 1, 0, 1, 0, 1, 1]), 8),
    "hardsigmoid": lambda torch: with_gradient(torch, torch.nn.functional.hardsigmoid, numbers(torch, 9)),
}
# These follow the order in which PyTorch's library adds products on x86 processors.
PROGRAMS_OF_PRODUCTS = {
    "product": product((5, 7), (7, 3)),
    "product of transposed": product((5, 8), (6, 8), True),
    "product of transposed, rows of 5": product((6, 5), (4, 5), True),
    "product with a column": product((9, 13), (13, 1)),
    "product of 16": product((16, 16), (16, 16)),
    "linear regression": training(lambda nn: nn.Linear(3, 1), line, lambda F: F.mse_loss, 100, lr=0.05),
    "xor, tanh": training(lambda nn: nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1)), corners,
                          lambda F: F.mse_loss, 200, lr=0.1, momentum=0.9),
    "quadrants, relu, cross entropy": training(
        lambda nn: nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 3)), quadrants,
        lambda F: F.cross_entropy, 100, lr=0.1),
    "sides, logits": training(lambda nn: nn.Linear(2, 1), sides,
                              lambda F: F.binary_cross_entropy_with_logits, 100, lr=0.5),
}
# Functions that are rounded to the nearest float32, as PyTorch's nearly always are.
FUNCTIONS = (dict.fromkeys("exp exp2 expm1 sin cos tanh sigmoid sinh cosh atan erf".split(), (-3.0, 3.0))
             | dict.fromkeys("log log2 log10 log1p".split(), (0.05, 4.0))
             | dict.fromkeys("asin acos atanh".split(), (-0.95, 0.95)))


def values(torch, name):
    low, high = FUNCTIONS[name]
    return getattr(torch, name)(numbers(torch, 64, low=low, high=high)).tolist()
