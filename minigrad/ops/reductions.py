"""Many numbers into one, along dimensions: sums, means, products, extremes, norms, running sums, softmax.

A formula here undoes the shrinking first: `restored` puts the reduced dimensions back with size 1, and `spread` copies
a gradient along them.
"""
from __future__ import annotations

import math

import numpy as np

from .. import dtypes
from . import return_types
from ..arguments import like
from ..autograd.differentiable import differentiable
from ..autograd.inplace import in_place
from ..errors import dim_range, listed_number, not_implemented_for, only_bool
from ..tensor import Tensor, wrap
from ..errors import warn
from . import expansion, pointwise, shape
from ..dtypes import numpy_of
from .expansion import ALL_DIMS as NOT_GIVEN, _sum, _sum_dim, add_reduce, dims_of, sum_backward as spread
from .shape import unsqueeze_multiple as restored
from .either import array_of, dtype_of, ones_beside, shape_of
from .pointwise import exp, log, where, zeros_like

INT64, FLOAT64 = dtypes.INT64, dtypes.FLOAT64
add_reduce = np.add.reduce


# --- dimensions ---------------------------------------------------------------------------------------------

def one_dim(dim, ndim):
    return dim_range(dim, ndim)


def chosen_dims(self, dim, keepdim):
    """The dimensions of a call that names some, checked; None where it says so."""
    only_bool(keepdim)
    if dim is NOT_GIVEN:
        raise TypeError("keepdim without dim")      # PyTorch has no such form
    return None if dim is None else dims_of(dim, self._array.ndim)


def one_of_some(self, dim, name, keepdim=False):
    """The dimension as given, if it exists and has elements to choose from."""
    only_bool(keepdim)
    sizes = self._array.shape
    place = dim_range(dim, len(sizes))
    if sizes and sizes[place] == 0:
        raise IndexError(f"{name}(): Expected reduction dim {place} to have non-zero size.")
    return dim if type(dim) is int else place


def nothing_to_reduce(name, error=RuntimeError):
    return error(f"{name}(): Expected reduction dim to be specified for input.numel() == 0."
                 + " Specify the reduction dim with the 'dim' argument." * (error is RuntimeError))


def count_along(sizes, dim):
    return math.prod([sizes[d] for d in dim] if dim else sizes)


# --- sum, mean ----------------------------------------------------------------------------------------------

def add_up(self, dim=(), keepdim=False, dtype=None):
    return expansion._sum_dim.operation.forward(self, dim, keepdim, dtype)


def averaged(self, dim=(), keepdim=False, dtype=None):
    if (dtype or self.dtype).kind != "f":
        raise RuntimeError(
            f"mean(): could not infer output dtype. {'Input' if dtype is None else 'Optional'} dtype must be either a "
            f"floating point or complex dtype. Got: {dtypes.short_name(dtype or self.dtype)}")
    total = add_up(self, dim, keepdim, dtype)
    return total / total.dtype.type(count_along(self.shape, dim))


def spread_mean(grad, sizes, dim, keepdim):
    return spread(grad, sizes, dim, keepdim) / float(count_along(sizes, dim) or 0.0)


@differentiable("MeanBackward0", self=lambda grad, self_shape, self_numel: (
    spread(grad, self_shape, (), False) / (self_numel or 0.0)))
def _mean(self, dtype=None):
    return averaged(self, (), False, dtype)


@differentiable("MeanBackward1", self=lambda grad, self_shape, dim, self_numel, keepdim: (    # PyTorch saves numel as well
    spread_mean(grad, self_shape, dim or (), keepdim)))
def _mean_dim(self, dim, keepdim, dtype=None):
    return averaged(self, dim or (), keepdim, dtype)


def mean(self, dim=NOT_GIVEN, keepdim=False, *, dtype=None):
    """The mean over all elements, or over the dimension(s) `dim`; nan of nothing."""
    dtype = None if dtype is None else numpy_of(dtype)
    if dim is NOT_GIVEN and not keepdim:
        return _mean(self) if dtype is None else _mean(self, dtype)
    if self._array.dtype.kind != "f" and dtype is None:
        averaged(self._array)                   # says that this cannot be, before dimensions are looked at
    return _mean_dim(self, chosen_dims(self, dim, keepdim), keepdim, dtype)


# --- products -----------------------------------------------------------------------------------------------

def _product_gradient(grad, self, result, dim, keepdim):
    sizes = shape_of(self)
    if not sizes:
        return grad
    if dim is None and array_of(self).all():
        return grad * (result / self)
    if dim is None:
        flat = shape._reshape(self, (math.prod(sizes),))
        return shape._reshape(_product_gradient(grad, flat, result, 0, False), sizes)
    if not keepdim:
        grad, result = restored(grad, (dim,), len(sizes)), restored(result, (dim,), len(sizes))
    if array_of(self).all():
        return grad * (result / self)
    return grad * product_of_others(self, dim)


def product_of_others(x, dim):
    """For every element the product of the others along `dim`: of those before it, times those after it."""
    n, sizes = shape_of(x)[dim], shape_of(x)
    if n <= 1:
        return ones_beside(x, sizes)
    one = ones_beside(x, [1 if i == dim % len(sizes) else size for i, size in enumerate(sizes)])
    before = _cumprod(joining._cat([one, slicing._slice(x, dim, 0, n - 1, 1)], dim), dim, None)
    turned = rearrange._flip(slicing._slice(x, dim, 1, n, 1), (dim,))
    return before * rearrange._flip(_cumprod(joining._cat([one, turned], dim), dim, None), (dim,))


def product_dtype(self, dtype):
    return dtype or (self.dtype if self.dtype.kind == "f" else INT64)


@differentiable("ProdBackward0", self=lambda grad, self, result: _product_gradient(grad, self, result, None, False))
def _prod(self, dtype):
    return np.multiply.reduce(self, axis=None, dtype=product_dtype(self, dtype))


@differentiable("ProdBackward1", self=lambda grad, self, result, dim, keepdim: (
    _product_gradient(grad, self, result, dim, keepdim)))
def _prod_dim(self, dim, keepdim, dtype):
    return np.multiply.reduce(self, axis=dim if self.ndim else None, keepdims=keepdim, dtype=product_dtype(self, dtype))


def prod(self, dim=NOT_GIVEN, keepdim=False, *, dtype=None):
    """The product of all elements, or along one dimension.  Integers and bools multiply to int64."""
    dtype = None if dtype is None else numpy_of(dtype)
    if dim is NOT_GIVEN and not keepdim:
        return _prod(self, dtype)
    only_bool(keepdim)
    return _prod_dim(self, dim_range(dim, self._array.ndim), keepdim, dtype)


# --- running sums and products ------------------------------------------------------------------------------

def reversed_cumsum(x, dim):
    return rearrange._flip(_cumsum(rearrange._flip(x, (dim,)), dim), (dim,))


def running(ufunc, self, dim, dtype):
    self = self if dtype is None else self.astype(dtype, copy=False)
    if self.dtype.kind != "f":
        self = self.astype(INT64)
    wide = FLOAT64 if self.dtype == np.float32 else None        # PyTorch adds in the wider type
    return ufunc.accumulate(self, axis=dim, dtype=wide).astype(self.dtype, copy=False) if self.ndim else self.copy()


@differentiable("CumsumBackward0", self=lambda grad, dim: reversed_cumsum(grad, dim) if shape_of(grad) else grad)
def _cumsum(self, dim, dtype=None):
    return running(np.add, self, dim, dtype)


@differentiable("CumprodBackward0", self=lambda grad, self, dim, result: (
    reversed_cumsum(result * grad, dim) / self if shape_of(grad) else grad))
def _cumprod(self, dim, dtype):
    return running(np.multiply, self, dim, dtype)


def cumsum(self, dim, *, dtype=None):
    """Running sums along `dim`; integers and bools add up to int64."""
    dim_range(dim, self._array.ndim)
    return _cumsum(self, dim, None if dtype is None else numpy_of(dtype))


# --- questions ----------------------------------------------------------------------------------------------

def asked(node, ufunc, name):
    @differentiable(node, self=None)
    def answer(self, dim, keepdim):
        return np.asarray(ufunc.reduce(self, axis=dim, keepdims=keepdim))

    def function(self, dim=None, keepdim=False):
        only_bool(keepdim)
        return answer(self, None if dim is None else dims_of(dim, self._array.ndim), keepdim)
    function.__name__ = function.__qualname__ = name
    return function


all, any = asked("AllBackward0", np.logical_and, "all"), asked("AnyBackward0", np.logical_or, "any")


# --- extremes -----------------------------------------------------------------------------------------------

def shared_evenly(grad, mask):
    """The gradient divided equally among the places of `mask`: the elements that share the extreme."""
    if isinstance(grad, Tensor):
        zeros = wrap(np.zeros(mask._array.shape, grad._array.dtype))
        return masks._masked_fill_tensor(zeros, mask, grad / mask.sum())
    return np.where(mask, grad / add_reduce(mask, axis=None, dtype=grad.dtype), grad.dtype.type(0))


def scattered(grad, dim, indices, sizes):
    """Zeros of shape `sizes` with `grad` at `indices` along `dim`."""
    if isinstance(grad, Tensor):
        return scatter._scatter_src(wrap(np.zeros(sizes, grad._array.dtype)), dim, indices, grad)
    if indices.dtype.kind == "f":               # saved indices may come back from a hook as something else
        raise RuntimeError("scatter(): Expected dtype int32/int64 for index")
    result = np.zeros(sizes, grad.dtype)
    if not sizes:
        result[...] = grad
        return result
    scatter.check_bounds(indices, dim % len(sizes), sizes[dim])
    np.put_along_axis(result, indices, grad, dim)
    return result


def picked(grad, dim, indices, sizes, keepdim):
    """The gradient of one element picked along `dim`, laid where it came from."""
    if not keepdim and sizes:
        grad, indices = shape.unsqueeze(grad, dim), shape.unsqueeze(indices, dim)
    return scattered(grad, dim, indices, sizes)


def extreme(name, ufunc, argument, of_two):
    """max or min: of all elements, along a dimension with the index, or of two tensors; and argmax or argmin."""
    title = name.capitalize()

    def among(self, result):        # the elements that are the result; nan is, where there is one
        is_nan = (array_of(result) != array_of(result)).any()
        return self != self if is_nan else self == result

    @differentiable(f"{title}Backward1", self=lambda grad, self, result: shared_evenly(grad, among(self, result)))
    def of_all(self):
        return ufunc.reduce(self, axis=None)

    @differentiable(f"{title}Backward0", outputs=("values", "indices"),
                    self=lambda grad, self_shape, dim, indices, keepdim: picked(grad, dim, indices, self_shape, keepdim))
    def along(self, dim, keepdim):
        if not self.ndim:
            return self.copy(), np.zeros((), INT64)
        return ufunc.reduce(self, dim, None, None, keepdim), np.asarray(argument(self, dim, keepdims=keepdim))

    @differentiable(f"Arg{name}Backward0", self=None)
    def places(self, dim, keepdim):
        return np.asarray(argument(self, dim, keepdims=keepdim)) if self.ndim else np.zeros((), INT64)

    def function(self, dim=NOT_GIVEN, keepdim=False, *, other=None):
        if isinstance(dim, Tensor) or other is not None:
            return of_two(self, dim if other is None else other)
        if dim is NOT_GIVEN and keepdim is False:
            if not self._array.size:
                raise nothing_to_reduce(name)
            return of_all(self)
        return getattr(return_types, name)(along(self, one_of_some(self, dim, name, keepdim), keepdim))

    def where_it_is(self, dim=None, keepdim=False):
        only_bool(keepdim)
        if self._array.dtype.kind == "b":
            raise RuntimeError(f"arg{name}(): does not support bool input")
        if dim is None and not self._array.size:
            raise nothing_to_reduce(f"arg{name}", IndexError)
        return places(self, dim if dim is None else one_of_some(self, dim, f"arg{name}"), keepdim)
    function.__name__ = function.__qualname__ = name
    where_it_is.__name__ = where_it_is.__qualname__ = f"arg{name}"
    return function, where_it_is


max, argmax = extreme("max", np.maximum, np.argmax, pointwise.maximum)
min, argmin = extreme("min", np.minimum, np.argmin, pointwise.minimum)


def _shared_gradient(grad, self, result, dim, keepdim):
    if not keepdim:
        every = dim or tuple(range(len(shape_of(self))))
        grad, result = [restored(x, every, len(shape_of(self))) for x in (grad, result)]
    mask = result == self
    count = _sum_dim(mask, dim, True) if isinstance(mask, Tensor) else add_up(mask, dim, True)
    return (grad / count) * mask


@differentiable("AmaxBackward0", self=_shared_gradient)
def _amax(self, dim, keepdim):
    return np.asarray(np.maximum.reduce(self, axis=dim or None, keepdims=keepdim))


def amax(self, dim=(), keepdim=False):
    """The largest element along dimension(s), all of them by default; equal ones share the gradient."""
    dim = chosen_dims(self, dim, keepdim)
    if not dim and not self._array.size:
        raise nothing_to_reduce("amax")
    return _amax(self, dim, keepdim)


# --- variance, standard deviation ---------------------------------------------------------------------------

def variance_gradient(grad, self, dim, correction, keepdim):
    sizes, correction = shape_of(self), 1 if correction is None else correction
    freedom = count_along(sizes, dim) - correction
    if dim is None or not sizes:
        if freedom <= 0:
            return grad * where(self == _mean(self), math.nan, math.inf)
        return (2.0 / freedom) * grad * (self - _mean(self))
    if not keepdim and len(sizes) > 1:
        grad = restored(grad, dim, len(sizes))
    return (2.0 / freedom if freedom else math.inf) * grad * (self - _mean_dim(self, dim, True))


def moments(self, dim, correction, keepdim, name):
    """Mean and variance, computed in float64 as in PyTorch; `dim` None means all dimensions."""
    check_floats(self, name)
    dim, correction = dim or (), 1 if correction is None else correction
    count, wide = count_along(self.shape, dim), self.astype(FLOAT64, copy=False)
    if count - correction <= 0:
        warn(f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
             "(input numel divided by output numel).")
    average = add_up(wide, dim, True) / (count or np.nan)
    squares = add_up((wide - average) ** 2, dim, keepdim)
    return average.reshape(squares.shape), squares / (count - correction if count > correction else np.zeros(()))


def check_floats(array, name):
    if array.dtype.kind != "f":
        functions = name if name.endswith("_mean") else "std and var"
        raise RuntimeError(f"{functions} only support floating point and complex dtypes")


@differentiable("VarBackward0", self=lambda grad, self, dim, correction, keepdim: variance_gradient(
    grad, self, dim, correction, keepdim))
def _var(self, dim, correction, keepdim):
    return moments(self, dim, correction, keepdim, "var")[1].astype(self.dtype)


@differentiable("StdBackward0", self=lambda grad, result, self, dim, correction, keepdim: variance_gradient(
    zeroed(grad / (result * 2), result == 0), self, dim, correction, keepdim))
def _std(self, dim, correction, keepdim):
    return np.sqrt(moments(self, dim, correction, keepdim, "std")[1]).astype(self.dtype)


def _through_both(grads, self, dim, correction, keepdim):
    through = None if grads[0] is None else variance_gradient(grads[0], self, dim, correction, keepdim)
    if grads[1] is None:
        return through
    mean = spread_mean(grads[1], shape_of(self), dim or (), keepdim)
    return mean if through is None else through + mean


@differentiable("VarMeanBackward0", outputs=("result0", "result1"), self=lambda grads, self, dim, correction, keepdim: (
    _through_both(grads, self, dim, correction, keepdim)))
def _var_mean(self, dim, correction, keepdim):
    average, variance = moments(self, dim, correction, keepdim, "var_mean")
    return variance.astype(self.dtype), average.astype(self.dtype)


def deviation(name, kernel):
    def function(self, dim=NOT_GIVEN, unbiased=None, keepdim=False, *, correction=None):
        """Along `dim` or of all elements; divides by N - `correction`: 1, or 0 with ``unbiased=False``."""
        if isinstance(dim, bool) and unbiased is None:                  # x.var(False)
            dim, unbiased = NOT_GIVEN, dim
        if correction is None and (unbiased is not None or dim is not NOT_GIVEN):
            correction = int(unbiased is None or unbiased)
        if not isinstance(self, Tensor):
            return kernel(self, None, correction, keepdim)
        check_floats(self._array, name)
        return kernel(self, None if dim is NOT_GIVEN else dims_of(dim, self._array.ndim) or None, correction, keepdim)
    function.__name__ = function.__qualname__ = name
    return function


var, std, var_mean = deviation("var", _var), deviation("std", _std), deviation("var_mean", _var_mean)


# --- norms --------------------------------------------------------------------------------------------------

def zeroed(x, mask):
    """`x` with 0 where `mask` is true: where a formula gives nan, and the derivative is taken to be 0."""
    return masks._masked_fill_(x, mask, 0) if isinstance(x, Tensor) else np.where(mask, x.dtype.type(0), x)


def _norm_gradient(grad, self, p, norm, dim, keepdim):
    """The gradient of (sum |x|^p)^(1/p); 0, not nan, where the norm is 0."""
    sizes = shape_of(self)
    if not keepdim and sizes and dim:
        grad, norm = restored(grad, dim, len(sizes)), restored(norm, dim, len(sizes))
    if p == 0:
        return None
    if p == 2:
        return grad * zeroed(self / norm, norm == 0)
    size, sign = pointwise.abs(self), pointwise.sgn(self)
    if p == 1:
        return sign * grad
    if p in (math.inf, -math.inf):
        mask = (size == norm) | (size != size)
        count = _sum_dim(mask, dim or (), True) if isinstance(mask, Tensor) else add_up(mask, dim or (), True)
        return sign * ((grad / count) * mask)
    return sign * zeroed(power(size, p - 1), size == 0) * zeroed(grad / power(norm, p - 1), norm == 0)


def power(x, exponent):
    return pointwise._pow_number(x, float(exponent)) if isinstance(x, Tensor) else x ** exponent


@differentiable("LinalgVectorNormBackward0", self=lambda grad, self, ord, result, dim, keepdim: _norm_gradient(
    grad, self, ord, result, dim, keepdim))
def _vector_norm(self, ord, dim, keepdim):
    if self.dtype.kind != "f":
        raise RuntimeError("linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
                           f"{dtypes.short_name(self.dtype)}")
    size, axis = np.abs(self), dim or None
    if ord in (math.inf, -math.inf):
        return np.asarray((np.maximum if ord > 0 else np.minimum).reduce(size, axis=axis, keepdims=keepdim))
    if ord == 2:
        return np.sqrt(add_up(self * self, dim or (), keepdim))
    if ord in (0, 1):
        return add_up(size if ord else (self != 0).astype(self.dtype), dim or (), keepdim)
    kind = self.dtype.type
    return add_up(size ** kind(ord), dim or (), keepdim) ** kind(1 / ord)


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    """(sum |x|^ord)^(1/ord) over all elements or along dimension(s)."""
    return _vector_norm(cast(x, dtype), ord, None if dim is None else dims_of(dim, x._array.ndim), keepdim)


def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """The p-norm of all elements, or along dimension(s); "fro" is 2."""
    return vector_norm(input, 2 if p in ("fro", None) else p, dim, keepdim, dtype=dtype)


def cast(self, dtype):
    """The tensor in the dtype asked for; recorded as a conversion if there is something to convert."""
    if dtype is None or self._array.dtype == numpy_of(dtype):
        return self
    return self.to(dtypes.BY_NUMPY[numpy_of(dtype)])


# --- softmax ------------------------------------------------------------------------------------------------

exp_of, log_of = exp.operation.forward, log.operation.forward


def summed(x, dim):
    """The sum along `dim`, which stays as a dimension of size 1."""
    return _sum_dim(x, (dim,) if shape_of(x) else (), True)


def lowered(self, dim, name):
    """`self` less its maximum along `dim`, so that no exponential overflows."""
    if self.dtype.kind != "f":
        last = "lastdim_" * (not self.ndim or dim % self.ndim == self.ndim - 1)
        raise not_implemented_for(f"{name}_{last}kernel_impl", self.dtype)
    return self - np.maximum.reduce(self, dim, None, None, True) if self.size and self.ndim else self - self


@differentiable("SoftmaxBackwardDataBackward0",
                grad_output=lambda grad, output, dim: _softmax_backward_data(grad, output, dim),
                output=lambda grad, grad_output, output, dim: (
                    grad_output * grad - summed(output * grad_output, dim) * grad
                    - grad_output * summed(output * grad, dim)))
def _softmax_backward_data(grad_output, output, dim):
    return (grad_output - summed(grad_output * output, dim)) * output


@differentiable("SoftmaxBackward0", self=lambda grad, result, dim: _softmax_backward_data(grad, result, dim))
def _softmax(self, dim):
    powers = np.exp(lowered(self, dim, "softmax"))
    return powers / powers.sum(dim, keepdims=True) if self.ndim else powers


@differentiable("LogSoftmaxBackwardDataBackward0",
                grad_output=lambda grad, output, dim: grad - summed(grad * exp(output), dim),
                output=lambda grad, grad_output, output, dim: -summed(grad_output, dim) * exp(output) * grad)
def _log_softmax_backward_data(grad_output, output, dim):
    return grad_output - np.exp(output) * summed(grad_output, dim)


@differentiable("LogSoftmaxBackward0", self=lambda grad, result, dim: _log_softmax_backward_data(grad, result, dim))
def _log_softmax(self, dim):
    self = lowered(self, dim, "log_softmax")
    return self - np.log(np.exp(self).sum(dim, keepdims=True)) if self.ndim else self


@differentiable("LogsumexpBackward0", self=lambda grad, self, result, dim, keepdim: (
    spread(grad, shape_of(self), dim, keepdim) * exp(self - spread(result, shape_of(self), dim, keepdim))))
def _logsumexp(self, dim, keepdim):
    self = pointwise.floating(self)
    if not self.size:
        return np.log(add_up(np.exp(self), dim, keepdim))
    largest = np.maximum.reduce(self, axis=dim or None, keepdims=True)
    largest = np.where(np.isinf(largest), self.dtype.type(0), largest)      # inf - inf would be nan
    total = add_up(np.exp(self - largest), dim, keepdim)
    return np.log(total) + largest.reshape(np.shape(total))


def along(self, dim):
    dim_range(dim, self._array.ndim)
    return dim


def softmax(self, dim, dtype=None):
    """exp(x) / sum(exp(x)) along `dim`: positive numbers that add up to 1."""
    return _softmax(cast(self, dtype), along(self, dim))


def log_softmax(self, dim, dtype=None):
    """log(softmax(x)) along `dim`, without ever forming a probability that could round to 0."""
    return _log_softmax(cast(self, dtype), along(self, dim)) if isinstance(self, Tensor) else _log_softmax(self, dim)


def logsumexp(self, dim, keepdim=False):
    """log(sum(exp(x))) along dimension(s), without overflow; -inf of nothing but -inf."""
    return _logsumexp(self, chosen_dims(self, dim, keepdim), keepdim)


# --- what is offered ----------------------------------------------------------------------------------------

NUMPY_SPELLED = "sum mean prod all any max min amax argmax argmin var std var_mean norm cumsum softmax log_softmax logsumexp"


def numpy_spelled(function):
    """The same function, which also takes ``axis`` for `dim` and ``keepdims`` for `keepdim`."""
    def call(*args, **options):
        for spelling, name in (("axis", "dim"), ("keepdims", "keepdim")) if options else ():
            if spelling in options:
                options[name] = options.pop(spelling)
        return function(*args, **options)
    return like(function, call, function.__name__)


for _function in (_prod, _prod_dim, _cumsum, _cumprod):
    _function.operation.needs_float = True

METHODS = "mean prod all any max min amax argmax argmin var std norm cumsum logsumexp softmax log_softmax"
FUNCTIONS_ONLY = "var_mean"

from . import joining, masks, rearrange, scatter, slicing  # noqa: E402
