"""``as_strided``: any view at all, by shape, strides and offset; and how a view is taken again after a write.

Its gradient lays the numbers back where they came from.  That, too, is a strided reading of memory, so one
operation, `restride`, is the gradient of the view and its own gradient as well.
"""
from __future__ import annotations

import numpy as np

from ..memory import as_strided_array, geometry
from ..tensor import Tensor
from .accumulate import gradient_edge
from .differentiable import differentiable


@differentiable("AsStridedBackward0",
                self=lambda grad, size, stride, storage_offset, _source: gradient_in_view(
                    grad, size, stride, storage_offset, _source))
def as_strided(self, size, stride, storage_offset, _source):
    """A view of the memory of `self`, whose own geometry is `_source`."""
    return as_strided_array(self, size, stride, 0 if storage_offset is None else storage_offset - _source[2])


def gradient_in_view(grad, size, stride, storage_offset, source):
    """Without an offset, a view begins where its source begins."""
    return gradient_in_memory(grad, (size, stride, source[2] if storage_offset is None else storage_offset),
                              source)


def gradient_in_memory(grad, view, source):
    """The gradient of a tensor with the geometry `source` from that of a view of its memory."""
    if isinstance(grad, Tensor):
        from ..ops import writing  # which is built on this module
        return writing.laid_back(grad, view, source)
    return restride(grad, view, source)


@differentiable("RestrideBackward0",
                self=lambda grad, source, target: restride(grad, target, source))
def restride(self, source, target):
    """Lay the numbers into zeroed memory as `source` says, adding where they meet; read as `target` says."""
    places, reading = flat_places(source), flat_places(target)
    memory = np.zeros(1 + max(places.max(initial=0), reading.max(initial=0)), self.dtype)
    if has_repeats(source):
        np.add.at(memory, places, self)
    else:
        memory[places] = self
    if has_repeats(target):         # elements that share a place are due a part each
        memory /= np.bincount(reading.ravel(), minlength=memory.size).clip(1)
    return as_strided_array(memory, *target)


def flat_places(geometry):
    """The index into memory of every element."""
    shape, strides, offset = geometry
    places = np.full(shape, offset)
    for axis, (size, stride) in enumerate(zip(shape, strides)):
        steps = np.arange(size) * stride
        places += steps.reshape([-1 if i == axis else 1 for i in range(len(shape))])
    return places


def has_repeats(geometry):
    """Whether two elements may share a place (PyTorch's own sufficient test)."""
    extent = 0
    for stride, size in sorted(zip(geometry[1], geometry[0])):
        if size > 1:
            if stride <= extent:
                return True
            extent += stride * (size - 1)
    return False


def take_again(base, array):
    """The node of a view of `base` as it is now, known by its geometry alone."""
    node = as_strided.operation.node_type((gradient_edge(base),), array)
    node._plan = as_strided.operation.plan(True)
    node.constants = [*geometry(array), geometry(base._array)]
    return node
