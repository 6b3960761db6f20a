"""Which passes added to a gradient by mistake, from the history of a leaf."""
from __future__ import annotations

from math import inf, isclose
from typing import NamedTuple

from ..graph.norms import Numbers
from .events import Event

CLOSE = 1e-3  # two norms that differ by less are called the same


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


class Started(NamedTuple):
    """A pass, and how often its result has been started from since the last step or zeroing."""

    event: Event
    times: int
    alone: bool  # nothing but passes of this result is in the gradient


class Repeated(NamedTuple):
    """Passes that added the gradient of one result several times before a step took the sum."""

    first: Event
    last: Event
    step: Event
    times: int


def repeated(events: list[Event]) -> Repeated | None:
    """The last passes of one result with neither a step nor a zeroing between them, and their step.

    Without a step of an optimizer nothing is said: the sum may be what the program shows.
    """
    found = twice = last = None
    passes: dict[int, Started] = {}
    for event in events:
        if event.kind == "pass":
            before = passes.get(event.repeats)
            alone = not event.added if before is None else before.alone and before.event is last
            started = Started(event, 1 + (before.times if before else 0), alone)
            if before and _adds_the_same(before, started):
                twice = before.event, started
            passes[event.of_pass], last = started, event
        else:
            if event.kind == "step" and twice is not None:
                found = Repeated(twice[0], twice[1].event, event, twice[1].times)
            passes, twice = {}, None
    return found


def part_twice(events: list[Event]) -> tuple[Event, Event, Event] | None:
    """The passes of a part and of the whole before one step, in this order, and that step."""
    passes: dict[int, Event] = {}
    twice = None
    for event in events:
        if event.kind == "pass":
            before = passes.get(abs(event.part))
            if before is not None and event.added:
                twice = (before, event) if event.part > 0 else (event, before)
            passes[event.of_pass] = event
        elif event.kind == "step" and twice is not None:
            return *twice, event
        else:
            passes, twice = {}, None
    return None


def _adds_the_same(before: Started, now: Started) -> bool:
    """Whether a pass added what the one before it had; a hook or a Function may do otherwise."""
    first, second = _norm(before.event.arrived), _norm(now.event.arrived)
    same = now.event.added and 0 < first < inf and isclose(first, second, rel_tol=CLOSE)
    sums = _norm(before.event.grad) / before.times, _norm(now.event.grad) / now.times
    return same and (not now.alone or isclose(*sums, rel_tol=CLOSE))


def _norm(found: Numbers | None) -> float:
    return 0.0 if found is None or found.norm is None else found.norm
