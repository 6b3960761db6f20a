"""Rows picked and added to, with a vector of indices: index_select and index_add_.

A row that is picked twice collects two gradients.
"""
import numpy as np

from ..autograd.inplace import in_place
from ..autograd.operation import differentiable
from ..dtypes import short_name
from ..errors import dim_range
from ..ops.advanced_indexing import add_at
from ..ops.declaring import maybe_multiply, new_zeros, numpy_names, shape_of
from ..ops.expansion import _expand
from .scatter import check_bounds


def out_of_range(index, size):
    """Return the indices that are negative, or beyond the size."""
    return index[(index < 0) | (index >= size)]


# --- index_select ---------------------------------------------------------------------

@differentiable(
    "IndexSelectBackward0",
    index=None,
    self=lambda grad, self_shape, dim, index: (
        _index_add(new_zeros(grad, self_shape), dim, index, grad, 1)))
def _index_select(self, dim, index):
    place = dim_range(dim, self.ndim)
    check_index(self, index)
    size = self.shape[place] if self.ndim else 1
    wrong = out_of_range(index, size)
    if wrong.size and self.ndim > 1 and place == 1:     # there PyTorch has another loop
        raise RuntimeError(
            f"INDICES element is out of DATA bounds, id={wrong[0]} axis_dim={size}")
    if wrong.size:
        raise IndexError("index out of range in self")
    if not self.ndim:
        return self.copy()
    return self.take(np.atleast_1d(index), place)


@numpy_names
def index_select(self, dim, index):
    """Return the positions along a dimension that a vector of indices names.

        x = torch.tensor([1., 2., 3.])
        x.index_select(0, torch.tensor([2, 0]))     # tensor([3., 1.])

    The indices are int64 or int32.  Raises an error where one is out of range.
    """
    return _index_select(self, dim, index)


def check_index(array, index):
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if index.dtype.name not in ("int64", "int32"):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    if not array.ndim and index.size != 1:
        raise RuntimeError(
            "index_select(): Index to scalar can have only 1 value, got "
            f"{index.size} value(s)")


# --- index_add_ -----------------------------------------------------------------------

def source_backward(grad, dim, index, source, source_dim, alpha):
    grad = _expand(_index_select(grad, dim, index), shape_of(source))
    return maybe_multiply(grad, alpha)


@differentiable(
    "IndexAddBackward0",
    index=None,
    self=lambda grad: grad,
    source=source_backward)
def _index_add(self, dim, index, source, alpha):
    place, result = dim_range(dim, self.ndim), self.copy()
    check_source(self, place, index, source)
    if self.ndim > 1:
        check_bounds(index, place, self.shape[place])
    elif out_of_range(index, self.size).size:
        raise IndexError("index out of range in self")
    source = np.atleast_1d(maybe_multiply(source, self.dtype.type(alpha)))
    rows = np.atleast_1d(result).swapaxes(0, place)
    add_at(rows, (np.atleast_1d(index),), source.swapaxes(0, place))
    return result


def check_source(self, place, index, source):
    """Raise if the dtypes, the number of indices or the shapes do not fit."""
    if index.dtype.name not in ("int64", "int32"):
        raise RuntimeError(
            "index_add_(): Expected dtype int32/int64 for index but got: "
            f"{short_name(index.dtype)}")
    if source.dtype != self.dtype:
        raise RuntimeError(
            f"index_add_(): self ({short_name(self.dtype)}) and source "
            f"({short_name(source.dtype)}) must have the same scalar type")
    if place and place >= source.ndim:
        raise RuntimeError(
            f"index_add_(): Indexing dim {place} is out of bounds of the source tensor "
            f"with dim {source.ndim}")
    count = source.shape[place] if source.ndim else 1
    if index.size != count:
        raise RuntimeError(
            f"index_add_(): Number of indices ({index.size}) should be equal to "
            f"source.size(dim): ({count}), for dim: {place}")
    if other_sizes(source, place) != other_sizes(self, place):
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified "
            f"dimension. Got self.shape = {list(self.shape)} "
            f"source.shape = {list(source.shape)}")


def other_sizes(array, place):
    """Return the number of dimensions, and the sizes of all but the one at `place`."""
    return array.ndim, array.shape[:place], array.shape[place + 1:]


in_place_form = in_place(_index_add)


@numpy_names
def index_add_(self, dim, index, source, *, alpha=1):
    """Add alpha * source at the positions along a dimension that indices name.

        x, index = torch.zeros(3), torch.tensor([0, 0])
        x.index_add_(0, index, torch.ones(2))       # tensor([2., 0., 0.])
    """
    return in_place_form(self, dim, index, source, alpha)


METHODS = "index_select"
METHODS_ONLY = "index_add_"
