"""What happens to the leaves of an optimizer in its step, and the step itself."""
from __future__ import annotations

from contextlib import suppress
from typing import Any

from ..graph.facts import is_tensor, unheard, version_of
from ..graph.node_records import Line
from ..graph.norms import Numbers
from .events import Step
from .here import here, measured, order
from .history import _compare, _known, _steps
from .large import moved_by, some_of
from .steppers import keeps, note_step, number_of
from .write_records import line_here


@unheard
def before_step(optimizer: Any) -> list[tuple[Any, float | None, Numbers | None, Any, Any, bool]]:
    """(leaf, rate, gradient, its version, copy, whether more is kept) for all that is held."""
    found = []
    with suppress(Exception):  # watching never fails in the place of the program
        for group in optimizer.param_groups:
            lr = float(group["lr"]) if "lr" in group else None
            for leaf in filter(is_tensor, group["params"]):
                known = _known(leaf)
                known.early.update(dict.fromkeys(known.rewritten(leaf.grad), next(order)))
                grad = _compare(leaf, known)
                found.append((leaf, lr, grad, version_of(leaf.grad), some_of(leaf),
                              keeps(optimizer, leaf)))
    return found


@unheard
def after_step(optimizer: Any, held: list[Any], line: Line | None, name: str) -> Step | None:
    with suppress(Exception):
        kind, by = type(optimizer).__name__, number_of(optimizer)
        for leaf, lr, grad, version, copy, kept_before in held:
            known = _known(leaf)
            kept = leaf.grad is not None and version_of(leaf.grad) == version
            before = known.weight
            known.settle(leaf, given=grad if kept else None)
            update = moved_by(leaf, copy, (known.weight or 0) - (before or 0))
            known.most_lr = max(known.most_lr, lr or 0)
            known.note("step", line, grad=grad or known.given, optimizer=kind, name=name, lr=lr,
                       most_lr=known.most_lr, update=update, before=before,
                       weight=known.weight, frozen=not leaf.requires_grad, by=by,
                       first=not kept_before and keeps(optimizer, leaf))
        note_step(optimizer, line)
        _steps.append(Step(next(order), line, kind, name, len(held)))
        return _steps[-1]
    return None


@measured
def step_begins(optimizer: Any) -> None:
    """An optimizer begins its step; one that calls the step of its base class takes one step."""
    inside = any(one is optimizer for one, _ in here.steps)
    here.steps.append((optimizer, None if inside else before_step(optimizer)))


@measured
def step_ends(optimizer: Any) -> None:
    one, held = None, None
    while here.steps and one is not optimizer:
        one, held = here.steps.pop()
    if one is not optimizer or held is None:
        return
    name = next(filter(None, (one.name_of(optimizer) for one in here.watches)), "")
    step = after_step(optimizer, held, line_here(), name)
    if step is not None:
        for one in list(here.watches):
            one.stepped(optimizer, step)
