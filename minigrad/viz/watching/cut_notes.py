"""Where a value went on without its history while it was watched, noted for each leaf behind it.

A pass that never comes to a leaf leaves nothing to read once its graph is gone; this says why.
"""
from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import Any, NamedTuple

from ..graph.facts import is_tensor, whole_number
from ..graph.read import in_forward_order, is_accumulate
from .here import WhileAlive, here, measured
from .records import Line, line_here

OFTEN = 10  # times that a line is looked at; after that those whose number is a power of two
EMPTY = ("_like", "new_")  # a function with such a name takes the shape alone
COPIES = ("detach", ".data", "numpy")


class Loss(NamedTuple):
    """How a value lost its history, and where."""

    word: str  # "detach()", ".data", "no_grad", "integers", "booleans"
    line: Line | None


_losses: WhileAlive[dict[Loss, None]] = WhileAlive()
_seen: Counter[Loss] = Counter()


def losses_of(leaf: Any) -> list[Loss]:
    """Where values computed from a leaf lost their history, in order; whole numbers last."""
    return sorted(_losses.get(leaf) or (), key=lambda one: one.word in ("integers", "booleans"))


@measured
def note_result(given: Any, result: Any, name: str, recording: bool = True) -> None:
    """A function was given tensors and returned; `recording`: operations were recorded."""
    with suppress(Exception):  # watching never fails in the place of the program
        made = [one for one in (result if isinstance(result, (tuple, list)) else [result])
                if is_tensor(one)]
        if name.endswith(EMPTY) or name.startswith(EMPTY):
            return
        if name != "numpy" and (not made or any(one.requires_grad for one in made)):
            return
        word = name if name.startswith(".") else f"{name}()"
        if name not in COPIES:
            whole = all(map(whole_number, made))
            kind = "booleans" if "bool" in str(made[0].dtype) else "integers"
            word = kind if whole else word if recording else "no_grad"
        note_loss(given, word)


@measured
def note_loss(given: Any, word: str) -> None:
    """Values go on without their history; a leaf itself, as in an average of weights, has none."""
    nodes = [one.grad_fn for one in given if one.requires_grad and one.grad_fn is not None]
    if nodes and here.watches and not here.in_pass and not here.steps:
        loss = Loss(word, line_here())
        _seen[loss] += 1
        if _seen[loss] <= OFTEN or not _seen[loss] & (_seen[loss] - 1):
            for leaf in [node.variable for node in in_forward_order(nodes) if is_accumulate(node)]:
                (_losses.get(leaf) or _losses.set(leaf, {})).setdefault(loss)
