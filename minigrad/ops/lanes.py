"""exp, log and log1p of float32 numbers as PyTorch's vector instructions compute them: to the last digit.

PyTorch takes these from the SLEEF library. Its results are not always the float32 nearest to the true value
(of exponentials, one in ten is its neighbour), so to print the same digits its steps are followed here, and
rounded where it rounds. Of many numbers the nearest float32 are taken, for speed.
"""
from __future__ import annotations

import math

import numpy as np

from ..memory import by_rows, memory_order
from . import rounding

FLOAT32, FLOAT64 = rounding.FLOAT32, rounding.FLOAT64
SMALL = 512         # numbers; of more, speed counts more


def shortened(x):
    """With no more digits than a float32 has."""
    return x.astype(FLOAT32).astype(FLOAT64)


def constants(*numbers):
    """float32 numbers as arrays of float64, with which NumPy is quicker than with Python's."""
    return [np.asarray(number, FLOAT32).astype(FLOAT64) for number in numbers]


def in_loop(of_vectors, of_numbers):
    """A function as PyTorch's loops apply it: in vectors of 32 numbers, then to each of the rest alone."""
    def function(x):
        if x.dtype is not FLOAT32 or not 32 <= x.size <= SMALL:
            return of_numbers(x)
        if not x.flags.c_contiguous:            # the loop follows the memory
            axes = memory_order(x.shape, x.strides)
            return by_rows(function(by_rows(x.transpose(axes)))).transpose(np.argsort(axes))
        flat = x.reshape(-1)
        whole = x.size // 32 * 32
        if whole == x.size:
            return of_vectors(x)
        return np.concatenate([of_vectors(flat[:whole]), of_numbers(flat[whole:])]).reshape(x.shape)
    return function


# --- exp ----------------------------------------------------------------------------------------------------

LOG2_E = np.asarray(1 / math.log(2), FLOAT32)
LN2, LN2_REST = constants(0.693145751953125, 1.428606820309417e-06)         # two parts, the first short
LOWEST, HIGHEST = np.asarray(-104, FLOAT32), np.asarray(104, FLOAT32)       # beyond, the result is 0 or inf
EXP_SERIES = constants(0.00019852762, 0.0013930436, 0.00833336077, 0.0416664854, 0.1666666716, 0.5)
ONE, ONE_SHORT, TWO_SHORT = np.ones(()), np.ones((), FLOAT32), np.asarray(2, FLOAT32)


def exp(x):
    if x.dtype is not FLOAT32 or x.size > SMALL:
        return rounding.exp(x)
    x = np.minimum(np.maximum(x, LOWEST), HIGHEST)
    whole = np.rint(x * LOG2_E).astype(FLOAT64)         # x = whole * ln 2 + rest
    rest = shortened(x - whole * LN2 - whole * LN2_REST)
    series, *factors = EXP_SERIES
    for factor in factors:
        series = shortened(series * rest + factor)
    power = shortened(ONE + shortened(shortened(rest * rest) * series + rest))
    return np.ldexp(power, whole.astype(np.int32)).astype(FLOAT32)


# --- log ----------------------------------------------------------------------------------------------------

FOUR_THIRDS = np.asarray(4 / 3, FLOAT32)
LOG_SERIES = constants(0.3027294874, 0.3996108174, 0.6666694880)


def log(x):
    """Of numbers above 0."""
    if x.dtype is not FLOAT32 or x.size > SMALL:
        return rounding.log(x)
    power = np.frexp(x * FOUR_THIRDS)[1] - 1            # x = 2 ** power * (1 + above), above from -1/4 to 1/2
    return log_of_parts(power, np.ldexp(x, -power) - ONE_SHORT)


def log1p(x):
    """Of numbers above -1."""
    if x.dtype is not FLOAT32 or x.size > SMALL:
        return rounding.log1p(x)
    power = np.frexp((x + ONE_SHORT) * FOUR_THIRDS)[1] - 1
    scale = np.ldexp(ONE_SHORT, -power)
    return log_of_parts(power, rounding.multiply_add(x, scale, scale - ONE_SHORT))


def log_of_parts(power, above):
    """log(2 ** power * (1 + above)): power * log 2, and twice the series of artanh(above / (2 + above))."""
    rough = above * (ONE_SHORT / (TWO_SHORT + above))
    square = rough * rough
    series, *factors = LOG_SERIES
    wide = square.astype(FLOAT64)
    for factor in factors:
        series = shortened(series * wide + factor)
    rest = (square * rough) * series.astype(FLOAT32)
    above = above.astype(FLOAT64)
    ratio = above / (above + 2)
    return (power * math.log(2) + (ratio + ratio + rest)).astype(FLOAT32)


exp_in_loop = in_loop(exp, rounding.exp)
