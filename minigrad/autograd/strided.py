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
    """Return the node of a view of `base` as it is now, known by its geometry alone."""
    node = as_strided.operation.node_type(*edges_to([base]), array)
    node._plan = as_strided.operation.plan(True)
    node._constants = (*geometry(array), geometry(base._array))
    return node


def as_strided_backward(grad, size, stride, offset, source):
    """Return the gradient of a tensor of geometry `source` from that of a view of its memory."""
    offset = source[2] if offset is None else offset
    start = min(offset, source[2])
    view, source = (size, stride, offset - start), (*source[:2], source[2] - start)
    recorded = isinstance(grad, Tensor)
    memory = np.zeros(max(extent(view), extent(source)), (grad._array if recorded else grad).dtype)
    if recorded:
        return recorded_backward(grad, wrap(memory), view, source)
    if has_repeats(view):
        np.add.at(memory, places(view), grad)
    else:
        as_strided_array(memory, *view)[...] = grad
    if has_repeats(source):
        memory = memory / times_read(source, memory)
    return as_strided_array(memory, *source)


def recorded_backward(grad, memory, view, source):
    """Do the same on tensors, with the nodes that PyTorch records for it."""
    sizes, strides, offset = view
    if 0 in sizes or 0 in source[0]:
        return memory.as_strided(*source)
    kept = []
    for dim in reversed(range(len(sizes))):
        if sizes[dim] == 1:
            grad = grad.squeeze(dim)
        elif strides[dim] == 0:
            grad = grad.sum(dim)
        else:
            kept.insert(0, dim)
    view = tuple([sizes[dim] for dim in kept]), tuple([strides[dim] for dim in kept]), offset
    if has_repeats(view):
        memory.index_add_(0, wrap(places(view).reshape(-1)), grad.reshape(-1))
    else:
        memory.as_strided(*view).copy_(grad)
    if has_repeats(source):
        memory = memory / wrap(times_read(source, memory._array))
    return memory.as_strided(*source)


def extent(geometry):
    """Return how many elements the memory must have."""
    shape, strides, offset = geometry
    last = offset + sum([(n - 1) * step for n, step in zip(shape, strides)])
    return 0 if 0 in shape else last + 1


def places(geometry):
    """Return the index into memory of every element."""
    shape, strides, offset = geometry
    along = np.indices(shape, sparse=True)
    return offset + sum([step * index for step, index in zip(strides, along)],
                        np.zeros(shape, np.int64))


def times_read(geometry, memory):
    """Return how often each element of memory is read; such a place is due its part each time."""
    counts = np.bincount(places(geometry).ravel(), minlength=memory.size)
    return counts.clip(1).astype(memory.dtype)


def has_repeats(geometry):
    """Return whether two elements may share a place (PyTorch's own sufficient test)."""
    reached = 0
    for step, size in sorted(zip(geometry[1], geometry[0])):
        if size > 1:
            if step <= reached:
                return True
            reached += step * (size - 1)
    return False
