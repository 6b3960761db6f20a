"""Arithmetic with two tensors, or with a tensor and a number: + - * / // % and their mixtures.

A declaration holds all there is to know of an operation: the node that it leaves in the graph, what
NumPy computes from two arrays of one dtype, and the gradient of each operand.
"""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.inplace import in_place
from ..autograd.operation import differentiable
from ..dtypes import NUMBERS, promoted
from ..tensor import Tensor
from .elementwise import declare, dispatch, flat, reciprocal, refuse
from .formulas import not_implemented

# --- + - * / ------------------------------------------------------------------------------------

def arithmetic(node_name, compute, **gradients):
    """Declare an operation, and what formulas record for it beside a plain number: MulBackward1."""
    function = declare(node_name, compute, **gradients)
    function.operation.with_number = declare(
        node_name.replace("0", "1"), compute, self=gradients["self"])
    return function


def _subtract(self, other):
    if self.dtype.kind == "b":
        refuse_bools(self, other)
    return self - other


def _divide(self, other):
    is_float = self.dtype.kind == "f"
    return self / other if is_float else np.divide(self, other, dtype=dtypes.Default.numpy)


_add = arithmetic("AddBackward0", lambda self, other: self + other,
                  self=lambda grad: grad,
                  other=lambda grad: grad)
_sub = arithmetic("SubBackward0", _subtract,
                  self=lambda grad: grad,
                  other=lambda grad: -grad)
_mul = arithmetic("MulBackward0", lambda self, other: self * other,
                  self=lambda grad, other: grad * other,
                  other=lambda grad, self: grad * self)
_div = arithmetic("DivBackward0", _divide,
                  self=lambda grad, other: grad / other,
                  other=lambda grad, self, other: -grad * ((self / other) / other))


def refuse_bools(self, other):
    """Raise PyTorch's error for a difference with bools."""
    are_bools = [getattr(value, "dtype", type(value)) in (bool, np.bool_)
                 for value in (self, other)]
    if all(are_bools):
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
            "`logical_xor()` operator instead.")
    if any(are_bools):
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying "
            "to invert a mask, use the `~` or `logical_not()` operator instead.")


_sub.operation.refuse = refuse_bools
_add.operation.node_type._saved_alpha = _sub.operation.node_type._saved_alpha = 1


@differentiable("AddBackward0",
                self=lambda grad, alpha: grad,
                other=lambda grad, alpha: grad * alpha)
def _add_scaled(self, other, alpha):
    self, other = promoted(self, other)
    return self + other * scale(alpha, self.dtype)


@differentiable("SubBackward0",
                self=lambda grad, alpha: grad,
                other=lambda grad, alpha: -grad * alpha)
def _sub_scaled(self, other, alpha):
    refuse_bools(self, other)
    self, other = promoted(self, other)
    return self - other * scale(alpha, self.dtype)


def scale(alpha, dtype):
    if isinstance(alpha, float) and dtype.kind != "f":
        raise RuntimeError(
            "For integral input tensors, argument alpha must not be a floating point number.")
    return np.asarray(alpha, dtype)


@differentiable("RsubBackward1", self=lambda grad, alpha: -grad)
def _subtract_from(self, number, alpha):
    refuse_bools(self, number)
    self, number = dtypes.promoted(self, number)
    return number - self


@dispatch
def add(self, other, *, alpha=1):
    """Return self + alpha * other; shapes broadcast, and the dtypes are promoted.

        torch.add(torch.tensor([1, 2]), 0.5)        # tensor([1.5000, 2.5000])
    """
    return (_add, self, other) if alpha == 1 else (_add_scaled, self, other, alpha)


@dispatch
def sub(self, other, *, alpha=1):
    """Return self - alpha * other; not of bools."""
    return (_sub, self, other) if alpha == 1 else (_sub_scaled, self, other, alpha)


@dispatch
def mul(self, other):
    """Return self * other."""
    return _mul, self, other


NOT_GIVEN = object()        # PyTorch leaves another node where the mode is given as None


@dispatch
def div(self, other, *, rounding_mode=NOT_GIVEN):
    """Return self / other; rounded down for ``rounding_mode="floor"``, towards 0 for "trunc"."""
    if rounding_mode is NOT_GIVEN:
        return _div, self, other
    if rounding_mode not in ("trunc", "floor", None):
        raise RuntimeError("div expected rounding_mode to be one of None, 'trunc', or 'floor' but "
                           f"found '{rounding_mode}'")
    return _div_rounded, self, other, rounding_mode


# --- // and % -----------------------------------------------------------------------------------

@differentiable("DivBackward2",
                self=lambda grad, other, rounding_mode: (
                    flat(grad) if rounding_mode else grad / other),
                other=lambda grad, self, other, rounding_mode: (
                    flat(grad) if rounding_mode else -grad * ((self / other) / other)))
def _div_rounded(self, other, rounding_mode):
    self, other = promoted(self, other)
    if rounding_mode is None:
        return _divide(self, other)
    check_divisor(self, other, f"div_{rounding_mode}_cpu")
    if rounding_mode == "floor":
        return np.floor_divide(self, other)
    if self.dtype.kind == "f":
        return np.trunc(self / other)
    down = np.floor_divide(self, other)
    return down + ((down < 0) & (down * other != self))


def check_divisor(self, other, kernel):
    """Raise PyTorch's error for a division of bools, or of integers by 0."""
    refuse("b", self, kernel)
    if self.dtype.kind != "f" and self.size and not np.all(other):
        raise RuntimeError("ZeroDivisionError")


def _floor(self, other):
    return _div_rounded.operation.forward(self, other, "floor")


def _modulo(self, other):
    self, other = promoted(self, other)
    check_divisor(self, other, "remainder_cpu")
    return np.remainder(self, other)


_remainder = differentiable(
    "RemainderBackward1",
    self=lambda grad: grad,
    other=lambda grad, self, other: -grad * _div_rounded(self, other, "floor"))(_modulo)
_remainder_number = differentiable("RemainderBackward0", self=lambda grad: grad)(_modulo)


def floor_division(name):
    """Declare floor division; PyTorch has no gradient for it, and says so by this name."""
    node_name, formula = "torch::autograd::NotImplemented", not_implemented(name)
    by_tensor = differentiable(node_name, self=formula, other=formula)(_floor)
    by_number = differentiable(node_name, self=formula)(_floor)

    @dispatch
    def floor_divide(self, other):
        """Return self / other rounded down, as ``//`` does."""
        return by_number if isinstance(other, NUMBERS) else by_tensor, self, other
    return floor_divide


floor_divide = floor_division("floor_divide")
floor_divide.in_place = floor_division("floor_divide_").in_place


@dispatch
def remainder(self, other):
    """Return what the division leaves, with the sign of other, as ``%`` does."""
    return _remainder_number if isinstance(other, NUMBERS) else _remainder, self, other


# --- mixtures -----------------------------------------------------------------------------------

@differentiable("AddcmulBackward0",
                self=lambda grad: grad,
                tensor1=lambda grad, tensor2, value: grad * (tensor2 * value),
                tensor2=lambda grad, tensor1, value: grad * (tensor1 * value))
def _addcmul(self, tensor1, tensor2, value):
    self, tensor1, tensor2 = promoted(self, tensor1, tensor2)
    return refuse("b", self, "addcmul_cpu_out") + np.asarray(value, self.dtype) * tensor1 * tensor2


@differentiable("AddcdivBackward0",
                self=lambda grad: grad,
                tensor1=lambda grad, tensor2, value: grad * (value / tensor2),
                tensor2=lambda grad, tensor1, tensor2, value: (
                    -grad * (value * tensor1 / (tensor2 * tensor2))))
def _addcdiv(self, tensor1, tensor2, value):
    if tensor1.dtype.kind != "f" != tensor2.dtype.kind:
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv "
            "will perform a true division of tensor1 and tensor2. The historic addcdiv behavior can "
            "be implemented as (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for "
            "integer inputs and as (input + value * tensor1 / tensor2) for float inputs. The future "
            "addcdiv behavior is just the latter implementation: (input + value * tensor1 / "
            "tensor2), for all dtypes.")
    self, tensor1, tensor2 = promoted(self, tensor1, tensor2)
    return self + value * tensor1 / tensor2


def _between(self, end, weight):
    if end.dtype != self.dtype:
        raise RuntimeError(f"expected dtype {dtypes.cpp_name(self.dtype)} for `end` but got dtype "
                           f"{dtypes.cpp_name(end.dtype)}")
    refuse("biu", self, "lerp_kernel_scalar")
    # from the nearer end, so that weight 1 gives exactly `end`
    return np.where(np.abs(weight) < 0.5, self + weight * (end - self),
                    end - (end - self) * (1 - weight))


_lerp = differentiable("LerpBackward0",
                       self=lambda grad, weight: grad * (1 - weight),
                       end=lambda grad, weight: grad * weight)(_between)
_lerp_tensor = differentiable("LerpBackward1",
                              self=lambda grad, weight: grad * (1 - weight),
                              end=lambda grad, weight: grad * weight,
                              weight=lambda grad, self, end: grad * (end - self))(_between)


@dispatch
def addcmul(self, tensor1, tensor2, *, value=1):
    """Return self + value * tensor1 * tensor2."""
    return _addcmul, self, tensor1, tensor2, value


@dispatch
def addcdiv(self, tensor1, tensor2, *, value=1):
    """Return self + value * tensor1 / tensor2, of floats."""
    return _addcdiv, self, tensor1, tensor2, value


@dispatch
def lerp(self, end, weight):
    """Return self + weight * (end - self): self for weight 0, end for weight 1."""
    return _lerp_tensor if isinstance(weight, Tensor) else _lerp, self, end, weight


# --- what is offered ----------------------------------------------------------------------------

def operator(function):
    """Make the operator of a function: Python asks the other operand if this one is unknown."""
    def call(self, other):
        return function(self, other) if isinstance(other, (Tensor, *NUMBERS)) else NotImplemented
    return call


IN_PLACE = METHODS = "add sub mul div floor_divide remainder addcmul addcdiv lerp"
OPERATORS = {
    # for speed, the four most frequent are the operations themselves
    "__add__": _add, "__radd__": _add, "__iadd__": in_place(_add),
    "__sub__": _sub, "__rsub__": operator(lambda self, number: _subtract_from(self, number, 1)),
    "__isub__": in_place(_sub),
    "__mul__": _mul, "__rmul__": _mul, "__imul__": in_place(_mul),
    "__truediv__": _div, "__rtruediv__": operator(lambda self, number: reciprocal(self) * number),
    "__itruediv__": in_place(_div),
    "__floordiv__": operator(floor_divide), "__ifloordiv__": operator(floor_divide.in_place),
    "__rfloordiv__": operator(lambda self, number: floor_divide(number, self)),
    "__mod__": operator(remainder), "__imod__": operator(remainder.in_place),
    "__rmod__": operator(lambda self, number: remainder(number, self))}
