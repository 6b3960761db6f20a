"""Copies with a part replaced (select_scatter, slice_scatter, diagonal_scatter), and rows combined by number
(index_reduce)."""
from __future__ import annotations

import numpy as np

from ..autograd.differentiable import differentiable
from ..autograd.inplace import in_place
from ..dtypes import short_name
from ..messages import dim_range
from ..warn import warn_once
from . import masks, slicing
from .either import beside, shape_of, zeros_beside
from .overwrite import in_copy

# --- a part replaced ----------------------------------------------------------------------------------------


def replaced(self, src, part):
    """A copy of the array; what `part` shows of it is `src`."""
    result = self.copy()
    part(result)[...] = src
    return result


@differentiable("SelectScatterBackward0",
                self=lambda grad, dim, index: _select_scatter(grad, zeros_beside(grad, ()), dim, index),
                src=lambda grad, dim, index: slicing._select(grad, dim, index))
def _select_scatter(self, src, dim, index):
    return replaced(self, src, lambda array: array[(slice(None),) * dim + (index, ...)])


@differentiable("SliceScatterBackward0",
                self=lambda grad, dim, start, end, step: _slice_scatter(
                    grad, zeros_beside(grad, ()), dim, start, end, step),
                src=lambda grad, dim, start, end, step: slicing._slice(grad, dim, start, end, step))
def _slice_scatter(self, src, dim, start, end, step):
    return replaced(self, src, lambda array: array[(slice(None),) * dim + (slice(start, end, step),)])


@differentiable("DiagonalScatterBackward0",
                self=lambda grad, offset, dim1, dim2: _diagonal_scatter(
                    grad, zeros_beside(grad, ()), offset, dim1, dim2),
                src=lambda grad, offset, dim1, dim2: slicing._diagonal(grad, offset, dim1, dim2))
def _diagonal_scatter(self, src, offset, dim1, dim2):
    def part(array):
        shown = np.diagonal(array, offset, dim1, dim2)
        shown.flags.writeable = True
        return shown
    return replaced(self, src, part)


def check_size(src, part):
    if src._array.shape != part._array.shape:
        raise RuntimeError("expected src to have a size equal to the slice of self. src size = "
                           f"{list(src._array.shape)}, slice size = {list(part._array.shape)}")


def select_scatter(self, src, dim, index):
    """A copy with ``select(dim, index)`` replaced by `src`."""
    check_size(src, slicing.select(self.detach(), dim, index))
    dim = dim_range(dim, self._array.ndim)
    return _select_scatter(self, src, dim, index % self._array.shape[dim])


def slice_scatter(self, src, dim=0, start=None, end=None, step=1):
    """A copy with the positions ``start:end:step`` along `dim` replaced by `src`."""
    dim = dim_range(dim, self._array.ndim)
    start, end, _ = slice(start, end, step).indices(self._array.shape[dim])
    check_size(src, slicing._slice(self.detach(), dim, start, end, step))
    return _slice_scatter(self, src, dim, start, end, step)


def diagonal_scatter(self, src, offset=0, dim1=0, dim2=1):
    """A copy with the diagonal replaced by `src`."""
    check_size(src, slicing.diagonal(self.detach(), offset, dim1, dim2))
    return _diagonal_scatter(self, src, offset, dim1, dim2)


# --- rows combined by number --------------------------------------------------------------------------------

def _spread(index, dim, source):
    """The number of a row, for each element of it: so index_reduce is scatter_reduce."""
    shape = [1] * len(shape_of(source))
    if shape:
        shape[dim] = -1
    array = np.asarray(getattr(index, "_array", index)).reshape(shape)
    return beside(source, np.array(np.broadcast_to(array, shape_of(source))))


def _reduced(grad, self, dim, index, source, reduce, include_self, result):
    return masks._reduced_gradients(grad, self, dim, _spread(index, dim, source), source, reduce,
                                    include_self, result)


@differentiable("IndexReduceBackward0",
                self=lambda grad, self, dim, index, source, reduce, include_self, result: _reduced(
                    grad, self, dim, index, source, reduce, include_self, result)[0],
                index=None,
                source=lambda grad, self, dim, index, source, reduce, include_self, result: _reduced(
                    grad, self, dim, index, source, reduce, include_self, result)[1])
def _index_reduce(self, dim, index, source, reduce, include_self):
    return in_copy(self, masks.reduce_at, dim, _spread(index, dim, source), source, reduce, include_self)


_write_index_reduce = in_place(_index_reduce)


def index_reduce(self, dim, index, source, reduce, *, include_self=True):
    """Each row (slice along `dim`) of `source` combined into the row of self that `index` names.

    reduce: "prod", "mean", "amax" or "amin".  include_self: whether what was there counts.
    """
    return _index_reduce(self, *index_reduce_arguments(self, dim, index, source, reduce), include_self)


def index_reduce_(self, dim, index, source, reduce, *, include_self=True):
    """`index_reduce`, written over the tensor."""
    return _write_index_reduce(self, *index_reduce_arguments(self, dim, index, source, reduce), include_self)


def index_reduce_arguments(self, dim, index, source, reduce):
    warn_once("index_reduce() is in beta and the API may change at any time.")
    name, numbers = "index_reduce_()", index._array
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got "
                           f"{reduce}.")
    dim = dim_range(dim, self._array.ndim)
    if numbers.ndim > 1:
        raise IndexError(f"{name}: Index is supposed to be a vector, but got dim: {numbers.ndim} with type: "
                         f"{short_name(numbers.dtype)} and size: {list(numbers.shape)}")
    if numbers.dtype not in (np.int32, np.int64):
        raise RuntimeError(f"{name}: Expected dtype int32/int64 for index but got: "
                           f"{short_name(numbers.dtype)}")
    if self._array.dtype != source._array.dtype:
        raise RuntimeError(f"{name}: self ({short_name(self._array.dtype)}) and source "
                           f"({short_name(source._array.dtype)}) must have the same scalar type")
    count, rows = [(*x._array.shape, 1)[dim] for x in (source, self)]
    if numbers.size != count:
        raise RuntimeError(f"{name}: Number of indices ({numbers.size}) should be equal to source.size(dim): "
                           f"({count}), for dim: {dim}")
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < rows:
        raise IndexError("index out of range in self")
    return dim, index, source, reduce


METHODS = "select_scatter slice_scatter diagonal_scatter index_reduce"
METHODS_ONLY = "index_reduce_"
