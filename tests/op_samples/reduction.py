"""Many numbers into one: sum, mean, prod, var, std, norm, logsumexp, softmax and the running forms."""
from math import inf, nan

from tests.op_samples.sample import Sample


def matrix(t):
    return (t.tensor([[0.5, -1.25, 2.0], [3.0, 0.75, -0.5]], dtype=t.float64),)


def zero(t):
    return (t.tensor([[1.0, 0.0, 2.0], [3.0, 4.0, 5.0]], dtype=t.float64),)


def zeros(t):
    return (t.tensor([[1.0, 0.0, 0.0], [0.0, 4.0, 5.0]], dtype=t.float64),)


def nothing(t):
    return (t.zeros(2, 3, dtype=t.float64),)


def cube(t):
    return (t.tensor([[[0.5, 1.5], [2.5, -1.0]], [[3.0, 0.25], [-0.75, 1.25]]], dtype=t.float64),)


def number(t):
    return (t.tensor(2.5, dtype=t.float64),)


def turned(t):
    return (t.tensor([[0.5, 3.0], [-1.25, 0.75], [2.0, -0.5]], dtype=t.float64),)


def holes(t):
    return (t.tensor([[1.0, nan, 2.0], [nan, 4.0, 5.0]], dtype=t.float64),)


def pair(t):
    return t.tensor([1.0, -2.0, 3.0], dtype=t.float64), t.tensor([0.5, 1.0, 4.0], dtype=t.float64)


SAMPLES = [
    Sample("sum", matrix, lambda t, x: x.sum()),
    Sample("sum, dim 0", matrix, lambda t, x: x.sum(0)),
    Sample("sum, dim -1, keepdim", matrix, lambda t, x: x.sum(-1, keepdim=True)),
    Sample("sum, two dims", cube, lambda t, x: x.sum((0, 2))),
    Sample("sum, list of dims, keepdim", cube, lambda t, x: x.sum([0, -1], keepdim=True)),
    Sample("sum of a number", number, lambda t, x: x.sum(0)),
    Sample("sum, turned", turned, lambda t, x: x.t().sum(0)),
    Sample("sum, float32", matrix, lambda t, x: x.sum(dtype=t.float32)),
    Sample("sum, numpy names", matrix, lambda t, x: x.sum(axis=1, keepdims=True)),
    Sample("sum of ints", lambda t: (t.tensor([1, 2, 3]),), lambda t, x: x.sum()),
    Sample("nansum", holes, lambda t, x: x.nansum(0)),
    Sample("nanmean", holes, lambda t, x: x.nanmean(1)),
    Sample("mean", matrix, lambda t, x: x.mean()),
    Sample("mean, dim 1", matrix, lambda t, x: t.mean(x, 1)),
    Sample("mean, keepdim", cube, lambda t, x: x.mean((0, 1), keepdim=True)),
    Sample("mean, float32", matrix, lambda t, x: x.mean(0, dtype=t.float32)),
    Sample("prod", matrix, lambda t, x: x.prod()),
    Sample("prod, a zero", zero, lambda t, x: x.prod()),
    Sample("prod, zeros", zeros, lambda t, x: x.prod()),
    Sample("prod, dim 1", matrix, lambda t, x: x.prod(1)),
    Sample("prod, dim 1, a zero", zero, lambda t, x: x.prod(1)),
    Sample("prod, dim 0, zeros", zeros, lambda t, x: x.prod(0, keepdim=True)),
    Sample("prod of a number", number, lambda t, x: x.prod(0)),
    Sample("var", matrix, lambda t, x: x.var()),
    Sample("var, dim 0", matrix, lambda t, x: x.var(0)),
    Sample("var, unbiased=False", matrix, lambda t, x: x.var(1, unbiased=False, keepdim=True)),
    Sample("std", matrix, lambda t, x: x.std()),
    Sample("std, dim 1", matrix, lambda t, x: x.std(1)),
    Sample("std, correction 0", matrix, lambda t, x: x.std(dim=0, correction=0)),
    Sample("std of equal numbers", lambda t: (t.tensor([2.0, 2.0], dtype=t.float64),), lambda t, x: x.std()),
    Sample("std of one number", lambda t: (t.tensor([2.0], dtype=t.float64),), lambda t, x: x.std()),
    Sample("var_mean", matrix, lambda t, x: t.var_mean(x, 0)),
    Sample("std_mean", matrix, lambda t, x: t.std_mean(x, 1)),
    Sample("all", matrix, lambda t, x: (x > 0).all(0)),
    Sample("any", matrix, lambda t, x: (x > 2).any()),
    Sample("count_nonzero", zero, lambda t, x: x.count_nonzero(1)),
    Sample("norm", matrix, lambda t, x: x.norm()),
    Sample("norm at 0", nothing, lambda t, x: x.norm()),
    Sample("norm, dim 1", matrix, lambda t, x: x.norm(dim=1, keepdim=True)),
    Sample("norm 1", matrix, lambda t, x: x.norm(1), second=False),
    Sample("norm 3", matrix, lambda t, x: x.norm(3)),
    Sample("norm 1.5, dim 0", matrix, lambda t, x: x.norm(1.5, 0)),
    Sample("norm 0.5", matrix, lambda t, x: x.norm(0.5)),
    Sample("norm inf", matrix, lambda t, x: x.norm(inf), second=False),
    Sample("vector_norm", matrix, lambda t, x: t.linalg.vector_norm(x, 4, dim=(0, 1))),
    Sample("matrix_norm", matrix, lambda t, x: t.linalg.matrix_norm(x)),
    Sample("dist", pair, lambda t, x, y: t.dist(x, y)),
    Sample("dist 3", pair, lambda t, x, y: t.dist(x, y, 3)),
    Sample("logsumexp", matrix, lambda t, x: x.logsumexp(1)),
    Sample("logsumexp, all", matrix, lambda t, x: x.logsumexp((0, 1), keepdim=True)),
    Sample("logsumexp with -inf", lambda t: (t.tensor([-inf, 1.0, 2.0], dtype=t.float64),),
           lambda t, x: x.logsumexp(0)),
    Sample("softmax", matrix, lambda t, x: x.softmax(1)),
    Sample("softmax, dim 0", matrix, lambda t, x: t.softmax(x, dim=0)),
    Sample("softmax of a number", number, lambda t, x: x.softmax(0)),
    Sample("log_softmax", matrix, lambda t, x: t.log_softmax(x, -1)),
    Sample("log_softmax, dim 0", matrix, lambda t, x: x.log_softmax(0)),
    Sample("cumsum", matrix, lambda t, x: x.cumsum(1)),
    Sample("cumsum_", matrix, lambda t, x: x.cumsum_(0), in_place=True),
    Sample("cumprod", matrix, lambda t, x: x.cumprod(0)),
    Sample("cumprod, zeros", zeros, lambda t, x: x.cumprod(1)),
    Sample("cumprod_", matrix, lambda t, x: x.cumprod_(1), in_place=True),
    Sample("cummax", matrix, lambda t, x: x.cummax(1)),
    Sample("cummin", matrix, lambda t, x: t.cummin(x, 0)),
    Sample("logcumsumexp", matrix, lambda t, x: x.logcumsumexp(1)),
    Sample("diff", matrix, lambda t, x: x.diff()),
    Sample("trapezoid", matrix, lambda t, x: t.trapezoid(x)),
]
