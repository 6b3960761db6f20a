"""Positions along a dimension, written by a vector of their numbers: index_add, index_copy, index_fill."""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from ..memory import copy_in_order, refuse_overlap
from ..messages import dim_range, only_number
from ..tensor import Tensor
from . import arithmetic, indexing, reduction, shape
from .either import array_of, beside, shape_of
from .overwrite import add_at, check_no_overlap, flat_if_number, in_copy, in_memory, one_number, warn_expanded


def index_add_at(array, dim, index, source, alpha):
    place = dim_range(dim, array.ndim)
    if index.ndim > 1:
        raise IndexError(f"index_add_(): Index is supposed to be a vector, but got dim: {index.ndim} with "
                         f"type: {dtypes.short_name(index.dtype)} and size: {list(index.shape)}")
    if index.dtype.name not in ("int64", "int32"):
        raise RuntimeError("index_add_(): Expected dtype int32/int64 for index but got: "
                           f"{dtypes.short_name(index.dtype)}")
    if source.dtype != array.dtype:
        raise RuntimeError(f"index_add_(): self ({dtypes.short_name(array.dtype)}) and source "
                           f"({dtypes.short_name(source.dtype)}) must have the same scalar type")
    if place and source.ndim <= place:
        raise RuntimeError(f"index_add_(): Indexing dim {place} is out of bounds of the source tensor with "
                           f"dim {source.ndim}")
    along = source.shape[place] if source.ndim > place else 1
    if index.size != along:
        raise RuntimeError(f"index_add_(): Number of indices ({index.size}) should be equal to "
                           f"source.size(dim): ({along}), for dim: {place}")
    if source.ndim != array.ndim or any(
            [n != m for d, (n, m) in enumerate(zip(array.shape, source.shape)) if d != place]):
        raise RuntimeError("source tensor shape must match self tensor shape, excluding the specified "
                           f"dimension. Got self.shape = {list(array.shape)} source.shape = "
                           f"{list(source.shape)}")
    if array.ndim > 1 and not array.size:
        return                      # nothing is added anywhere, so PyTorch does not look at the indices
    check_no_overlap(array, source)
    try:
        indexing.check_bounds(index, place, array.shape[place] if array.ndim else 1)
    except RuntimeError:
        if array.ndim > 1 and alpha == 1 and place in (0, array.ndim - 1):
            raise                   # these PyTorch hands to scatter_add
        raise IndexError("index out of range in self") from None
    if alpha != 1:
        source = source * np.asarray(alpha, array.dtype)
    index = np.atleast_1d(index)
    moved = flat_if_number(array).swapaxes(0, place)
    add_at(moved, (index,), np.atleast_1d(source).swapaxes(0, place))


def source_gradient(grad, dim, index, source):
    """What was written from `source` has the gradient of where it went."""
    sizes = shape_of(source)
    return shape._expand(indexing._index_select(grad, dim, index), sizes) if sizes else \
        indexing._index_select(grad, dim, shape._squeeze_dim(index, 0))


@differentiable("IndexAddBackward0",
                self=lambda grad: grad,
                index=None,
                source=lambda grad, source_dim, dim, index, source, alpha: arithmetic.times(
                    source_gradient(grad, dim, index, source), alpha))
def _index_add(self, dim, index, source, alpha):
    return in_copy(self, index_add_at, dim, index, source, alpha)


def index_copy_at(array, dim, index, source):
    place = dim_range(dim, array.ndim)
    refuse_overlap(array)
    if index.ndim > 1:
        raise IndexError(f"index_copy_(): Index should have dimension 1 or 0 (got {index.ndim})")
    if array.ndim and source.ndim and array.ndim != source.ndim:
        raise IndexError("index_copy_(): When source and destination are not scalars, their dimensionality "
                         f"must match. Source dimensionality ({source.ndim}), destination dimensionality "
                         f"({array.ndim})")
    if index.dtype != dtypes.INT64:
        raise RuntimeError("index_copy_(): Expected a long tensor for index, but got "
                           f"{dtypes.short_name(index.dtype)}")
    if source.dtype != array.dtype:
        raise RuntimeError("index_copy_(): self and source expected to have the same dtype, but got (self) "
                           f"{dtypes.short_name(array.dtype)} and (source) {dtypes.short_name(source.dtype)}")
    for d, (n, m) in enumerate(zip(array.shape, source.shape)):
        if d != place and n != m:
            raise RuntimeError("index_copy_(): Source/destination tensor must have same slice shapes. "
                               "Destination slice shape: "
                               f"{' '.join(map(str, array.shape[:place] + array.shape[place + 1:]))} at "
                               f"dimension {place} and source slice shape: "
                               f"{' '.join(map(str, source.shape[:place] + source.shape[place + 1:]))} at "
                               "dimension 0.")
    along = source.shape[place] if source.ndim else 1
    if index.size != along:
        raise IndexError(f"index_copy_(): Number of indices ({index.size}) should be equal to "
                         f"source.size(dim) ({along})")
    size = array.shape[place] if array.ndim else 1
    if index.size and (index.min() < 0 or index.max() >= size):
        wrong = index.ravel()[(index.ravel() < 0) | (index.ravel() >= size)][0]
        raise IndexError(f"index_copy_(): index {wrong} is out of bounds for dimension {place} with size "
                         f"{size}")
    check_no_overlap(array, source)
    flat_if_number(array).swapaxes(0, place)[np.atleast_1d(index)] = np.atleast_1d(source).swapaxes(0, place)


@differentiable("IndexCopyBackward0",
                self=lambda grad, dim, index: _index_fill(grad, dim, index, 0),
                index=None,
                source=lambda grad, source_dim, dim, index, source: source_gradient(grad, dim, index, source))
def _index_copy(self, dim, index, source):
    return in_copy(self, index_copy_at, dim, index, source)


def index_fill_at(array, dim, index, value):
    place = dim_range(dim, array.ndim)
    if index.dtype != dtypes.INT64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    if index.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    size = array.shape[place] if array.ndim else 1
    if index.size and (index.min() < -size or index.max() >= size):
        raise indexing.out_of_bounds(index, place, size)
    value = one_number("index_fill_", value, array.dtype)
    warn_expanded("index_fill_", "tensor[mask] = scalar", array)
    flat_if_number(array).swapaxes(0, place)[np.atleast_1d(index)] = value


@differentiable("IndexFillBackward0", self=lambda grad, dim, index: _index_fill(grad, dim, index, 0),
                index=None)
def _index_fill(self, dim, index, value):
    return in_copy(self, index_fill_at, dim, index, value, copy=copy_in_order)


@differentiable("IndexFillBackward1",
                self=lambda grad, dim, index: _index_fill(grad, dim, index, 0),
                index=None,
                value=lambda grad, dim, index: reduction._sum(
                    indexing._index_select(grad, dim, once_each(index)), None))
def _index_fill_tensor(self, dim, index, value):
    return in_copy(self, index_fill_at, dim, index, value, copy=copy_in_order)


def once_each(index):
    """The indices without repetitions."""
    return beside(index, np.unique(array_of(index)))


_index_add_ = in_memory(_index_add, index_add_at)
_index_copy_ = in_memory(_index_copy, index_copy_at)
_index_fill_ = in_memory(_index_fill, index_fill_at)
_index_fill_tensor.operation.needs_float = True
_index_fill_tensor_ = in_memory(_index_fill_tensor, index_fill_at)


def index_add(self, dim, index, source, *, alpha=1):
    """A copy with alpha * source added at the positions along a dimension that a vector of indices names."""
    only_number(alpha)
    return _index_add(self, dim, index, source, alpha)


def index_add_(self, dim, index, source, *, alpha=1):
    """Add alpha * source at the positions along a dimension that a vector of indices names."""
    return _index_add_(self, dim, index, source, alpha)


def index_copy(self, dim, index, source):
    """A copy with the positions along a dimension replaced by those of `source`."""
    return _index_copy(self, dim, index, source)


def index_copy_(self, dim, index, source):
    """Write `source` to the positions along a dimension that a vector of indices names."""
    return _index_copy_(self, dim, index, source)


def index_fill(self, dim, index, value):
    """A copy with one number at the positions along a dimension that a vector of indices names."""
    return (_index_fill_tensor if isinstance(value, Tensor) else _index_fill)(self, dim, index, value)


def index_fill_(self, dim, index, value):
    """Write one number to the positions along a dimension that a vector of indices names."""
    return (_index_fill_tensor_ if isinstance(value, Tensor) else _index_fill_)(self, dim, index, value)


METHODS = "index_add index_copy index_fill"
METHODS_ONLY = "index_add_ index_copy_ index_fill_"
