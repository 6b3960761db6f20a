"""A tensor as something else: numbers, lists, NumPy arrays, other dtypes, copies, pickles."""
import copy

import numpy as np

from . import dtypes
from .attributes import check_device
from .autograd.operation import differentiable
from .errors import noted, type_name, warn_once
from .memory import writeable
from .nested import array_from, check_ndarray
from .state import local
from .tensor import Tensor, wrap, wrap_new


def item(self):
    """Return the only element as a Python number."""
    if self._array.size != 1:
        raise RuntimeError(f"a Tensor with {self._array.size} elements cannot be converted to "
                           "Scalar")
    return self._array.item()


def tolist(self):
    """Return the elements as nested lists of Python numbers; without dimensions, as one number."""
    return self._array.tolist()


def only_element(self):
    if self._array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return self._array.item()


def to_float(self):
    if self.requires_grad and local.state.grad_enabled:
        warn_once("Converting a tensor with requires_grad=True to a scalar may lead to unexpected "
                  "behavior.\nConsider using tensor.detach() first.")
    return float(only_element(self))


def to_index(self):
    if self._array.size != 1 or self._array.dtype.kind == "f":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self._array.item())


def to_bool(self):
    if self._array.size != 1:
        many = "more than one value" if self._array.size else "no values"
        raise RuntimeError(f"Boolean value of Tensor with {many} is ambiguous")
    return bool(self._array.item())


def numpy(self, *, force=False):
    """Return a NumPy array that shares the memory; `force` allows one that requires a gradient."""
    if not force and self.requires_grad and local.state.grad_enabled:
        raise noted(RuntimeError("Can't call numpy() on Tensor that requires grad. Use "
                                 "tensor.detach().numpy() instead."))
    return writeable(self._array).view()


def to_array(self, dtype=None, copy=None):
    array = numpy(self) if dtype is None else numpy(self).astype(dtype, copy=False)
    return array.copy() if copy else array


def from_numpy(ndarray):
    """Return a tensor that shares the memory of a NumPy array."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type_name(ndarray)})")
    check_ndarray(ndarray)
    return wrap_new(ndarray.view(np.ndarray))


def as_tensor(data, dtype=None, device=None):
    """Return `data` as a tensor; a tensor or array that has the dtype already is not copied."""
    check_device(device)
    kind = dtypes.numpy_of(dtype)
    if isinstance(data, Tensor):
        return data.to(dtype)
    if isinstance(data, np.ndarray) and (kind is None or kind == data.dtype):
        return from_numpy(data)
    return wrap_new(array_from(data, kind))


@differentiable("ToCopyBackward0", self=lambda grad: grad)      # the engine converts the gradient
def _to_copy(self, dtype):
    if dtype.kind == "u" and self.dtype.kind == "f":
        self = self.astype(dtypes.INT64)        # of a number out of range the last byte stays
    return self.astype(dtype, order="C" if 0 in self.strides else "K")


def to(self, *args, dtype=None, device=None, non_blocking=False, copy=False):
    """Return the tensor in another dtype: ``x.to(torch.float64)``, ``x.to(other_tensor)``.

    The result is the tensor itself if it has the dtype already, unless ``copy=True``.  A device may
    be given, too: ``x.to("cpu", torch.float64)``.
    """
    for value in args:
        if isinstance(value, str):
            device = value
        elif value is not None:
            dtype = value.dtype if isinstance(value, Tensor) else value
    check_device(device)
    kind = dtypes.numpy_of(dtype, self._array.dtype)
    return self if kind == self._array.dtype and not copy else _to_copy(self, kind)


def to_dtype(name, dtype):
    """Return the method, such as ``double()``, that converts to one dtype."""
    def method(self):
        return self if self._array.dtype == dtype.numpy else _to_copy(self, dtype.numpy)
    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"Return the tensor as {dtype!r}."
    return method


TO_DTYPE = {name: to_dtype(name, dtype) for name, dtype in dtypes.PUBLIC.items()
            if not name[-1].isdigit()}


def to_type(self, dtype=None):
    """Return the old name of the dtype, ``"torch.FloatTensor"``; given one, convert to it."""
    if dtype is None:
        return self.dtype.tensor_type
    named = {known.tensor_type: known for known in dtypes.ALL}
    return self.to(getattr(dtype, "dtype", named.get(dtype, dtype)))


def deepcopy(self, memo):
    """Return a copy of a leaf, with its own numbers, gradient and attributes."""
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
            "protocol at the moment.  If you were attempting to deepcopy a module, this may be "
            "because of a torch.nn.utils.weight_norm usage, see "
            "https://github.com/pytorch/pytorch/pull/103001")
    result = memo[id(self)] = rebuilt(type(self), self._array.copy("K"), self.requires_grad, {})
    result._grad = copy.deepcopy(self._grad, memo)
    result.__dict__.update(copy.deepcopy(self.__dict__, memo))
    return result


def reduce_ex(self, protocol):
    """Give pickle and copy.copy the numbers and the attributes, but no history."""
    return rebuilt, (type(self), self._array, self.requires_grad, dict(self.__dict__))


def rebuilt(kind, array, requires_grad, attributes):
    """Return a leaf around an array.  PyTorch counts this as the first write to it."""
    result = wrap(array, kind)
    result._requires_grad = requires_grad
    result._get_counter().value = 1
    result.__dict__.update(attributes)
    return result


METHODS_ONLY = "item tolist numpy to"
FUNCTIONS_ONLY = "from_numpy as_tensor"
OPERATORS = {
    "__float__": to_float, "__int__": lambda self: int(only_element(self)),
    "__index__": to_index, "__bool__": to_bool, "__hash__": lambda self: id(self),
    "__array__": to_array, "__deepcopy__": deepcopy, "__reduce_ex__": reduce_ex, "type": to_type,
    **TO_DTYPE}
