"""exp, log, sin and their relatives of float32 numbers, rounded once, and products with a sum rounded once.

A float32 function may be off in its last digit, and NumPy's often are: each in its own way, and differently
on other processors.  PyTorch's are nearly always the nearest float32 to the true value.  So here they are
computed with the digits of float64, and rounded at the end: what is printed is what PyTorch prints.
"""
from __future__ import annotations

import numpy as np

from .. import dtypes

FLOAT32, FLOAT64 = dtypes.FLOAT32, dtypes.FLOAT64
LARGE = 1 << 17         # from so many elements on, NumPy's own float32 functions: there, speed counts more


def rounded_once(ufunc):
    """A function of NumPy by way of float64; integers become floats of the default dtype."""
    def function(x):
        if x.dtype is FLOAT32 and x.size <= LARGE:
            return ufunc(x.astype(FLOAT64)).astype(FLOAT32)
        return ufunc(x) if x.dtype.kind == "f" else function(x.astype(dtypes.Default.numpy))
    return function


exp, exp2, expm1 = rounded_once(np.exp), rounded_once(np.exp2), rounded_once(np.expm1)
log, log2, log10, log1p = map(rounded_once, (np.log, np.log2, np.log10, np.log1p))
sin, cos, tan, tanh = map(rounded_once, (np.sin, np.cos, np.tan, np.tanh))
sinh, cosh, arcsin, arccos = map(rounded_once, (np.sinh, np.cosh, np.arcsin, np.arccos))
arctan, arcsinh, arccosh, arctanh = map(rounded_once, (np.arctan, np.arcsinh, np.arccosh, np.arctanh))


def rounded_once_of_two(ufunc):
    """The same for a function of two arrays of one dtype."""
    def function(x, y):
        if x.dtype is not FLOAT32 or x.size > LARGE:
            return ufunc(x, y)
        return ufunc(x.astype(FLOAT64), y).astype(FLOAT32)
    return function


power, arctan2, hypot = map(rounded_once_of_two, (np.power, np.arctan2, np.hypot))


def multiply_add(a, b, c):
    """a * b + c, which the processor's fused instruction rounds once; `a` is an array.

    Only float32 goes the exact way, where a float64 holds the product; for float64 the product is rounded.
    """
    if a.dtype is not FLOAT32:
        return a * b + c
    result = a.astype(FLOAT64)
    result *= b
    result += c
    return result.astype(FLOAT32)


ONE, multiply, subtract = np.ones(()), np.multiply, np.subtract


def one_minus_square(x):
    """1 - x * x with the same single rounding."""
    if x.dtype is not FLOAT32:
        return 1 - x * x
    square = np.asarray(x, FLOAT64)     # a new array
    multiply(square, square, square)
    return subtract(ONE, square, square).astype(FLOAT32)
