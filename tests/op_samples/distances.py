"""Rows for minigrad/ops/distances.py: distances of rows, rows cut to a length, sums to a size."""
from .sample import Sample


def rows(t):
    return t.tensor([[1., 2.], [3., 4.], [0.5, -1.]], dtype=t.float64)


def others(t):
    return t.tensor([[1., 0.], [3., 5.]], dtype=t.float64)


def pair(t):
    return rows(t), others(t)


SAMPLES = [
    Sample("cdist", pair, lambda t, x, y: t.cdist(x, y), second=False),
    Sample("cdist, p=1", pair, lambda t, x, y: t.cdist(x, y, p=1.0), second=False),
    Sample("cdist, p=3", pair, lambda t, x, y: t.cdist(x, y, p=3.0), second=False),
    Sample("cdist, p=inf", pair, lambda t, x, y: t.cdist(x, y, p=float("inf")), second=False),
    Sample("cdist, p=0", pair, lambda t, x, y: t.cdist(x, y, p=0.0), second=False),
    Sample("cdist, batch", pair, lambda t, x, y: t.cdist(x.expand(2, 3, 2), y), second=False),
    Sample("renorm", lambda t: (rows(t),), lambda t, x: x.renorm(2, 0, 2.0), second=False),
    Sample("renorm, p=1", lambda t: (rows(t),), lambda t, x: t.renorm(x, 1, 1, 4.0), second=False),
    Sample("renorm_", lambda t: (rows(t),), lambda t, x: x.renorm_(2, 1, 3.0), in_place=True, second=False),
    Sample("sum_to_size", lambda t: (rows(t),), lambda t, x: x.sum_to_size(1, 2)),
    Sample("sum_to_size, fewer", lambda t: (rows(t),), lambda t, x: x.sum_to_size(2)),
    Sample("narrow_copy", lambda t: (rows(t),), lambda t, x: x.narrow_copy(0, 1, 2), second=False),
]
