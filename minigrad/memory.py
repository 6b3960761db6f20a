"""Where a tensor's numbers lie: strides and offsets counted in elements, arrays laid over memory."""
from __future__ import annotations

import math

import numpy as np


def root(array):
    """The array that owns the memory `array` looks at."""
    while True:
        base = array.base
        if isinstance(base, _Memory):
            base = base.owner
        if not isinstance(base, np.ndarray):
            return array
        array = base


def address(array) -> int:
    return array.__array_interface__["data"][0]


def storage_offset(array) -> int:
    """How many elements into its memory the array starts."""
    owner = root(array)
    return 0 if owner is array else (address(array) - address(owner)) // array.itemsize


def element_strides(array) -> tuple[int, ...]:
    """The strides in elements; of an array without elements, those PyTorch makes up."""
    if 0 in array.shape:
        return contiguous_strides(array.shape)
    return tuple([stride // array.itemsize for stride in array.strides])


def contiguous_strides(shape) -> tuple[int, ...]:
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


class _Memory:
    """What NumPy asks of an object to lay an array over its memory."""

    def __init__(self, owner, start, shape, strides, dtype):
        self.owner = owner
        self.__array_interface__ = {"data": (start, False), "shape": tuple(shape), "strides": strides,
                                    "typestr": dtype.str, "version": 3}


def as_strided_array(array, shape, strides, offset):
    """An array over the memory of `array`; strides and offset in elements, counted from its start."""
    start = address(array) + offset * array.itemsize
    steps = tuple([s * array.itemsize for s in strides])
    return np.asarray(_Memory(array, start, shape, steps, array.dtype))


def empty_like_layout(shape, strides, dtype):
    """A new array with these element strides; dense if an array of that layout would overlap itself."""
    if math.prod(shape) and not all(strides[i] for i in range(len(shape)) if shape[i] > 1):
        return np.empty(shape, dtype)
    for order, dense in ("C", contiguous_strides(shape)), ("F", contiguous_strides(shape[::-1])[::-1]):
        if tuple(strides) == dense:
            return np.empty(shape, dtype, order)
    extent = 1 + sum([(n - 1) * s for n, s in zip(shape, strides)]) if math.prod(shape) else 0
    return as_strided_array(np.zeros(max(extent, 1), dtype), shape, strides, 0)


RANKS = {"channels_last": 4, "channels_last_3d": 5}


def empty_in_format(shape, kind, format):
    """An array whose dimension 1 lies innermost, for the formats of `RANKS`; otherwise row by row."""
    rank = RANKS.get(format.name)
    if rank is None:
        return np.empty(shape, kind)
    if len(shape) != rank:
        raise RuntimeError(f"required rank {rank} tensor to use {format.name} format")
    return np.moveaxis(np.empty((shape[0], *shape[2:], shape[1]), kind), -1, 1)


def is_in_format(array, format) -> bool:
    """Whether the numbers lie as the format says."""
    rank = RANKS.get(format.name)
    if rank is None:
        return format.name == "preserve_format" or array.flags.c_contiguous
    return array.ndim == rank and np.moveaxis(array, 1, -1).flags.c_contiguous


def by_rows(array):
    """The array laid out row after row, as PyTorch leaves what reductions give; NumPy follows its input."""
    return array if array.flags.c_contiguous else np.ascontiguousarray(array)


def in_first_order(out, *inputs):
    """The result of an elementwise operation, laid out as PyTorch lays it out.

    Where the inputs disagree on the order of dimensions in memory, PyTorch follows the first that has an
    opinion; NumPy goes row by row.
    """
    steps = [(0,) * (out.ndim - a.ndim) + tuple([0 if n == 1 else s for n, s in zip(a.shape, a.strides)])
             for a in inputs]
    axes = memory_order(out.shape, *steps)
    if out.transpose(axes).flags.c_contiguous:
        return out
    result = empty_along(axes, out.shape, out.dtype)
    result[...] = out
    return result


def elementwise_layout(out, first, *others):
    """The same, where it may differ from what NumPy made."""
    if out.ndim < 2 or out.flags.c_contiguous and first.flags.c_contiguous and first.shape == out.shape:
        return out
    return in_first_order(out, first, *others)


def empty_in_order(array, kind):
    """A dense array whose dimensions lie in memory in the order of those of `array`."""
    axes = memory_order(array.shape, element_strides(array))
    return empty_along(axes, array.shape, kind)


def empty_along(axes, shape, dtype):
    """A new array, nobody's view, whose dimensions lie in memory in this order."""
    turned = np.empty([shape[i] for i in axes], dtype).transpose(np.argsort(axes))
    return np.empty_like(turned)        # whose base is not the array before it was turned


def overlapping(strides):
    """Whether these are, or may be, strides of an expanded or unfolded array, of which NumPy and PyTorch make
    results that are laid out differently."""
    return 0 in strides or len(set(strides)) < len(strides)


def copy_in_order(array):
    """A dense copy with the dimensions in memory in the same order."""
    if not overlapping(array.strides):
        return array.copy("K")
    copy = empty_in_order(array, array.dtype)   # NumPy would lay out a copy of an expanded array otherwise
    copy[...] = array
    return copy


def cast_in_place(array, dtype):
    """The array in another dtype; what is expanded stays so, as its layout may decide that of a result."""
    if array.dtype is dtype or array.ndim < 2 or not overlapping(array.strides):
        return array.astype(dtype, copy=False)
    if 0 in array.strides:
        once = array[tuple([slice(0, 1) if step == 0 else slice(None) for step in array.strides])]
        return np.broadcast_to(once.astype(dtype), array.shape)
    copy = empty_in_order(array, dtype)
    copy[...] = array
    return copy


def memory_order(shape, *strides):
    """The dimensions from outermost to innermost, by one or more lists of strides.

    Of two dimensions the first list decides that can tell: one in which neither stride is 0.
    """
    def is_outer(i, j):
        for steps in strides:
            if steps[i] and steps[j]:
                if steps[i] != steps[j]:
                    return steps[i] > steps[j]
                if shape[i] > shape[j]:
                    return True
        return None

    order = list(range(len(shape) - 1, -1, -1))         # innermost first
    for end in range(1, len(order)):                    # insertion sort: what cannot be told apart stays
        here = end
        for i in range(end - 1, -1, -1):
            outer = is_outer(order[i], order[here])
            if outer is False:
                break
            if outer:
                order[i], order[here] = order[here], order[i]
                here = i
    return order[::-1]


def overlaps_itself(array) -> bool:
    """Whether one element stands in several places, as after expand()."""
    if 0 in array.strides and array.size:
        return any([stride == 0 and size > 1 for size, stride in zip(array.shape, array.strides)])
    return False


def writeable(array):
    """The array as one that may be written, which NumPy forbids wherever it broadcast."""
    return array if array.flags.writeable else as_strided_array(array, array.shape, element_strides(array), 0)


OVERLAPS_ITSELF = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory "
    "location. Please clone() the tensor before performing the operation.")


def refuse_overlap(array):
    """Such memory may not be written."""
    if overlaps_itself(array):
        raise RuntimeError(OVERLAPS_ITSELF)


def geometry(array):
    """(shape, strides, offset), counted in elements from the start of the memory."""
    return array.shape, element_strides(array), storage_offset(array)


def the_same(a, b):
    """Whether two arrays are one: the same elements at the same places."""
    return (a.shape == b.shape and a.strides == b.strides and a.dtype == b.dtype and root(a) is root(b)
            and address(a) == address(b))


def partly_the_same(a, b):
    """Whether two arrays share memory, but not element by element; those with gaps are not looked into."""
    if root(a) is not root(b) or not a.size or not b.size or not dense(a) or not dense(b):
        return False
    first, second = address(a), address(b)
    if first == second and a.nbytes == b.nbytes:
        return element_strides(a) != element_strides(b) or a.dtype != b.dtype
    return first < second + b.nbytes and second < first + a.nbytes


def dense(array):
    """Whether the elements fill a stretch of memory, in any order of dimensions."""
    if array.flags.forc:
        return True
    step = 1
    for stride, size in sorted(zip(element_strides(array), array.shape)):
        if size != 1:
            if stride != step:
                return False
            step *= size
    return True
