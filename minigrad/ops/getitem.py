"""What stands between brackets: x[...] taken apart into views and one picking of elements, and x[...] = y.

Numbers, slices, None and ... are views, applied one after the other; what is left (tensors, lists, masks)
goes to one operation that copies.  Writing goes the same way: the views are taken, and the last of them is
written.
"""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..errors import type_name
from ..nested import array_from, inferred
from ..tensor import Tensor, bump_version, wrap
from ..errors import warn
from . import expansion, indexing, overwrite, scatter, shape, writing
from .slicing import _select, _slice

TO_THE_END = 2 ** 63 - 1        # how PyTorch writes a slice without an end
NOT_AN_INDEX = ("only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
                "indices (got {})")
NOT_A_TUPLE = (
    "Using a non-tuple sequence for multidimensional indexing is deprecated and will be changed in pytorch "
    "2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be interpreted as tensor index, "
    "x[torch.tensor(seq)], which will result either in an error or a different result")
BYTE_MASK = "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."
OF_A_NUMBER = ("invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ "
               "to convert a 0-dim tensor to a number")
INTEGERS = ("int64", "int32", "int16", "int8")


def getitem(self, index):
    """``x[index]``: numbers, slices, ``None`` and ``...`` give a view, tensors, lists and masks a copy.

    Raises:
        IndexError: a number is out of range, there are too many indices, or one is of a wrong type.
    """
    kind = type(index)
    if kind is int:                                 # the commonest cases first
        try:
            return _select(self, 0, index)
        except IndexError:
            raise number_error(self._array.shape, 0, index) from None
    if kind is slice:
        return take_slice(self, 0, index, True)
    if kind is tuple:
        for one in index:
            if type(one) is not int:
                break
        else:
            if 0 < len(index) <= self._array.ndim:
                view = self
                for dim, one in enumerate(index):
                    try:
                        view = _select(view, 0, one)
                    except IndexError:
                        raise number_error(view._array.shape, dim, one) from None
                return view
    elif kind is Tensor and index._array.dtype == dtypes.INT64 and index._array.ndim and self._array.ndim:
        return indexing._index(self, [index])
    elif index is None:
        return shape.unsqueeze(self, 0)
    elif index is ...:
        return shape.alias(self)
    view, indices = views_and_indices(self, index)
    if indices:
        return indexing._index(view, indices)
    return shape.alias(self) if view is self else view


def setitem(self, index, value):
    """``x[index] = value``: the value, a number or a tensor, is broadcast and converted.

    Raises:
        IndexError: as for reading.
        RuntimeError: the shapes do not fit, or autograd forbids the write.
        TypeError: the value is neither a number nor a tensor.
    """
    if type(index) is int and type(value) in (int, float) and write_number(self, index, value):
        return
    value = value_tensor(self, value)
    if index is False:
        return
    if index is ... or index is None or index is True:
        copy_to(self if index is ... else shape.unsqueeze(self, 0), value, index is ...)
        return
    if type(index) is int:
        view, indices = take_number(self, 0, index, 0), None
    elif type(index) is slice:
        view, indices = take_slice(self, 0, index, False), None
    else:
        view, indices = views_and_indices(self, index)
    if indices:
        given = value._array.shape
        if given and given[0] == 1:
            value = without_leading_ones(value)
        scatter._index_put_(view, indices, value, False)
    else:
        copy_to(view, value, view is self)


# --- taking the brackets apart ------------------------------------------------------------------------------

def views_and_indices(self, index):
    """Take everything that is a view.

    Returns:
        That view, and what to pick from it: for each dimension an index tensor or None.
    """
    items = as_items(index)
    array = self._array
    ndim = array.ndim
    count = 0
    for item in items:
        if isinstance(item, (Tensor, np.ndarray)):
            array = item._array if isinstance(item, Tensor) else item
            count += array.ndim if array.dtype.kind == "b" or array.dtype == np.uint8 else 1
        elif item is not None and item is not ... and item is not True and item is not False:
            count += 1
    if count > ndim:
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    places = [as_index(item) if not isinstance(item, (slice, Tensor)) else item for item in items]
    view, dim, indices = self, 0, []
    waiting = 0                         # dimensions since the last index, which are taken whole
    for place, item in enumerate(places):
        if item is ...:
            skipped = ndim - count
            dim, waiting = dim + skipped, waiting + skipped
        elif item is None:
            view = shape.unsqueeze(view, dim)
            dim, waiting = dim + 1, waiting + 1
        elif isinstance(item, slice):
            view = take_slice(view, dim, item, False)
            dim, waiting = dim + 1, waiting + 1
        elif isinstance(item, Tensor) or item is True or item is False:
            found = item if isinstance(item, Tensor) else None
            kind = "bool" if found is None else found._array.dtype.name
            if found is not None and not found._array.ndim and kind in INTEGERS:
                view = take_number(view, dim, int(found._array), place)
                continue
            if found is None or not found._array.ndim and kind in ("bool", "uint8"):
                view = shape.unsqueeze(view, dim)
                found = wrap(np.zeros(1 if (item is True if found is None else bool(found._array)) else 0,
                                      np.int64))
                covered = 1
            else:
                check_index(found)
                covered = found._array.ndim if kind in ("bool", "uint8") else 1
            indices += [None] * waiting + [found]
            dim, waiting = dim + covered, 0
        else:
            view = take_number(view, dim, item, place)
    return view, indices


def as_items(index):
    """The items of an index: of a tuple, or of a list that PyTorch reads as one."""
    if isinstance(index, tuple):
        return index
    if isinstance(index, (list, range, str)) and is_like_a_tuple(index):
        warn(NOT_A_TUPLE)
        return tuple(index)
    return (index,)


def is_like_a_tuple(index):
    if len(index) >= 32:
        return False
    return any(isinstance(item, (Tensor, list, tuple, range, str, slice, np.ndarray)) or item is None
                or item is ...
                for item in index)


def as_index(item):
    """An item as one of: an int, None, ..., True, False, a tensor."""
    if item is None or item is ... or item is True or item is False or type(item) is int:
        return item
    if isinstance(item, np.ndarray):
        return wrap(item)
    if isinstance(item, (list, tuple, range)):
        return index_tensor(item)
    if isinstance(item, str):
        raise TypeError("new(): invalid data type 'str'")
    if isinstance(item, (int, np.integer)):
        return int(item)
    raise IndexError(NOT_AN_INDEX.format(type_name(item)))


def index_tensor(items):
    """A list of numbers as an index: all bool, a mask; otherwise int64, fractions cut off."""
    kind = inferred(items)
    return wrap(array_from(items, kind if kind == np.bool_ or kind == np.uint8 else np.dtype(np.int64)))


def check_index(index):
    name = index._array.dtype.name
    if name == "uint8":
        warn(BYTE_MASK)
    elif name not in ("int64", "int32", "bool"):
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")


def take_number(view, dim, number, place):
    """The view at one position; errors speak of `place`, the number's place in the index."""
    sizes = view._array.shape
    size = sizes[dim] if dim < len(sizes) else 0
    if not -size <= number < size:
        raise number_error(sizes, place, number, dim)
    return _select(view, dim, number)


def number_error(sizes, place, number, dim=0):
    if not sizes and not number:
        return IndexError(OF_A_NUMBER)
    size = sizes[dim] if dim < len(sizes) else 0
    return IndexError(f"index {number} is out of bounds for dimension {place} with size {size}")


def take_slice(view, dim, part, always):
    """The view of a range; the tensor itself if that is all of it, unless a view is wanted `always`."""
    sizes = view._array.shape
    start, end, step = part.start, part.stop, part.step
    start = 0 if start is None else start if type(start) is int else slice_number(start)
    end = TO_THE_END if end is None else end if type(end) is int else slice_number(end)
    if step is None:
        step = 1
    else:
        step = step if type(step) is int else slice_number(step)
        if step <= 0:
            raise ValueError("step must be greater than zero" if step else "slice step cannot be zero")
    if not sizes:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if not always and start == 0 and step == 1 and end >= sizes[dim]:
        return view
    return _slice(view, dim, start, end, step)


def slice_number(value):
    if isinstance(value, Tensor) and (value._array.dtype.kind == "f" or value._array.size != 1):
        raise TypeError("only integer tensors of a single element can be converted to an index")
    if isinstance(value, Tensor):
        return int(value._array.item())
    if not hasattr(value, "__index__"):
        raise TypeError("slice indices must be integers or None or have an __index__ method")
    return value.__index__()


# --- writing ------------------------------------------------------------------------------------------------

def value_tensor(self, value):
    """What is written, as a tensor; a number takes the dtype of `self`."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic):
        if isinstance(value, int) and not -2 ** 63 <= value < 2 ** 63:
            raise ValueError("Overflow when unpacking long long")
        return wrap(overwrite.number_for(value, self._array.dtype))
    raise TypeError(f"can't assign a {type_name(value)} to a {self.dtype.tensor_type}")


def write_number(self, index, number):
    """``x[i] = number`` the short way; False if something may be recorded or refused."""
    array = self._array
    if (self._requires_grad or self._view is not None or self._extra is not None or 0 in array.strides
            or array.dtype.kind != "f" or not array.ndim or not -len(array) <= index < len(array)
            or not -1e30 < number < 1e30 or not array.flags.writeable):
        return False
    array[index] = number
    bump_version(self)
    return True


def copy_to(view, value, lives_on):
    """Write a tensor over a view; leading dimensions of size 1 do not count."""
    sizes, given = view._array.shape, value._array.shape
    if given == sizes:
        writing.overwrite(view, value, lives_on)
    elif not given:
        writing.fill_with(view, value, lives_on)
    else:
        value = without_leading_ones(value)
        if value._array.shape != sizes:
            value = expansion._expand(value, sizes)
        writing.overwrite(view, value, lives_on)


def without_leading_ones(value):
    sizes = value._array.shape
    first = 0
    while first < len(sizes) and sizes[first] == 1:
        first += 1
    return shape._view(value, sizes[first:])


OPERATORS = {'__getitem__': getitem, '__setitem__': setitem}
