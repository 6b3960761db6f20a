"""Sums, differences and products of two tensors, or of a tensor and a number: + - *."""
import numpy as np

from ..autograd.inplace import in_place
from ..autograd.operation import differentiable
from ..dtypes import NUMBERS, in_result_dtype
from .declaring import declare, declining, with_in_place_form, wrong_type
from .formulas import times

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


IN_PLACE = METHODS = "add sub mul"
ATTRIBUTES = {
    "__add__": _add, "__radd__": _add, "__iadd__": in_place(_add),
    "__sub__": _sub, "__rsub__": declining(_subtract_from), "__isub__": in_place(_sub),
    "__mul__": _mul, "__rmul__": _mul, "__imul__": in_place(_mul),
}
