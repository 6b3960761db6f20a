"""For `why`: learning rates that a schedule brought so low that steps change next to nothing."""
from __future__ import annotations

import ast
from typing import Any

from ..drawing.explanation import Fix
from ..program.places import Line, only_line
from ..program.ran import LOOPS, around
from ..program.training import kinds_of
from ..watching.events import Event
from . import optimizers
from .answer import Answer, place
from .evidence import Case
from .steps import steps_of

FELL, LEAST = 1e-6, 1e-7  # times the largest learning rate, and times the size of a parameter
LOW = 0.01  # times the largest learning rate
FEWEST = 2  # steps, so that no finding rests on one
BY_EPOCHS = ("StepLR", "MultiStepLR", "ExponentialLR")  # their arguments usually count epochs
EACH_EPOCH = Fix("Where the schedule counts epochs, call its step() once in each of them.", "none")


def rate_fell(case: Case) -> Answer | None:
    """The last steps, with learning rates far below an earlier one, which changed next to nothing.

    Rates above 0 count where half of the steps had such a one: many schedules end near 0.
    """
    steps = steps_of(case)
    since = max((at for at, event in enumerate(steps, 1) if not _is_idle(event)), default=0)
    idle, rate = steps[since:], max((event.lr or 0 for event in steps[since:]), default=0)
    if len(idle) < FEWEST or not idle[0].most_lr or rate and 2 * len(idle) < len(steps):
        return None
    line, calls, _ = _schedule_calls(case, idle[0])
    moved = any(event.update for event in idle)
    what = f"{case.name} by less than a ten-millionth of its size" if moved else "nothing"
    return Answer("no rate", f"The last {len(idle)} of {len(steps)} steps{place(idle[0].line)} "
                  f"took {case.name} with the learning rate {'0' if not rate else f'{rate:.4g}'}"
                  f"{' or less' * bool(rate)}, and changed {what}; an earlier step had "
                  f"{idle[0].most_lr:.4g}.{calls}",
                  [Fix("Let the schedule end higher, or the training with the schedule.", "none"),
                   EACH_EPOCH], [case.tensor], line=line or idle[0].line)


def rate_low(case: Case) -> Answer | None:
    """A schedule of epochs whose step() runs in the loop over batches, and rates that fell early.

    A schedule that is meant to count batches spends few of its steps far below its highest rate.
    """
    steps = steps_of(case)
    low = [one for one in steps
           if one.lr is not None and one.most_lr and one.lr <= LOW * one.most_lr]
    if len(low) < FEWEST or 3 * len(low) < len(steps):
        return None
    line, calls, found = _schedule_calls(case, low[0])
    if found is None or type(found[1]).__name__ not in BY_EPOCHS or (
            found[1]._step_count - 1 < len(steps)):
        return None
    if sum(isinstance(outer, LOOPS) for _, outer in around(found[0])) < 2:
        return None
    return Answer("no rate", f"In {len(low)} of {len(steps)} steps{place(low[0].line)} the "
                  f"learning rate of {case.name} was below a hundredth of the highest, "
                  f"{low[-1].most_lr:.4g}; the last one was {low[-1].lr:.4g}.{calls}",
                  [EACH_EPOCH], [case.tensor], line=line or low[0].line)


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


def _is_idle(event: Event) -> bool:
    """Whether a step with a rate far below an earlier one was too small for a float32."""
    return (event.lr is not None and event.lr <= FELL * event.most_lr
            and (event.update == 0 or event.ratio is not None and event.ratio <= LEAST))
