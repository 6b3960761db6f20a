"""Arithmetic with two tensors, or with a tensor and a number: + - * / // % **, and their mixtures.

A declaration holds all there is to know of an operation: the node that it leaves in the graph, what
NumPy computes from two arrays of one dtype, and the gradient of each operand.
"""
from __future__ import annotations

import math

import numpy as np

from .. import dtypes
from ..autograd.operation import differentiable
from ..autograd.inplace import in_place
from ..tensor import Tensor
from .comparison import choose_where
from .elementwise import declare, dispatch, flat, log, reciprocal, refuse_bool, require_float
from .formulas import not_implemented

OPERANDS = (Tensor, *dtypes.NUMBERS)


# --- the four operators -------------------------------------------------------------------------

def arithmetic(node_name, compute, **gradients):
    """Declare an operator, and what a formula records in its place beside a plain number.

    PyTorch keeps that number as a number, and its node has another name: MulBackward1.
    """
    function = declare(node_name, compute, **gradients)
    function.operation.with_number = declare(
        node_name[:-1] + "1", compute, self=gradients["self"])
    return function


def _subtract(self, other):
    if self.dtype.kind == "b":
        refuse_bools(self, other)
    return self - other


def _divide(self, other):
    if self.dtype.kind == "f":
        return self / other
    return np.true_divide(self, other, dtype=dtypes.Default.numpy)


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
    """Raise PyTorch's error for a difference of bools."""
    are_bools = [getattr(value, "dtype", type(value)) == bool for value in (self, other)]
    if True in are_bools:
        both = all(are_bools)
        raise RuntimeError(
            f"Subtraction, the `-` operator, with {'two bool tensors' if both else 'a bool tensor'} "
            "is not supported. " + ("Use the `^` or `logical_xor()` operator instead." if both else
                                    "If you are trying to invert a mask, use the `~` or "
                                    "`logical_not()` operator instead."))


_sub.operation.refuse = refuse_bools
for _function in (_add, _sub):
    _function.operation.node_type._saved_alpha = 1      # PyTorch shows it on every such node


# --- with settings ------------------------------------------------------------------------------

def promoted(*values):
    """Return arrays and numbers as arrays in the dtype of their result."""
    common = dtypes.result_dtype(*values)
    return [np.asarray(value, common) for value in values]


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
def _rsub(self, number, alpha):
    refuse_bools(self, number)
    self, number = dtypes.with_number(self, number)
    return number - self


@differentiable("DivBackward2",     # it saves what mode None would need
                self=lambda grad, other, rounding_mode: flat(grad),
                other=lambda grad, self, other, rounding_mode: flat(grad))
def _div_rounded(self, other, rounding_mode):
    self, other = promoted(self, other)
    check_divisor(self, other, f"div_{rounding_mode}_cpu")
    down = np.floor_divide(self, other)
    if rounding_mode == "floor":
        return down
    if self.dtype.kind == "f":
        return np.trunc(self / other)
    return down + ((down < 0) & (down * other != self))


def check_divisor(self, other, kernel):
    """Raise PyTorch's error for a division of bools, or of integers by 0."""
    refuse_bool(self, kernel)
    if self.dtype.kind != "f" and self.size and not np.all(other):
        raise RuntimeError("ZeroDivisionError")


@differentiable("torch::autograd::NotImplemented",
                self=not_implemented("floor_divide"), other=not_implemented("floor_divide"))
def _floor_divide(self, other):
    return _div_rounded.operation.forward(self, other, "floor")


@differentiable("torch::autograd::NotImplemented", self=not_implemented("floor_divide"))
def _floor_divide_number(self, number):
    return _div_rounded.operation.forward(self, number, "floor")


@differentiable("RemainderBackward1",
                self=lambda grad: grad,
                other=lambda grad, self, other: -grad * _div_rounded(self, other, "floor"))
def _remainder(self, other):
    check_divisor(self, other, "remainder_cpu")
    return np.remainder(self, other)


@differentiable("RemainderBackward0", self=lambda grad: grad)
def _remainder_number(self, number):
    return _remainder.operation.forward(*dtypes.with_number(self, number))


# --- powers -------------------------------------------------------------------------------------

@differentiable("PowBackward0", self=lambda grad, self, exponent: (
    flat(grad) if exponent == 0 else grad * (exponent * self ** (exponent - 1))))
def _pow_number(self, exponent):
    if self.dtype.kind == "f":
        return self ** exponent         # NumPy is quicker here with a number than with an array
    self, exponent = dtypes.with_number(self, exponent)
    return refuse_bool(self, "pow") ** exponent


@differentiable("PowBackward1",
                self=lambda grad, self, exponent: choose_where(
                    exponent == 0, 0.0, grad * (exponent * self ** (exponent - 1))),
                exponent=lambda grad, self, exponent, result: (     # 0 ** y does not change with y
                    grad * choose_where((self == 0) & (exponent >= 0), 0.0, result * log(self))))
def _pow(self, exponent):
    self, exponent = promoted(self, exponent)
    if self.dtype.kind == "f":
        return self ** exponent
    # 1 and -1 have integer powers with negative exponents; for other numbers PyTorch gives 0
    inverse = np.where(np.abs(self) == 1, self ** (exponent & 1), 0)
    return np.where(exponent < 0, inverse, refuse_bool(self, "pow") ** np.maximum(exponent, 0))


@differentiable("PowBackward2", exponent=lambda grad, self, exponent, result: (
    grad * (result * (math.log(self) if self > 0 else math.nan)) if self else
    grad * choose_where(exponent >= 0, 0.0, result * -math.inf)))
def _number_pow(self, exponent):
    return _pow.operation.forward(self, exponent)


# --- mixtures -----------------------------------------------------------------------------------

@differentiable("AddcmulBackward0",
                self=lambda grad: grad,
                tensor1=lambda grad, tensor2, value: grad * (tensor2 * value),
                tensor2=lambda grad, tensor1, value: grad * (tensor1 * value))
def _addcmul(self, tensor1, tensor2, value):
    self, tensor1, tensor2 = promoted(self, tensor1, tensor2)
    return refuse_bool(self, "addcmul_cpu_out") + np.asarray(value, self.dtype) * tensor1 * tensor2


@differentiable("AddcdivBackward0",
                self=lambda grad: grad,
                tensor1=lambda grad, tensor2, value: grad * (value / tensor2),
                tensor2=lambda grad, tensor1, tensor2, value: (
                    -grad * (value * tensor1 / (tensor2 * tensor2))))
def _addcdiv(self, tensor1, tensor2, value):
    if tensor1.dtype.kind != "f" and tensor2.dtype.kind != "f":
        raise RuntimeError(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv "
            "will perform a true division of tensor1 and tensor2.")
    self, tensor1, tensor2 = promoted(self, tensor1, tensor2)
    return self + np.asarray(value, self.dtype) * tensor1 / tensor2


@differentiable("LerpBackward0",
                self=lambda grad, weight: grad * (1 - weight),
                end=lambda grad, weight: grad * weight)
def _lerp(self, end, weight):
    if end.dtype != self.dtype:
        raise RuntimeError(f"expected dtype {dtypes.cpp_name(self.dtype)} for `end` but got dtype "
                           f"{dtypes.cpp_name(end.dtype)}")
    require_float(self, "lerp_kernel_scalar")
    # from the nearer end, so that weight 1 gives exactly `end`
    return np.where(np.abs(weight) < 0.5, self + weight * (end - self),
                    end - (end - self) * (1 - weight))


_lerp_tensor = differentiable(
    "LerpBackward1",
    self=lambda grad, weight: grad * (1 - weight),
    end=lambda grad, weight: grad * weight,
    weight=lambda grad, self, end: grad * (end - self))(_lerp.operation.forward)


# --- what is called -----------------------------------------------------------------------------

@dispatch
def add(self, other, *, alpha=1):
    """Return self + alpha * other: ``add(tensor([1., 2.]), 3)`` is tensor([4., 5.]).

    Shapes broadcast, and the dtypes are promoted.
    """
    return (_add, self, other) if alpha == 1 else (_add_scaled, self, other, alpha)


@dispatch
def sub(self, other, *, alpha=1):
    """Return self - alpha * other; bools are refused."""
    return (_sub, self, other) if alpha == 1 else (_sub_scaled, self, other, alpha)


@dispatch
def mul(self, other):
    """Return self * other."""
    return _mul, self, other


@dispatch
def div(self, other, *, rounding_mode=None):
    """Return self / other, a float; or with `rounding_mode` "floor" or "trunc" the rounded quotient."""
    if rounding_mode not in ("trunc", "floor", None):
        raise RuntimeError("div expected rounding_mode to be one of None, 'trunc', or 'floor' but "
                           f"found '{rounding_mode}'")
    return (_div_rounded, self, other, rounding_mode) if rounding_mode else (_div, self, other)


@dispatch
def floor_divide(self, other):
    """Return self / other rounded down, as ``//`` does; no gradient passes through it."""
    is_number = isinstance(other, dtypes.NUMBERS)
    return _floor_divide_number if is_number else _floor_divide, self, other


@dispatch
def remainder(self, other):
    """Return what a division leaves, with the sign of other, as ``%`` does."""
    return _remainder_number if isinstance(other, dtypes.NUMBERS) else _remainder, self, other


@dispatch
def pow(self, exponent):
    """Return self ** exponent; one of the two may be a number."""
    if isinstance(exponent, dtypes.NUMBERS):
        return _pow_number, self, exponent
    return _pow if isinstance(self, Tensor) else _number_pow, self, exponent


@dispatch
def square(self):
    """Return self ** 2."""
    return _pow_number, self, 2


@dispatch
def addcmul(self, tensor1, tensor2, *, value=1):
    """Return self + value * tensor1 * tensor2."""
    return _addcmul, self, tensor1, tensor2, value


@dispatch
def addcdiv(self, tensor1, tensor2, *, value=1):
    """Return self + value * tensor1 / tensor2."""
    return _addcdiv, self, tensor1, tensor2, value


@dispatch
def lerp(self, end, weight):
    """Return self + weight * (end - self): self for weight 0, end for weight 1."""
    return _lerp_tensor if isinstance(weight, Tensor) else _lerp, self, end, weight


def as_operator(function):
    """Make the operator of a function: Python asks the other operand if this one is unknown."""
    def operator(self, other):
        return function(self, other) if isinstance(other, OPERANDS) else NotImplemented
    return operator


def reflected(function):
    """Make the operator that Python calls where the tensor is on the right."""
    return as_operator(lambda self, other: function(other, self))


IN_PLACE = METHODS = "add sub mul div floor_divide remainder pow square addcmul addcdiv lerp"
OPERATORS = {
    # the operations themselves: an operator calls as few functions as can be
    "__add__": _add, "__radd__": _add, "__iadd__": in_place(_add),
    "__sub__": _sub, "__isub__": in_place(_sub),
    "__mul__": _mul, "__rmul__": _mul, "__imul__": in_place(_mul),
    "__truediv__": _div, "__itruediv__": in_place(_div),
    "__rsub__": as_operator(lambda self, number: _rsub(self, number, 1)),
    "__rtruediv__": as_operator(lambda self, number: reciprocal(self) * number),
    "__floordiv__": as_operator(floor_divide), "__ifloordiv__": as_operator(floor_divide.in_place),
    "__rfloordiv__": reflected(floor_divide),
    "__mod__": as_operator(remainder), "__imod__": as_operator(remainder.in_place),
    "__rmod__": reflected(remainder),
    "__pow__": as_operator(pow), "__ipow__": as_operator(pow.in_place), "__rpow__": reflected(pow)}
