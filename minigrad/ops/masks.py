"""Elements chosen by a mask of bools: masked_fill and masked_select; and nonzero, one_hot."""
import numpy as np

from .. import dtypes
from ..autograd.operation import differentiable
from ..errors import common_shape
from ..tensor import Tensor, bump_version, wrap_new
from .expansion import _sum
from .formulas import new_zeros, shape_of
from .joining import unbind
from .writing import in_place_with_warning, number_for


@differentiable("MaskedFillBackward0", mask=None,
                self=lambda grad, mask: _masked_fill(grad, mask, 0))
def _masked_fill(self, mask, value):
    value = value if isinstance(value, np.ndarray) else number_for(value, self.dtype)
    if value.ndim:
        raise RuntimeError("masked_fill_ only supports a 0-dimensional value tensor, but got "
                           f"tensor with {value.ndim} dimension(s).")
    if mask.dtype.kind != "b":
        raise RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype "
                           f"{dtypes.cpp_name(mask.dtype)}")
    result = np.array(np.broadcast_to(self, common_shape(mask.shape, self.shape)), order="C")
    np.copyto(result, value, "unsafe", mask)
    return result


@differentiable("MaskedFillBackward1", mask=None,
                self=lambda grad, mask: _masked_fill(grad, mask, 0),
                value=lambda grad, mask: _sum(masked_select(grad, mask)))
def _masked_fill_tensor(self, mask, value):
    return _masked_fill.operation.forward(self, mask, value)


_masked_fill_, _masked_fill_tensor_ = [
    in_place_with_warning(function, "masked_fill_", "tensor[mask] = scalar")
    for function in (_masked_fill, _masked_fill_tensor)]


def masked_fill(self, mask, value):
    """Return a copy with one number where the mask (bool) is True; tensor and mask broadcast.

        x = torch.tensor([1., 2., 3.])
        x.masked_fill(x > 2, 0)     # tensor([1., 2., 0.])
    """
    return (_masked_fill_tensor if isinstance(value, Tensor) else _masked_fill)(self, mask, value)


def masked_fill_(self, mask, value):
    """Write one number where the mask, broadcast, is True."""
    return (_masked_fill_tensor_ if isinstance(value, Tensor) else _masked_fill_)(self, mask, value)


@differentiable("MaskedSelectBackward0", mask=None, self=lambda grad, self, mask: _masked_scatter(
    new_zeros(grad, common_shape(shape_of(mask), shape_of(self))), mask, grad))
def masked_select(self, mask):
    """Return the elements where the mask (bool) is True, as a vector; tensor and mask broadcast."""
    if mask.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    common = common_shape(mask.shape, self.shape) or (1,)
    return np.broadcast_to(self, common)[np.broadcast_to(mask, common)]


@differentiable("MaskedScatterBackward0", mask=None,
                self=lambda grad, mask: _masked_fill(grad, mask, 0),
                source=lambda grad, mask: masked_select(grad, mask))
def _masked_scatter(self, mask, source):
    result = self.copy()
    np.place(result, np.broadcast_to(mask, self.shape), source)
    return result


def nonzero(self, *, as_tuple=False):
    """Return the indices of elements that are not zero, in rows; or one vector per dimension."""
    array = np.atleast_1d(self._array) if as_tuple else self._array
    places = np.nonzero(array) if array.ndim else np.zeros((0, int(bool(array))))
    result = wrap_new(np.array(places, np.int64).T)
    return unbind(result, 1) if as_tuple else result


def _one_hot(index, num_classes=-1):
    """Return rows of zeros with a 1 at the place that the index names; int64."""
    array = index._array
    if array.dtype != dtypes.INT64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not array.size and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if array.min(initial=0) < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(array.max()) + 1
    elif array.max(initial=-1) >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    result = wrap_new((array[..., None] == np.arange(num_classes)).astype(np.int64))
    for _ in range(2 if array.size else 0):     # PyTorch fills it in two steps
        bump_version(result)
    return result


METHODS = "masked_fill masked_select nonzero"
METHODS_ONLY = "masked_fill_"
