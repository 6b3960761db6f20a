"""What was computed from a tensor that detach() or .data returned, and is added into a loss.

On minigrad a watch sees no operation that isn't recorded, so only the tensor itself is known there.
"""
from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from ..graph.facts import is_tensor
from ..graph.kept import stem_of
from ..graph.node_records import Line, note, record_of
from ..program.frame_variables import variables
from .here import WhileAlive
from .large import memory_of
from .write_records import frame_here, line_here

SUMS = ("Add", "Sub", "Rsub", "Neg", "Mul", "Div", "Sum", "Mean")  # a loss is added up by these


@dataclass(eq=False)
class Detached:
    """A tensor without its history, with all that was computed from it while recording."""

    word: str  # "detach()"
    line: Line | None
    is_number: bool  # a single number, such as a loss that is only reported
    uses: int = 0  # by recorded operations
    name: str = ""  # of the variable that was added


_detached: WhileAlive[Detached] = WhileAlive()  # by memory
_computed: WhileAlive[Detached] = WhileAlive()  # the same, of what was computed from it


def note_detached(tensor: Any, word: str) -> None:
    _detached.set(memory_of(tensor), Detached(word, line_here(), tensor.numel() == 1))


def detached_in(tensors: list[Any]) -> tuple[str, Line | None] | None:
    """The word and the line that took the history from one of these, if any did."""
    found = next((one for _, one in _known(tensors) if _detached), None)
    return (found.word, found.line) if found is not None else None


def _known(tensors: list[Any], computed: bool = False) -> list[tuple[Any, Detached]]:
    plain = [one for one in tensors if is_tensor(one) and not one.requires_grad]
    found = [(one, _computed.get(memory_of(one)) if computed else None) for one in plain]
    found = [(one, known or _detached.get(memory_of(one))) for one, known in found]
    return [(one, known) for one, known in found if known is not None]


def note_computed(given: list[Any], results: list[Any]) -> None:
    """An operation was not recorded, as none of what it was given requires a gradient."""
    if (_detached or _computed) and (found := _known(given, computed=True)):
        for one in results:
            _computed.set(memory_of(one), found[0][1])


def note_used(given: list[Any], node: Any) -> None:
    """An operation was recorded, which may add a number without a history to one with it."""
    for one, known in _known(given, computed=True) if _detached or _computed else ():
        known.uses += 1
        if stem_of(node.name()) in SUMS[:3] and one.numel() == 1 and not known.is_number and (
                _computed.get(memory_of(one)) is known):
            known.name = _name_of(one, known)
            note(node, constant=known)


def _name_of(tensor: Any, known: Detached) -> str:
    """The variable that holds a number, or another one that was computed alike; or ""."""
    frame = frame_here()
    held = {name: one for name, one in variables(frame).items() if is_tensor(one)
            and not one.requires_grad and one.numel() == 1} if frame is not None else {}
    names = [name for name, one in held.items() if one is tensor] or [
        name for name, one in held.items() if _computed.get(memory_of(one)) is known]
    return names[0] if len(names) == 1 else ""


def constants_in(roots: list[Any]) -> list[tuple[Any, Detached]]:
    """(node, what it adds) of the summands of a loss that a detached tensor is used for alone."""
    stack, found, seen = [getattr(one, "grad_fn", one) for one in roots], {}, set()
    while stack:
        node = stack.pop()
        if node is not None and id(node) not in seen and stem_of(node.name()) in SUMS:
            seen.add(id(node))
            found[id(node)] = node, record_of(node).get("constant")
            stack += [before for before, _ in node.next_functions]
    added = [(node, known) for node, known in found.values() if known is not None]
    counts = Counter(id(known) for _, known in added)
    return [(node, known) for node, known in added if counts[id(known)] == known.uses]
