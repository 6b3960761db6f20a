"""The few sums that all optimizers are made of, on arrays and in place, rounded as PyTorch rounds them.

PyTorch adds a multiple with the processor's fused instruction: product and sum are rounded together, once.
NumPy has no such instruction, so arrays of up to SMALL elements take the way over more digits; for larger
ones, whose gradients come out of long sums that differ in the last digit anyway, speed counts more.
"""
from __future__ import annotations

import numpy as np

from ..errors import broadcast_error

SMALL = 8192


def add_scaled(target, other, alpha):
    """target += alpha * other."""
    try:
        if alpha == 1:
            target += other
        elif target.size > SMALL:
            target += scaled(other, alpha)
        else:
            add_fused(target, other, target.dtype.type(alpha))
    except ValueError:
        raise refused(target, other) from None


def sum_scaled(one, other, alpha):
    """A new array: one + alpha * other."""
    result = one.copy()
    add_scaled(result, other, alpha)
    return result


def add_fused(target, a, b):
    """target += a * b for an array and a number or array of its dtype, rounded once."""
    if target.dtype.itemsize == 8:
        target[...] = a * b + target
        return
    wide = a.astype(np.float64)     # holds the product of two float32 exactly
    wide *= b
    target[...] = wide + target


def lerp(target, other, weight):
    """target moves towards `other` by this share of the way."""
    try:
        difference = other - target
    except ValueError:
        raise refused(target, other) from None
    if difference.shape != target.shape:
        raise refused(target, difference)
    if weight < 0.5:
        add_scaled(target, difference, weight)
    else:
        one_minus = float(target.dtype.type(1) - target.dtype.type(weight))
        result = other.copy()
        add_scaled(result, difference, -one_minus)
        target[...] = result


def add_product(target, a, b, value):
    """target += value * a * b."""
    product = scaled(a, value)
    try:
        if target.size > SMALL:
            product *= b
            target += product
        else:
            add_fused(target, product, b)
    except ValueError:
        raise refused(target, a, b) from None


def add_quotient(target, a, b, value):
    """target += value * a / b."""
    quotient = scaled(a, value)
    try:
        quotient /= b
        target += quotient
    except ValueError:
        raise refused(target, a, b) from None


def refused(target, *others):
    """The error of a write for which the shapes do not fit: somebody gave a parameter another one."""
    common = target.shape
    for other in others:
        error = broadcast_error(common, other.shape)
        if error:
            return error
        common = np.broadcast_shapes(common, other.shape)
    return RuntimeError(f"output with shape {list(target.shape)} doesn't match the broadcast shape "
                        f"{list(common)}")


_scratch = {}


def scaled(array, factor):
    """factor * array, in memory that the next call uses again if the array is large."""
    number = array.dtype.type(factor)
    if array.size <= SMALL:
        return array * number
    key = array.dtype, array.shape
    out = _scratch.get(key)
    if out is None:
        if len(_scratch) > 16:
            _scratch.clear()
        out = _scratch[key] = np.empty(array.shape, array.dtype)
    return np.multiply(array, number, out=out)
