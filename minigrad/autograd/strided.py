"""``as_strided``: a view by its geometry, which is (shape, strides, offset), counted in elements.

A view whose memory was written in place gets its new history, from its base, as an as_strided.
"""
import numpy as np

from ..memory import as_strided_array, extent, geometry
from ..tensor import Tensor, wrap
from .node import edges_to
from .operation import differentiable


def as_strided_backward(grad, size, stride, storage_offset, _source):
    """Write the gradient of a view into zeroed memory; return that as the view's source sees it."""
    if not isinstance(grad, Tensor):
        return as_strided_backward(wrap(grad), size, stride, storage_offset, _source)._array
    for dim in reversed(range(len(size))):          # the operations that PyTorch records here
        if size[dim] == 1 or stride[dim] == 0:
            grad = grad.squeeze(dim) if size[dim] == 1 else grad.sum(dim)
    dims = [dim for dim in range(len(size)) if size[dim] != 1 and stride[dim] != 0]
    offset = _source[2] if storage_offset is None else storage_offset
    view = [size[dim] for dim in dims], [stride[dim] for dim in dims], offset
    memory = wrap(np.zeros(max(extent(*view), extent(*_source)), grad._array.dtype))
    if has_repeats(*view):
        memory.index_add_(0, wrap(memory_indices(*view).reshape(-1)), grad.reshape(-1))
    elif 0 not in view[0]:
        memory.as_strided(*view).copy_(grad)
    if has_repeats(*_source):                       # elements that share memory get an equal part
        count = np.bincount(memory_indices(*_source).ravel(), minlength=memory._array.size).clip(1)
        memory = memory / wrap(count.astype(memory._array.dtype))
    return memory.as_strided(*_source)


def memory_indices(shape, strides, offset):
    return offset + np.tensordot(np.array(strides, int), np.indices(shape), 1)


def has_repeats(shape, strides, _):
    """Return whether two elements may share memory (PyTorch's own sufficient test)."""
    reached = 0
    for step, size in sorted(zip(strides, shape)):
        if size > 1 and step <= reached:
            return True
        reached += step * max(size - 1, 0)
    return False


@differentiable("AsStridedBackward0", self=as_strided_backward)
def as_strided(self, size, stride, storage_offset, _source):
    """Return a view of the memory of `self`, whose own geometry is `_source`."""
    start = _source[2] if storage_offset is None else storage_offset
    return as_strided_array(self, size, stride, start - _source[2])


def as_strided_node(base, array):
    """Return a node that makes a view of this array's geometry from the base's current history."""
    node = as_strided.operation.node_type(*edges_to([base]), array)
    node._plan = as_strided.operation.plan((True,))
    node._constants = (*geometry(array), geometry(base._array))
    return node
