"""Plain writes: copy_, fill_, zero_; and the writes that give a tensor another shape."""
from __future__ import annotations

from math import prod

import numpy as np

from .. import dtypes
from ..autograd import strided
from ..autograd.differentiable import differentiable
from ..autograd.inplace import check_in_place, edges_before
from ..autograd.operations import needed_gradients, save
from ..autograd.views import shares_memory
from ..memory import (
    as_strided_array,
    contiguous_strides,
    element_strides,
    geometry,
    refuse_overlap,
    root,
    storage_offset,
    the_same,
)
from ..state import local
from ..tensor import Tensor, bump_version, wrap
from . import (positions, reductions, shape)  # noqa
from .either import shape_of, zeros_beside
from .shape import sizes_of
from .overwrite import check_broadcast, check_overlap, number_for, write


def zero_gradient(grad):
    return zeros_beside(grad, shape_of(grad))


# --- copy_ --------------------------------------------------------------------------------------------------

@differentiable("torch::autograd::CopyBackwards", self=lambda grad: zero_gradient(grad),
                src=lambda grad: grad)
def _copy(self, src):
    result = np.empty_like(self)
    result[...] = src
    return result


_copy.operation.casts_first = True


def copy_(self, other, non_blocking=False):
    """Write the numbers of another tensor, broadcast and converted to this one's dtype.

    Raises:
        RuntimeError: the shapes do not fit, or the two tensors overlap in memory.
    """
    if not isinstance(other, Tensor):
        if not isinstance(other, dtypes.NUMBERS):
            raise argument_must_be("copy_", "other", 1, other)
        other = wrap(np.asarray(other, dtypes.of_number(other)))
    return overwrite(self, other)


def overwrite(self, other, lives_on=True):
    """Write one tensor over another."""
    source = other._array

    def change(array):
        if source is array or the_same(array, source):
            return
        check_overlap(array, source)
        if source.shape != array.shape:
            check_broadcast(array.shape, source.shape)
        array[...] = source

    return write(_copy.operation, [self, other], change, lives_on)


# --- fill_ and zero_ ----------------------------------------------------------------------------------------

@differentiable("FillBackward2", self=lambda grad: zero_gradient(grad))
def _fill_in_place(self, value):
    return np.full_like(self, value)


@differentiable("FillBackward3", self=lambda grad: zero_gradient(grad),
                value=lambda grad: reductions._sum(grad, None))
def _fill_tensor_in_place(self, value):
    return np.full_like(self, value)


@differentiable("ZeroBackward0", self=lambda grad: zero_gradient(grad))
def _zero(self):
    return np.zeros_like(self)


def fill_(self, value):
    """Write one number, or a tensor without dimensions, everywhere."""
    if isinstance(value, Tensor):
        return fill_with(self, value)
    if not isinstance(value, (*dtypes.NUMBERS, complex)):
        raise invalid_combination("fill_", ["Tensor value", "Number value"], self, value)

    def change(array):
        array.fill(number_for(value, array.dtype))

    return write(_fill_in_place.operation, [self, value], change)


def fill_with(self, number, lives_on=True):
    """Write a tensor without dimensions everywhere."""
    def change(array):
        check_scalar_tensor(number)
        refuse_overlap(array)
        array[...] = number._array

    return write(_fill_tensor_in_place.operation, [self, number], change, lives_on)


def fill(self, value):
    """A tensor like this one with one number everywhere."""
    if isinstance(value, Tensor):
        check_scalar_tensor(value)
        return _fill_tensor(self, value)
    return _fill_number(self, value)


def check_scalar_tensor(value):
    if value._array.ndim:
        raise RuntimeError("fill_ only supports 0-dimension value tensor but got tensor with "
                           f"{value._array.ndim} dimensions.")


def zero_(self):
    """Write 0 everywhere."""
    return write(_zero.operation, [self], lambda array: array.fill(0))


# --- any view at all ----------------------------------------------------------------------------------------

_as_strided = shares_memory(strided.as_strided)


def as_strided(self, size, stride, storage_offset=None):
    """A view of the memory of this tensor with any shape, strides and offset, all counted in elements.

    Raises:
        RuntimeError: the view would reach beyond the memory.
    """
    return _as_strided(self, *checked_geometry(self._array, size, stride, storage_offset))


def checked_geometry(array, size, stride, storage_offset):
    """The arguments of `as_strided`, if there is such a view of the array, and the array's own geometry."""
    size, stride, source = tuple(size), tuple(stride), geometry(array)
    offset = source[2] if storage_offset is None else storage_offset
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if min(stride, default=0) < 0:
        raise RuntimeError("as_strided: Negative strides are not supported at the moment, got strides: "
                           f"{list(stride)}")
    if min(size, default=0) < 0:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)} and "
                           f"strides={list(stride)}")
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    if 0 not in size:
        need = (offset + 1 + sum([(n - 1) * s for n, s in zip(size, stride)])) * array.itemsize
        have = root(array).nbytes
        if need > have:
            raise RuntimeError(
                f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and "
                f"itemsize {array.itemsize} requiring a storage size of {need} are out of bounds for storage "
                f"of size {have}")
    return size, stride, storage_offset, source


def laid_back(grad, view, source):
    """The gradient of `as_strided`, with the nodes that PyTorch records for it.

    It is written into zeroed memory as `view` says, and read as `source` says.
    """
    sizes, strides, offset = view
    if 0 in sizes or 0 in source[0]:
        return wrap(np.zeros(source[0], grad._array.dtype))
    kept = []
    for i in reversed(range(len(sizes))):
        if sizes[i] == 1:
            grad = shape._squeeze_dim(grad, i)
        elif strides[i] == 0:
            grad = reductions._sum_dim(grad, (i,), False, None)
        else:
            kept.insert(0, i)
    start = min(offset, source[2])
    laid = tuple([sizes[i] for i in kept]), tuple([strides[i] for i in kept]), offset - start
    read = *source[:2], source[2] - start
    places, reading = strided.flat_places(laid), strided.flat_places(read)
    memory = wrap(np.zeros(1 + max(places.max(initial=0), reading.max(initial=0)), grad._array.dtype))
    if strided.has_repeats(laid):
        positions.index_add_(memory, 0, wrap(places.reshape(-1)), shape._reshape(grad, (-1,)))
    else:
        copy_(as_strided(memory, *laid), grad)
    if strided.has_repeats(read):       # several elements of the source share a place: each is due its part
        count = np.bincount(reading.reshape(-1), minlength=memory._array.size)
        memory = memory / wrap(count.astype(memory._array.dtype))
    return as_strided(memory, *read)


# --- writes that change the shape of the tensor itself ------------------------------------------------------

def reshaping(name, node_name, view, **formulas):
    """The in-place form of a view: the tensor itself takes the view's shape and strides."""
    operation = differentiable(node_name, **formulas)(view).operation

    def change_shape(self, *args):
        needed = needed_gradients(operation, (self,))
        tracked = local.state.recording and True in needed
        check_in_place(self, tracked)
        edges = edges_before(operation, (self,)) if tracked else None
        before = self._array
        self._array = view(before, *args)
        bump_version(self)
        if tracked:
            node = operation.node_type(edges, self._array)
            save(node, operation.plan(*needed), [wrap(before), *args, self])
            # Of a view only this tensor changes, not what its base holds: so the base is not told.
            self._requires_grad, self._node, self._output_nr = True, node, 0
            if self._view is not None:
                self._view.version = self._counter.value
            # (Hooks and a kept gradient stay with what it was, unlike those of what other writes change.)
        return self

    change_shape.__name__ = change_shape.__qualname__ = name
    change_shape.__doc__ = f"`{name[:-1]}` of the tensor itself, which takes the view's shape and strides."
    return change_shape


def forward(function):
    """The function on arrays behind an operation."""
    return function.operation.forward


transpose_ = reshaping(
    "transpose_", "TransposeBackward1", lambda self, dim0, dim1: forward(shape._transpose)(self, dim0, dim1),
    self=lambda grad, dim0, dim1: shape._transpose(grad, dim0, dim1))
swapaxes_ = swapdims_ = transpose_
unsqueeze_ = reshaping(
    "unsqueeze_", "UnsqueezeBackward1", lambda self, dim: forward(shape._unsqueeze)(self, dim),
    self=lambda grad, dim: shape._squeeze_dim(grad, dim))
_squeeze_all_ = reshaping(
    "squeeze_", "SqueezeBackward3", lambda self: forward(shape._squeeze_all)(self),
    self=lambda grad, self_shape: shape.unsqueeze_to(grad, range(len(self_shape)), self_shape))
_squeeze_dim_ = reshaping(
    "squeeze_", "SqueezeBackward4", lambda self, dim: forward(shape._squeeze_dim)(self, dim),
    self=lambda grad, dim, self_shape: shape.unsqueeze_to(grad, (dim,), self_shape))
_squeeze_dims_ = reshaping(
    "squeeze_", "SqueezeBackward5", lambda self, dim: forward(shape._squeeze_dims)(self, dim),
    self=lambda grad, dim, self_shape: shape.unsqueeze_to(grad, dim, self_shape))

_as_strided_ = reshaping(
    "as_strided_", "AsStridedBackward1", forward(strided.as_strided),
    self=lambda grad, size, stride, storage_offset, _source: strided.gradient_in_view(
        grad, size, stride, storage_offset, _source))


def squeeze_(self, dim=None):
    """`squeeze` in place: the tensor itself loses its dimensions of size 1."""
    if dim is None:
        return _squeeze_all_(self)
    if isinstance(dim, (tuple, list)):
        return _squeeze_dims_(self, tuple(dim))
    return _squeeze_dim_(self, dim)


def resize_(self, *sizes):
    """Give the tensor another size in the same memory, or in new memory if that is too small (what is new
    there is not set).

    Raises:
        RuntimeError: the tensor requires a gradient.
    """
    if self.requires_grad and not local.state.inference:
        raise RuntimeError("cannot resize variables that require grad")
    size = tuple(sizes_of(sizes))
    if size != self._array.shape:
        give_size(self, size)
        bump_version(self)
    forget_accumulator(self)
    return self


METHODS = """
fill as_strided
"""
METHODS_ONLY = """
copy_ fill_ zero_ transpose_ swapaxes_ swapdims_ unsqueeze_ squeeze_ resize_
"""
FUNCTIONS_ONLY = "fill_ zero_"
