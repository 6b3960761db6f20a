"""Tensors made of NumPy arrays or like other tensors, and NumPy's functions of them."""
import numpy as np

from .. import dtypes
from ..attributes import check_device
from ..creation import new_leaf, shape_from
from ..errors import type_name
from ..nested import array_from, check_ndarray
from ..tensor import Tensor, wrap_new


def from_numpy(ndarray) -> Tensor:
    """Return a tensor that shares the memory of a NumPy array."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type_name(ndarray)})")
    check_ndarray(ndarray)
    return wrap_new(ndarray.view(np.ndarray))


def as_tensor(data, dtype=None, device=None) -> Tensor:
    """Return `data` as a tensor, without a copy if it has the dtype already."""
    check_device(device)
    kind = dtypes.numpy_of(dtype)
    if isinstance(data, Tensor):
        return data.to(dtype)
    if isinstance(data, np.ndarray) and (kind is None or kind == data.dtype):
        return from_numpy(data)
    return wrap_new(array_from(data, kind))


def wrap_result(self, array, context=None, return_scalar=False) -> Tensor:
    """Return the result of a NumPy function of this tensor as a tensor."""
    if array.dtype.kind == "b":
        array = array.astype(np.uint8)
    return from_numpy(np.asarray(array))


def new_zeros(self, *sizes, size=(), dtype=None, device=None,
              requires_grad=False) -> Tensor:
    """Return zeros in the dtype of this tensor: ``x.new_zeros(2, 3)``."""
    kind = dtypes.numpy_of(dtype, self._array.dtype)
    return new_leaf(np.zeros(shape_from(sizes or size), kind), device, requires_grad)


def new_ones(self, *sizes, size=(), dtype=None, device=None,
             requires_grad=False) -> Tensor:
    """Return ones in the dtype of this tensor: ``x.new_ones(2, 3)``."""
    kind = dtypes.numpy_of(dtype, self._array.dtype)
    return new_leaf(np.ones(shape_from(sizes or size), kind), device, requires_grad)


def cpu(self) -> Tensor:
    """Return the tensor itself: there is no other device."""
    return self


METHODS_ONLY = "new_zeros new_ones cpu"
FUNCTIONS_ONLY = "from_numpy as_tensor"
ATTRIBUTES = {"__array_wrap__": wrap_result}
