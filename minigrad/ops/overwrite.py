"""Writes that name the places they change: the two forms of each, and what may not be written.

An operation such as index_add is one function that writes into an array.  Made in a copy it is
``index_add``, made in the tensor's own memory ``index_add_``.
"""
from __future__ import annotations

from math import isfinite

import numpy as np

from ..autograd.inplace import OVERLAPS_SOURCE, write
from ..errors import common_shape, warn
from ..memory import address, overlaps_itself, partly_the_same, refuse_overlap, root
from ..tensor import Tensor


def in_copy(array, change, *args):
    """Return a copy with the change made."""
    result = array.copy()
    change(result, *args)
    return result


def in_memory(function, change):
    """Return the in-place form of an operation that is `change` made in a copy."""
    def call(self, *args):
        arrays = [arrays_of(a) for a in args]
        return write(function.operation, [self, *args], lambda array: change(array, *arrays))
    return call


def arrays_of(value):
    if isinstance(value, (tuple, list)):
        return [arrays_of(v) for v in value]
    return value._array if isinstance(value, Tensor) else value


def add_at(array, places, values):
    """Compute ``array[places] += values``, where a place that is named twice collects both."""
    if len(places) == 1 and array.ndim > 1 and array.flags.c_contiguous and places[0].dtype.kind == "i":
        # NumPy is quick at this in one dimension only
        width = array[0].size if len(array) else 0
        flat = (places[0].reshape(-1, 1) % max(len(array), 1)) * width + np.arange(width)
        values = np.broadcast_to(values, (*places[0].shape, *array.shape[1:]))
        array, places, values = array.reshape(-1), flat.reshape(-1), values.reshape(-1)
    np.add.at(array, places, values)


# --- what may not be written --------------------------------------------------------------------

def check_broadcast(target, source):
    """Refuse to write where the target, not only the source, would have to broadcast."""
    common = common_shape(target, source)
    if common != target:
        raise RuntimeError(f"output with shape {list(target)} doesn't match the broadcast shape "
                           f"{list(common)}")


def check_overlap(target, source, even_exactly=False):
    """Refuse a source in the target's memory; the target itself only where `even_exactly`."""
    same = root(target) is root(source) and address(target) == address(source) and target.size > 0
    if partly_the_same(target, source) or even_exactly and same:
        raise RuntimeError(OVERLAPS_SOURCE)


def check_no_overlap(target, source):
    """Refuse to write to expanded memory, or from the memory that is written."""
    refuse_overlap(target)
    check_overlap(target, source, even_exactly=True)


def warn_expanded(name, also, array):
    """Some writes into expanded memory are allowed, with a warning."""
    if overlaps_itself(array):
        warn(f"Use of {name} on expanded tensors is deprecated. Please clone() the tensor before "
             f"performing this operation. This also applies to advanced indexing e.g. {also}")


# What C++ calls the dtypes where it converts a number.
C_NAMES = {"uint8": "uint8_t", "int8": "int8_t", "int16": "int16_t", "int32": "int",
           "int64": "int64_t", "float16": "at::Half", "float32": "float", "float64": "double"}


def number_for(value, kind):
    """Return a number as a 0-d array of a dtype; a fraction is cut off, an overflow refused."""
    if kind.kind == "b":
        return np.asarray(bool(value))
    if kind.kind == "f" and not isinstance(value, complex):
        result = np.asarray(value, kind)
        if np.isfinite(result) or not isfinite(value):
            return result
    elif kind.kind != "f" and isfinite(value):
        limits = np.iinfo(kind)
        low = -limits.max if kind.kind == "u" else limits.min       # -1 may wrap around
        if low <= value <= limits.max:
            return np.asarray(int(value), np.int64).astype(kind)
    raise RuntimeError(f"value cannot be converted to type {C_NAMES[kind.name]} without overflow")
