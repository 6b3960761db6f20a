"""Which operation made the first NaN or infinite number of a forward pass, and where in its result.

On PyTorch a watch sees each result when it is made. What it doesn't see, and results of minigrad,
are looked for among the values that the nodes keep when a pass begins.
"""
from __future__ import annotations

from typing import Any, NamedTuple

from ..graph.facts import is_tensor
from ..graph.kept import positions_of, saved_by, stem_of
from ..graph.records import note, record_of
from ..graph.walk import in_forward_order, is_accumulate
from .large import not_finite

MASKS = ("MaskedFill", "Where")  # what puts -inf into a row on purpose


class Made(NamedTuple):
    """The first number of a result that is NaN or infinite."""

    alarm: str  # "nan" or "infinite"; NaN counts first
    at: tuple[int, ...]  # its place in the result
    dtype: str
    clean: bool  # all that the operation took is known and finite


def note_made(results: list[Any], given: list[Any]) -> None:
    """Note what an operation has made, which PyTorch has just run with the tensors `given`."""
    for result in results:
        if not_finite(result):
            clean = not any(one is result or not_finite(one) for one in given)
            note(result.grad_fn, made=made_of(result, clean))


def note_kept(nodes: list[Any]) -> None:
    """Note the same from the values that the nodes of a pass keep."""
    known: dict[tuple[int, int], tuple[str, Any]] = {}  # by node and number of its output
    spoilt = set()  # nodes that took a constant which isn't finite
    for node in nodes:
        if is_accumulate(node):
            known[id(node), 0] = not_finite(node.variable), node.variable
            continue
        places, edges = positions_of(node.name()), node.next_functions
        for row in saved_by(node, settings=False):
            if row.state != "kept" or not is_tensor(row.value):
                continue
            at = places.get(row.slot)
            maker, nr = (node, 0) if at is None else edges[at] if at < len(edges) else (None, 0)
            alarm = not_finite(row.value)
            if maker is not None and (at is not None or row.slot.startswith("result")):
                known.setdefault((id(maker), nr), (alarm, row.value))
            elif alarm:
                spoilt.add(id(node))
    for node in nodes:
        alarm, value = known.get((id(node), 0), ("", None))
        if alarm and not is_accumulate(node) and made_by(node) is None:
            took = [known.get((id(before), nr), ("unknown",))[0]
                    for before, nr in node.next_functions if before is not None]
            note(node, made=made_of(value, not any(took) and id(node) not in spoilt))


def made_of(value: Any, clean: bool = True) -> Made:
    """What is said of a result that isn't finite."""
    alarm = not_finite(value)
    bad = value.detach().isnan() if alarm == "nan" else value.detach().isinf()
    flat = bad.flatten().tolist().index(True)
    at = []
    for length in reversed(tuple(value.shape)):
        at.append(flat % length)
        flat //= length
    return Made(alarm, tuple(reversed(at)), str(value.dtype).rpartition(".")[2], clean)


def made_by(node: Any) -> Made | None:
    return record_of(node).get("made")


def first_made(nodes: list[Any]) -> Any:
    """The node that made the first NaN, or the infinite number from which it came; or None.

    An infinite number alone counts where it was made from finite ones: -inf in a mask is meant.
    """
    bad = [node for node in nodes if made_by(node) and stem_of(node.name()) not in MASKS]
    start = next((one for one in bad if record_of(one)["made"].alarm == "nan"), None)
    near = bad if start is None else in_forward_order([start])
    near = [node for node in near if node in bad and record_of(node)["made"].clean]
    return near[0] if near else start
