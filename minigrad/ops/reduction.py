"""Many numbers into one, along dimensions: mean, prod, all, any, var, std and norm.

``sum`` stands beside ``expand`` in expansion.py, the largest and smallest are in extremes.py. A formula
here puts the reduced dimensions back first, with size 1, so that its values broadcast to the input.
"""
from __future__ import annotations

import math

import numpy as np

from .. import dtypes
from ..autograd.operation import differentiable
from ..dtypes import numpy_of
from ..errors import dim_range, warn
from .comparison import choose_where, zero_where
from .elementwise import abs, sgn
from .expansion import ALL_DIMS, _sum_dim, add_reduce, dims_of, sum_backward, sum_dtype
from .formulas import array_of, as_kind_of, shape_of
from .shape import _reshape, _unsqueeze, unsqueeze_multiple


def keep_dims(x, dim, sizes, keepdim):
    """Return a result, or a gradient, of a reduction over `dim` with these dimensions of size 1."""
    return unsqueeze_multiple(x, dim, len(sizes)) if dim and not keepdim else x


def count_along(sizes, dim):
    """Return how many numbers are reduced to one; `dim` None or () means all dimensions."""
    return math.prod([sizes[d] for d in dim] if dim else sizes)


# --- mean ---------------------------------------------------------------------------------------

def mean_backward(grad, sizes, dim, keepdim):
    return sum_backward(grad, sizes, dim, keepdim) / count_along(sizes, dim)


@differentiable("MeanBackward0", self=lambda grad, self_shape, self_numel: (
    mean_backward(grad, self_shape, None, False)))
def _mean(self, dtype=None):
    return _mean_dim.operation.forward(self, None, False, dtype)


@differentiable("MeanBackward1", self=lambda grad, self_shape, dim, self_numel, keepdim: (
    mean_backward(grad, self_shape, dim, keepdim)))     # PyTorch saves the number of elements, too
def _mean_dim(self, dim, keepdim, dtype=None):
    if (dtype or self.dtype).kind != "f":
        raise RuntimeError(
            f"mean(): could not infer output dtype. {'Optional' if dtype else 'Input'} dtype must be "
            "either a floating point or complex dtype. Got: "
            f"{dtypes.short_name(dtype or self.dtype)}")
    return add_reduce(self, dim or None, dtype, None, keepdim) / count_along(self.shape, dim)


def mean(self, dim=ALL_DIMS, keepdim=False, *, dtype=None):
    """Return the mean of all numbers, or the means over the dimension(s) `dim`; nan of nothing.

        torch.tensor([[1., 2.], [3., 4.]]).mean(0)      # tensor([2., 3.])

    Raises:
        RuntimeError: the tensor is not of floats, and no `dtype` is given.
    """
    dtype = dtype and numpy_of(dtype)
    if dim is ALL_DIMS and not keepdim:
        return _mean(self, dtype)
    return _mean_dim(self, dims_of(dim, self._array.ndim), keepdim, dtype)


# --- product ------------------------------------------------------------------------------------

def prod_backward(grad, self, result, dim, keepdim):
    sizes = shape_of(self)
    if not sizes:
        return grad
    if dim is None:
        if array_of(self).all():
            return grad * (result / self)
        return _reshape(prod_backward(grad, _reshape(self, (-1,)), result, 0, False), sizes)
    grad, result = [keep_dims(x, (dim,), sizes, keepdim) for x in (grad, result)]
    if array_of(self).all():
        return grad * (result / self)
    # nothing can be divided by a zero: multiply the others
    dim %= len(sizes)
    return grad * _prod_dim(replace_each_by_one(self, dim), dim + 1, False, None)


def replace_each_by_one(x, dim):
    """Return a copy of `x` for each place along `dim`, in a new dimension, with 1 at this place."""
    n = shape_of(x)[dim]
    places = np.eye(n, dtype=bool).reshape(n, n, *[1] * (len(shape_of(x)) - dim - 1))
    return choose_where(as_kind_of(x, places), 1, _unsqueeze(x, dim))


@differentiable("ProdBackward0", self=lambda grad, self, result: (
    prod_backward(grad, self, result, None, False)))
def _prod(self, dtype):
    return np.multiply.reduce(self, None, dtype or sum_dtype(self))


@differentiable("ProdBackward1", self=lambda grad, self, result, dim, keepdim: (
    prod_backward(grad, self, result, dim, keepdim)))
def _prod_dim(self, dim, keepdim, dtype):
    dim = dim if self.ndim else None
    return np.multiply.reduce(self, dim, dtype or sum_dtype(self), None, keepdim)


def prod(self, dim=ALL_DIMS, keepdim=False, *, dtype=None):
    """Return the product of all numbers, or the products along one dimension; of integers in int64."""
    dtype = dtype and numpy_of(dtype)
    if dim is ALL_DIMS:
        return _prod(self, dtype)
    dim_range(dim, self._array.ndim)
    return _prod_dim(self, dim, keepdim, dtype)


# --- without what is nan, or 0 ------------------------------------------------------------------

@differentiable("NansumBackward0", self=lambda grad, self, dim, keepdim: (
    sum_backward(grad, shape_of(self), dim, keepdim) * (self == self)))
def _nansum(self, dim, keepdim, dtype):
    numbers = np.where(self == self, self, self.dtype.type(0))
    return add_reduce(numbers, dim or None, dtype or sum_dtype(self), None, keepdim)


def nansum(self, dim=None, keepdim=False, *, dtype=None):
    """Return the sum of the numbers that are not nan."""
    return _nansum(self, dims_of(dim, self._array.ndim), keepdim, dtype and numpy_of(dtype))


@differentiable("CountNonzeroBackward0", self=None)
def _count_nonzero(self, dim):
    return np.count_nonzero(self, axis=dim or None)


def count_nonzero(self, dim=None):
    """Return how many numbers are not 0."""
    return _count_nonzero(self, dims_of(dim, self._array.ndim))


# --- questions ----------------------------------------------------------------------------------

def question(name, ufunc):
    """Declare `all` or `any`."""
    @differentiable(f"{name.title()}Backward0", self=None)
    def reduce(self, dim, keepdim):
        return ufunc.reduce(self, dim or None, None, None, keepdim)

    def function(self, dim=None, keepdim=False):
        return reduce(self, dims_of(dim, self._array.ndim), keepdim)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Return whether {name} of the numbers are true, or of those along `dim`."
    return function


all, any = question("all", np.logical_and), question("any", np.logical_or)


# --- variance -----------------------------------------------------------------------------------

def var_backward(grad, self, dim, correction, keepdim):
    """Return (2 / (N - correction)) * grad * (self - mean)."""
    sizes = shape_of(self)
    freedom = count_along(sizes, dim) - (1 if correction is None else correction)
    if not dim:
        if freedom <= 0:
            return grad * choose_where(self == _mean(self, None), math.nan, math.inf)
        return (2.0 / freedom) * grad * (self - _mean(self, None))
    grad = keep_dims(grad, dim, sizes, keepdim or len(sizes) == 1)
    return (2.0 / freedom if freedom else math.inf) * grad * (self - _mean_dim(self, dim, True, None))


def moments(self, dim, correction, keepdim, name):
    """Return variance and mean, computed in float64."""
    if self.dtype.kind != "f":
        raise RuntimeError("std and var only support floating point and complex dtypes")
    freedom = count_along(self.shape, dim) - (1 if correction is None else correction)
    if freedom <= 0:
        warn(f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the "
             "reduction factor (input numel divided by output numel).")
    wide = self.astype(np.float64)
    average = _mean_dim.operation.forward(wide, dim, True, None)
    squares = np.asarray(add_reduce((wide - average) ** 2, dim or None, None, None, keepdim))
    return squares / np.float64(max(freedom, 0)), average.reshape(squares.shape)


@differentiable("VarBackward0", self=lambda grad, self, dim, correction, keepdim: (
    var_backward(grad, self, dim, correction, keepdim)))
def _var(self, dim, correction, keepdim):
    return moments(self, dim, correction, keepdim, "var")[0].astype(self.dtype)


@differentiable("StdBackward0", self=lambda grad, result, self, dim, correction, keepdim: (
    var_backward(zero_where(result == 0, grad / (result * 2)), self, dim, correction, keepdim)))
def _std(self, dim, correction, keepdim):
    return np.sqrt(moments(self, dim, correction, keepdim, "std")[0]).astype(self.dtype)


def var_mean_backward(grads, self, dim, correction, keepdim):
    of_var, of_mean = grads
    if of_var is not None:
        of_var = var_backward(of_var, self, dim, correction, keepdim)
    if of_mean is None:
        return of_var
    of_mean = mean_backward(of_mean, shape_of(self), dim, keepdim)
    return of_mean if of_var is None else of_var + of_mean


@differentiable("VarMeanBackward0", outputs=("result0", "result1"), self=var_mean_backward)
def _var_mean(self, dim, correction, keepdim):
    return tuple([x.astype(self.dtype) for x in moments(self, dim, correction, keepdim, "var_mean")])


def deviation(name, operation, what):
    def function(self, dim=None, unbiased=None, keepdim=False, *, correction=None):
        if isinstance(dim, bool):               # x.var(False)
            dim, unbiased = None, dim
        if correction is None and (unbiased is not None or dim is not None):
            correction = int(unbiased is not False)
        return operation(self, dims_of(dim, self._array.ndim), correction, keepdim)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (f"Return {what}, of all numbers or along `dim`.\n\nThe sum of squares is divided "
                        "by N - `correction`: 1, or 0 with ``unbiased=False``.")
    return function


var = deviation("var", _var, "the variance")
std = deviation("std", _std, "the standard deviation")
var_mean = deviation("var_mean", _var_mean, "(variance, mean)")


# --- norm ---------------------------------------------------------------------------------------

def norm_backward(grad, self, ord, norm, dim, keepdim):
    """Return the gradient of (sum |x|^ord)^(1/ord); 0, not nan, where the norm is 0."""
    grad, norm = [keep_dims(x, dim, shape_of(self), keepdim) for x in (grad, norm)]
    if ord == 0:
        return None
    if ord == 1:
        return sgn(self) * grad
    if ord == 2:
        return grad * zero_where(norm == 0, self / norm)
    size = abs(self)
    if ord in (math.inf, -math.inf):
        return sgn(self) * share_evenly(grad, (size == norm) | (size != size), dim)
    scaled = self * size ** (ord - 2) if ord > 2 else sgn(self) * zero_where(size == 0, size ** (ord - 1))
    return scaled * zero_where(norm == 0, grad / norm ** (ord - 1))


def share_evenly(grad, mask, dim):
    """Divide the gradient of an extreme among the numbers that are equal to it."""
    return (grad / _sum_dim(mask, dim, True)) * mask


@differentiable("LinalgVectorNormBackward0", self=lambda grad, self, ord, result, dim, keepdim: (
    norm_backward(grad, self, ord, result, dim, keepdim)))
def _norm(self, ord, dim, keepdim):
    if self.dtype.kind != "f":
        raise RuntimeError("linalg.vector_norm: Expected a floating point or complex tensor as input. "
                           f"Got {dtypes.short_name(self.dtype)}")
    size, dim = np.abs(self), dim or None
    if ord in (math.inf, -math.inf):
        return (np.maximum if ord > 0 else np.minimum).reduce(size, dim, None, None, keepdim)
    if ord == 0:
        return add_reduce(size != 0, dim, self.dtype, None, keepdim)
    total = add_reduce(size ** ord, dim, None, None, keepdim)
    return np.sqrt(total) if ord == 2 else total ** (1 / ord)


def norm(self, p="fro", dim=None, keepdim=False, dtype=None):
    """Return (sum |x|^p)^(1/p) of all numbers or along dimension(s); "fro" means p = 2.

        torch.tensor([3., 4.]).norm()       # tensor(5.)
    """
    self = self if dtype is None else self.to(dtype)
    ord = 2 if p in ("fro", None) else p
    return _norm(self, ord, dims_of(dim, self._array.ndim), keepdim)


METHODS = "mean prod nansum count_nonzero all any var std norm"
FUNCTIONS_ONLY = "var_mean"
