"""New tensors that count: arange, linspace and logspace, and the identity matrix."""
from __future__ import annotations

import math
import warnings

import numpy as np

from . import dtypes
from .creation import deliver, is_number, is_whole, numpy_dtype, plain_number
from .errors import not_implemented_for, type_name
from .random import box_muller
from .tensor import Tensor


def eye(n=None, m=None, *, out=None, dtype=None, layout=None, device=None, pin_memory=False,
        requires_grad=False) -> Tensor:
    """n rows and m (or n) columns with 1 on the diagonal and 0 elsewhere."""
    if n is None:
        raise no_form("eye")
    for position, (name, count) in enumerate((("n", n), ("m", m)), 1):
        if count is None and name == "m":
            continue
        if not is_whole(count):
            raise TypeError(f"eye(): argument '{name}' (position {position}) must be int, not "
                            f"{type_name(count)}")
        if count < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {count}")
    array = np.eye(int(n), None if m is None else int(m),
                   dtype=numpy_dtype(dtype, dtypes.Default.numpy, "eye"))
    return deliver(array, out, requires_grad, device, "eye", layout)


def arange(*args, start=None, end=None, step=None, out=None, dtype=None, layout=None, device=None,
           pin_memory=False, requires_grad=False) -> Tensor:
    """start, start + step, ... below `end`: int64 if all three are integers, else the default dtype."""
    given = dict(zip(("end",) if len(args) == 1 and end is None else ("start", "end", "step"), args))
    given = {"start": start, "end": end, "step": step} | given
    is_form = given["end"] is not None and (given["start"] is not None or given["step"] is None)
    if not is_form or len(args) > 3 or not all(is_number(value) for value in given.values()):
        if len(args) == 1 and not any([start, step]):
            plain_number(args[0], "arange", "end", 1)
        raise no_form("arange")
    start, end, step = [plain_number(default if value is None else value, "arange", name, 1)
                        for (name, value), default
                        in zip(given.items(), (0, None, 1))]
    return deliver(counted(start, end, step, dtype), out, requires_grad, device, "arange", layout)


def range(*args, start=0, end=None, step=1, out=None, dtype=None, layout=None, device=None,
          pin_memory=False, requires_grad=False) -> Tensor:
    """Deprecated: start, start + step, ... up to and including `end`, in the default dtype."""
    start, end, step = [*args, *(start, end, step)[len(args):]]
    if end is None or len(args) > 3:
        raise TypeError('range() missing 1 required positional arguments: "end"')
    warnings.warn(RANGE, UserWarning, stacklevel=3)
    start, end, step = [plain_number(value, "range", name, i) for i, (name, value)
                        in enumerate({"start": start, "end": end, "step": step}.items(), 1)]
    kind = numpy_dtype(dtype, dtypes.Default.numpy, "range")
    check_direction(start, end, step)
    numbers = start + step * np.arange(int((end - start) / step) + 1)
    return deliver(numbers.astype(kind), out, requires_grad, device, "range", layout)


RANGE = (
    "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent "
    "with Python's range builtin. Instead, use torch.arange, which produces values in [start, end).")


def check_direction(start, end, step):
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (end < start) if step > 0 else (end > start):
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")


def counted(start, end, step, dtype):
    kinds = [isinstance(value, (float, np.floating)) for value in (start, end, step)]
    kind = numpy_dtype(dtype, dtypes.Default.numpy if any(kinds) else dtypes.INT64, "arange")
    if kind.kind == "b":
        raise not_implemented_for("arange_cpu", kind)
    check_direction(start, end, step)
    if kind == dtypes.INT64:
        start, end, step = int(start), int(end), int(step)
        if step == 0:
            raise ValueError("step must be nonzero")        # arange(0, 1, 0.25, dtype=torch.int64)
        kinds = [False]
    count = math.ceil((end - start) / step) if any(kinds) else -((start - end) // step)
    numbers = np.arange(count)
    if kind.kind != "f":
        return (int(start) + int(step) * numbers).astype(kind)
    if kind.itemsize == 2:
        return (start + step * numbers).astype(kind)
    # PyTorch fills two registers at a time, counting from the first number in each; the rest one by one.
    lanes = 32 // kind.itemsize
    whole = count // (2 * lanes) * (2 * lanes)
    values = box_muller.fused_multiply_add(numbers.astype(np.float64), step, start)
    base = values[:whole:lanes].astype(kind).repeat(lanes).astype(np.float64)
    values[:whole] = box_muller.fused_multiply_add((numbers[:whole] % lanes).astype(np.float64), step, base)
    return values.astype(kind)


def linspace(start=None, end=None, steps=None, *, out=None, dtype=None, layout=None, device=None,
             pin_memory=False, requires_grad=False) -> Tensor:
    """`steps` numbers from start to end, both included, evenly spaced."""
    start, end, steps = check_spacing(start, end, steps, "linspace")
    array = spaced(start, end, steps, numpy_dtype(dtype, dtypes.Default.numpy, "linspace"))
    return deliver(array, out, requires_grad, device, "linspace", layout)


def check_spacing(start, end, steps, function):
    """The two ends and the number of steps as plain numbers."""
    tensors = [(name, value._array.ndim) for name, value in (("start", start), ("end", end))
               if isinstance(value, Tensor)]
    if any([ndim for _, ndim in tensors]):
        raise RuntimeError(f"{function} only supports 0-dimensional start and end tensors, but got "
                           + " and ".join([f"{name} with {n} dimension(s)" for name, n in tensors]) + ".")
    if not (is_number(start) and is_number(end) and is_whole(steps)):
        raise no_form(function)
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    return plain_number(start, function, "start", 1), plain_number(end, function, "end", 2), int(steps)


def spaced(start, end, steps, kind):
    """Counted from `start` in the first half and back from `end` in the second, as PyTorch does."""
    if steps == 1:
        return np.array([start]).astype(kind)
    rounded = kind if kind.kind == "f" else dtypes.FLOAT32
    start, end = rounded.type(start), rounded.type(end)
    step = (end - start) / rounded.type(max(steps - 1, 1))
    numbers = np.arange(steps)
    from_start = box_muller.fused_multiply_add(numbers.astype(rounded), step, start)
    from_end = box_muller.fused_multiply_add((steps - 1 - numbers).astype(rounded), -step, end)
    return np.where(numbers < steps // 2, from_start, from_end).astype(kind)


FUNCTIONS_ONLY = """
eye arange range linspace
"""
