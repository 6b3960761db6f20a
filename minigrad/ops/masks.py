"""Elements written by a mask, by their place in a row, or combined: masked_fill, put, scatter_reduce."""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable, shared
from ..autograd.inplace import in_place
from ..memory import copy_in_order, refuse_overlap
from ..messages import common_shape, counts_arguments, invalid_combination
from ..tensor import Tensor
from . import comparison, indexing, reduction, scatter, shape
from .either import ones_beside, shape_of, zeros_beside
from .overwrite import (
    check_broadcast,
    check_no_overlap,
    flat_if_number,
    in_copy,
    in_memory,
    one_number,
    warn_expanded,
)

# --- masked_fill --------------------------------------------------------------------------------------------


def fill_at_mask(array, mask, value):
    value = one_number("masked_fill_", value, array.dtype)
    if mask.dtype.kind != "b":
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype "
                           f"{dtypes.cpp_name(mask.dtype)}")
    if mask.shape != array.shape:
        check_broadcast(array.shape, mask.shape)
    warn_expanded("masked_fill_", "tensor[mask] = scalar", array)
    np.copyto(array, value, "unsafe", mask)


def broadcast_copy(array, mask):
    """A copy of `array`, in the shape to which it broadcasts with the mask."""
    if array.shape == mask.shape:
        return np.array(array, order="C")       # also of a NumPy scalar
    return np.array(np.broadcast_to(array, common_shape(mask.shape, array.shape)), order="C")


@differentiable("MaskedFillBackward0", self=lambda grad, mask: _masked_fill(grad, mask, 0), mask=None)
def _masked_fill(self, mask, value):
    result = broadcast_copy(self, mask)
    fill_at_mask(result, mask, value)
    return result


@differentiable("MaskedFillBackward1",
                self=lambda grad, mask: _masked_fill(grad, mask, 0),
                mask=None,
                value=lambda grad, mask: reduction._sum(indexing._masked_select(grad, mask), None))
def _masked_fill_tensor(self, mask, value):
    result = broadcast_copy(self, mask)
    fill_at_mask(result, mask, value)
    return result


_masked_fill_tensor.operation.needs_float = True
_masked_fill_ = in_memory(_masked_fill, fill_at_mask)
_masked_fill_tensor_ = in_memory(_masked_fill_tensor, fill_at_mask)
MASKED_FILL_FORMS = ["Tensor mask, Tensor value", "Tensor mask, Number value"]


@counts_arguments
def masked_fill(self, mask, value):
    """A copy with one number where the mask is True; tensor and mask broadcast."""
    if isinstance(value, Tensor):
        return _masked_fill_tensor(self, mask, value)
    check_fill("masked_fill", self, mask, value)
    return _masked_fill(self, mask, value)


def masked_fill_(self, mask, value):
    """Write one number where the mask, broadcast, is True."""
    if isinstance(value, Tensor):
        return _masked_fill_tensor_(self, mask, value)
    check_fill("masked_fill_", self, mask, value)
    return _masked_fill_(self, mask, value)


def check_fill(name, self, mask, value):
    if not isinstance(value, (*dtypes.NUMBERS, complex)):
        raise invalid_combination(name, MASKED_FILL_FORMS, self, mask, value)


# --- masked_scatter -----------------------------------------------------------------------------------------

def scatter_at_mask(array, mask, source):
    refuse_overlap(array)
    if mask.dtype.kind != "b":
        raise RuntimeError("masked_scatter_ only supports boolean masks, but got mask with dtype "
                           f"{dtypes.short_name(mask.dtype)}")
    if source.dtype != array.dtype:
        raise RuntimeError("masked_scatter: expected self and source to have same dtypes but got"
                           f"{dtypes.short_name(array.dtype)} and {dtypes.short_name(source.dtype)}")
    if mask.shape != array.shape:
        shape.expanded(mask, array.shape)       # says what does not fit
        mask = np.broadcast_to(mask, array.shape)
    count = int(np.add.reduce(mask, axis=None))
    if source.size < count:
        places = np.argwhere(mask)[:source.size]
        array[tuple(places.T)] = source.reshape(-1)         # as far as they go
        raise RuntimeError("Number of elements of source < number of ones in mask")
    array[mask] = source.reshape(-1)[:count]


@differentiable("MaskedScatterBackward0",
                self=lambda grad, mask: _masked_fill(grad, mask, 0),
                mask=None,
                source=lambda grad, mask, source_shape: masked_scatter_backward(grad, mask, source_shape))
def _masked_scatter(self, mask, source):
    result = broadcast_copy(self, mask)
    scatter_at_mask(result, mask, source)
    return result


@differentiable("MaskedScatterBackwardBackward0",
                grad_output=lambda grad, grad_output, mask: _masked_scatter(
                    zeros_beside(grad, shape_of(grad_output)), mask, grad),
                mask=None)
def masked_scatter_backward(grad_output, mask, sizes):
    """The gradients of the elements that were written, and zeros for what was left over of the source."""
    result = np.zeros(sizes, grad_output.dtype)
    taken = grad_output[np.broadcast_to(mask, grad_output.shape)]
    result.reshape(-1)[:taken.size] = taken
    return result


_masked_scatter_ = in_memory(_masked_scatter, scatter_at_mask)


def masked_scatter(self, mask, source):
    """A copy with the numbers of `source`, in their order, where the mask is True."""
    return _masked_scatter(self, mask, source)


def masked_scatter_(self, mask, source):
    """Write the numbers of `source`, in their order, where the mask is True."""
    return _masked_scatter_(self, mask, source)


# --- put ----------------------------------------------------------------------------------------------------

def check_flat(index, count):
    """Indices into all numbers in a row; negative ones count from the end."""
    if index.size and (index.min() < -count or index.max() >= count):
        flat = index.ravel()
        wrong = flat[(flat < -count) | (flat >= count)][0]
        raise IndexError(f"out of range: tried to access index {wrong} on a tensor of {count} elements.")


def put_at(array, index, source, accumulate):
    if index.dtype != dtypes.INT64:
        raise RuntimeError("put_(): Expected a long tensor for index, but got "
                           f"{dtypes.short_name(index.dtype)}")
    if source.dtype != array.dtype:
        raise RuntimeError("put_(): self and source expected to have the same dtype, but got self.dtype = "
                           f"{dtypes.short_name(array.dtype)} and source.dtype = "
                           f"{dtypes.short_name(source.dtype)}")
    if source.size != index.size:
        raise IndexError("put_(): Expected source and index to have the same number of elements, but got "
                         f"source.numel() = {source.size}, index.numel() = {index.size}")
    if index.size and not array.size:
        raise IndexError("put_(): Tried to put elements into an empty tensor")
    check_flat(index, array.size)
    check_no_overlap(array, source)
    if accumulate:
        flat = array.reshape(-1)
        np.add.at(flat, index.reshape(-1), source.reshape(-1))
        if not array.flags.c_contiguous:
            array[...] = flat.reshape(array.shape)
    else:
        array.flat[index.reshape(-1)] = source.reshape(-1)


@differentiable("PutBackward0",
                self=lambda grad, index, accumulate: grad if accumulate else _put(
                    grad, index, zeros_beside(grad, shape_of(index)), False),
                index=None,
                source=lambda grad, index, source: shape._reshape(
                    indexing._take(grad, index), shape_of(source)))
def _put(self, index, source, accumulate):
    return in_copy(self, put_at, index, source, accumulate, copy=copy_in_order)


_put_ = in_memory(_put, put_at)


def put(self, index, source, accumulate=False):
    """A copy with `source` at the places, counted through all numbers in a row, that `index` names."""
    return _put(self, index, source, accumulate)


def put_(self, index, source, accumulate=False):
    """Write `source` to the places, counted through all numbers in a row, that `index` names."""
    return _put_(self, index, source, accumulate)


# --- scatter_reduce -----------------------------------------------------------------------------------------

COMBINE = {"sum": (np.add, 0), "prod": (np.multiply, 1), "mean": (np.add, 0), "amax": (np.maximum, -np.inf),
           "amin": (np.minimum, np.inf)}


def reduce_at(array, dim, index, src, reduce, include_self):
    if reduce not in COMBINE:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    places, part = scatter.scatter_places(array, dim, index, src)
    if places is None:
        return
    check_no_overlap(array, src)
    target = flat_if_number(array)
    combine, neutral = COMBINE[reduce]
    if not include_self:
        if array.dtype.kind in "iu" and abs(neutral) == np.inf:
            limits = np.iinfo(array.dtype)
            neutral = limits.min if neutral < 0 else limits.max
        target[places] = neutral
    combine.at(target, places, part)
    if reduce == "mean":
        count = np.full(target.shape, 1 if include_self else 0, array.dtype)
        np.add.at(count, places, np.ones(part.shape, array.dtype))
        count[count == 0] = 1
        np.copyto(target, target / count if array.dtype.kind == "f" else target // count)


@shared
def _reduced_gradients(grad, self, dim, index, src, reduce, include_self, result):
    """(gradient of self, gradient of src)."""
    gather = indexing.gather
    sizes, src_sizes = shape_of(self), shape_of(src)
    zero, src_zero = zeros_beside(grad, sizes), zeros_beside(grad, src_sizes)
    if reduce == "sum":
        for_self, for_src = grad, gather(grad, dim, index)
    elif reduce == "mean":
        count = zero + 1 if include_self else zero
        count = scatter._scatter_add(count, dim, index, src_zero + 1)
        count = masked_where(count == 0, 1, count)
        for_self = grad / count
        for_src = gather(grad, dim, index) / gather(count, dim, index)
    elif reduce in ("amax", "amin"):
        value = gather(result, dim, index)
        own, others = (self == result) * (zero + 1), (src == value) * (src_zero + 1)
        count = scatter._scatter_add(own, dim, index, others)
        share = grad / count        # (by 0, if the result was written in the meantime: nan)
        for_self, for_src = own * share, others * gather(share, dim, index)
    else:
        for_self, for_src = product_gradients(grad, self, dim, index, src, include_self, result)
    if not include_self:
        for_self = scatter._scatter_value(for_self, dim, index, 0)
    return for_self, for_src


def product_gradients(grad, self, dim, index, src, include_self, result):
    gather, where = indexing.gather, comparison.where
    no_self_zero = masked_where(self == 0, 1, self)
    with_one = _scatter_reduce(no_self_zero, dim, index, src, "prod", include_self)
    for_self = grad * with_one / no_self_zero
    ones = ones_beside(grad, shape_of(src))
    zeros = scatter._scatter_add(zeros_beside(grad, shape_of(self)), dim, index,
                                 (src == 0) * ones)
    single = (src == 0) * (gather(zeros, dim, index) == 1)
    no_src_zero = masked_where(single, 1, src)
    without = _scatter_reduce(self, dim, index, no_src_zero, "prod", include_self)
    for_src = where(single, gather(grad * without, dim, index),
                    gather(grad * result, dim, index) / masked_where(src == 0, 1, src))
    if isinstance(zeros, Tensor) and bool((zeros > 1).any()):
        for_src = _differentiated_once(for_src)
    return for_self, for_src


def refuse_twice(grad):
    raise RuntimeError("scatter_reduce(): Double backward is unsupported for src when >1 zeros in src are "
                       "scattered to the same position in self")


@differentiable("torch::autograd::Error", self=refuse_twice)
def _differentiated_once(self):
    return self


def masked_where(mask, number, value):
    return _masked_fill(value, mask, number)


@differentiable("ScatterReduceBackward0",
                self=lambda grad, self, dim, index, src, reduce, include_self, result: _reduced_gradients(
                    grad, self, dim, index, src, reduce, include_self, result)[0],
                index=None,
                src=lambda grad, self, dim, index, src, reduce, include_self, result: _reduced_gradients(
                    grad, self, dim, index, src, reduce, include_self, result)[1])
def _scatter_reduce(self, dim, index, src, reduce, include_self):
    return in_copy(self, reduce_at, dim, index, src, reduce, include_self)


def scatter_reduce(self, dim, index, src, reduce, *, include_self=True):
    """Like `scatter`, with all that goes to one place combined: "sum", "prod", "mean", "amax" or "amin"."""
    return _scatter_reduce(self, dim, index, src, reduce, include_self)


_scatter_reduce_ = in_place(_scatter_reduce)


def scatter_reduce_(self, dim, index, src, reduce, *, include_self=True):
    """Write what `scatter_reduce` gives."""
    return _scatter_reduce_(self, dim, index, src, reduce, include_self)


METHODS = "masked_fill masked_scatter put scatter_reduce"
METHODS_ONLY = "masked_fill_ masked_scatter_ put_ scatter_reduce_"

