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


def is_in_format(array, format) -> bool:
    """Whether the numbers lie as the format says."""
    rank = RANKS.get(format.name)
    if rank is None:
        return format.name == "preserve_format" or array.flags.c_contiguous
    return array.ndim == rank and np.moveaxis(array, 1, -1).flags.c_contiguous


def overlapping(strides):
    """Whether these are, or may be, strides of an expanded or unfolded array, of which NumPy and PyTorch make
    results that are laid out differently."""
    return 0 in strides or len(set(strides)) < len(strides)


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


def in_first_order(out, *inputs): return out
def elementwise_layout(out, first, *others): return out
def by_rows(array): return array
def copy_in_order(array): return array.copy("K")
def cast_in_place(array, dtype): return array.astype(dtype, copy=False)
def empty_in_order(array, kind): return np.empty_like(array, kind)
def memory_order(shape, *strides): return list(range(len(shape)))
