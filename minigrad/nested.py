"""Python data as arrays, by PyTorch's rules: numbers, nested lists, NumPy's arrays."""
import math
import operator
from collections.abc import Sequence
from functools import reduce

import numpy as np

from . import dtypes
from .errors import type_name
from .state import quiet
from .tensor import Tensor

PLAIN = {bool, int, float}
TOO_DEEP = 128      # a list that contains itself has no end


def array_from(data, dtype=None):
    """Return the numbers of `data` as a new array.

    Without a NumPy `dtype` the numbers decide: floats become the default dtype,
    integers int64, booleans bool; NumPy's numbers and tensors keep theirs.
    """
    if isinstance(data, np.ndarray):
        check_ndarray(data)
        return np.array(data, dtype, order="C")
    shape = nested_shape(data)
    items = items_of(data, shape)
    if not set(map(type, items)) <= PLAIN:
        if dtype is None:
            dtype = reduce(dtypes.promote, map(dtype_of, items))
        items = [python_number(value, dtype) for value in items]
    is_float = dtype is not None and dtype.kind == "f"
    array = np.array(items, dtypes.FLOAT64 if is_float else None)
    if array.dtype.kind in "Ou":            # integers beyond int64
        raise ValueError("Overflow when unpacking long long")
    if dtype is None:
        is_float = array.dtype.kind == "f"
        dtype = dtypes.Default.numpy if is_float else array.dtype
    return converted(array, dtype).reshape(shape)


def is_sequence(data):
    """Return whether `data` counts as a list; tensors and dictionaries don't."""
    if isinstance(data, (list, tuple)):
        return True
    if type(data) in PLAIN:     # to ask an abstract class takes five times as long
        return False
    if isinstance(data, np.ndarray):
        return data.ndim > 0
    return isinstance(data, Sequence)


def nested_shape(data):
    """Return the shape that the first element of each level has."""
    if isinstance(data, (str, bytes)):
        return []           # one element, which `dtype_of` refuses
    shape = []
    while is_sequence(data):
        shape.append(len(data))
        if isinstance(data, str) or len(shape) > TOO_DEEP:
            raise ValueError(f"too many dimensions '{type(data).__name__}'")
        if not shape[-1]:
            break
        data = data[0]
    return shape


def items_of(data, shape, dim=0):
    """Return the elements of nested data as a list; check the lengths."""
    if not shape:
        return [data]
    if not is_sequence(data):
        raise TypeError("not a sequence")
    length, *inner = shape
    if len(data) != length:
        raise ValueError(
            f"expected sequence of length {length} at dim {dim} (got {len(data)})")
    if not inner:
        return list(data)
    return [item for part in data for item in items_of(part, inner, dim + 1)]


def dtype_of(value):
    """Return the NumPy dtype that an element has, or would have as a tensor."""
    if isinstance(value, Tensor):
        return value._array.dtype
    if isinstance(value, (np.generic, np.ndarray)):
        return value.dtype
    if isinstance(value, (bool, int, float)):
        return dtypes.of_number(value)
    if isinstance(value, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(value).__name__}'")
    if not is_sequence(value):
        raise RuntimeError(f"Could not infer dtype of {type_name(value)}")
    return dtypes.BOOL      # a list among numbers: `python_number` refuses it


def python_number(value, dtype):
    """Return one element as a Python number; Python refuses what is none."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (int, float)):
        return value
    if dtype.kind == "f":
        return math.ldexp(value, 0)     # `float` would take strings, too
    return operator.index(value)


def converted(array, dtype):
    """Return an array in another dtype, which must be able to hold its numbers."""
    if dtype.kind in "iu" and array.dtype.kind in "fi" and array.dtype != dtype:
        info = np.iinfo(dtype)
        low = -info.max if dtype.kind == "u" else info.min      # -1 may become 255
        fits = array.size == 0 or low <= array.min() <= array.max() <= info.max
        if not fits:
            raise RuntimeError(
                f"value cannot be converted to type {dtype.name} without overflow")
    return quiet.copy().run(array.astype, dtype, copy=False)    # 1e40 becomes inf


def check_ndarray(array):
    """Refuse an array that no tensor can hold."""
    if array.dtype not in dtypes.BY_NUMPY:
        kind = array.dtype.type
        raise TypeError(
            f"can't convert np.ndarray of type {kind.__module__}.{kind.__name__}. The "
            "only supported types are: float64, float32, float16, complex64, "
            "complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, and "
            "bool.")
    if array.size and min(array.strides, default=0) < 0:
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors "
            "with negative strides are not currently supported. (You can probably work "
            "around this by making a copy of your array  with array.copy().) ")
