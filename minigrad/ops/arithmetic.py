"""Plus, minus, times, divided by; with numbers, with broadcasting, in mixed dtypes."""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from ..autograd.grad_mode import local
from ..autograd.inplace import check_in_place, in_place
from ..autograd.operations import array_of
from ..memory import elementwise_layout, refuse_overlap
from ..messages import argument_must_be, counts_arguments
from ..tensor import Tensor
from .elementwise import reciprocal
from .operands import alike, as_first, as_tensors, checked, number_first, or_not_implemented

GRADIENT_FIRST = True       # see Operation.gradient_first

# --- sums and differences -----------------------------------------------------------------------------------


@differentiable("AddBackward0",
                self=lambda grad: grad,
                other=lambda grad: grad)
def _add(self, other):
    return self + other


@differentiable("AddBackward0",
                self=lambda grad, alpha: grad,
                other=lambda grad, alpha: times(grad, alpha))
def _add_scaled(self, other, alpha):
    a, b = alike(self, other)
    return elementwise_layout(a + b * np.asarray(alpha, b.dtype), self, other)


@differentiable("SubBackward0",
                self=lambda grad: grad,
                other=lambda grad: -grad)
def _sub(self, other):
    if self.dtype.kind == "b":      # both are, or they would have been refused
        refuse_bool(self, other)
    return self - other


@differentiable("SubBackward0",
                self=lambda grad, alpha: grad,
                other=lambda grad, alpha: times(-grad, alpha))
def _sub_scaled(self, other, alpha):
    a, b = alike(self, other)
    return elementwise_layout(a - b * np.asarray(alpha, b.dtype), self, other)


@differentiable("RsubBackward0",
                self=lambda grad, alpha: times(-grad, alpha),
                other=lambda grad, alpha: grad)
def _rsub(self, other, alpha):
    refuse_bool(self, other)
    a, b = alike(self, other)
    return elementwise_layout(b - a * np.asarray(alpha, a.dtype), other, self)


_add.operation.node_type._saved_alpha = _sub.operation.node_type._saved_alpha = 1      # as PyTorch shows it


@differentiable("RsubBackward1", self=lambda grad, alpha: times(-grad, alpha))
def _rsub_number(self, number, alpha):
    """number - self, PyTorch's own node for a Python number on the left."""
    refuse_bool(self, number)
    array, number = dtypes.with_number(self, number)
    return number - (array if alpha == 1 else array * np.asarray(alpha, array.dtype))


@differentiable("NegBackward0", self=lambda grad: -grad)
def neg(self):
    """-self."""
    refuse_negation(self)
    return -self


def refuse_negation(array):
    if array.dtype.kind == "b":
        raise RuntimeError("Negation, the `-` operator, on a bool tensor is not supported. If you are trying "
                           "to invert a mask, use the `~` or `logical_not()` operator instead.")


def positive(self):
    """+self, which is self."""
    if self._array.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return self


def refuse_bool(self, other):
    if self is None or other is None or isinstance(self, str) or isinstance(other, str):
        return                              # which is no operand at all, and refused as such
    left, right = [v is True or v is False or getattr(v, "dtype", None) == np.bool_ for v in (self, other)]
    if left and right:
        raise RuntimeError("Subtraction, the `-` operator, with two bool tensors is not supported. Use the "
                           "`^` or `logical_xor()` operator instead.")
    if left or right:
        raise RuntimeError("Subtraction, the `-` operator, with a bool tensor is not supported. If you are "
                           "trying to invert a mask, use the `~` or `logical_not()` operator instead.")


# --- products and quotients ---------------------------------------------------------------------------------

@differentiable("MulBackward0",
                self=lambda grad, other: grad * other,
                other=lambda grad, self: grad * self)
def _mul(self, other):
    return self * other


@differentiable("DivBackward0",
                self=lambda grad, other: grad / other,
                other=lambda grad, self, other: -grad * ((self / other) / other))
def _div(self, other):
    if self.dtype.kind != "f":
        self, other = self.astype(dtypes.Default.numpy), other.astype(dtypes.Default.numpy)
    return self / other


# What the formulas of PyTorch record when a tensor meets a plain number.

def beside(array, number):
    """An array of whole numbers becomes one of floats beside a float."""
    if array.dtype.kind == "f" or not isinstance(number, float):
        return array
    return array.astype(dtypes.Default.numpy)


@differentiable("AddBackward1", self=lambda grad: grad)
def _add_number(self, other):
    return beside(self, other) + other


@differentiable("SubBackward1", self=lambda grad: grad)
def _sub_number(self, other):
    return beside(self, other) - other


@differentiable("MulBackward1", self=lambda grad, other: grad * other)
def _mul_number(self, other):
    return beside(self, other) * other


@differentiable("DivBackward1", self=lambda grad, other: grad / other)
def _div_number(self, other):
    return beside(self, float(other)) / other


_sub.operation.refuse = refuse_bool
_add.operation.with_number, _sub.operation.with_number = _add_number, _sub_number
_mul.operation.with_number, _div.operation.with_number = _mul_number, _div_number


def times(x, number):
    """x * number, in a formula: nothing is done, nor recorded, if the number is 1."""
    return x if number == 1 else x * number


def minus(number, x):
    """number - x, in a formula."""
    return _sub(number, x) if isinstance(x, Tensor) else number - x


def over(number, x):
    """number / x, in a formula; PyTorch writes it into memory of the dtype of x."""
    if array_of(x).dtype.kind != "f":
        raise RuntimeError("result type Float can't be cast to the desired output type "
                           f"{dtypes.short_name(array_of(x).dtype)}")
    return _div(number, x) if isinstance(x, Tensor) else number / x


# --- the public forms ---------------------------------------------------------------------------------------

@counts_arguments
def add(self, other, *more, alpha=1):
    """self + alpha * other, broadcast.  A float `alpha` needs a floating-point result."""
    if more:
        other, alpha = number_first("add", other, more)
    if alpha == 1 and alpha is not True:
        return checked(_add(as_first(self, other, "add"), other), "add", other)
    return _add_scaled(*as_tensors(self, other, "add", alpha), alpha)


@counts_arguments
def sub(self, other, *more, alpha=1):
    """self - alpha * other, broadcast."""
    if more:
        other, alpha = number_first("sub", other, more)
    if alpha == 1 and alpha is not True:
        return checked(_sub(as_first(self, other, "sub"), other), "sub", other)
    refuse_bool(array_of(self), array_of(other))
    return _sub_scaled(*as_tensors(self, other, "sub", alpha), alpha)


@counts_arguments
def rsub(self, other, *, alpha=1):
    """other - alpha * self."""
    if isinstance(other, Tensor):
        return _rsub(*as_tensors(self, other, "rsub", alpha), alpha)
    if not isinstance(other, dtypes.NUMBERS):
        raise argument_must_be("rsub", "other", 1, other)
    return _rsub_number(self, other, alpha)


@counts_arguments
def mul(self, other):
    """self * other, broadcast."""
    return checked(_mul(as_first(self, other, "mul"), other), "mul", other)


UNSAID = object()       # `rounding_mode=None` said aloud leaves another node in PyTorch's graph


@counts_arguments
def div(self, other, *, rounding_mode=UNSAID):
    """self / other, broadcast: true division, or rounded towards zero ("trunc") or down ("floor")."""
    if rounding_mode is UNSAID:
        return checked(_div(as_first(self, other, "div"), other), "div", other)
    check_rounding_mode(rounding_mode)
    return division._div_rounded(*as_tensors(self, other, "div"), rounding_mode)


def check_rounding_mode(mode):
    if mode not in ("trunc", "floor", None):
        raise RuntimeError(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
                           f"'{mode}'")


# --- writing over self --------------------------------------------------------------------------------------

_write_add, _write_sub = in_place(_add), in_place(_sub)
_write_mul, _write_div = in_place(_mul), in_place(_div)
_write_add_scaled, _write_sub_scaled = in_place(_add_scaled), in_place(_sub_scaled)


def check_target(self, other):
    """What a write objects to before anything is said of dtypes and alpha."""
    if isinstance(self, Tensor) and isinstance(other, (Tensor, *dtypes.NUMBERS)):
        check_in_place(self, local.state.recording and (
            self.requires_grad or isinstance(other, Tensor) and other.requires_grad))


def add_(self, other, *more, alpha=1):
    """self += alpha * other."""
    if more:
        other, alpha = number_first("add_", other, more)
    if alpha == 1 and alpha is not True:
        return checked(_write_add(self, other), "add_", other)
    check_target(self, other)
    refuse_overlap(array_of(self))
    return _write_add_scaled(*as_tensors(self, other, "add_", alpha), alpha)


def sub_(self, other, *more, alpha=1):
    """self -= alpha * other."""
    if more:
        other, alpha = number_first("sub_", other, more)
    if alpha == 1 and alpha is not True:
        return checked(_write_sub(self, other), "sub_", other)
    check_target(self, other)
    refuse_bool(array_of(self), array_of(other))
    refuse_overlap(array_of(self))
    return _write_sub_scaled(*as_tensors(self, other, "sub_", alpha), alpha)


def mul_(self, other):
    """self *= other."""
    return checked(_write_mul(self, other), "mul_", other)


def div_(self, other, *, rounding_mode=UNSAID):
    """self /= other, perhaps rounded as ``div`` does."""
    if rounding_mode is UNSAID:
        return checked(_write_div(self, other), "div_", other)
    check_rounding_mode(rounding_mode)
    return division._write_div_rounded(*as_tensors(self, other, "div_"), rounding_mode)


# --- operators ----------------------------------------------------------------------------------------------

def _reflected_div(self, other):
    if not isinstance(other, (Tensor, np.ndarray, *dtypes.NUMBERS)):
        return NotImplemented
    return reciprocal(self) * other         # as PyTorch computes it


subtract, multiply, divide, true_divide, negative = sub, mul, div, div, neg
subtract_, multiply_, divide_, true_divide_ = sub_, mul_, div_, div_

METHODS = "add sub mul div neg negative positive subtract multiply divide true_divide"
METHODS_ONLY = "add_ sub_ mul_ div_ subtract_ multiply_ divide_ true_divide_"
FUNCTIONS_ONLY = "rsub"
IN_PLACE = "neg negative"
OPERATORS = {
    "__add__": _add, "__radd__": _add, "__sub__": _sub, "__rsub__": or_not_implemented(rsub),
    "__mul__": _mul, "__rmul__": _mul, "__truediv__": _div, "__rtruediv__": _reflected_div,
    "__neg__": neg, "__pos__": positive,
    "__iadd__": _write_add, "__isub__": _write_sub, "__imul__": _write_mul, "__itruediv__": _write_div}

from . import division  # noqa: E402   for div(rounding_mode=...); it uses these operations itself
