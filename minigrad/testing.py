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
from .random_ops import randint
from .tensor import Tensor

TOLERANCES = {"float16": (1e-3, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7)}


def assert_close(actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False,
                 check_device=True, check_dtype=True, check_layout=True, check_stride=False, msg=None):
    """Assert ``|actual - expected| <= atol + rtol * |expected|`` for all elements of tensors, numbers, or
    containers of them; shapes and dtypes must be the same.

    Args:
        rtol, atol: to be given together; None: what the dtype's precision suggests.
        msg: another message, or a function from the message to another one.

    Raises:
        AssertionError: something differs; the message says what, where and by how much.
        ValueError: only one of the tolerances was given.
    """
    if (rtol is None) != (atol is None):
        missing = "rtol" if rtol is None else "atol"
        raise ValueError(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}.")
    Comparison(rtol, atol, equal_nan, check_dtype, check_stride, msg).compare(actual, expected, "")


def assert_allclose(actual, expected, rtol=None, atol=None, equal_nan=True, msg=""):
    """The older form of `assert_close`."""
    assert_close(as_tensor(actual), as_tensor(expected), rtol=rtol, atol=atol, equal_nan=equal_nan,
                 check_dtype=False, msg=msg or None)


class Comparison:
    """One call of `assert_close`."""

    def __init__(self, rtol, atol, equal_nan, check_dtype, check_stride, msg):
        self.rtol, self.atol, self.equal_nan = rtol, atol, equal_nan
        self.check_dtype, self.check_stride, self.msg = check_dtype, check_stride, msg

    def compare(self, actual, expected, where):
        """Compare two things of one kind; the message names `where`, their place inside the containers."""
        if isinstance(actual, Mapping) and isinstance(expected, Mapping):
            if set(actual) != set(expected):
                self.fail("The keys of the mappings do not match:\nMissing keys in the actual mapping: "
                          f"{sorted(set(expected) - set(actual))}\nAdditional keys in the actual mapping: "
                          f"{sorted(set(actual) - set(expected))}", where)
            for key in actual:
                self.compare(actual[key], expected[key], f"{where}[{key!r}]")
        elif is_list(actual) and is_list(expected):
            if len(actual) != len(expected):
                self.fail(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", where)
            for i, (one, other) in enumerate(zip(actual, expected)):
                self.compare(one, other, f"{where}[{i}]")
        elif actual is None or expected is None:
            if actual is not expected:
                self.fail(f"None mismatch: {actual} is not {expected}", where)
        elif isinstance(actual, (bool, np.bool_)) and isinstance(expected, (bool, np.bool_)):
            if actual != expected:
                self.fail(f"Booleans mismatch: {actual} is not {expected}", where)
        elif is_number(actual) and is_number(expected):
            self.compare_numbers(actual, expected, where)
        elif all([isinstance(one, Tensor) for one in (actual, expected)]) or all(
                [isinstance(one, np.ndarray) for one in (actual, expected)]):
            self.compare_tensors(as_tensor(actual), as_tensor(expected), where)
        else:
            raise TypeError(f"No comparison pair was able to handle inputs of type {type(actual)} and "
                            f"{type(expected)}.")

    def compare_numbers(self, actual, expected, where):
        if self.check_dtype and type(actual) is not type(expected):
            self.fail(f"The (d)types do not match: {type(actual)} != {type(expected)}.", where)
        rtol, atol = self.tolerances(["float64" if isinstance(n, (float, np.floating)) else "int64"
                                      for n in (actual, expected)])
        self.check_numbers(actual, expected, rtol, atol, where)

    def check_numbers(self, actual, expected, rtol, atol, where):
        if actual == expected or self.equal_nan and actual != actual and expected != expected:
            return
        difference = abs(actual - expected)
        if math.isfinite(difference) and difference <= atol + rtol * abs(expected):
            return
        exact = not rtol and not atol
        up_to = ["", ""] if exact else [f" (up to {limit} allowed)" for limit in (atol, rtol)]
        relative = float("inf") if expected == 0 else difference / abs(expected)
        self.fail(f"Scalars are not {'equal' if exact else 'close'}!\n\nExpected {expected} but got "
                  f"{actual}.\nAbsolute difference: {difference}{up_to[0]}\nRelative difference: "
                  f"{relative}{up_to[1]}", where)

    def compare_tensors(self, actual, expected, where):
        if actual.shape != expected.shape:
            self.fail(f"The values for attribute 'shape' do not match: {actual.shape} != {expected.shape}.",
                      where)
        if self.check_dtype and actual.dtype != expected.dtype:
            self.fail(f"The values for attribute 'dtype' do not match: {actual.dtype} != {expected.dtype}.",
                      where)
        if self.check_stride and actual.stride() != expected.stride():
            self.fail(f"The values for attribute 'stride()' do not match: {actual.stride()} != "
                      f"{expected.stride()}.", where)
        rtol, atol = self.tolerances([str(one.dtype).removeprefix("torch.") for one in (actual, expected)])
        a, b = actual._array, expected._array
        if a.ndim == 0:
            self.check_numbers(a.item(), b.item(), rtol, atol, where)
            return
        if a.dtype != b.dtype:
            common = dtypes.result_dtype(a, b)
            a, b = a.astype(common), b.astype(common)
        close = np.isclose(a, b, rtol, atol, self.equal_nan) if a.dtype.kind != "b" else a == b
        if not close.all():
            self.fail(self.describe(a, b, close, rtol, atol), where)

    def tolerances(self, names):
        if self.rtol is not None:
            return self.rtol, self.atol
        pairs = [TOLERANCES.get(name, (0.0, 0.0)) for name in names]
        return max([rtol for rtol, _ in pairs]), max([atol for _, atol in pairs])

    def describe(self, a, b, close, rtol, atol):
        """How many elements differ, and where the difference is greatest."""
        exact = not rtol and not atol
        with np.errstate(all="ignore"):
            if a.dtype.kind in "bui":
                a, b = a.astype(np.int64), b.astype(np.int64)
            difference = np.abs(a - b)
            ratio = difference / np.abs(b)
            ratio = ratio.astype(np.float32) if a.dtype.kind == "i" else ratio
            difference[close] = ratio[close] = 0
        count = int((~close).sum())
        lines = [f"Tensor-likes are not {'equal' if exact else 'close'}!", "",
                 f"Mismatched elements: {count} / {a.size} ({count / a.size:.1%})"]
        for what, values, allowed in (("absolute", difference, atol), ("relative", ratio, rtol)):
            largest = int(values.argmax())
            place = tuple([int(i) for i in np.unravel_index(largest, values.shape)])
            limit = "" if exact else f" (up to {allowed} allowed)"
            lines.append(f"Greatest {what} difference: {values.flat[largest].item()} at index {place}{limit}")
        return "\n".join(lines)

    def fail(self, message, where):
        if where:
            message = f"{message}\n\nThe failure occurred for item {where}"
        if self.msg is not None:
            message = self.msg(message) if callable(self.msg) else self.msg
        raise AssertionError(message)


def is_list(value):
    return isinstance(value, Sequence) and not isinstance(value, str)


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
