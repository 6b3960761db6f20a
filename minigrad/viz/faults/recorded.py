"""For `why`: what the recorded calls and steps tell of a gradient that is None."""
from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..drawing.explanation import Fix
from ..graph.modules import inner_modules, joined, members
from ..program.entered import models_of
from ..program.lines import statement_at
from ..program.node_lines import Line, line_of
from ..program.operations import Operations
from ..program.parsed import last_name
from ..program.statements import mode_of
from ..watching.calls import Call, calls_with
from ..watching.cut_notes import HOOK, NUMBERS, REENTRANT, losses_of, reached_by_grad
from ..watching.events import Event
from ..watching.history import history_of
from ..watching.history import steps as every_step
from . import optimizer_steps, steps
from .answer import Answer, place
from .evidence import Case
from .made import replaced
from .steps import zero_at_first

HOW = {"integers": "as whole numbers, which have no slope",
       "booleans": "as booleans, which have no slope", "no_grad": "under no_grad",
       **{word: f"as a Python number, through {word}" for word in NUMBERS.values()}}
MEMORY = "what the operations save stays in memory until the pass"
SAMPLE = Fix("Call `rsample()` in place of `sample()`, which distributions such as Normal have.",
             MEMORY)
RECORDS_NOTHING = "That records nothing if none of its inputs requires a gradient."
NOT_REENTRANT = Fix("Pass `use_reentrant=False` to checkpoint().", "none")


def by_records(case: Case) -> Answer | None:
    """What a watch tells of a parameter that no pass reached: where its values went."""
    if any(event.kind == "pass" for event in case.history):
        return None
    known, losses = calls_with(case.tensor), losses_of(case.tensor)
    path, calls = known or ("", [])
    for word, line, _ in losses:
        if word.startswith(HOOK):
            return Answer("cut", f"{case.name}.grad is None, and {no_pass(case)}: "
                          f"{word}{place(line)} returned a value without a history, which "
                          "replaced what that module had computed.",
                          [Fix("Return nothing from this hook: the module's own result goes on.",
                               MEMORY)], [case.tensor], line=line)
    if reentrant := [one.line for one in losses if one.word == REENTRANT]:
        return of_checkpoint(case, reentrant[0])
    if calls and (found := _lost_in_calls(case, path, calls[-1])):
        return found
    if losses:
        word, line, is_leaf = losses[0]
        went = "what was computed from " * (not is_leaf) + case.name
        sampled = word == "no_grad" and _samples(line)
        quiet = quiet_line(case, line) if word == "no_grad" and not sampled else None
        again = f" It is switched off{place(quiet)}." if quiet else ""
        fix = Fix(f"Use the tensor itself{' in this line' * bool(place(line))}.", MEMORY)
        if word == "no_grad":
            fix = SAMPLE if sampled else Fix("Remove what switches recording off: the decorator, "
                                             "or the `with` line around the call.", MEMORY)
        elif word in ("tensor()", "as_tensor()"):
            fix = Fix(f"{fix.words[:-1]}, or torch.stack([...]) for several.", MEMORY)
        return Answer("cut", f"{case.name}.grad is None: {went} went on "
                      f"{HOW.get(word, f'through {word}')}{place(line)}, without its history, and "
                      f"{no_pass(case)}.{again}",
                      [fix] * (word not in ("integers", "booleans")), [case.tensor],
                      line=quiet or line)
    if known is None:
        return None
    if calls:
        # who takes the gradients from grad() needs no .grad; but an optimizer does
        enough = reached_by_grad(case.tensor) and not case.training.holders
        return Answer("grad()" if enough else "not used", f"{case.name}.grad is None: {path} was "
                      f"called{place(calls[-1].line)}, and {no_pass(case)}.", [],
                      [case.tensor], line=calls[-1].line)
    seen, unused = f"{path} was not called while the program was watched, and", path
    if any(event.kind == "pass" for one in _others(case, path) for event in history_of(one)):
        seen, unused = f"passes reached other parameters of {path}, and", case.name
    return Answer("not used", f"{case.name}.grad is None: {seen} no pass reached {case.name}.",
                  [Fix(f"Use {unused} in the forward computation, or take it out of the model.",
                       "none")], [case.tensor])


def no_pass(case: Case) -> str:
    """What is known of passes to a leaf, none of which left a gradient there."""
    reached = reached_by_grad(case.tensor)
    if not reached:
        return f"no pass reached {case.name}"
    line, count = next(iter(reached)), sum(reached.values())
    times = "once" if count == 1 else f"{count} times"
    return (f"no pass left a gradient there: grad(){place(line) * (len(reached) == 1)} returned "
            f"that of {case.name} {times}, and leaves .grad alone")


def used_before(case: Case) -> str:
    """What tells that passes filled the gradient before, as that of an expert in turn; or ""."""
    passes = [event for event in case.history if event.kind == "pass"]
    if passes:
        times = "an earlier pass" if len(passes) == 1 else f"{len(passes)} earlier passes"
        return f"{times}{place(passes[-1].line)} filled it"
    taken = [name for name, one, _ in case.training.holders if one.state.get(case.tensor)]
    return f"a step of {taken[0]} took it before, and keeps averages of it" if taken else ""


def _others(case: Case, path: str) -> list[Any]:
    """The parameters that a module holds itself."""
    root, model = case.common.model_of.get(id(case.tensor), ("", None))
    parts = inner_modules(model).items() if model is not None else ()
    return [one for inner, part in parts if joined(root, inner) == path
            for one in vars(part)["_parameters"].values() if one is not None]


def _samples(line: Line | None) -> bool:
    """Whether a line calls sample(), by which PyTorch's distributions record nothing."""
    return line is not None and any(getattr(part, "attr", "") == "sample" for part in ast.walk(
        statement_at(line.filename, line.line) or ast.Module([], [])))


def quiet_line(case: Case, line: Line | None) -> Line | None:
    """The line that switches recording off: the only one of the text, or one around `line`."""
    found: set[Line] = set()
    for part in case.program.parts:
        switches = [item.context_expr for item in getattr(part, "items", ())]
        switches += getattr(part, "decorator_list", [])
        for one in filter(lambda one: mode_of([one]), switches):
            where = line_of(one)
            inner = line is not None and where.filename == line.filename and (
                where.line <= line.line <= (getattr(part, "end_lineno", 0) or 0))
            if inner:
                return where
            found.add(where)
    others = any(getattr(part, "attr", "") == "set_grad_enabled" for part in case.program.parts)
    return found.pop() if len(found) == 1 and not others else None


def _lost_in_calls(case: Case, path: str, call: Call) -> Answer | None:
    """A module that was called under no_grad, or whose result another was given without history."""
    opening = f"{case.name}.grad is None: {path} was called{place(call.line)}"
    if not call.grad_enabled:
        return Answer("cut", f"{opening}, where nothing was recorded, as under no_grad.",
                      [Fix("Call it while operations are recorded.", MEMORY)], [case.tensor],
                      line=call.line)
    for later in call.root.calls():
        for source, had_history in later.sources:
            if had_history and later.number > call.number and (
                    source in call.around or source.number > call.number):
                found = (f"What {source.path} returned went into {later.path}{place(later.line)} "
                         "without its history, as after detach() or .data.")
                return Answer("cut", f"{opening}, and {no_pass(case)}. {found}",
                              [Fix("Pass it on with its history.", MEMORY)], [case.tensor],
                              line=later.line)
    return None


def unheld(case: Case) -> Answer | None:
    """A gradient that no step took, while steps took others that the same passes filled.

    Also one that was never emptied, though steps lay between its passes.
    """
    events = case.history
    passes = _passes(events)
    stepped = any(event.kind in ("step", "written") for event in events)
    _, model = case.common.model_of.get(id(case.tensor), ("", None))
    if case.training.holders or not passes or stepped or model is None:
        return None
    orders = [event.order for event in events]
    between = [one for one in every_step() if orders[0] < one.order < orders[-1]]
    if len(between) > 1 and all(event.kind == "pass" for event in events):
        held, line = between[0].name or f"the optimizer {between[0].optimizer}", between[0].line
        named = dict(case.training.optimizers).get(between[0].name)
        made = named and optimizer_steps.maker_line(case, between[0].name, named)
        said = f" {held} is made{place(made)}." * bool(place(made))
        return Answer("no optimizer", f"{len(events)} passes filled {case.name}.grad, and none of "
                      f"the {len(between)} steps between them took it: no optimizer that stepped "
                      f"holds {case.name}. The first of them was that of {held}{place(line)}."
                      f"{said}",
                      [Fix(f"Give {case.name} to the optimizer that is to change it, in the line "
                           "that makes it.", optimizer_steps.AVERAGES)], [case.tensor],
                      line=made or line)
    peers = case.common.once("histories", model, lambda: [
        (one, history_of(one)) for _, one in members(model)])
    for other, noted in peers:
        step = next((event for event in reversed(noted) if event.kind == "step"), None)
        if step is not None and _passes(noted) & passes:
            taken = case.names.of(other) or "others"
            held = step.name or f"the optimizer {step.optimizer}"
            named = dict(case.training.optimizers)
            name = step.name or "optimizer"
            line = optimizer_steps.maker_line(case, name, named.get(name)) or step.line
            more, new = replaced(case, name, named.get(name), line)
            return Answer("no optimizer", f"{case.name} has a gradient, and no step that was "
                          f"watched took it: {held}{place(line)}, whose step took that of {taken}, "
                          f"doesn't hold {case.name}.{more}",
                          [optimizer_steps.add_fix(case, name, named.get(name))],
                          [case.tensor], line=new or line)
    return None


def _passes(events: list[Event]) -> set[int]:
    return {event.of_pass for event in events if event.kind == "pass"}


def found_by_step(case: Case) -> Answer | None:
    """What was wrong with a gradient when the last step took it; it has been emptied since then."""
    step = next((one for one in reversed(case.history) if one.kind == "step"), None)
    if step is None or step.grad is None:
        return None
    grad, bad = step.grad, step.grad.nans + step.grad.infinite
    if bad:
        return Answer("nan", f"{bad} of {grad.size} numbers in {case.name}.grad were NaN or "
                      f"infinite when a step{place(step.line)} took them.", [], [case.tensor],
                      line=step.line)
    if grad.norm == 0 and grad.size:
        return zero_at_first(case) or Answer(
            "zero", f"Every number of {case.name}.grad was 0 when a step{place(step.line)} took "
            "it.", [], [case.tensor], more=case.common.looked_at(), line=step.line)
    return optimizer_steps.no_rate(case) or steps.doubled(case)


def taken_by_step(case: Case) -> Answer:
    """A gradient that a step took, and that was emptied since then."""
    step, last = next(reversed(steps.steps_of(case)), None), case.history[-1]
    return Answer("emptied", f"A step{place(step and step.line)} took {case.name}.grad, and since "
                  f"then it was emptied{place(last.line if last.kind == 'emptied' else None)}.",
                  [Fix(f"Read {case.name}.grad after backward() and before zero_grad().", "none")])


def in_checkpoint(case: Case) -> Answer | None:
    """A parameter in a reentrant checkpoint none of whose inputs requires a gradient."""
    return next((of_checkpoint(case, line) for line, models in reentrant(case.operations)
                 if any(case.common.holds(model, case.tensor) for model in models)), None)


def reentrant(operations: Operations) -> Iterator[tuple[Line, list[Any]]]:
    """(line, the models that it runs) of each reentrant checkpoint() in the text."""
    for part in operations.parts:
        call = part.expression
        if isinstance(call, ast.Call) and last_name(call.func) == "checkpoint" and all(
                getattr(one.value, "value", None) is True for one in call.keywords
                if one.arg == "use_reentrant"):
            yield part.line, models_of(call, part.program)


def of_checkpoint(case: Case, line: Line | None) -> Answer:
    return Answer("checkpoint", f"{case.name}.grad is None: {case.name} is used inside of "
                  f"a reentrant checkpoint(){place(line)}. {RECORDS_NOTHING}", [NOT_REENTRANT],
                  [case.tensor], line=line)
