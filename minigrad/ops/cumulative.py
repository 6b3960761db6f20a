"""Running sums and products along a dimension: cumsum and cumprod."""
import numpy as np

from ..dtypes import numpy_of
from ..errors import dim_range
from .elementwise import declare
from .expansion import _sum_dim, sum_dtype
from .formulas import array_of, as_kind_of, shape_of
from .rearrange import _flip
from .reduction import with_ones
from .shape import _unsqueeze


def accumulate(ufunc, self, dim, dtype):
    dtype = dtype or sum_dtype(self)
    return ufunc.accumulate(self, dim, dtype) if self.ndim else self.astype(dtype)


def cumsum_backward(grad, dim):
    """Return for each place the sum of the gradients there and after it."""
    return _flip(_cumsum(_flip(grad, (dim,)), dim, None), (dim,)) if shape_of(grad) else grad


def cumprod_backward(grad, self, dim, result):
    sizes = shape_of(self)
    if not sizes or sizes[dim] == 1:
        return grad
    if array_of(self).all():
        return cumsum_backward(result * grad, dim) / self
    # nothing is divided by a zero: multiply the others, and add up what each number has a part in
    dim, n = dim % len(sizes), sizes[dim]
    others = _cumprod(with_ones(self, dim), dim + 1, None)
    later = np.triu(np.ones((n, n), bool)).reshape(n, n, *[1] * (len(sizes) - dim - 1))
    return _sum_dim(_unsqueeze(grad, dim) * others * as_kind_of(grad, later), (dim + 1,), False)


_cumsum = declare("CumsumBackward0", lambda self, dim, dtype: (
    accumulate(np.add, self, dim, dtype)), self=cumsum_backward)
_cumprod = declare("CumprodBackward0", lambda self, dim, dtype: (
    accumulate(np.multiply, self, dim, dtype)), self=cumprod_backward)


def cumsum(self, dim, *, dtype=None):
    """Return the running sums along `dim`: ``tensor([1., 2., 3.]).cumsum(0)`` is [1., 3., 6.]."""
    dim_range(dim, self._array.ndim)
    return _cumsum(self, dim, numpy_of(dtype))


def cumprod(self, dim, *, dtype=None):
    """Return the running products along `dim`, of integers and bools in int64."""
    dim_range(dim, self._array.ndim)
    return _cumprod(self, dim, numpy_of(dtype))


METHODS = "cumsum cumprod"
