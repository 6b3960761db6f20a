"""Functions of one number, applied to every element: exp, log, sin, sqrt, abs, round and their relatives."""
from __future__ import annotations

import math

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from ..autograd.inplace import in_place
from ..memory import copy_in_order, elementwise_layout
from ..messages import whole_number
from ..tensor import Tensor, bump_version, wrap
from . import rounding
from .operands import float_only, not_bool

GRADIENT_FIRST = True       # see Operation.gradient_first


def floating(self):
    """Integers become the default floating-point dtype; floats stay as they are."""
    return self if self.dtype.kind == "f" else self.astype(dtypes.Default.numpy)


# NumPy is slow with Python numbers.
ONE = {dtype: np.ones((), dtype) for dtype in dtypes.BY_NUMPY}


def zeros_like(grad):
    """In formulas: the gradient of a function made of flat pieces."""
    if isinstance(grad, Tensor):
        return wrap(np.zeros_like(grad._array, order="C" if 0 in grad._array.strides else "K"))
    return np.zeros(grad.shape, grad.dtype)


# --- exponentials and logarithms ----------------------------------------------------------------------------

@differentiable("ExpBackward0", self=lambda grad, result: grad * result)
def exp(self):
    """e ** self."""
    return rounding.exp(self)


@differentiable("Exp2Backward0", self=lambda grad, result: grad * result * math.log(2))
def exp2(self):
    """2 ** self."""
    return rounding.exp2(self)


@differentiable("Expm1Backward0", self=lambda grad, result: grad * (result + 1))
def expm1(self):
    """e ** self - 1, exact near 0."""
    return rounding.expm1(self)


@differentiable("LogBackward0", self=lambda grad, self: grad / self)
def log(self):
    """The natural logarithm: nan below 0, -inf at 0."""
    return rounding.log(self)


@differentiable("Log2Backward0", self=lambda grad, self: grad / (self * math.log(2)))
def log2(self):
    """The logarithm to base 2."""
    return rounding.log2(self)


LOG_10 = 2.3025850929940455      # as PyTorch writes it: the double below math.log(10)


@differentiable("Log10Backward0", self=lambda grad, self: grad / (self * LOG_10))
def log10(self):
    """The logarithm to base 10."""
    return rounding.log10(self)


@differentiable("Log1PBackward0", self=lambda grad, self: grad / (self + 1))
def log1p(self):
    """log(1 + self), exact near 0."""
    return rounding.log1p(self)


# --- roots --------------------------------------------------------------------------------------------------

@differentiable("SqrtBackward0", self=lambda grad, result: grad / (2 * result))
def sqrt(self):
    """The square root: nan below 0; its gradient at 0 is inf."""
    return np.sqrt(floating(self))


@differentiable("RsqrtBackward0", self=lambda grad, result: -0.5 * grad * powers.pow(result, 3))
def rsqrt(self):
    """1 / sqrt(self)."""
    return 1 / np.sqrt(floating(self))


@differentiable("ReciprocalBackward0", self=lambda grad, result: -grad * (result * result))
def reciprocal(self):
    """1 / self."""
    return np.reciprocal(floating(self))


# --- trigonometry -------------------------------------------------------------------------------------------

@differentiable("SinBackward0", self=lambda grad, self: grad * cos(self))
def sin(self):
    """The sine, of radians."""
    return rounding.sin(self)


@differentiable("CosBackward0", self=lambda grad, self: grad * -sin(self))
def cos(self):
    """The cosine, of radians."""
    return rounding.cos(self)


@differentiable("TanBackward0", self=lambda grad, result: grad * (1 + powers.pow(result, 2)))
def tan(self):
    """The tangent, of radians."""
    return rounding.tan(self)


@differentiable("AsinBackward0", self=lambda grad, self: grad * rsqrt(-self * self + 1))
def asin(self):
    """The angle in [-pi/2, pi/2] whose sine is self."""
    return rounding.arcsin(self)


@differentiable("AcosBackward0", self=lambda grad, self: grad * -rsqrt(-self * self + 1))
def acos(self):
    """The angle in [0, pi] whose cosine is self."""
    return rounding.arccos(self)


@differentiable("AtanBackward0", self=lambda grad, self: grad / (self * self + 1))
def atan(self):
    """The angle in [-pi/2, pi/2] whose tangent is self."""
    return rounding.arctan(self)


@differentiable("SinhBackward0", self=lambda grad, self: grad * cosh(self))
def sinh(self):
    """(e ** self - e ** -self) / 2."""
    return rounding.sinh(self)


@differentiable("CoshBackward0", self=lambda grad, self: grad * sinh(self))
def cosh(self):
    """(e ** self + e ** -self) / 2."""
    return rounding.cosh(self)


@differentiable("TanhBackward0", self=lambda grad, result: tanh_backward(grad, result))
def tanh(self):
    """sinh(self) / cosh(self), from -1 to 1; its derivative is 1 - tanh(self) ** 2."""
    return rounding.tanh(self)


@differentiable("TanhBackwardBackward0",
                grad_output=lambda grad, output: tanh_backward(grad, output),
                output=lambda grad, grad_output, output: grad * (-2 * output * grad_output))
def tanh_backward(grad_output, output):
    """The gradient of tanh from its result: grad * (1 - tanh(x)**2)."""
    return elementwise_layout(grad_output * rounding.one_minus_square(output), grad_output)


@differentiable("AsinhBackward0", self=lambda grad, self: grad * rsqrt(powers.pow(self, 2) + 1))
def asinh(self):
    """The number whose sinh is self."""
    return rounding.arcsinh(self)


@differentiable("AcoshBackward0", self=lambda grad, self: grad * rsqrt(self * self - 1))
def acosh(self):
    """The number from 0 on whose cosh is self; nan below 1."""
    return rounding.arccosh(self)


@differentiable("AtanhBackward0",
                self=lambda grad, self: grad * 1 / arithmetic.minus(1, powers.pow(self, 2)))
def atanh(self):
    """The number whose tanh is self; nan outside [-1, 1]."""
    return rounding.arctanh(self)


def _sinc_gradient(grad, self):
    # the derivative of sin(pi x) / (pi x), by the quotient rule; 0 at 0
    angle, divisor = self * math.pi, self * self * math.pi
    slope = (angle * cos(angle) - sin(angle)) / divisor
    return comparison.where(divisor == 0.0, 0.0, grad * slope)


@differentiable("SincBackward0", self=_sinc_gradient)
def sinc(self):
    """sin(pi x) / (pi x), and 1 at 0."""
    if self.dtype == np.float16:
        return np.sinc(self.astype(np.float32)).astype(np.float16)
    return np.sinc(floating(self))


@differentiable("Deg2RadBackward0", self=lambda grad: grad * (math.pi / 180))
def deg2rad(self):
    """Degrees to radians."""
    return floating(self) * (math.pi / 180)


@differentiable("Rad2DegBackward0", self=lambda grad: grad * (180 / math.pi))
def rad2deg(self):
    """Radians to degrees."""
    return floating(self) * (180 / math.pi)


# --- size and sign ------------------------------------------------------------------------------------------

@differentiable("AbsBackward0", self=lambda grad, self: grad * sgn(self))
def abs(self):
    """The absolute value; its gradient at 0 is 0."""
    return np.abs(not_bool(self, "abs_cpu"))


@differentiable("SignBackward0", self=lambda grad: zeros_like(grad))
def sign(self):
    """-1, 0 or 1; 0 for nan."""
    return _sign(self)


@differentiable("SgnBackward0", self=lambda grad, self, result: zeros_like(grad))
def sgn(self):
    """The same as ``sign``, for there are no complex numbers here."""
    return _sign(self)


def _sign(self):
    if self.dtype.kind != "f":
        return self.copy() if self.dtype.kind == "b" else np.sign(self)
    result = np.sign(self)
    is_nan = np.isnan(result)
    return np.where(is_nan, np.zeros((), result.dtype), result) if is_nan.any() else result


def signbit(self):
    """Whether each element is below 0, or is -0."""
    array = self._array
    return wrap(np.asarray(np.signbit(array) if array.dtype.kind == "f" else array < 0))


# --- rounding: the gradient is 0 everywhere -----------------------------------------------------------------

@differentiable("FloorBackward0", self=lambda grad: zeros_like(grad))
def floor(self):
    """The largest whole number that is not above self."""
    return np.floor(not_bool(self, "floor_vml_cpu"))


@differentiable("CeilBackward0", self=lambda grad: zeros_like(grad))
def ceil(self):
    """The smallest whole number that is not below self."""
    return np.ceil(not_bool(self, "ceil_vml_cpu"))


@differentiable("TruncBackward0", self=lambda grad: zeros_like(grad))
def trunc(self):
    """Without the digits behind the point."""
    return np.trunc(not_bool(self, "trunc_vml_cpu"))


@differentiable("RoundBackward0", self=lambda grad: zeros_like(grad))
def _round(self):
    return np.rint(self) if self.dtype.kind == "f" else not_bool(self, "round_vml_cpu").copy("K")


@differentiable("RoundBackward1", self=lambda grad: zeros_like(grad))
def _round_decimals(self, decimals):
    float_only(self, "round_cpu" if decimals else "round_vml_cpu")
    scale = self.dtype.type(10.0 ** np.abs(decimals))
    return np.rint(self * scale) / scale if decimals >= 0 else np.rint(self / scale) * scale


def round(self, *, decimals=None):
    """To the nearest whole number, halves to the even one; or to so many digits behind the point."""
    return _round(self) if decimals is None else _round_decimals(self, whole_number(decimals))


_write_round, _write_round_decimals = in_place(_round), in_place(_round_decimals)


def round_(self, *, decimals=None):
    """`round`, written over self."""
    return _write_round(self) if decimals is None else _write_round_decimals(self, whole_number(decimals))


@differentiable("FracBackward0", self=lambda grad: grad)
def frac(self):
    """The digits behind the point, with the sign of self."""
    float_only(self, "frac_cpu")
    return self - np.trunc(self)


# --- the rest -----------------------------------------------------------------------------------------------

@differentiable("NanToNumBackward0", self=lambda grad, self: grad * comparison.isfinite(self))
def _nan_to_num(self, nan, posinf, neginf):
    if self.dtype.kind != "f":
        return self.copy()
    return np.nan_to_num(self, nan=nan, posinf=posinf, neginf=neginf)


def nan_to_num(self, nan=None, posinf=None, neginf=None):
    """Replace nan by `nan`, or 0, and inf and -inf by what is given, or the dtype's largest and smallest."""
    return _nan_to_num(self, 0.0 if nan is None else nan, posinf, neginf)


_write_nan_to_num = in_place(_nan_to_num)


def nan_to_num_(self, nan=None, posinf=None, neginf=None):
    """`nan_to_num`, written over self."""
    if self._array.dtype.kind != "f":       # nothing to replace: PyTorch counts a write, and looks no further
        bump_version(self)
        return self
    return _write_nan_to_num(self, 0.0 if nan is None else nan, posinf, neginf)


@differentiable("CloneBackward0", self=lambda grad: grad)
def _clone(self):
    return copy_in_order(self)


def clone(self, *, memory_format=None):
    """A copy with the same strides; the gradient passes through."""
    if memory_format is None or memory_format.name == "preserve_format":
        return _clone(self)
    return shape._clone_in_format(self, memory_format)


def refusing_in_place(function):
    """PyTorch records these in place, but then has no derivative for them."""
    operation = function.operation

    def formula(grad):
        raise NotImplementedError(
            f"the derivative for 'inplace version of {operation.name}' is not implemented.")
    return in_place(differentiable(operation.node_name.replace("0", "1"), self=formula)(operation.forward))


asinh_, acosh_, atanh_ = refusing_in_place(asinh), refusing_in_place(acosh), refusing_in_place(atanh)
arcsinh_, arccosh_, arctanh_ = asinh_, acosh_, atanh_
absolute, fix, arccos, arcsin, arctan = abs, trunc, acos, asin, atan
arccosh, arcsinh, arctanh = acosh, asinh, atanh

IN_PLACE = ("exp exp2 expm1 log log2 log10 log1p sqrt rsqrt reciprocal sin cos tan asin acos atan sinh cosh "
            "tanh arcsin arccos arctan sinc deg2rad rad2deg abs absolute sign sgn floor ceil trunc fix frac")
METHODS = IN_PLACE + " asinh acosh atanh arcsinh arccosh arctanh round nan_to_num signbit clone"
METHODS_ONLY = "asinh_ acosh_ atanh_ arcsinh_ arccosh_ arctanh_ round_ nan_to_num_"
OPERATORS = {"__abs__": abs}

from . import arithmetic, comparison, powers, shape  # noqa: E402   for the formulas
