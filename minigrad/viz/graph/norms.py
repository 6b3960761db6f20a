"""What the numbers of a tensor are like: their norm, and how many are 0, NaN or infinite."""
from __future__ import annotations

import math
import sys
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any, NamedTuple

from .facts import is_tensor, whole_number

LARGE = 1_000_000


class Numbers(NamedTuple):
    """What the numbers of a tensor are like. `norm` is None where they can't be read."""

    norm: float | None
    zeros: int
    nans: int
    infinite: int
    size: int


def worst(found: list[Numbers | None]) -> Numbers | None:
    """Of the gradients of an operation's results: one that isn't finite, or else the largest."""
    return max(filter(None, found), default=None,
               key=lambda one: (one.nans + one.infinite, one.norm or 0))


def together(one: Numbers | None, other: Numbers | None) -> Numbers | None:
    """What the numbers of two tensors are like, as if they were one; None counts as no tensor."""
    if one is None or other is None:
        return one or other
    norm = None if one.norm is None or other.norm is None else math.hypot(one.norm, other.norm)
    return Numbers(norm, *map(sum, zip(one[1:], other[1:], strict=True)))


def numbers(tensor: Any) -> Numbers | None:
    """None if there is no tensor."""
    if not is_tensor(tensor):
        return None
    size = 0
    try:
        size = math.prod(tensor.shape)
        array, values = array_of(tensor), tensor
        if array is not None:
            nonzero = int(sys.modules["numpy"].count_nonzero(array))
        else:
            values = tensor.detach()
            values = values.coalesce().values() if values.is_sparse else values
            values = values.float() if values.element_size() < 4 or whole_number(values) else values
            nonzero = values.count_nonzero().item()
        norm = norm_of(values)
        nans = infinite = 0
        if not math.isfinite(norm):
            values = values.detach()
            nans, infinite = int(values.isnan().sum()), int(values.isinf().sum())
        return Numbers(norm, size - nonzero, nans, infinite, size)
    # no numbers (meta), of a kind without these operations, or a view that refuses
    except Exception:
        return Numbers(None, 0, 0, 0, size)


def array_of(tensor: Any) -> Any:
    """The array of a tensor of minigrad, whose own functions are the quickest; or None."""
    return getattr(tensor, "_array", None)


def silent(array: Any) -> AbstractContextManager[Any]:
    """Turn NumPy's warnings off, as of an overflow, if there is an array."""
    return nullcontext() if array is None else sys.modules["numpy"].errstate(all="ignore")


def norm_of(values: Any) -> float:
    """The norm of a tensor or an array, by the function that finds it most quickly.

    It is finite where all numbers are: if their squares overflow, it is found of smaller numbers.
    """
    array = getattr(values, "_array", values)
    if is_tensor(array):
        array = array.detach()
        norm = float(sys.modules["torch"].linalg.vector_norm(array).item())
    else:
        array = array if array.dtype.char in "fd" else array.astype("f")
        # in the order of the memory: a transposed gradient of 25 million numbers is copied
        # otherwise, in six times the time that its norm takes
        flat = array.ravel("K" if array.size > LARGE else "C")
        with silent(flat):
            norm = math.sqrt(flat.dot(flat))
    if math.isfinite(norm) or not math.isfinite(largest := float(abs(array).max())):
        return norm
    return min(largest * norm_of(array / largest), sys.float_info.max)


def not_finite(tensor: Any) -> str:
    """"nan" or "infinite" if a tensor holds such a number, "" otherwise; NaN counts first."""
    with suppress(Exception):  # as above
        # PyTorch's sum is quicker than its norm, and certain
        total = tensor.detach().sum().item() if array_of(tensor) is None else norm_of(tensor)
        if math.isfinite(total):
            return ""
    found = numbers(tensor)
    return "" if found is None else "nan" if found.nans else "infinite" if found.infinite else ""
