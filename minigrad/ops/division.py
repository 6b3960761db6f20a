"""Quotients and remainders of tensors and numbers: / // %."""
import numpy as np

from ..autograd.inplace import in_place
from ..autograd.operation import differentiable
from ..dtypes import NUMBERS, Default, promoted
from ..tensor import Tensor
from .declaring import check_dtype, chooses, declare, operator
from .elementwise import reciprocal
from .formulas import zero_gradient


def _divide(self, other):
    if self.dtype.kind == "f":
        return self / other
    return np.divide(self, other, dtype=Default.numpy)


def prepare_division(self, other):
    """Return both arrays in one dtype; refuse bools, and to divide an integer by 0."""
    self, other = promoted(self, other)
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


@chooses
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


@chooses
def remainder(self, other):
    """Return self - other * (self // other), as ``%`` does, with the sign of other."""
    if isinstance(other, NUMBERS):
        return _remainder_of_number, self, other
    return _remainder, self, other


def declare_floor_division(name):
    """Declare ``//``; PyTorch has no gradient for it, and says so with this name."""
    def refuse_gradient(grad):
        raise RuntimeError(f"derivative for aten::{name} is not implemented")

    def compute(self, other):
        return np.floor_divide(*prepare_division(self, other))

    def declare_for(first, second):
        """Declare it for a node that has edges only to operands with a formula."""
        node_name = "torch::autograd::NotImplemented"
        function = differentiable(node_name, self=first, other=second)(compute)
        # It also refuses where no gradient has arrived, or none is wanted.
        function.operation.node_type._check_saved = refuse_gradient
        return function

    of_first = declare_for(refuse_gradient, None)
    of_second = declare_for(None, refuse_gradient)
    of_both = declare_for(refuse_gradient, refuse_gradient)

    @chooses
    def floor_divide(self, other):
        """Return self / other rounded down, as ``//`` does; it has no gradient."""
        first, second = [
            isinstance(x, Tensor) and x.requires_grad for x in (self, other)]
        if first and second:
            return of_both, self, other
        return of_second if second else of_first, self, other

    return floor_divide


floor_divide = declare_floor_division("floor_divide")
floor_divide.in_place = declare_floor_division("floor_divide_").in_place

def divide_from(self, other):
    """Return other / self for an operand of another type, if it can be multiplied."""
    try:
        return reciprocal(self) * other
    except TypeError:
        return NotImplemented


IN_PLACE = METHODS = "div floor_divide remainder"
OPERATORS = {
    "__truediv__": _div,
    "__rtruediv__": divide_from,
    "__itruediv__": in_place(_div),
    "__floordiv__": operator(floor_divide),
    "__rfloordiv__": operator(lambda self, number: floor_divide(number, self)),
    "__ifloordiv__": operator(floor_divide.in_place),
    "__mod__": operator(remainder),
    "__rmod__": operator(lambda self, number: remainder(number, self)),
    "__imod__": operator(remainder.in_place),
}
