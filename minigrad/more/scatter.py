"""Elements picked and written with one index for each: gather, scatter, scatter_add.

All indices are along one dimension.  An element picked twice collects two gradients.
"""
import numpy as np

from ..autograd.inplace import in_place
from ..autograd.operation import differentiable
from ..errors import dim_range
from ..memory import OVERLAPS_SOURCE
from ..ops.declaring import expect_tensors, new_zeros, numpy_names, shape_of
from ..ops.writing import number_for
from ..tensor import Tensor

# --- what must hold -------------------------------------------------------------------

def check_bounds(index, dim, size):
    """Raise the RuntimeError of the first index that is negative or beyond the size."""
    wrong = index[(index < 0) | (index >= size)]
    if wrong.size:
        raise RuntimeError(
            f"index {wrong[0]} is out of bounds for dimension {dim} with size {size}")


def check_dtype(function, index):
    if index.size and index.dtype.name not in ("int64", "int32"):
        raise RuntimeError(f"{function}(): Expected dtype int32/int64 for index")


def check_ndim(index, array, name):
    if max(index.ndim, 1) != max(array.ndim, 1):
        raise RuntimeError(
            "Index tensor must have the same number of dimensions as "
            f"{name} tensor")


def places_along(index, dim):
    """Return indices that put `index` into one dimension and count along the others."""
    places = []
    for d, size in enumerate(index.shape):
        steps = np.arange(size).reshape(-1, *[1] * (index.ndim - d - 1))
        places.append(index if d == dim else steps)
    return tuple(places)


# --- gather ---------------------------------------------------------------------------

def gather_backward(grad, self, dim, index, sparse_grad):
    return _scatter_add(new_zeros(grad, shape_of(self)), dim, index, grad)


@differentiable("GatherBackward0", index=None, self=gather_backward)
def _gather(self, dim, index, sparse_grad):
    place = dim_range(dim, self.ndim)
    check_dtype("gather", index)
    if not index.size:
        return np.empty(index.shape, self.dtype)
    check_ndim(index, self, "input")
    for d, (wanted, size) in enumerate(zip(index.shape, self.shape)):
        if d != place and wanted > size:
            raise RuntimeError(
                f"Size does not match at dimension {d} expected index "
                f"{list(index.shape)} to be no larger than self {list(self.shape)} "
                f"apart from dimension {place}")
    source = np.atleast_1d(self)
    check_bounds(index, place, source.shape[place])
    if source.ndim == 1:
        return source[index]
    return source[places_along(index, place)]


@numpy_names
def gather(self, dim, index, *, sparse_grad=False):
    """Return the elements that an index tensor (int64) names along a dimension.

    For dim=1, result[i][j] = self[i][index[i][j]]: the result has the shape of `index`.

        x = torch.tensor([[1, 2], [3, 4]])
        x.gather(1, torch.tensor([[1], [0]]))       # tensor([[2], [3]])

    Raises a RuntimeError where an index is negative or too large, or the shapes do not
    fit.
    """
    return _gather(self, dim, index, sparse_grad)


# --- scatter --------------------------------------------------------------------------

def scattered(self, dim, index, src, write):
    """Return a copy of `self` that `write(copy, places, part of src)` has changed."""
    place, result = dim_range(dim, self.ndim), self.copy()
    check_dtype("scatter", index)
    if src.ndim and src.dtype != self.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if not index.size:
        return result
    check_ndim(index, self, "self")
    if src.ndim:
        check_ndim(index, src, "src")
    target, index = np.atleast_1d(result), np.atleast_1d(index)
    check_sizes(index, target, src, self.shape, place)
    check_bounds(index, place, target.shape[place])
    if src.ndim:
        src = src[tuple([slice(size) for size in index.shape])]
    write(target, places_along(index, place), src)
    return result


def check_sizes(index, target, src, shape, place):
    """Raise if there are more indices than elements to write to, or to write."""
    for d, size in enumerate(index.shape):
        too_many = d != place and size > target.shape[d]
        if too_many or src.ndim and size > src.shape[d]:
            message = (
                f"Expected index {list(index.shape)} to be no larger than self "
                f"{list(shape)} apart from dimension {place}")
            if src.ndim:
                message += f" and to be no larger size than src {list(src.shape)}"
            raise RuntimeError(message)


@differentiable(
    "ScatterBackward0",
    index=None,
    self=lambda grad, dim, index: _scatter_value(grad, dim, index, 0),
    src=lambda grad, dim, index: _gather(grad, dim, index, False))
def _scatter_src(self, dim, index, src):
    return scattered(self, dim, index, src, np.ndarray.__setitem__)


@differentiable(
    "ScatterBackward1",
    index=None,
    self=lambda grad, dim, index: _scatter_value(grad, dim, index, 0))
def _scatter_value(self, dim, index, value):
    number = number_for(value, self.dtype)
    return scattered(self, dim, index, number, np.ndarray.__setitem__)


@differentiable(
    "ScatterAddBackward0",
    index=None,
    self=lambda grad: grad,
    src=lambda grad, dim, index: _gather(grad, dim, index, False))
def _scatter_add(self, dim, index, src):
    return scattered(self, dim, index, src, np.add.at)


scatter_src_ = in_place(_scatter_src)
scatter_value_ = in_place(_scatter_value)
add_to_ = in_place(_scatter_add)


@numpy_names
def scatter_(self, dim, index, src=None, *, value=None):
    """Write src[i][j], or a number, to self[i][index[i][j]] for dim=1, and so on.

    Either of two values for one place may remain.  Raises a RuntimeError where shapes
    do not fit.
    """
    expect_tensors("scatter_", index=index)
    if src is None:
        src = value
    if src is self:
        raise RuntimeError(OVERLAPS_SOURCE)
    if isinstance(src, Tensor):
        return scatter_src_(self, dim, index, src)
    return scatter_value_(self, dim, index, src)


@numpy_names
def scatter_add_(self, dim, index, src):
    """Add src[i][j] to self[i][index[i][j]] for dim=1, and so on."""
    expect_tensors("scatter_add_", index=index, src=src)
    return add_to_(self, dim, index, src)


@numpy_names
def scatter(self, dim, index, src=None, *, value=None):
    """Return a copy to which `scatter_` has written."""
    expect_tensors("scatter", index=index)
    if src is None:
        src = value
    if isinstance(src, Tensor):
        return _scatter_src(self, dim, index, src)
    return _scatter_value(self, dim, index, src)


@numpy_names
def scatter_add(self, dim, index, src):
    """Return a copy to which the elements of `src` were added; see `scatter_`."""
    expect_tensors("scatter_add", index=index, src=src)
    return _scatter_add(self, dim, index, src)


METHODS = "gather scatter scatter_add"
METHODS_ONLY = "scatter_ scatter_add_"
