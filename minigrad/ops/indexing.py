"""Indexing with brackets, x[...] and x[...] = y: views first, then a picking.

Numbers, slices, None and ... are views, taken one after the other; what is left
(tensors, lists, masks) goes to one operation that copies.  A write takes the same
views, and writes the last one.
"""
from operator import index as as_int

import numpy as np

from ..autograd.operation import differentiable
from ..autograd.views import shares_memory
from ..errors import type_name, warn
from ..tensor import Tensor, wrap
from .advanced_indexing import _index, index_put_
from .dimensions import _unsqueeze
from .expansion import _expand
from .shape import _view
from .writing import copy_, fill_, number_for

TO_THE_END = 2 ** 63 - 1        # how PyTorch writes a slice without an end


def getitem(self, index):
    """Return ``x[index]``: a view for numbers, slices, None and ``...``, else a copy.

    Raises an IndexError where a number is out of range, or there are too many indices.
    """
    if type(index) is int:                      # the two commonest cases first
        return take_number(self, 0, index, 0)
    if type(index) is slice:
        return take_slice(self, 0, index, even_if_all=True)
    view, indices = take_views(self, index)
    if indices:
        return _index(view, indices)
    return alias(view) if view is self else view


def setitem(self, index, value):
    """Do ``x[index] = value``: a number or a tensor, which is broadcast and converted.

    Raises a RuntimeError where the shapes do not fit, or autograd forbids the write.
    """
    if not isinstance(value, Tensor):
        value = wrap(number_to_write(self, value))
    if index is False:
        return
    if index is True:
        view, indices = _unsqueeze(self, 0), []
    else:
        view, indices = take_views(self, index)
    sizes, given = view._array.shape, value._array.shape
    if indices:
        if given[:1] == (1,):
            value = without_leading_ones(value)
        index_put_(view, indices, value)
    # As in PyTorch: a single place is copied (CopyBackwards), several are filled
    # (FillBackward).
    elif sizes and not given:
        fill_(view, value)
    else:
        if given != sizes:
            value = without_leading_ones(value)
        if value._array.shape != sizes:
            value = _expand(value, sizes)
        copy_(view, value)


def number_to_write(self, value):
    """Return a number as an array of the tensor's dtype, or raise a TypeError."""
    if not isinstance(value, (int, float, complex, np.integer)):
        raise TypeError(
            f"can't assign a {type_name(value)} to a {self.dtype.tensor_type}")
    if isinstance(value, int) and not -2 ** 63 <= value < 2 ** 63:
        raise ValueError("Overflow when unpacking long long")
    return number_for(value, self._array.dtype)


def without_leading_ones(value):
    """Return a view without leading dimensions of size 1: a write may have too many."""
    sizes = value._array.shape
    while sizes[:1] == (1,):
        sizes = sizes[1:]
    return _view(value, sizes)


# --- the views of an index ------------------------------------------------------------

def take_views(self, index):
    """Return the view that an index takes, and what to pick from the view.

    What to pick is a list: for each dimension of the view a tensor of indices, or None
    for all of it.  A mask stands for as many dimensions as it has.
    """
    if type(index) is slice:
        return take_slice(self, 0, index), []
    if type(index) is int:
        return take_number(self, 0, index, 0), []
    items = index if isinstance(index, tuple) else (index,)
    ndim = self._array.ndim
    covered = sum([dims_covered(item) for item in items])
    if covered > ndim:
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    view, dim = self, 0             # the next item speaks of this dimension of the view
    indices, done = [], 0           # `indices` speaks of so many dimensions
    for i, item in enumerate([as_index(item) for item in items]):
        if item is ...:
            dim += ndim - covered
        elif item is None:
            view = _unsqueeze(view, dim)
            dim += 1
        elif isinstance(item, slice):
            view = take_slice(view, dim, item)
            dim += 1
        elif type(item) is int:
            view = take_number(view, dim, item, i)
        else:
            if isinstance(item, bool):      # a new dimension, with one place or none
                view = _unsqueeze(view, dim)
                item = wrap(np.zeros(int(item), np.int64))
            indices += [None] * (dim - done) + [item]
            dim += dims_covered(item)
            done = dim
    return view, indices


def as_index(item):
    """Return an item as an int, slice, None, ..., bool, or a tensor with dimensions."""
    if item is None or item is ... or isinstance(item, (int, slice)):
        return item
    if isinstance(item, np.integer):
        return int(item)
    if isinstance(item, (list, tuple, range, np.ndarray)):
        array = np.asarray(item)
        if array.dtype.kind in "if":
            array = array.astype(np.int64)
        item = wrap(array)
    elif isinstance(item, str):
        raise TypeError("new(): invalid data type 'str'")
    elif not isinstance(item, Tensor):
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte "
            f"Variables are valid indices (got {type_name(item)})")
    array = item._array
    if array.dtype == np.uint8:
        warn("indexing with dtype torch.uint8 is now deprecated, please use a dtype "
             "torch.bool instead.")
        return wrap(array != 0)
    if not array.ndim and array.dtype.kind in "bi":
        return array.item()
    if array.dtype.name not in ("int64", "int32", "bool"):
        raise IndexError(
            "tensors used as indices must be long, int, byte or bool tensors")
    return item


def dims_covered(item):
    """Return how many dimensions of the tensor an item of an index stands for."""
    if item is None or item is ... or isinstance(item, bool):
        return 0
    if isinstance(item, Tensor) and item._array.dtype.name in ("bool", "uint8"):
        return item._array.ndim
    return 1


def take_number(view, dim, number, item):
    """Return the view at one position; errors name the number of the index's item."""
    sizes = view._array.shape
    size = sizes[dim] if sizes else 0
    if -size <= number < size:
        return _select(view, dim, number)
    if not sizes and not number:
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
            "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number")
    raise IndexError(
        f"index {number} is out of bounds for dimension {item} with size {size}")


def take_slice(view, dim, part, even_if_all=False):
    """Return the view of a range; where that is all, `view` itself, or a new view."""
    part.indices(0)             # refuses a step of 0, and what is no integer
    start = 0 if part.start is None else as_int(part.start)
    end = TO_THE_END if part.stop is None else as_int(part.stop)
    step = 1 if part.step is None else as_int(part.step)
    if step < 0:
        raise ValueError("step must be greater than zero")
    sizes = view._array.shape
    if not sizes:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    is_all = start == 0 and step == 1 and end >= sizes[dim]
    if is_all and not even_if_all:
        return view
    return _slice(view, dim, start, end, step)


# --- the parts that an index names, as views ------------------------------------------
# The gradient of a part is zero everywhere else: `select_backward` and `slice_backward`
# write it into zeros.

def along(dim, index, ndim):
    """Return what to write between brackets to index one dimension alone."""
    before = (slice(None),) * (dim % ndim)
    return (*before, index, ...)        # the ... makes a single number a view, too


def in_zeros(part, sizes, index):
    """Return zeros of these sizes, with a part written where the index says."""
    result = np.zeros(sizes, part.dtype)
    result[index] = part
    return result


@shares_memory
@differentiable("AliasBackward0", self=lambda grad: grad)
def alias(self):
    """Return a view of all of the tensor."""
    return self[...]


@shares_memory
@differentiable(
    "SelectBackward0",
    self=lambda grad, self_shape, dim, index: (
        select_backward(grad, self_shape, dim, index)))
def _select(self, dim, index):
    if dim == 0:
        return self[index, ...]
    return self[along(dim, index, self.ndim)]


@differentiable(
    "SelectBackwardBackward0",
    grad_output=lambda grad, dim, index: _select(grad, dim, index))
def select_backward(grad_output, input_sizes, dim, index):
    part = along(dim, index, len(input_sizes))
    return in_zeros(grad_output, input_sizes, part)


@shares_memory
@differentiable(
    "SliceBackward0",
    self=lambda grad, self_shape, dim, start, end, step: (
        slice_backward(grad, self_shape, dim, start, end, step)))
def _slice(self, dim, start, end, step):
    part = slice(start, end, step)
    if dim == 0:
        return self[part]
    return self[along(dim, part, self.ndim)]


@differentiable(
    "SliceBackwardBackward0",
    grad_output=lambda grad, dim, start, end, step: (
        _slice(grad, dim, start, end, step)))
def slice_backward(grad_output, input_sizes, dim, start, end, step):
    part = along(dim, slice(start, end, step), len(input_sizes))
    return in_zeros(grad_output, input_sizes, part)


ATTRIBUTES = {"__getitem__": getitem, "__setitem__": setitem}
