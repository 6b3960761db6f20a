"""PyTorch's random numbers: the same seed gives the same numbers here as there, to the last bit.

A generator hands out random bits; a recipe turns them into uniform, normal or whole numbers. The recipes here
are PyTorch's. How many draws one takes matters as much as what it makes of them: whatever is drawn next
depends on it.

The functions return NumPy arrays; `generator=None` stands for `default_generator`.
"""

import math

import numpy as np

from . import box_muller
from ..dtypes import cpp_name, short_name
from .generator import default_generator
from ..errors import not_implemented_for

_FLOAT_DIGITS = {"float16": 11, "float32": 24, "float64": 53}  # whole numbers are exact up to 2**digits


# --- uniform and normal numbers -----------------------------------------------------------------------------

def uniform(shape, dtype=np.float32, low=0.0, high=1.0, generator=None):
    """Numbers spread evenly over [low, high): `rand`, `uniform_`.

    Args:
        shape: tuple of ints; () gives a 0-d array.
        dtype: float16, float32 or float64. float16 is computed in float32.

    Raises RuntimeError if low > high or a bound does not fit the dtype, NotImplementedError for other dtypes.
    """
    dtype = _floating(dtype, "check_uniform_bounds")
    _check_uniform_bounds(low, high, dtype)
    generator, count = generator or default_generator, math.prod(shape)
    values = generator.uniform64(count) if dtype == np.float64 else generator.uniform32(count)
    low, high = values.dtype.type(low), values.dtype.type(high)
    if low != 0 or high != 1:
        values = box_muller.fused_multiply_add(values, high - low, low)
    values = values.astype(dtype)
    # Rounding may reach `high`, which does not belong to the range.
    values[values >= high.astype(dtype)] = low
    return values.reshape(shape)


def normal(shape, dtype=np.float32, mean=0.0, std=1.0, generator=None, is_contiguous=True):
    """Numbers from the bell curve: `randn`, `normal_`.

    Fewer than 16 numbers are drawn in float64, pair by pair, whatever the dtype. From 16 on the numbers are
    drawn in blocks of 16 in their own dtype (float16 in float32); if the count is no multiple of 16, the last
    16 numbers are drawn once more, as a block of their own (in float16 the incomplete block is never drawn).
    is_contiguous=False says that the tensor to be filled has gaps or a transposed layout: it always takes the
    first recipe.

    Raises RuntimeError if std < 0, NotImplementedError for dtypes that are not floating point.
    """
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    generator, count = generator or default_generator, math.prod(shape)
    if count == 0:
        return np.empty(shape, dtype)
    dtype = _floating(dtype, "normal_kernel_cpu")
    if count < 16 or not is_contiguous:
        values = box_muller.fused_multiply_add(np.array(generator.normals_one_by_one(count)), std, mean)
    else:
        draw = generator.uniform64 if dtype == np.float64 else generator.uniform32
        whole, again = count // 16 * 16, 16 if count % 16 else 0
        draws = draw((whole if dtype == np.float16 else count) + again)
        blocks = np.concatenate([draws[:whole], draws[len(draws) - again:]])
        blocks = box_muller.transform_blocks(blocks, mean, std)
        values = np.empty(count, draws.dtype)
        values[:whole] = blocks[:whole]
        values[count - again:] = blocks[whole:]
    return _narrowed(values, dtype).reshape(shape)


def _narrowed(values, dtype):
    with np.errstate(over="ignore"):
        if dtype == np.float16:
            values = values.astype(np.float32)  # PyTorch makes a float16 of a float32 only: two roundings
        return values.astype(dtype)


def _floating(dtype, kernel):
    dtype = np.dtype(dtype)
    if dtype.kind != "f":
        raise not_implemented_for(kernel, dtype)
    return dtype


def _check_uniform_bounds(low, high, dtype):
    largest = float(np.finfo(dtype).max)
    for name, bound in ("from", low), ("to", high):
        if not -largest <= bound <= largest:
            raise RuntimeError(f"{name} is out of bounds for {cpp_name(dtype)}")
    if low > high:
        raise RuntimeError("uniform_ expects to return a [from, to) range, but found "
                           f"from={low:g} > to={high:g}")
    if high - low > largest:
        limit = f"std::numeric_limits<{short_name(dtype)}>::max()"
        raise RuntimeError(f"uniform_ expects to-from <= {limit}, but found to={high:g} and from={low:g} "
                           "which result in to-from to exceed the limit")


# --- whole numbers, orders and choices ----------------------------------------------------------------------

def randint(low, high, shape, dtype=np.int64, generator=None):
    """Whole numbers from low to high - 1; with high=None, to the largest the dtype counts to.

    `torch.randint(low, high, shape)`, `x.random_(low, high)`. One draw each, two if the range has 2**28
    numbers or more. Raises RuntimeError if the range is empty or does not fit the dtype.
    """
    dtype = np.dtype(dtype)
    low, high = _check_range(low, high, dtype)
    generator, count = generator or default_generator, math.prod(shape)
    size = high - low
    bits = generator.bits64(count) if size >= 2**28 else generator.bits32(count)
    if size < 2**64:
        bits = bits % np.uint64(size) + np.uint64(low % 2**64)  # wraps around to negative numbers
    return _cast_integers(bits.view(np.int64), dtype).reshape(shape)


def randperm(n, dtype=np.int64, generator=None):
    """The numbers 0 to n - 1 in random order: an array (n,)."""
    dtype = np.dtype(dtype)
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    if dtype == np.bool_:
        raise not_implemented_for("randperm", dtype)
    if dtype.kind == "f" and n > _largest(dtype) + 1:
        limit = "2049" if dtype == np.float16 else f"2^{_FLOAT_DIGITS[dtype.name]}+1"
        raise RuntimeError(f"n cannot be greater than {limit} for {short_name(dtype)} type.")
    if dtype.kind != "f" and n - 1 > _largest(dtype):
        raise RuntimeError(f"value cannot be converted to type {dtype.name}_t without overflow")
    generator = generator or default_generator
    if n >= (2**32 - 1) // 20:
        return _randperm_of_many(n, generator).astype(dtype)
    order = list(range(n))
    steps = generator.bits32(max(n - 1, 0)) % np.arange(n, 1, -1, dtype=np.uint64)
    for i, step in enumerate(steps.tolist()):  # swap each place with itself or a later one
        order[i], order[i + step] = order[i + step], order[i]
    return np.array(order, dtype)


def bernoulli(shape, p=0.5, dtype=np.float32, generator=None):
    """Ones with probability p, otherwise zeros: `bernoulli_`, the mask of dropout.

    p is a Python float, or a floating-point array that broadcasts to shape. A Python float or a float64 array
    is compared with 53 random bits (two draws per number), a float32 or float16 array with 24 (one draw).

    The mask of a Python float is that of PyTorch on any processor that is not made by Intel; there PyTorch
    asks the MKL library instead, which has a generator of its own.
    """
    if isinstance(p, np.ndarray):
        _floating(p.dtype, "bernoulli_tensor_cpu_p_")
        if p.size and not (p.min() >= 0 and p.max() <= 1):
            raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this "
                               "error message be improved?  If so, please report an enhancement request to "
                               "PyTorch.)")
    elif not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    generator, count = generator or default_generator, math.prod(shape)
    is_narrow = isinstance(p, np.ndarray) and p.dtype != np.float64
    draws = generator.uniform32(count) if is_narrow else generator.uniform64(count)
    return np.less(draws.reshape(shape), p, out=np.empty(shape, np.bool_)).astype(dtype)


def _choose(weights, num_samples, generator):
    cumulative = np.cumsum(weights, dtype=np.float32 if weights.dtype == np.float16 else weights.dtype)
    if not np.all(weights >= 0):
        raise RuntimeError("invalid multinomial distribution (encountering probability entry < 0)")
    if not np.all(np.isfinite(weights)):
        raise RuntimeError("invalid multinomial distribution (encountering probability entry = infinity or "
                           "NaN)")
    if weights.size == 0 or not cumulative[-1] > 0:
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    cumulative /= cumulative[-1]
    draws = (generator or default_generator).uniform64(num_samples)
    return np.searchsorted(cumulative.astype(np.float64), draws)


def _cast_integers(values, dtype):
    return _narrowed(values, dtype) if dtype.kind == "f" else values.astype(dtype)


def _largest(dtype):
    """The number up to which the dtype counts one by one."""
    if dtype.kind == "f":
        return 2**_FLOAT_DIGITS[dtype.name]
    return 1 if dtype == np.bool_ else int(np.iinfo(dtype).max)


def _check_range(low, high, dtype):
    """The bounds as the dtype can hold them, high exclusive."""
    is_open, is_float = high is None, dtype.kind == "f"
    if is_open and low == -2**63:
        if dtype.name not in ("int64", "float32", "float64"):
            raise RuntimeError("random_full_64_bits_range_kernel_cpu handles only int64, double, float and "
                               "bfloat16")
        return low, 2**63
    if not is_open and low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if is_float:
        low = _rounded_inward(low, 1, dtype)
        high = _largest(dtype) if is_open else _rounded_inward(high, -1, dtype)
        if low >= high:
            rule, relation = (("less than or equal to 'to_inc'", "> to_inc") if is_open else
                              ("less than 'to'", ">= to"))
            raise RuntimeError(f"random_ expects 'from' casted to dtype to be {rule} casted to dtype, but "
                               f"got from={low} {relation}={high}")
    elif is_open:
        high = _largest(dtype)
    high += is_open
    for name, bound in ("from", low), ("to - 1", high - 1):
        if not _smallest(dtype) <= bound <= (float(np.finfo(dtype).max) if is_float else _largest(dtype)):
            raise RuntimeError(f"{name} is out of bounds for {cpp_name(dtype)}")
    return low, high


def _smallest(dtype):
    if dtype.kind == "f":
        return float(np.finfo(dtype).min)
    return 0 if dtype == np.bool_ else int(np.iinfo(dtype).min)


