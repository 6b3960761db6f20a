"""How a write happens: checked, done in the memory itself, counted, recorded; and what is refused.

An operation such as index_add is one function that writes into an array.  Made in a copy it is ``index_add``,
made in the tensor's own memory ``index_add_``.
"""
from __future__ import annotations

from math import isfinite

import numpy as np

from ..autograd.inplace import OVERLAPS_SOURCE, check_in_place, edges_before, record_write
from ..autograd.operations import computed, needed_gradients
from ..memory import dense, overlaps_itself, partly_the_same, refuse_overlap, writeable
from ..errors import common_shape
from ..state import local
from ..tensor import Tensor, bump_version
from ..errors import warn


def write(operation, operands, change, lives_on=True):
    """Let `change(array)` write into the first operand, as `operation` with all its operands says it does.

    Unlike ``in_place`` this does not compute the whole of the result first.  `lives_on` is false for a view
    that nobody holds after the write.
    """
    self = operands[0]
    needed = needed_gradients(operation, operands)
    tracked = local.state.recording and True in needed
    floating = self._array.dtype.kind == "f"
    # a copy into integers is not to be recorded, and so nothing is checked
    check_in_place(self, tracked and (floating or operation.node_name != "torch::autograd::CopyBackwards"))
    tracked = tracked and floating
    edges = edges_before(operation, operands) if tracked else None
    needed = computed(needed, edges) if tracked else needed
    self._array = writeable(self._array)
    local.state.quiet(change, self._array)
    bump_version(self)
    if tracked:
        record_write(self, operation, operands, needed, edges, lives_on)
    return self


def in_copy(array, change, *args, copy=np.ndarray.copy):
    """A copy with the change made, by default laid out row by row."""
    result = copy(array)
    change(result, *args)
    return result


def in_memory(function, change):
    """The in-place form of an operation that is `change` made in a copy."""
    operation = function.operation

    def call(self, *args):
        arrays = [arrays_of(a) for a in args]
        return write(operation, [self, *args], lambda array: change(array, *arrays))

    return call


def arrays_of(value):
    if isinstance(value, (tuple, list)):
        return [arrays_of(v) for v in value]
    return value._array if isinstance(value, Tensor) else value


def add_at(array, places, values):
    """``array[places] += values`` in which a place named twice collects both."""
    if len(places) == 1 and array.ndim > 1 and places[0].dtype.kind == "i" and array.flags.c_contiguous:
        # NumPy is quick at this in one dimension only
        width = array[0].size if len(array) else 0
        flat = (places[0].reshape(-1, 1) % max(len(array), 1)) * width + np.arange(width)
        values = np.broadcast_to(values, (*places[0].shape, *array.shape[1:]))
        np.add.at(array.reshape(-1), flat.reshape(-1), values.reshape(-1))
    else:
        np.add.at(array, places, values)


def flat_if_number(array):
    """A number has one place, as a vector with one element has."""
    return array if array.ndim else array.reshape(1)


# --- what may not be written --------------------------------------------------------------------------------

def check_broadcast(target, source):
    """A write may broadcast what is written, but not what is written to."""
    common = common_shape(target, source)
    if common != target:
        raise RuntimeError(f"output with shape {list(target)} doesn't match the broadcast shape "
                           f"{list(common)}")


def check_overlap(target, source):
    """Refuse a source that shares some of the target's memory, unless it is laid over it exactly."""
    refuse_overlap(target)
    if partly_the_same(target, source):
        raise RuntimeError(OVERLAPS_SOURCE)


def check_no_overlap(target, source):
    """Refuse also a source that is laid over it exactly: of writes that go by indices."""
    refuse_overlap(target)
    check_overlap_of_parts(target, source)


def check_overlap_of_parts(target, source):
    """The same for writes that PyTorch allows on expanded memory."""
    if source is target or partly_the_same(target, source) or same_place(target, source):
        raise RuntimeError(OVERLAPS_SOURCE)


def same_place(a, b):
    return ((a.base is not None or b.base is not None) and a.size > 0 and a.nbytes == b.nbytes
            and a.ctypes.data == b.ctypes.data and dense(a) and dense(b))


def warn_expanded(name, also, array):
    """Some writes into expanded memory are allowed, with a warning."""
    if overlaps_itself(array):
        warn(f"Use of {name} on expanded tensors is deprecated. Please clone() the tensor before performing "
             f"this operation. This also applies to advanced indexing e.g. {also}")


# --- numbers ------------------------------------------------------------------------------------------------

# What C++ calls the dtypes where it converts a number.
C_NAMES = {"uint8": "uint8_t", "int8": "int8_t", "int16": "int16_t", "int32": "int", "int64": "int64_t",
           "float16": "at::Half", "float32": "float", "float64": "double"}


def one_number(name, value, kind):
    """What `name` fills in, a number or an array without dimensions, as an array."""
    if not isinstance(value, np.ndarray):
        return number_for(value, kind)
    if value.ndim:
        raise RuntimeError(f"{name} only supports a 0-dimensional value tensor, but got tensor with "
                           f"{value.ndim} dimension(s).")
    return value


def number_for(value, kind):
    """A Python number as a 0-d array of a dtype; a fraction is cut off, what is out of range refused."""
    if isinstance(value, complex):
        raise RuntimeError(f"value cannot be converted to type {C_NAMES[kind.name]} without overflow")
    if kind.kind == "f":
        result = np.asarray(value, kind)
        if isfinite(value) and not np.isfinite(result):
            raise RuntimeError(f"value cannot be converted to type {C_NAMES[kind.name]} without overflow")
        return result
    if kind.kind == "b":
        return np.asarray(bool(value))
    limits = np.iinfo(kind)
    low = -limits.max if kind.kind == "u" else limits.min       # small negative numbers may wrap around
    if not isfinite(value) or not low <= value <= limits.max:
        raise RuntimeError(f"value cannot be converted to type {C_NAMES[kind.name]} without overflow")
    return np.asarray(int(value), np.int64).astype(kind)
