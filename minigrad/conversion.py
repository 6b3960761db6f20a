"""A tensor as something else: numbers, lists, NumPy arrays, other dtypes, copies."""
from importlib import import_module

from . import dtypes
from .attributes import check_device
from .autograd.operation import differentiable
from .errors import explainable, warn_once
from .memory import writeable
from .state import local
from .tensor import Tensor, wrap

ONE_ELEMENT = "only one element tensors can be converted to Python scalars"
ONE_INTEGER = "only integer tensors of a single element can be converted to an index"
ONLY_LEAVES_ARE_COPIED = (
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
    "protocol at the moment.  If you were attempting to deepcopy a module, this may be "
    "because of a torch.nn.utils.weight_norm usage, see "
    "https://github.com/pytorch/pytorch/pull/103001")


def only_element(self, error):
    """Return the only element as a Python number; without one or with more, raise."""
    if self._array.size != 1:
        raise error
    return self._array.item()


def item(self):
    """Return the only element as a Python number."""
    return only_element(self, RuntimeError(
        f"a Tensor with {self._array.size} elements cannot be converted to Scalar"))


def tolist(self):
    """Return the elements as nested lists; without dimensions, as a number."""
    return self._array.tolist()


def to_float(self):
    """Return the only element as a float; warn if it requires a gradient."""
    if self.requires_grad and local.state.grad_enabled:
        warn_once("Converting a tensor with requires_grad=True to a scalar may lead to "
                  "unexpected behavior.\nConsider using tensor.detach() first.")
    return float(only_element(self, ValueError(ONE_ELEMENT)))


def to_int(self):
    """Return the only element as an int."""
    return int(only_element(self, ValueError(ONE_ELEMENT)))


def to_index(self):
    """Return the only element, an integer, as the position of an item in a list."""
    error = TypeError(ONE_INTEGER)
    if self._array.dtype.kind == "f":
        raise error
    return int(only_element(self, error))


def to_bool(self):
    """Return whether the only element is not zero."""
    values = "more than one value" if self._array.size else "no values"
    error = RuntimeError(f"Boolean value of Tensor with {values} is ambiguous")
    return bool(only_element(self, error))


def numpy(self, *, force=False):
    """Return a NumPy array that shares the memory.

    Raises RuntimeError for a tensor that requires a gradient, unless `force` is True.
    """
    if not force and self.requires_grad and local.state.grad_enabled:
        raise explainable(RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use "
            "tensor.detach().numpy() instead."))
    return writeable(self._array).view()


def to_array(self, dtype=None, copy=None):
    """Return what NumPy takes for this tensor."""
    array = numpy(self)
    if dtype is not None:
        array = array.astype(dtype, copy=False)
    return array.copy() if copy else array


@differentiable("ToCopyBackward0", self=lambda grad: grad)  # the engine converts it
def _to_copy(self, dtype):
    if dtype.kind == "u" and self.dtype.kind == "f":
        self = self.astype(dtypes.INT64)    # if it is out of range, its last byte stays
    return self.astype(dtype, order="C" if 0 in self.strides else "K")


def to(self, *args, dtype=None, device=None, non_blocking=False, copy=False) -> Tensor:
    """Return the tensor in another dtype: ``x.to(torch.float64)``, ``x.to(other)``.

    The result is the tensor itself if it has the dtype already, unless ``copy=True``.
    A device may be given, too: ``x.to("cpu", torch.float64)``.
    """
    for value in args:
        if isinstance(value, str):
            device = value
        elif isinstance(value, Tensor):
            dtype = value.dtype
        elif value is not None:
            dtype = value
    check_device(device)
    kind = dtypes.numpy_of(dtype, self._array.dtype)
    if kind == self._array.dtype and not copy:
        return self
    return _to_copy(self, kind)


def to_dtype(name, dtype):
    """Return the method, such as ``double()``, that converts to one dtype."""
    def method(self):
        return to(self, dtype)
    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"Return the tensor as {dtype!r}."
    return method


TO_DTYPE = {name: to_dtype(name, dtype) for name, dtype in dtypes.PUBLIC.items()
            if not name[-1].isdigit()}


def deepcopy(self, memo) -> Tensor:
    """Return a copy of a leaf, with its own numbers, gradient and attributes."""
    if not self.is_leaf:
        raise RuntimeError(ONLY_LEAVES_ARE_COPIED)
    copy = import_module("copy")        # the caller has loaded it
    result = rebuilt(type(self), self._array.copy("K"), self.requires_grad, {})
    memo[id(self)] = result
    result._grad = copy.deepcopy(self._grad, memo)
    result.__dict__.update(copy.deepcopy(self.__dict__, memo))
    return result


def reduce_ex(self, protocol):
    """Give pickle and copy.copy the numbers and the attributes, but no history."""
    attributes = dict(self.__dict__)
    return rebuilt, (type(self), self._array, self.requires_grad, attributes)


def rebuilt(kind, array, requires_grad, attributes):
    """Return a leaf around an array.  PyTorch counts this as the first write to it."""
    result = wrap(array, kind)
    result._requires_grad = requires_grad
    result._get_counter().value = 1
    result.__dict__.update(attributes)
    return result


METHODS_ONLY = "item tolist numpy to"
ATTRIBUTES = {
    "__float__": to_float,
    "__int__": to_int,
    "__index__": to_index,
    "__bool__": to_bool,
    "__hash__": lambda self: id(self),
    "__array__": to_array,
    "__deepcopy__": deepcopy,
    "__reduce_ex__": reduce_ex,
    **TO_DTYPE,
}
