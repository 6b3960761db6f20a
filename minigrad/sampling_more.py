"""Rarer distributions, drawn as PyTorch draws them: log-normal, Cauchy, geometric, Poisson.

All draw in float64, number by number, whatever the dtype.
"""
from __future__ import annotations

import math

import numpy as np

from . import box_muller, dtypes
from .generator import default_generator
from .messages import not_implemented_for


def log_normal(shape, dtype, mean, std, generator=None):
    """The exponential of normal numbers: `log_normal_`."""
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    float_only(dtype, "log_normal_cpu")
    normals = np.array((generator or default_generator).normals_one_by_one(math.prod(shape)), np.float64)
    return filled(box_muller.apply(math.exp, normals * std + mean), shape, dtype)


def cauchy(shape, dtype, median, sigma, generator=None):
    """The tangent of an even angle: `cauchy_`."""
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    if dtype.kind != "f":
        raise RuntimeError("Cauchy distribution is a continuous probability distribution. dtype must be a "
                           f"floating point but you specified {dtypes.cpp_name(dtype)}")
    draws = (generator or default_generator).uniform64(math.prod(shape))
    return filled(median + sigma * box_muller.apply(math.tan, math.pi * (draws - 0.5)), shape, dtype)


def geometric(shape, dtype, p, generator=None):
    """The number of attempts up to the first success, each with probability p: `geometric_`."""
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    draws = (generator or default_generator).uniform64(math.prod(shape))
    return filled(np.ceil(box_muller.apply(math.log, draws) / math.log1p(-p)), shape, dtype)


def poisson(rates, generator=None):
    """Counts of independent events, `rates` being what is expected: `poisson`."""
    float_only(rates.dtype, "poisson_cpu")
    generator = generator or default_generator
    counts = [count_of_events(float(rate), generator) for rate in rates.reshape(-1)]
    return filled(np.array(counts, np.float64), rates.shape, rates.dtype)


def count_of_events(rate, generator):
    if rate < 0:
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    if rate == 0:
        return 0
    if rate >= 10:
        return transformed_rejection(rate, generator)
    count, product, least = 0, 1.0, math.exp(-rate)         # Knuth: multiply until it is too little
    while True:
        product *= uniform(generator)
        if product <= least:
            return count
        count += 1


def transformed_rejection(rate, generator):
    """Hormann's PTRS (1993) for large rates."""
    root = math.sqrt(rate)
    b = 0.931 + 2.53 * root
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    while True:
        u, v = uniform(generator) - 0.5, uniform(generator)
        left = 0.5 - abs(u)
        k = math.floor((2 * a / left + b) * u + rate + 0.43)
        if left >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2):
            return k
        if k < 0 or left < 0.013 and v > left:
            continue
        if (math.log(v) + math.log(inverse_alpha) - math.log(a / (left * left) + b)
                <= -rate + k * math.log(rate) - math.lgamma(k + 1)):
            return k


def uniform(generator):
    return float(generator.uniform64(1)[0])


def float_only(dtype, kernel):
    if dtype.kind != "f":
        raise not_implemented_for(kernel, dtype)


def filled(values, shape, dtype):
    return values.astype(dtype).reshape(shape)
