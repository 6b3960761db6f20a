"""The largest and the smallest numbers, and where they are: max min amax amin argmax argmin."""
from __future__ import annotations

import numpy as np

from ..autograd.operation import differentiable
from ..errors import dim_range
from ..tensor import Tensor
from . import return_types
from .comparison import maximum, minimum
from .expansion import ALL_DIMS, _sum, dims_of
from .formulas import array_of, new_zeros, shape_of
from .masks import _masked_fill_tensor
from .reduction import share_evenly
from .scatter import _scatter_src
from .shape import _reshape, unsqueeze_multiple


def picked_backward(grad, self_shape, dim, indices, keepdim):
    """Return zeros with the gradients at the places where numbers were picked along `dim`."""
    if not keepdim:
        grad, indices = [unsqueeze_multiple(x, (dim,), len(self_shape)) for x in (grad, indices)]
    return _scatter_src(new_zeros(grad, self_shape), dim, indices, grad)


def found_backward(grad, self, result):
    """Divide the gradient among the numbers that are the result, which may be nan."""
    is_nan = (array_of(result) != array_of(result)).any()
    mask = self != self if is_nan else self == result
    return _masked_fill_tensor(new_zeros(grad, shape_of(self)), mask, grad / _sum(mask))


def shared_backward(grad, self, result, dim, keepdim):
    """Divide the gradient along `dim` among the numbers that are the result."""
    if not keepdim:
        sizes = list(shape_of(self))
        for one in dim or range(len(sizes)):
            sizes[one] = 1
        grad, result = _reshape(grad, tuple(sizes)), _reshape(result, tuple(sizes))
    return share_evenly(grad, self == result, dim)


def check_not_empty(array, dim, name, error=RuntimeError):
    """Raise PyTorch's error where there is no number to choose; `dim` None means everywhere."""
    if dim is not None:
        place = dim_range(dim, array.ndim)
        if array.ndim and not array.shape[place]:
            raise IndexError(f"{name}(): Expected reduction dim {place} to have non-zero size.")
    elif not array.size:
        hint = " Specify the reduction dim with the 'dim' argument." * (error is RuntimeError)
        raise error(f"{name}(): Expected reduction dim to be specified for input.numel() == 0."
                    + hint)


def extreme(name, ufunc, find, of_two):
    """Declare max or min: of all numbers, along a dimension with the places, or of two tensors."""
    @differentiable(f"{name.title()}Backward1", self=found_backward)
    def of_all(self):
        return ufunc.reduce(self, None)

    @differentiable(f"{name.title()}Backward0", ("values", "indices"), self=picked_backward)
    def along(self, dim, keepdim):
        return ufunc.reduce(self, dim, None, None, keepdim), find(self, dim, keepdims=keepdim)

    def function(self, dim=ALL_DIMS, keepdim=False):
        """Return the largest (smallest) number; along `dim` (values, indices); or of each pair."""
        if isinstance(dim, Tensor):
            return of_two(self, dim)
        check_not_empty(self._array, None if dim is ALL_DIMS else dim, name)
        if dim is ALL_DIMS:
            return of_all(self)
        return getattr(return_types, name)(along(self, dim, keepdim))
    return function


def extremes_along(name, ufunc):
    """Declare amax or amin, which divide the gradient among equal numbers."""
    @differentiable(f"{name.title()}Backward0", self=shared_backward)
    def along(self, dim, keepdim):
        return ufunc.reduce(self, dim or None, None, None, keepdim)

    def function(self, dim=(), keepdim=False):
        """Return the largest (smallest) numbers along dimension(s), of all numbers by default."""
        dim = dims_of(dim, self._array.ndim)
        for one in dim or (None,):
            check_not_empty(self._array, one, name)
        return along(self, dim, keepdim)
    return function


def place_of(name, find):
    """Declare argmax or argmin."""
    @differentiable(f"{name.title()}Backward0", self=None)
    def along(self, dim, keepdim):
        return find(self, dim, keepdims=keepdim)

    def function(self, dim=None, keepdim=False):
        """Return the place of the largest (smallest) number along `dim`, or in the flat tensor."""
        if self._array.dtype.kind == "b":
            raise RuntimeError(f"{name}(): does not support bool input")
        check_not_empty(self._array, dim, name, IndexError)
        return along(self, dim, keepdim)
    return function


max = extreme("max", np.maximum, np.argmax, maximum)
min = extreme("min", np.minimum, np.argmin, minimum)
amax, amin = extremes_along("amax", np.maximum), extremes_along("amin", np.minimum)
argmax, argmin = place_of("argmax", np.argmax), place_of("argmin", np.argmin)

METHODS = "max min amax amin argmax argmin"
