"""Elements written by a mask, by their place in a row, or combined: masked_fill, put, scatter_reduce."""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable, shared
from ..autograd.inplace import in_place
from ..memory import copy_in_order, refuse_overlap
from ..errors import common_shape, counts_arguments
from ..tensor import Tensor
from . import (indexing, pointwise, reductions, scatter, shape)  # noqa
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
                value=lambda grad, mask: reductions._sum(indexing._masked_select(grad, mask), None))
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


# --- put ----------------------------------------------------------------------------------------------------


# --- scatter_reduce -----------------------------------------------------------------------------------------

COMBINE = {"sum": (np.add, 0), "prod": (np.multiply, 1), "mean": (np.add, 0), "amax": (np.maximum, -np.inf),
           "amin": (np.minimum, np.inf)}


METHODS = """
masked_fill
"""
METHODS_ONLY = """
masked_fill_
"""

