"""The largest, the smallest, the middle, and the order of elements."""
from tests.op_samples.sample import Sample


def matrix(t):
    return (t.tensor([[0.5, -1.25, 2.0], [3.0, 0.75, -0.5]], dtype=t.float64),)


def ties(t):
    return (t.tensor([[1.0, 3.0, 3.0], [3.0, 0.0, 0.0]], dtype=t.float64),)


def number(t):
    return (t.tensor(2.5, dtype=t.float64),)


def several(t):
    return (t.tensor([0.5, 4.0, -1.0, 2.0, 3.5], dtype=t.float64),)


SAMPLES = [
    Sample("max", matrix, lambda t, x: x.max()),
    Sample("max, ties", ties, lambda t, x: x.max()),
    Sample("max, dim 1", matrix, lambda t, x: x.max(1)),
    Sample("max, dim 1, ties", ties, lambda t, x: x.max(1)),
    Sample("max, dim 0, keepdim", matrix, lambda t, x: t.max(x, dim=0, keepdim=True)),
    Sample("max of a number", number, lambda t, x: x.max(0)),
    Sample("min", ties, lambda t, x: x.min()),
    Sample("min, dim 0", matrix, lambda t, x: x.min(0)),
    Sample("amax", ties, lambda t, x: x.amax()),
    Sample("amax, dim 1", ties, lambda t, x: x.amax(1)),
    Sample("amin, dims", ties, lambda t, x: x.amin((0, 1), keepdim=True)),
    Sample("aminmax", matrix, lambda t, x: x.aminmax()),
    Sample("aminmax, dim 0", ties, lambda t, x: x.aminmax(dim=0)),
    Sample("argmax", ties, lambda t, x: x.argmax()),
    Sample("argmin, dim 1", ties, lambda t, x: x.argmin(1)),
    Sample("median", several, lambda t, x: x.median()),
    Sample("median, dim 1", matrix, lambda t, x: x.median(1)),
    Sample("nanmedian", several, lambda t, x: x.nanmedian()),
    Sample("mode", ties, lambda t, x: x.mode(1)),
    Sample("kthvalue", several, lambda t, x: x.kthvalue(2)),
    Sample("sort", several, lambda t, x: x.sort()),
    Sample("sort, descending", matrix, lambda t, x: x.sort(0, descending=True)),
    Sample("sort, stable", matrix, lambda t, x: t.sort(x, dim=1, stable=True)),
    Sample("argsort", several, lambda t, x: x.argsort()),
    Sample("topk", several, lambda t, x: x.topk(3)),
    Sample("topk, smallest", matrix, lambda t, x: t.topk(x, 2, dim=1, largest=False)),
    Sample("quantile", several, lambda t, x: x.quantile(0.3)),
    Sample("searchsorted", several, lambda t, x: t.searchsorted(t.tensor([0.0, 1.0, 2.0], dtype=t.float64),
                                                                x)),
    Sample("bincount", lambda t: (t.tensor([1, 1, 3]),), lambda t, x: x.bincount()),
]
