"""Operations on the bits of integers, and on truth values: ``&``, ``|``, ``^``, ``~``, ``<<``, ``>>``."""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.grad_mode import local
from ..autograd.inplace import check_in_place, store
from ..memory import elementwise_layout, refuse_overlap
from ..messages import broadcast_error, counts_arguments, invalid_combination, not_implemented_for
from ..tensor import Tensor, bump_version, wrap_new
from .operands import alike
from .overwrite import check_broadcast

SIGNATURES = ("Tensor other", "Number other")
IN_FUNCTION = ("Tensor input, Tensor other, *, Tensor out = None", "Number self, Tensor other",
               "Tensor input, Number other, *, Tensor out = None")


def compute(kernel, combine, self, other):
    """The array of a bitwise operation on a tensor and a tensor or number, in either order."""
    if isinstance(self, Tensor) and isinstance(other, Tensor):
        a, b = alike(self._array, other._array)
    elif isinstance(self, Tensor):
        a, b = dtypes.with_number(self._array, other)
    else:
        b, a = dtypes.with_number(other._array, self)
    refuse_shapes(a, b)
    if a.dtype.kind == "f" or a.dtype.kind == "b" and "shift" in kernel:
        raise not_implemented_for(kernel, a.dtype)
    return elementwise_layout(np.asarray(local.state.quiet(combine, a, b)), a, b)


def refuse_shapes(a, b):
    """Shapes are looked at first of all."""
    refusal = a.shape != b.shape and broadcast_error(a.shape, b.shape)
    if refusal:
        raise refusal


def bitwise(name, kernel, combine):
    """The function, the operators and the in-place form of a bitwise operation."""
    operands = (Tensor, *dtypes.NUMBERS)

    def operator(self, other):
        if not isinstance(other, operands):
            return NotImplemented
        return wrap_new(compute(kernel, combine, self, other))

    def reflected(self, other):
        return operator(other, self) if isinstance(other, operands) else NotImplemented

    @counts_arguments
    def function(self, other):
        if not isinstance(other, operands) or not (isinstance(self, Tensor) or isinstance(other, Tensor)):
            raise invalid_combination(name, SIGNATURES, self, other, in_function=IN_FUNCTION)
        return operator(self, other)

    def in_place_operator(self, other):
        if not isinstance(other, operands):
            return NotImplemented
        check_in_place(self, local.state.recording and (
            self.requires_grad or isinstance(other, Tensor) and other.requires_grad))
        refuse_overlap(self._array)
        if isinstance(other, Tensor):
            check_broadcast(self._array.shape, other._array.shape)
        refuse_float(self, other)
        out = compute(kernel, combine, self, other)
        store(self, out)
        bump_version(self)
        return self

    def write(self, other):
        if not isinstance(other, operands):
            raise invalid_combination(f"{name}_", SIGNATURES, self, other)
        return in_place_operator(self, other)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name} of self and other, integers or booleans, broadcast."
    write.__name__ = write.__qualname__ = f"{name}_"
    write.__doc__ = f"`{name}`, written over self."
    return function, write, operator, reflected, in_place_operator


def refuse_float(self, other):
    """Whole numbers have no room for a result that counts as a float, whether or not there is one."""
    kind = dtypes.result_dtype(self._array, other._array if isinstance(other, Tensor) else other)
    if not dtypes.can_cast(kind, self._array.dtype):
        raise RuntimeError(f"result type {dtypes.short_name(kind)} can't be cast to the desired output type "
                           f"{dtypes.short_name(self._array.dtype)}")


def _left_shift(a, b):
    return np.where((b < 0) | (b >= 8 * a.itemsize), 0, np.left_shift(a, b)).astype(a.dtype)


def _right_shift(a, b):
    far = 8 * a.itemsize - 1
    return np.right_shift(a, np.where((b < 0) | (b > far), far, b).astype(a.dtype))


bitwise_and, bitwise_and_, _and, _rand, _iand = bitwise("bitwise_and", "bitwise_and_cpu", np.bitwise_and)
bitwise_or, bitwise_or_, _or, _ror, _ior = bitwise("bitwise_or", "bitwise_or_cpu", np.bitwise_or)
bitwise_xor, bitwise_xor_, _xor, _rxor, _ixor = bitwise("bitwise_xor", "bitwise_xor_cpu", np.bitwise_xor)
bitwise_left_shift, bitwise_left_shift_, _lshift, _rlshift, _ilshift = bitwise(
    "bitwise_left_shift", "lshift_cpu", _left_shift)
bitwise_right_shift, bitwise_right_shift_, _rshift, _rrshift, _irshift = bitwise(
    "bitwise_right_shift", "rshift_cpu", _right_shift)


def bitwise_not(self):
    """Every bit turned over; of booleans, not."""
    if self._array.dtype.kind == "f":
        raise not_implemented_for("bitwise_not_cpu", self._array.dtype)
    return wrap_new(np.asarray(np.invert(self._array)))


def bitwise_not_(self):
    """`bitwise_not`, written over self."""
    out = bitwise_not(self)._array
    check_in_place(self, False)
    store(self, out)
    bump_version(self)
    return self


def _invert(self):
    if self._array.dtype.kind == "f":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return bitwise_not(self)


METHODS = "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift bitwise_not"
METHODS_ONLY = "bitwise_and_ bitwise_or_ bitwise_xor_ bitwise_left_shift_ bitwise_right_shift_ bitwise_not_"
OPERATORS = {
    "__and__": _and, "__rand__": _rand, "__iand__": _iand, "__or__": _or, "__ror__": _ror, "__ior__": _ior,
    "__xor__": _xor, "__rxor__": _rxor, "__ixor__": _ixor, "__lshift__": _lshift, "__rlshift__": _rlshift,
    "__ilshift__": _ilshift, "__rshift__": _rshift, "__rrshift__": _rrshift, "__irshift__": _irshift,
    "__invert__": _invert}
