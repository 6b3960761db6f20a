"""Positions along a dimension, written by a vector of their numbers: index_add, index_copy, index_fill."""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from ..memory import copy_in_order, refuse_overlap
from ..errors import dim_range, only_number
from ..tensor import Tensor
from . import (indexing, pointwise, reductions, shape)  # noqa
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


@differentiable("IndexAddBackward0",
                self=lambda grad: grad,
                index=None,
                source=lambda grad, source_dim, dim, index, source, alpha: pointwise.times(
                    source_gradient(grad, dim, index, source), alpha))
def _index_add(self, dim, index, source, alpha):
    return in_copy(self, index_add_at, dim, index, source, alpha)


_index_add_ = in_memory(_index_add, index_add_at)


