"""Where a tensor's numbers are in memory: strides, offsets and overlaps."""
import math
from types import SimpleNamespace

import numpy as np

SHARED = (
    "unsupported operation: {} to a single memory location. Please clone() the tensor "
    "before performing the operation.")
OVERLAPS_ITSELF = SHARED.format(
    "more than one element of the written-to tensor refers")
OVERLAPS_SOURCE = SHARED.format(
    "some elements of the input tensor and the written-to tensor refer")


def root(array):
    """Return the array that owns the memory that `array` looks at."""
    base = array
    while isinstance(base, np.ndarray):
        array = base
        base = getattr(base.base, "owner", base.base)       # see as_strided_array
    return array


def address(array) -> int:
    """Return the address of the first element."""
    return array.__array_interface__["data"][0]


def element_strides(array) -> tuple[int, ...]:
    """Return the strides in elements."""
    if 0 in array.shape:
        # NumPy's strides mean nothing then: return those of memory without gaps.
        sizes = [max(size, 1) for size in array.shape]
        return tuple([math.prod(sizes[i:]) for i in range(1, len(sizes) + 1)])
    return tuple([stride // array.itemsize for stride in array.strides])


def extent(shape, strides, offset=0) -> int:
    """Return how many elements the memory of such an array must have, with gaps."""
    if 0 in shape:
        return 0
    return offset + 1 + sum([(n - 1) * s for n, s in zip(shape, strides)])


def geometry(array):
    """Return (shape, strides, offset), counted in elements from the memory's start."""
    offset = (address(array) - address(root(array))) // array.itemsize
    return array.shape, element_strides(array), offset


def as_strided_array(array, shape, strides, offset):
    """Return an array over the memory of `array`, `offset` elements after its start.

    NumPy's own as_strided is slower, and does not go outside of the array.
    """
    interface = {
        "data": (address(array) + offset * array.itemsize, False),
        "shape": tuple(shape),
        "typestr": array.dtype.str,
        "strides": tuple([stride * array.itemsize for stride in strides]),
        "version": 3,
    }
    return np.asarray(SimpleNamespace(owner=array, __array_interface__=interface))


def empty_like_layout(shape, strides, dtype):
    """Return a new array with these strides, or without gaps if it would overlap."""
    size = extent(shape, strides)
    if size < math.prod(shape):
        return np.empty(shape, dtype)
    return as_strided_array(np.zeros(size, dtype), shape, strides, 0)


def overlaps_itself(array) -> bool:
    """Return whether one element appears at several indices, as after expand()."""
    if 0 not in array.strides or not array.size:
        return False
    return any([stride == 0 and size > 1
                for size, stride in zip(array.shape, array.strides)])


def refuse_overlap(target, *sources):
    """Refuse a write where indices share an element, or over part of what is read."""
    if overlaps_itself(target):
        raise RuntimeError(OVERLAPS_ITSELF)
    if any([partly_the_same(target, source) for source in sources]):
        raise RuntimeError(OVERLAPS_SOURCE)


def writeable(array):
    """Return the array as one that may be written, even where NumPy has broadcast."""
    if array.flags.writeable:
        return array
    return as_strided_array(array, array.shape, element_strides(array), 0)


def the_same(a, b) -> bool:
    """Return whether two arrays are the same elements at the same places."""
    same_memory = root(a) is root(b) and a.dtype == b.dtype
    return same_memory and geometry(a) == geometry(b)


def partly_the_same(a, b) -> bool:
    """Return whether two arrays without gaps share some memory, but not all of it."""
    if root(a) is not root(b):
        return False
    for one in (a, b):
        if not 0 < one.size == extent(one.shape, element_strides(one)):
            return False
    overlap = address(a) < address(b) + b.nbytes and address(b) < address(a) + a.nbytes
    return overlap and not the_same(a, b)
