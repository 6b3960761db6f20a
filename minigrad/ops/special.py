"""Functions that are defined by integrals: erf and its inverse, the logarithm of the gamma function.

NumPy has none of them.  erf follows W. J. Cody's rational approximations (Math. Comp. 23, 1969), accurate to
the last digits of float64; the others are series, carried far enough for the same.
"""
from __future__ import annotations

import math

import numpy as np

from ..autograd.differentiable import differentiable
from . import powers
from .comparison import where
from .either import dtype_of
from .elementwise import abs, exp, floating

GRADIENT_FIRST = True       # see Operation.gradient_first

# --- erf ----------------------------------------------------------------------------------------------------

# Coefficients of numerators and denominators, highest power first.
NEAR = ((1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2, 3.77485237685302021e2,
         3.20937758913846947e3),
        (1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3))
MIDDLE = ((2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1,
           2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3,
           1.23033935479799725e3),
          (1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
           3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3))
FAR = ((1.63153871373020978e-2, 3.05326634961232344e-1, 3.60344899949804439e-1, 1.25781726111229246e-1,
        1.60837851487422766e-2, 6.58749161529837803e-4),
       (1.0, 2.56852019228982242, 1.87295284992346725, 5.27905102951428412e-1, 6.05183413124413191e-2,
        2.33520497626869185e-3))


def ratio(coefficients, x):
    top, bottom = coefficients
    return np.polyval(top, x) / np.polyval(bottom, x)


def erfc_of_positive(x):
    """1 - erf(x) for x > 0.46875, in float64."""
    result = np.where(x <= 4, ratio(MIDDLE, np.minimum(x, 4)), 0)
    far = x > 4
    if far.any():
        square = 1 / (x * x)
        result = np.where(far, (1 / math.sqrt(math.pi) - square * ratio(FAR, square)) / x, result)
    # e ** -x*x in two factors, for x*x is not exact
    coarse = np.trunc(x * 16) / 16
    return np.exp(-coarse * coarse) * np.exp(-(x - coarse) * (x + coarse)) * result


def erf_array(x):
    """erf of an array of floats, in their dtype."""
    wide = np.asarray(x, np.float64)
    size = np.abs(wide)
    near = size <= 0.46875
    result = np.where(near, wide * ratio(NEAR, np.where(near, size * size, 0)), 0)
    if not near.all():
        result = np.where(near, result, np.sign(wide) * (1 - erfc_of_positive(np.clip(size, 0.46875, 27))))
    return np.where(np.isnan(wide), wide, result).astype(x.dtype)


def erfc_array(x):
    wide = np.asarray(x, np.float64)
    size = np.abs(wide)
    tail = erfc_of_positive(np.clip(size, 0.46875, 27))
    result = np.where(size <= 0.46875, 1 - erf_array(wide), np.where(wide > 0, tail, 2 - tail))
    return np.where(np.isnan(wide), wide, result).astype(x.dtype)


TWO_OVER_ROOT_PI, HALF_ROOT_PI = 2 / math.sqrt(math.pi), 0.5 * math.sqrt(math.pi)


@differentiable("ErfBackward0", self=lambda grad, self: TWO_OVER_ROOT_PI * exp(-powers.pow(self, 2)) * grad)
def erf(self):
    """The error function: 2 / sqrt(pi) times the integral of e ** -t*t from 0 to self."""
    return erf_array(floating(self))


@differentiable("ErfcBackward0", self=lambda grad, self: -TWO_OVER_ROOT_PI * exp(-powers.pow(self, 2)) * grad)
def erfc(self):
    """1 - erf(self), exact where that is small."""
    return erfc_array(floating(self))


@differentiable("ErfinvBackward0",
                self=lambda grad, self: HALF_ROOT_PI * exp(powers.pow(erfinv(self), 2)) * grad)
def erfinv(self):
    """The number whose erf is self: nan outside [-1, 1], infinite at the ends."""
    x = floating(self)
    wide = np.asarray(x, np.float64)
    inside = np.where(np.abs(wide) < 1, wide, 0)
    # a start within 0.005 (Winitzki), then Halley's steps; near the ends on erfc, which has the digits there
    w = np.log1p(-inside * inside)
    term = 2 / (math.pi * 0.147) + w / 2
    y = np.sqrt(np.sqrt(term * term - w / 0.147) - term)
    size = np.abs(inside)
    for _ in range(4):
        error = np.where(size < 0.5, erf_array(y) - size, (1 - size) - erfc_array(y))
        step = error / (TWO_OVER_ROOT_PI * np.exp(-y * y))
        y = y - step / (1 + y * step)
    y = np.copysign(y, inside)
    y = np.where(np.abs(wide) == 1, wide * np.inf, np.where(np.abs(wide) > 1, np.nan, y))
    return np.where(np.isnan(wide), wide, y).astype(x.dtype)


# --- Bessel functions ---------------------------------------------------------------------------------------

# Halves of a circle in equal steps: their means are the integrals to the last digit, as the functions are
# periodic.
ANGLES = (np.arange(256) + 0.5) * math.pi / 256


def bessel(x, order):
    """The modified Bessel function of the first kind, of order 0 or 1: an integral over half a circle."""
    wide, swing = np.asarray(floating(x), np.float64)[..., None], np.cos(ANGLES)
    result = swing * np.sinh(wide * swing) if order else np.cosh(wide * swing)
    return result.mean(-1).astype(floating(x).dtype)


@differentiable("I0Backward0", self=lambda grad, self: grad * _i1(self))
def i0(self):
    """The modified Bessel function of the first kind of order 0."""
    return bessel(self, 0)


def _i1_slope(grad, self, result):
    tiny = abs(self) <= np.finfo(dtype_of(self)).eps
    safe = where(tiny, 1.0, self)
    return where(tiny, 0.5, i0(safe) - result / safe) * grad


@differentiable("SpecialI1Backward0", self=_i1_slope)
def _i1(self):
    """Of order 1: the derivative of ``i0``."""
    return bessel(self, 1)


# --- the gamma function -------------------------------------------------------------------------------------

def _lgamma_of(x):
    if x != x or math.isinf(x):
        return math.fabs(x)
    return math.inf if x <= 0 and x == math.floor(x) else math.lgamma(x)


_lgamma_each = np.frompyfunc(_lgamma_of, 1, 1)


@differentiable("LgammaBackward0", self=lambda grad, self: grad * digamma(self))
def lgamma(self):
    """The logarithm of the absolute value of the gamma function."""
    x = floating(self)
    return np.asarray(_lgamma_each(x.astype(np.float64)), np.float64).astype(x.dtype)


@differentiable("DigammaBackward0", self=lambda grad, self: grad * polygamma(1, self))
def digamma(self):
    """The derivative of ``lgamma``."""
    x = floating(self)
    return _digamma_array(np.asarray(x, np.float64)).astype(x.dtype)


# Bernoulli's numbers B2, B4, ...: the coefficients of the series for large arguments.
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798)


def _digamma_array(x):
    result = np.zeros_like(x)
    negative = x < 0
    y = np.where(negative, 1 - x, x)
    while (small := y < 10).any():              # digamma(y) = digamma(y + 1) - 1 / y
        result -= np.where(small, 1 / y, 0)
        y = y + small
    result += np.log(y) - 0.5 / y
    power = square = 1 / (y * y)
    for k, b in enumerate(BERNOULLI, 1):
        result -= b / (2 * k) * power
        power = power * square
    whole = np.rint(x)
    # digamma(x) = digamma(1 - x) - pi / tan(pi x)
    mirrored = result - math.pi / np.tan(math.pi * (x - whole))
    result = np.where(negative, np.where(x == whole, np.nan, mirrored), result)
    return np.where(x == 0, np.copysign(np.inf, -x), np.where(np.isinf(x) & negative, np.nan, result))


@differentiable("PolygammaBackward0", self=lambda grad, n, self: grad * polygamma(n + 1, self))
def _polygamma(self, n):
    x = floating(self)
    wide = np.asarray(x, np.float64)
    if n == 0:
        return _digamma_array(wide).astype(x.dtype)
    if n == 1:
        return _trigamma_array(x)
    return ((-1) ** (n + 1) * math.factorial(n) * _zeta(n + 1, wide)).astype(x.dtype)


def _trigamma_array(x):
    """The derivative of digamma in the dtype of x: six steps up, then three terms of the series, no more."""
    # trigamma(x) = (pi / sin(pi x)) ** 2 - trigamma(1 - x), with a sine that is not 0 at the poles
    pi, low = x.dtype.type(math.pi), x < 0.5
    y, result = np.where(low, 1 - x, x), np.where(low, -(pi * pi) / np.sin(pi * x) ** 2, 0).astype(x.dtype)
    for _ in range(6):
        result, y = result + 1 / (y * y), y + 1
    square = 1 / (y * y)
    result = result + (1 + 1 / (2 * y) + square * (1 / 6 - square * (1 / 30 - square * (1 / 42)))) / y
    return np.where(low, -result, result).astype(x.dtype)


def _zeta(s, x):
    """The sum of (x + k) ** -s over k = 0, 1, ..., by Euler and Maclaurin's formula."""
    result, y = np.zeros_like(x), np.maximum(x, -1000)
    while (low := y <= 0).any():
        result = result + np.where(low, y ** -float(s), 0)
        y = y + low
    for _ in range(12):
        result = result + y ** -float(s)
        y = y + 1
    result = result + y ** (1.0 - s) / (s - 1) + 0.5 * y ** -float(s)
    term, power = float(s), y ** (-s - 1.0)
    for k, b in enumerate(BERNOULLI, 1):
        result = result + b / math.factorial(2 * k) * term * power
        term *= (s + 2 * k - 1) * (s + 2 * k)
        power = power / (y * y)
    return np.where(x > -1000, result, np.nan)


def polygamma(n, self):
    """The derivative number `n` of ``digamma``."""
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    return _polygamma(self, n)


def _polygamma_method(self, n):
    """The derivative number `n` of ``digamma``."""
    return polygamma(n, self)


# What PyTorch's formulas of these read first is what they saved.
for _function in erf, erfc:
    _function.operation.gradient_first = False

METHODS = IN_PLACE = "erf erfc erfinv lgamma digamma i0"
FUNCTIONS_ONLY = "polygamma"
OPERATORS = {"polygamma": _polygamma_method}
