"""What a watch sees in the graph when a pass begins: patterns, and the first NaN of the forward pass.

Afterwards the values are freed, and where a function has returned, the graph is gone, too.
"""
from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import Any, NamedTuple

from ..graph.facts import is_tensor, not_finite
from ..graph.kept import positions_of, saved_by
from ..graph.patterns import patterns
from ..graph.read import in_forward_order, is_accumulate
from .here import WhileAlive
from .records import Line, note, place_of

OFTEN = 10  # passes of one line that are looked at


class Noted(NamedTuple):
    """A pattern behind which a leaf is; see `graph.patterns`."""

    kind: tuple[str, str]
    node: str
    line: Line | None
    before: str
    line_before: Line | None


_noted: WhileAlive[dict[Noted, None]] = WhileAlive()
_seen: Counter[Line | None] = Counter()


def patterns_of(leaf: Any) -> list[Noted]:
    """The patterns in the passes that came to a leaf, in order."""
    return list(_noted.get(leaf) or ())


def note_pass(roots: list[Any], nodes: list[Any], line: Line | None) -> None:
    """Look at the graph of a pass that begins."""
    with suppress(Exception):  # watching never fails in the place of the program
        if any(is_tensor(root) and not_finite(root) for root in roots):
            _note_first_nan(nodes)
        _seen[line] += 1
        for kind, node, before in patterns(nodes) if _seen[line] <= OFTEN else ():
            found = Noted(kind, _short(node), place_of(node), _short(before), place_of(before))
            for one in in_forward_order([before]):
                if is_accumulate(one):
                    leaf = one.variable
                    (_noted.get(leaf) or _noted.set(leaf, {})).setdefault(found)


def _short(node: Any) -> str:
    return str(node.name()).rpartition("::")[2]


def _note_first_nan(nodes: list[Any]) -> None:
    """Tell the operation that made the first NaN which is still saved that it did."""
    for node in nodes:
        places = positions_of(node.name())
        for row in saved_by(node):
            if row.state == "kept" and is_tensor(row.value) and not_finite(row.value) == "nan":
                at = places.get(row.slot)
                edges = node.next_functions
                maker = node if at is None else edges[at][0] if at < len(edges) else None
                if maker is not None and not is_accumulate(maker):
                    note(maker, made_nan=True)
                return
