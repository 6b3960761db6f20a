"""For `why`: learning rates that a schedule brought so low that steps change next to nothing."""
from __future__ import annotations

import ast
from typing import Any

from ..drawing.explanation import Fix
from ..graph.modules import members
from ..program.places import Line, only_line
from ..program.ran import LOOPS, around
from ..program.training import kinds_of
from ..watching.events import FEWEST, Event, taken_of
from . import optimizers
from .answer import Answer, place
from .evidence import Case
from .steps import steps_of

BY_EPOCHS = ("StepLR", "MultiStepLR", "ExponentialLR")  # their arguments usually count epochs
EACH_EPOCH = Fix("Where the schedule counts epochs, call its step() once in each of them.", "none")


def rate_fell(case: Case) -> Answer | None:
    """The last steps, with learning rates far below an earlier one, which changed next to nothing.

    What is said of one parameter is true of all of its model: the fewest steps are told,
    with the rates of those that took no more of each schedule.
    """
    steps, taken = steps_of(case), taken_of(case.tensor)
    if not steps or not taken.fell or not steps[-1].most_lr:
        return None
    _, model = case.common.model_of.get(id(case.tensor), ("", None))
    leaves = [case.tensor] if model is None else [one for _, one in members(model)]
    alike = sorted((one for one in map(taken_of, leaves) if one.fell and one.count == taken.count),
                   key=lambda one: -one.idle)
    count, rate = alike[-1].idle, max({one.last_low: one.rate for one in alike}.values())
    last = steps[-1]
    line, calls, _ = _schedule_calls(case, last)
    what = "changed nothing" if all(one.still >= count for one in alike) else (
        f"each changed {case.name} by less than a ten-millionth of its size")
    return Answer("no rate", f"The last {count} of {taken.count} steps{place(last.line)} took "
                  f"{case.name} with the learning rate {'0' if not rate else f'{rate:.4g}'}"
                  f"{' or less' * bool(rate)}, and {what}; an earlier step had "
                  f"{last.most_lr:.4g}.{calls}",
                  [Fix("Let the schedule end higher, or the training with the schedule.", "none"),
                   EACH_EPOCH], [case.tensor], line=line or last.line)


def rate_low(case: Case) -> Answer | None:
    """A schedule of epochs whose step() runs in the loop over batches, and rates that fell early.

    A schedule that is meant to count batches spends few of its steps far below its highest rate.
    """
    steps, taken = steps_of(case), taken_of(case.tensor)
    if not steps or taken.low < FEWEST or 3 * taken.low < taken.count:
        return None
    line, calls, found = _schedule_calls(case, steps[-1])
    if found is None or type(found[1]).__name__ not in BY_EPOCHS or (
            found[1]._step_count - 1 < taken.count):
        return None
    if sum(isinstance(outer, LOOPS) for _, outer in around(found[0])) < 2:
        return None
    return Answer("no rate", f"In {taken.low} of {taken.count} steps{place(steps[-1].line)} the "
                  f"learning rate of {case.name} was at most a hundredth of the highest, "
                  f"{steps[-1].most_lr:.4g}; the last one was {taken.last_low:.4g}.{calls}",
                  [EACH_EPOCH], [case.tensor], line=line or steps[-1].line)


def _schedule_calls(case: Case, step: Event) -> tuple[Line | None, str, Any]:
    """The only line that calls the step() of the tensor's schedule, how often that ran, and both.

    Where that isn't known: the line that made the schedule, if it is known, and nothing else.
    """
    name = case.training.holders[0][0] if case.training.holders else step.name
    made = optimizers.schedule_line(case, name)
    held = [one for _, one, _ in case.training.holders]
    found = [(part, one) for part in case.program.parts if isinstance(part, ast.Call)
             for kind, owner in kinds_of(part) if kind == "step"
             and type(getattr(one := case.program.held(owner), "_step_count", None)) is int
             and any(getattr(one, "optimizer", None) is optimizer for optimizer in held)]
    line = only_line(part for part, _ in found)
    if line is None or not place(line) or len({id(one) for _, one in found}) > 1:
        return made, "", None
    call, schedule = found[0]
    owner = ast.unparse(call.func).rpartition(".")[0]
    count = schedule._step_count - 1  # its __init__ is the first to call it
    return line, (f" The step() of {owner}{place(line)} was called {count} times"
                  f"{f'; {owner} is made{place(made)}' * bool(place(made))}."), found[0]
