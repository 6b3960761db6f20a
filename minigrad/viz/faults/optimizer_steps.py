"""For `why`: parameters that no step changes, or that a step changes by mistake."""
from __future__ import annotations

import ast
import re
from typing import Any

from ..drawing.explanation import Fix
from ..graph.facts import is_tensor
from ..graph.modules import members
from ..program.given import held_by
from ..program.lines import flags_given
from ..program.names import as_code
from ..program.node_lines import Line, line_of, only_line
from ..program.parsed import last_name
from ..program.training_text import kinds_of
from .answer import Answer, place
from .copies import sharing
from .evidence import Case
from .made import assigned_line, assignment, freezing_line, made_in_forward, made_line, replaced
from .steps import left_alone, steps_of

SCHEDULES = ("LR", "Scheduler", "Restarts")  # how the classes of schedules end
AVERAGES = "the memory for its averages, such as Adam's"
TAKEN = ("lr", "weight_decay", "momentum")  # defaults that a new group takes and that change much
MOST = 12  # parameters that a fix lists


def not_registered(case: Case) -> Answer | None:
    """A parameter in a list or an attribute that the model doesn't count among its parameters."""
    one = next((one for one in case.names.outside if one.tensor is case.tensor), None)
    if one is None or case.training.holders:
        return None
    of = "Parameter" if is_tensor(one.part) else "Module"
    wrapped = {"list": f"nn.{of}List", "tuple": f"nn.{of}List",
               "dict": f"nn.{of}Dict"}.get(one.container)
    nested = one.name.removeprefix(f"{one.owner}.{one.attribute}").count("[") > 1
    keys = vars(one.module)[one.attribute] if one.container == "dict" else ()
    inner = ", and so with what it contains" * nested
    inner += ", and `str(key)` for each key" * any(type(key) is not str for key in keys)
    what = f"a {one.container}" if wrapped else "a tensor that is no nn.Parameter"
    line = assignment(case, type(one.module), one.attribute)
    return Answer("not registered",
                  f"{one.owner}.{one.attribute} is {what}{place(line)}, so {case.name} is none of "
                  f"the parameters of {one.owner}, and no optimizer that was given these changes "
                  "it.",
                  [Fix(f"Write `self.{one.attribute} = {wrapped or 'nn.Parameter'}(...)`{inner}.",
                       "none")], [case.tensor], line=line)


def not_held(case: Case) -> Answer | None:
    """Optimizers, none of which holds the tensor."""
    if case.training.holders or not (names := case.training.strangers):
        return None
    optimizer = dict(case.training.optimizers)[names[0]]
    if not is_parameter(case.tensor) and any(map(is_parameter, held_by(optimizer))):
        return None  # an input of the model, say
    if found := made_in_forward(case):
        where, text = line_of(found), ast.unparse(found)
        return Answer("no optimizer",
                      f"No optimizer here holds {case.name}: forward() makes it anew in each call"
                      f"{place(where)}, so what a step changes is lost with the next one.",
                      [Fix(f"Make it once: move `{text}` into __init__().", "none")],
                      [case.tensor], line=where)
    made, fix = maker_line(case, names[0], optimizer), add_fix(case, names[0], optimizer)
    more, new = replaced(case, names[0], optimizer, made)
    return Answer("no optimizer",
                  f"No optimizer here holds {case.name}, so no step() changes it; {names[0]}"
                  f"{place(made)} holds others.{more}", [fix, *sharing(case)], [case.tensor],
                  line=new or made)


def maker_line(case: Case, name: str, optimizer: Any) -> Line | None:
    """The only line that calls the class of an optimizer, or else that which assigns it."""
    kind = type(optimizer).__name__
    calls = (part for part in case.program.parts
             if isinstance(part, ast.Call) and last_name(part.func) == kind)
    return only_line(calls) or assigned_line(case, name)


def add_fix(case: Case, name: str, optimizer: Any) -> Fix:
    """Give an optimizer all the parameters that it lacks; the price is what they take with it."""
    _, model = case.common.model_of.get(id(case.tensor), ("", None))
    held = {id(one) for _, other in case.training.optimizers for one in held_by(other)}
    lacking = [one for one in (members(model) if model is not None else ())
               if is_parameter(one[1]) and one[1].requires_grad and id(one[1]) not in held]
    codes = [as_code(case.names.of(one) or own) for own, one in lacking]
    listed = codes if case.code in codes and optimizer is not None else [case.code]
    if len(listed) > MOST:
        return Fix(f"Give {name} these {len(listed)} parameters in the line that makes it: "
                   f"{', '.join(listed[:3])} and so on.", AVERAGES)
    call = f"{name}.add_param_group({{'params': [{', '.join(listed)}]}})"
    taken = ", ".join(f"{key}={value}" for key, value in getattr(optimizer, "defaults", {}).items()
                      if key in TAKEN and value)
    price = f"{AVERAGES}; the group takes {taken} unless it says otherwise" if taken else AVERAGES
    return Fix(f"Call `{call}` before the first step().", price)


def is_parameter(tensor: Any) -> bool:
    return type(tensor).__name__ == "Parameter"


def no_rate(case: Case) -> Answer | None:
    """A learning rate of 0 that no schedule set, or that each watched step had."""
    for name, _, group in case.training.holders:
        if float(group.get("lr", 1)) != 0:
            continue
        line = assigned_line(case, name)
        rise = Fix(f"Give {name} a learning rate above 0, such as `lr=0.01`.", "none")
        if not group.get("initial_lr"):
            return Answer("no rate",
                          f"{name}{place(line)} holds {case.name} with the learning rate 0, so "
                          "its step() doesn't change it.", [rise], [case.tensor], line=line)
        steps = steps_of(case)
        if len(steps) > 1 and all(event.lr == 0 for event in steps):
            line = schedule_line(case, name) or line
            return Answer("no rate",
                          f"Each of the last {len(steps)} steps that were watched took {case.name} "
                          f"with the learning rate 0: a schedule{place(line)} brings that of "
                          f"{name} from {group['initial_lr']} to 0.",
                          [Fix("Let the schedule begin above 0, such as with `(step + 1) / n`; "
                               "`//` rounds down to 0.", "none")], [case.tensor], line=line)
        if not steps and (line := schedule_line(case, name, rounded=True)):
            return Answer("no rate",
                          f"{name} holds {case.name} with the learning rate 0: a schedule"
                          f"{place(line)}, which rounds down with `//`, has brought it from "
                          f"{group['initial_lr']} to 0, so its step() doesn't change it.",
                          [Fix("Divide with `/`, and let the schedule begin above 0, such as with "
                               "`(step + 1) / n`.", "none")], [case.tensor], line=line)
    return None


def schedule_line(case: Case, name: str, rounded: bool = False) -> Line | None:
    """The line that gives an optimizer to a schedule.

    `rounded`: one whose rate is a `//` and that doesn't fall, as `1 - step // n` does at its end.
    """
    calls = [part for part in case.program.parts if isinstance(part, ast.Call) and part.args]
    lines = [line_of(call) for call in calls if ast.unparse(call.args[0]) == name
             and ast.unparse(call.func).endswith(SCHEDULES) and (not rounded or _rounds_down(call))]
    return lines[0] if len(lines) == 1 else None


def _rounds_down(call: ast.Call) -> bool:
    kinds = set(map(type, ast.walk(call)))
    return ast.FloorDiv in kinds and not kinds & {ast.Sub, ast.Pow}


def never_stepped(case: Case) -> Answer | None:
    """A gradient that an optimizer holds, whose step() no line calls."""
    seen = any(event.kind in ("step", "written") for event in case.history)
    for name, optimizer, group in [] if seen else case.training.holders[:1]:
        line = assigned_line(case, name)
        # where the line that made it isn't in the text, the line of its step() may not be either
        if line and not optimizer.state and not case.common.once(
                ("may step", name), optimizer, lambda: may_step(case, name)):  # noqa: B023
            return Answer("no step",
                          f"{case.name}.grad is there; {name}{place(line)} holds {case.name} with "
                          f"lr {group.get('lr')}, but no line calls {name}.step().",
                          [Fix(f"Call `{name}.step()` after backward().", "none")],
                          line=line)
    return None


def may_step(case: Case, name: str) -> bool:
    """Whether a line may call an optimizer's step(), or gives it to a function.

    True also where the lines are not known that use the object which holds the optimizer.
    """
    root, last = re.split(r"\W", name)[0], name.rpartition(".")[2]
    kind = type(case.program.held(ast.Name(root, ast.Load()))).__name__
    text = case.program.parts
    known = last == name or any(isinstance(part, ast.ClassDef) and part.name == kind
                                for part in text)
    given = [part.id for call, _ in case.program.calls for part in call.args
             if isinstance(part, ast.Name)
             and not ast.unparse(call.func).endswith(SCHEDULES)]
    if not known or not text or root in given:
        return True
    others = {path.rpartition(".")[2] for path, _ in case.training.optimizers} - {last}
    owners = [owner for part in text for what, owner in kinds_of(part) if what == "step"]
    return any(_may_be(case, owner, name, others) for owner in owners)


def _may_be(case: Case, owner: ast.expr, name: str, others: set[str]) -> bool:
    """Whether an expression may be the optimizer of this name; `others` are other names."""
    if isinstance(owner, ast.Name) and not case.program.held_once(owner.id):
        return True  # the variable of a loop
    held, word = case.program.held(owner), last_name(owner)
    if held is None:  # the parameter of a function, or an attribute of `self`
        return word not in others
    return any(held is one for path, one in case.training.optimizers if path == name)


def frozen(case: Case) -> Answer | None:
    """A parameter that an optimizer holds and that no line of the program has frozen."""
    _, model = case.common.model_of.get(id(case.tensor), ("", None))
    if model is None or not case.training.holders or not is_parameter(case.tensor):
        return None
    told = case.common.once("freezing", model, lambda: any(map(_freezes, case.program.parts)))
    held = [one for _, one in members(model) if is_parameter(one)]
    frozen = sum(not one.requires_grad for one in held)
    if told or not case.program.scopes or 2 * frozen > len(held):
        return None
    if (line := made_line(case)) is None:
        return None
    return Answer("frozen", f"{case.name}{place(line)} does not require a gradient, so no pass "
                  f"computes one. {case.training.holders[0][0]} holds it, and no line of the "
                  "program freezes it: what made it did.",
                  [Fix(f"Write `{case.code}.requires_grad_()` before the forward computation, or "
                       "`freeze=False` where it is made.", AVERAGES)], [case.tensor], line=line)


def _freezes(part: ast.AST) -> bool:
    """Whether a part of the text may say which parameters are frozen."""
    word = str(getattr(part, "attr", getattr(part, "id", getattr(part, "arg", ""))))
    if isinstance(part, ast.keyword) and word == "requires_grad":
        return not (isinstance(part.value, ast.Constant) and part.value.value is True)
    return "freeze" in word or isinstance(part, ast.Attribute) and word.startswith("requires_grad")


def stale(case: Case) -> Answer | None:
    """A frozen weight that steps move, by the gradient that it still has, or without one."""
    found, step = case.common.numbers(case.tensor.grad), next(reversed(steps_of(case)), None)
    if found is None or not case.tensor.is_leaf or not case.training.holders or (
            not (step.frozen and step.update) if step else any(
                getattr(given, "value", None) is not False for part in case.program.parts
                for given in flags_given(part)) or left_alone(case)):
        return None  # steps may be taken only while it is not frozen, as those of a discriminator
    name, held, line = case.name, case.training.holders[0][0], freezing_line(case)
    moved = f"the last step{place(step.line)} moved it" if step else ""
    if found.norm:
        words = (f" any more, but {name}.grad still holds one, with the norm {found.norm:.4g}, and "
                 f"{moved or f'{held} holds {name}, so that a step() moves it'}.")
    elif step and step.grad and not step.grad.norm:
        words = (f", but {moved}: its .grad is there, with zeros, so the step applied what doesn't "
                 "need a gradient, such as momentum or weight decay.")
    else:
        return None
    return Answer("stale", f"{name} doesn't require a gradient{words}"
                  f"{f' It is frozen{place(line)}.' if line else ''}",
                  [Fix(f"Write `{case.code}.grad = None` where {name} is frozen.", "none")],
                  [case.tensor], line=line or step and step.line)
