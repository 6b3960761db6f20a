"""Elements picked and written by their indices along one dimension.

With one index for each element, gather picks, scatter writes and scatter_add adds.  With a vector
of indices, index_select picks and index_add adds.  An element picked twice collects two gradients.
"""
import numpy as np

from ..autograd.inplace import in_place
from ..autograd.operation import differentiable
from ..dtypes import short_name
from ..errors import dim_range
from ..memory import OVERLAPS_SOURCE
from ..tensor import Tensor
from .expansion import _expand
from .formulas import maybe_multiply, new_zeros, shape_of
from .writing import number_for


def check_bounds(index, dim, n):
    """Raise the RuntimeError of the first index that is negative or beyond the size."""
    wrong = index[(index < 0) | (index >= n)]
    if wrong.size:
        raise RuntimeError(f"index {wrong[0]} is out of bounds for dimension {dim} with size {n}")


def check_dtype(function, index):
    if index.size and index.dtype.name not in ("int64", "int32"):
        raise RuntimeError(f"{function}(): Expected dtype int32/int64 for index")


def add_at(array, places, values):
    """Compute ``array[places] += values``, where a place that is named twice collects both."""
    index = places[0]
    if len(places) == 1 and array.ndim > 1 and array.flags.c_contiguous and index.dtype.kind == "i":
        # NumPy is quick at this in one dimension only
        width = array[0].size if len(array) else 0
        flat = (index.reshape(-1, 1) % max(len(array), 1)) * width + np.arange(width)
        values = np.broadcast_to(values, (*index.shape, *array.shape[1:]))
        array, places, values = array.reshape(-1), flat.reshape(-1), values.reshape(-1)
    np.add.at(array, places, values)


@differentiable("GatherBackward0", index=None, self=lambda grad, self, dim, index, sparse_grad: (
    _scatter_add(new_zeros(grad, shape_of(self)), dim, index, grad)))
def _gather(self, dim, index, sparse_grad):
    place = dim_range(dim, self.ndim)
    check_dtype("gather", index)
    if not index.size:
        return np.empty(index.shape, self.dtype)
    if max(index.ndim, 1) != max(self.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    for d, (n, size) in enumerate(zip(index.shape, self.shape)):
        if d != place and n > size:
            raise RuntimeError(f"Size does not match at dimension {d} expected index "
                               f"{list(index.shape)} to be no larger than self {list(self.shape)} "
                               f"apart from dimension {place}")
    source = np.atleast_1d(self)
    check_bounds(index, place, source.shape[place])
    return source[index if source.ndim == 1 else places_along(index, place)]


def places_along(index, dim):
    """Return indices that put `index` into one dimension and count along the others."""
    return tuple([index if d == dim else np.arange(n).reshape([-1] + [1] * (index.ndim - d - 1))
                  for d, n in enumerate(index.shape)])


def gather(self, dim, index, *, sparse_grad=False):
    """Return the elements that an index tensor (int64) names along a dimension.

    For dim=1, result[i][j] = self[i][index[i][j]]: the result has the shape of `index`.

        torch.tensor([[1, 2], [3, 4]]).gather(1, torch.tensor([[1], [0]]))  # tensor([[2], [3]])

    Raises a RuntimeError where an index is negative or too large, or the shapes do not fit.
    """
    return _gather(self, dim, index, sparse_grad)


def scattered(self, dim, index, src, write):
    """Return a copy of `self` in which `write(copy, places, part of src)` has written."""
    place, result = dim_range(dim, self.ndim), self.copy()
    check_dtype("scatter", index)
    if src.ndim and src.dtype != self.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if not index.size:
        return result
    for name, other in (("self", self), ("src", src if src.ndim else index)):
        if max(index.ndim, 1) != max(other.ndim, 1):
            raise RuntimeError("Index tensor must have the same number of dimensions as "
                               f"{name} tensor")
    target, index = np.atleast_1d(result), np.atleast_1d(index)
    for d, n in enumerate(index.shape):
        if d != place and n > target.shape[d] or src.ndim and n > src.shape[d]:
            raise RuntimeError(
                f"Expected index {list(index.shape)} to be no larger than self {list(self.shape)} "
                f"apart from dimension {place}"
                + (f" and to be no larger size than src {list(src.shape)}" if src.ndim else ""))
    check_bounds(index, place, target.shape[place])
    part = src[tuple([slice(n) for n in index.shape])] if src.ndim else src
    write(target, places_along(index, place), part)
    return result


@differentiable("ScatterBackward0", index=None,
                self=lambda grad, dim, index: _scatter_value(grad, dim, index, 0),
                src=lambda grad, dim, index: _gather(grad, dim, index, False))
def _scatter_src(self, dim, index, src):
    return scattered(self, dim, index, src, np.ndarray.__setitem__)


@differentiable("ScatterBackward1", index=None,
                self=lambda grad, dim, index: _scatter_value(grad, dim, index, 0))
def _scatter_value(self, dim, index, value):
    return scattered(self, dim, index, number_for(value, self.dtype), np.ndarray.__setitem__)


@differentiable("ScatterAddBackward0", index=None, self=lambda grad: grad,
                src=lambda grad, dim, index: _gather(grad, dim, index, False))
def _scatter_add(self, dim, index, src):
    return scattered(self, dim, index, src, np.add.at)


_scatter_src_, _scatter_value_ = in_place(_scatter_src), in_place(_scatter_value)
scatter_add_ = in_place(_scatter_add)


def scatter_(self, dim, index, src=None, *, value=None):
    """Write src[i][j], or a number, to self[i][index[i][j]] for dim=1, and so on.

    Either of two values for one place may remain.  Raises a RuntimeError where shapes do not fit.
    """
    src = value if src is None else src
    if src is self:
        raise RuntimeError(OVERLAPS_SOURCE)
    return (_scatter_src_ if isinstance(src, Tensor) else _scatter_value_)(self, dim, index, src)


@differentiable("IndexSelectBackward0", index=None, self=lambda grad, self_shape, dim, index: (
    _index_add(new_zeros(grad, self_shape), dim, index, grad, 1)))
def index_select(self, dim, index):
    """Return the positions along a dimension that a vector of indices (int64 or int32) names.

        torch.tensor([1., 2., 3.]).index_select(0, torch.tensor([2, 0]))    # tensor([3., 1.])
    """
    place = dim_range(dim, self.ndim)
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if index.dtype.name not in ("int64", "int32"):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    size = self.shape[place] if self.ndim else 1
    if not self.ndim and index.size != 1:
        raise RuntimeError("index_select(): Index to scalar can have only 1 value, got "
                           f"{index.size} value(s)")
    wrong = index[(index < 0) | (index >= size)]
    if wrong.size and self.ndim > 1 and place == 1:     # there PyTorch has another loop
        raise RuntimeError(f"INDICES element is out of DATA bounds, id={wrong[0]} axis_dim={size}")
    if wrong.size:
        raise IndexError("index out of range in self")
    return self.take(np.atleast_1d(index), place) if self.ndim else self.copy()


@differentiable("IndexAddBackward0", index=None, self=lambda grad: grad,
                source=lambda grad, source_dim, dim, index, source, alpha: maybe_multiply(
                    _expand(index_select(grad, dim, index), shape_of(source)), alpha))
def _index_add(self, dim, index, source, alpha):
    place, result = dim_range(dim, self.ndim), self.copy()
    if index.dtype.name not in ("int64", "int32"):
        raise RuntimeError("index_add_(): Expected dtype int32/int64 for index but got: "
                           f"{short_name(index.dtype)}")
    if source.dtype != self.dtype:
        raise RuntimeError(f"index_add_(): self ({short_name(self.dtype)}) and source "
                           f"({short_name(source.dtype)}) must have the same scalar type")
    if place and place >= source.ndim:
        raise RuntimeError(f"index_add_(): Indexing dim {place} is out of bounds of the source "
                           f"tensor with dim {source.ndim}")
    count = source.shape[place] if source.ndim else 1
    if index.size != count:
        raise RuntimeError(f"index_add_(): Number of indices ({index.size}) should be equal to "
                           f"source.size(dim): ({count}), for dim: {place}")
    if (source.ndim != self.ndim or source.shape[:place] != self.shape[:place]
            or source.shape[place + 1:] != self.shape[place + 1:]):
        raise RuntimeError("source tensor shape must match self tensor shape, excluding the "
                           f"specified dimension. Got self.shape = {list(self.shape)} "
                           f"source.shape = {list(source.shape)}")
    if self.ndim > 1:
        check_bounds(index, place, self.shape[place])
    elif ((index < 0) | (index >= self.size)).any():
        raise IndexError("index out of range in self")
    source = np.atleast_1d(maybe_multiply(source, self.dtype.type(alpha)))
    target = np.atleast_1d(result).swapaxes(0, place)
    add_at(target, (np.atleast_1d(index),), source.swapaxes(0, place))
    return result


_index_add_ = in_place(_index_add)


def index_add_(self, dim, index, source, *, alpha=1):
    """Add alpha * source at the positions along a dimension that a vector of indices names."""
    return _index_add_(self, dim, index, source, alpha)


METHODS = "gather index_select"
METHODS_ONLY = "scatter_ scatter_add_ index_add_"
