"""Elements chosen by a mask of bools: masked_fill, masked_select; nonzero, one_hot."""
import numpy as np

from .. import dtypes
from ..autograd.operation import differentiable
from ..errors import common_shape
from ..ops.declaring import expect_tensors, new_zeros, shape_of
from ..ops.expansion import _sum
from ..ops.joining import unbind
from ..ops.writing import number_for, write_elements
from ..tensor import Tensor, bump_version, wrap_new

# --- masked_fill ----------------------------------------------------------------------

@differentiable(
    "MaskedFillBackward0",
    mask=None,
    self=lambda grad, mask: _masked_fill(grad, mask, 0))
def _masked_fill(self, mask, value):
    return filled(self, mask, number_for(value, self.dtype))


@differentiable(
    "MaskedFillBackward1",
    mask=None,
    self=lambda grad, mask: _masked_fill(grad, mask, 0),
    value=lambda grad, mask: _sum(masked_select(grad, mask), None))
def _masked_fill_tensor(self, mask, value):
    return filled(self, mask, value)


def filled(array, mask, value):
    """Return a copy of an array with a 0-d array where the mask is True."""
    if value.ndim:
        raise RuntimeError(
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor "
            f"with {value.ndim} dimension(s).")
    if mask.dtype.kind != "b":
        raise RuntimeError(
            "masked_fill_ only supports boolean masks, but got mask with dtype "
            f"{dtypes.cpp_name(mask.dtype)}")
    common = common_shape(mask.shape, array.shape)
    result = np.array(np.broadcast_to(array, common), order="C")
    np.copyto(result, value, "unsafe", mask)
    return result


def masked_fill(self, mask, value):
    """Return a copy with one number where the mask (bool) is True; both broadcast.

        x = torch.tensor([1., 2., 3.])
        x.masked_fill(x > 2, 0)     # tensor([1., 2., 0.])
    """
    if isinstance(value, Tensor):
        return _masked_fill_tensor(self, mask, value)
    return _masked_fill(self, mask, value)


def masked_fill_(self, mask, value):
    """Write one number where the mask, broadcast, is True."""
    expect_tensors("masked_fill_", mask=mask)
    fill = _masked_fill_tensor if isinstance(value, Tensor) else _masked_fill
    return write_elements(
        fill.operation, [self, mask, value], "masked_fill_", "tensor[mask] = scalar")


# --- masked_select --------------------------------------------------------------------

def masked_select_backward(grad, self, mask):
    """Return zeros with the gradients, one after the other, where the mask is True."""
    common = common_shape(shape_of(mask), shape_of(self))
    return _masked_scatter(new_zeros(grad, common), mask, grad)


@differentiable("MaskedSelectBackward0", mask=None, self=masked_select_backward)
def masked_select(self, mask):
    """Return the elements where the mask (bool) is True, as a vector; both broadcast.

        x = torch.tensor([1., 2., 3.])
        x.masked_select(x > 1)      # tensor([2., 3.])
    """
    if mask.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    common = common_shape(mask.shape, self.shape) or (1,)
    return np.broadcast_to(self, common)[np.broadcast_to(mask, common)]


@differentiable(
    "MaskedScatterBackward0",
    mask=None,
    self=lambda grad, mask: _masked_fill(grad, mask, 0),
    source=lambda grad, mask: masked_select(grad, mask))
def _masked_scatter(self, mask, source):
    result = self.copy()
    np.place(result, np.broadcast_to(mask, self.shape), source)
    return result


# --- without a gradient ---------------------------------------------------------------

def nonzero(self, *, as_tuple=False):
    """Return the indices of elements that are not zero, in rows.

        torch.tensor([0, 5, 6]).nonzero()       # tensor([[1], [2]])

    With ``as_tuple=True``, return one vector for each dimension.
    """
    array = self._array
    if array.ndim or as_tuple:
        places = np.nonzero(np.atleast_1d(array))
    else:
        places = np.zeros((0, int(bool(array))))
    result = wrap_new(np.array(places, np.int64).T)
    return unbind(result, 1) if as_tuple else result


def one_hot(input, num_classes=-1):
    """Return rows of zeros with a 1 at the place that the index names; int64.

        nn.functional.one_hot(torch.tensor([0, 2]))     # [[1, 0, 0], [0, 0, 1]]
    """
    expect_tensors("one_hot", input=input)
    array = input._array
    if array.dtype != dtypes.INT64:
        raise RuntimeError(
            "one_hot is only applicable to index tensor of type LongTensor.")
    if not array.size and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if array.min(initial=0) < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = int(array.max()) + 1
    elif array.max(initial=-1) >= num_classes:
        raise RuntimeError("Class values must be smaller than num_classes.")
    classes = np.arange(num_classes)
    result = wrap_new((array[..., None] == classes).astype(np.int64))
    if array.size:              # PyTorch writes zeros, and then the ones
        bump_version(result)
        bump_version(result)
    return result


METHODS = "masked_fill masked_select nonzero"
METHODS_ONLY = "masked_fill_"
