"""The same numbers in another shape: view, reshape, flatten and contiguous.

Nothing is computed.  A view only says how far to step through the memory along each
dimension; `reshape` and `contiguous` copy the numbers where no such steps exist.
"""
import math

from numpy import may_share_memory

from ..autograd.operation import differentiable
from ..autograd.views import shares_memory
from ..errors import dim_range, sizes_of
from ..tensor import Tensor
from .declaring import expect_tensors


@shares_memory
@differentiable(
    "ViewBackward0", self=lambda grad, self_shape: _reshape(grad, self_shape))
def _view(self, size):
    result = reshaped(self, size)
    if self.flags.c_contiguous or not self.size:
        return result
    if not may_share_memory(result, self):
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride "
            "(at least one dimension spans across two contiguous subspaces). "
            "Use .reshape(...) instead.")
    return result


# What `reshape` records for a view of numbers that are not in order.
_reshape_alias = shares_memory(differentiable(
    "ReshapeAliasBackward0", **_view.operation.formulas)(_view.operation.forward))


@differentiable(
    "UnsafeViewBackward0", self=lambda grad, self_shape: _reshape(grad, self_shape))
def _unsafe_view(self, size):
    """Reshape a copy that nobody else has: the result is not marked as a view."""
    return self.reshape(size)


def _reshape(self, shape):
    """Return a tensor as a view where that is possible, else a copy; also arrays."""
    if not isinstance(self, Tensor):
        return self.reshape(shape)
    array = self._array
    if array.flags.c_contiguous or not array.size:
        return _view(self, shape)
    result = reshaped(array, shape)
    if may_share_memory(result, array):
        return _reshape_alias(self, result.shape)
    return _unsafe_view(contiguous(self), result.shape)


def reshaped(array, shape):
    """Return an array in this shape, in which one size may be -1; or RuntimeError."""
    try:
        result = array.reshape(shape)
    except ValueError:
        raise invalid_shape(array, shape) from None
    if result.shape != shape and min(shape) < -1:       # NumPy takes -2 for -1
        raise invalid_shape(array, shape)
    return result


def invalid_shape(array, shape):
    """Return the error that says why an array does not have this shape."""
    sizes = list(shape)
    for i, size in enumerate(shape):
        if size == -1 and -1 in shape[:i]:
            return RuntimeError("only one dimension can be inferred")
        if size < -1:
            return RuntimeError(
                f"invalid shape dimension {size} at index {i} of shape {sizes}")
    if not array.size and -1 in shape and 0 in shape:
        return RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {sizes} because the "
            "unspecified dimension size -1 can be any value and is ambiguous")
    return RuntimeError(f"shape '{sizes}' is invalid for input of size {array.size}")


def view(self, *sizes, size=None):
    """Return the same numbers in the same memory, in another shape.

        torch.arange(6).view(2, -1)     # tensor([[0, 1, 2], [3, 4, 5]])

    One size may be -1: the others decide it.  Raises a RuntimeError where no steps
    through the memory give this shape; `reshape` copies the numbers then.
    """
    return _view(self, sizes_of(sizes, size))


def view_as(self, other):
    """Return ``self.view(other.shape)``."""
    expect_tensors("view_as", other=other)
    return _view(self, other._array.shape)


def reshape(self, *sizes, shape=None):
    """Return the same numbers in another shape: a view if possible, else a copy.

        torch.tensor([[1, 2], [3, 4]]).t().reshape(4)   # tensor([1, 3, 2, 4])

    Raises a RuntimeError where the number of elements is another.
    """
    return _reshape(self, sizes_of(sizes, shape))


def flatten(self, start_dim=0, end_dim=-1):
    """Run the dimensions from `start_dim` to `end_dim` into one: a view if possible.

        torch.zeros(2, 3, 4).flatten(1)         # shape (2, 12)
    """
    shape = self._array.shape
    start = dim_range(start_dim, len(shape))
    end = dim_range(end_dim, len(shape))
    if start > end:
        raise RuntimeError(
            "flatten() has invalid args: start_dim cannot come after end_dim")
    if shape and start == end:
        return self
    size = math.prod(shape[start:end + 1])
    return _reshape(self, (*shape[:start], size, *shape[end + 1:]))


@differentiable("CloneBackward0", self=lambda grad: grad)
def _clone_contiguous(self):
    return self.copy("C")


def contiguous(self):
    """Return the tensor itself if its numbers are in order and dense, else a copy."""
    if self._array.flags.c_contiguous:
        return self
    return _clone_contiguous(self)


METHODS = "reshape flatten"
METHODS_ONLY = "view view_as contiguous"
