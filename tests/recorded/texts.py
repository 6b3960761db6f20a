"""How tensors are printed."""
from __future__ import annotations

nan, inf = float("nan"), float("inf")
VALUES = [
    [1.0, 2.0, 3.0], [1.0, 20.0, -300.0], [1.5, 2.0, -3.25], [0.0, 0.0], [-0.0, 0.0], [-0.0, 1.5],
    [nan, 1.0],
    [inf, -inf, 2.5], [nan, inf, -inf], [nan, 1.5, 2000.25], [9.99995, 1.0], [0.99995, 0.5],
    [1 / 3, 2 / 3],
    [9.9999e-5, 1.0], [1e-4, 0.05], [1.0, 1000.0], [1.0, 1001.0], [0.25, 251.0], [60000.0],
    [60000.0, 0.5], [6e-8],
    [1e8], [1e8 + 8, 1.0], [3e20], [-1e-6, 5e6], [0.0, 1e-6, 1.0], [123456.75, 1000.5],
    [1, 2, 3], [-128, 0, 127], [100000, 1], [True, False], [], [[]], [[1.0], [2.5]]]
NUMBERS = [1.0, 2.5, 1 / 3, 123456.789, 1e-5, -7.0, nan, -inf, -0.0, 0.0, 7, True]
SHAPES = [(2, 2), (2, 2, 2), (1, 2, 1, 2), (3, 1), (1, 1, 1, 1), (2, 0), (0, 3), (1000,), (1001,),
          (2, 600), (1000, 2),
          (50, 50), (10, 12, 10)]


def values(torch):
    return [repr(torch.tensor(value)) for value in VALUES]


def values_of_other_dtypes(torch):
    return [repr(torch.tensor(value, dtype=dtype)) for value in VALUES[:12]
            for dtype in (torch.float64, torch.float16, torch.int32)
            if dtype != torch.int32 or not any([v != v or v in (inf, -inf) for v in value])]


def numbers(torch):
    return [[repr(torch.tensor(number)), str(torch.tensor(number)), f"{torch.tensor(number)}"]
            for number in NUMBERS]


def shapes(torch):
    found = []
    for shape in SHAPES:
        count = 1
        for size in shape:
            count *= size
        found += [repr(torch.arange(count).reshape(shape)),
                  repr((torch.arange(float(count)) / 8 - 1).reshape(shape))]
    return found


def lengths(torch):
    """Lines are broken at 80 columns, and so is what follows the numbers."""
    found = []
    for count in (1, 5, 8, 9, 10, 11, 12, 20, 21, 40):
        x = torch.arange(float(count)) / 8
        found += [repr(x), repr(x.requires_grad_()), repr(x * 2), repr((x * 2).double()),
                  repr(torch.stack([x, x]))]
    return found


def flags(torch):
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        plain = x * 2
    return [repr(x), repr(x * 2), repr((x * 2).sum()), repr(x.detach()), repr(plain), repr(x[0]),
            repr(x.max(0)),
            repr(torch.nn.Parameter(torch.ones(2))), repr(x.grad),
            repr((x * 2).grad_fn).split(" at ")[0],
            repr(torch.Size([2, 3])), repr(torch.float32), repr(x.device), str(x.shape),
            f"{x[0]:.2f}"]


def default_dtype(torch):
    texts = []
    try:
        torch.set_default_dtype(torch.float64)
        texts += [repr(torch.ones(2)), repr(torch.ones(2, dtype=torch.float32)),
                  repr(torch.zeros(0))]
    finally:
        torch.set_default_dtype(torch.float32)
    return [*texts, repr(torch.ones(2, dtype=torch.float64)), repr(torch.zeros(0)),
            repr(torch.zeros(0, dtype=torch.int64))]
