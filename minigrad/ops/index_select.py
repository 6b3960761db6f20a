"""A vector of indices along one dimension: index_select picks positions, index_add adds to them.

Each is the gradient of the other.
"""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.operation import differentiable
from ..errors import dim_range
from ..tensor import bump_version, wrap_new
from .expansion import _expand
from .formulas import maybe_multiply, new_zeros, shape_of
from .overwrite import add_at, check_no_overlap, in_copy, in_memory
from .scatter import check_bounds


@differentiable("IndexSelectBackward0", index=None, self=lambda grad, self_shape, dim, index: (
    _index_add(new_zeros(grad, self_shape), dim, index, grad, 1)))
def _index_select(self, dim, index):
    place = dim_range(dim, self.ndim)
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if index.dtype.name not in ("int64", "int32"):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    if not self.ndim and index.size != 1:
        raise RuntimeError("index_select(): Index to scalar can have only 1 value, got "
                           f"{index.size} value(s)")
    size = self.shape[place] if self.ndim else 1
    wrong = index[(index < 0) | (index >= size)]
    if wrong.size and self.ndim > 1 and place == 1:     # along dimension 1, PyTorch has another loop
        raise RuntimeError(f"INDICES element is out of DATA bounds, id={wrong[0]} axis_dim={size}")
    if wrong.size:
        raise IndexError("index out of range in self")
    return self.take(index if index.ndim else index.reshape(1), place) if self.ndim else self.copy()


def index_select(self, dim, index):
    """Return the positions along a dimension that a vector of indices (int64 or int32) names.

        torch.tensor([1., 2., 3.]).index_select(0, torch.tensor([2, 0]))    # tensor([3., 1.])
    """
    return _index_select(self, dim, index)


@differentiable("IndexAddBackward0", index=None,
                self=lambda grad: grad,
                source=lambda grad, source_dim, dim, index, source, alpha: maybe_multiply(
                    source_gradient(grad, dim, index, source), alpha))
def _index_add(self, dim, index, source, alpha):
    return in_copy(self, add_source, dim, index, source, alpha)


def source_gradient(grad, dim, index, source):
    picked = _index_select(grad, dim, index)
    return _expand(picked, shape_of(source)) if shape_of(source) else picked


def add_source(array, dim, index, source, alpha):
    place = dim_range(dim, array.ndim)
    check_index_add(array, place, index, source)
    if array.ndim > 1 and not array.size:
        return                      # nothing is added anywhere, so PyTorch does not look at the indices
    check_no_overlap(array, source)
    try:
        check_bounds(index, place, array.shape[place] if array.ndim else 1)
    except RuntimeError:
        if array.ndim > 1 and alpha == 1 and place in (0, array.ndim - 1):
            raise                   # these PyTorch hands to scatter_add
        raise IndexError("index out of range in self") from None
    source = np.atleast_1d(maybe_multiply(source, np.asarray(alpha, array.dtype)))
    target = array.reshape(array.shape or 1).swapaxes(0, place)
    add_at(target, (np.atleast_1d(index),), source.swapaxes(0, place))


def check_index_add(array, place, index, source):
    """Raise what PyTorch raises for an index or a source that does not fit."""
    if index.ndim > 1:
        raise IndexError("index_add_(): Index is supposed to be a vector, but got dim: "
                         f"{index.ndim} with type: {dtypes.short_name(index.dtype)} and size: "
                         f"{list(index.shape)}")
    if index.dtype.name not in ("int64", "int32"):
        raise RuntimeError("index_add_(): Expected dtype int32/int64 for index but got: "
                           f"{dtypes.short_name(index.dtype)}")
    if source.dtype != array.dtype:
        raise RuntimeError(f"index_add_(): self ({dtypes.short_name(array.dtype)}) and source "
                           f"({dtypes.short_name(source.dtype)}) must have the same scalar type")
    if place and source.ndim <= place:
        raise RuntimeError(f"index_add_(): Indexing dim {place} is out of bounds of the source "
                           f"tensor with dim {source.ndim}")
    count = source.shape[place] if source.ndim else 1
    if index.size != count:
        raise RuntimeError(f"index_add_(): Number of indices ({index.size}) should be equal to "
                           f"source.size(dim): ({count}), for dim: {place}")
    if (source.ndim != array.ndim or source.shape[:place] != array.shape[:place]
            or source.shape[place + 1:] != array.shape[place + 1:]):
        raise RuntimeError("source tensor shape must match self tensor shape, excluding the "
                           f"specified dimension. Got self.shape = {list(array.shape)} source.shape "
                           f"= {list(source.shape)}")


_index_add_ = in_memory(_index_add, add_source)


def index_add(self, dim, index, source, *, alpha=1):
    """Return a copy with alpha * source added at the positions that a vector of indices names."""
    return _index_add(self, dim, index, source, alpha)


def index_add_(self, dim, index, source, *, alpha=1):
    """Add alpha * source at the positions along a dimension that a vector of indices names."""
    return _index_add_(self, dim, index, source, alpha)


def _one_hot(index, num_classes=-1):
    """Return rows of zeros with a 1 at the place that the index names; int64."""
    array = index._array
    if array.dtype != dtypes.INT64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not array.size and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if array.min(initial=0) < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(array.max()) + 1
    elif array.max(initial=-1) >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    result = wrap_new((array[..., None] == np.arange(num_classes)).astype(np.int64))
    for _ in range(2 if array.size else 0):     # PyTorch fills it in two steps
        bump_version(result)
    return result


METHODS = "index_select index_add"
METHODS_ONLY = "index_add_"
