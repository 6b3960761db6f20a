"""Padding by what is there, parts replaced, rows combined, and a few functions that stand alone."""
from __future__ import annotations

from tests.op_samples.sample import Sample


def matrix(t):
    return t.tensor([[0.3, -1.2, 0.8, 1.7], [-0.4, 0.9, -2.1, 0.2], [1.1, 0.05, -0.7, 0.6]], dtype=t.float64)


def vector(t):
    return t.tensor([0.5, -1.5, 2.5, 0.25], dtype=t.float64)


def squared(t, x):
    return x.mT @ x + 2 * t.eye(4, dtype=t.float64)


def pad(mode, *sizes):
    return lambda t, x: t.nn.functional.pad(x[None], sizes, mode)


def reduced(how, include_self):
    return lambda t, x: x.index_reduce(0, t.tensor([0, 1, 0]), x.flip(0) * 1.1, how,
                                       include_self=include_self)


SAMPLES = [
    Sample("select_scatter", lambda t: (matrix(t), vector(t)), lambda t, x, y: t.select_scatter(x, y, 0, 1)),
    Sample("slice_scatter", lambda t: (matrix(t), matrix(t)[:2]),
           lambda t, x, y: t.slice_scatter(x, y, 0, 0, None, 2)),
    Sample("diagonal_scatter", lambda t: (matrix(t), vector(t)[:3]),
           lambda t, x, y: t.diagonal_scatter(x, y)),
    Sample("i0", lambda t: (matrix(t),), lambda t, x: t.i0(x)),
    Sample("i0_", lambda t: (matrix(t),), lambda t, x: x.i0_(), in_place=True),
    Sample("nextafter", lambda t: (matrix(t), vector(t)), lambda t, x, y: t.nextafter(x, y)),
    Sample("eigvalsh", lambda t: (matrix(t),), lambda t, x: t.linalg.eigvalsh(squared(t, x))),
    Sample("cholesky", lambda t: (matrix(t),), lambda t, x: t.cholesky(squared(t, x))),
    Sample("cholesky_upper", lambda t: (matrix(t),), lambda t, x: t.cholesky(squared(t, x), upper=True)),
    *[Sample(f"pdist_{p}", lambda t: (matrix(t),), lambda t, x, p=p: t.pdist(x, p), second=False)
      for p in (0.0, 1.0, 2.0, 3.0, float("inf"))],
    *[Sample(f"pad_{mode}", lambda t: (matrix(t),), pad(mode, *sizes))
      for mode in ("reflect", "replicate", "circular")
      for sizes in ((1, 2), (-1, 1), (2, 1, 1, 2))],
    *[Sample(f"index_reduce_{how}", lambda t: (matrix(t),), reduced(how, include_self))
      for how in ("prod", "mean", "amax", "amin") for include_self in (True, False)],
]
