"""When the same numbers, where they lie, can be read under another shape: sizes and strides, no data."""
from __future__ import annotations

from math import prod

from numpy import ascontiguousarray, ndarray, nonzero

from ..memory import as_strided_array, contiguous_strides, element_strides, empty_like_layout, memory_order
from ..errors import listed_number


def inferred_shape(shape, count):
    """`shape` with its -1 worked out, for `count` elements; RuntimeError if it does not hold that many."""
    shape = sizes_of((shape,))
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
        raise RuntimeError(f"cannot reshape tensor of 0 elements into shape {list(shape)} because the "
                           "unspecified dimension size -1 can be any value and is ambiguous")
    if known == 0 or count % known:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {count}")
    return (*shape[:unknown], count // known, *shape[unknown + 1:])


def strides_for_view(array, shape):
    """The strides, in elements, under which `array` can be read as `shape`; None if its numbers would have to
    move.

    The dimensions of the array are taken in runs that lie evenly in memory; each run must be cut up by a run
    of the new dimensions with the same number of elements.
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
    """`as_strided_array`, the quick way where there is one."""
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
    return tuple([n if type(n) is int else listed_number(n) for n in sizes])


def torch_layout(found, source, indices):
    """The result of picking by `indices` from `source`, in the memory order in which PyTorch would lay it.

    NumPy and PyTorch agree on the numbers but not always on the strides.  PyTorch orders the dimensions of
    the result by the strides with which it walks over the source, then over each index.
    """
    if source.flags.c_contiguous and all(i is None or i.flags.c_contiguous for i in indices):
        if not found.flags.c_contiguous:
            return ascontiguousarray(found)
        # dimensions of size 1 get the strides that they have in new memory
        return found.ravel().reshape(found.shape) if 1 in found.shape else found
    outermost_first = memory_order(found.shape, *walking_strides(found.ndim, source, indices))
    strides, step = [0] * found.ndim, 1
    for d in reversed(outermost_first):
        strides[d] = step
        step *= found.shape[d]
    if element_strides(found) == tuple(strides) or not found.size:
        return found
    result = empty_like_layout(found.shape, strides, found.dtype)
    result[...] = found
    return result


def walking_strides(ndim, source, indices):
    """For source and indices, the steps with which each is walked over along the dimensions of the result."""
    steps = element_strides(source)
    spread = []                                             # (place in the source, index), masks as numbers
    place = 0
    for index in indices:
        if index is not None and index.dtype.kind in "bu":
            for numbers in nonzero(index):
                spread.append((place, numbers))
                place += 1
            continue
        if index is not None:
            spread.append((place, index))
        place += 1
    picked = [p for p, _ in spread]
    width = max([i.ndim for _, i in spread])
    together = picked == list(range(picked[0], picked[0] + len(picked)))
    start = picked[0] if together else 0
    rest = [steps[d] for d in range(source.ndim) if d not in picked]
    walks = [[*rest[:start], *[0] * width, *rest[start:]]]
    for _, index in spread:
        own = [step if n > 1 else 0 for step, n in zip(element_strides(index), index.shape)]
        walks.append([*[0] * start, *[0] * (width - index.ndim), *own, *[0] * (ndim - start - width)])
    return walks
