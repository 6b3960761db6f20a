"""What happened to each leaf while it was watched: passes, zeroings, steps, and other writes.

An event is plain. What nobody can be asked about, such as `w.grad = None`, is found by comparing a
leaf with what it was after its last event, so it is noted a little later: at the next event, or
when somebody asks.
"""
from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ..graph.facts import unheard, version_of
from ..graph.node_records import Line
from ..graph.norms import Numbers
from ..program.given import held_by
from .events import Event, Late, Step, forget_taken, since_judged
from .here import WhileAlive, here, measured, order
from .large import is_large, norm_of, numbers
from .write_records import last_write, line_here, lines_since, writes_of

MOST = 1000  # events of a leaf, and steps, that are remembered


class _Leaf:
    """The events of a leaf, and what it was like after the last one."""

    def __init__(self, leaf: Any) -> None:
        self.events: deque[Event] = deque(maxlen=MOST)
        # the gradient before a pass is what the last event left; there was one
        self.untouched = self.there = self.unseen = False
        self.late: deque[Late] = deque(maxlen=MOST)  # writes to .grad from a step to a zeroing
        self.early, self.most_lr = dict[Line | None, int](), 0.0  # the last before a step, by line
        self.settle(leaf)

    def settle(self, leaf: Any, weight: bool = True, given: Numbers | None = None) -> None:
        """Take over what the leaf is like; `weight` is whether it may have been written.

        `given` are the numbers of its gradient where these have just been found.
        """
        grad = leaf.grad
        self.grad = None if grad is None else weakref.ref(grad)
        self.given = numbers(grad) if given is None or grad is None else given
        self.given_version = version_of(grad)
        if weight:
            self.version, self.weight, self.write = version_of(leaf), _norm(leaf), last_write(leaf)

    def rewritten(self, grad: Any) -> list[Line | None]:
        """The lines that wrote a gradient in place since the last event; None is one not seen."""
        if self.grad is None or self.grad() is not grad or version_of(grad) == self.given_version:
            return []
        return lines_since(grad, self.events[-1].order if self.events else 0, self.given_version)

    def note(self, kind: str, line: Line | None, **facts: Any) -> None:
        self.events.append(Event(kind, line, next(order), version=self.version, **facts))


known_leaves: WhileAlive[_Leaf] = WhileAlive()
_steps: deque[Step] = deque(maxlen=MOST)


@unheard
def history_of(leaf: Any, earlier: bool = False) -> list[Event]:
    """What happened to a leaf while it was watched, in order.

    While a watch judges what it saw, only with `earlier` what happened in watches before it.

    Example:
        with watch():
            loss.backward()
            optimizer.step()
        [event.kind for event in history_of(w)]  # ["pass", "step"]
    """
    known = known_leaves.get(leaf)
    if known is None:
        return []
    with suppress(Exception):  # a leaf that can't be read any more
        _compare(leaf, known)
    return list(known.events) if earlier else since_judged(known.events)


def steps() -> list[Step]:
    """The steps of optimizers that were watched, in order."""
    return list(_steps)


def last_step(leaf: Any) -> Event | None:
    """The last event of a leaf if that is a step of an optimizer."""
    events = known.events if (known := known_leaves.get(leaf)) is not None else None
    return events[-1] if events and events[-1].kind == "step" else None


def before_pass(leaf: Any) -> bool:
    """Whether a pass that has come to a leaf adds to numbers that are there."""
    known = _known(leaf)
    known.unseen = False
    before = known.given, known.given_version
    found = _compare(leaf, known)
    known.untouched, known.there = before == (found, version_of(leaf.grad)), found is not None
    return bool(found and found.norm)


def after_pass(leaf: Any, line: Line | None, repeats: int = 0, part: int = 0, **facts: Any) -> None:
    """A pass has come to a leaf; `repeats` and `part` are the earlier pass of an `Event`."""
    known = _known(leaf)
    facts.update(repeats=repeats, part=part) if known.untouched else None
    # What has arrived is the gradient, but for such hooks; those of minigrad have another name. The
    # norm of many numbers depends a little on their order in memory, which may change.
    hooks = getattr(leaf, "_post_accumulate_grad_hooks", True)
    alone = not (known.there or hooks or is_large(leaf))
    known.settle(leaf, known.version != version_of(leaf), facts["arrived"] if alone else None)
    known.note("pass", line, grad=known.given, in_step=bool(here.steps), **facts)


def explain_zero(leaf: Any) -> None:
    """Note that the last pass left zeros because another leaf is still 0."""
    known = known_leaves.get(leaf)
    if known is not None and known.events and known.events[-1].kind == "pass":
        known.events.append(known.events.pop()._replace(zero_at_first=True))


@measured
@unheard
def look_at(leaf: Any) -> None:
    """Compare a leaf with what it was, right after a line that may have emptied its gradient."""
    if (known := known_leaves.get(leaf)) is not None:
        with suppress(Exception):
            _compare(leaf, known, line_here)


@measured
@unheard
def look_before(leaf: Any) -> None:
    """Note a write to a gradient that a step has taken, right before it may be emptied."""
    known = known_leaves.get(leaf)
    if known is not None and known.rewritten(leaf.grad) and last_step(leaf) and (
            now := numbers(leaf.grad)) and now.norm:  # else it has been emptied
        line, taken = (last_write(leaf.grad) or (0, None))[1], known.events[-1].grad
        known.late.append(Late(next(order), line, taken.norm if taken else None, now.norm))


def late_writes(leaf: Any) -> tuple[list[Late], dict[Line | None, int]]:
    """The writes to .grad between a step and a zeroing; the lines of those before a step."""
    if (known := known_leaves.get(leaf)) is None:
        return [], {}
    return ([one for one in known.late if one.order > here.since],
            {line: at for line, at in known.early.items() if at > here.since})


def held_leaves(owner: Any) -> list[Any]:
    """All leaves that an optimizer or a model holds."""
    return list(held_by(owner) if getattr(owner, "param_groups", None) else owner.parameters())


def _known(leaf: Any) -> _Leaf:
    return known_leaves.setdefault(leaf, lambda: _Leaf(leaf))


def _compare(leaf: Any, known: _Leaf,
             emptying: Callable[[], Line | None] | None = None) -> Numbers | None:
    """Write down that the leaf was written, or its gradient emptied, since the last event.

    Returns what its gradient is now. `emptying` tells the line that may have emptied it, which
    writes nothing else, so that only the version of the leaf is looked at.
    """
    there, grad, before, line = known.grad, leaf.grad, known.given, None
    if not here.watches and not here.since and _passed_unseen(leaf, known):
        known.unseen = True
        known.events.clear()
        forget_taken(leaf)
    emptied = there is not None and (grad is None or there() is not grad)
    now = numbers(grad)
    if not emptied and before is not None and before.norm and now is not None and now.norm == 0:
        emptied = True
        line = next((line for _, line in (writes_of(grad) or ())[-1:]), None)
    if here.steps:  # a step that calls its closure several times
        known.settle(leaf, given=now)
    elif version_of(leaf) != known.version or not emptying and str(_norm(leaf)) != str(
            known.weight):  # nan != nan
        write = last_write(leaf)
        seen = write[1] if write is not None and write != known.write else None
        known.settle(leaf, given=now)
        known.note("written", seen, weight=known.weight)
    if emptied:
        known.settle(leaf, weight=False, given=now)
        known.note("emptied", emptying() if emptying else line, grad=known.given)
    return now


def _passed_unseen(leaf: Any, known: _Leaf) -> bool:
    """Whether a pass outside of all watches has brought the gradient that is there now."""
    grad, there = leaf.grad, known.grad() if known.grad is not None else None
    new = grad is not there or (version_of(grad) != known.given_version
                                and version_of(leaf) != known.version)
    return new and any(one.kind == "pass" for one in known.events) and bool(
        (found := numbers(grad)) and found.norm)


def unseen(leaf: Any) -> bool:
    """Whether all that is known of a leaf is of passes before the one that brought its gradient."""
    history_of(leaf)
    return not here.since and (known := known_leaves.get(leaf)) is not None and known.unseen


def _norm(tensor: Any) -> float | None:
    with suppress(Exception):
        return norm_of(tensor)
    return None
