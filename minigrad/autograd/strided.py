"""``as_strided``: a view by its geometry: (shape, strides, offset), in elements.

A view whose memory was written in place gets its new history, from its base, as an
as_strided.
"""
import numpy as np

from ..memory import as_strided_array, extent, geometry
from ..tensor import Tensor, wrap
from .accumulate import edges_to
from .operation import differentiable
from .recording import record


def as_strided_backward(grad, size, stride, storage_offset, _source):
    """Write the gradient of a view into zeros; read them by the source's geometry."""
    if not isinstance(grad, Tensor):
        grad = as_strided_backward(wrap(grad), size, stride, storage_offset, _source)
        return grad._array
    grad = without_repeated_dims(grad, size, stride)
    dims = [d for d, n in enumerate(size) if n != 1 and stride[d] != 0]
    offset = _source[2] if storage_offset is None else storage_offset
    view = [size[d] for d in dims], [stride[d] for d in dims], offset
    length = max(extent(*view), extent(*_source))
    memory = wrap(np.zeros(length, grad._array.dtype))
    if has_repeats(*view):
        places = wrap(memory_indices(*view).reshape(-1))
        memory.index_add_(0, places, grad.reshape(-1))
    elif 0 not in view[0]:
        memory.as_strided(*view).copy_(grad)
    if has_repeats(*_source):
        # Elements that share memory get an equal part each: PyTorch does so in
        # as_strided_backward.
        places = memory_indices(*_source).ravel()
        count = np.bincount(places, minlength=length).clip(1)
        memory = memory / wrap(count.astype(memory._array.dtype))
    return memory.as_strided(*_source)


def without_repeated_dims(grad, size, stride):
    """Sum over dimensions with stride 0, which repeat; drop those of size 1."""
    for dim in reversed(range(len(size))):
        if size[dim] == 1:
            grad = grad.squeeze(dim)
        elif stride[dim] == 0:
            grad = grad.sum(dim)
    return grad


def memory_indices(shape, strides, offset):
    """Return for each element its place in the memory."""
    return offset + np.tensordot(np.array(strides, int), np.indices(shape), 1)


def has_repeats(shape, strides, _):
    """Return whether elements may share memory."""
    # PyTorch's quick test, which says yes for some that don't.
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


def record_as_strided(base, view):
    """Give a view a new history: an as_strided of its base as it is now."""
    edges = edges_to([base])
    values = (base, *geometry(view._array), geometry(base._array), view)
    view._output_nr = None
    record(as_strided.operation.plan((True,)), *edges, values, view)
