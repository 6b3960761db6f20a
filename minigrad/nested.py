"""Python data into arrays: numbers and nested lists of them, by PyTorch's rules."""
from __future__ import annotations

import operator

import numpy as np

from . import dtypes
from .errors import type_name
from .state import local
from .tensor import Tensor
from .errors import warn_once

PLAIN = {bool, int, float}
SEQUENCES = {list, tuple}

SLOW_LIST_OF_ARRAYS = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list "
    "to a single numpy.ndarray with numpy.array() before converting to a tensor.")


def array_from(data, dtype=None):
    """The numbers of `data` as a new array; `dtype` is a NumPy dtype, or None to let the numbers decide.

    Floats become the default dtype, integers int64, booleans bool; NumPy data and tensors inside keep their
    dtype.

    Raises:
        ValueError: lists of unequal lengths, strings, integers beyond 64 bits.
        TypeError: something that is no number where a number must be.
        RuntimeError: an object without a dtype, or a number the dtype cannot hold.
    """
    if isinstance(data, np.ndarray):
        return from_ndarray(data, dtype)
    if only_numbers(data):
        try:
            raw = np.array(data)
        except ValueError:                                      # uneven
            return by_the_rules(data, dtype)
        if raw.dtype.kind == "O" or raw.dtype.kind == "u":      # integers beyond int64
            if dtype is None or dtype.kind != "f":
                raise ValueError("Overflow when unpacking long long")
            return np.array(data, dtypes.FLOAT64).astype(dtype)
        if dtype is None:
            return converted(raw, dtypes.Default.numpy) if raw.dtype.kind == "f" else raw
        return converted(raw, dtype)
    return by_the_rules(data, dtype)


def only_numbers(data):
    """Whether nested lists hold Python numbers and nothing else."""
    kind = type(data)
    if kind in PLAIN:
        return True
    if kind not in SEQUENCES:
        return False
    kinds = set(map(type, data))
    return kinds <= PLAIN or kinds <= SEQUENCES and all(map(only_numbers, data))


def by_the_rules(data, dtype):
    """`array_from` for all the rest: tensors and NumPy numbers inside lists, ranges, and what is refused."""
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    shape = measured(data)
    if dtype is None:
        dtype = inferred(data)
    numbers = []
    collect(data, shape, 0, dtype, numbers)
    return np.array(numbers, dtype).reshape(shape)


def is_sequence(data):
    if isinstance(data, (list, tuple, range, str, bytes, np.ndarray)):
        return True
    kind = type(data)
    return hasattr(kind, "__getitem__") and hasattr(kind, "__len__") and not isinstance(data, (Tensor, dict))


def measured(data):
    """The shape, as the first element of each level tells it."""
    shape = []
    while is_sequence(data):
        shape.append(len(data))
        if isinstance(data, str) or len(shape) > 128:
            raise ValueError(f"too many dimensions '{type(data).__name__}'")
        if not shape[-1]:
            break
        data = data[0]
    return shape


def inferred(data):
    """The NumPy dtype that all the numbers together ask for."""
    if isinstance(data, (np.generic, np.ndarray)):
        return data.dtype
    if isinstance(data, Tensor):
        return data._array.dtype
    if isinstance(data, (bool, int, float)):
        return dtypes.of_number(data)
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    if not is_sequence(data):
        raise RuntimeError(f"Could not infer dtype of {type_name(data)}")
    if len(data) == 0:
        return dtypes.Default.numpy
    result = None
    for part in data:
        found = inferred(part)
        result = found if result is None else dtypes.promote(result, found)
    return result


def collect(data, shape, depth, dtype, numbers):
    """Append all the numbers of nested data, in order, checking the lengths."""
    if depth == len(shape):
        numbers.append(number(data, dtype))
        return
    if not is_sequence(data):
        raise TypeError("not a sequence")
    if len(data) != shape[depth]:
        raise ValueError(f"expected sequence of length {shape[depth]} at dim {depth} (got {len(data)})")
    if len(data) and isinstance(data[0], np.ndarray):
        warn_once(SLOW_LIST_OF_ARRAYS)
    for part in data:
        collect(part, shape, depth + 1, dtype, numbers)


def number(value, dtype):
    """One element as a number that an array of this dtype can hold."""
    if dtype.kind == "f":
        if not hasattr(value, "__float__") and not hasattr(value, "__index__"):
            raise TypeError(f"must be real number, not {type(value).__name__}")
        return converted(np.asarray(float(value)), dtype)[()]
    if isinstance(value, (bool, int, float, np.bool_)) and not (isinstance(value, np.bool_)
                                                                and dtype.kind != "b"):
        return converted(array_from(value.item() if isinstance(value, np.generic) else value), dtype)[()]
    return converted(np.asarray(operator.index(value)), dtype)[()]


# --- numbers into dtypes ------------------------------------------------------------------------------------

def converted(array, dtype):
    """Cast, but refuse what an integer dtype cannot hold; only a negative number may wrap around, in uint8.

    Raises:
        RuntimeError: a number is too large, or is nan or infinite.
    """
    if dtype.kind in "iu" and array.dtype.kind in "fi" and array.size and array.dtype != dtype:
        info = np.iinfo(dtype)
        low = -info.max if dtype.kind == "u" else info.min
        if not (np.minimum.reduce(array, axis=None) >= low
                and np.maximum.reduce(array, axis=None) <= info.max):
            raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")
    if dtype.kind == "f":
        return local.state.quiet(array.astype, dtype, copy=False)      # 1e40 is inf, without a word
    return array.astype(dtype, copy=False)


def from_ndarray(array, dtype=None):
    """A copy of a NumPy array, of its own dtype or another.

    Raises:
        TypeError: no tensor can have this array's dtype.
        ValueError: negative strides, or bytes in the order of another kind of machine.
    """
    check_ndarray(array)
    return np.array(array, dtype=dtype, order="C", ndmin=0, subok=False)


def check_ndarray(array):
    """Refuse an array that PyTorch would not take."""
    if not array.dtype.isnative:
        raise ValueError("given numpy array has byte order different from the native byte order. Conversion "
                         "between byte orders is currently not supported.")
    if array.dtype not in dtypes.BY_NUMPY:
        raise TypeError("can't convert np.ndarray of type "
                        f"{array.dtype.type.__module__}.{array.dtype.type.__name__}. The only supported "
                        "types are: float64, float32, float16, complex64, complex128, int64, int32, int16, "
                        "int8, uint64, uint32, uint16, uint8, and bool.")
    if array.size and any(stride < 0 for stride in array.strides):
        raise ValueError("At least one stride in the given numpy array is negative, and tensors with "
                         "negative strides are not currently supported. (You can probably work around this "
                         "by making a copy of your array  with array.copy().) ")


