"""Elements picked, and written, by index arrays and masks: the part of x[...] that copies.

`_index` picks and `_index_put` writes; each is the gradient of the other. An element that is picked twice
collects the gradients of both copies.
"""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.operation import differentiable
from .formulas import new_zeros
from .overwrite import add_at, check_overlap, in_copy, in_memory, warn_expanded

# --- picking ------------------------------------------------------------------------------------------------


@differentiable("IndexBackward0",
                self=lambda grad, self_shape, indices: _index_put_impl(
                    new_zeros(grad, self_shape), indices, grad, True),
                indices=None)
def _index(self, indices):
    """`indices`: for each dimension an array of indices, or None for all of it; a mask covers several."""
    if any([i is not None and not i.size for i in indices]):
        check_indices(indices, self)        # NumPy takes a mask without elements for one that fits
    try:
        return np.ascontiguousarray(self[as_tuple(indices)])
    except IndexError:
        check_indices(indices, self)
        raise


def as_tuple(indices):
    """Return the indices as NumPy reads them: all of a dimension is a slice there."""
    return tuple([slice(None) if i is None else i for i in indices])


# --- writing ------------------------------------------------------------------------------------------------

def index_put_backward(grad, indices, accumulate):
    return grad if accumulate else _index_put(grad, indices, new_zeros(grad, ()), False)


@differentiable("IndexPutBackward0",
                self=lambda grad, indices, accumulate: index_put_backward(grad, indices, accumulate),
                indices=None,
                values=lambda grad, indices: _index(grad, indices))
def _index_put(self, indices, values, accumulate):
    return in_copy(self, put_at_indices, indices, values, accumulate)


@differentiable("IndexPutImplBackward0",
                self=lambda grad, indices, accumulate: index_put_backward(grad, indices, accumulate),
                indices=None,
                values=lambda grad, indices: _index(grad, indices))
def _index_put_impl(self, indices, values, accumulate):
    """Do the same to `self` itself, which is zeros made for it."""
    if is_mask(indices) or not accumulate:
        self[as_tuple(indices)] = values        # a mask names no element twice
    else:
        add_at(self, as_tuple(indices), values)
    return self


def put_at_indices(array, indices, values, accumulate):
    mask = is_mask(indices)
    if values.size == 1 and not accumulate and mask:
        values = values.astype(array.dtype).reshape(())         # one number goes in as in masked_fill
    warn_expanded("index_put_", "tensor[indices] = tensor", array)
    if values.ndim or not mask:
        check_overlap(array, values, even_exactly=True)
    if values.dtype != array.dtype:
        raise RuntimeError("Index put requires the source and destination dtypes match, got "
                           f"{dtypes.short_name(array.dtype)} for the destination and "
                           f"{dtypes.short_name(values.dtype)} for the source.")
    try:
        if accumulate:
            add_at(array, as_tuple(indices), values)
        else:
            array[as_tuple(indices)] = values
    except (IndexError, ValueError):
        check_indices(indices, array)
        wanted = list(array[as_tuple(indices)].shape)
        raise RuntimeError(f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to "
                           f"indexing result of shape {wanted}") from None


def is_mask(indices):
    given = [i for i in indices if i is not None]
    return len(given) == 1 and given[0].dtype.kind == "b"


_index_put_ = in_memory(_index_put, put_at_indices)


# --- what does not fit --------------------------------------------------------------------------------------

def check_indices(indices, array):
    """Raise the IndexError of indices that do not fit the array: masks first, then shapes, then numbers."""
    dim, numbers, shapes = 0, [], []
    for index in indices:
        if index is not None and index.dtype.kind == "b":
            for d, n in enumerate(index.shape):
                if dim + d >= array.ndim or array.shape[dim + d] != n:
                    raise IndexError(f"The shape of the mask {list(index.shape)} at index {d} does not match "
                                     f"the shape of the indexed tensor {list(array.shape)} at index {dim + d}")
            shapes += [(np.count_nonzero(index),)] * index.ndim
            dim += index.ndim
            continue
        if index is not None:
            numbers.append((index, len(shapes), array.shape[dim]))
            shapes.append(index.shape)
        dim += 1
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        raise IndexError("shape mismatch: indexing tensors could not be broadcast together with shapes "
                         + ", ".join([str(list(s)) for s in shapes])) from None
    for index, place, size in numbers:
        wrong = index[(index < -size) | (index >= size)]
        if wrong.size:
            raise IndexError(f"index {wrong[0]} is out of bounds for dimension {place} with size {size}" if size
                             else "index is out of bounds for dimension with size 0")
