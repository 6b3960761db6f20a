"""Many numbers into one, along dimensions: mean, prod, all, any, var, std, norm and others.

``sum`` is defined beside ``expand`` in expansion.py, ``max`` in extremes.py. `dim` is None or an
empty tuple for all dimensions. A formula first puts back the reduced dimensions, with size 1.
"""
import math

import numpy as np

from ..autograd.operation import differentiable
from ..dtypes import numpy_of, short_name
from ..errors import dim_range, warn
from ..tensor import wrap_new
from .comparison import choose_where, zero_where
from .elementwise import abs, declare, sgn
from .expansion import ALL_DIMS, _sum_dim, add_reduce, dims_of, sum_backward, sum_dtype
from .formulas import array_of, as_kind_of, shape_of
from .shape import _reshape, _unsqueeze, unsqueeze_multiple


def keep_dims(x, dim, sizes, keepdim):
    """Return the result, or the gradient, of a reduction with the reduced dimensions as 1."""
    return unsqueeze_multiple(x, dim, len(sizes)) if dim and not keepdim else x


def count_along(sizes, dim):
    """Return how many numbers become one."""
    return math.prod([sizes[d] for d in dim] if dim else sizes)


def average(self, dim, keepdim, dtype=None):
    """Return the means of an array along `dim`, or of all its numbers."""
    kind = dtype or self.dtype
    if kind.kind != "f":
        raise RuntimeError(
            f"mean(): could not infer output dtype. {'Optional' if dtype else 'Input'} dtype must "
            f"be either a floating point or complex dtype. Got: {short_name(kind)}")
    return add_reduce(self, dim or None, dtype, None, keepdim) / count_along(self.shape, dim)


def mean_backward(grad, self_shape, dim, self_numel, keepdim):
    """Repeat the gradient, divided by the count; PyTorch saves the number of all elements, too."""
    return sum_backward(grad, self_shape, dim, keepdim) / count_along(self_shape, dim)


_mean_dim = declare("MeanBackward1", average, self=mean_backward)
_mean = declare("MeanBackward0", lambda self, dtype=None: average(self, None, False, dtype),
                self=lambda grad, self_shape, self_numel: (
                    mean_backward(grad, self_shape, None, self_numel, False)))


def mean(self, dim=ALL_DIMS, keepdim=False, *, dtype=None):
    """Return the mean of all numbers, or the means over the dimension(s) `dim`; nan of nothing.

        torch.tensor([[1., 2.], [3., 4.]]).mean(0)      # tensor([2., 3.])
    """
    if dim is ALL_DIMS and not keepdim:
        return _mean(self, numpy_of(dtype))
    return _mean_dim(self, dims_of(dim, self._array.ndim), keepdim, numpy_of(dtype))


def prod_backward(grad, self, result, dim, keepdim):
    """Return the gradient times the product of the other numbers."""
    sizes = shape_of(self)
    if not sizes:
        return grad
    if dim is not None:
        grad, result = [keep_dims(x, (dim,), sizes, keepdim) for x in (grad, result)]
    if array_of(self).all():
        return grad * (result / self)
    if dim is None:
        flat = _reshape(self, (-1,))
        return _reshape(prod_backward(grad, flat, result, 0, False), sizes)
    dim %= len(sizes)           # nothing is divided by a zero: multiply the others
    return grad * _prod_dim(with_ones(self, dim), dim + 1, False, None)


def with_ones(x, dim):
    """Return `x` once for each place along `dim`, in a new dimension, with 1 at that place."""
    n = shape_of(x)[dim]
    places = np.eye(n, dtype=bool).reshape(n, n, *[1] * (len(shape_of(x)) - dim - 1))
    return choose_where(as_kind_of(x, places), 1, _unsqueeze(x, dim))


_prod = declare(
    "ProdBackward0", lambda self, dtype: np.multiply.reduce(self, None, dtype or sum_dtype(self)),
    self=lambda grad, self, result: prod_backward(grad, self, result, None, False))
_prod_dim = declare(
    "ProdBackward1", lambda self, dim, keepdim, dtype: np.multiply.reduce(
        self, dim, dtype or sum_dtype(self), None, keepdim), self=prod_backward)


def prod(self, dim=ALL_DIMS, keepdim=False, *, dtype=None):
    """Return the product of all numbers, or those along one dimension; of integers in int64."""
    if dim is ALL_DIMS:
        return _prod(self, numpy_of(dtype))
    dim_range(dim, self._array.ndim)
    return _prod_dim(self, dim, keepdim, numpy_of(dtype))


_nansum = declare(
    "NansumBackward0", lambda self, dim, keepdim, dtype: add_reduce(
        np.where(self == self, self, 0), dim or None, dtype or sum_dtype(self), None, keepdim),
    self=lambda grad, self, dim, keepdim: (
        sum_backward(grad, shape_of(self), dim, keepdim) * (self == self)))


def nansum(self, dim=None, keepdim=False, *, dtype=None):
    """Return the sum of the numbers that are not nan."""
    return _nansum(self, dims_of(dim, self._array.ndim), keepdim, numpy_of(dtype))


def count_nonzero(self, dim=None):
    """Return how many numbers are not 0."""
    dim = dims_of(dim, self._array.ndim) or None
    return wrap_new(np.asarray(np.count_nonzero(self._array, axis=dim)))


def question(ufunc):
    def function(self, dim=None, keepdim=False):
        """Return whether all (any) of the numbers are true, or of those along `dim`."""
        dim = dims_of(dim, self._array.ndim) or None
        return wrap_new(np.asarray(ufunc.reduce(self._array, dim, None, None, keepdim)))
    return function


all, any = question(np.logical_and), question(np.logical_or)


def var_backward(grad, self, dim, correction, keepdim):
    """Return 2 / (N - correction) * grad * (self - mean)."""
    sizes = shape_of(self)
    freedom = count_along(sizes, dim) - (1 if correction is None else correction)
    if not dim and freedom <= 0:
        return grad * choose_where(self == _mean(self), math.nan, math.inf)
    mean = _mean_dim(self, dim, True) if dim else _mean(self)
    grad = keep_dims(grad, dim, sizes, keepdim or len(sizes) == 1)
    return (2.0 / freedom if freedom else math.inf) * grad * (self - mean)


def moments(self, dim, correction, keepdim, name):
    """Return variance and mean."""
    if self.dtype.kind != "f":
        raise RuntimeError(f"{'var_mean' if name == 'var_mean' else 'std and var'} only support "
                           "floating point and complex dtypes")
    freedom = count_along(self.shape, dim) - (1 if correction is None else correction)
    if freedom <= 0:
        warn(f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the "
             "reduction factor (input numel divided by output numel).")
    mean = average(self, dim, True)
    squares = np.asarray(add_reduce((self - mean) ** 2, dim or None, None, None, keepdim))
    return squares / max(freedom, 0), mean.reshape(squares.shape)


def var_mean_backward(grads, self, dim, correction, keepdim):
    of_var, of_mean = grads
    of_var = None if of_var is None else var_backward(of_var, self, dim, correction, keepdim)
    if of_mean is None:
        return of_var
    of_mean = mean_backward(of_mean, shape_of(self), dim, None, keepdim)
    return of_mean if of_var is None else of_var + of_mean


_var = declare("VarBackward0", lambda self, dim, correction, keepdim: (
    moments(self, dim, correction, keepdim, "var")[0]), self=var_backward)
_std = declare("StdBackward0", lambda self, dim, correction, keepdim: np.sqrt(
        moments(self, dim, correction, keepdim, "std")[0]),
    self=lambda grad, result, self, dim, correction, keepdim: var_backward(
        zero_where(result == 0, grad / (result * 2)), self, dim, correction, keepdim))
_var_mean = differentiable("VarMeanBackward0", ("result0", "result1"), self=var_mean_backward)(
    lambda self, dim, correction, keepdim: moments(self, dim, correction, keepdim, "var_mean"))


def deviation(operation):
    def function(self, dim=None, unbiased=None, keepdim=False, *, correction=None):
        """Return the variance (standard deviation), of all numbers or along dimension(s).

        The sum of squares is divided by N - `correction`: 1, or 0 with ``unbiased=False``.
        """
        if isinstance(dim, bool):               # x.var(False)
            dim, unbiased = None, dim
        if correction is None and (unbiased is not None or dim is not None):
            correction = int(unbiased is not False)
        return operation(self, dims_of(dim, self._array.ndim), correction, keepdim)
    return function


var, std, var_mean = deviation(_var), deviation(_std), deviation(_var_mean)


def norm_backward(grad, self, ord, result, dim, keepdim):
    """Return the gradient of (sum |x|^ord)^(1/ord); 0, not nan, where the norm is 0."""
    grad, result = [keep_dims(x, dim, shape_of(self), keepdim) for x in (grad, result)]
    if ord == 1:
        return sgn(self) * grad
    if ord == 2:
        return grad * zero_where(result == 0, self / result)
    size = abs(self)
    if ord == math.inf:
        return sgn(self) * share_evenly(grad, (size == result) | (size != size), dim)
    scaled = (self * size ** (ord - 2) if ord > 2 else
              sgn(self) * zero_where(size == 0, size ** (ord - 1)))
    return scaled * zero_where(result == 0, grad / result ** (ord - 1))


def share_evenly(grad, mask, dim):
    """Divide a gradient among the places where the mask is true."""
    return (grad / _sum_dim(mask, dim, True)) * mask


@differentiable("LinalgVectorNormBackward0", self=norm_backward)
def _norm(self, ord, dim, keepdim):
    if self.dtype.kind != "f":
        raise RuntimeError("linalg.vector_norm: Expected a floating point or complex tensor as "
                           f"input. Got {short_name(self.dtype)}")
    if ord == math.inf and not dim and not self.size:
        raise RuntimeError("linalg.vector_norm cannot compute the inf norm on an empty tensor "
                           "because the operation does not have an identity")
    if ord == math.inf:
        return np.maximum.reduce(np.abs(self), dim or None, None, None, keepdim)
    return add_reduce(np.abs(self) ** ord, dim or None, None, None, keepdim) ** (1 / ord)


def norm(self, p="fro", dim=None, keepdim=False):
    """Return (sum |x|^p)^(1/p) of all numbers or along dimension(s); "fro" means p = 2.

        torch.tensor([3., 4.]).norm()       # tensor(5.)
    """
    return _norm(self, 2 if p in ("fro", None) else p, dims_of(dim, self._array.ndim), keepdim)


METHODS = "mean prod nansum count_nonzero all any var std norm"
FUNCTIONS_ONLY = "var_mean"
