"""Many numbers into one, along dimensions: mean, all, any and count_nonzero.

`dim` is None or an empty tuple for all dimensions.
"""
import math

import numpy as np

from ..autograd.operation import differentiable
from ..dtypes import numpy_of, short_name
from ..tensor import wrap_new
from .declaring import divided, numpy_names
from .expansion import _sum_dim, add_reduce, dims_of, sum_backward


def count_along(sizes, dim):
    if dim:
        sizes = [sizes[d] for d in dim]
    return math.prod(sizes)


def share_evenly(grad, mask, dim):
    """Divide a gradient among the places along `dim` where the mask is true."""
    return grad / _sum_dim(mask, dim, True, None) * mask


@differentiable(
    "MeanBackward0",
    self=lambda grad, self_shape, self_numel: (
        divided(sum_backward(grad, self_shape), self_numel)))
def _mean(self, dtype):
    return average(self, None, False, dtype)


def mean_backward(grad, self_shape, dim, self_numel, keepdim):
    """Repeat the gradient, divided by how many numbers became one."""
    count = count_along(self_shape, dim) if dim else self_numel
    return divided(sum_backward(grad, self_shape, dim, keepdim), count)


@differentiable("MeanBackward1", self=mean_backward)
def _mean_dim(self, dim, keepdim, dtype):
    return average(self, dim, keepdim, dtype)


def average(array, dim, keepdim, dtype=None):
    """Return the means of an array along `dim`, or of all its numbers."""
    kind = dtype or array.dtype
    if kind.kind != "f":
        whose = "Optional" if dtype else "Input"
        raise RuntimeError(
            f"mean(): could not infer output dtype. {whose} dtype must be either a "
            f"floating point or complex dtype. Got: {short_name(kind)}")
    # np.mean takes three times as long: it checks again what is known here.
    total = add_reduce(array, dim or None, dtype, None, keepdim)
    count = count_along(array.shape, dim) if dim else array.size
    return total / count


@numpy_names
def mean(self, dim=None, keepdim=False, *, dtype=None):
    """Return the mean of all numbers, or the means over the dimension(s) `dim`.

        torch.tensor([[1., 2.], [3., 4.]]).mean(0)      # tensor([2., 3.])

    The mean of no numbers is nan.  Raises a RuntimeError for integers, unless a dtype
    of floats is given.
    """
    if dtype is not None:
        dtype = numpy_of(dtype)
    if dim is None and not keepdim:
        return _mean(self, dtype)
    return _mean_dim(self, dims_of(dim, self._array.ndim), keepdim, dtype)


@numpy_names
def all_true(self, dim=None, keepdim=False):
    """Return whether all of the numbers are true, or all along `dim`: a bool tensor."""
    return answer(np.logical_and, self, dim, keepdim)


@numpy_names
def any_true(self, dim=None, keepdim=False):
    """Return whether any of the numbers is true, or any along `dim`: a bool tensor."""
    return answer(np.logical_or, self, dim, keepdim)


def answer(ufunc, self, dim, keepdim):
    dim = dims_of(dim, self._array.ndim) or None
    return wrap_new(np.asarray(ufunc.reduce(self._array, dim, None, None, keepdim)))


@numpy_names
def count_nonzero(self, dim=None):
    """Return how many numbers are not 0, of all or along `dim`: int64."""
    dim = dims_of(dim, self._array.ndim) or None
    return wrap_new(np.asarray(np.count_nonzero(self._array, axis=dim)))


METHODS = {"mean": mean, "all": all_true, "any": any_true,
           "count_nonzero": count_nonzero}
