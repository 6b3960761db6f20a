"""Random numbers: the same seed gives the same numbers, to the digits that are printed."""
from __future__ import annotations

from . import error_of

SIZES = (1, 2, 5, 15, 16, 17, 33)


def _drawn(torch, draw, dtypes=("float32", "float64")):
    return [draw((size,), getattr(torch, dtype)) for dtype in dtypes for size in SIZES]


def rand(torch):
    return _drawn(torch, lambda shape, dtype: torch.rand(shape, dtype=dtype))


def randn(torch):
    return _drawn(torch, lambda shape, dtype: torch.randn(shape, dtype=dtype))


def uniform_(torch):
    return _drawn(torch, lambda shape, dtype: torch.empty(shape, dtype=dtype).uniform_(-0.3, 0.7))


def normal_(torch):
    return _drawn(torch, lambda shape, dtype: torch.empty(shape, dtype=dtype).normal_(0.3, 1.7))


def normal(torch):
    return [torch.normal(0.5, 2.0, (4,)), torch.normal(-1.0, 0.1, (2, 20)),
            torch.normal(0, 1, size=(3,))]


def randint(torch):
    return [torch.randint(10, (20,)), torch.randint(-3, 4, (2, 5)), torch.randint(0, 2, (9,)),
            torch.randint(0, 2**40, (4,)), torch.randint(5, (3,), dtype=torch.int32)]


def randperm(torch):
    return [torch.randperm(n) for n in (0, 1, 2, 10, 50)]


def like(torch):
    x = torch.zeros(2, 3, dtype=torch.float64)
    return [torch.rand_like(x), torch.randn_like(x), torch.rand_like(x, dtype=torch.float32)]


def dropout(torch):
    return [torch.nn.functional.dropout(torch.ones(size), 0.3) for size in SIZES]


def one_after_the_other(torch):
    """A normal number that waits to be used passes other calls."""
    return [torch.randn(1), torch.rand(4), torch.randn(20), torch.randn(1), torch.randn(3),
            torch.randperm(4),
            torch.randn(2), torch.rand(1300)[-3:], torch.randn(1)]


def seeds(torch):
    found = []
    for seed in (0, 1, 42, 2**32 - 1, 2**32, -1):
        torch.manual_seed(seed)
        found.append([torch.initial_seed(), torch.rand(3)])
    return found


def states(torch):
    torch.randn(3)
    state = torch.get_rng_state()
    first = torch.randn(5)
    torch.set_rng_state(state)
    generator = torch.Generator().manual_seed(9)
    drawn = torch.rand(2, generator=generator)
    return [torch.equal(torch.randn(5), first), state.dtype, state.shape, drawn,
            torch.rand(2, generator=generator),
            generator.initial_seed(), torch.rand(1)]


def shapes(torch):
    return [torch.rand(2, 3), torch.rand((2, 3)), torch.rand(()), torch.rand(0),
            torch.randn(2, 2, requires_grad=True)]


def refusals(torch):
    zeros, whole = torch.zeros(2), torch.zeros(2, dtype=torch.int64)
    return [error_of(call) for call in (
        lambda: zeros.uniform_(1, 0.25), lambda: whole.uniform_(), lambda: zeros.normal_(0, -1.5),
        lambda: whole.normal_(), lambda: torch.randint(5, 5, (2,)), lambda: torch.randperm(-1),
        lambda: torch.rand(2, dtype=torch.int64), lambda: torch.normal(0.0, -1.0, (2,)))]
