"""Writes over a whole tensor: copy_, fill_, zero_; and what other writes need.

What a tensor held before a write has no influence on what it holds after it: its
gradient is zero.
"""
from math import isfinite

import numpy as np

from .. import dtypes, memory
from ..autograd.calling import arrays_of
from ..autograd.inplace import write
from ..errors import check_broadcast, warn
from ..tensor import Tensor, wrap
from .declaring import declare, expect_tensors, wrong_type, zero_gradient
from .expansion import _sum

# The operations that the nodes of writes belong to.  They are never computed: `copy_`
# and the others do the writing themselves.
_copy = declare(
    "torch::autograd::CopyBackwards", lambda self, src: None,
    self=zero_gradient, src=lambda grad: grad)
_fill_number = declare(
    "FillBackward2", lambda self, value: None, self=zero_gradient)
_fill_tensor = declare(
    "FillBackward3", lambda self, value: None,
    self=zero_gradient, value=lambda grad: _sum(grad, None))
_zero = declare("ZeroBackward0", lambda self: None, self=zero_gradient)


def copy_(self, other, non_blocking=False):
    """Write the numbers of another tensor, broadcast and converted to this one's dtype.

        x.copy_(torch.tensor([1., 2.]))

    Raises a RuntimeError where the shape of `other` does not broadcast to this one.
    """
    if isinstance(other, dtypes.NUMBERS):
        other = wrap(np.asarray(other, dtypes.of_number(other)))
    expect_tensors("copy_", other=other)
    if self._array.dtype.kind != "f":
        other = other.detach()      # no gradient passes through integers
    source = other._array

    def change(array):
        if source is array or memory.the_same(array, source):
            return
        memory.refuse_overlap(array, source)
        if source.shape != array.shape:
            check_broadcast(array.shape, source.shape)
        array[...] = source

    return write(_copy.operation, [self, other], change)


def fill_(self, value):
    """Write one number, or a tensor without dimensions, everywhere."""
    if isinstance(value, Tensor):
        return fill_with_tensor(self, value)
    if not isinstance(value, (complex, *dtypes.NUMBERS)):
        raise wrong_type("fill_", "value", value, "Number")

    def change(array):
        array[...] = number_for(value, array.dtype)

    return write(_fill_number.operation, [self, value], change)


def fill_with_tensor(self, value):
    def change(array):
        number = value._array
        if number.ndim:
            raise RuntimeError(
                "fill_ only supports 0-dimension value tensor but got tensor with "
                f"{number.ndim} dimensions.")
        memory.refuse_overlap(array)
        array[...] = number

    return write(_fill_tensor.operation, [self, value], change)


def zero_(self):
    """Write 0 everywhere."""
    return write(_zero.operation, [self], lambda array: array.fill(0))


def write_elements(operation, operands, name, example, may_be_itself=True):
    """Write the result of an operation that changes some elements of its first operand.

    PyTorch allows such a write to expanded memory, with a warning that shows `example`.
    """
    def change(array):
        if memory.overlaps_itself(array):
            warn(f"Use of {name} on expanded tensors is deprecated. Please clone() the "
                 "tensor before performing this operation. This also applies to "
                 f"advanced indexing e.g. {example}")
        others = [arrays_of(other) for other in operands[1:]]
        for other in others:
            # A single number is read before the write.
            if isinstance(other, np.ndarray) and other.size > 1 and (
                    memory.partly_the_same(array, other)
                    or not may_be_itself and memory.the_same(array, other)):
                raise RuntimeError(memory.OVERLAPS_SOURCE)
        result = operation.forward(array, *others)
        check_broadcast(array.shape, result.shape)
        array[...] = result

    return write(operation, operands, change)


# Another of PyTorch's spellings than that of `dtypes.cpp_name`.
CPP_NAMES = {
    "uint8": "uint8_t", "int8": "int8_t", "int16": "int16_t", "int32": "int",
    "int64": "int64_t", "float16": "at::Half", "float32": "float", "float64": "double"}


def number_for(value, kind):
    """Return a number as a 0-d array of a dtype; RuntimeError if it is too large."""
    if kind.kind == "b":
        return np.asarray(bool(value))
    if kind.kind == "f" and not isinstance(value, complex):
        result = np.asarray(value, kind)
        if np.isfinite(result) or not isfinite(value):
            return result
    elif kind.kind != "f" and isfinite(value):
        limits = np.iinfo(kind)
        if -limits.max - 1 <= value <= limits.max:
            return np.asarray(int(value), np.int64).astype(kind)    # -1 may become 255
    name = CPP_NAMES[kind.name]
    raise RuntimeError(f"value cannot be converted to type {name} without overflow")


METHODS = "fill_ zero_"
METHODS_ONLY = "copy_"
