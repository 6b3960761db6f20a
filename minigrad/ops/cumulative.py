"""Running sums and products along a dimension: cumsum and cumprod."""
from __future__ import annotations

import numpy as np

from ..autograd.operation import differentiable
from ..dtypes import numpy_of
from ..errors import dim_range
from .expansion import _sum_dim, sum_dtype
from .formulas import array_of, as_kind_of, shape_of
from .rearrange import _flip
from .reduction import replace_each_by_one
from .shape import _unsqueeze


def accumulate(ufunc, self, dim, dtype):
    dtype = dtype or sum_dtype(self)
    return ufunc.accumulate(self, dim, dtype) if self.ndim else self.astype(dtype)


def sum_from_the_end(x, dim):
    """Return for each place the sum of the numbers at this place and after it."""
    return _flip(_cumsum(_flip(x, (dim,)), dim, None), (dim,)) if shape_of(x) else x


@differentiable("CumsumBackward0", self=lambda grad, dim: sum_from_the_end(grad, dim))
def _cumsum(self, dim, dtype):
    return accumulate(np.add, self, dim, dtype)


def cumprod_backward(grad, self, dim, result):
    sizes = shape_of(self)
    if not sizes:
        return grad
    if array_of(self).all():
        return sum_from_the_end(result * grad, dim) / self
    # nothing can be divided by a zero: multiply the others, and add up over the products after each
    dim, n = dim % len(sizes), sizes[dim]
    others = _cumprod(replace_each_by_one(self, dim), dim + 1, None)
    after = np.triu(np.ones((n, n), others.dtype if others is array_of(others) else array_of(others).dtype))
    after = after.reshape(n, n, *[1] * (len(sizes) - dim - 1))
    return _sum_dim(_unsqueeze(grad, dim) * others * as_kind_of(others, after), (dim + 1,), False)


@differentiable("CumprodBackward0", self=lambda grad, self, dim, result: (
    cumprod_backward(grad, self, dim, result)))
def _cumprod(self, dim, dtype):
    return accumulate(np.multiply, self, dim, dtype)


def cumsum(self, dim, *, dtype=None):
    """Return the running sums along `dim`: ``tensor([1., 2., 3.]).cumsum(0)`` is tensor([1., 3., 6.]).

    Integers and bools are added up in int64.
    """
    dim_range(dim, self._array.ndim)
    return _cumsum(self, dim, dtype and numpy_of(dtype))


def cumprod(self, dim, *, dtype=None):
    """Return the running products along `dim`; of integers and bools in int64."""
    dim_range(dim, self._array.ndim)
    return _cumprod(self, dim, dtype and numpy_of(dtype))


METHODS = "cumsum cumprod"
