"""Many numbers into one: sum, mean, prod, all and any."""
from __future__ import annotations

import math

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from ..memory import by_rows
from ..messages import only_bool
from ..tensor import Tensor, wrap
from .dims import dims_of, numpy_of, one_dim, respelled, spread
from .either import array_of, ones_beside, shape_of
from .elementwise import zeros_like
from .summation import FLOAT16, add_reduce, add_up

INT64, FLOAT64 = dtypes.INT64, dtypes.FLOAT64


# --- sum ----------------------------------------------------------------------------------------------------

@differentiable("SumBackward0", self=lambda grad, self_shape: spread(grad, self_shape, (), False))
def _sum(self, dtype=None):
    return added(self, (), False, dtype)


@differentiable("SumBackward1",
                self=lambda grad, self_shape, dim, keepdim: spread(grad, self_shape, dim or (), keepdim))
def _sum_dim(self, dim, keepdim, dtype=None):
    return added(self, dim or (), keepdim, dtype)


def added(self, dim, keepdim, dtype):
    if dtype is not None:
        self = self.astype(dtype, copy=False)
    if self.dtype.kind == "f":
        return add_up(self, dim, keepdim)
    return by_rows(add_reduce(self, axis=dim or None, keepdims=keepdim, dtype=dtype or INT64))


NOT_GIVEN = object()        # all dimensions, by another kind of node than where `dim` is said to be None


def sum(self, dim=NOT_GIVEN, keepdim=False, *, dtype=None, **names):
    """The sum over all elements, or over the dimension(s) `dim`.  Integers and bools add up to int64.

    Raises:
        IndexError: there is no such dimension.
        RuntimeError: a dimension is named twice.
    """
    if dim is NOT_GIVEN and not keepdim and not names:
        return _sum(self) if dtype is None else _sum(self, numpy_of(dtype))
    if names:
        return respelled(sum, "sum", names, self, dim, keepdim, dtype=dtype)
    dim = given_dims(dim, self._array.ndim, keepdim)
    if dtype is None:
        return _sum_dim(self, dim, keepdim)
    return _sum_dim(self, dim, keepdim, numpy_of(dtype))


def given_dims(dim, ndim, keepdim):
    if keepdim is not True and keepdim is not False:
        only_bool(keepdim)
    if dim is NOT_GIVEN:
        raise TypeError("keepdim without dim")      # PyTorch has no such form
    return None if dim is None else dims_of(dim, ndim)


@differentiable("NansumBackward0",
                self=lambda grad, self, dim, keepdim: (
                    spread(grad, shape_of(self), dim, keepdim) * (self == self)))
def _nansum(self, dim, keepdim):
    return added(np.where(self == self, self, 0) if self.dtype.kind == "f" else self, dim, keepdim, None)


def nansum(self, dim=None, keepdim=False, *, dtype=None):
    """The sum, with NaN counted as 0."""
    only_bool(keepdim)
    return _nansum(cast(self, dtype), dims_of(dim, self._array.ndim), keepdim)


# --- mean ---------------------------------------------------------------------------------------------------

def spread_mean(grad, sizes, dim, keepdim):
    grad, count = spread(grad, sizes, dim, keepdim), count_along(sizes, dim) or 0.0
    return grad / (count if isinstance(grad, Tensor) else np.asarray(count, grad.dtype))


def count_along(sizes, dim):
    return math.prod([sizes[d] for d in dim] if dim else sizes)


@differentiable("MeanBackward0",
                self=lambda grad, self_shape, self_numel: (
                    spread(grad, self_shape, (), False) / (self_numel or 0.0)))
def _mean(self, dtype=None):
    return averaged(self, (), False, dtype)


@differentiable("MeanBackward1",
                self=lambda grad, self_shape, dim, self_numel, keepdim: (      # PyTorch saves numel as well
                    spread_mean(grad, self_shape, dim or (), keepdim)))
def _mean_dim(self, dim, keepdim, dtype=None):
    return averaged(self, dim, keepdim, dtype)


def averaged(self, dim, keepdim, dtype=None):
    dim = dim or ()
    if dtype is not None:
        self = self.astype(dtype, copy=False)
    if self.dtype.kind != "f":
        raise RuntimeError(
            f"mean(): could not infer output dtype. {'Input' if dtype is None else 'Optional'} dtype must be "
            f"either a floating point or complex dtype. Got: {dtypes.short_name(self.dtype)}")
    if self.dtype == FLOAT16:
        return averaged(self.astype(np.float32), dim, keepdim).astype(np.float16)
    count = self.size if not dim else count_along(self.shape, dim)
    return divided(add_up(self, dim, keepdim), count)


def divided(total, count):
    return total / total.dtype.type(count)


def mean(self, dim=NOT_GIVEN, keepdim=False, *, dtype=None, **names):
    """The mean over all elements, or over the dimension(s) `dim`; nan of nothing.

    Raises:
        RuntimeError: the tensor is not floating-point and no `dtype` is given.
    """
    if dim is NOT_GIVEN and dtype is None and not keepdim and not names:
        return _mean(self)
    if names:
        return respelled(mean, "mean", names, self, dim, keepdim, dtype=dtype)
    dtype = None if dtype is None else numpy_of(dtype)
    if dim is NOT_GIVEN and not keepdim:
        return _mean(self, dtype)
    array = self._array
    if array.dtype.kind != "f" and dtype is None:
        averaged(array, (), False)              # says that this cannot be, before dimensions are looked at
    return _mean_dim(self, given_dims(dim, array.ndim, keepdim), keepdim, dtype)


def nanmean(self, dim=None, keepdim=False, *, dtype=None):
    """The mean of the elements that are not NaN."""
    self = cast(self, dtype)
    array = self._array
    if array.dtype.kind != "f":
        raise RuntimeError("nanmean(): expected input to have floating point or complex dtype but got "
                           f"{dtypes.short_name(array.dtype)}")
    return nansum(self, dim, keepdim) / _sum_dim(wrap(array == array), dims_of(dim, array.ndim), keepdim)


# --- product ------------------------------------------------------------------------------------------------

def _product_gradient(grad, self, result):
    sizes = shape_of(self)
    self = alike(self, grad)
    if not sizes:
        return grad
    zeros = count_zeros(self)
    if not zeros:
        return grad * (result / self)
    if zeros > 1 and not isinstance(grad, Tensor):
        return zeros_like(self)             # the others' product is 0, whichever element one leaves out
    in_order = shape.contiguous(self) if isinstance(self, Tensor) else np.ascontiguousarray(self)
    flat = shape._view(in_order, (math.prod(sizes),))
    return shape._view(times_others(grad, flat, 0), sizes)


def _product_dim_gradient(grad, self, result, dim, keepdim):
    sizes = shape_of(self)
    self = alike(self, grad)
    if not sizes:
        return grad
    if not keepdim:
        grad, result = shape.unsqueeze(grad, dim), shape.unsqueeze(result, dim)
    if not count_zeros(self):
        return grad * (result / self)
    return times_others(grad, self, dim)


def count_zeros(x):
    array = array_of(x)
    return array.size - np.count_nonzero(array)


def times_others(grad, x, dim):
    """The gradient, for every element times the product of the others along `dim`; itself if there are
    none."""
    return grad if shape_of(x)[dim] == 1 else grad * product_of_others(x, dim)


def product_of_others(x, dim):
    """For every element the product of the others along `dim`: of those before it, times those after it."""
    n = shape_of(x)[dim]
    if n <= 1:
        return ones_beside(x, shape_of(x))
    one = ones_beside(x, [1 if i == dim else size for i, size in enumerate(shape_of(x))])
    before = cumulative._cumprod(joining._cat([one, slicing._slice(x, dim, 0, n - 1, 1)], dim), dim, None)
    turned = rearrange._flip(slicing._slice(x, dim, 1, n, 1), (dim,))
    after = rearrange._flip(cumulative._cumprod(joining._cat([one, turned], dim), dim, None), (dim,))
    return before * after


@differentiable("ProdBackward0", self=_product_gradient)
def _prod(self, dtype):
    return np.multiply.reduce(self, axis=None, dtype=product_dtype(self, dtype))


@differentiable("ProdBackward1", self=_product_dim_gradient)
def _prod_dim(self, dim, keepdim, dtype):
    if not self.ndim:
        return _prod.operation.forward(self, dtype)
    return by_rows(np.multiply.reduce(self, axis=dim, keepdims=keepdim, dtype=product_dtype(self, dtype)))


def product_dtype(self, dtype):
    return dtype or (self.dtype if self.dtype.kind == "f" else INT64)


def prod(self, dim=NOT_GIVEN, keepdim=False, *, dtype=None, **names):
    """The product of all elements, or along one dimension.  Integers and bools multiply to int64."""
    if names:
        return respelled(prod, "prod", names, self, dim, keepdim, dtype=dtype)
    dtype = None if dtype is None else numpy_of(dtype)
    only_bool(keepdim)
    if dim is NOT_GIVEN and not keepdim:
        return _prod(self, dtype)
    return _prod_dim(self, one_dim(dim, self._array.ndim), keepdim, dtype)


# --- questions ----------------------------------------------------------------------------------------------

@differentiable("AllBackward0", self=None)
def _all(self, dim, keepdim):
    return as_answer(self, np.logical_and.reduce(self, axis=dim, keepdims=keepdim))


@differentiable("AnyBackward0", self=None)
def _any(self, dim, keepdim):
    return as_answer(self, np.logical_or.reduce(self, axis=dim, keepdims=keepdim))


def as_answer(self, truth):
    """PyTorch answers a question about uint8, its bool of old, in uint8."""
    return by_rows(truth.astype(np.uint8) if self.dtype == np.uint8 else truth)


@differentiable("CountNonzeroBackward0", self=None)
def _count_nonzero(self, dim):
    return by_rows(add_reduce(self != 0, axis=dim, dtype=INT64))


def question_dims(self, dim):
    # of no dimensions, every element answers
    return None if dim is None else dims_of(dim, self._array.ndim)


def all(self, dim=None, keepdim=False, **names):
    """Whether all elements are true (not 0), of the whole tensor or along dimension(s)."""
    if names:
        return respelled(all, "all", names, self, dim, keepdim)
    only_bool(keepdim)
    return _all(self, question_dims(self, dim), keepdim)


def any(self, dim=None, keepdim=False, **names):
    """Whether any element is true (not 0), of the whole tensor or along dimension(s)."""
    if names:
        return respelled(any, "any", names, self, dim, keepdim)
    only_bool(keepdim)
    return _any(self, question_dims(self, dim), keepdim)


def count_nonzero(self, dim=None):
    """How many elements are not 0."""
    return _count_nonzero(self, dims_of(dim, self._array.ndim) or None)


# --- helpers ------------------------------------------------------------------------------------------------

def alike(x, grad):
    """A saved tensor in the dtype of the gradient, in a formula."""
    if isinstance(x, Tensor):
        return x if x._array.dtype == grad._array.dtype else x.to(grad.dtype)
    return x.astype(grad.dtype, copy=False)


def cast(self, dtype):
    """The tensor in the dtype asked for; recorded as a conversion if there is something to convert."""
    if dtype is None or self._array.dtype == numpy_of(dtype):
        return self
    return self.to(dtypes.BY_NUMPY[numpy_of(dtype)])


for _function in (_sum, _sum_dim, _prod, _prod_dim):
    _function.operation.needs_float = True

METHODS = "sum nansum mean nanmean prod all any count_nonzero"

from . import cumulative, joining, rearrange, shape, slicing  # noqa: E402
