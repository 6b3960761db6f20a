"""Elements chosen by a mask of bools: masked_fill, masked_select; and nonzero, which turns one into indices."""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.operation import differentiable
from ..errors import common_shape
from ..tensor import Tensor, wrap_new
from .expansion import _sum
from .formulas import new_zeros, shape_of
from .overwrite import check_broadcast, in_memory, number_for, warn_expanded
from .splitting import unbind

# --- masked_fill --------------------------------------------------------------------------------------------


def fill_at_mask(array, mask, value):
    if not isinstance(value, np.ndarray):
        value = number_for(value, array.dtype)
    elif value.ndim:
        raise RuntimeError("masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                           f"{value.ndim} dimension(s).")
    if mask.dtype.kind != "b":
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype "
                           f"{dtypes.cpp_name(mask.dtype)}")
    if mask.shape != array.shape:
        check_broadcast(array.shape, mask.shape)
    warn_expanded("masked_fill_", "tensor[mask] = scalar", array)
    np.copyto(array, value, "unsafe", mask)


def filled(array, mask, value):
    result = np.array(np.broadcast_to(array, common_shape(mask.shape, array.shape)), order="C")
    fill_at_mask(result, mask, value)
    return result


@differentiable("MaskedFillBackward0", self=lambda grad, mask: _masked_fill(grad, mask, 0), mask=None)
def _masked_fill(self, mask, value):
    return filled(self, mask, value)


@differentiable("MaskedFillBackward1",
                self=lambda grad, mask: _masked_fill(grad, mask, 0),
                mask=None,
                value=lambda grad, mask: _sum(_masked_select(grad, mask)))
def _masked_fill_tensor(self, mask, value):
    return filled(self, mask, value)


_masked_fill_ = in_memory(_masked_fill, fill_at_mask)
_masked_fill_tensor_ = in_memory(_masked_fill_tensor, fill_at_mask)


def masked_fill(self, mask, value):
    """Return a copy with one number where the mask (bool) is True; tensor and mask broadcast.

        torch.tensor([1., 2., 3.]).masked_fill(torch.tensor([False, True, False]), 0)   # tensor([1., 0., 3.])

    Raises:
        RuntimeError: the mask is not of bools, or the shapes do not broadcast.
    """
    return (_masked_fill_tensor if isinstance(value, Tensor) else _masked_fill)(self, mask, value)


def masked_fill_(self, mask, value):
    """Write one number where the mask, broadcast, is True."""
    return (_masked_fill_tensor_ if isinstance(value, Tensor) else _masked_fill_)(self, mask, value)


# --- masked_select ------------------------------------------------------------------------------------------

@differentiable("MaskedSelectBackward0",
                self=lambda grad, self, mask: _masked_scatter(
                    new_zeros(grad, common_shape(shape_of(mask), shape_of(self))), mask, grad),
                mask=None)
def _masked_select(self, mask):
    if mask.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    if self.shape != mask.shape:
        common = common_shape(mask.shape, self.shape)
        self, mask = np.broadcast_to(self, common), np.broadcast_to(mask, common)
    return np.atleast_1d(self)[np.atleast_1d(mask)]


@differentiable("MaskedScatterBackward0",
                self=lambda grad, mask: _masked_fill(grad, mask, 0),
                mask=None,
                source=lambda grad, mask: _masked_select(grad, mask))
def _masked_scatter(self, mask, source):
    """Write the numbers of `source`, one after the other, where the mask is True."""
    result = self.copy()
    np.place(result, np.broadcast_to(mask, self.shape), source)
    return result


def masked_select(self, mask):
    """Return the elements where the mask (bool) is True, in one dimension; tensor and mask broadcast."""
    return _masked_select(self, mask)


# --- nonzero ------------------------------------------------------------------------------------------------

def nonzero(self, *, as_tuple=False):
    """Return the indices of the elements that are not zero: a row for each, or a vector for each dimension."""
    array = np.atleast_1d(self._array) if as_tuple else self._array
    places = np.array(np.nonzero(array) if array.ndim else np.zeros((0, int(bool(array)))), np.int64)
    result = wrap_new(places.T)
    return unbind(result, 1) if as_tuple else result


METHODS = "masked_fill masked_select nonzero"
METHODS_ONLY = "masked_fill_"
