"""Backward passes that start from the same result as an earlier pass, with the same gradient.

`loss.backward(retain_graph=True)` and `loss.backward()` add the same gradient twice. Passes with
`create_graph=True` are left out, since a program may go on with what they recorded.
"""
from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from ..graph.facts import is_tensor
from ..graph.records import note, record_of
from ..graph.walk import in_forward_order
from ..program.lines import listed
from .history import last_order

LONGEST = 10_000  # numbers of a given gradient that are compared; a longer one counts as another


def repeated_pass(roots: list[Any], asked: Mapping[str, Any], number: int) -> int:
    """Return the number of the earlier pass that started like this one, or 0, and note this one.

    Args:
        roots: what the pass starts from: tensors, or edges of the graph.
        asked: the arguments of the call, by name.
        number: that of this pass.
    """
    if period(asked) is None:
        return 0
    given = listed(asked.get("gradient", asked.get("grad_tensors")))
    gradients = map(_plain, given or [None] * len(roots))
    earlier = {_note_start(root, gradient, number) for root, gradient in zip(roots, gradients)}
    return earlier.pop() if len(earlier) == 1 else 0


def _note_start(root: Any, gradient: Any, number: int) -> int:
    """Note in the node of a root that a pass starts from it; the number of the pass before it."""
    node = getattr(root, "node", getattr(root, "grad_fn", None))
    starts = record_of(node).get("starts", {})
    start = gradient, last_order()
    before, known = starts.get(getattr(root, "output_nr", 0), (0, None))
    note(node, starts={**starts, getattr(root, "output_nr", 0): (number, start)})
    return before if known == start else 0


def period(asked: Mapping[str, Any]) -> int | None:
    """The last step before a pass; None for one that may leave .grad as it is, as grad() does."""
    if "outputs" in asked or asked.get("create_graph") or asked.get("grad_variables") is not None:
        return None
    return last_order()


def parts_of(roots: list[Any], nodes: list[Any], since: int, number: int) -> dict[int, int]:
    """Where a pass starts from a part of an earlier one's result since a step, or the other way.

    By the id of each node that both go through: the number of the earlier pass, negative if it was
    the whole. Passes from several results, or with given gradients, are left out.
    """
    found: dict[int, int] = {}
    root = getattr(roots[0], "grad_fn", None) if len(roots) == 1 else None
    if root is None:
        return found
    known = record_of(root)
    own = any(one == known.get("of_pass") for one, _ in known.get("starts", {}).values())
    if known.get("since") == since and not own:
        return dict.fromkeys(map(id, nodes), -known.get("of_pass", 0))
    for node in nodes:
        if node is not root and (earlier := _started(node, since, number)):
            found.update(dict.fromkeys(map(id, in_forward_order([node])), earlier))
    return found


def _started(node: Any, since: int, number: int) -> int:
    """The last other pass since a step that started from what a node made, a single number."""
    starts = record_of(node).get("starts", {}).values()
    return max((one for one, start in starts if start == (None, since) and one != number),
               default=0)


def _plain(gradient: Any) -> Any:
    """What can be compared of a given gradient; None where none was given.

    A single number may be a weight that happens to be the same, so it equals nothing.
    """
    if gradient is None:
        return None
    with suppress(Exception):  # sparse, nested, without numbers
        if is_tensor(gradient) and 1 < gradient.numel() <= LONGEST:
            return hash(tuple(gradient.detach().flatten().tolist()))
    return object()
