"""How random bits become uniform, normal and whole numbers: NumPy arrays, by PyTorch's recipes.

The number of draws matters as much as the numbers made of them: all that is drawn later depends on it.
"""
from __future__ import annotations

import math

import numpy as np

from ..errors import not_implemented_for
from .generator import default_generator


def uniform(shape, dtype, low=0.0, high=1.0, generator=default_generator):
    """Return numbers spread evenly over [low, high).

    Raises:
        RuntimeError: low > high.
        NotImplementedError: the dtype holds integers.
    """
    require_floats(dtype, "check_uniform_bounds")
    if low > high:
        raise RuntimeError("uniform_ expects to return a [from, to) range, but found "
                           f"from={low:g} > to={high:g}")
    values = generator.uniform(math.prod(shape), dtype)
    number = values.dtype.type
    values = values * number(high - low) + number(low)
    values[values >= high] = low        # rounding may have reached `high`
    return values.astype(dtype).reshape(shape)


def normal(shape, dtype, mean=0.0, std=1.0, generator=default_generator):
    """Return normal numbers of this mean and standard deviation.

    Fewer than 16 are made one after another, in float64.  From 16 on they are made in blocks of 16; if some
    remain, the last 16 are drawn again as a block.

    Raises:
        RuntimeError: std < 0.
        NotImplementedError: the dtype holds integers.
    """
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    require_floats(dtype, "normal_kernel_cpu")
    count = math.prod(shape)
    if count < 16:
        values = np.array(generator.normals(count))
    else:
        again = 16 if count % 16 else 0
        draws = generator.uniform(count + again, dtype)
        whole = count // 16 * 16
        blocks = box_muller(np.concatenate([draws[:whole], draws[count:]]))
        values = np.concatenate([blocks[:whole], blocks[:count - whole]])
        values[count - again:] = blocks[whole:]
    return (values * std + mean).astype(dtype).reshape(shape)


def box_muller(uniform):
    """Return normal numbers made of uniform ones, in blocks of 16.

    The first eight of a block are the `u`, the last eight the `v` of the Box-Muller transform::

        sqrt(-2 log(1 - u)) cos(2 pi v),  sqrt(-2 log(1 - u)) sin(2 pi v)
    """
    blocks = uniform.reshape(-1, 2, 8)
    radius = np.sqrt(-2 * np.log1p(-blocks[:, 0]))
    angle = 2 * math.pi * blocks[:, 1]
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).reshape(-1)


def randint(low, high, shape, dtype, generator=default_generator):
    """Return whole numbers from low to high - 1.

    Raises:
        RuntimeError: there are none.
    """
    if low >= high:
        raise RuntimeError("random_ expects 'from' to be less than 'to', but got "
                           f"from={low} >= to={high}")
    count, size = math.prod(shape), high - low
    bits = generator.bits64(count) if size >= 2**28 else generator.bits32(count)
    return ((bits % np.uint64(size)).astype(np.int64) + low).astype(dtype).reshape(shape)


def randperm(n, dtype, generator=default_generator):
    """Return the numbers 0 to n - 1 in random order: each place is swapped with itself or a later one."""
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    order = list(range(n))
    steps = generator.bits32(max(n - 1, 0)) % np.arange(n, 1, -1, dtype=np.uint64)
    for i, step in enumerate(steps.tolist()):
        order[i], order[i + step] = order[i + step], order[i]
    return np.array(order, dtype)


def bernoulli(shape, p, dtype, generator=default_generator):
    """Return 1 with probability p, otherwise 0.  p: a number, or an array that broadcasts to `shape`.

    Raises:
        RuntimeError: p is not in [0, 1].
    """
    is_array = isinstance(p, np.ndarray)
    if is_array:
        require_floats(p.dtype, "bernoulli_tensor_cpu_p_")
        if not np.all((p >= 0) & (p <= 1)):
            raise RuntimeError(
                "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be "
                "improved?  If so, please report an enhancement request to PyTorch.)")
    elif not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    draws = generator.uniform(math.prod(shape), p.dtype if is_array else np.float64)
    return (draws.reshape(shape) < p).astype(dtype)


def require_floats(dtype, kernel):
    if np.dtype(dtype).kind != "f":
        raise not_implemented_for(kernel, np.dtype(dtype))
