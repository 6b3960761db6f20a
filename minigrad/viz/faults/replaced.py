"""For `why`: optimizers that were made anew, and what was left of the earlier ones."""
from __future__ import annotations

import ast

from ..drawing.explanation import Fix
from ..program.given import held_by
from ..program.node_lines import only_line
from ..program.parsed import last_name
from ..program.training_text import kinds_of
from ..watching.history import history_of
from ..watching.steppers import number_of, went_on
from .answer import Answer, place
from .evidence import Case
from .made import assigned_line
from .schedules import schedules_of
from .steps import steps_of

FEWEST, FEWEST_NEW = 2, 3  # steps, so that no finding rests on one


def schedule_of_another(case: Case) -> Answer | None:
    """A schedule that goes on with an optimizer which takes no steps, while another takes them."""
    steps = steps_of(case)
    own = [one for one in steps if one.by == steps[-1].by]
    if len(own) < FEWEST or len({one.lr for one in own}) > 1:
        return None
    by = own[-1].by
    name = next((held for held, one, _ in case.training.holders if number_of(one) == by), "")
    taker = name or f"an optimizer ({own[-1].optimizer}) that no variable here holds"
    found = schedules_of(case)
    if any(number_of(schedule.optimizer) == by for _, schedule in found):
        return None
    for path, schedule in found:
        went, old = went_on(schedule), schedule.optimizer
        if went is None or went.steps < FEWEST or went.order > own[0].order or not any(
                step.by == by for leaf in held_by(old) for step in history_of(leaf)):
            continue
        line = assigned_line(case, path)
        call = only_line(part for part in case.program.parts for kind, owner in kinds_of(part)
                         if kind == "step" and last_name(owner) == path.rpartition(".")[2])
        rates = " and ".join(f"{float(group['lr']):.4g}" for group in old.param_groups)
        return Answer("old schedule", f"The last {len(own)} steps{place(own[-1].line)} that took "
                      f"{case.name} were those of {taker}, each with the learning rate "
                      f"{own[-1].lr:.4g}, and no schedule here sets it. {path}{place(line)} "
                      f"holds another one ({type(old).__name__}), which took no step in that time. "
                      f"{path}.step(){place(call)} still ran, before at least {went.steps} "
                      f"of these steps; the learning rate of the other one is {rates} now.",
                      [_anew(case, path, name)], [case.tensor], line=line or call)
    return None


def _anew(case: Case, path: str, name: str) -> Fix:
    origin = case.program.assigned(path) if path.isidentifier() else None
    made = origin.expression if origin else None
    given = made.args[0] if isinstance(made, ast.Call) and made.args else None
    code = f": `{path} = {ast.unparse(made or ast.Pass())}`" * (
        isinstance(given, ast.Name) and given.id == name)
    maker = f"makes {name}{place(assigned_line(case, name)) or ' anew'}" if name else (
        "makes the optimizer anew")
    return Fix(f"Make {path} anew after the line that {maker}{code}.", "the schedule begins anew")


def new_in_each_step(case: Case) -> Answer | None:
    """Steps each of which was the first of another optimizer, one that keeps averages."""
    steps = steps_of(case)
    if len(steps) < FEWEST_NEW or len({one.by for one in steps}) < len(steps) or not all(
            one.first for one in steps):
        return None
    between = [one for one in case.history if steps[0].order < one.order < steps[-1].order]
    if any(one.kind == "written" for one in between) or len(steps) < sum(
            one.in_step for one in between):
        return None  # each begins with other numbers, or looks at the loss several times
    kind = steps[-1].optimizer
    calls = [part for part in case.program.parts if isinstance(part, ast.Call)
             and last_name(part.func) == kind]
    line = only_line(calls)
    text = f", as in `{ast.unparse(calls[0])}`," * (line is not None)
    return Answer("new optimizer", f"Each of the {len(steps)} steps{place(steps[-1].line)} that "
                  f"took {case.name} was the first of another {kind}{place(line)}, which had kept "
                  "nothing of the steps before it, such as momentum or averages.",
                  [Fix(f"Make one {kind}{text} before the loop over the steps, and use it in each.",
                       "none; a rate that changes is then set by a schedule, or in its "
                       "`param_groups`")], [case.tensor], line=line or steps[-1].line)
