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
from .reduction import keep_dims, share_evenly
from .scatter import _scatter_src
from .shape import unsqueeze_multiple


def picked_backward(grad, sizes, dim, indices, keepdim=True):
    """Return zeros with the gradients at the places where the numbers were picked along `dim`."""
    if not keepdim:
        grad, indices = [unsqueeze_multiple(x, (dim,), len(sizes)) for x in (grad, indices)]
    return _scatter_src(new_zeros(grad, sizes), dim, indices, grad)


def found_backward(grad, self, result):
    """Divide the gradient among all numbers that are the result; where it is nan, those that are nan."""
    is_nan = (array_of(result) != array_of(result)).any()
    mask = self != self if is_nan else self == result
    return _masked_fill_tensor(new_zeros(grad, shape_of(self)), mask, grad / _sum(mask))


def check_not_empty(array, dim, name, error=RuntimeError):
    """Raise PyTorch's error where there is nothing to choose from; `dim`: a number, or None for all."""
    if dim is None:
        if not array.size:
            hint = " Specify the reduction dim with the 'dim' argument." * (error is RuntimeError)
            raise error(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.{hint}")
    elif array.ndim and not array.shape[dim_range(dim, array.ndim)]:
        raise IndexError(f"{name}(): Expected reduction dim {dim % array.ndim} to have non-zero size.")


def extreme(name, ufunc, of_two):
    """Declare max or min: of all numbers, along a dimension with the places, or of two tensors."""
    find = {"max": np.argmax, "min": np.argmin}[name]

    @differentiable(f"{name.title()}Backward1", self=found_backward)
    def of_all(self):
        return ufunc.reduce(self, None)

    @differentiable(f"{name.title()}Backward0", outputs=("values", "indices"),
                    self=lambda grad, self_shape, dim, indices, keepdim: (
                        picked_backward(grad, self_shape, dim, indices, keepdim)))
    def along(self, dim, keepdim):
        axis = dim if self.ndim else None
        return ufunc.reduce(self, axis, None, None, keepdim), find(self, axis, keepdims=keepdim)

    def function(self, dim=ALL_DIMS, keepdim=False):
        if isinstance(dim, Tensor):
            return of_two(self, dim)
        if dim is ALL_DIMS:
            check_not_empty(self._array, None, name)
            return of_all(self)
        dim_range(dim, self._array.ndim)
        check_not_empty(self._array, dim, name)
        return getattr(return_types, name)(along(self, dim, keepdim))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (f"Return the {name}imum of all numbers; along `dim` as (values, indices); of two "
                        "tensors for each pair.")
    return function


def extremes_along(name, ufunc):
    """Declare amax or amin, which share the gradient among equal numbers."""
    @differentiable(f"{name.title()}Backward0", self=lambda grad, self, result, dim, keepdim: (
        share_evenly(keep_dims(grad, dim, shape_of(self), keepdim),
                     keep_dims(result, dim, shape_of(self), keepdim) == self, dim)))
    def operation(self, dim, keepdim):
        return ufunc.reduce(self, dim or None, None, None, keepdim)

    def function(self, dim=(), keepdim=False):
        dim = dims_of(dim, self._array.ndim)
        for one in dim or (None,):
            check_not_empty(self._array, one, name)
        return operation(self, dim, keepdim)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Return the {name[1:]}ima along dimension(s), of all numbers by default."
    return function


def place_of(name, find):
    """Declare argmax or argmin."""
    @differentiable(f"{name.title()}Backward0", self=None)
    def operation(self, dim, keepdim):
        return find(self, dim if self.ndim else None, keepdims=keepdim)

    def function(self, dim=None, keepdim=False):
        if self._array.dtype.kind == "b":
            raise RuntimeError(f"{name}(): does not support bool input")
        check_not_empty(self._array, dim, name, IndexError)
        return operation(self, dim, keepdim)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (f"Return the place of the {name[3:]}imum along `dim`, or in the flattened tensor; of "
                        "equal numbers that of the first.")
    return function


max, min = extreme("max", np.maximum, maximum), extreme("min", np.minimum, minimum)
amax, amin = extremes_along("amax", np.maximum), extremes_along("amin", np.minimum)
argmax, argmin = place_of("argmax", np.argmax), place_of("argmin", np.argmin)

METHODS = "max min amax amin argmax argmin"
