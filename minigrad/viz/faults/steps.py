"""For `why`: sums over passes, and parameters that no step changes, or that a step changes by mistake."""
from __future__ import annotations

import ast
from typing import Any

from ..drawing.explanation import Fix
from ..graph.facts import is_tensor, numbers, storage_of, version_of
from ..program.places import Line, line_of
from ..program.ran import around, may_have_run, statement_of
from ..program.source import loop_variables
from ..watching.here import here
from ..watching.history import doubled as doubled_pass
from ..watching.history import history_of
from .evidence import Answer, Case, place
from .zero import all_zero

SUM = "none, unless the sum of both passes is wanted"


# --- sums over passes

def doubled(case: Case) -> Answer | None:
    """A pass that added to a gradient with which a step was taken, or a second pass without any step."""
    name, events = case.name, history_of(case.tensor)
    found = doubled_pass(earlier := history_of(case.tensor, earlier=True))
    if found and found.order > here.since:
        steps = [one for one in earlier if one.kind == "step" and one.order < found.order]
        taken = f", with which a step{place(steps[-1].line)} had been taken" if steps else ""
        return Answer("doubled",
                      f"{name}.grad is a sum over passes: the pass{place(found.line)} added to "
                      f"the gradient that an earlier one had left there{taken}.",
                      [_empty_fix(case, bool(steps))], [case.tensor], line=found.line)
    if any(one.kind == "pass" for one in events) or not version_of(case.tensor.grad):
        return None  # a second pass writes to .grad in place
    if (event := case.training.adding()) is None or not _ran_twice(case, event):
        return None
    stepped = any(kind == "step" for kind, _ in case.training.everywhere)
    return Answer("not emptied",
                  f"Nothing empties {name}.grad between one backward(){place(event.line)} "
                  "and the next, so it is a sum over passes as soon as a second one has run.",
                  [_empty_fix(case, stepped)], [case.tensor],
                  more="watch() tells which pass added to it.", line=event.line)


def _ran_twice(case: Case, event: Any) -> bool:
    """Whether it took two passes to write to .grad in place: one pass sums several uses of a leaf so, too."""
    if not event.loops or len(case.users.get(id(case.node), ())) < 2:
        return True
    return any(type(round_ := case.program.held(loop.target)) is int and round_ > 0
               for loop in event.loops if isinstance(loop, ast.For)
               and isinstance(loop.target, ast.Name)
               and ast.unparse(loop.iter).startswith("range("))


def _empty_fix(case: Case, stepped: bool) -> Fix:
    holder = next((held for held, _, _ in case.training.holders), None)
    empty = f"{holder}.zero_grad()" if holder else f"{case.code}.grad = None"
    if not stepped:
        return Fix(f"Write `{empty}` between the two passes.", SUM)
    step = f"`{holder}.step()`" if holder else "the step"
    return Fix(f"Write `{empty}` before the passes whose gradients {step} is to take.", "none")


def emptied_too_early(case: Case) -> Answer | None:
    """A step that found no gradient, as it had been emptied since the pass."""
    if case.tensor.grad is not None and not all_zero(case.tensor.grad):
        return None
    events, found = history_of(case.tensor), None
    for before, after in zip(events, events[1:]):
        if before.kind == "emptied" and after.kind == "step" and any(
                one.kind == "pass" and one.order < before.order for one in events):
            found = before.line, after.line
    texts = [case.training.unrolled(), *case.training.of_functions()] if not events else []
    found = next(filter(None, map(_step_after_emptying, texts)), found)
    if found is None:
        return None
    empty, step = found
    return Answer("emptied early",
                  f"A step{place(step)} found nothing in {case.name}.grad, as it had been "
                  f"emptied{place(empty)} after the pass, so {case.name} doesn't move.",
                  [Fix("Empty gradients after the step, or before backward(): exchange the two "
                       "lines.",
                       "none")], [case.tensor], line=step)


def _step_after_emptying(events: list[Any]) -> tuple[Line, Line] | None:
    last: dict[str, Any] = {}
    for event in events:
        if event.unsure:
            return None
        if event.kind == "step" and last.get("empty") and last.get("backward"):
            return last["empty"].line, event.line
        last = {event.kind: event} if event.kind != "empty" else {**last, "empty": event}
    return None


# --- optimizers

def not_registered(case: Case) -> Answer | None:
    """A parameter in a list or an attribute that the model doesn't count among its parameters."""
    found = [one for one in case.names.outside if one.tensor is case.tensor
             and not case.training.holders]
    if not found:
        return None
    one = found[0]
    of = "Parameter" if is_tensor(one.part) else "Module"
    wrapped = {"list": f"nn.{of}List", "tuple": f"nn.{of}List",
               "dict": f"nn.{of}Dict"}.get(one.container)
    what = f"a {one.container}" if wrapped else "a tensor that is no nn.Parameter"
    line = _assignment(case, type(one.module).__name__, one.attribute)
    return Answer("not registered",
                  f"{one.owner}.{one.attribute} is {what}{place(line)}, so {case.name} is "
                  f"none of the parameters of {one.owner}, and no optimizer that was given these "
                  f"changes it.",
                  [Fix(f"Write `self.{one.attribute} = {wrapped or 'nn.Parameter'}(...)`.",
                       "none")],
                  [case.tensor], line=line)


def _assignment(case: Case, kind: str | None, attribute: str) -> Line | None:
    """The line in which a class of the program assigns an attribute, if there is one alone."""
    found = [line_of(one) for body, _, _ in case.program.scopes for outer in body
             for part in ast.walk(outer)
             if isinstance(part, ast.ClassDef) and kind in (None, part.name)
             for one in ast.walk(part) if isinstance(one, ast.Assign) and any(
                 isinstance(target, ast.Attribute) and target.attr == attribute
                 for target in one.targets)]
    return found[0] if len(set(found)) == 1 else None


def not_held(case: Case) -> Answer | None:
    """Optimizers, none of which holds the tensor."""
    if case.training.holders or not (names := case.training.strangers):
        return None
    if not is_parameter(case.tensor) and any(is_parameter(one)
                                             for one in case.training.held_by(names[0])):
        return None  # an input of the model, say
    line = _made_in(case, names[0])
    fix = Fix(f"Call `{names[0]}.add_param_group({{'params': [{case.code}]}})` before the first step().",
              "the memory for its averages, such as Adam's")
    return Answer("no optimizer",
                  f"No optimizer here holds {case.name}, so no step() changes it; {names[0]}"
                  f"{place(line)} holds others.", [fix], [case.tensor], line=line)


def _made_in(case: Case, name: str) -> Line | None:
    """The line that made an optimizer."""
    if "." in name:  # an attribute, which a class of the program assigns
        return _assignment(case, None, name.rpartition(".")[2])
    origin = case.program.assigned(name)
    return line_of(origin.expression) if origin else None


def is_parameter(tensor: Any) -> bool:
    return type(tensor).__name__ == "Parameter"


def no_rate(case: Case) -> Answer | None:
    """A learning rate of 0 that no schedule has brought about."""
    for name, _, group in case.training.holders:
        if float(group.get("lr", 1)) == 0 and not group.get("initial_lr"):
            line = _made_in(case, name)
            fix = Fix(f"Give {name} a learning rate above 0, such as `lr=0.01`.", "none")
            return Answer("no rate",
                          f"{name}{place(line)} holds {case.name} with the learning rate 0, so "
                          "its step() doesn't change it.", [fix], [case.tensor], line=line)
    return None


def stale(case: Case) -> Answer | None:
    """A frozen weight with a gradient that was left, which each step of its optimizer takes again."""
    tensor = case.tensor
    grad = tensor.grad if tensor.is_leaf else None
    if grad is None or not case.training.holders or not (norm := numbers(grad).norm):
        return None
    name, held = case.name, case.training.holders[0][0]
    return Answer("stale",
                  f"{name} doesn't require a gradient any more, but {name}.grad still holds one, "
                  f"with the norm {norm:.4g}, and {held} holds {name}: each step() goes on moving "
                  f"it.",
                  [Fix(f"Write `{case.code}.grad = None` where {name} is frozen.", "none")],
                  [tensor])


# --- memory that two tensors share

def alias(case: Case) -> Answer | None:
    """Two leaves in one memory; or a variable that was meant as a copy and changes with each step."""
    tensor, memory = case.tensor, storage_of(case.tensor)
    if len(case.common.by_memory.get(memory, ())) < 2:
        return None
    frame = case.names.frame
    loops = loop_variables(frame) if frame else set()
    for name, one in case.common.by_memory.get(memory, ()) if memory else ():
        root = name.partition("[")[0].partition(".")[0]
        if one is tensor or root in loops or one.shape != tensor.shape:
            continue
        if one.requires_grad and one.is_leaf:
            fix = Fix(f"Use one tensor in both places: `{case.code} = {name}`.",
                      "an optimizer has to be made after that line")
            return Answer("two leaves",
                          f"{case.name} and {name} are two leaves in the same memory: each has "
                          "a .grad of its own, and a step on one moves the other.", [fix],
                          [tensor, one])
        if not one.requires_grad and (found := _before_a_step(case, root)) is not None:
            line, code = found
            return Answer("no copy",
                          f"{name}{place(line)} is no copy of {case.name}: it is in the same "
                          f"memory, so each step changes it, too. {case.name}.grad is there.", [Fix(
                              f"Copy the numbers: `{code}`.",
                              f"a second tensor of {memory[1]} bytes")], [tensor, one], line=line)
    return None


def _before_a_step(case: Case, name: str) -> tuple[Line, str] | None:
    """Where a variable was assigned and what would copy it, if a step was taken after that."""
    places = [one for one in case.program._places(name) if one and not (
        isinstance(one.expression, ast.Constant))]
    if len(places) != 1 or not case.training.holders:
        return None
    expression = places[0].expression
    statement = statement_of(expression)
    loops = {id(outer) for _, outer in around(expression)
             if isinstance(outer, (ast.For, ast.While))}
    for event in case.training.of_kind("step"):
        later = event.line.line > (statement.end_lineno or 0) or loops & {id(one)
                                                                          for one in event.loops}
        same = event.line.filename == getattr(expression, "file", "")
        if later and same and may_have_run(case.program, event.call):
            text = ast.unparse(expression)
            whole = text.endswith("state_dict()") or isinstance(expression,
                                                                (ast.Dict, ast.DictComp, ast.List,
                                                                             ast.ListComp,
                                                                 ast.Tuple))
            copied = f"copy.deepcopy({text})" if whole else f"{text}.clone()"
            return line_of(expression), f"{name} = {copied}"
    return None


def written_between(case: Case) -> Answer | None:
    """A write through `.data` between the forward pass and backward(), which no version counts."""
    for event in case.training.of_kind("backward") if case.training.data_writes() else ():
        root = event.owner.id if isinstance(event.owner, ast.Name) else ""
        origin = case.program.assigned(root, event.call) if root else None
        if origin is None or not (node := _saved_it(case)):
            continue
        first, last = statement_of(origin.expression), statement_of(event.call)
        for line in case.training.data_writes():
            after = statement_of(line)
            same = line_of(first).filename == line_of(after).filename
            if same and first.end_lineno < after.lineno and after.end_lineno < last.lineno:
                return Answer("written",
                              f"{case.name} was written to through .data{place(line_of(after))} "
                              f"between the forward pass and backward(){place(event.line)}, which "
                              f"no version "
                              f"counts: {case.named(node)} had saved {case.name}, and computed "
                              f"with "
                              "the new numbers.",
                              [Fix("Move the write before the forward pass, or after backward().",
                                   "the result is computed without the write")], [node],
                              line=line_of(after))
    return None


def _saved_it(case: Case) -> Any:
    """A node that saved the tensor to compute the gradient of something, whether or not it was freed."""
    return next((node for node in case.between if case.saves(node, case.node)), None)
