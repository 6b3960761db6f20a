"""Functions made of straight pieces: relu, abs, neg, sign, floor, ceil, round; clone.

Integers stay integers.  The gradient is `grad` times the slope of the piece on which a
number lies; where the function jumps or bends, PyTorch's choice is 0.
"""
import numpy as np

from ..memory import overlaps_itself
from .declaring import ZERO, check_dtype, declare, with_in_place_form, zero_gradient


def _relu(self):
    if self.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    return np.maximum(ZERO[self.dtype], self)


def _relu_backward(grad_output, self):
    # This selects, by the bits: an infinite gradient times 0 would be NaN.  np.where
    # takes three times as long, as a processor can't guess the signs.
    bits = np.dtype(f"i{grad_output.itemsize}")
    mask = (self <= ZERO[self.dtype]).view(np.int8) - np.int8(1)    # 0, or -1: all bits
    return np.bitwise_and(grad_output.view(bits), mask).view(grad_output.dtype)


def _negative(self):
    if self.dtype.kind == "b":
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are "
            "trying to invert a mask, use the `~` or `logical_not()` operator instead.")
    return -self


def _absolute(self):
    check_dtype(self, "b", "abs_cpu")
    return np.absolute(self)


def _sign(self):
    # np.sign(nan) is nan; PyTorch's is 0.
    signs = np.subtract(self > 0, self < 0, dtype=np.int8)
    return signs.astype(self.dtype)


def _clone(self):
    return self.copy("C" if overlaps_itself(self) else "K")


def to_integers(name, compute):
    """Declare a function that turns floats into whole numbers and refuses bools."""
    def forward(self):
        """Compute the function of this name for each number, in its dtype."""
        check_dtype(self, "b", f"{name}_vml_cpu")
        return compute(self)
    return declare(f"{name.title()}Backward0", forward, self=zero_gradient)


def _round_to_decimals(self, decimals):
    check_dtype(self, "biu", "round_cpu")
    return np.round(self, decimals)


relu = declare(
    "ReluBackward0", _relu, self=lambda grad, result: relu_backward(grad, result))
relu_backward = declare(
    "ThresholdBackwardBackward0", _relu_backward,
    grad_output=lambda grad, self: relu_backward(grad, self), self=zero_gradient)
neg = declare("NegBackward0", _negative, self=lambda grad: -grad)
absolute = declare("AbsBackward0", _absolute, self=lambda grad, self: grad * sgn(self))
sign = declare("SignBackward0", _sign, self=zero_gradient)
sgn = declare("SgnBackward0", _sign, self=zero_gradient)
clone = declare("CloneBackward0", _clone, self=lambda grad: grad)
floor = to_integers("floor", np.floor)
ceil = to_integers("ceil", np.ceil)
round_to_integers = to_integers("round", np.round)
round_to_decimals = declare("RoundBackward1", _round_to_decimals, self=zero_gradient)


@with_in_place_form
def round_numbers(self, *, decimals=0):
    """Round to so many decimals, and halves to the even neighbour: 0.5 to 0."""
    if decimals:
        return round_to_decimals, self, decimals
    return round_to_integers, self


IN_PLACE = {
    "relu": relu, "neg": neg, "abs": absolute, "sign": sign,
    "floor": floor, "ceil": ceil, "round": round_numbers,
}
METHODS = IN_PLACE | {"clone": clone}
ATTRIBUTES = {"__neg__": neg, "__abs__": absolute, "__pos__": lambda self: self}
