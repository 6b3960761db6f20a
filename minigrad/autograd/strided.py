"""``as_strided``: a view by shape, strides and offset; and views taken again after a write.

The gradient of a view is written into zeroed memory as the view says, and that memory is read as
the view's source says.  A *geometry* is (shape, strides, offset), counted in elements.
"""
from __future__ import annotations

import numpy as np

from ..memory import as_strided_array, geometry
from ..tensor import Tensor, wrap
from .node import edges_to
from .operation import differentiable


@differentiable("AsStridedBackward0",
                self=lambda grad, size, stride, storage_offset, _source: as_strided_backward(
                    grad, size, stride, storage_offset, _source))
def as_strided(self, size, stride, storage_offset, _source):
    """Return a view of the memory of `self`, whose own geometry is `_source`."""
    start = _source[2] if storage_offset is None else storage_offset
    return as_strided_array(self, size, stride, start - _source[2])


def take_again(base, array):
    """Return the node of a view of `base` as it is now; `array` says which view."""
    node = as_strided.operation.node_type(*edges_to([base]), array)
    node._plan = as_strided.operation.plan(True)
    node._constants = (*geometry(array), geometry(base._array))
    return node


def as_strided_backward(grad, size, stride, offset, source):
    """Return the gradient of a tensor of geometry `source` from that of a view of its memory."""
    if not isinstance(grad, Tensor):
        return as_strided_backward(wrap(grad), size, stride, offset, source)._array
    offset = source[2] if offset is None else offset
    start = min(offset, source[2])
    source = *source[:2], source[2] - start
    for dim in reversed(range(len(size))):          # the operations that PyTorch records here
        if size[dim] == 1:
            grad = grad.squeeze(dim)
        elif stride[dim] == 0:
            grad = grad.sum(dim)
    kept = [dim for dim in range(len(size)) if size[dim] != 1 and stride[dim] != 0]
    view = tuple([size[dim] for dim in kept]), tuple([stride[dim] for dim in kept]), offset - start
    memory = wrap(np.zeros(max(extent(view), extent(source)), grad._array.dtype))
    if has_repeats(view):
        memory.index_add_(0, wrap(places(view).reshape(-1)), grad.reshape(-1))
    elif 0 not in view[0]:
        memory.as_strided(*view).copy_(grad)
    if has_repeats(source):                         # elements that share a place are due a part each
        count = np.bincount(places(source).ravel(), minlength=memory._array.size).clip(1)
        memory = memory / wrap(count.astype(memory._array.dtype))
    return memory.as_strided(*source)


def extent(geometry):
    """Return how many elements the memory must have."""
    shape, strides, offset = geometry
    return 0 if 0 in shape else offset + 1 + sum([(n - 1) * step for n, step in zip(shape, strides)])


def places(geometry):
    """Return the index into memory of every element."""
    shape, strides, offset = geometry
    indices = np.indices(shape).reshape(len(shape), -1)
    return offset + (np.array(strides, int) @ indices).reshape(shape)


def has_repeats(geometry):
    """Return whether two elements may share a place (PyTorch's own sufficient test)."""
    reached = 0
    for step, size in sorted(zip(geometry[1], geometry[0])):
        if size > 1:
            if step <= reached:
                return True
            reached += step * (size - 1)
    return False
