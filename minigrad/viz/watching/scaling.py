"""Gradients that were limited while they still held the factor of a GradScaler or of the loss."""
from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from ..graph.kept import stem_of
from ..graph.node_records import Line, passed
from ..graph.norms import Numbers
from .here import OFTEN, WhileAlive, here, looked_at, measured, order
from .history import known_leaves
from .large import memory_of, numbers
from .write_records import last_write, line_here

UNSCALING = "_amp_foreach_non_finite_check_and_unscale_"
FELL = 0.99  # times its norm after the pass: a smaller gradient was limited
MOST = 100
DIVIDING = ("div_", "divide_", "__itruediv__", "__idiv__", "_foreach_div_")
MULTIPLYING = ("mul_", "multiply_", "__imul__", "_foreach_mul_")
UNSCALES = frozenset((UNSCALING, *DIVIDING, *MULTIPLYING))
SAME = 1e-3


class Scaled(NamedTuple):
    """A gradient that became smaller between its pass and the line that divided the factor out."""

    line: Line | None  # that wrote it
    divided: Line | None
    factor: float
    after_pass: float  # its norm
    limited: float  # ... right before the division
    by_scaler: bool
    order: int  # grows over all leaves


_scaled: WhileAlive[deque[Scaled]] = WhileAlive()  # by leaf


def scaled_of(leaf: Any) -> list[Scaled]:
    return [one for one in _scaled.get(leaf) or () if one.order > here.since]


@measured
def note_unscaling(name: str, arguments: Any) -> None:
    """The factor is about to be divided out of gradients: a scaler's, or that of the last loss."""
    if name != UNSCALING and not here.factors:
        return
    with suppress(Exception):  # watching never fails in the place of the program
        by_scaler, grads = name == UNSCALING, arguments[0]
        factor = 1 / float(arguments[2]) if by_scaler else _factor(name, arguments[1])
        divided = line_here()
        if factor == 1 or not looked_at((UNSCALING, divided), here.seen, OFTEN if by_scaler else
                                        MOST):
            return
        owners = set(map(memory_of, grads if isinstance(grads, (list, tuple)) else [grads]))
        for leaf, known in known_leaves.items():
            if not known.events or known.events[-1].kind != "pass" or (
                    not known.rewritten(leaf.grad) or memory_of(leaf.grad) not in owners):
                continue
            (_, line), now, before = last_write(leaf.grad) or (0, None), numbers(leaf.grad), (
                known.given)
            if _norm(now) < FELL * _norm(before):
                _scaled.setdefault(leaf, lambda: deque(maxlen=MOST)).append(
                    Scaled(line, divided, factor, _norm(before), _norm(now), by_scaler,
                           next(order)))


def _factor(name: str, number: Any) -> float:
    """What a line divides gradients by, if the last loss was multiplied by it; else 1."""
    if type(number) not in (int, float) or not number:
        return 1.0
    found = float(number) if name in DIVIDING else 1 / number
    return found if any(abs(found - one) <= SAME * one for one in here.factors) else 1.0


def note_factors(nodes: Sequence[Any]) -> None:
    """A pass has ended: keep the numbers above 1 by which its result had been multiplied."""
    here.factors, node, nr = [], nodes[-1] if nodes else None, 0
    while node is not None and (found := passed(node)) and (one := found[nr]) and one.size == 1:
        here.factors += [size for size in [one.norm or 0.0] if size > 1]
        if stem_of(node.name()) not in ("Mul", "Div"):
            break
        node, nr = next(((before, at) for before, at in node.next_functions if before is not None),
                        (None, 0))


def _norm(found: Numbers | None) -> float:
    return found.norm or 0.0 if found is not None else 0.0
