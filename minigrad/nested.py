"""Python data into arrays: numbers and nested lists of them, by PyTorch's rules for shape, dtype and refusal."""
from __future__ import annotations

import warnings

import numpy as np

from . import dtypes
from .tensor import Tensor

PLAIN = {bool, int, float}
SEQUENCES = {list, tuple}

SLOW_LIST_OF_ARRAYS = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to a single "
    "numpy.ndarray with numpy.array() before converting to a tensor.")
_warned = set()


def array_from(data, dtype=None):
    """The numbers of `data` as a new array; `dtype` is a NumPy dtype, or None to let the numbers decide.

    Floats become the default dtype, integers int64, booleans bool; NumPy data and tensors inside keep their dtype.

    Raises:
        ValueError: lists of unequal lengths, strings, integers beyond 64 bits.
        TypeError: something that is no number where a number must be.
        RuntimeError: an object without a dtype, or a number the dtype cannot hold.
    """
    if isinstance(data, np.ndarray):
        return from_ndarray(data, dtype)
    shape = plain_shape(data)
    if shape is not None:
        raw = np.array(data)
        if raw.dtype.kind == "O" or raw.dtype.kind == "u":      # integers beyond int64
            if dtype is None or dtype.kind != "f":
                raise ValueError("Overflow when unpacking long long")
            return np.array(data, dtype)
        if dtype is None:
            return raw.astype(dtypes.Default.numpy) if raw.dtype.kind == "f" else raw
        return converted(raw, dtype)
    return by_the_rules(data, dtype)


def plain_shape(data):
    """The shape of nested lists that hold Python numbers only and are even; None for anything else."""
    kind = type(data)
    if kind in PLAIN:
        return ()
    if kind not in SEQUENCES:
        return None
    kinds = set(map(type, data))
    if kinds <= PLAIN:
        return (len(data),)
    if kinds <= SEQUENCES:
        shapes = {plain_shape(part) for part in data}
        if len(shapes) == 1 and None not in shapes:
            return (len(data), *shapes.pop())
    return None


def by_the_rules(data, dtype):
    """The same for whatever else there is: tensors and NumPy numbers inside lists, ranges, and all that is refused."""
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'")
    shape = measured(data)
    if dtype is None:
        dtype = inferred(data)
    result = np.empty(shape, dtype)
    fill(result, data, 0)
    return result


def is_sequence(data):
    return isinstance(data, (list, tuple, range, str, bytes, np.ndarray)) or (
        hasattr(type(data), "__getitem__") and hasattr(type(data), "__len__") and not isinstance(data, (Tensor, dict)))


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
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}")
    if len(data) == 0:
        return dtypes.Default.numpy
    result = None
    for part in data:
        found = inferred(part)
        result = found if result is None else dtypes.promote(result, found)
    return result


def fill(result, data, depth):
    """Store nested data into an array of its measured shape."""
    if depth == result.ndim:
        result[...] = number(data, result.dtype)
        return
    if not is_sequence(data):
        raise TypeError("not a sequence")
    if isinstance(data, (list, tuple)) and data and isinstance(data[0], np.ndarray) and "slow" not in _warned:
        _warned.add("slow")
        warnings.warn(SLOW_LIST_OF_ARRAYS, UserWarning, stacklevel=2)
    if len(data) != result.shape[depth]:
        raise ValueError(f"expected sequence of length {result.shape[depth]} at dim {depth} (got {len(data)})")
    place = (slice(None),) * depth
    for i, part in enumerate(data):
        fill_part = result[(*place, i, ...)]
        fill_one(fill_part, part, depth)


def fill_one(part, data, depth):
    """Store one element of the level `depth`; the array has lost that dimension, so count the level down."""
    fill_at(part, data, depth + 1, depth)


def number(value, dtype):
    """One number, converted as an element of an array of this dtype."""
    if dtype.kind == "f":
        if not hasattr(type(value), "__float__") and not hasattr(type(value), "__index__"):
            raise TypeError(f"must be real number, not {type(value).__name__}")
        return float(value)
    if isinstance(value, float):
        return converted(np.asarray(value), dtype)
    if isinstance(value, (Tensor, int)):
        whole = value if isinstance(value, int) else value.__index__()
    elif not hasattr(type(value), "__index__"):
        raise TypeError(f"'{type_of(value)}' object cannot be interpreted as an integer")
    else:
        whole = value.__index__()
    if not -2**63 <= whole < 2**63:
        raise ValueError("Overflow when unpacking long long")
    return converted(np.asarray(int(whole)), dtype)
