"""One index for each element: gather picks along a dimension, scatter and scatter_add write there.

gather and scatter_add are each the gradient of the other: an element that is picked twice collects
the gradients of both copies.
"""
from __future__ import annotations

import numpy as np

from ..autograd.operation import differentiable
from ..errors import dim_range
from ..memory import refuse_overlap
from ..tensor import Tensor
from .formulas import new_zeros, shape_of
from .overwrite import check_no_overlap, in_copy, in_memory, number_for

# --- gather -------------------------------------------------------------------------------------


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


def check_dtype(function, index):
    if index.size and index.dtype.name not in ("int64", "int32"):
        raise RuntimeError(f"{function}(): Expected dtype int32/int64 for index")


def check_bounds(index, dim, size):
    """Raise the RuntimeError of the first index that is negative or beyond the size."""
    if index.size and (np.minimum.reduce(index, None) < 0 or np.maximum.reduce(index, None) >= size):
        wrong = index[(index < 0) | (index >= size)][0]
        raise RuntimeError(f"index {wrong} is out of bounds for dimension {dim} with size {size}")


def gather(self, dim, index, *, sparse_grad=False):
    """Return the elements that an index tensor (int64) names along a dimension.

    result[i][j] = self[i][index[i][j]] for dim=1, and so on: the result has the shape of `index`.

        x = torch.tensor([[1., 2.], [3., 4.]])
        x.gather(1, torch.tensor([[1], [0]]))       # tensor([[2.], [3.]])

    Raises:
        RuntimeError: an index is negative or too large, or the shapes do not fit.
    """
    return _gather(self, dim, index, sparse_grad)


# --- scatter ------------------------------------------------------------------------------------

def scatter_places(array, dim, index, src=None):
    """Return `array`, as it can be indexed, where to write, and the part of `src` that goes there."""
    place, source = dim_range(dim, array.ndim), index if src is None else src
    check_dtype("scatter", index)
    if src is not None and src.dtype != array.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    for name, other in ("self", array), ("src", source):
        if index.size and max(index.ndim, 1) != max(other.ndim, 1):
            raise RuntimeError(f"Index tensor must have the same number of dimensions as {name} tensor")
    array = array.reshape(array.shape or 1)
    index, source = np.atleast_1d(index), np.atleast_1d(source)
    for d, n in enumerate(index.shape if index.size else ()):
        if d != place and n > array.shape[d] or n > source.shape[d]:
            raise RuntimeError(
                f"Expected index {list(index.shape)} to be no larger than self {list(array.shape)} "
                f"apart from dimension {place}"
                + ("" if src is None else f" and to be no larger size than src {list(src.shape)}"))
    check_bounds(index, place, array.shape[place])
    places = places_along(index, place) if index.size else ([],) * array.ndim
    return array, places, source[tuple([slice(n) for n in index.shape])] if index.size else []


def write_src(array, dim, index, src):
    array, places, part = scatter_places(array, dim, index, src)
    check_no_overlap(array, src)
    array[places] = part


def write_value(array, dim, index, value):
    array, places, _ = scatter_places(array, dim, index)
    refuse_overlap(array)
    array[places] = number_for(value, array.dtype)


def add_src(array, dim, index, src):
    array, places, part = scatter_places(array, dim, index, src)
    check_no_overlap(array, src)
    np.add.at(array, places, part)


@differentiable("ScatterBackward0", index=None,
                self=lambda grad, dim, index: _scatter_value(grad, dim, index, 0),
                src=lambda grad, dim, index: _gather(grad, dim, index, False))
def _scatter_src(self, dim, index, src):
    return in_copy(self, write_src, dim, index, src)


@differentiable("ScatterBackward1", index=None,
                self=lambda grad, dim, index: _scatter_value(grad, dim, index, 0))
def _scatter_value(self, dim, index, value):
    return in_copy(self, write_value, dim, index, value)


@differentiable("ScatterAddBackward0", index=None,
                self=lambda grad: grad,
                src=lambda grad, dim, index: _gather(grad, dim, index, False))
def _scatter_add(self, dim, index, src):
    return in_copy(self, add_src, dim, index, src)


_scatter_src_ = in_memory(_scatter_src, write_src)
_scatter_value_ = in_memory(_scatter_value, write_value)
_scatter_add_ = in_memory(_scatter_add, add_src)


def scatter(self, dim, index, src=None, *, value=None):
    """Return a copy with src[i][j], or a number, at x[i][index[i][j]] for dim=1, and so on.

    Where an index occurs twice, either of the two may be what remains.

    Raises:
        RuntimeError: an index is out of range, shapes do not fit, or the dtypes differ.
    """
    src = value if src is None else src
    return (_scatter_src if isinstance(src, Tensor) else _scatter_value)(self, dim, index, src)


def scatter_(self, dim, index, src=None, *, value=None):
    """Do what `scatter` does in the memory of the tensor itself."""
    src = value if src is None else src
    return (_scatter_src_ if isinstance(src, Tensor) else _scatter_value_)(self, dim, index, src)


def scatter_add(self, dim, index, src):
    """Return a copy with src[i][j] added to x[i][index[i][j]] for dim=1, and so on."""
    return _scatter_add(self, dim, index, src)


def scatter_add_(self, dim, index, src):
    """Do what `scatter_add` does in the memory of the tensor itself."""
    return _scatter_add_(self, dim, index, src)


METHODS = "gather scatter scatter_add"
METHODS_ONLY = "scatter_ scatter_add_"
