"""Elements chosen by a mask of bools: masked_fill, masked_select; and nonzero, which gives indices."""
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

# --- masked_fill --------------------------------------------------------------------------------


def fill_at_mask(array, mask, value):
    if not isinstance(value, np.ndarray):
        value = number_for(value, array.dtype)
    elif value.ndim:
        raise RuntimeError("masked_fill_ only supports a 0-dimensional value tensor, but got tensor "
                           f"with {value.ndim} dimension(s).")
    if mask.dtype.kind != "b":
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype "
                           f"{dtypes.cpp_name(mask.dtype)}")
    if mask.shape != array.shape:
        check_broadcast(array.shape, mask.shape)
    warn_expanded("masked_fill_", "tensor[mask] = scalar", array)
    np.copyto(array, value, "unsafe", mask)


def filled(array, mask, value):
    """Return a copy, in the shape to which array and mask broadcast, with the value written."""
    result = np.array(np.broadcast_to(array, common_shape(mask.shape, array.shape)), order="C")
    fill_at_mask(result, mask, value)
    return result


@differentiable("MaskedFillBackward0", mask=None,
                self=lambda grad, mask: _masked_fill(grad, mask, 0))
def _masked_fill(self, mask, value):
    return filled(self, mask, value)


@differentiable("MaskedFillBackward1", mask=None,
                self=lambda grad, mask: _masked_fill(grad, mask, 0),
                value=lambda grad, mask: _sum(_masked_select(grad, mask)))
def _masked_fill_tensor(self, mask, value):
    return filled(self, mask, value)


_masked_fill_ = in_memory(_masked_fill, fill_at_mask)
_masked_fill_tensor_ = in_memory(_masked_fill_tensor, fill_at_mask)


def masked_fill(self, mask, value):
    """Return a copy with one number where the mask (bool) is True; tensor and mask broadcast.

        x = torch.tensor([1., 2., 3.])
        x.masked_fill(x > 2, 0)     # tensor([1., 2., 0.])

    Raises:
        RuntimeError: the mask is not of bools, or the shapes do not broadcast.
    """
    return (_masked_fill_tensor if isinstance(value, Tensor) else _masked_fill)(self, mask, value)


def masked_fill_(self, mask, value):
    """Write one number where the mask, broadcast, is True."""
    return (_masked_fill_tensor_ if isinstance(value, Tensor) else _masked_fill_)(self, mask, value)


# --- masked_select ------------------------------------------------------------------------------

@differentiable("MaskedSelectBackward0", mask=None, self=lambda grad, self, mask: _masked_scatter(
    new_zeros(grad, common_shape(shape_of(mask), shape_of(self))), mask, grad))
def _masked_select(self, mask):
    if mask.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    common = common_shape(mask.shape, self.shape)
    return np.atleast_1d(np.broadcast_to(self, common))[np.atleast_1d(np.broadcast_to(mask, common))]


@differentiable("MaskedScatterBackward0", mask=None,
                self=lambda grad, mask: _masked_fill(grad, mask, 0),
                source=lambda grad, mask: _masked_select(grad, mask))
def _masked_scatter(self, mask, source):
    """Write the numbers of `source`, one after the other, where the mask is True."""
    result = self.copy()
    np.place(result, np.broadcast_to(mask, self.shape), source)
    return result


def masked_select(self, mask):
    """Return the elements where the mask (bool) is True, as a vector; tensor and mask broadcast."""
    return _masked_select(self, mask)


# --- nonzero ------------------------------------------------------------------------------------

def nonzero(self, *, as_tuple=False):
    """Return the indices of the elements that are not zero: one per row, or a vector per dimension."""
    array = np.atleast_1d(self._array) if as_tuple else self._array
    places = np.nonzero(array) if array.ndim else np.zeros((0, int(bool(array))))
    result = wrap_new(np.array(places, np.int64).T)
    return unbind(result, 1) if as_tuple else result


METHODS = "masked_fill masked_select nonzero"
METHODS_ONLY = "masked_fill_"
