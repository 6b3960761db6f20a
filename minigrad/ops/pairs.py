"""Functions of two numbers: maximum, atan2, hypot, logaddexp, xlogy and their relatives."""
from __future__ import annotations

import math

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable, shared
from ..autograd.inplace import in_place
from ..memory import by_rows, elementwise_layout
from ..messages import (
    RESIZED,
    argument_must_be,
    counts_arguments,
    invalid_combination,
    not_implemented_for,
)
from ..tensor import Tensor
from ..warn import warn
from . import rounding
from .comparison import isnan, logical_and, logical_not, logical_or, where
from .elementwise import exp, floating, reciprocal, zeros_like
from .operands import float_only, not_differentiable
from .powers import pow

GRADIENT_FIRST = True       # see Operation.gradient_first


@differentiable("MaskedFillBackward0", self=lambda grad, mask: masked_zero(grad, mask), mask=None)
def masked_zero(self, mask):
    """0 where the mask holds: in formulas, as PyTorch's record it."""
    return np.where(mask, np.zeros((), self.dtype), self)


# --- the larger and the smaller -----------------------------------------------------------------------------

def _shared_at_ties(grad, self, other):
    return where(self == other, grad / 2, grad)


@differentiable("MaximumBackward0",
                self=lambda grad, self, other: masked_zero(_shared_at_ties(grad, self, other), self < other),
                other=lambda grad, self, other: masked_zero(_shared_at_ties(grad, self, other), self > other))
def _maximum(self, other):
    """The larger of each two numbers, nan if one is; equal ones share the gradient."""
    return np.maximum(self, other)


@differentiable("MinimumBackward0",
                self=lambda grad, self, other: masked_zero(_shared_at_ties(grad, self, other), self > other),
                other=lambda grad, self, other: masked_zero(_shared_at_ties(grad, self, other), self < other))
def _minimum(self, other):
    """The smaller of each two numbers, nan if one is; equal ones share the gradient."""
    return np.minimum(self, other)


def _first_wins(compare):
    return lambda self, other: logical_or(compare(self, other), isnan(other))


_first_larger, _first_smaller = _first_wins(lambda a, b: a >= b), _first_wins(lambda a, b: a <= b)


@differentiable("FmaxBackward0",
                self=lambda grad, self, other: masked_zero(grad, logical_not(_first_larger(self, other))),
                other=lambda grad, self, other: masked_zero(grad, _first_larger(self, other)))
def _fmax(self, other):
    """The larger of each two numbers, of which nan is none; of equal ones the first gets the gradient."""
    return np.fmax(self, other)


@differentiable("FminBackward0",
                self=lambda grad, self, other: masked_zero(grad, logical_not(_first_smaller(self, other))),
                other=lambda grad, self, other: masked_zero(grad, _first_smaller(self, other)))
def _fmin(self, other):
    """The smaller of each two numbers, of which nan is none; of equal ones the first gets the gradient."""
    return np.fmin(self, other)


# --- angles, signs, logarithms ------------------------------------------------------------------------------

@shared
def _inverse_square(self, other):
    return masked_zero(reciprocal(self * self + other * other), logical_and(self == 0, other == 0))


@differentiable("Atan2Backward0",
                self=lambda grad, self, other: grad * other * _inverse_square(self, other),
                other=lambda grad, self, other: grad * -self * _inverse_square(self, other))
def _atan2(self, other):
    """The angle in [-pi, pi] of the point (other, self), seen from the origin."""
    return rounding.arctan2(floating(self), floating(other))


@differentiable("HypotBackward0",
                self=lambda grad, self, result: grad * self / result,
                other=lambda grad, other, result: grad * other / result)
def _hypot(self, other):
    """sqrt(self ** 2 + other ** 2)."""
    float_only(self, "hypot_cpu")
    return rounding.hypot(self, other)


def _sign_ratio(grad, self, result):
    return grad * masked_zero(result / self, self == 0)


@differentiable("CopysignBackward0", self=_sign_ratio, other=lambda grad: zeros_like(grad))
def _copysign(self, other):
    """The size of self with the sign of other, a tensor or a number."""
    return np.copysign(floating(self), floating(other))


@differentiable("CopysignBackward1", self=_sign_ratio)
def _copysign_number(self, other):
    return np.copysign(*map(floating, dtypes.with_number(self, other)))


@differentiable("NextafterBackward0",
                self=lambda grad, self, other: masked_zero(grad, self == other),
                other=lambda grad: zeros_like(grad))
def _nextafter(self, other):
    """The number next to self, as far as its dtype goes, on the way to `other`."""
    float_only(self, "nextafter_cpu")
    return np.nextafter(self, other)


@differentiable("LogaddexpBackward0",
                self=lambda grad, self, other: grad / (1 + exp(other - self)),
                other=lambda grad, self, other: grad / (1 + exp(self - other)))
def _logaddexp(self, other):
    """log(e ** self + e ** other), without overflow."""
    float_only(self, "logaddexp_cpu")
    return np.logaddexp(self, other)


@differentiable("Logaddexp2Backward0",
                self=lambda grad, self, other: grad / (1 + _two_to(other - self)),
                other=lambda grad, self, other: grad / (1 + _two_to(self - other)))
def _logaddexp2(self, other):
    """log2(2 ** self + 2 ** other), without overflow."""
    float_only(self, "logaddexp2_cpu")
    return np.logaddexp2(self, other)


def _two_to(x):
    return pow(2, x) if isinstance(x, Tensor) else rounding.exp2(x)


def _times_log(a, b):
    return np.where(np.isnan(b), b, np.where(a == 0, np.zeros((), a.dtype), a * rounding.log(b)))


@differentiable("XlogyBackward0",
                self=lambda grad, self, other:
                masked_zero(_xlogy(grad, other), logical_and(self == 0, other <= 0)),
                other=lambda grad, self, other: grad * self / other)
def _xlogy(self, other):
    """self * log(other), and 0 where self is 0."""
    return _times_log(floating(self), floating(other))


@differentiable("XlogyBackward1", other=lambda grad, self, other: grad * self / other)
def _number_xlogy(self, other):
    b, a = dtypes.with_number(other, self)
    return _times_log(floating(a), floating(b))


def _xlogy_gradient(grad, self, other):
    slope = _xlogy_number(grad, other)
    return slope if other > 0 else masked_zero(slope, self == 0)


@differentiable("XlogyBackward2", self=_xlogy_gradient)
def _xlogy_number(self, other):
    return _times_log(*map(floating, dtypes.with_number(self, other)))


@counts_arguments
def xlogy(self, other):
    """self * log(other), and 0 where self is 0."""
    if isinstance(other, Tensor):
        return _xlogy(self, other) if isinstance(self, Tensor) else _number_xlogy(self, other)
    return _xlogy_number(self, other)


def heaviside(self, values):
    """0 below 0, 1 above, and `values` at 0."""
    check_heaviside(self, values)
    return _heaviside(self, values)


def heaviside_(self, values):
    """`heaviside`, written over self."""
    check_heaviside(self, values)
    return _write_heaviside(self, values)


def check_heaviside(self, values):
    if self._array.dtype != values._array.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")


@not_differentiable("heaviside", "self", "values")
def _heaviside(self, values):
    return np.where(self == 0, values, self > 0).astype(self.dtype)


_write_heaviside = in_place(not_differentiable("heaviside_", "self", "values")(_heaviside.operation.forward))


@differentiable("LdexpBackward0",
                self=lambda grad, other, result: grad * _two_to(other),
                other=lambda grad, result: grad * result * math.log(2))
def _ldexp(self, other):
    """self * 2 ** other."""
    result = floating(self) * rounding.exp2(floating(other))
    return elementwise_layout(result, self, other) if self.ndim else by_rows(result)


_ldexp.operation.elementwise = False        # it sees to its layout itself


# --- public forms -------------------------------------------------------------------------------------------

def of_two_tensors(name, operation, of_number=None, parameter="other", writing=in_place):
    """The public function of two tensors, and its in-place form.

    of_number: the operation for a number in place of the second; `writing` makes its in-place form.
    """
    write, write_number = in_place(operation), of_number and writing(of_number)

    def choose(name, self, other, of_tensors, of_number):
        if isinstance(other, Tensor) and isinstance(self, Tensor):
            return of_tensors(self, other)
        if of_number is None:
            if not isinstance(self, Tensor):
                raise argument_must_be(name, "input", 0, self)
            raise argument_must_be(name, "other", 1, other)
        if not isinstance(other, dtypes.NUMBERS):
            raise invalid_combination(name, (f"Tensor {parameter}", f"Number {parameter}"), self, other)
        return of_number(self, other)

    @counts_arguments
    def function(self, other):
        return choose(name, self, other, operation, of_number)

    def in_place_form(self, other):
        return choose(f"{name}_", self, other, write, write_number)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = operation.__doc__
    in_place_form.__name__ = in_place_form.__qualname__ = f"{name}_"
    in_place_form.__doc__ = f"`{name}`, written over self."
    return function, in_place_form


maximum, minimum = of_two_tensors("maximum", _maximum)[0], of_two_tensors("minimum", _minimum)[0]
fmax, fmin = of_two_tensors("fmax", _fmax)[0], of_two_tensors("fmin", _fmin)[0]
logaddexp = of_two_tensors("logaddexp", _logaddexp)[0]
logaddexp2 = of_two_tensors("logaddexp2", _logaddexp2)[0]
_of_floats, _write_ldexp = of_two_tensors("ldexp", _ldexp)
atan2, atan2_ = of_two_tensors("atan2", _atan2)
hypot, hypot_ = of_two_tensors("hypot", _hypot)
nextafter, nextafter_ = of_two_tensors("nextafter", _nextafter)
copysign, copysign_ = of_two_tensors("copysign", _copysign, _copysign_number)
_, xlogy_ = of_two_tensors("xlogy", _xlogy, _xlogy_number)
arctan2, arctan2_ = atan2, atan2_


@counts_arguments
def ldexp(self, other):
    """self * 2 ** other, broadcast."""
    result = _of_floats(self, other)
    if takes_apart(self, other):
        if self._array.size and result._array.shape != self._array.shape:
            warn(RESIZED.format(list(self._array.shape), list(result._array.shape)))    # made for self alone
        refuse_bool(other)
    return result


def ldexp_(self, other):
    """`ldexp`, written over self."""
    if self._array.dtype.kind != "f":
        raise RuntimeError("ldexp can't be cast to the desired output type "
                           f"{dtypes.short_name(self._array.dtype)}")
    if isinstance(other, Tensor) and takes_apart(self, other):
        refuse_bool(other)
    return _write_ldexp(self, other)


def takes_apart(self, other):
    """Whether the exponents are whole numbers, for which PyTorch has a kernel of its own."""
    return self._array.dtype.kind == "f" and other._array.dtype.kind != "f"


def refuse_bool(other):
    if other._array.dtype.kind == "b":
        raise not_implemented_for("ldexp_cpu_exp", other._array.dtype)


# What PyTorch's formulas of these read first is what they saved.
for _function in _maximum, _minimum, _xlogy:
    _function.operation.gradient_first = False

METHODS = ("maximum minimum fmax fmin atan2 arctan2 hypot copysign logaddexp logaddexp2 xlogy heaviside "
           "ldexp nextafter")
METHODS_ONLY = "nextafter_ atan2_ arctan2_ hypot_ copysign_ xlogy_ heaviside_ ldexp_"
