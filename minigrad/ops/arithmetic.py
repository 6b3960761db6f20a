"""Plus, minus, times, divided by, to the power of; with numbers, with broadcasting, in mixed dtypes."""
from __future__ import annotations

import math

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from ..autograd.inplace import in_place
from ..messages import argument_must_be, counts_arguments, invalid_combination, not_implemented_for
from ..tensor import Tensor, wrap
from .comparison import logical_and, where
from .elementwise import log, reciprocal, zeros_like

# --- sums and differences ---------------------------------------------------------------------------------------------


@differentiable("AddBackward0",
                self=lambda grad: grad,
                other=lambda grad: grad)
def _add(self, other):
    return self + other


@differentiable("AddBackward0",
                self=lambda grad: grad,
                other=lambda grad, alpha: times(grad, alpha))
def _add_scaled(self, other, alpha):
    self, other = _alike(self, other)
    return self + other * np.asarray(alpha, other.dtype)


@differentiable("SubBackward0",
                self=lambda grad: grad,
                other=lambda grad: -grad)
def _sub(self, other):
    if self.dtype.kind == "b" or other.dtype.kind == "b":
        refuse_bool(self, other)
    return self - other


@differentiable("SubBackward0",
                self=lambda grad: grad,
                other=lambda grad, alpha: times(-grad, alpha))
def _sub_scaled(self, other, alpha):
    self, other = _alike(self, other)
    refuse_bool(self, other)
    return self - other * np.asarray(alpha, other.dtype)


@differentiable("RsubBackward0",
                self=lambda grad, alpha: times(-grad, alpha),
                other=lambda grad: grad)
def _rsub(self, other, alpha):
    self, other = _alike(self, other)
    refuse_bool(self, other)
    return other - self * np.asarray(alpha, self.dtype)


@differentiable("RsubBackward1", self=lambda grad, alpha: times(-grad, alpha))
def _rsub_number(self, number, alpha):
    """number - self, PyTorch's own node for a Python number on the left."""
    array, number = dtypes.with_number(self, number)
    if self.dtype.kind == "b":
        refuse_bool(self, number)
    return number - (array if alpha == 1 else array * np.asarray(alpha, array.dtype))


@differentiable("NegBackward0", self=lambda grad: -grad)
def neg(self):
    """-self."""
    if self.dtype.kind == "b":
        raise RuntimeError("Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a "
                           "mask, use the `~` or `logical_not()` operator instead.")
    return -self


def positive(self):
    """+self, which is self."""
    if self._array.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return self


def refuse_bool(self, other):
    if self.dtype.kind == "b" and other.dtype.kind == "b":
        raise RuntimeError("Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                           "`logical_xor()` operator instead.")
    if self.dtype.kind == "b" or other.dtype.kind == "b":
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


# What the formulas of PyTorch record when a tensor meets a plain number.

@differentiable("AddBackward1", self=lambda grad: grad)
def _add_number(self, other):
    return self + other


@differentiable("SubBackward1", self=lambda grad: grad)
def _sub_number(self, other):
    return self - other


@differentiable("MulBackward1", self=lambda grad, other: grad * other)
def _mul_number(self, other):
    return self * other


@differentiable("DivBackward1", self=lambda grad, other: grad / other)
def _div_number(self, other):
    return self / other


_add.operation.with_number, _sub.operation.with_number = _add_number, _sub_number
_mul.operation.with_number, _div.operation.with_number = _mul_number, _div_number


def times(x, number):
    """x * number, in a formula: nothing is done, nor recorded, if the number is 1."""
    return x if number == 1 else x * number


def minus(number, x):
    """number - x, in a formula."""
    return _sub(number, x) if isinstance(x, Tensor) else number - x


def over(number, x):
    """number / x, in a formula."""
    return _div(number, x) if isinstance(x, Tensor) else number / x


# --- powers -----------------------------------------------------------------------------------------------------------

def _power_gradient(grad, self, exponent):
    return zeros_like(grad) if exponent == 0 else grad * (exponent * pow(self, exponent - 1))


# NumPy's power is slow: the exponents that people write are computed by other means, as in PyTorch.
_QUICK_POWERS = {
    2: lambda x: x * x, 1: np.copy, 3: lambda x: x * x * x, 0.5: np.sqrt, -1: np.reciprocal,
    -0.5: lambda x: 1 / np.sqrt(x), -2: lambda x: 1 / (x * x), 0: np.ones_like}


@differentiable("PowBackward0", self=_power_gradient)
def _pow_number(self, exponent):
    array, number = dtypes.with_number(self, exponent)
    if array.dtype.kind == "f":
        quick = _QUICK_POWERS.get(exponent)
        return np.power(array, number) if quick is None else quick(array)
    if exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    refuse_bool_power(array)
    return np.power(array, number)


def _base_gradient(grad, self, exponent):
    return where(exponent == 0.0, 0.0, grad * (exponent * _pow(self, exponent - 1)))


def _exponent_gradient(grad, self, exponent, result):
    # 0 ** y is constant in y (for y >= 0), though log(0) is not finite
    constant = logical_and(self == 0, exponent >= 0)
    return grad * where(constant, 0.0, result * log(self))


@differentiable("PowBackward1", self=_base_gradient, exponent=_exponent_gradient)
def _pow(self, exponent):
    return _power(self, exponent)


def _exponent_gradient_of_number(grad, self, exponent, result):
    if self == 0:
        return grad * where(exponent >= 0, 0.0, result * -math.inf)
    return grad * (result * (math.log(self) if self > 0 else math.nan))


@differentiable("PowBackward2", exponent=_exponent_gradient_of_number)
def _number_pow(self, exponent):
    array, number = dtypes.with_number(exponent, self)
    return _power(number, array)


def _power(base, exponent):
    if base.dtype.kind == "f":
        return np.power(base, exponent)
    refuse_bool_power(base)
    # of integers to negative powers, only those of 1 and -1 are integers; PyTorch gives 0 for the others
    inverse = np.where(base == 1, 1, np.where(base == -1, 1 - 2 * (exponent & 1), 0))
    return np.where(exponent < 0, inverse, np.power(base, np.maximum(exponent, 0))).astype(base.dtype)


def refuse_bool_power(base):
    if base.dtype.kind == "b":
        raise not_implemented_for("pow", base.dtype)


# --- the public forms -------------------------------------------------------------------------------------------------

@counts_arguments
def add(self, other, *, alpha=1):
    """self + alpha * other, broadcast.  A float `alpha` needs a floating-point result."""
    if alpha == 1 and alpha is not True:
        return checked(_add(as_first(self, other, "add"), other), "add", other)
    return _add_scaled(*as_tensors(self, other, "add", alpha), alpha)


@counts_arguments
def sub(self, other, *, alpha=1):
    """self - alpha * other, broadcast."""
    if alpha == 1 and alpha is not True:
        return checked(_sub(as_first(self, other, "sub"), other), "sub", other)
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


@counts_arguments
def div(self, other, *, rounding_mode=None):
    """self / other, broadcast: true division, or rounded towards zero ("trunc") or down ("floor")."""
    if rounding_mode is None:
        return checked(_div(as_first(self, other, "div"), other), "div", other)
    check_rounding_mode(rounding_mode)
    return division._div_rounded(*as_tensors(self, other, "div"), rounding_mode)


def check_rounding_mode(mode):
    if mode not in ("trunc", "floor"):
        raise RuntimeError(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{mode}'")


@counts_arguments
def pow(self, exponent):
    """self ** exponent, broadcast; either may be a number."""
    if isinstance(exponent, Tensor):
        if not isinstance(self, Tensor):
            if not isinstance(self, dtypes.NUMBERS):
                raise invalid_combination("pow", POW_SIGNATURES, self, exponent, in_function=POW_FUNCTION)
            return _number_pow(self, exponent)
        return _pow(*as_tensors(self, exponent, "pow"))
    if not isinstance(exponent, dtypes.NUMBERS):
        if isinstance(self, Tensor):
            raise invalid_combination("pow", POW_SIGNATURES, self, exponent, in_function=POW_FUNCTION)
        return _pow(self, exponent)             # a formula at work on arrays
    if isinstance(self, dtypes.NUMBERS) and not isinstance(self, np.generic):
        raise invalid_combination("pow", POW_SIGNATURES, self, exponent, in_function=POW_FUNCTION)
    return _pow_number(self, exponent)


POW_SIGNATURES = ("Tensor exponent", "Number exponent")
POW_FUNCTION = ("Tensor input, Tensor exponent", "Number self, Tensor exponent", "Tensor input, Number exponent")


def square(self):
    """self ** 2."""
    return pow(self, 2)


@counts_arguments
def float_power(self, exponent):
    """self ** exponent, computed in float64 whatever the dtypes."""
    as_double = [v.to(dtypes.float64) if isinstance(v, Tensor) else float(v) for v in (self, exponent)]
    return pow(*as_double)


def float_power_(self, exponent):
    if self._array.dtype != dtypes.FLOAT64:
        raise RuntimeError(f"the base given to float_power_ has dtype {dtypes.short_name(self._array.dtype)} but the "
                           "operation's result requires dtype Double")
    return pow_(self, exponent.to(dtypes.float64) if isinstance(exponent, Tensor) else float(exponent))


# --- writing over self -------------------------------------------------------------------------------------------------

_write_add, _write_sub, _write_mul, _write_div = in_place(_add), in_place(_sub), in_place(_mul), in_place(_div)
_write_add_scaled, _write_sub_scaled = in_place(_add_scaled), in_place(_sub_scaled)
_write_pow, _write_pow_number = in_place(_pow), in_place(_pow_number)


def add_(self, other, *, alpha=1):
    """self += alpha * other."""
    if alpha == 1 and alpha is not True:
        return checked(_write_add(self, other), "add_", other)
    return _write_add_scaled(*as_tensors(self, other, "add_", alpha), alpha)


def sub_(self, other, *, alpha=1):
    """self -= alpha * other."""
    if alpha == 1 and alpha is not True:
        return checked(_write_sub(self, other), "sub_", other)
    return _write_sub_scaled(*as_tensors(self, other, "sub_", alpha), alpha)


def mul_(self, other):
    """self *= other."""
    return checked(_write_mul(self, other), "mul_", other)


def div_(self, other, *, rounding_mode=None):
    """self /= other, perhaps rounded as ``div`` does."""
    if rounding_mode is None:
        return checked(_write_div(self, other), "div_", other)
    check_rounding_mode(rounding_mode)
    return division._write_div_rounded(*as_tensors(self, other, "div_"), rounding_mode)


def pow_(self, exponent):
    """self **= exponent."""
    if isinstance(exponent, Tensor):
        return _write_pow(*as_tensors(self, exponent, "pow_"))
    if not isinstance(exponent, dtypes.NUMBERS):
        raise invalid_combination("pow_", POW_SIGNATURES, self, exponent)
    return _write_pow_number(self, exponent)


def square_(self):
    """self **= 2."""
    return pow_(self, 2)


# --- arguments --------------------------------------------------------------------------------------------------------

def checked(result, name, other):
    if result is NotImplemented:
        raise argument_must_be(name, "other", 1, other)
    return result


def as_first(self, other, name):
    """The first operand of a function such as ``torch.add``, which may be a number."""
    if not isinstance(self, Tensor) and not isinstance(other, Tensor):
        if isinstance(self, dtypes.NUMBERS) and isinstance(other, dtypes.NUMBERS):
            return wrap(np.asarray(self, dtypes.of_number(self)))
        raise argument_must_be(name, "input", 0, self)
    if not isinstance(self, (Tensor, *dtypes.NUMBERS)):
        raise argument_must_be(name, "input", 0, self)
    return self


def as_tensors(self, other, name, alpha=1):
    """A tensor and a tensor or number as two tensors; `alpha` is checked in passing."""
    if not isinstance(alpha, dtypes.NUMBERS):
        raise TypeError(f"{name}(): argument 'alpha' must be Number, not {type(alpha).__name__}")
    self = as_first(self, other, name)
    kind = dtypes.result_dtype(*[v._array if isinstance(v, Tensor) else v for v in (self, other)
                                 if isinstance(v, (Tensor, *dtypes.NUMBERS))]).kind
    if isinstance(alpha, float) and kind != "f":
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(alpha, bool) and kind != "b":
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    return as_tensor(self, other, name), as_tensor(other, self, name)


def as_tensor(value, beside, name):
    """A number becomes a tensor of the dtype that it has beside the other operand."""
    if isinstance(value, Tensor):
        return value
    if not isinstance(value, dtypes.NUMBERS):
        raise argument_must_be(name, "other", 1, value)
    kind = dtypes.promote_number(beside._array.dtype, value)
    return wrap(dtypes.number_array(value, kind))


def _alike(*arrays):
    """Arrays in their common dtype."""
    common = dtypes.result_dtype(*arrays)
    return [a.astype(common, copy=False) for a in arrays]


# --- operators --------------------------------------------------------------------------------------------------------

def or_not_implemented(function):
    """An operator's form of a function: of a strange operand it says NotImplemented, and Python asks the other one."""
    def operator(self, other):
        if not isinstance(other, (Tensor, *dtypes.NUMBERS)):
            return NotImplemented
        return function(self, other)
    return operator


def _reflected_div(self, other):
    return reciprocal(self) * other         # as PyTorch computes it


subtract, multiply, divide, true_divide, negative = sub, mul, div, div, neg
subtract_, multiply_, divide_, true_divide_ = sub_, mul_, div_, div_

METHODS = "add sub mul div pow neg negative positive square float_power subtract multiply divide true_divide"
METHODS_ONLY = "add_ sub_ mul_ div_ pow_ square_ float_power_ subtract_ multiply_ divide_ true_divide_"
FUNCTIONS_ONLY = "rsub"
IN_PLACE = "neg negative"
OPERATORS = {
    "__add__": _add, "__radd__": _add, "__sub__": _sub, "__rsub__": or_not_implemented(rsub),
    "__mul__": _mul, "__rmul__": _mul, "__truediv__": _div, "__rtruediv__": _reflected_div,
    "__pow__": or_not_implemented(pow), "__rpow__": or_not_implemented(lambda self, other: pow(other, self)),
    "__neg__": neg, "__pos__": positive,
    "__iadd__": _write_add, "__isub__": _write_sub, "__imul__": _write_mul, "__itruediv__": _write_div,
    "__ipow__": or_not_implemented(pow_)}

from . import division      # noqa: E402   it divides by these operations' means, and they round by its
