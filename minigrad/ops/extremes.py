"""The largest and the smallest number, and where it is: max, min, argmax, argmin.

The gradient goes to the numbers that were found.  Of all numbers, those that are equal
share it; along a dimension only the one at the returned place receives it.
"""
from collections import namedtuple

import numpy as np

from ..autograd.operation import differentiable
from ..errors import dim_range
from ..tensor import Tensor, wrap_new
from .choosing import choose_where, maximum, minimum, zero_where
from .declaring import declare, new_zeros, numbers_of, numpy_names, shape_of
from .dimensions import keep_dims
from .expansion import _sum

RESULTS = "values", "indices"


def named_result(name):
    """Return a type of pairs: ``torch.return_types.max(values=..., indices=...)``."""
    kind = namedtuple(name, RESULTS, module="torch.return_types")
    kind.__repr__ = lambda self: (
        f"torch.return_types.{name}(\n"
        f"values={self.values!r},\n"
        f"indices={self.indices!r})")
    return kind


MAX, MIN = named_result("max"), named_result("min")


# --- of all numbers -------------------------------------------------------------------

def found_backward(grad, self, result):
    """Divide the gradient among the numbers that are the result, which may be nan."""
    found = self == result
    if np.isnan(numbers_of(result)):
        found = self != self
    return fill_found(new_zeros(grad, shape_of(self)), found, grad / _sum(found, None))


fill_found = declare(
    "MaskedFillBackward1", lambda self, mask, value: np.where(mask, value, self),
    self=lambda grad, mask: zero_where(mask, grad), mask=None,
    value=lambda grad, mask: _sum(choose_where(mask, grad, 0), None))
_max = declare(
    "MaxBackward1", lambda self: np.maximum.reduce(self, None), self=found_backward)
_min = declare(
    "MinBackward1", lambda self: np.minimum.reduce(self, None), self=found_backward)


# --- along a dimension ----------------------------------------------------------------

@differentiable(
    "GatherBackward0",
    indices=None,
    self=lambda grad, self_shape, indices, dim: (
        put_along(new_zeros(grad, self_shape), indices, grad, dim)))
def take_along(self, indices, dim):
    """Return the numbers at these places along a dimension."""
    return np.take_along_axis(self, indices, dim)


@differentiable(
    "ScatterBackward0",
    indices=None,
    self=lambda grad, indices, dim: (
        put_along(grad, indices, new_zeros(grad, shape_of(indices)), dim)),
    values=lambda grad, indices, dim: take_along(grad, indices, dim))
def put_along(self, indices, values, dim):
    """Return a copy with values at these places along a dimension."""
    result = self.copy()
    np.put_along_axis(result, indices, values, dim)
    return result


def picked_backward(grad, self_shape, dim, indices, keepdim):
    """Return zeros with the gradients at the places where numbers were picked."""
    if not self_shape:
        return grad
    grad = keep_dims(grad, (dim,), self_shape, keepdim)
    indices = keep_dims(indices, (dim,), self_shape, keepdim)
    return put_along(new_zeros(grad, self_shape), indices, grad, dim)


@differentiable("MaxBackward0", RESULTS, self=picked_backward)
def _max_along(self, dim, keepdim):
    values = np.maximum.reduce(self, dim, None, None, keepdim)
    return values, np.argmax(self, dim, keepdims=keepdim)


@differentiable("MinBackward0", RESULTS, self=picked_backward)
def _min_along(self, dim, keepdim):
    values = np.minimum.reduce(self, dim, None, None, keepdim)
    return values, np.argmin(self, dim, keepdims=keepdim)


# --- for the user ---------------------------------------------------------------------

@numpy_names
def largest(self, dim=None, keepdim=False):
    """Return the largest number; along `dim`, (values, indices); or of each pair.

        torch.tensor([3., 1., 2.]).max()        # tensor(3.)
        torch.tensor([3., 1., 2.]).max(0)       # values=tensor(3.), indices=tensor(0)
        torch.max(x, y)                         # maximum(x, y)

    A nan counts as the largest.  Raises an error where there is no number.
    """
    if isinstance(dim, Tensor):
        return maximum(self, dim)
    check_not_empty(self._array, dim, "max")
    if dim is None:
        return _max(self)
    return MAX(*_max_along(self, dim, keepdim))


@numpy_names
def smallest(self, dim=None, keepdim=False):
    """Return the smallest number; along `dim`, (values, indices); or of each pair."""
    if isinstance(dim, Tensor):
        return minimum(self, dim)
    check_not_empty(self._array, dim, "min")
    if dim is None:
        return _min(self)
    return MIN(*_min_along(self, dim, keepdim))


@numpy_names
def argmax(self, dim=None, keepdim=False):
    """Return the place of the largest number along `dim`, or among all of them.

        torch.tensor([[1., 5.], [7., 3.]]).argmax(1)    # tensor([1, 0])
    """
    return place_of(np.argmax, self, dim, keepdim)


@numpy_names
def argmin(self, dim=None, keepdim=False):
    """Return the place of the smallest number along `dim`, or among all of them."""
    return place_of(np.argmin, self, dim, keepdim)


def place_of(find, self, dim, keepdim):
    name = find.__name__
    if self._array.dtype.kind == "b":
        raise RuntimeError(f"{name}(): does not support bool input")
    check_not_empty(self._array, dim, name, IndexError)
    return wrap_new(np.asarray(find(self._array, dim, keepdims=keepdim)))


def check_not_empty(array, dim, name, error=RuntimeError):
    """Raise PyTorch's error where there is no number to choose (along `dim`)."""
    if dim is not None:
        dim = dim_range(dim, array.ndim)
        if array.ndim and not array.shape[dim]:
            raise IndexError(
                f"{name}(): Expected reduction dim {dim} to have non-zero size.")
    elif not array.size:
        hint = ""
        if error is RuntimeError:
            hint = " Specify the reduction dim with the 'dim' argument."
        raise error(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0."
            f"{hint}")


METHODS = {"max": largest, "min": smallest, "argmax": argmax, "argmin": argmin}
