"""Sums, differences and products of two tensors, or of a tensor and a number: + - *."""
import numpy as np

from ..autograd.inplace import in_place
from ..autograd.operation import differentiable
from ..dtypes import NUMBERS, Default, in_result_dtype
from .declaring import (
    check_dtype,
    declare,
    declining,
    times,
    with_in_place_form,
    wrong_type,
    zero_gradient,
)
from .elementwise import reciprocal

TWO_BOOLS = (
    "Subtraction, the `-` operator, with two bool tensors is not supported. Use the "
    "`^` or `logical_xor()` operator instead.")
ONE_BOOL = (
    "Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
    "trying to invert a mask, use the `~` or `logical_not()` operator instead.")


def _subtract(self, other):
    if self.dtype.kind == "b":
        refuse_bools(self, other)
    return self - other


def refuse_bools(self, other):
    """Raise PyTorch's error for a difference with bools."""
    first, second = [
        getattr(operand, "dtype", type(operand)) in (bool, np.bool_)
        for operand in (self, other)]
    if first or second:
        raise RuntimeError(TWO_BOOLS if first and second else ONE_BOOL)


_add = declare(
    "AddBackward0", np.add, self=lambda grad: grad, other=lambda grad: grad)
_sub = declare(
    "SubBackward0", _subtract, self=lambda grad: grad, other=lambda grad: -grad)
_mul = declare(
    "MulBackward0", np.multiply,
    self=lambda grad, other: grad * other, other=lambda grad, self: grad * self)
_sub.operation.refuse = refuse_bools        # before the dtypes are promoted


@differentiable("RsubBackward1", self=lambda grad: -grad)
def _subtract_from(self, number):
    if self.dtype.kind != "f" or type(number) not in (int, float):
        refuse_bools(self, number)
        self, number = in_result_dtype(self, number)
    return number - self


def scale_second(name, self, other, alpha):
    """Return two arrays in the dtype of their result, the second times alpha."""
    if not isinstance(alpha, (np.ndarray, *NUMBERS)):
        raise wrong_type(name, "alpha", alpha, "Number")
    self, other = in_result_dtype(self, other)
    if isinstance(alpha, float) and self.dtype.kind != "f":
        raise RuntimeError("For integral input tensors, argument alpha must not be a "
                           "floating point number.")
    return self, other * self.dtype.type(alpha)


def _add_scaled(self, other, alpha):
    return np.add(*scale_second("add", self, other, alpha))


def _subtract_scaled(self, other, alpha):
    refuse_bools(self, other)
    return np.subtract(*scale_second("sub", self, other, alpha))


_add_with_alpha = declare(
    "AddBackward0", _add_scaled,
    self=lambda grad, alpha: grad, other=lambda grad, alpha: times(grad, alpha))
_sub_with_alpha = declare(
    "SubBackward0", _subtract_scaled,
    self=lambda grad, alpha: grad, other=lambda grad, alpha: times(-grad, alpha))

# As in PyTorch, the nodes show an alpha even where none was given.
for _operation in (_add.operation, _sub.operation, _subtract_from.operation):
    _operation.node_type._saved_alpha = 1


@with_in_place_form
def add(self, other, *, alpha=1):
    """Return self + alpha * other; shapes broadcast, and the dtypes are promoted.

        torch.add(torch.tensor([1, 2]), 0.5)        # tensor([1.5000, 2.5000])

    Raises RuntimeError for shapes that don't broadcast, and for integers with a
    fractional alpha.
    """
    return (_add, self, other) if alpha == 1 else (_add_with_alpha, self, other, alpha)


@with_in_place_form
def sub(self, other, *, alpha=1):
    """Return self - alpha * other, as `add` does; raises RuntimeError for bools."""
    return (_sub, self, other) if alpha == 1 else (_sub_with_alpha, self, other, alpha)


@with_in_place_form
def mul(self, other):
    """Return self * other; shapes broadcast, and the dtypes are promoted."""
    return _mul, self, other


# --- division -------------------------------------------------------------------------

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


IN_PLACE = METHODS = "add sub mul div remainder"
ATTRIBUTES = {
    "__add__": _add, "__radd__": _add, "__iadd__": in_place(_add),
    "__sub__": _sub, "__rsub__": declining(_subtract_from), "__isub__": in_place(_sub),
    "__mul__": _mul, "__rmul__": _mul, "__imul__": in_place(_mul),
    "__truediv__": _div,
    "__rtruediv__": divide_from,
    "__itruediv__": in_place(_div),
    "__mod__": declining(remainder),
    "__rmod__": declining(lambda self, number: remainder(number, self)),
    "__imod__": declining(remainder.in_place),
}
