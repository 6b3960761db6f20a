"""Quotients and remainders of tensors and numbers: / and %."""
import numpy as np

from ..autograd.inplace import in_place
from ..dtypes import NUMBERS, Default, in_result_dtype
from .declaring import check_dtype, declare, declining, with_in_place_form
from .elementwise import reciprocal
from .formulas import zero_gradient


def _divide(self, other):
    if self.dtype.kind == "f":
        return self / other
    return np.divide(self, other, dtype=Default.numpy)


def prepare_division(self, other):
    """Return both arrays in one dtype; refuse bools, and to divide an integer by 0."""
    self, other = in_result_dtype(self, other)
    check_dtype(self, "b", "div_cpu")
    if self.dtype.kind != "f" and self.size and not np.all(other):
        raise RuntimeError("ZeroDivisionError")
    return self, other


def _divide_and_round(self, other, rounding_mode):
    self, other = prepare_division(self, other)
    if rounding_mode == "floor":
        return np.floor_divide(self, other)
    if self.dtype.kind == "f":
        return np.trunc(self / other)
    return np.floor_divide(self - np.fmod(self, other), other)


def _modulo(self, other):
    self, other = prepare_division(self, other)
    result = np.asarray(np.remainder(self, other))
    if result.dtype.kind == "f":
        # A remainder of 0 has the sign of self; NumPy gives it that of other.
        np.copysign(result, self, out=result, where=result == 0)
    return result


_div = declare(
    "DivBackward0", _divide,
    self=lambda grad, other: grad / other,
    other=lambda grad, self, other: -grad * ((self / other) / other))
_div_rounded = declare(
    "DivBackward2", _divide_and_round,
    self=lambda grad, rounding_mode: zero_gradient(grad),
    other=lambda grad, rounding_mode: zero_gradient(grad))
_remainder = declare(
    "RemainderBackward1", _modulo,
    self=lambda grad: grad,
    other=lambda grad, self, other: -grad * _div_rounded(self, other, "floor"))
_remainder_of_number = declare(
    "RemainderBackward0", _modulo, self=lambda grad: grad)


@with_in_place_form
def div(self, other, *, rounding_mode=None):
    """Return self / other; rounded down for the mode "floor", towards 0 for "trunc".

        torch.tensor([7, -7]).div(2)                            # tensor([3.5, -3.5])
        torch.tensor([7, -7]).div(2, rounding_mode="floor")     # tensor([3, -4])

    Without rounding, integers give floats.  Raises RuntimeError for another mode, and
    for an integer divided by 0 that is to be rounded.
    """
    if rounding_mode is None:
        return _div, self, other
    if rounding_mode not in ("trunc", "floor"):
        raise RuntimeError(
            "div expected rounding_mode to be one of None, 'trunc', or 'floor' but "
            f"found '{rounding_mode}'")
    return _div_rounded, self, other, rounding_mode


@with_in_place_form
def remainder(self, other):
    """Return self - other * (self // other), as ``%`` does, with the sign of other."""
    if isinstance(other, NUMBERS):
        return _remainder_of_number, self, other
    return _remainder, self, other


def divide_from(self, other):
    """Return other / self, as PyTorch does: by the reciprocal of self."""
    try:
        return reciprocal(self) * other
    except TypeError:
        return NotImplemented


IN_PLACE = METHODS = "div remainder"
ATTRIBUTES = {
    "__truediv__": _div,
    "__rtruediv__": divide_from,
    "__itruediv__": in_place(_div),
    "__mod__": declining(remainder),
    "__rmod__": declining(lambda self, number: remainder(number, self)),
    "__imod__": declining(remainder.in_place),
}
