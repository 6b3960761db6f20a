"""Whole quotients and what is left over: ``//``, ``%``, ``fmod``, ``div(rounding_mode=...)``."""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from ..autograd.inplace import in_place
from ..memory import elementwise_layout
from ..messages import counts_arguments, invalid_combination
from ..tensor import Tensor, wrap
from .elementwise import zeros_like
from .operands import alike, as_tensor, not_bool, not_differentiable, or_not_implemented

# --- quotients ----------------------------------------------------------------------------------------------


def _floor(a, b):
    check_divisor(a, b, "div_floor_cpu")
    return np.floor_divide(a, b)


def _trunc(a, b):
    check_divisor(a, b, "div_trunc_cpu")
    if a.dtype.kind == "f":
        return np.trunc(a / b)
    quotient = np.floor_divide(a, b)
    return quotient + ((quotient < 0) & (quotient * b != a))


def check_divisor(a, b, kernel):
    """Integers cannot be divided by 0."""
    not_bool(a, kernel)
    if a.dtype.kind != "f" and a.size and not b.all():
        raise RuntimeError("ZeroDivisionError")


@differentiable("DivBackward2",
                self=lambda grad, other, rounding_mode: zeros_like(grad) if rounding_mode else grad / other,
                other=lambda grad, self, other, rounding_mode: (
                    zeros_like(grad) if rounding_mode else -grad * ((self / other) / other)))
def _div_rounded(self, other, rounding_mode):
    a, b = alike(self, other)
    if rounding_mode is None:
        default = dtypes.Default.numpy
        result = a / b if a.dtype.kind == "f" else a.astype(default) / b.astype(default)
    else:
        result = _floor(a, b) if rounding_mode == "floor" else _trunc(a, b)
    return elementwise_layout(result, self, other)


@not_differentiable("floor_divide", "self", "other")
def _floor_divide(self, other):
    return _floor(*alike(self, other))


@not_differentiable("floor_divide", "self")
def _floor_divide_number(self, other):
    return _floor(*dtypes.with_number(self, other))


# --- remainders ---------------------------------------------------------------------------------------------

@differentiable("RemainderBackward1",
                self=lambda grad: grad,
                other=lambda grad, self, other: -grad * _div_rounded(self, other, "floor"))
def _remainder(self, other):
    return remaining(self, other)


@differentiable("RemainderBackward0", self=lambda grad: grad)
def _remainder_number(self, other):
    return remaining(*dtypes.with_number(self, other))


def remaining(a, b):
    """NumPy's remainder, but where it is 0 with the sign of a, as PyTorch has it."""
    check_divisor(a, b, "remainder_cpu")
    result = np.remainder(a, b)
    if result.dtype.kind == "f" and not result.all():
        return np.where(result == 0, np.fmod(a, b), result)
    return result


@not_differentiable("remainder", "other")
def _number_remainder(self, other):
    b, a = dtypes.with_number(other, self)
    check_divisor(a, b, "remainder_cpu")
    return remaining(a, b)


@differentiable("FmodBackward1",
                self=lambda grad: grad,
                other=lambda grad, self, other: -grad * _div_rounded(self, other, "trunc"))
def _fmod(self, other):
    check_divisor(self, other, "fmod_cpu")
    return np.fmod(self, other)


@differentiable("FmodBackward0", self=lambda grad: grad)
def _fmod_number(self, other):
    a, b = dtypes.with_number(self, other)
    check_divisor(a, b, "fmod_cpu")
    return np.fmod(a, b)


# --- the public forms ---------------------------------------------------------------------------------------

SIGNATURES = ("Tensor other", "Number other")


@counts_arguments
def floor_divide(self, other):
    """self / other rounded down; the result has no derivative.  Integers: 0 as a divisor is an error."""
    if isinstance(self, dtypes.NUMBERS) and isinstance(other, Tensor):
        self = wrap(as_tensor(self, other, "floor_divide")._array)
    elif isinstance(self, dtypes.NUMBERS) and isinstance(other, dtypes.NUMBERS):
        self, other = [wrap(np.asarray(v, dtypes.of_number(v))) for v in (self, other)]
    return _choose("floor_divide", _floor_divide, _floor_divide_number, self, other)


@counts_arguments
def remainder(self, other):
    """What is left of self after dividing it by other: has the sign of other, as Python's ``%``."""
    if isinstance(other, Tensor) and isinstance(self, dtypes.NUMBERS):
        return _number_remainder(self, other)
    return _choose("remainder", _remainder, _remainder_number, self, other)


@counts_arguments
def fmod(self, other):
    """What is left of self after dividing it by other: has the sign of self, as C's fmod."""
    return _choose("fmod", _fmod, _fmod_number, self, other)


def floor_divide_(self, other):
    """self //= other."""
    return _choose("floor_divide_", _write_floor_divide, _write_floor_divide_number, self, other)


def remainder_(self, other):
    """self %= other."""
    return _choose("remainder_", _write_remainder, _write_remainder_number, self, other)


def fmod_(self, other):
    """self = fmod(self, other)."""
    return _choose("fmod_", _write_fmod, _write_fmod_number, self, other)


def _choose(name, of_tensors, of_number, self, other):
    if isinstance(other, Tensor) and isinstance(self, Tensor):
        return of_tensors(self, other)
    if not isinstance(other, dtypes.NUMBERS) or not isinstance(self, Tensor):
        raise invalid_combination(name, SIGNATURES, self, other)
    return of_number(self, other)


def _reflected_floor_divide(self, other):
    """other // self: PyTorch's ``__rfloordiv__`` turns the number into a tensor."""
    return _number_floor_divide(other, self)


@not_differentiable("floor_divide", "other")
def _number_floor_divide(self, other):
    b, a = dtypes.with_number(other, self)
    return _floor(a, b)


_write_div_rounded = in_place(_div_rounded)
_write_floor_divide, _write_floor_divide_number = [
    in_place(not_differentiable("floor_divide_", *function.operation.tensors)(function.operation.forward))
    for function in (_floor_divide, _floor_divide_number)]
_write_remainder, _write_remainder_number = in_place(_remainder), in_place(_remainder_number)
_write_fmod, _write_fmod_number = in_place(_fmod), in_place(_fmod_number)

METHODS = "floor_divide remainder fmod"
METHODS_ONLY = "floor_divide_ remainder_ fmod_"
OPERATORS = {
    "__floordiv__": or_not_implemented(floor_divide),
    "__rfloordiv__": or_not_implemented(_reflected_floor_divide),
    "__mod__": or_not_implemented(remainder),
    "__rmod__": or_not_implemented(lambda self, other: remainder(other, self)),
    "__ifloordiv__": or_not_implemented(floor_divide_),
    "__imod__": or_not_implemented(remainder_)}
