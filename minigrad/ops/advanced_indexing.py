"""Elements picked, and written, by index arrays and masks: the part of x[...] that copies.

`_index` picks and `_index_put` writes; each is the gradient of the other.  `indices` are, for each
dimension, an array of indices, or None for all of it; a mask covers as many dimensions as it has.
"""
import numpy as np

from ..autograd.operation import differentiable
from ..dtypes import short_name
from ..errors import broadcast_error
from .formulas import new_zeros
from .scatter import add_at
from .writing import in_place_with_warning, number_for


@differentiable("IndexBackward0", indices=None, self=lambda grad, self_shape, indices: (
    _index_put_impl(new_zeros(grad, self_shape), indices, grad, True)))
def _index(self, indices):
    if any([i is not None and not i.size for i in indices]):
        check_indices(indices, self)        # NumPy takes a mask without elements for one that fits
    try:
        return np.ascontiguousarray(self[as_tuple(indices)])
    except IndexError:
        check_indices(indices, self)
        raise


def as_tuple(indices):
    return tuple([slice(None) if i is None else i for i in indices])


@differentiable("IndexPutBackward0", indices=None,
                self=lambda grad, indices, accumulate: grad if accumulate else _index_put(
                    grad, indices, new_zeros(grad, ()), False),
                values=lambda grad, indices: _index(grad, indices))
def _index_put(self, indices, values, accumulate):
    if is_mask(indices) and values.size == 1:
        values = number_for(values.item(), self.dtype)          # goes in as in masked_fill
    try:
        if values.dtype == self.dtype:
            return _index_put_impl.operation.forward(self.copy(), indices, values, accumulate)
    except (IndexError, ValueError):
        pass
    check_indices(indices, self)
    wanted = self[as_tuple(indices)].shape
    if values.dtype != self.dtype and not broadcast_error(wanted, values.shape) and (
            np.broadcast_shapes(wanted, values.shape) == wanted):
        raise RuntimeError("Index put requires the source and destination dtypes match, got "
                           f"{short_name(self.dtype)} for the destination and "
                           f"{short_name(values.dtype)} for the source.")
    raise RuntimeError(f"shape mismatch: value tensor of shape {list(values.shape)} cannot be "
                       f"broadcast to indexing result of shape {list(wanted)}")


@differentiable("IndexPutImplBackward0", indices=None, **_index_put.operation.formulas)
def _index_put_impl(self, indices, values, accumulate):
    """Write to `self` itself, which was made for it."""
    if is_mask(indices) or not accumulate:
        self[as_tuple(indices)] = values        # a mask names no element twice
    else:
        add_at(self, as_tuple(indices), values)
    return self


def is_mask(indices):
    given = [i for i in indices if i is not None]
    return len(given) == 1 and given[0].dtype.kind == "b"


_index_put_ = in_place_with_warning(_index_put, "index_put_", "tensor[indices] = tensor")


def check_indices(indices, array):
    """Raise the IndexError of indices that do not fit: of masks, then shapes, then numbers."""
    dim, numbers, shapes = 0, [], []
    for index in indices:
        if index is not None and index.dtype.kind == "b":
            for d, n in enumerate(index.shape, dim):
                if d >= array.ndim or array.shape[d] != n:
                    raise IndexError(
                        f"The shape of the mask {list(index.shape)} at index {d - dim} does not "
                        f"match the shape of the indexed tensor {list(array.shape)} at index {d}")
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
        raise IndexError("shape mismatch: indexing tensors could not be broadcast together with "
                         f"shapes {', '.join([str(list(s)) for s in shapes])}") from None
    for index, place, size in numbers:
        wrong = index[(index < -size) | (index >= size)]
        if wrong.size:
            raise IndexError(f"index {wrong[0]} is out of bounds for dimension {place} with size "
                             f"{size}" if size else
                             "index is out of bounds for dimension with size 0")
