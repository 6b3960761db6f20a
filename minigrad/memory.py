"""Where a tensor's numbers are in memory: strides and offsets in elements, arrays laid over memory."""
from __future__ import annotations

import math

import numpy as np

OVERLAPS_ITSELF = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory "
    "location. Please clone() the tensor before performing the operation.")


def root(array):
    """Return the array that owns the memory that `array` looks at."""
    while True:
        base = array.base
        if isinstance(base, Memory):
            base = base.owner
        if not isinstance(base, np.ndarray):
            return array
        array = base


def address(array) -> int:
    """Return the address of the first element."""
    return array.__array_interface__["data"][0]


def storage_offset(array) -> int:
    """Return how many elements into its memory the array starts."""
    owner = root(array)
    return 0 if owner is array else (address(array) - address(owner)) // array.itemsize


def element_strides(array) -> tuple[int, ...]:
    """Return the strides in elements."""
    if 0 in array.shape:
        return contiguous_strides(array.shape)      # NumPy's strides mean nothing then
    return tuple([stride // array.itemsize for stride in array.strides])


def contiguous_strides(shape) -> tuple[int, ...]:
    """Return the strides, in elements, of an array of this shape without gaps."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    return tuple(reversed(strides))


def geometry(array):
    """Return (shape, strides, offset), counted in elements from the start of the memory."""
    return array.shape, element_strides(array), storage_offset(array)


class Memory:
    """What NumPy asks of an object to lay an array over its memory."""

    def __init__(self, owner, start, shape, strides, dtype):
        self.owner = owner
        self.__array_interface__ = {"data": (start, False), "shape": tuple(shape), "strides": strides,
                                    "typestr": dtype.str, "version": 3}


def as_strided_array(array, shape, strides, offset):
    """Return an array over the memory of `array`; strides and offset count elements from its start."""
    start = address(array) + offset * array.itemsize
    steps = tuple([stride * array.itemsize for stride in strides])
    return np.asarray(Memory(array, start, shape, steps, array.dtype))


def empty_like_layout(shape, strides, dtype):
    """Return a new array with these strides, in elements; without gaps if it would overlap itself."""
    extent = 1 + sum([(size - 1) * stride for size, stride in zip(shape, strides)])
    if tuple(strides) == contiguous_strides(shape) or extent < math.prod(shape) or 0 in shape:
        return np.empty(shape, dtype)
    return as_strided_array(np.zeros(extent, dtype), shape, strides, 0)


def overlaps_itself(array) -> bool:
    """Return whether one element appears at several indices, as after expand()."""
    if 0 in array.strides and array.size:
        return any([stride == 0 and size > 1 for size, stride in zip(array.shape, array.strides)])
    return False


def refuse_overlap(array):
    """Refuse to write to memory in which one element appears at several indices."""
    if overlaps_itself(array):
        raise RuntimeError(OVERLAPS_ITSELF)


def writeable(array):
    """Return the array as one that may be written, which NumPy forbids wherever it broadcast."""
    if array.flags.writeable:
        return array
    return as_strided_array(array, array.shape, element_strides(array), 0)


def the_same(a, b):
    """Return whether two arrays are the same elements at the same places."""
    return (a.shape == b.shape and a.strides == b.strides and a.dtype == b.dtype and root(a) is root(b)
            and address(a) == address(b))


def partly_the_same(a, b):
    """Return whether two arrays share memory, but not element by element; gaps are not looked into."""
    if root(a) is not root(b) or not a.size or not b.size or not dense(a) or not dense(b):
        return False
    first, second = address(a), address(b)
    if first == second and a.nbytes == b.nbytes:
        return element_strides(a) != element_strides(b) or a.dtype != b.dtype
    return first < second + b.nbytes and second < first + a.nbytes


def dense(array):
    """Return whether the elements fill a stretch of memory, in any order of dimensions."""
    if array.flags.forc:
        return True
    step = 1
    for stride, size in sorted(zip(element_strides(array), array.shape)):
        if size != 1:
            if stride != step:
                return False
            step *= size
    return True
