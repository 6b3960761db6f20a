"""Plus, minus, times, divided by, to the power of; with numbers, with broadcasting, in mixed dtypes."""
from __future__ import annotations

import math

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from ..messages import type_name
from ..tensor import Tensor, wrap
from .comparison import logical_and, where
from .elementwise import log, reciprocal

# --- sums and differences ---------------------------------------------------------------------------------------------


@differentiable("AddBackward0",
                self=lambda grad: grad,
                other=lambda grad: grad)
def _add(self, other):
    return self + other


@differentiable("AddBackward0",
                self=lambda grad: grad,
                other=lambda grad, alpha: grad * alpha)
def _add_scaled(self, other, alpha):
    return self + other * np.asarray(alpha, other.dtype)


@differentiable("SubBackward0",
                self=lambda grad: grad,
                other=lambda grad: -grad)
def _sub(self, other):
    refuse_bool(self, other)
    return self - other


@differentiable("SubBackward0",
                self=lambda grad: grad,
                other=lambda grad, alpha: -grad * alpha)
def _sub_scaled(self, other, alpha):
    refuse_bool(self, other)
    return self - other * np.asarray(alpha, other.dtype)


@differentiable("RsubBackward1", self=lambda grad, alpha: -grad * alpha if alpha != 1 else -grad)
def _rsub_number(self, number, alpha):
    """number - self, PyTorch's own node for a Python number on the left."""
    kind = dtypes.promote_number(self.dtype, number)
    return np.asarray(number, kind) - self.astype(kind, copy=False) * np.asarray(alpha, kind)


@differentiable("NegBackward0", self=lambda grad: -grad)
def neg(self):
    if self.dtype.kind == "b":
        raise RuntimeError("Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a "
                           "mask, use the `~` or `logical_not()` operator instead.")
    return -self


def refuse_bool(self, other):
    if self.dtype.kind == "b" or other.dtype.kind == "b":
        if self.dtype.kind == other.dtype.kind:
            raise RuntimeError("Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                               "`logical_xor()` operator instead.")
        raise RuntimeError("Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
                           "invert a mask, use the `~` or `logical_not()` operator instead.")


# --- products and quotients -------------------------------------------------------------------------------------------

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


# --- powers -----------------------------------------------------------------------------------------------------------

def _power_gradient(grad, self, exponent):
    return grad * 0 if exponent == 0 else grad * (exponent * pow(self, exponent - 1))


@differentiable("PowBackward0", self=_power_gradient)
def _pow_number(self, exponent):
    kind = dtypes.promote_number(self.dtype, exponent)
    if kind.kind in "iu" and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return np.power(self.astype(kind, copy=False), np.asarray(exponent, kind))


def _base_gradient(grad, self, exponent):
    zero = exponent == 0.0
    return where(zero, grad * 0, grad * (exponent * _pow(self, exponent - 1)))


def _exponent_gradient(grad, self, exponent, result):
    # 0 ** y is constant in y (for y >= 0), though log(0) is not finite
    constant = logical_and(self == 0, exponent >= 0)
    return grad * where(constant, result * 0, result * log(self))


@differentiable("PowBackward1", self=_base_gradient, exponent=_exponent_gradient)
def _pow(self, exponent):
    return np.power(self, exponent)


@differentiable("PowBackward2",
                exponent=lambda grad, self, exponent, result: grad * (result * math.log(self) if self > 0 else
                                                                      _number_base(self, exponent, result)))
def _number_pow(self, exponent):
    kind = dtypes.promote_number(exponent.dtype, self)
    return np.power(np.asarray(self, kind), exponent.astype(kind, copy=False))


def _number_base(base, exponent, result):
    return where(exponent >= 0, result * 0, result * math.nan) if base == 0 else result * math.nan


# --- the public forms -------------------------------------------------------------------------------------------------

def _checked(result, name, other, position=1):
    if result is NotImplemented:
        raise TypeError(f"{name}(): argument 'other' (position {position}) must be Tensor, not {type_name(other)}")
    return result


def add(self, other, *, alpha=1):
    """self + alpha * other, broadcast.  A float `alpha` needs a floating-point result."""
    if alpha == 1:
        return _checked(_add(self, other), "add", other)
    check_alpha(self, other, alpha)
    return _add_scaled(*as_tensors(self, other, "add"), alpha)


def sub(self, other, *, alpha=1):
    """self - alpha * other, broadcast."""
    if alpha == 1:
        return _checked(_sub(self, other), "sub", other)
    check_alpha(self, other, alpha)
    return _sub_scaled(*as_tensors(self, other, "sub"), alpha)


def rsub(self, other, *, alpha=1):
    """other - alpha * self."""
    if isinstance(other, Tensor):
        return sub(other, self, alpha=alpha)
    if not isinstance(other, dtypes.NUMBERS):
        return NotImplemented
    return _rsub_number(self, other, alpha)


def mul(self, other):
    """self * other, broadcast."""
    return _checked(_mul(self, other), "mul", other)


def div(self, other, *, rounding_mode=None):
    """self / other, broadcast: true division, or rounded towards zero ("trunc") or down ("floor")."""
    return _checked(_div(self, other), "div", other)


def rdiv(self, other):
    """other / self, as PyTorch computes it: the reciprocal, times other."""
    if not isinstance(other, dtypes.NUMBERS):
        return NotImplemented
    return _mul(reciprocal(self), other)


def pow(self, exponent):
    """self ** exponent, broadcast; either may be a number."""
    if isinstance(exponent, Tensor):
        if isinstance(self, Tensor):
            return _pow(self, exponent)
        return _number_pow(self, exponent)
    if not isinstance(exponent, dtypes.NUMBERS) and isinstance(self, Tensor):
        return NotImplemented
    if not isinstance(exponent, dtypes.NUMBERS) or not isinstance(self, (Tensor, np.ndarray, np.generic)):
        return _pow(self, exponent)
    return _pow_number(self, exponent)


def rpow(self, other):
    """other ** self."""
    if not isinstance(other, dtypes.NUMBERS):
        return NotImplemented
    return _number_pow(other, self)


def check_alpha(self, other, alpha):
    kind = dtypes.result_dtype(*[v._array if isinstance(v, Tensor) else v for v in (self, other)]).kind
    if isinstance(alpha, float) and kind != "f":
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(alpha, bool) and kind != "b":
        raise RuntimeError("Boolean alpha only supported for Boolean results.")


def as_tensors(self, other, name):
    """A tensor and a number as two tensors."""
    if not isinstance(other, Tensor):
        if not isinstance(other, dtypes.NUMBERS):
            _checked(NotImplemented, name, other)
        other = wrap(np.asarray(other, dtypes.promote_number(self._array.dtype, other)))
    return self, other


METHODS = "add sub mul div pow neg"
IN_PLACE = "_add _sub _mul _div neg"
OPERATORS = {"__add__": _add, "__radd__": _add, "__sub__": _sub, "__rsub__": rsub, "__mul__": _mul, "__rmul__": _mul,
             "__truediv__": _div, "__rtruediv__": rdiv, "__pow__": pow, "__rpow__": rpow, "__neg__": neg}
