"""How uniform numbers become normal ones, with the last bit as PyTorch has it.

The Box-Muller transform takes two uniform numbers `u`, `v` and returns two independent normal ones,

    sqrt(-2 log u) * cos(2 pi v)    and    sqrt(-2 log u) * sin(2 pi v).

On paper that is one line. On a machine a logarithm or a cosine is itself a formula, and two correct ones may
differ in the last digit. To print what PyTorch prints, this module uses the formulas PyTorch's processor code
uses: for float32 the short polynomials of the Cephes library, in which a product and a sum are rounded
together (a "fused multiply-add"); for float64 the mathematics library of the operating system.

The float32 logarithm, sine and cosine were compared with PyTorch 2.13 (the code it runs on any x86 processor
that has AVX2) on all of the 2**24 numbers a float32 draw can give: none differs.
"""

import math

import numpy as np

_BLOCK = 16  # Eight pairs: what one AVX2 instruction works on.
_CHUNK = 4096  # Blocks worked on together, so that temporary arrays stay in the processor's cache.


# --- normal numbers from uniform ones -----------------------------------------------------------------------

def transform_blocks(uniform, mean, std):
    """Normal numbers from uniform ones, in blocks of sixteen.

    Args:
        uniform: array (16 * k,), float32 or float64, values in [0, 1). In each block the first eight numbers
            are the `u` and the last eight the `v` of the transform.
        mean, std: Python floats.

    Returns:
        array (16 * k,) of the same dtype: in each block eight cosine parts, then eight sine parts.
    """
    scale = _fused_float32 if uniform.dtype == np.float32 else fused_multiply_add
    polar = _polar_float32 if uniform.dtype == np.float32 else _polar_float64
    blocks = uniform.reshape(-1, 2, _BLOCK // 2)
    result = np.empty_like(blocks)
    for start in range(0, len(blocks), _CHUNK):
        part = slice(start, start + _CHUNK)
        # 1 - u instead of u: a draw may be 0, whose logarithm is -inf, but is never 1.
        radius, cosine, sine = polar(1 - blocks[part, 0], blocks[part, 1])
        result[part, 0] = scale(radius * cosine, std, mean)
        result[part, 1] = scale(radius * sine, std, mean)
    return result.reshape(-1)


def pair(uniform_angle, uniform_radius):
    """Two independent standard normal numbers from two uniform Python floats in [0, 1)."""
    radius = math.sqrt(-2.0 * math.log1p(-uniform_radius))
    angle = 2.0 * math.pi * uniform_angle
    return radius * math.cos(angle), radius * math.sin(angle)


def _polar_float32(u, v):
    sine, cosine = _sincos_float32(np.float32(2 * math.pi) * v)
    return np.sqrt(np.float32(-2) * _log_float32(u)), cosine, sine


def _polar_float64(u, v):
    # math's functions, because NumPy's may come from another library and differ in the last bit.
    angle = (2 * math.pi) * v
    return np.sqrt(-2 * apply(math.log, u)), apply(math.cos, angle), apply(math.sin, angle)


def apply(function, array):
    """`function` of every element: a float64 array of the same shape."""
    return np.fromiter(map(function, array.ravel().tolist()), np.float64, array.size).reshape(array.shape)


# --- multiply and add with a single rounding ----------------------------------------------------------------

def fused_multiply_add(factor, times, plus):
    """`factor * times + plus`, rounded once, as the processor's fused instruction does.

    Args:
        factor: array, float32 or float64; the result has its shape and dtype.
        times, plus: numbers, or arrays that broadcast to `factor`; rounded to its dtype first.

    For float64 this is the algorithm of Boldo and Melquiond ("Emulation of FMA and correctly rounded sums:
    proved algorithms using rounding to odd", 2008): keep the product and the sums as a rounded value plus its
    exact error, and let the error take part in the last rounding. Infinities go the ordinary way.
    """
    if factor.dtype == np.float32:
        return _fused_float32(factor, times, plus)
    times, plus = np.float64(times), np.float64(plus)
    with np.errstate(all="ignore"):
        ordinary = factor * times + plus
        if np.all(plus == 0):  # nothing to fuse: adding nothing rounds nothing
            return ordinary
        high, low = _exact_product(factor, times)
        middle, tail = _exact_sum(plus, low)
        head, rest = _exact_sum(high, middle)
        fused = head + _sum_rounded_to_odd(tail, rest)
        return np.where(np.isfinite(fused), fused, ordinary)


def _fused_float32(factor, times, plus):
    """The same for float32, where it is easier: a float64 holds a product of two float32 numbers exactly."""
    with np.errstate(all="ignore"):
        product = factor * np.float64(np.float32(times))
        plus = np.float64(np.float32(plus))
        ordinary = product + plus
        if np.all(plus == 0):
            return ordinary.astype(np.float32)
        odd = _sum_rounded_to_odd(product, plus)
        return np.where(np.isfinite(odd), odd, ordinary).astype(np.float32)


def _exact_sum(a, b):
    """The rounded sum of two float64 arrays, and what the rounding lost (Knuth's TwoSum)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _exact_product(a, b):
    """The rounded product of two float64 arrays, and what the rounding lost (Dekker's and Veltkamp's)."""
    product = a * b
    a_high, b_high = ((x * 134217729.0) - (x * 134217729.0 - x) for x in (a, b))  # 2**27 + 1: the upper half
    a_low, b_low = a - a_high, b - b_high
    return product, a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low)


def _sum_rounded_to_odd(a, b):
    """The sum of two float64 arrays; an inexact one becomes the neighbour whose last bit is 1.

    Rounding that result again, to fewer bits, then gives what rounding the exact sum once would have given.
    """
    total, lost = _exact_sum(a, b)
    is_even = np.ascontiguousarray(total).view(np.int64) & 1 == 0
    return np.where((lost != 0) & is_even, np.nextafter(total, np.copysign(np.inf, lost)), total)


# --- logarithm, sine and cosine in float32: the formulas of the Cephes mathematical library (S. L. Moshier) -

def _float32_constants(*values):
    # As float64, which holds them exactly: float32 array times float64 number is an exact product.
    return tuple(np.float64(np.float32(value)) for value in values)


_LOG = _float32_constants(
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
    -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)
_LOG_2_LOW, _LOG_2_HIGH = _float32_constants(-2.12194440e-4, 0.693359375)  # their sum is log 2
_SIN = _float32_constants(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COS = _float32_constants(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
_MINUS_QUARTER_PI = _float32_constants(-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8)
_HALF, _ONE = np.float32(0.5), np.float32(1)


def _multiply_add(factor, times, plus):
    """`factor * times + plus` rounded once, where at least one factor is float64.

    In principle this sum is rounded twice, to float64 and to float32; on none of the 2**24 arguments that
    occur does that show, and it is several times faster than `fused_multiply_add`.
    """
    return (factor * times + plus).astype(np.float32)


def _log_float32(x):
    """log x for 0 < x <= 1: x = 2**e * (1 + t), 1 + t from sqrt(1/2) to sqrt(2), and a polynomial in t."""
    mantissa, exponent = np.frexp(x)
    is_small = mantissa < np.float32(0.707106781186547524)
    exponent = (exponent - is_small).astype(np.float64)
    t = np.where(is_small, mantissa + mantissa, mantissa) - _ONE
    wide, square = t.astype(np.float64), t * t
    y = _multiply_add(wide, _LOG[0], _LOG[1])
    for coefficient in _LOG[2:]:
        y = _multiply_add(wide, y, coefficient)
    y = _multiply_add((y * t).astype(np.float64), square, (exponent * _LOG_2_LOW).astype(np.float32))
    y = _multiply_add(square, np.float64(-0.5), y)
    return _multiply_add(exponent, _LOG_2_HIGH, t + y)


def _sincos_float32(x):
    """sin x and cos x for 0 <= x <= 2 pi, from two polynomials between -pi/4 and pi/4."""
    octant = (x * np.float32(1.27323954473516)).astype(np.int32) + 1 & ~1  # x / (pi/4), up to an even number
    wide = octant.astype(np.float64)
    for part in _MINUS_QUARTER_PI:  # pi/4 in three pieces: a single float32 would lose too much
        x = _multiply_add(wide, part, x)
    square = x * x
    wide = square.astype(np.float64)

    cosine = _multiply_add(wide, _COS[0], _COS[1])
    cosine = _multiply_add(wide, cosine, _COS[2]) * square
    cosine = _multiply_add(wide, cosine, -(square * _HALF)) + _ONE

    sine = _multiply_add(wide, _SIN[0], _SIN[1])
    sine = _multiply_add(wide, sine, _SIN[2]) * square
    sine = _multiply_add(sine.astype(np.float64), x, x)

    # Turning by a quarter swaps the two, and half of the circle is negative.
    is_swapped = octant & 2 != 0
    sine, cosine = np.where(is_swapped, cosine, sine), np.where(is_swapped, sine, cosine)
    return np.where(octant & 4 != 0, -sine, sine), np.where(octant + 2 & 4 != 0, -cosine, cosine)
