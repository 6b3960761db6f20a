"""For `why`: learning rates that a schedule brought so low that steps change next to nothing."""
from __future__ import annotations

import ast
from typing import Any

from ..drawing.explanation import Fix
from ..graph.modules import members
from ..program.given import schedules_in
from ..program.node_lines import Line, line_of, only_line
from ..program.parsed import FUNCTIONS, last_name
from ..program.ran import LOOPS, around
from ..program.training_text import kinds_of
from ..watching.events import FEWEST, Event, taken_of
from . import optimizer_steps
from .answer import Answer, place
from .evidence import Case
from .steps import steps_of

LITTLE, SAME = 3e-5, 1e-6  # of the size of a parameter; of a rate
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
    line, calls, found = _schedule_calls(case, last)
    fixes = [Fix("Let the schedule end higher, or the training with the schedule.", "none"),
             EACH_EPOCH]
    if found and getattr(found[1], "gamma", 1) == 0:
        name = type(found[1]).__name__
        line = only_line(call for call in _makers(case, name) if _gives_zero(case, call)) or line
        calls += f" It is a {name} with gamma=0{place(line)}, which multiplies the rate by 0."
        fixes = [Fix("Give it a gamma above 0; with gamma=1 the rate stays what it is.", "none")]
    what = "changed nothing" if all(one.still >= count for one in alike) else (
        f"each changed {case.name} by less than a ten-millionth of its size")
    return Answer("no rate", f"The last {count} of {taken.count} steps{place(last.line)} took "
                  f"{case.name} with the learning rate {'0' if not rate else f'{rate:.4g}'}"
                  f"{' or less' * bool(rate)}, and {what}; an earlier step had "
                  f"{last.most_lr:.4g}.{calls}",
                  fixes, [case.tensor], line=line or last.line)


def _gives_zero(case: Case, call: ast.Call) -> bool:
    """Whether the gamma of a schedule is 0 in the call that makes it."""
    given = [one.value for one in call.keywords if one.arg == "gamma"]
    return any(getattr(one, "value", case.program.held(one)) == 0 for one in given)


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
    if len(_loops(case, found[0])) < 2:
        return None
    return Answer("no rate", f"In {taken.low} of {taken.count} steps{place(steps[-1].line)} the "
                  f"learning rate of {case.name} was at most a hundredth of the highest, "
                  f"{steps[-1].most_lr:.4g}; the last one was {taken.last_low:.4g}.{calls}",
                  [EACH_EPOCH], [case.tensor], line=line or steps[-1].line)


def rate_rises(case: Case) -> Answer | None:
    """A CosineAnnealingLR whose T_max counts epochs, and whose step() runs for each batch."""
    held = [one for _, one, _ in case.training.holders[:1]]
    for _, one in schedules_of(case) if len(steps_of(case)) >= FEWEST else ():
        most = getattr(one, "T_max", 0) if type(one).__name__ == "CosineAnnealingLR" else 0
        if one.optimizer in held and one.last_epoch > 3 * most > 3 and (
                one.last_epoch != most ** 2) and (found := case.common.once(
                "rises", one, lambda: _rises(case, one, most))):  # noqa: B023
            return found._replace(guilty=[case.tensor])
    return None


def _rises(case: Case, schedule: Any, most: int) -> Answer | None:
    """The same, where T_max is a number of the loop around that over the batches."""
    line, calls, found = _schedule_calls(case, steps_of(case)[-1])
    outer = _loops(case, found[0])[1:] if found and found[1] is schedule else []
    given = [part for call in _makers(case, "CosineAnnealingLR")
             for part in (*call.args[1:2], *(one.value for one in call.keywords))]
    if not outer or not any(_has(case, part, most) for part in given) or not _has(
            case, getattr(outer[-1], "iter", None), most):
        return None
    return Answer("rate rises", f"{calls.strip()} With T_max={most}, the rate is at its lowest "
                  f"after {most} calls and then rises again, until now "
                  f"{(schedule.last_epoch + most - 1) // (2 * most)} times. The loop around that "
                  f"over the batches{place(line_of(outer[-1]))} has that number, too: T_max counts "
                  "epochs.",
                  [EACH_EPOCH, Fix("Or give it as T_max the number of batches in all epochs.",
                                   "none")], line=line)


def _makers(case: Case, kind: str) -> list[ast.Call]:
    """The calls in the text that make a schedule of this kind."""
    return [part for part in case.program.parts
            if isinstance(part, ast.Call) and last_name(part.func) == kind]


def _has(case: Case, part: Any, number: int) -> bool:
    """Whether a number is in an expression, or a variable that holds it."""
    found = [one for one in ast.walk(part) if isinstance(one, ast.expr)] if part else []
    values = [getattr(one, "value", None) for one in found] + [*map(case.program.held, found)]
    return any(type(value) is int and value == number for value in values)


def _loops(case: Case, part: Any) -> list[Any]:
    """The loops around a part of the text, and around the only call of its function."""
    found = around(part)
    name = getattr(found[-1][1], "name", None) if found else None
    calls = [call for call, _ in case.program.calls if last_name(call.func) == name]
    return [outer for _, outer in (*found, *(around(calls[0]) if len(calls) == 1 else ()))
            if isinstance(outer, LOOPS)]


def schedules_of(case: Case) -> list[tuple[str, Any]]:
    """The schedules that the program's variables hold, each with its name."""
    frame = case.names.frame
    return case.common.once("schedules", case.names,
                            lambda: schedules_in([frame] if frame else []))


def rate_squared(case: Case) -> Answer | None:
    """A LambdaLR whose function returns a rate in place of a factor: the rate is squared.

    A warm-up may begin with such a factor by chance: its rate rises, and it names no rate.
    """
    steps = steps_of(case)
    name, optimizer, group = (case.training.holders or [("", None, {})])[0]
    base, most = group.get("initial_lr"), steps[-1].most_lr if steps else 0.0
    if type(base) is not float or len(steps) < FEWEST or max(
            abs(most - base * base), float(group["lr"]) - most) > SAME * most or any(
            one.ratio is None or one.ratio > LITTLE for one in steps):
        return None
    found = [one for _, one in schedules_of(case) if one.optimizer is optimizer]
    calls = _makers(case, "LambdaLR")
    if len(found) != 1 or len(calls) != 1 or type(found[0]).__name__ != "LambdaLR" or (
            found[0]._step_count < FEWEST) or not (rate := _named_rate(case, calls[0], base)):
        return None
    return Answer("no rate", f"Each of {len(steps)} steps{place(steps[-1].line)} took {case.name} "
                  f"with a learning rate of at most {most:.4g}, and changed it by at most "
                  f"{max(one.ratio or 0 for one in steps):.1g} of its size. LambdaLR"
                  f"{place(line_of(calls[0]))} multiplies what its function returns by the "
                  f"rate of {name}, {base:.4g}; the function is written with `{rate}`, which is "
                  f"{base:.4g}, too, and the first factor was {most / base:.4g}.",
                  [Fix(f"Have it return a factor, without `{rate}`, that is 1 where the rate is to "
                       f"be {base:.4g}.", "none")], [case.tensor], line=line_of(calls[0]))


def _named_rate(case: Case, call: ast.Call, base: float) -> str:
    """What in the text of the function of a LambdaLR is the rate itself; "": nothing is."""
    given = [*call.args[1:2], *(one.value for one in call.keywords if one.arg == "lr_lambda")]
    names = {getattr(part, "id", "") for part in given}
    bodies: list[ast.AST] = [part for part in given if isinstance(part, ast.Lambda)]
    bodies += [part for part in case.program.parts
               if isinstance(part, FUNCTIONS) and part.name in names]
    inside = [part for body in bodies for part in ast.walk(body)]
    rates: list[ast.expr] = [part for part in inside if isinstance(part, (ast.Name, ast.Attribute))
             and case.program.held(part) == base]
    rates += [part.left for part in inside if isinstance(part, ast.BinOp)
              and isinstance(part.op, ast.Mult) and getattr(part.left, "value", None) == base]
    return ast.unparse(rates[0]) if rates else ""


def _schedule_calls(case: Case, step: Event) -> tuple[Line | None, str, Any]:
    """The only line that calls the step() of the tensor's schedule, how often that ran, and both.

    Where that isn't known: the line that made the schedule, if it is known, and nothing else.
    """
    name = case.training.holders[0][0] if case.training.holders else step.name
    made = optimizer_steps.schedule_line(case, name)
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
