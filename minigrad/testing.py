"""Making tensors for tests, and comparing them: ``torch.testing``."""
from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence

import numpy as np

from . import dtypes
from .conversion import as_tensor
from .creation import empty
from .limits import finfo, iinfo
from .random.random_ops import randint
from .tensor import Tensor

TOLERANCES = {"float16": (1e-3, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}


def is_number(value):
    return isinstance(value, (int, float, np.number))


def make_tensor(*shape, dtype, device, low=None, high=None, requires_grad=False, noncontiguous=False,
                exclude_zero=False, memory_format=None):
    """A tensor of evenly distributed random numbers in [low, high), by default [-9, 9) or, for integers,
    [-9, 10).

    Args:
        noncontiguous: every second element of a larger tensor.
        exclude_zero: zeros become the smallest number above zero.
    """
    if len(shape) == 1 and isinstance(shape[0], Sequence):
        shape = tuple(shape[0])
    floating = dtype.is_floating_point
    if requires_grad and not floating:
        raise ValueError("`requires_grad=True` is not supported for boolean and integral dtypes, but got "
                         f"dtype={dtype!r}")
    noncontiguous = noncontiguous and math.prod(shape) > 1
    if noncontiguous:
        shape = (*shape[:-1], 2 * shape[-1])
    low, high = bounds(low, high, dtype)
    if floating:
        result = empty(shape, dtype=dtype)
        if low != high or result.numel():
            result.uniform_(low, high)
    else:
        result = randint(math.ceil(low), math.ceil(high), shape, dtype=dtype)
    if noncontiguous:
        result = result[..., 1::2]
    if exclude_zero:
        result[result == 0] = finfo(dtype).tiny if floating else 1
    if floating:
        result.requires_grad = requires_grad
    return result


def bounds(low, high, dtype):
    """The range to draw from, within what the dtype can hold."""
    if dtype == dtypes.PUBLIC["bool"]:
        least, most, default = 0, 2, (0, 2)
    elif dtype.is_floating_point:
        least, most, default = finfo(dtype).min, finfo(dtype).max, (-9, 9)
    else:
        info = iinfo(dtype)
        least, most, default = info.min, info.max + (dtype != dtypes.PUBLIC["int64"]), (-9, 10)
    low, high = default[0] if low is None else low, default[1] if high is None else high
    if low != low or high != high:
        raise ValueError(f"`low` and `high` cannot be NaN, but got low={low!r} and high={high!r}")
    if low == high and dtype.is_floating_point:
        warnings.warn("Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is "
                      "deprecated since 2.1 and will be removed in 2.3. Use `torch.full(...)` instead.",
                      FutureWarning, stacklevel=3)
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < least or low >= most:
        raise ValueError(f"The value interval specified by `low` and `high` is [{low}, {high}), but {dtype} "
                         f"only supports [{least}, {most})")
    return min(max(low, least), most), min(max(high, least), most)
