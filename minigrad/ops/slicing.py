"""Parts of a tensor, as views: a position along a dimension, a range, any part at all.

The gradient of a part is zero everywhere else: `select_backward` and `slice_backward`
write it into zeros.
"""
import numpy as np

from ..autograd import strided
from ..autograd.operation import differentiable
from ..autograd.views import shares_memory
from ..memory import extent, geometry, root
from .shape import sizes_of


def along(dim, index, ndim):
    """Return what to write between brackets to index one dimension alone."""
    before = (slice(None),) * (dim % ndim)
    return (*before, index, ...)        # the ... makes a single number a view, too


def in_zeros(part, sizes, place):
    """Return zeros of these sizes, with a part written at its place."""
    result = np.zeros(sizes, part.dtype)
    result[place] = part
    return result


@shares_memory
@differentiable("AliasBackward0", self=lambda grad: grad)
def alias(self):
    """Return a view of all of the tensor."""
    return self[...]


# --- a position -----------------------------------------------------------------------

@shares_memory
@differentiable(
    "SelectBackward0",
    self=lambda grad, self_shape, dim, index: (
        select_backward(grad, self_shape, dim, index)))
def _select(self, dim, index):
    if dim == 0:
        return self[index, ...]
    return self[along(dim, index, self.ndim)]


@differentiable(
    "SelectBackwardBackward0",
    grad_output=lambda grad, dim, index: _select(grad, dim, index))
def select_backward(grad_output, input_sizes, dim, index):
    place = along(dim, index, len(input_sizes))
    return in_zeros(grad_output, input_sizes, place)


# --- a range --------------------------------------------------------------------------

@shares_memory
@differentiable(
    "SliceBackward0",
    self=lambda grad, self_shape, dim, start, end, step: (
        slice_backward(grad, self_shape, dim, start, end, step)))
def _slice(self, dim, start, end, step):
    part = slice(start, end, step)
    if dim == 0:
        return self[part]
    return self[along(dim, part, self.ndim)]


@differentiable(
    "SliceBackwardBackward0",
    grad_output=lambda grad, dim, start, end, step: (
        _slice(grad, dim, start, end, step)))
def slice_backward(grad_output, input_sizes, dim, start, end, step):
    place = along(dim, slice(start, end, step), len(input_sizes))
    return in_zeros(grad_output, input_sizes, place)


# --- any part -------------------------------------------------------------------------

# views.py needs strided.py, so the operation is marked here.
_as_strided = shares_memory(strided.as_strided)


def as_strided(self, size, stride, storage_offset=None):
    """Return a view of this tensor's memory by shape, strides and offset, in elements.

        torch.arange(6.).as_strided((2, 2), (3, 1))     # tensor([[0., 1.], [3., 4.]])

    Raises a RuntimeError where the view would reach beyond the memory.
    """
    size, stride = sizes_of((size,)), sizes_of((stride,))
    source = geometry(self._array)
    offset = source[2] if storage_offset is None else storage_offset
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if min(stride, default=0) < 0:
        raise RuntimeError(
            "as_strided: Negative strides are not supported at the moment, got "
            f"strides: {list(stride)}")
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    itemsize = self._array.itemsize
    needed = extent(size, stride, offset) * itemsize
    available = root(self._array).nbytes
    if needed > available:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset "
            f"{offset}, and itemsize {itemsize} requiring a storage size of {needed} "
            f"are out of bounds for storage of size {available}")
    return _as_strided(self, size, stride, storage_offset, source)


METHODS = "as_strided"
