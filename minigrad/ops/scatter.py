"""One index for each element: gather picks along a dimension, scatter writes and scatter_add adds there.

gather and scatter_add are each the gradient of the other: an element that is picked twice collects the
gradients of both copies.
"""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.operation import differentiable
from ..errors import dim_range
from ..memory import refuse_overlap
from ..tensor import Tensor
from .formulas import new_zeros, shape_of
from .overwrite import check_no_overlap, in_copy, in_memory, number_for

# --- gather -------------------------------------------------------------------------------------------------


@differentiable("GatherBackward0",
                self=lambda grad, self, dim, index, sparse_grad: _scatter_add(
                    new_zeros(grad, shape_of(self)), dim, index, grad),
                index=None)
def _gather(self, dim, index, sparse_grad):
    place = dim_range(dim, self.ndim)
    check_dtype("gather", index)
    if not index.size:
        return np.empty(index.shape, self.dtype)
    if max(index.ndim, 1) != max(self.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    for d, (n, size) in enumerate(zip(index.shape, self.shape)):
        if d != place and n > size:
            raise RuntimeError(f"Size does not match at dimension {d} expected index {list(index.shape)} to "
                               f"be no larger than self {list(self.shape)} apart from dimension {place}")
    source = np.atleast_1d(self)
    check_bounds(index, place, source.shape[place])
    return source[index if source.ndim == 1 else places_along(index, place)]


def places_along(index, dim):
    """Return indices that put `index` into one dimension and count along the others."""
    ndim = index.ndim
    return tuple([index if d == dim else np.arange(n).reshape([-1 if i == d else 1 for i in range(ndim)])
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
    """Return the elements that an index tensor names along a dimension.

    result[i][j] = self[i][index[i][j]] for dim=1, and so on: `index` (int64) has the shape of the result.

        torch.tensor([[1., 2.], [3., 4.]]).gather(1, torch.tensor([[1], [0]]))      # tensor([[2.], [3.]])

    Raises:
        RuntimeError: an index is negative or too large, or the shapes do not fit.
    """
    return _gather(self, dim, index, sparse_grad)


# --- scatter ------------------------------------------------------------------------------------------------

def scatter_places(array, dim, index, src=None):
    """Return where to write, as indices of `array`, and the part of `src` that goes there."""
    place = dim_range(dim, array.ndim)
    check_dtype("scatter", index)
    if src is not None and src.dtype != array.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if not index.size:
        return None, None
    if max(index.ndim, 1) != max(array.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    if src is not None and max(index.ndim, 1) != max(src.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    for d, n in enumerate(index.shape):
        if d != place and n > array.shape[d] or src is not None and n > np.atleast_1d(src).shape[d]:
            beside_src = "" if src is None else f" and to be no larger size than src {list(src.shape)}"
            raise RuntimeError(f"Expected index {list(index.shape)} to be no larger than self "
                               f"{list(array.shape)} apart from dimension {place}{beside_src}")
    index = np.atleast_1d(index)
    check_bounds(index, place, array.shape[place] if array.ndim else 1)
    if src is not None:
        src = np.atleast_1d(src)[tuple([slice(n) for n in index.shape])]
    return places_along(index, place), src


def scatter_src(array, dim, index, src):
    places, part = scatter_places(array, dim, index, src)
    if places is not None:
        check_no_overlap(array, src)
        array.reshape(array.shape or 1)[places] = part


def scatter_number(array, dim, index, value):
    places, _ = scatter_places(array, dim, index)
    refuse_overlap(array)
    if places is not None:
        array.reshape(array.shape or 1)[places] = number_for(value, array.dtype)


def scatter_add_at(array, dim, index, src):
    places, part = scatter_places(array, dim, index, src)
    if places is not None:
        check_no_overlap(array, src)
        np.add.at(array.reshape(array.shape or 1), places, part)


@differentiable("ScatterBackward0",
                self=lambda grad, dim, index: _scatter_value(grad, dim, index, 0),
                index=None,
                src=lambda grad, dim, index: _gather(grad, dim, index, False))
def _scatter_src(self, dim, index, src):
    return in_copy(self, scatter_src, dim, index, src)


@differentiable("ScatterBackward1",
                self=lambda grad, dim, index: _scatter_value(grad, dim, index, 0),
                index=None)
def _scatter_value(self, dim, index, value):
    return in_copy(self, scatter_number, dim, index, value)


@differentiable("ScatterAddBackward0",
                self=lambda grad: grad,
                index=None,
                src=lambda grad, dim, index: _gather(grad, dim, index, False))
def _scatter_add(self, dim, index, src):
    return in_copy(self, scatter_add_at, dim, index, src)


_scatter_src_ = in_memory(_scatter_src, scatter_src)
_scatter_value_ = in_memory(_scatter_value, scatter_number)
_scatter_add_ = in_memory(_scatter_add, scatter_add_at)


def scatter(self, dim, index, src=None, *, value=None):
    """Return a copy with src[i][j], or a number, written to x[i][index[i][j]] for dim=1, and so on.

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
