"""What happened to each leaf while it was watched: passes, zeroings, steps, and other writes.

An event is plain. What nobody can be asked about, such as `w.grad = None`, is found by comparing a
leaf with what it was after its last event, so it is noted a little later: at the next event, or
when somebody asks.
"""
from __future__ import annotations

import weakref
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

from ..graph.facts import Numbers, is_tensor, numbers, unheard, version_of
from .here import WhileAlive, here, measured
from .records import Line, last_write, writes_of

MOST = 1000  # events of a leaf, and steps, that are remembered


@dataclass(frozen=True)
class Event:
    """Something that happened to a leaf: "pass", "emptied", "step" or "written".

    "written" is a write that no optimizer's step explains: `w -= ...` under no_grad, or `.data`.
    """

    kind: str
    line: Line | None  # None: nobody saw it
    order: int  # grows over all leaves
    grad: Numbers | None = None  # .grad after a pass or a zeroing, or as a step found it
    added: bool = False  # a pass: numbers other than 0 were there already
    of_pass: int = 0
    optimizer: str = ""  # its class
    name: str = ""  # the optimizer's, in the program
    lr: float | None = None
    update: float | None = None  # the norm of the change
    weight: float | None = None  # the norm of the leaf afterwards
    version: int | None = None  # of the leaf afterwards


class Step(NamedTuple):
    """One step of an optimizer, with all that it holds."""

    order: int
    line: Line | None
    optimizer: str
    name: str
    lrs: tuple[float, ...]  # of its groups
    held: int  # how many tensors


class _Leaf:
    """The events of a leaf, and what it was like after the last one."""

    def __init__(self, leaf: Any) -> None:
        self.events: deque[Event] = deque(maxlen=MOST)
        self.settle(leaf)

    def settle(self, leaf: Any, weight: bool = True) -> None:
        """Take over what the leaf is like; `weight` is whether it may have been written."""
        grad = leaf.grad
        self.grad = None if grad is None else weakref.ref(grad)
        self.given = numbers(grad)
        if weight:
            self.version, self.weight, self.write = version_of(leaf), _norm(leaf), last_write(leaf)

    def note(self, kind: str, line: Line | None, **facts: Any) -> None:
        self.events.append(Event(kind, line, next(_order), version=self.version, **facts))


_leaves: WhileAlive[_Leaf] = WhileAlive()
_steps: deque[Step] = deque(maxlen=MOST)
_order = count(1)


def next_order() -> int:
    """A number that is larger than those of all events so far."""
    return next(_order)


@unheard
def history_of(leaf: Any) -> list[Event]:
    """What happened to a leaf while it was watched, in order.

    Example:
        with watch():
            loss.backward()
            optimizer.step()
        [event.kind for event in history_of(w)]  # ["pass", "step"]
    """
    known = _leaves.get(leaf)
    if known is None:
        return []
    with suppress(Exception):  # a leaf that can't be read any more
        _compare(leaf, known)
    return list(known.events)


def steps() -> list[Step]:
    """The steps of optimizers that were watched, in order."""
    return list(_steps)


def doubled(events: list[Event]) -> Event | None:
    """The pass that added to a gradient by mistake; None for a sum that the program means to have.

    It is one if a step was taken with the old gradient, and another with the sum; or if there was
    no step at all. Several losses, and accumulation over some passes, have a step after them alone.
    """
    mistake = added = None
    stepped = False  # whether a step was taken with the gradient that is there
    for event in events:
        if event.kind == "emptied":
            stepped, added = False, None
        elif event.kind == "pass":
            added = event if event.added else added
            mistake = added if mistake and event.added else mistake
        else:  # a step, in an optimizer's hands or in others
            mistake = added if stepped and added else mistake
            stepped, added = True, None
    anybody = any(event.kind in ("step", "written") for event in events)
    return mistake or (None if anybody else added)


# ---------------------------------------------------------------- what a watch notes

def before_pass(leaf: Any) -> bool:
    """Whether a pass that has come to a leaf adds to numbers that are there."""
    _compare(leaf, _known(leaf))
    there = numbers(leaf.grad)
    return bool(there and there.norm)


def after_pass(leaf: Any, added: bool, line: Line | None, number: int) -> None:
    known = _known(leaf)
    known.settle(leaf, weight=known.version != version_of(leaf))
    known.note("pass", line, grad=known.given, added=added, of_pass=number)


@measured
@unheard
def look_at(leaf: Any, line: Line | None) -> None:
    """Compare a leaf with what it was, right after a line that may have emptied its gradient."""
    if (known := _leaves.get(leaf)) is not None:
        with suppress(Exception):
            _compare(leaf, known, line)


def look_at_all(owner: Any, line: Line | None) -> None:
    """The same, for all leaves that an optimizer or a model holds."""
    groups = getattr(owner, "param_groups", None)
    held = [one for group in groups for one in group["params"]] if groups else owner.parameters()
    for leaf in held:
        look_at(leaf, line)


@unheard
def before_step(optimizer: Any) -> list[tuple[Any, float | None, Numbers | None, Any]]:
    """(leaf, learning rate, gradient, copy) for all that an optimizer holds."""
    found = []
    with suppress(Exception):  # watching never fails in the place of the program
        for group in optimizer.param_groups:
            lr = float(group["lr"]) if "lr" in group else None
            for leaf in filter(is_tensor, group["params"]):
                _compare(leaf, _known(leaf))
                found.append((leaf, lr, numbers(leaf.grad), leaf.detach().clone()))
    return found


@unheard
def after_step(optimizer: Any, held: list[Any], line: Line | None, name: str) -> Step | None:
    with suppress(Exception):
        kind = type(optimizer).__name__
        for leaf, lr, grad, copy in held:
            known = _known(leaf)
            known.settle(leaf)
            known.note("step", line, grad=known.given if grad is None else grad, optimizer=kind,
                       name=name, lr=lr, update=_norm(leaf.detach() - copy), weight=known.weight)
        lrs = tuple(float(group.get("lr", "nan")) for group in optimizer.param_groups)
        _steps.append(Step(next(_order), line, kind, name, lrs, len(held)))
        return _steps[-1]
    return None


def _known(leaf: Any) -> _Leaf:
    return _leaves.get(leaf) or _leaves.set(leaf, _Leaf(leaf))


def _compare(leaf: Any, known: _Leaf, line: Line | None = None) -> None:
    """Write down that the leaf was written, or its gradient emptied, since the last event."""
    there, grad, before = known.grad, leaf.grad, known.given
    emptied = there is not None and (grad is None or there() is not grad)
    now = None if emptied or before is None or not before.norm else numbers(grad)
    if now is not None and now.norm == 0:
        emptied = True
        line = line or next((line for _, line in (writes_of(grad) or ())[-1:]), None)
    if here.steps:  # a step that calls its closure several times
        known.settle(leaf)
    elif version_of(leaf) != known.version or str(_norm(leaf)) != str(known.weight):  # nan != nan
        write = last_write(leaf)
        seen = write[1] if write is not None and write != known.write else None
        known.settle(leaf)
        known.note("written", seen, weight=known.weight)
    if emptied:
        known.settle(leaf, weight=False)
        known.note("emptied", line, grad=known.given)


def _norm(tensor: Any) -> float | None:
    with suppress(Exception):
        return float(tensor.detach().norm())
    return None
