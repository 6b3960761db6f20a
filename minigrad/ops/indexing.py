"""Elements picked by their numbers or by a mask: gather, index_select, take, masked_select, and the core of
x[...].

All of these copy.  An element that is picked twice collects the gradients of both copies.
"""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from ..memory import by_rows
from ..errors import common_shape, counts_arguments, dim_range
from ..tensor import Tensor, bump_version, wrap, wrap_new
from . import masks, positions, scatter, shape, splitting
from .either import dtype_of, shape_of, zeros_beside
from .layout import torch_layout
from .overwrite import add_at

lowest, highest = np.minimum.reduce, np.maximum.reduce      # quicker than index.min()

# --- x[index tensors and masks] -----------------------------------------------------------------------------


@differentiable("IndexBackward0",
                self=lambda grad, self_shape, indices: scatter._index_put_impl(
                    zeros_beside(grad, self_shape), indices, grad, True),
                indices=None)
def _index(self, indices):
    """`indices`: for each dimension an array of indices, or None for all of it; a mask covers several."""
    if any([i is not None and not i.size and i.dtype.kind in "bu" for i in indices]):
        check_indices(indices, self)        # NumPy takes a mask without elements for one that fits
    try:
        found = self[as_tuple(indices)]
    except IndexError:
        check_indices(indices, self)
        raise
    return torch_layout(found, self, indices)


def as_tuple(indices):
    """The indices as NumPy reads them: all of a dimension is a slice there, and a mask is made of bools."""
    if len(indices) == 1 and indices[0].dtype.kind != "u":
        return (indices[0],)
    return tuple([slice(None) if i is None else i != 0 if i.dtype.kind == "u" else i for i in indices])


def check_indices(indices, array):
    """Raise, in PyTorch's words, the IndexError of indices that do not fit the array."""
    outside = index_outside(indices, array)
    if outside:
        raise outside


def index_outside(indices, array):
    """The error of the first number that is out of bounds, or None; what else does not fit, is raised: masks
    are looked at first, then all shapes together."""
    place = number = 0          # place: in the array; number: among the dimensions that are indexed
    numbers = []
    for index in indices:
        if index is None:
            place += 1
        elif index.dtype.kind in "bu":
            for d, n in enumerate(index.shape):
                if place + d >= array.ndim or array.shape[place + d] != n:
                    raise IndexError(f"The shape of the mask {list(index.shape)} at index {d} does not match "
                                     f"the shape of the indexed tensor {list(array.shape)} at index "
                                     f"{place + d}")
            place, number = place + index.ndim, number + index.ndim
        else:
            size = array.shape[place]
            numbers.append((index, number, size))
            place, number = place + 1, number + 1
    shape = check_meeting([i for i in indices if i is not None])
    wrong = [(first_wrong(np.broadcast_to(index, shape), size), dim) for index, dim, size in numbers]
    if wrong and min(wrong) < (np.inf,):
        return out_of_bounds(*numbers[wrong.index(min(wrong))])
    return None


def first_wrong(index, size):
    """Where the first number stands that is out of range; infinity if none is."""
    wrong = ((index < -size) | (index >= size)).ravel()
    return wrong.argmax() if wrong.any() else np.inf


def out_of_bounds(index, dim, size):
    if not size:
        return IndexError("index is out of bounds for dimension with size 0")
    flat = index.ravel()
    wrong = flat[(flat < -size) | (flat >= size)][0]
    return IndexError(f"index {wrong} is out of bounds for dimension {dim} with size {size}")


def check_meeting(indices):
    """The index arrays, masks turned into numbers, must broadcast together, to the shape returned."""
    shapes = []
    for index in indices:
        if index.dtype.kind in "bu":
            shapes += [(int(np.count_nonzero(index)),)] * index.ndim
        else:
            shapes.append(index.shape)
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise IndexError("shape mismatch: indexing tensors could not be broadcast together with shapes "
                         + ", ".join([str(list(s)) for s in shapes])) from None


# --- one number for each element of the result --------------------------------------------------------------

@differentiable("GatherBackward0",
                self=lambda grad, self, dim, index, sparse_grad: scatter._scatter_add(
                    zeros_beside(grad, shape_of(self)), dim, index, grad),
                index=None)
def _gather(self, dim, index, sparse_grad):
    place = dim_range(dim, self.ndim)
    check_index_dtype("gather", index)
    if index.size == 0:
        return np.empty(index.shape, self.dtype)
    if max(index.ndim, 1) != max(self.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    for d in range(self.ndim):
        if d != place and index.ndim and index.shape[d] > self.shape[d]:
            raise RuntimeError(f"Size does not match at dimension {d} expected index {list(index.shape)} to "
                               f"be no larger than self {list(self.shape)} apart from dimension {place}")
    source = self if self.ndim else self.reshape(1)
    check_bounds(index, place, source.shape[place])
    return by_rows(source[places_along(index, place)] if source.ndim > 1 else source[index])


def places_along(index, dim):
    """Indices that put `index` into one dimension and count along the others."""
    ndim = index.ndim
    return tuple([index if d == dim else np.arange(n).reshape([-1 if i == d else 1 for i in range(ndim)])
                  for d, n in enumerate(index.shape)])


@counts_arguments
def gather(self, dim, index, *, sparse_grad=False):
    """result[i][j] = self[i][index[i][j]] for dim=1, and so on: `index` has the shape of the result.

    Raises:
        RuntimeError: an index is negative or too large, or the shapes do not fit.
    """
    return _gather(self, dim, index_argument("gather", self, index), sparse_grad)


# --- positions along a dimension ----------------------------------------------------------------------------

@differentiable("IndexSelectBackward0",
                self=lambda grad, self_shape, dim, index: positions._index_add(
                    zeros_beside(grad, self_shape), dim, index, grad, 1),
                index=None)
def _index_select(self, dim, index):
    place = dim_range(dim, self.ndim)
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if index.dtype.name not in ("int64", "int32"):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    if not self.ndim:
        if index.size != 1:
            raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index.size} "
                               "value(s)")
        check_range(index, 1)
        return self.copy()
    if self.ndim > 1 and index.size and (place == 1 or not self.size):
        check_range_apart(index, self.shape[place])
    check_range(index, self.shape[place])
    return self.take(index if index.ndim else index.reshape(1), place)


def check_range_apart(index, size):
    """Along dimension 1, and of a tensor without elements, PyTorch has other loops, and other words."""
    if not size:
        raise RuntimeError("index_select(): self indexing axis dim should be positive")
    outside = (index.reshape(-1) < 0) | (index.reshape(-1) >= size)
    if outside.any():
        raise RuntimeError(f"INDICES element is out of DATA bounds, id={index.reshape(-1)[outside][0]} "
                           f"axis_dim={size}")


def check_range(index, size):
    if index.size and (lowest(index, None) < 0 or highest(index, None) >= size):
        raise IndexError("index out of range in self")


@counts_arguments
def index_select(self, dim, index):
    """The positions along a dimension that a vector of indices names."""
    return _index_select(self, dim, index_argument("index_select", self, index))


@counts_arguments
def take(self, index):
    """The numbers of the tensor, all in a row, that `index` names; in the shape of `index`."""
    return _take(self, index_argument("take", self, index, 1))


# --- masks --------------------------------------------------------------------------------------------------

@differentiable("MaskedSelectBackward0",
                self=lambda grad, self, mask: _unselect(grad, shape_of(self), mask),
                mask=None)
def _masked_select(self, mask):
    if mask.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    if self.shape != mask.shape:
        common = common_shape(mask.shape, self.shape)
        self, mask = np.broadcast_to(self, common), np.broadcast_to(mask, common)
    return self[mask] if self.ndim else self.reshape(1)[mask.reshape(1)]


def _unselect(grad, sizes, mask):
    """The gradient where it came from, in the shape to which tensor and mask were broadcast."""
    return masks._masked_scatter(zeros_beside(grad, common_shape(shape_of(mask), sizes)), mask,
                                 grad)


@counts_arguments
def masked_select(self, mask):
    """The elements where the mask is True, in a row."""
    return _masked_select(self, index_argument("masked_select", self, mask, 1, "mask"))


@counts_arguments
def nonzero(self, *, as_tuple=False):
    """Where the elements are that are not zero: a row of indices for each, or a vector for each dimension."""
    array = self._array
    if as_tuple and not array.ndim:
        array = array.reshape(1)
    places = np.array(np.nonzero(array) if array.ndim else np.zeros((0, int(bool(array)))), np.int64)
    result = wrap_new(places.T)
    return splitting.unbind(result, 1) if as_tuple else result


# --- tables -------------------------------------------------------------------------------------------------

def _one_hot(index, num_classes=-1):
    """Rows of zeros with a 1 at the place that the index names; int64."""
    array = index._array
    if array.dtype != dtypes.INT64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not array.size:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return wrap_new(np.zeros((*array.shape, num_classes), np.int64))
    if array.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(array.max()) + 1
    elif array.max() >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    result = wrap_new((array[..., None] == np.arange(num_classes)).astype(np.int64))
    bump_version(result)            # PyTorch fills it in two steps
    bump_version(result)
    return result


# --- helpers ------------------------------------------------------------------------------------------------

def index_argument(function, self, value, position=2, name="index"):
    """An argument that must be a tensor (or, inside a formula, an array)."""
    if isinstance(self, Tensor) and not isinstance(value, Tensor):
        if isinstance(value, np.ndarray):
            return wrap(value)
        raise argument_must_be(function, name, position, value)
    return value


def check_index_dtype(function, index):
    if index.size and index.dtype.name not in ("int64", "int32"):
        raise RuntimeError(f"{function}(): Expected dtype int32/int64 for index")


def check_bounds(index, dim, size):
    """No negative index, none beyond the size."""
    if index.size and (lowest(index, None) < 0 or highest(index, None) >= size):
        flat = index.ravel()
        wrong = flat[(flat < 0) | (flat >= size)][0]
        raise RuntimeError(f"index {wrong} is out of bounds for dimension {dim} with size {size}")


METHODS = """
gather index_select take masked_select nonzero
"""
