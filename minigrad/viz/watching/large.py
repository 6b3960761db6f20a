"""What a watch measures of a tensor; of more than a million numbers, only once until they change.

A write that no version counts, as through an array of NumPy, is noticed there by some thousand of
the numbers. How far a step moves so many is taken from every k-th of them, in place of a copy.
"""
from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ..graph import norms
from ..graph.facts import version_of
from ..graph.norms import LARGE, Numbers, array_of
from .here import WhileAlive

POINTS = 32  # along each dimension, to see whether anything has changed
_known: WhileAlive[dict[Any, tuple[Any, Any]]] = WhileAlive()  # by memory


def numbers(tensor: Any) -> Numbers | None:
    found: Numbers | None = _once(norms.numbers, tensor)
    return found


def norm_of(tensor: Any) -> float:
    return float(_once(norms.norm_of, tensor))


def not_finite(tensor: Any) -> str:
    return str(_once(norms.not_finite, tensor))


def forget(tensor: Any) -> None:
    """Measure a large tensor anew, as it may have been written."""
    if is_large(tensor) and (known := _known.get(memory_of(tensor))):
        known.clear()


def some_of(leaf: Any) -> Any:
    """A copy of the numbers of a leaf; of a large one of every k-th, where k divides no length."""
    values = leaf.detach() if (array := array_of(leaf)) is None else array
    if is_large(leaf):
        least = 2 * leaf.numel() // LARGE
        values = values.reshape(-1)[::next(k for k in range(least + 1 - least % 2, LARGE, 2)
                                           if all(length % k for length in leaf.shape))]
    return values.clone() if array is None else values.copy()


def moved_by(leaf: Any, before: Any, growth: float) -> float:
    """The norm of the change of a leaf since `some_of` it was copied; `growth` is that of its norm.
    """
    after = some_of(leaf)
    after -= before
    found = norms.norm_of(after)
    if not math.isfinite(found):  # the difference of two finite numbers may be infinite
        found = 2 * norms.norm_of(some_of(leaf) / 2 - before / 2)
    if not is_large(leaf):
        return found
    return found * math.sqrt(leaf.numel() / math.prod(after.shape)) or abs(growth)


def memory_of(tensor: Any) -> Any:
    """The object that owns a tensor's memory: a storage of PyTorch, an array of minigrad.

    What a functional transform wraps has no storage, so it is its own.
    """
    array = array_of(tensor)
    if array is None:
        try:
            return tensor.untyped_storage()
        except NotImplementedError:
            return tensor
    while getattr(array, "base", None) is not None:
        array = array.base
    return array


def is_large(tensor: Any) -> bool:
    try:
        return bool(tensor.numel() > LARGE)
    except Exception:  # a nested tensor, or a view that refuses
        return False


def _once(measure: Callable[[Any], Any], tensor: Any) -> Any:
    if is_large(tensor):
        with suppress(Exception):  # it has no memory of the usual kind
            known, state = _known.setdefault(memory_of(tensor), dict), _state_of(tensor)
            if known.get(measure, (None,))[0] != state:
                known[measure] = state, measure(tensor)
            return known[measure][1]
    return measure(tensor)


def _state_of(tensor: Any) -> Any:
    """What another part of the memory has not, and what a write changes; not the dimensions' order.
    """
    strides = tensor.stride()
    dims = sorted(range(len(strides)), key=lambda dim: -strides[dim])
    some = tuple(slice(None, None, max(1, tensor.shape[dim] // POINTS)) for dim in dims)
    total = tensor.detach().permute(dims)[some].sum().item()
    return (tensor.data_ptr(), [(tensor.shape[dim], strides[dim]) for dim in dims],
            version_of(tensor), str(total))  # as text NaN is equal to itself
