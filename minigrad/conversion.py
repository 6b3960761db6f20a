"""Out of the tensor and into it: Python numbers, lists, text, NumPy arrays, other dtypes."""
from __future__ import annotations

import numpy as np

from . import dtypes, nested, printing
from .autograd.differentiable import differentiable
from .memory import empty_in_order, is_in_format
from .errors import type_name
from .errors import noted
from .attributes import check_device, device, memory_format
from .state import local
from .tensor import Tensor, wrap_new
from .errors import warn_once

# --- Python numbers -----------------------------------------------------------------------------------------


def item(self):
    """The only element, as a Python number."""
    if self._array.size != 1:
        raise RuntimeError(f"a Tensor with {self._array.size} elements cannot be converted to Scalar")
    return self._array.item()


def tolist(self):
    """The elements as nested lists of Python numbers; a single number if there are no dimensions."""
    return self._array.tolist()


def number_of(self):
    if self._array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return self._array.item()


def to_float(self):
    if self.requires_grad and local.state.grad_enabled:
        warn_once(NO_LONGER_TRACKED)
    return float(number_of(self))


NO_LONGER_TRACKED = ("Converting a tensor with requires_grad=True to a scalar may lead to unexpected "
                     "behavior.\nConsider using tensor.detach() first.")


def to_int(self):
    return int(number_of(self))


def to_index(self):
    if self._array.size != 1 or self._array.dtype.kind == "f":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self._array.item())


def to_bool(self):
    if self._array.size != 1:
        many = "more than one value" if self._array.size else "no values"
        raise RuntimeError(f"Boolean value of Tensor with {many} is ambiguous")
    return bool(self._array.item())


def contains(self, element):
    """Whether some element equals `element`, a number or a tensor."""
    if not isinstance(element, (Tensor, *dtypes.NUMBERS)):
        raise RuntimeError("Tensor.__contains__ only supports Tensor or scalar, but you passed in a "
                           f"{type(element)}.")
    return bool((self == element)._array.any())


# --- text ---------------------------------------------------------------------------------------------------

def to_text(self, *, tensor_contents=None):
    """As PyTorch prints it, with ``grad_fn`` or ``requires_grad``; `tensor_contents` stands for the numbers.

    The text of a tensor of one's own class begins with the name of that class.
    """
    suffixes = []
    try:
        made_by = type(self.grad_fn).__name__
    except RuntimeError:            # a view that may not be used any more can still be looked at
        made_by = "Invalid"
    if made_by != "NoneType":
        suffixes.append(f"grad_fn=<{made_by}>")
    elif self.requires_grad:
        suffixes.append("requires_grad=True")
    name = "tensor" if "_is_plain" in type(self).__dict__ else type(self).__name__
    return printing.format_tensor(self._array, suffixes, default_dtype=dtypes.Default.numpy,
                                  prefix=f"{name}(", contents=tensor_contents)


def formatted(self, format_spec):
    """A tensor without dimensions is formatted as its number."""
    if self._array.ndim == 0 and type(self) is Tensor:
        return self._array.item().__format__(format_spec)
    return object.__format__(self, format_spec)


# --- NumPy --------------------------------------------------------------------------------------------------

def numpy(self, *, force=False):
    """The elements as a NumPy array that shares the memory.

    Raises:
        RuntimeError: the tensor requires a gradient, which NumPy would not compute; `force` detaches it.
    """
    if not force and self.requires_grad and local.state.grad_enabled:
        raise noted(RuntimeError("Can't call numpy() on Tensor that requires grad. Use "
                                 "tensor.detach().numpy() instead."))
    return self._array.view()


def to_array(self, dtype=None, copy=None):
    array = numpy(self) if dtype is None else numpy(self).astype(dtype, copy=False)
    return array.copy() if copy else array


def to_dlpack(self, **options):
    """The memory of the tensor for other libraries that know the DLPack protocol."""
    if self.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    return self._array.__dlpack__(**options)


def from_numpy(ndarray):
    """A tensor that shares the memory of a NumPy array.

    Raises:
        TypeError: not an array, or of a dtype that no tensor has.
        ValueError: negative strides, or a foreign byte order.
    """
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type_name(ndarray)})")
    nested.check_ndarray(ndarray)
    if not ndarray.flags.writeable:
        warn_once(NOT_WRITABLE)
    return wrap_new(ndarray.view(np.ndarray))


NOT_WRITABLE = (
    "The given NumPy array is not writable, and PyTorch does not support non-writable tensors. This means "
    "writing to this tensor will result in undefined behavior. You may want to copy the array to protect its "
    "data or make it writable before converting it to a tensor. This type of warning will be suppressed for "
    "the rest of this program.")


def as_tensor(data, dtype=None, device=None):
    """`data` as a tensor, without copying a tensor or a NumPy array that has the dtype already."""
    check_device(device, "as_tensor")
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    if isinstance(data, np.ndarray) and (dtype is None or data.dtype == dtype.numpy):
        return from_numpy(data)
    return wrap_new(nested.array_from(data, dtype and dtype.numpy))


def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=None):
    """`obj` as a tensor, sharing memory if that can be done (copy=None) or must be (copy=False)."""
    check_device(device, "asarray")
    if isinstance(obj, Tensor):
        if copy is False and dtype is not None and dtype is not obj.dtype:
            raise ValueError(f"can't alias tensor with dtype '{dtypes.short_name(obj._array.dtype)}' into "
                             f"dtype '{dtypes.short_name(dtype.numpy)}'.")
        result = obj.clone() if copy else obj
        result = result if dtype is None else result.to(dtype)
        if requires_grad is None and obj.requires_grad:
            warn_once(ASARRAY_KEEPS_GRADIENT)
    elif isinstance(obj, np.ndarray):
        result = as_tensor(obj.copy() if copy else obj, dtype)
    elif copy is False:
        raise ValueError("can't alias arbitrary sequence into a tensor.")
    else:
        result = as_tensor(obj, dtype)
    if requires_grad is not None and requires_grad != result.requires_grad:
        result = result.detach().requires_grad_(requires_grad)
    return result


ASARRAY_KEEPS_GRADIENT = (
    "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. Pass "
    "requires_grad=False explicitly to get the old behavior and silence this warning.")


# --- other dtypes -------------------------------------------------------------------------------------------

@differentiable("ToCopyBackward0", self=lambda grad: grad)      # the engine converts the gradient back
def _to_copy(self, dtype):
    """A copy in another dtype; floats are cut to integers as a CPU does it."""
    if dtype.kind == "u" and self.dtype.kind == "f":
        self = self.astype(dtypes.INT64)        # of a number out of range, the last byte
    if 0 in self.strides:
        result = empty_in_order(self, dtype)
        result[...] = self
        return result
    return self.astype(dtype)


def convert(self, dtype, copy=False):
    """The tensor itself if it has the dtype already (None: any), else a copy in it."""
    here = self._array.dtype
    kind = here if dtype is None else dtype.numpy
    return self if kind == here and not copy else _to_copy(self, kind)


TO_SIGNATURES = (
    " * (torch.device device = None, torch.dtype dtype = None, bool non_blocking = False, bool copy = False, "
    "*, torch.memory_format memory_format = None)\n * (torch.dtype dtype, bool non_blocking = False, bool "
    "copy = False, *, torch.memory_format memory_format = None)\n * (Tensor tensor, bool non_blocking = "
    "False, bool copy = False, *, torch.memory_format memory_format = None)\n")


def to(self, *args, **kwargs):
    """The tensor in another dtype: ``to(torch.float64)``, ``to("cpu", torch.float64)``, ``to(other_tensor)``.

    Returns the tensor itself if nothing changes, unless ``copy=True``.  Recorded as ``ToCopyBackward0``.
    """
    dtype, copy = read_to_arguments(args, kwargs)
    format = kwargs.get("memory_format")
    if format is None or format.name == "preserve_format" or is_in_format(self._array, format):
        return convert(self, dtype, copy)
    return _to_copy_in_format(self, self._array.dtype if dtype is None else dtype.numpy, format)


def read_to_arguments(args, kwargs):
    """(dtype or None, copy) from the arguments of one of the three forms of ``to``."""
    rest, keywords, dtype, where = list(args), dict(kwargs), None, None
    first = rest[0] if rest else None
    if isinstance(first, Tensor):
        dtype = rest.pop(0).dtype
    elif as_dtype(first) is not None:
        dtype = as_dtype(rest.pop(0))
    elif isinstance(first, (bool, float)):       # which stands for a tensor of it
        dtype = dtypes.float64 if isinstance(rest.pop(0), float) else dtypes.bool_
    else:
        if rest and (first is None or isinstance(first, (str, device)) or type(first) is int):
            where = rest.pop(0) if type(first) is not int else device(first)
            if rest and (rest[0] is None or as_dtype(rest[0]) is not None):
                dtype = as_dtype(rest.pop(0))
        where = keywords.pop("device", where)
    if dtype is None and (as_dtype(keywords.get("dtype")) is not None or keywords.get("dtype", 0) is None):
        dtype = as_dtype(keywords.pop("dtype"))
    flags = dict(zip(("non_blocking", "copy"), rest)) | keywords
    allowed = {"non_blocking": bool, "copy": bool, "memory_format": (memory_format, type(None))}
    if len(rest) > 2 or any(n not in allowed or not isinstance(v, allowed[n]) for n, v in flags.items()):
        given = [type_name(a) for a in args] + [f"{n}={type_name(v)}" for n, v in kwargs.items()]
        raise TypeError("to() received an invalid combination of arguments - got "
                        f"({', '.join(given)}{'' if args else ', '}), but expected one "
                        f"of:\n{TO_SIGNATURES}")
    check_device(where, "to")
    return dtype, flags.get("copy", False)


def as_dtype(value):
    if isinstance(value, dtypes.dtype):
        return value
    return dtypes.OF_PYTHON.get(value) if isinstance(value, type) else None


def to_dtype(name, dtype):
    """The method, such as ``double()``, that converts to one dtype."""
    def method(self, memory_format=None):
        return convert(self, dtype) if memory_format is None else to(self, dtype, memory_format=memory_format)
    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"self.to({dtype!r})"
    return method


TO_DTYPE = {"float": dtypes.float32, "double": dtypes.float64, "half": dtypes.float16, "int": dtypes.int32,
            "long": dtypes.int64, "short": dtypes.int16, "char": dtypes.int8, "byte": dtypes.uint8,
            "bool": dtypes.bool_}


def type_(self, dtype=None, non_blocking=False):
    """``"torch.FloatTensor"``, the dtype's old name; given a dtype (or such a name), the tensor in it."""
    if dtype is None:
        return self.dtype.tensor_type
    for known in dtypes.ALL:
        is_old_class = isinstance(dtype, type) and getattr(dtype, "dtype", None) is known
        if dtype is known or dtype == known.tensor_type or is_old_class:
            return convert(self, known)
    if not isinstance(dtype, (type, str)):
        raise TypeError("dtype must be a type, str, or dtype object")
    raise ValueError(f"invalid type: '{dtype if isinstance(dtype, str) else dtype.__name__}'")


def cpu(self, memory_format=None):
    """The tensor itself: it is on the CPU."""
    return self


def cuda(self, device=None, non_blocking=False, memory_format=None):
    """Refused: there is no such device here."""
    check_device("cuda")


METHODS_ONLY = """
item tolist numpy to cpu cuda
"""
FUNCTIONS_ONLY = """
from_numpy as_tensor asarray
"""
OPERATORS = {'_is_plain': True, '__float__': to_float, '__int__': to_int, '__index__': to_index, '__bool__': to_bool, '__contains__': contains, '__repr__': to_text, '__format__': formatted, '__hash__': lambda self: id(self), '__dlpack__': to_dlpack, '__dlpack_device__': lambda self: self._array.__dlpack_device__(), '__array__': to_array, 'type': type_, **{name: to_dtype(name, dtype) for name, dtype in TO_DTYPE.items()}}
