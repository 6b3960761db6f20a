"""Elements written by their numbers: index_put, scatter, scatter_add.

Each comes in two forms made from one function that writes into an array: a copy with the elements written,
and, with a final underscore, a write in place.
"""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from ..memory import copy_in_order, refuse_overlap
from ..errors import dim_range
from ..tensor import Tensor
from ..errors import warn
from . import indexing
from .either import zeros_beside
from .pointwise import not_differentiable  # noqa
from .overwrite import (
    add_at,
    check_no_overlap,
    check_overlap_of_parts,
    flat_if_number,
    in_copy,
    in_memory,
    number_for,
    warn_expanded,
)

# --- index_put ----------------------------------------------------------------------------------------------

def put_at_indices(array, indices, values, accumulate):
    if values.size == 1 and not accumulate and only_mask(indices):
        values = values.astype(array.dtype).reshape(())         # one number goes in as in masked_fill
    warn_expanded("index_put_", "tensor[indices] = tensor", array)
    places = indexing.as_tuple(indices)
    try:
        wanted, outside = array[places].shape, None
    except IndexError as error:
        outside = indexing.index_outside(indices, array) or error
        if not array.size:
            raise outside from None
        wanted = array[tuple([p * 0 if getattr(p, "dtype", None) == np.int64 else p for p in places])].shape
    if not accumulate and not values.ndim and only_mask(indices):
        warn_expanded("masked_fill_", "tensor[mask] = scalar", array)
    if values.ndim or not only_mask(indices):
        check_overlap_of_parts(array, values)
    if values.ndim:
        if wanted != values.shape and not broadcasts(values.shape, wanted):
            raise RuntimeError(f"shape mismatch: value tensor of shape {list(values.shape)} cannot be "
                               f"broadcast to indexing result of shape {list(wanted)}")
    if values.dtype != array.dtype:
        raise RuntimeError("Index put requires the source and destination dtypes match, got "
                           f"{dtypes.short_name(array.dtype)} for the destination and "
                           f"{dtypes.short_name(values.dtype)} for the source.")
    if outside:                     # that, PyTorch finds as it writes
        raise outside
    if accumulate:
        add_at(array, places, values)
    else:
        array[places] = values


def only_mask(indices):
    given = [i for i in indices if i is not None]
    return len(given) == 1 and given[0].dtype.kind in "bu"


def broadcasts(given, wanted):
    try:
        return np.broadcast_shapes(given, wanted) == wanted
    except ValueError:
        return False


def index_put_backward(grad, indices, accumulate):
    return grad if accumulate else _index_put(grad, indices, zeros_beside(grad, ()), False)


@differentiable("IndexPutBackward0",
                self=lambda grad, indices, accumulate: index_put_backward(grad, indices, accumulate),
                indices=None,
                values=lambda grad, indices: indexing._index(grad, indices))
def _index_put(self, indices, values, accumulate):
    return in_copy(self, put_at_indices, indices, values, accumulate, copy=copy_in_order)


@differentiable("IndexPutImplBackward0",
                self=lambda grad, indices, accumulate: index_put_backward(grad, indices, accumulate),
                indices=None,
                values=lambda grad, indices: indexing._index(grad, indices))
def _index_put_impl(self, indices, values, accumulate):
    """`index_put` as the gradient of x[...] uses it; `self` is zeros made for it, and is written."""
    for index in indices:
        if index is not None and index.dtype.kind == "f":       # from a hook on the saved indices
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    if len(indices) == 1 and indices[0].dtype.kind == "b" or not accumulate:
        self[indexing.as_tuple(indices)] = values       # a mask names no element twice
    else:
        add_at(self, indexing.as_tuple(indices), values)
    return self


_index_put_ = in_memory(_index_put, put_at_indices)


# --- scatter ------------------------------------------------------------------------------------------------

def scatter_places(array, dim, index, src=None, name="scatter"):
    """Where `scatter` writes, and the part of `src` that it takes."""
    place = dim_range(dim, array.ndim)
    indexing.check_index_dtype(name, index)
    if src is not None and src.dtype != array.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if not index.size:
        return None, None
    if max(index.ndim, 1) != max(array.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    if src is not None and max(index.ndim, 1) != max(src.ndim, 1):
        if 0 < src.ndim < index.ndim and src.size:
            dim_range(src.ndim, src.ndim)       # PyTorch walks over the dimensions of the index
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    for d in range(index.ndim):
        too_large = d != place and index.shape[d] > array.shape[d]
        if too_large or src is not None and index.shape[d] > np.atleast_1d(src).shape[d]:
            what = (f"Expected index {list(index.shape)} to be no larger than self {list(array.shape)} apart "
                    f"from dimension {place}")
            if src is not None:
                what += f" and to be no larger size than src {list(src.shape)}"
            raise RuntimeError(what)
    index = index if index.ndim else index.reshape(1)
    indexing.check_bounds(index, place, array.shape[place] if array.ndim else 1)
    if src is not None:
        src = np.atleast_1d(src)[tuple([slice(n) for n in index.shape])]
    return indexing.places_along(index, place), src


def scatter_src(array, dim, index, src, combine=None):
    places, part = scatter_places(array, dim, index, src)
    if places is None:
        return
    check_no_overlap(array, src)
    if combine is None:
        flat_if_number(array)[places] = part
    else:
        combine.at(flat_if_number(array), places, part)


def scatter_number(array, dim, index, value, combine=None):
    places, _ = scatter_places(array, dim, index)
    refuse_overlap(array)
    value = number_for(value, array.dtype)
    if places is not None and combine is None:
        flat_if_number(array)[places] = value
    elif places is not None:
        combine.at(flat_if_number(array), places, value)


@differentiable("ScatterBackward0",
                self=lambda grad, dim, index: _scatter_value(grad, dim, index, 0),
                index=None,
                src=lambda grad, dim, index: indexing.gather(grad, dim, index))
def _scatter_src(self, dim, index, src):
    return in_copy(self, scatter_src, dim, index, src)


@differentiable("ScatterBackward1",
                self=lambda grad, dim, index: _scatter_value(grad, dim, index, 0),
                index=None)
def _scatter_value(self, dim, index, value):
    return in_copy(self, scatter_number, dim, index, value)


def scatter_add_at(array, dim, index, src):
    scatter_src(array, dim, index, src, np.add)


@differentiable("ScatterAddBackward0",
                self=lambda grad: grad,
                index=None,
                src=lambda grad, dim, index: indexing.gather(grad, dim, index))
def _scatter_add(self, dim, index, src):
    return in_copy(self, scatter_add_at, dim, index, src)


COMBINE = {"add": np.add, "multiply": np.multiply}


def combine_src(array, dim, index, src, reduce):
    scatter_src(array, dim, index, src, COMBINE[reduce])


def combine_number(array, dim, index, value, reduce):
    scatter_number(array, dim, index, value, COMBINE[reduce])


@not_differentiable("scatter", "self", "src", index=None)
def _combine_src(self, dim, index, src, reduce):
    return in_copy(self, combine_src, dim, index, src, reduce)


@not_differentiable("scatter", "self", index=None)
def _combine_value(self, dim, index, value, reduce):
    return in_copy(self, combine_number, dim, index, value, reduce)


_scatter_src_ = in_memory(_scatter_src, scatter_src)
_scatter_value_ = in_memory(_scatter_value, scatter_number)
_scatter_add_ = in_memory(_scatter_add, scatter_add_at)
_combine_src_ = in_memory(
    not_differentiable("scatter_", "self", "src", index=None)(_combine_src.operation.forward), combine_src)
_combine_value_ = in_memory(
    not_differentiable("scatter_", "self", index=None)(_combine_value.operation.forward), combine_number)

REDUCE_DEPRECATED = (
    "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future "
    "PyTorch release. Use torch.scatter_reduce instead for more reduction options.")
SCATTER_FORMS = ["int dim, Tensor index, Tensor src", "int dim, Tensor index, Tensor src, *, str reduce",
                 "int dim, Tensor index, Number value", "int dim, Tensor index, Number value, *, str reduce"]


def scatter_of(name, with_src, with_value, combine_src, combine_value):
    def function(self, dim, index, src=None, *, value=None, reduce=None):
        src = value if src is None else src
        index = indexing.index_argument(name, self, index)
        if reduce is not None:
            if reduce not in COMBINE:
                raise RuntimeError("reduce argument must be either add or multiply.")
            if isinstance(src, Tensor):
                warn(REDUCE_DEPRECATED)
                return combine_src(self, dim, index, src, reduce)
            return combine_value(self, dim, index, src, reduce)
        if isinstance(src, (Tensor, np.ndarray)):
            return with_src(self, dim, index, src)
        if not isinstance(src, dtypes.NUMBERS):
            raise invalid_combination(name, SCATTER_FORMS, self, dim, index, src)
        return with_value(self, dim, index, src)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = """Write src[i][j], or a number, to x[i][index[i][j]] for dim=1, and so on.

    Where an index appears twice, either of the two may be what stays.  ``reduce="add"`` or ``"multiply"``
    combines what is written with what is there (no gradient).

    Raises:
        RuntimeError: an index is out of range, shapes do not fit, or the dtypes differ.
    """
    return function


scatter = scatter_of("scatter", _scatter_src, _scatter_value, _combine_src, _combine_value)
scatter_ = scatter_of("scatter_", _scatter_src_, _scatter_value_, _combine_src_, _combine_value_)


METHODS = """
scatter
"""
METHODS_ONLY = """
scatter_
"""
