"""Rarer reductions: prod, nansum, and amax and amin, which share their gradient."""
import numpy as np

from ..autograd.operation import differentiable
from ..dtypes import INT64, numpy_of
from ..errors import dim_range
from ..ops.choosing import choose_where
from ..ops.declaring import as_kind_of, numbers_of, numpy_names, shape_of
from ..ops.dimensions import _unsqueeze, keep_dims
from ..ops.expansion import add_reduce, dims_of, sum_backward
from ..ops.extremes import check_not_empty
from ..ops.reduction import share_evenly
from ..ops.shape import _reshape


def dtype_of_result(array, dtype):
    """Return the NumPy dtype of a sum or a product: int64 for integers and bools."""
    if dtype is not None:
        return dtype
    return array.dtype if array.dtype.kind == "f" else INT64


# --- prod -----------------------------------------------------------------------------

def prod_backward(grad, self, result, dim, keepdim):
    """Return the gradient times the product of the other numbers."""
    sizes = shape_of(self)
    if not sizes:
        return grad
    if dim is not None:
        grad = keep_dims(grad, (dim,), sizes, keepdim)
        result = keep_dims(result, (dim,), sizes, keepdim)
    if numbers_of(self).all():
        return grad * (result / self)
    if dim is None:
        numbers = _reshape(self, (-1,))
        return _reshape(prod_backward(grad, numbers, result, 0, False), sizes)
    # Nothing is divided by a zero: multiply the others.
    dim %= len(sizes)
    others = with_ones(self, dim)
    return grad * _prod_dim(others, dim + 1, False, None)


def with_ones(x, dim):
    """Return `x` once for each place along `dim`, with 1 at that place.

    The copies are along a new dimension, in front of `dim`.
    """
    sizes = shape_of(x)
    count, after = sizes[dim], len(sizes) - dim - 1
    places = np.eye(count, dtype=bool).reshape(count, count, *[1] * after)
    return choose_where(as_kind_of(x, places), 1, _unsqueeze(x, dim))


@differentiable(
    "ProdBackward0",
    self=lambda grad, self, result: prod_backward(grad, self, result, None, False))
def _prod(self, dtype):
    return np.multiply.reduce(self, None, dtype_of_result(self, dtype))


@differentiable("ProdBackward1", self=prod_backward)
def _prod_dim(self, dim, keepdim, dtype):
    dtype = dtype_of_result(self, dtype)
    return np.multiply.reduce(self, dim, dtype, None, keepdim)


@numpy_names
def prod(self, dim=None, keepdim=False, *, dtype=None):
    """Return the product of all numbers, or those along one dimension.

        torch.tensor([2., 3.]).prod()           # tensor(6.)

    Products of integers and bools are int64.
    """
    dtype = numpy_of(dtype)
    if dim is None:
        return _prod(self, dtype)
    dim_range(dim, self._array.ndim)
    return _prod_dim(self, dim, keepdim, dtype)


# --- nansum ---------------------------------------------------------------------------

@differentiable(
    "NansumBackward0",
    self=lambda grad, self, dim, keepdim: (
        sum_backward(grad, shape_of(self), dim, keepdim) * (self == self)))
def _nansum(self, dim, keepdim, dtype):
    numbers = np.where(self == self, self, 0)
    dtype = dtype_of_result(self, dtype)
    return add_reduce(numbers, dim or None, dtype, None, keepdim)


@numpy_names
def nansum(self, dim=None, keepdim=False, *, dtype=None):
    """Return the sum of the numbers that are not nan, of all or along `dim`."""
    dim = dims_of(dim, self._array.ndim)
    return _nansum(self, dim, keepdim, numpy_of(dtype))


# --- amax and amin --------------------------------------------------------------------

def shared_backward(grad, self, result, dim, keepdim):
    """Divide the gradient along `dim` among the numbers that are the result."""
    if not keepdim:
        sizes = list(shape_of(self)) if dim else []
        for place in dim:
            sizes[place] = 1
        grad, result = _reshape(grad, tuple(sizes)), _reshape(result, tuple(sizes))
    return share_evenly(grad, self == result, dim)


@differentiable("AmaxBackward0", self=shared_backward)
def _amax(self, dim, keepdim):
    return np.maximum.reduce(self, dim or None, None, None, keepdim)


@differentiable("AminBackward0", self=shared_backward)
def _amin(self, dim, keepdim):
    return np.minimum.reduce(self, dim or None, None, None, keepdim)


@numpy_names
def amax(self, dim=(), keepdim=False):
    """Return the largest numbers along dimension(s); equal ones share a gradient."""
    return _amax(self, checked_dims(self, dim, "amax"), keepdim)


@numpy_names
def amin(self, dim=(), keepdim=False):
    """Return the smallest numbers along dimension(s); equal ones share a gradient."""
    return _amin(self, checked_dims(self, dim, "amin"), keepdim)


def checked_dims(self, dim, name):
    dims = dims_of(dim, self._array.ndim)
    for one in dims or (None,):
        check_not_empty(self._array, one, name)
    return dims


METHODS = "prod nansum amax amin"
