"""Running sums and products along a dimension: cumsum and cumprod."""
import numpy as np

from ..autograd.operation import differentiable
from ..dtypes import INT64, numpy_of
from ..errors import dim_range
from ..ops.declaring import as_kind_of, numbers_of, numpy_names, shape_of
from ..ops.dimensions import _unsqueeze
from ..ops.expansion import _sum_dim
from .rearrange import _flip
from .reductions import with_ones


def accumulate(ufunc, array, dim, dtype):
    """Return the results of `ufunc` over all numbers up to each one along `dim`."""
    if dtype is None:
        dtype = array.dtype if array.dtype.kind == "f" else INT64
    if not array.ndim:
        return array.astype(dtype)
    return ufunc.accumulate(array, dim, dtype)


def cumsum_backward(grad, dim):
    """Return for each place the sum of the gradients there and after it."""
    if not shape_of(grad):
        return grad
    from_the_end = _cumsum(_flip(grad, (dim,)), dim, None)
    return _flip(from_the_end, (dim,))


def cumprod_backward(grad, self, dim, result):
    """Return the sum over all results of the product of the other numbers."""
    sizes = shape_of(self)
    if not sizes or sizes[dim] == 1:
        return grad
    if numbers_of(self).all():
        return cumsum_backward(result * grad, dim) / self
    # Nothing is divided by a zero: multiply the others for each number, and add up the
    # results that the number has a part in, which are those at its place and later.
    dim %= len(sizes)
    count = sizes[dim]
    others = _cumprod(with_ones(self, dim), dim + 1, None)
    later = np.triu(np.ones((count, count), bool))
    later = later.reshape(count, count, *[1] * (len(sizes) - dim - 1))
    parts = _unsqueeze(grad, dim) * others * as_kind_of(grad, later)
    return _sum_dim(parts, (dim + 1,), False, None)


@differentiable("CumsumBackward0", self=cumsum_backward)
def _cumsum(self, dim, dtype):
    return accumulate(np.add, self, dim, dtype)


@differentiable("CumprodBackward0", self=cumprod_backward)
def _cumprod(self, dim, dtype):
    return accumulate(np.multiply, self, dim, dtype)


@numpy_names
def cumsum(self, dim, *, dtype=None):
    """Return the running sums along `dim`; of integers and bools in int64.

        torch.tensor([1., 2., 3.]).cumsum(0)        # tensor([1., 3., 6.])
    """
    dim_range(dim, self._array.ndim)
    return _cumsum(self, dim, numpy_of(dtype))


@numpy_names
def cumprod(self, dim, *, dtype=None):
    """Return the running products along `dim`; of integers and bools in int64.

        torch.tensor([1., 2., 3.]).cumprod(0)       # tensor([1., 2., 6.])
    """
    dim_range(dim, self._array.ndim)
    return _cumprod(self, dim, numpy_of(dtype))


METHODS = "cumsum cumprod"
