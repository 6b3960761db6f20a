"""The largest and the smallest numbers, and where they are: max min amax amin argmax argmin."""
from collections import namedtuple

import numpy as np

from ..autograd.operation import differentiable
from ..errors import dim_range
from ..tensor import Tensor, wrap_new
from .comparison import maximum, minimum
from .elementwise import declare
from .expansion import ALL_DIMS, _sum, dims_of
from .formulas import array_of, new_zeros, shape_of
from .masks import _masked_fill_tensor
from .reduction import keep_dims, share_evenly
from .scatter import _scatter_src


def named_result(name):
    """Return a type of pairs, such as ``torch.return_types.max(values=..., indices=...)``."""
    kind = namedtuple(name, "values indices", module="torch.return_types")
    kind.__repr__ = lambda self: (f"torch.return_types.{name}(\nvalues={self.values!r},\n"
                                  f"indices={self.indices!r})")
    return kind


def picked_backward(grad, self_shape, dim, indices, keepdim):
    """Return zeros with the gradients at the places where numbers were picked along `dim`."""
    grad, indices = [keep_dims(x, (dim,), self_shape, keepdim) for x in (grad, indices)]
    return _scatter_src(new_zeros(grad, self_shape), dim, indices, grad)


def found_backward(grad, self, result):
    """Divide the gradient among the numbers that are the result, which may be nan."""
    mask = self != self if np.isnan(array_of(result)) else self == result
    return _masked_fill_tensor(new_zeros(grad, shape_of(self)), mask, grad / _sum(mask))


def shared_backward(grad, self, result, dim, keepdim):
    """Divide the gradient along `dim` among the numbers that are the result."""
    grad, result = [keep_dims(x, dim, shape_of(self), keepdim) for x in (grad, result)]
    return share_evenly(grad, self == result, dim)


def check_not_empty(array, dim, name, error=RuntimeError):
    """Raise PyTorch's error where there is no number to choose; `dim` None means everywhere."""
    if dim is not None:
        place = dim_range(dim, array.ndim)
        if array.ndim and not array.shape[place]:
            raise IndexError(f"{name}(): Expected reduction dim {place} to have non-zero size.")
    elif not array.size:
        hint = " Specify the reduction dim with the 'dim' argument." * (error is RuntimeError)
        raise error(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0.{hint}")


def extremes(name, ufunc, find, of_two):
    """Declare max, amax and argmax, or min, amin and argmin."""
    of_all = declare(f"{name.title()}Backward1", lambda self: ufunc.reduce(self, None),
                     self=found_backward)
    with_places = differentiable(
        f"{name.title()}Backward0", ("values", "indices"), self=picked_backward)(
            lambda self, dim, keepdim: (
                ufunc.reduce(self, dim, None, None, keepdim), find(self, dim, keepdims=keepdim)))
    along = declare(f"A{name}Backward0", lambda self, dim, keepdim: (
        ufunc.reduce(self, dim or None, None, None, keepdim)), self=shared_backward)
    result_type = named_result(name)

    def extreme(self, dim=ALL_DIMS, keepdim=False):
        """Return the largest (smallest) number; along `dim` (values, indices); or of each pair."""
        if isinstance(dim, Tensor):
            return of_two(self, dim)
        check_not_empty(self._array, None if dim is ALL_DIMS else dim, name)
        return of_all(self) if dim is ALL_DIMS else result_type(*with_places(self, dim, keepdim))

    def extreme_along(self, dim=(), keepdim=False):
        """Return the largest (smallest) numbers along dimension(s); equal ones share a gradient."""
        dim = dims_of(dim, self._array.ndim)
        for one in dim or (None,):
            check_not_empty(self._array, one, f"a{name}")
        return along(self, dim, keepdim)

    def place(self, dim=None, keepdim=False):
        """Return the place of the largest (smallest) number along `dim`, or in the flat tensor."""
        if self._array.dtype.kind == "b":
            raise RuntimeError(f"arg{name}(): does not support bool input")
        check_not_empty(self._array, dim, f"arg{name}", IndexError)
        return wrap_new(np.asarray(find(self._array, dim, keepdims=keepdim)))
    return extreme, extreme_along, place


max, amax, argmax = extremes("max", np.maximum, np.argmax, maximum)
min, amin, argmin = extremes("min", np.minimum, np.argmin, minimum)

METHODS = "max min amax amin argmax argmin"
