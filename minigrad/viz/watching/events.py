"""What a watch writes down of a leaf: an event each time something happens to it; and of a step."""
from __future__ import annotations

from collections.abc import Reversible
from itertools import takewhile
from typing import Any, NamedTuple

from ..graph.node_records import Line
from ..graph.norms import Numbers
from .here import WhileAlive, here

FELL, LEAST = 1e-6, 1e-7  # times the largest learning rate, and times the size of a parameter
LOW = 0.01  # times the largest learning rate
FEWEST = 2  # steps, so that no finding rests on one


class Event(NamedTuple):
    """Something that happened to a leaf: "pass", "emptied", "step" or "written".

    "written" is a write that no optimizer's step explains: `w -= ...` under no_grad, or `.data`.
    """

    kind: str
    line: Line | None  # None: it was not seen
    order: int  # grows over all leaves
    grad: Numbers | None = None  # .grad after a pass or a zeroing, or as a step found it
    arrived: Numbers | None = None  # what a pass added
    unhooked: Numbers | None = None  # what came before the leaf's hooks ran, where it has some
    hooks: int = 0  # how many it has
    added: bool = False  # a pass: numbers other than 0 were there already
    # A pass left zeros, as it came through a product with a leaf that is 0 and is about to move.
    zero_at_first: bool = False
    of_pass: int = 0
    in_step: bool = False  # a pass of a closure, whose gradient the step around it takes
    repeats: int = 0  # the earlier pass of the same result whose gradient was still there
    part: int = 0  # the earlier pass of a result that is part of this one's, or negative: of which
    # this one's is a part
    optimizer: str = ""  # its class
    name: str = ""  # the optimizer's, in the program
    by: int = 0  # the optimizer's number, see `steppers`
    first: bool = False  # it had kept nothing of the leaf before this step, and does so now
    frozen: bool = False  # a step took it while it didn't require a gradient
    lr: float | None = None
    most_lr: float = 0.0  # the largest of the leaf's steps until then
    update: float | None = None  # the norm of the change
    before: float | None = None  # the norm of the leaf before a step
    weight: float | None = None  # ... and afterwards
    version: int | None = None  # of the leaf afterwards

    def is_finite(self) -> bool:
        """Whether its gradient held neither NaN nor infinity, as far as that was measured."""
        return self.grad is None or not self.grad.nans + self.grad.infinite

    @property
    def ratio(self) -> float | None:
        """The norm of the change against that of the leaf before it, or after it if that was 0."""
        size = self.before or self.weight
        return self.update / size if size and self.update is not None else None


def since_judged(events: Reversible[Event]) -> list[Event]:
    """Those of the watch that judges what it saw, of a leaf's events in order."""
    return list(takewhile(lambda event: event.order > here.since, reversed(events)))[::-1]


class Step(NamedTuple):
    """One step of an optimizer, with all that it holds."""

    order: int  # grows over all leaves
    line: Line | None  # None: it was not seen
    optimizer: str
    name: str
    held: int  # how many tensors


class Taken:
    """How many steps took a leaf in one watch; events are forgotten when there are many."""

    def __init__(self) -> None:
        self.count = 0
        self.first: Event | None = None
        self.still = self.idle = 0  # of the last ones: changed nothing; see `add`
        self.rate = 0.0  # the largest of these idle ones
        self.low, self.last_low = 0, 0.0  # steps with LOW of the largest rate; the last such rate

    def add(self, step: Event) -> None:
        """Count a step. It is idle where a rate that fell far was too small for a float32."""
        self.count += 1
        self.first = self.first or step
        self.still = self.still + 1 if step.update == 0 else 0
        rate = step.lr
        if rate is not None and step.most_lr and rate <= LOW * step.most_lr:
            self.low, self.last_low = self.low + 1, rate
        idle = rate is not None and rate <= FELL * step.most_lr and (
            step.update == 0 or step.ratio is not None and step.ratio <= LEAST)
        self.rate = max(self.rate * (self.idle > 0), rate or 0) if idle else 0.0
        self.idle = self.idle + 1 if idle else 0

    @property
    def fell(self) -> bool:
        """Whether the last steps were idle. Rates above 0 count where half of all steps were:
        many schedules end near 0.
        """
        return self.idle >= FEWEST and not (self.rate and 2 * self.idle < self.count)


_taken: WhileAlive[dict[int, Taken]] = WhileAlive()  # by the beginning of the watch


def count_step(leaf: Any, step: Event, since: int) -> None:
    _taken.setdefault(leaf, dict).setdefault(since, Taken()).add(step)


def forget_taken(leaf: Any) -> None:
    _taken.setdefault(leaf, dict).clear()


def taken_of(leaf: Any) -> Taken:
    """The steps of the watch that is judged, or of the last one."""
    found = _taken.get(leaf) or {}
    return found.get(here.since, Taken()) if here.since else next(reversed(found.values()), Taken())


class Late(NamedTuple):
    """A write to a gradient that a step had taken, before it was emptied."""

    order: int  # grows over all leaves
    line: Line | None  # None: it was not seen
    taken: float | None  # the norm that the step took
    left: float  # the norm after the write
