"""When the same numbers, where they lie, can be read under another shape: sizes and strides, no data."""
from __future__ import annotations

from math import prod
from operator import index as as_int

from numpy import ndarray

from ..memory import as_strided_array, contiguous_strides, element_strides


def inferred_shape(shape, count):
    """`shape` with its -1 worked out, for `count` elements; RuntimeError if it does not hold that many."""
    unknown, known = None, 1
    for i, n in enumerate(shape):
        if n == -1:
            if unknown is not None:
                raise RuntimeError("only one dimension can be inferred")
            unknown = i
        elif n < 0:
            raise RuntimeError(f"invalid shape dimension {n} at index {i} of shape {list(shape)}")
        else:
            known *= n
    if unknown is None:
        if known != count:
            raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {count}")
        return tuple(shape)
    if known == 0 and count == 0:
        raise RuntimeError(f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
                           "dimension size -1 can be any value and is ambiguous")
    if known == 0 or count % known:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {count}")
    return (*shape[:unknown], count // known, *shape[unknown + 1:])


def strides_for_view(array, shape):
    """The strides, in elements, under which `array` can be read as `shape`; None if its numbers would have to move.

    The dimensions of the array are taken in runs that lie evenly in memory; each run must be cut up by a run of the
    new dimensions with the same number of elements.
    """
    if array.size == 0:
        return element_strides(array) if array.shape == shape else contiguous_strides(shape)
    if array.ndim == 0:
        return (1,) * len(shape)
    sizes, steps = array.shape, element_strides(array)
    strides = [0] * len(shape)
    left = len(shape) - 1               # the new dimensions up to this one have no stride yet
    step, run = steps[-1], 1
    for i in reversed(range(len(sizes))):
        run *= sizes[i]
        if i > 0 and (sizes[i - 1] == 1 or steps[i - 1] == run * step):
            continue
        covered = 1
        while left >= 0 and (covered < run or shape[left] == 1):
            strides[left] = covered * step
            covered *= shape[left]
            left -= 1
        if covered != run:
            return None
        if i > 0:
            step, run = steps[i - 1], 1
    return tuple(strides)


def laid(array, shape, strides, offset=0):
    """An array over the memory of `array`: strides and offset in elements, the offset from where `array` starts."""
    if array.flags.forc and array.size and prod(shape):
        size = array.itemsize       # much the quicker way, but NumPy grants it for an array without gaps only
        return ndarray(shape, array.dtype, array, offset * size, tuple([s * size for s in strides]))
    return as_strided_array(array, shape, strides, offset)


def sizes_of(sizes, keyword=None):
    """The numbers that ``f(2, 3)``, ``f((2, 3))`` and ``f(size=(2, 3))`` all mean."""
    if keyword is not None:
        sizes = keyword
    elif len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = sizes[0]
    return tuple([n if type(n) is int else as_int(n) for n in sizes])
