"""How far numbers are spread around their mean: var, std, and both together with the mean."""
from __future__ import annotations

import math

import numpy as np

from ..autograd.differentiable import differentiable
from ..autograd.operations import ask_for_histories
from ..dtypes import FLOAT64
from ..memory import by_rows
from ..messages import only_bool
from ..tensor import Tensor
from ..warn import warn
from . import choosing, comparison
from .dims import dims_of, unsqueezed
from .either import shape_of
from .reduction import NOT_GIVEN, _mean, _mean_dim, averaged, count_along, spread_mean
from .summation import add_reduce


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
    refuse_whole(self, name)
    dim, correction = dim or (), unbiased_by(correction)
    wide = self.astype(FLOAT64, copy=False)
    count = count_along(self.shape, dim)
    if not count:
        average = np.full(add_reduce(wide, axis=dim or None, keepdims=True).shape, np.nan)
    elif len(dim) in (0, self.ndim) and not name.endswith("_mean"):
        average = averaged(self, dim, True).astype(FLOAT64)     # rounded to their dtype first
    else:
        average = add_reduce(wide, axis=dim or None, keepdims=True) / count
    if (count if average.size else 0) - correction <= 0:    # where no result is wanted, nothing is reduced
        warn(f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction "
             "factor (input numel divided by output numel).")
    off = wide - average
    squares = np.asarray(by_rows(add_reduce(off * off, axis=dim or None, keepdims=keepdim)))
    variance = squares / max(0.0, count - correction) if count - correction > 0 else squares / np.zeros(())
    return by_rows(np.asarray(average)).reshape(variance.shape), variance


def refuse_whole(array, name):
    if array.dtype.kind != "f":
        functions = name if name.endswith("_mean") else "std and var"
        raise RuntimeError(f"{functions} only support floating point and complex dtypes")


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
    def function(self, dim=NOT_GIVEN, unbiased=None, keepdim=False, *, correction=None, **names):
        if names:
            dim = names.pop("axis", dim)
            keepdim = names.pop("keepdims", keepdim)
            if names:
                raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(names))}'")
        if isinstance(dim, bool) and unbiased is None and correction is None and not keepdim:   # x.var(False)
            dim, unbiased = NOT_GIVEN, dim
        elif unbiased is not None:
            only_bool(unbiased)
            if correction is not None or dim is NOT_GIVEN and keepdim:
                raise TypeError("no form of the function has both")
        if correction is None and (unbiased is not None or dim is not NOT_GIVEN):
            correction = int(unbiased is None or unbiased)
        only_bool(keepdim)
        dim = None if dim is NOT_GIVEN else dim
        if not isinstance(self, Tensor):
            return kernel(self, None, correction, keepdim)
        if self._view is not None:
            ask_for_histories((self,))          # which may refuse, before the warning
        refuse_whole(self._array, name)
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

METHODS = "var std"
FUNCTIONS_ONLY = "var_mean std_mean"
