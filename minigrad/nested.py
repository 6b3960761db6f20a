"""Python data as arrays: numbers, nested lists of them, and NumPy's arrays, by PyTorch's rules."""
import math
import operator
from collections.abc import Sequence
from functools import reduce

import numpy as np

from . import dtypes
from .errors import type_name
from .state import quiet
from .tensor import Tensor


def array_from(data, dtype=None):
    """Return the numbers of `data` as a new array; without a NumPy `dtype` the numbers decide.

    Floats become the default dtype, integers int64, booleans bool; NumPy's numbers and tensors
    keep theirs.
    """
    if isinstance(data, np.ndarray):
        check_ndarray(data)
        return np.array(data, dtype, order="C")
    shape = shape_of(data)
    items = items_of(data, shape)
    if not set(map(type, items)) <= {bool, int, float}:
        dtype = dtype or reduce(dtypes.promote, map(dtype_of, items), dtypes.BOOL)
        items = [python_number(value, dtype) for value in items]
    array = np.array(items, dtypes.FLOAT64 if dtype is not None and dtype.kind == "f" else None)
    if array.dtype.kind in "Ou":            # integers beyond int64
        raise ValueError("Overflow when unpacking long long")
    if dtype is None:
        dtype = dtypes.Default.numpy if array.dtype.kind == "f" else array.dtype
    return converted(array, dtype).reshape(shape)


def is_sequence(data):
    """Return whether `data` counts as a list; tensors and dictionaries don't."""
    return isinstance(data, Sequence) or isinstance(data, np.ndarray) and data.ndim > 0


def shape_of(data):
    """Return the shape that the first element of each level has."""
    if isinstance(data, (str, bytes)):
        return []           # one element, which `dtype_of` refuses
    shape = []
    while is_sequence(data):
        shape.append(len(data))
        if isinstance(data, str) or len(shape) > 128:
            raise ValueError(f"too many dimensions '{type(data).__name__}'")
        if not shape[-1]:
            break
        data = data[0]
    return shape


def items_of(data, shape, at=0):
    """Return the elements of nested data as a list; check the lengths."""
    if not shape:
        return [data]
    if not is_sequence(data):
        raise TypeError("not a sequence")
    if len(data) != shape[0]:
        raise ValueError(f"expected sequence of length {shape[0]} at dim {at} (got {len(data)})")
    if len(shape) == 1:
        return list(data)
    return [item for part in data for item in items_of(part, shape[1:], at + 1)]


def dtype_of(value):
    """Return the NumPy dtype that an element has, or would have as a tensor."""
    if isinstance(value, (Tensor, np.generic, np.ndarray)):
        return getattr(value, "_array", value).dtype
    if isinstance(value, (bool, int, float)):
        return dtypes.of_number(value)
    if isinstance(value, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(value).__name__}'")
    if not is_sequence(value):
        raise RuntimeError(f"Could not infer dtype of {type_name(value)}")
    return dtypes.BOOL      # a list among numbers: `python_number` refuses it


def python_number(value, dtype):
    """Return one element as a Python number; Python raises the TypeError for anything else."""
    if isinstance(value, (int, float, np.generic)):
        return value.item() if isinstance(value, np.generic) else value
    return math.ldexp(value, 0) if dtype.kind == "f" else operator.index(value)     # no strings


def converted(array, dtype):
    """Return an array in another dtype that can hold the numbers; -1 may wrap around in uint8."""
    if dtype.kind in "iu" and array.dtype.kind in "fi" and array.size and array.dtype != dtype:
        info = np.iinfo(dtype)
        low = -info.max if dtype.kind == "u" else info.min
        if not (array.min() >= low and array.max() <= info.max):
            raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")
    return quiet.copy().run(array.astype, dtype, copy=False)       # 1e40 quietly becomes inf


def check_ndarray(array):
    """Refuse an array that no tensor can hold."""
    if array.dtype not in dtypes.BY_NUMPY:
        kind = array.dtype.type
        raise TypeError(
            f"can't convert np.ndarray of type {kind.__module__}.{kind.__name__}. The only "
            "supported types are: float64, float32, float16, complex64, complex128, int64, int32, "
            "int16, int8, uint64, uint32, uint16, uint8, and bool.")
    if array.size and min(array.strides, default=0) < 0:
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative "
            "strides are not currently supported. (You can probably work around this by making a "
            "copy of your array  with array.copy().) ")
