"""Which optimizer took a step, what it had kept of a leaf, and schedules of those that take none.

Optimizers and schedules are told apart by a number, as two of one class have one name.
"""
from __future__ import annotations

from collections.abc import Iterable
from types import FrameType
from typing import Any, NamedTuple

from ..graph.facts import is_tensor
from ..graph.node_records import Line
from ..program.given import schedules_in
from .here import WhileAlive, order


class Went(NamedTuple):
    """How far a schedule went on since its optimizer took its last step."""

    epoch: Any  # its last_epoch when it was last looked at
    steps: int = 0  # of other optimizers, since each of which it had gone on
    order: int = 0  # of the last step of its own optimizer; 0: none was seen
    line: Line | None = None


_numbers: WhileAlive[int] = WhileAlive()  # by optimizer
_went: WhileAlive[Went] = WhileAlive()  # by schedule


def number_of(optimizer: Any) -> int:
    return _numbers.setdefault(optimizer, lambda: next(order))


def went_on(schedule: Any) -> Went | None:
    """What is known of a schedule; None where no watch has found it."""
    return _went.get(schedule)


def keeps(optimizer: Any, leaf: Any) -> bool:
    """Whether an optimizer has kept something of earlier steps of a leaf, such as averages."""
    kept = optimizer.state.get(leaf) or {}
    if "step" in kept and not float(kept["step"]):
        return False
    return any(is_tensor(one) and one.shape == leaf.shape for one in kept.values())


def note_schedules(frames: Iterable[FrameType]) -> None:
    """Look from now on at the schedules in the variables of frames."""
    for _, schedule in schedules_in(frames):
        _went.setdefault(schedule, lambda: Went(schedule.last_epoch))  # noqa: B023


def note_step(optimizer: Any, line: Line | None) -> None:
    """An optimizer has taken a step."""
    for schedule, went in _went.items():
        epoch = schedule.last_epoch
        if schedule.optimizer is optimizer:
            _went.set(schedule, Went(epoch, 0, next(order), line))
        elif epoch != went.epoch:
            _went.set(schedule, went._replace(epoch=epoch, steps=went.steps + 1))
