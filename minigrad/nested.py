"""Python data as arrays: numbers, nested lists of them, and NumPy's arrays, by PyTorch's rules."""
from __future__ import annotations

import math
import operator

import numpy as np

from . import dtypes
from .errors import type_name, warn_once
from .state import local
from .tensor import Tensor

PLAIN = {bool, int, float}
SEQUENCES = {list, tuple}

SLOW_LIST_OF_ARRAYS = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting "
    "the list to a single numpy.ndarray with numpy.array() before converting to a tensor.")


def array_from(data, dtype=None):
    """Return the numbers of `data` as a new array; without a NumPy `dtype` the numbers decide.

    Floats become the default dtype, integers int64, booleans bool; NumPy's numbers and tensors keep theirs.

    Raises:
        ValueError: lists of unequal lengths, or integers beyond 64 bits.
        TypeError: a string, or another object that is not a number.
        RuntimeError: an object without a dtype, or a number that the dtype cannot hold.
    """
    if isinstance(data, np.ndarray):
        check_ndarray(data)
        return np.array(data, dtype, order="C")
    if has_only_numbers(data):
        try:
            return number_array(data, dtype)
        except ValueError as error:         # which NumPy raises for unequal lengths
            if "inhomogeneous" not in str(error):
                raise
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    shape, numbers = shape_of(data), []
    dtype = dtype or inferred(data)
    collect(data, shape, 0, dtype, numbers)
    return number_array(numbers, dtype).reshape(shape)


def has_only_numbers(data):
    """Return whether nested lists hold Python numbers and nothing else."""
    kind = type(data)
    if kind not in SEQUENCES:
        return kind in PLAIN
    kinds = set(map(type, data))
    return kinds <= PLAIN or kinds <= SEQUENCES and all(map(has_only_numbers, data))


def number_array(numbers, dtype):
    """Return nested lists of Python numbers, all of the lengths they should have, as an array."""
    array = np.array(numbers)
    if array.dtype.kind in "Ou":            # integers beyond int64
        if dtype is None or dtype.kind != "f":
            raise ValueError("Overflow when unpacking long long")
        return np.array(numbers, dtypes.FLOAT64).astype(dtype)
    if dtype is None:
        dtype = dtypes.Default.numpy if array.dtype.kind == "f" else array.dtype
    return converted(array, dtype)


def is_sequence(data):
    if isinstance(data, np.ndarray):
        return data.ndim > 0
    return (hasattr(type(data), "__getitem__") and hasattr(type(data), "__len__")
            and not isinstance(data, (Tensor, dict, np.generic)))


def shape_of(data):
    """Return the shape that the first element of each level tells."""
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
    """Return the NumPy dtype for which the numbers of `data` ask together."""
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
    result = None
    for part in data:
        found = inferred(part)
        result = found if result is None else dtypes.promote(result, found)
    return result or dtypes.Default.numpy


def collect(data, shape, depth, dtype, numbers):
    """Append the numbers of nested data to a list, in order; check the lengths."""
    if depth == len(shape):
        numbers.append(python_number(data, dtype))
        return
    if not is_sequence(data):
        raise TypeError("not a sequence")
    if len(data) != shape[depth]:
        raise ValueError(f"expected sequence of length {shape[depth]} at dim {depth} (got {len(data)})")
    if len(data) and isinstance(data[0], np.ndarray):
        warn_once(SLOW_LIST_OF_ARRAYS)
    for part in data:
        collect(part, shape, depth + 1, dtype, numbers)


def python_number(value, dtype):
    """Return one element as a Python number.  What is none is refused by Python's own conversions."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (int, float)):
        return value
    return math.ldexp(value, 0) if dtype.kind == "f" else operator.index(value)


def converted(array, dtype):
    """Return an array in another dtype.  A negative number may wrap around in uint8.

    Raises:
        RuntimeError: the dtype holds integers, and a number is too large, or is nan or infinite.
    """
    if dtype.kind in "iu" and array.dtype.kind in "fi" and array.size and array.dtype != dtype:
        info = np.iinfo(dtype)
        low = -info.max if dtype.kind == "u" else info.min
        if not (array.min() >= low and array.max() <= info.max):
            raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")
    return local.state.quiet(array.astype, dtype, copy=False)       # 1e40 becomes inf without a warning


def check_ndarray(array):
    """Refuse an array of which there can be no tensor.

    Raises:
        TypeError: its dtype is not one of a tensor.
        ValueError: negative strides, or bytes in the order of another kind of machine.
    """
    if not array.dtype.isnative:
        raise ValueError("given numpy array has byte order different from the native byte order. "
                         "Conversion between byte orders is currently not supported.")
    if array.dtype not in dtypes.BY_NUMPY:
        kind = array.dtype.type
        raise TypeError(f"can't convert np.ndarray of type {kind.__module__}.{kind.__name__}. The only "
                        "supported types are: float64, float32, float16, complex64, complex128, int64, "
                        "int32, int16, int8, uint64, uint32, uint16, uint8, and bool.")
    if array.size and min(array.strides, default=0) < 0:
        raise ValueError("At least one stride in the given numpy array is negative, and tensors with "
                         "negative strides are not currently supported. (You can probably work around "
                         "this by making a copy of your array  with array.copy().) ")
