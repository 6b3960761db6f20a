"""How random bits become uniform and normal numbers, and zeros and ones, as in PyTorch.

The number of draws matters, too: all that is drawn later depends on it.  A recipe takes
the array to be filled for its shape and dtype.
"""
import math

import numpy as np

from ..errors import not_implemented_for
from .generator import default_generator


def uniform_numbers(self, low, high, generator):
    """Return numbers spread evenly over [low, high)."""
    check_float(self.dtype, "check_uniform_bounds")
    if low > high:
        raise RuntimeError("uniform_ expects to return a [from, to) range, but found "
                           f"from={low:g} > to={high:g}")
    generator = generator or default_generator
    values = generator.uniform(self.size, self.dtype)
    number = values.dtype.type
    values = values * number(high - low) + number(low)
    values[values >= high] = low        # rounding may have reached `high`
    return values.astype(self.dtype).reshape(self.shape)


def normal_numbers(self, mean, std, generator):
    """Return normal numbers with this mean and standard deviation.

    Fewer than 16 are made one after another, in float64.  From 16 on they are made in
    blocks of 16; if some remain, the last 16 are drawn again as a block.
    """
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    check_float(self.dtype, "normal_kernel_cpu")
    generator = generator or default_generator
    count = self.size
    if count < 16:
        values = np.array(generator.normals(count))
    else:
        again = 16 if count % 16 else 0
        draws = generator.uniform(count + again, self.dtype)
        whole = count // 16 * 16
        values = np.concatenate([box_muller(draws[:whole]), draws[whole:count]])
        values[count - again:] = box_muller(draws[count:])
    return (values * std + mean).astype(self.dtype).reshape(self.shape)


def box_muller(uniform):
    """Return normal numbers made of uniform ones by the Box-Muller transform.

        sqrt(-2 log(1 - u)) cos(2 pi v),  sqrt(-2 log(1 - u)) sin(2 pi v)

    It works in blocks of 16: `u` is among the first eight numbers, `v` among the last.
    """
    blocks = uniform.reshape(-1, 2, 8)
    radius = np.sqrt(-2 * np.log1p(-blocks[:, 0]))
    angle = 2 * math.pi * blocks[:, 1]
    pairs = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)
    return pairs.reshape(-1)


def bernoulli_numbers(self, p, generator):
    """Return 1 with probability p, a number or an array of this shape, otherwise 0."""
    p = np.asarray(p, getattr(p, "dtype", np.float64))
    check_float(p.dtype, "bernoulli_tensor_cpu_p_")
    if not np.all((p >= 0) & (p <= 1)):
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p}")
    generator = generator or default_generator
    draws = generator.uniform(self.size, p.dtype)
    return (draws.reshape(self.shape) < p).astype(self.dtype)


def check_float(dtype, kernel):
    """Refuse integers and bools; `kernel` is how PyTorch calls the recipe."""
    if dtype.kind != "f":
        raise not_implemented_for(kernel, dtype)
