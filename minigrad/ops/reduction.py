"""Many numbers into one: sum, mean, prod, variance and standard deviation, all and any."""
from __future__ import annotations

import math

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from ..memory import by_rows
from ..tensor import Tensor, wrap
from ..warn import warn
from .dims import dims_of, numpy_of, one_dim, respelled, spread, unsqueezed
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
    dim = given_dims(dim, self._array.ndim)
    if dtype is None:
        return _sum_dim(self, dim, keepdim)
    return _sum_dim(self, dim, keepdim, numpy_of(dtype))


def given_dims(dim, ndim):
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
    return _mean_dim(self, given_dims(dim, self._array.ndim), keepdim, dtype)


def nanmean(self, dim=None, keepdim=False, *, dtype=None):
    """The mean of the elements that are not NaN."""
    self = cast(self, dtype)
    array = self._array
    if array.dtype.kind != "f":
        raise RuntimeError("nanmean(): expected input to have floating point or complex dtype but got "
                           f"{dtypes.short_name(array.dtype)}")
    return nansum(self, dim, keepdim) / _sum_dim(wrap(array == array), dims_of(dim, array.ndim), keepdim)


# --- variance and standard deviation ------------------------------------------------------------------------

def variance_gradient(grad, self, dim, correction, keepdim):
    sizes, correction = shape_of(self), unbiased_by(correction)
    if dim is None or not sizes:
        freedom = math.prod(sizes) - correction
        if freedom <= 0:
            return grad * comparison.where(self == _mean(self), math.nan, math.inf)
        return (2.0 / freedom) * grad * (self - _mean(self))
    if not keepdim and len(sizes) > 1:
        grad = unsqueezed(grad, dim, len(sizes))
    freedom = count_along(sizes, dim) - correction
    factor = 2.0 / freedom if freedom else math.inf
    return factor * grad * (self - _mean_dim(self, dim, True))


def deviation_gradient(result, grad, self, dim, correction, keepdim):
    through_root = choosing.zeroed(grad / (result * 2), result == 0)
    return variance_gradient(through_root, self, dim, correction, keepdim)


def with_mean_gradient(through, of_mean, self, dim, keepdim):
    """Add what arrives through the mean, of var_mean or std_mean; either gradient may be None."""
    if of_mean is None:
        return through
    through_mean = spread_mean(of_mean, shape_of(self), dim or (), keepdim)
    return through_mean if through is None else through + through_mean


def moments(self, dim, correction, keepdim, name):
    """Mean and variance, computed in float64 as in PyTorch; `dim` None means all dimensions."""
    if self.dtype.kind != "f":
        raise RuntimeError("std and var only support floating point and complex dtypes")
    dim, correction = dim or (), unbiased_by(correction)
    wide = self.astype(FLOAT64, copy=False)
    count = count_along(self.shape, dim)
    average = add_reduce(wide, axis=dim or None, keepdims=True) / count if count else np.full(
        add_reduce(wide, axis=dim or None, keepdims=True).shape, np.nan)
    if count - correction <= 0:
        warn(f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction "
             "factor (input numel divided by output numel).")
    off = wide - average
    squares = np.asarray(by_rows(add_reduce(off * off, axis=dim or None, keepdims=keepdim)))
    variance = squares / max(0.0, count - correction) if count - correction > 0 else squares / np.zeros(())
    return by_rows(np.asarray(average)).reshape(variance.shape), variance


def unbiased_by(correction):
    """How much less than the number of elements is divided by: 1, if nothing was said."""
    return 1 if correction is None else correction


@differentiable("VarBackward0", self=lambda grad, self, dim, correction, keepdim: variance_gradient(
    grad, self, dim, correction, keepdim))
def _var(self, dim, correction, keepdim):
    return moments(self, dim, correction, keepdim, "var")[1].astype(self.dtype)


@differentiable("StdBackward0", self=lambda grad, result, self, dim, correction, keepdim: deviation_gradient(
    result, grad, self, dim, correction, keepdim))
def _std(self, dim, correction, keepdim):
    return np.sqrt(moments(self, dim, correction, keepdim, "std")[1]).astype(self.dtype)


@differentiable("VarMeanBackward0", outputs=("result0", "result1"),
                self=lambda grads, self, dim, correction, keepdim: with_mean_gradient(
                    None if grads[0] is None else variance_gradient(grads[0], self, dim, correction, keepdim),
                    grads[1], self, dim, keepdim))
def _var_mean(self, dim, correction, keepdim):
    average, variance = moments(self, dim, correction, keepdim, "var_mean")
    return variance.astype(self.dtype), average.astype(self.dtype)


@differentiable("StdMeanBackward0", outputs=("result0", "result1"),
                self=lambda grads, result0, self, dim, correction, keepdim: with_mean_gradient(
                    None if grads[0] is None else deviation_gradient(
                        result0, grads[0], self, dim, correction, keepdim),
                    grads[1], self, dim, keepdim))
def _std_mean(self, dim, correction, keepdim):
    average, variance = moments(self, dim, correction, keepdim, "std_mean")
    return np.sqrt(variance).astype(self.dtype), average.astype(self.dtype)


def spread_function(kernel, name, what):
    """The public function of one of the four."""
    def function(self, dim=None, unbiased=None, keepdim=False, *, correction=None, **names):
        if names:
            dim = names.pop("axis", dim)
            keepdim = names.pop("keepdims", keepdim)
            if names:
                raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(names))}'")
        if isinstance(dim, bool):           # x.var(False)
            dim, unbiased = None, dim
        if correction is None and (unbiased is not None or dim is not None):
            correction = int(unbiased is None or unbiased)
        if not isinstance(self, Tensor):
            return kernel(self, None, correction, keepdim)
        dim = dims_of(dim, self._array.ndim) if dim is not None else None
        return kernel(self, dim or None, correction, keepdim)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{what} over all elements, or over the dimension(s) `dim`.

    Divides by N - `correction`; ``unbiased=False`` is correction 0, and the default is 1.

    Raises:
        RuntimeError: the tensor is not floating-point.
    """
    return function


var = spread_function(_var, "var", "The variance")
std = spread_function(_std, "std", "The standard deviation")
var_mean = spread_function(_var_mean, "var_mean", "(variance, mean)")
std_mean = spread_function(_std_mean, "std_mean", "(standard deviation, mean)")


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
        return grad * (self * 0)            # the others' product is 0, whichever element one leaves out
    flat = shape._reshape(self, (math.prod(sizes),))
    return shape._reshape(grad * product_of_others(flat, 0), sizes)


def _product_dim_gradient(grad, self, result, dim, keepdim):
    sizes = shape_of(self)
    self = alike(self, grad)
    if not sizes:
        return grad
    if not keepdim:
        grad, result = shape.unsqueeze(grad, dim), shape.unsqueeze(result, dim)
    if not count_zeros(self):
        return grad * (result / self)
    return grad * product_of_others(self, dim)


def count_zeros(x):
    array = x._array if isinstance(x, Tensor) else x
    return array.size - np.count_nonzero(array)


def product_of_others(x, dim):
    """For every element the product of the others along `dim`: of those before it, times those after it."""
    n = shape_of(x)[dim]
    if n <= 1:
        return ones_like(x, shape_of(x))
    one = ones_like(x, [1 if i == dim else size for i, size in enumerate(shape_of(x))])
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


def prod(self, dim=None, keepdim=False, *, dtype=None, **names):
    """The product of all elements, or along one dimension.  Integers and bools multiply to int64."""
    if names:
        return respelled(prod, "prod", names, self, dim, keepdim, dtype=dtype)
    dtype = None if dtype is None else numpy_of(dtype)
    if dim is None:
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
    return _all(self, question_dims(self, dim), keepdim)


def any(self, dim=None, keepdim=False, **names):
    """Whether any element is true (not 0), of the whole tensor or along dimension(s)."""
    if names:
        return respelled(any, "any", names, self, dim, keepdim)
    return _any(self, question_dims(self, dim), keepdim)


def count_nonzero(self, dim=None):
    """How many elements are not 0."""
    return _count_nonzero(self, dims_of(dim, self._array.ndim) or None)


# --- helpers ------------------------------------------------------------------------------------------------

def ones_like(x, sizes):
    """Ones beside `x` in a formula."""
    ones = np.ones(sizes, (x._array if isinstance(x, Tensor) else x).dtype)
    return wrap(ones) if isinstance(x, Tensor) else ones


def shape_of(x):
    return x._array.shape if isinstance(x, Tensor) else np.shape(x)


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

METHODS = "sum nansum mean nanmean var std prod all any count_nonzero"
FUNCTIONS_ONLY = "var_mean std_mean"

from . import choosing, comparison, cumulative, joining, rearrange, shape, slicing  # noqa: E402
