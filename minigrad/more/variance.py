"""How far numbers are spread: var, std and var_mean."""
import math

import numpy as np

from ..autograd.operation import differentiable
from ..errors import warn
from ..ops.choosing import choose_where, zero_where
from ..ops.declaring import divided, numpy_names, shape_of, times
from ..ops.dimensions import keep_dims
from ..ops.expansion import add_reduce, dims_of, sum_backward
from ..ops.reduction import _mean, _mean_dim, average, count_along


def degrees_of_freedom(sizes, dim, correction):
    """Return by what the sum of squares is divided: the count minus `correction`."""
    if correction is None:
        correction = 1
    return count_along(sizes, dim) - correction


def var_backward(grad, self, dim, correction, keepdim):
    """Return 2 / (N - correction) * grad * (self - mean)."""
    sizes = shape_of(self)
    freedom = degrees_of_freedom(sizes, dim, correction)
    if not dim and freedom <= 0:
        return grad * choose_where(self == _mean(self, None), math.nan, math.inf)
    mean = _mean_dim(self, dim, True, None) if dim else _mean(self, None)
    grad = keep_dims(grad, dim, sizes, keepdim or len(sizes) == 1)
    factor = 2.0 / freedom if freedom else math.inf
    return times(grad, factor) * (self - mean)


def std_backward(grad, result, self, dim, correction, keepdim):
    """Go through the square root first; a deviation of 0 gives a gradient of 0."""
    of_var = zero_where(result == 0, grad / times(result, 2))
    return var_backward(of_var, self, dim, correction, keepdim)


def var_mean_backward(grads, self, dim, correction, keepdim):
    of_var, of_mean = grads
    total = None
    if of_var is not None:
        total = var_backward(of_var, self, dim, correction, keepdim)
    if of_mean is not None:
        sizes = shape_of(self)
        of_mean = sum_backward(of_mean, sizes, dim, keepdim)
        of_mean = divided(of_mean, count_along(sizes, dim))
        total = of_mean if total is None else total + of_mean
    return total


@differentiable("VarBackward0", self=var_backward)
def _var(self, dim, correction, keepdim):
    return moments(self, dim, correction, keepdim, "var")[0]


@differentiable("StdBackward0", self=std_backward)
def _std(self, dim, correction, keepdim):
    return np.sqrt(moments(self, dim, correction, keepdim, "std")[0])


@differentiable("VarMeanBackward0", ("result0", "result1"), self=var_mean_backward)
def _var_mean(self, dim, correction, keepdim):
    return moments(self, dim, correction, keepdim, "var_mean")


def moments(array, dim, correction, keepdim, name):
    """Return variance and mean."""
    if array.dtype.kind != "f":
        whose = "var_mean" if name == "var_mean" else "std and var"
        raise RuntimeError(f"{whose} only support floating point and complex dtypes")
    freedom = degrees_of_freedom(array.shape, dim, correction)
    if freedom <= 0:
        warn(f"{name}(): degrees of freedom is <= 0. Correction should be strictly "
             "less than the reduction factor (input numel divided by output numel).")
    mean = average(array, dim, True)
    squares = (array - mean) ** 2
    total = np.asarray(add_reduce(squares, dim or None, None, None, keepdim))
    return total / max(freedom, 0), mean.reshape(total.shape)


# --- for the user ---------------------------------------------------------------------

@numpy_names
def var(self, dim=None, unbiased=None, keepdim=False, *, correction=None):
    """Return the variance of all numbers, or along dimension(s).

        torch.tensor([1., 2., 3.]).var()        # tensor(1.)

    The sum of squares is divided by N - `correction`: 1, or 0 with ``unbiased=False``.
    Raises a RuntimeError for integers.
    """
    return _var(self, *settings(self, dim, unbiased, correction), keepdim)


@numpy_names
def std(self, dim=None, unbiased=None, keepdim=False, *, correction=None):
    """Return the standard deviation, the root of the variance; see ``var``."""
    return _std(self, *settings(self, dim, unbiased, correction), keepdim)


@numpy_names
def var_mean(self, dim=None, unbiased=None, keepdim=False, *, correction=None):
    """Return variance and mean; see ``var``."""
    return _var_mean(self, *settings(self, dim, unbiased, correction), keepdim)


def settings(self, dim, unbiased, correction):
    """Return the dimensions and the correction that the arguments mean."""
    if isinstance(dim, bool):               # x.var(False)
        dim, unbiased = None, dim
    if correction is None and (unbiased is not None or dim is not None):
        correction = int(unbiased is not False)
    elif isinstance(correction, np.generic):
        correction = correction.item()      # it would turn float32 into float64
    return dims_of(dim, self._array.ndim), correction


METHODS = "var std"
FUNCTIONS_ONLY = "var_mean"
