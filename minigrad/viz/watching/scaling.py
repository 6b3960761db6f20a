"""Gradients that were limited while they still held the factor of a GradScaler."""
from __future__ import annotations

from collections import deque
from contextlib import suppress
from typing import Any, NamedTuple

from ..graph.norms import Numbers
from ..graph.records import Line
from .here import WhileAlive, here, looked_at, measured
from .history import known_leaves
from .large import numbers
from .records import last_write, line_here

UNSCALING = "_amp_foreach_non_finite_check_and_unscale_"
FELL = 0.99  # times its norm after the pass: a smaller gradient was limited
MOST = 100


class Scaled(NamedTuple):
    """A gradient that became smaller between its pass and the line that divided the factor out."""

    line: Line | None  # that wrote it
    divided: Line | None
    factor: float
    after_pass: float  # its norm
    limited: float  # ... right before the division


_scaled: WhileAlive[deque[Scaled]] = WhileAlive()  # by leaf


def scaled_of(leaf: Any) -> list[Scaled]:
    return list(_scaled.get(leaf) or ())


@measured
def note_unscaling(arguments: Any) -> None:
    """The factor is about to be divided out of gradients."""
    with suppress(Exception):  # watching never fails in the place of the program
        grads, _, inverse = arguments
        factor, divided = 1 / float(inverse), line_here()
        if factor == 1 or not looked_at((UNSCALING, divided), here.seen):
            return
        ids = set(map(id, grads))
        for leaf, known in known_leaves.items():
            if id(leaf.grad) not in ids or not known.rewritten(leaf.grad) or (
                    not known.events or known.events[-1].kind != "pass"):
                continue
            (_, line), now, before = last_write(leaf.grad) or (0, None), numbers(leaf.grad), (
                known.given)
            if _norm(now) < FELL * _norm(before):
                _scaled.setdefault(leaf, lambda: deque(maxlen=MOST)).append(
                    Scaled(line, divided, factor, _norm(before), _norm(now)))


def _norm(found: Numbers | None) -> float:
    return found.norm or 0.0 if found is not None else 0.0
