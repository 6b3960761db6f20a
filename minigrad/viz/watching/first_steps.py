"""Gradients that are 0 in the first step alone, because another parameter begins with zeros.

In LoRA `x @ A.T @ B.T` begins with B = 0, so the first gradient of A is 0, and B moves first. A
layer scale and a last normalisation that begin with 0 have the same effect.
"""
from __future__ import annotations

from collections import defaultdict
from typing import Any

from ..graph.kept import stem_of
from ..graph.node_records import passed
from ..graph.walk import is_accumulate
from .history import explain_zero
from .large import numbers

# The two inputs of each operation that it multiplies.
FACTORS = {"Mul": (0, 1), "Mm": (0, 1), "Bmm": (0, 1), "Addmm": (1, 2), "Convolution": (0, 1),
           "NativeBatchNorm": (0, 1), "NativeLayerNorm": (0, 1), "NativeGroupNorm": (0, 1)}


def note_zeros(nodes: list[Any]) -> None:
    """Note of each leaf whose gradient is 0 for that reason alone; `nodes` are those of a pass."""
    if not any(_is_zero(node) and is_accumulate(node) for node in nodes):
        return
    silent = {id(node) for node in nodes if _is_zero(node)}
    users: dict[int, list[tuple[Any, int]]] = defaultdict(list)
    for node in nodes:
        for at, (before, _) in enumerate(node.next_functions):
            users[id(before)].append((node, at))
    explained: set[int] = set()
    for node in reversed(nodes):  # the users of a node come before it
        ways = users[id(node)] if id(node) in silent else []
        if ways and all(id(user) in explained if id(user) in silent else _begins_at_zero(user, at)
                        for user, at in ways):
            explained.add(id(node))
            if is_accumulate(node):
                explain_zero(node.variable)


def _is_zero(node: Any) -> bool:
    found = passed(node) or [None]
    return all(one is not None and one.norm == 0 and one.size for one in found)


def _begins_at_zero(node: Any, at: int) -> bool:
    """Whether the other factor of a product is a leaf that is 0, and has a gradient to move by."""
    pair = FACTORS.get(stem_of(node.name()), ())
    if at not in pair:
        return False
    other = node.next_functions[pair[1 - pair.index(at)]][0]
    while other is not None and len(other.next_functions) == 1:  # a transposition, a view
        other = other.next_functions[0][0]
    if other is None or not is_accumulate(other) or (grad := other.variable.grad) is None:
        return False
    value, slope = numbers(other.variable), numbers(grad)
    return value is not None and value.norm == 0 and slope is not None and bool(slope.norm)
