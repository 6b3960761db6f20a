"""Writes over a whole tensor: copy_, fill_, zero_; views in place; and what other writes need."""
from math import isfinite

import numpy as np

from .. import dtypes
from ..autograd.calling import arrays_of
from ..autograd.inplace import check_broadcast, write
from ..autograd.operation import differentiable
from ..errors import noted, warn
from ..memory import OVERLAPS_SOURCE, overlaps_itself, partly_the_same, refuse_overlap, the_same
from ..state import local
from ..tensor import Tensor, bump_version, wrap
from .expansion import _sum
from .formulas import new_zeros, shape_of
from .shape import sizes_of


def no_influence(grad):
    """Return the gradient of what was there before: it does not matter to what was written."""
    return new_zeros(grad, shape_of(grad))


@differentiable("torch::autograd::CopyBackwards", self=no_influence, src=lambda grad: grad)
def _copy(self, src):
    return np.broadcast_to(src, self.shape).astype(self.dtype)


def copy_(self, other, non_blocking=False):
    """Write the numbers of another tensor, broadcast and converted to this one's dtype."""
    if isinstance(other, dtypes.NUMBERS):
        other = wrap(np.asarray(other, dtypes.of_number(other)))
    if self._array.dtype.kind != "f":
        other = other.detach()      # no gradient passes through integers
    source = other._array

    def change(array):
        if source is array or the_same(array, source):
            return
        refuse_overlap(array, source)
        if source.shape != array.shape:
            check_broadcast(array.shape, source.shape)
        array[...] = source

    return write(_copy.operation, [self, other], change)


@differentiable("FillBackward2", self=no_influence)
def _fill_number(self, value):
    return np.full_like(self, value)


@differentiable("FillBackward3", self=no_influence, value=lambda grad: _sum(grad))
def _fill_tensor(self, value):
    return np.full_like(self, value)


@differentiable("ZeroBackward0", self=no_influence)
def _zero(self):
    return np.zeros_like(self)


def fill_(self, value):
    """Write one number, or a tensor without dimensions, everywhere."""
    is_tensor = isinstance(value, Tensor)

    def change(array):
        number = value._array if is_tensor else number_for(value, array.dtype)
        if number.ndim:
            raise RuntimeError("fill_ only supports 0-dimension value tensor but got tensor with "
                               f"{number.ndim} dimensions.")
        if is_tensor:
            refuse_overlap(array)
        array[...] = number

    return write((_fill_tensor if is_tensor else _fill_number).operation, [self, value], change)


def zero_(self):
    """Write 0 everywhere."""
    return write(_zero.operation, [self], lambda array: array.fill(0))


def resize_(self, *size):
    """Give the tensor another size, in new memory; what is added may be anything."""
    if self.requires_grad and not local.state.inference:
        raise noted(RuntimeError("cannot resize variables that require grad"))
    self._array = np.resize(self._array, sizes_of(size))
    bump_version(self)
    return self


def in_place_with_warning(function, name, example):
    """Return the in-place form of an operation that warns where it writes to expanded memory."""
    operation = function.operation

    def call(self, *args):
        def change(array):
            if overlaps_itself(array):
                warn(f"Use of {name} on expanded tensors is deprecated. Please clone() the tensor "
                     "before performing this operation. This also applies to advanced indexing "
                     f"e.g. {example}")
            for other in args:
                if isinstance(other, Tensor) and partly_the_same(array, other._array):
                    raise RuntimeError(OVERLAPS_SOURCE)
            result = operation.forward(array, *[arrays_of(arg) for arg in args])
            check_broadcast(array.shape, result.shape)
            array[...] = result

        return write(operation, [self, *args], change)
    return call


CPP_NAMES = {"uint8": "uint8_t", "int8": "int8_t", "int16": "int16_t", "int32": "int",
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
        if -limits.max - 1 <= value <= limits.max:      # in uint8 too, where -1 becomes 255
            return np.asarray(int(value), np.int64).astype(kind)
    raise RuntimeError(f"value cannot be converted to type {CPP_NAMES[kind.name]} without overflow")


METHODS = "fill_ zero_"
METHODS_ONLY = "copy_ resize_"
