"""Elements picked and written by index arrays and masks: where x[...] copies.

`_index` picks and `_index_put` writes; each is the gradient of the other.  `indices`
hold, for each dimension, an array of indices, or None for all of it; a mask covers as
many dimensions as it has.
"""
import numpy as np

from ..autograd.operation import differentiable
from ..dtypes import short_name
from ..errors import broadcast_error
from .declaring import new_zeros
from .writing import number_for, write_elements


@differentiable(
    "IndexBackward0",
    indices=None,
    self=lambda grad, self_shape, indices: (
        _index_put_of_gradient(new_zeros(grad, self_shape), indices, grad, True)))
def _index(self, indices):
    if any([index is not None and not index.size for index in indices]):
        check_indices(indices, self)        # NumPy takes any mask without elements
    try:
        return np.ascontiguousarray(self[places_of(indices)])
    except IndexError:
        check_indices(indices, self)
        raise


@differentiable(
    "IndexPutBackward0",
    indices=None,
    self=lambda grad, indices, accumulate: (
        grad if accumulate else _index_put(grad, indices, new_zeros(grad, ()), False)),
    values=lambda grad, indices: _index(grad, indices))
def _index_put(self, indices, values, accumulate):
    """Return a copy in which values are written, or added, where the indices say."""
    by_mask = is_mask(indices)
    if by_mask and values.size == 1:
        values = number_for(values.item(), self.dtype)      # as masked_fill does it
    if values.dtype == self.dtype:
        result, places = self.copy(), places_of(indices)
        try:
            if not accumulate:
                result[places] = values
            elif by_mask:
                result[places] += values    # a mask names no place twice
            else:
                add_at(result, places, values)
            return result
        except (IndexError, ValueError):
            pass                            # the error is said in PyTorch's words below
    raise index_put_error(self, indices, values)


_index_put_of_gradient = differentiable(
    "IndexPutImplBackward0", indices=None, **_index_put.operation.formulas,
)(_index_put.operation.forward)


def index_put_(view, indices, values):
    """Write values, which are broadcast, at the places that the indices name."""
    return write_elements(
        _index_put.operation, [view, indices, values, False],
        "index_put_", "tensor[indices] = tensor", may_be_itself=False)


def places_of(indices):
    """Return what to write between NumPy's brackets."""
    return tuple([slice(None) if index is None else index for index in indices])


def is_mask(indices):
    """Return whether a single mask picks the elements."""
    given = [index for index in indices if index is not None]
    return len(given) == 1 and given[0].dtype.kind == "b"


def add_at(array, places, values):
    """Add values to an array; a place that is named twice collects both values."""
    index = places[0]
    if len(places) > 1 or array.ndim < 2 or not array.flags.c_contiguous:
        np.add.at(array, places, values)
    else:
        add_to_rows(array, index, values)


def add_to_rows(rows, index, values):
    """Do ``np.add.at(rows, index, values)``, at which NumPy is quick in 1-D only."""
    width = rows[0].size if len(rows) else 0
    first = index.reshape(-1, 1) % max(len(rows), 1) * width
    elements = first + np.arange(width)
    values = np.broadcast_to(values, (*index.shape, *rows.shape[1:]))
    np.add.at(rows.reshape(-1), elements.reshape(-1), values.reshape(-1))


# --- errors ---------------------------------------------------------------------------

def check_indices(indices, array):
    """Raise the IndexError of indices that do not fit: masks, shapes, then numbers."""
    dim, shapes, numbers = 0, [], []
    for index in indices:
        if index is None:
            dim += 1
        elif index.dtype.kind == "b":
            check_mask(index, dim, array.shape)
            shapes += [(np.count_nonzero(index),)] * index.ndim
            dim += index.ndim
        else:
            numbers.append((index, len(shapes), array.shape[dim]))
            shapes.append(index.shape)
            dim += 1
    check_index_shapes(shapes)
    for index, dim, size in numbers:
        check_numbers(index, dim, size)


def check_mask(mask, dim, sizes):
    for i, size in enumerate(mask.shape):
        if dim + i >= len(sizes) or sizes[dim + i] != size:
            raise IndexError(
                f"The shape of the mask {list(mask.shape)} at index {i} does not match "
                f"the shape of the indexed tensor {list(sizes)} at index {dim + i}")


def check_index_shapes(shapes):
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        names = ", ".join([str(list(shape)) for shape in shapes])
        raise IndexError(
            "shape mismatch: indexing tensors could not be broadcast together with "
            f"shapes {names}") from None


def check_numbers(index, dim, size):
    wrong = index[(index < -size) | (index >= size)]
    if wrong.size and not size:
        raise IndexError("index is out of bounds for dimension with size 0")
    if wrong.size:
        raise IndexError(
            f"index {wrong[0]} is out of bounds for dimension {dim} with size {size}")


def index_put_error(self, indices, values):
    """Return the error of values that do not fit, or raise that of the indices."""
    check_indices(indices, self)
    sizes = self[places_of(indices)].shape
    given = values.shape
    fits = not broadcast_error(sizes, given) and (
        np.broadcast_shapes(sizes, given) == sizes)
    if fits and values.dtype != self.dtype:
        return RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{short_name(self.dtype)} for the destination and "
            f"{short_name(values.dtype)} for the source.")
    return RuntimeError(
        f"shape mismatch: value tensor of shape {list(given)} cannot be broadcast to "
        f"indexing result of shape {list(sizes)}")
