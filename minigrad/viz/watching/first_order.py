"""Passes through weights that were computed with gradients which grad() had returned as constants.

So the steps of a meta-learner are of first order. That may be meant, and is told as a fact.
"""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from ..graph.facts import is_tensor
from ..graph.node_records import Line, note, record_of
from ..graph.walk import in_forward_order, leaves_of
from ..program.lines import line_words
from .here import WhileAlive, measured

SUMS = ("add", "sub", "rsub", "radd", "iadd", "isub")
MOST = 3  # sentences

_constants: WhileAlive[Line] = WhileAlive()  # by gradient, or what was computed from it
_weights: WhileAlive[bool] = WhileAlive()  # of which a grad() returned such a gradient
_lines: set[Line] = set()  # of the calls of grad() whose gradients went into weights


@measured
def note_constants(inputs: list[Any], result: Any, line: Line | None) -> None:
    """A grad() has returned gradients of these inputs."""
    for one, grad in zip(inputs, result):
        if line is not None and is_tensor(grad) and not grad.requires_grad and _is_weight(one):
            _weights.set(one, True)
            _constants.set(grad, line)


def _is_weight(one: Any) -> bool:
    leaves = [one] if one.grad_fn is None else leaves_of(in_forward_order([one.grad_fn]))
    return all(type(leaf).__name__ == "Parameter" for leaf in leaves) and any(
        leaf.shape == one.shape for leaf in leaves)


def note_use(given: list[Any], results: Iterable[Any], name: str) -> None:
    """An operation was given tensors, and returned others."""
    line = next(filter(None, map(_constants.get, given)), None) if _constants else None
    if line is None:
        return
    is_sum = name.strip("_").removeprefix("foreach_") in SUMS
    for one in results:
        weights = [held for held in given if _weights.get(held) and held.shape == one.shape]
        if not weights and (one.grad_fn is not None or not one.requires_grad):
            _constants.set(one, line)  # also times a rate that is learned
        elif is_sum and weights and one.grad_fn is not None:
            _lines.add(line)
            note(one.grad_fn, first_order=line)


def lines_among(nodes: list[Any]) -> set[Line]:
    """The calls of grad() that some nodes of a pass have constants from."""
    found = (record_of(node).get("first_order") for node in nodes if _lines)
    return {line for line in found if line is not None}


def first_order(passes: Counter[tuple[Line, Line | None]]) -> list[str]:
    """Say how often passes came through such weights, by the lines of the grad() and the pass."""
    found = []
    for (line, of_pass), count in passes.most_common(MOST):
        where = f" ({line_words(of_pass)})" if of_pass else ""
        found.append(f"{count} backward pass{'es' * (count > 1)}{where} came through weights that "
                     f"were computed with gradients from grad() ({line_words(line)}), which it "
                     "had returned without a history, as without create_graph=True: they were "
                     "constants there, so these passes computed no second-order term.")
    return found
