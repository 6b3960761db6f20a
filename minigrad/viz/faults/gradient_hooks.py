"""For `why`: hooks on the way, which may change a gradient."""
from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from math import inf, isclose
from typing import Any

from ..drawing.explanation import Fix
from ..graph.facts import HOOKS, hooks_of, is_written_view
from ..graph.walk import is_accumulate
from ..program.custom_functions import function_called
from ..program.lines import line_words
from ..program.node_lines import Line, line_of, only_line
from ..watching.events import Event
from ..watching.history import MOST as REMEMBERED
from ..watching.pass_notes import noted_of
from ..watching.write_records import hook_line, hooked_at
from .answer import Answer, place
from .evidence import Case

MOST = 3  # lines in one sentence


def hook_there(case: Case, node: Any) -> str:
    """Says that a hook may have made the difference that was seen at a node."""
    for before, nr in node.next_functions:
        if before is None:
            continue
        line = hook_line(before)
        name, one = ((case.names.of(before.variable), before.variable) if is_accumulate(before)
                     else case.names.outputs(before).get(nr, ("", None)))
        if line or one is not None and hooks_of(one):
            what = name or f"What {before.name()} made"
            return f" {what} has a hook{place(line or hook_call(case, one))}, which ran in between."
    return ""


def hook_call(case: Case, tensor: Any) -> Line | None:
    """The line that registers a hook on a tensor, or the only line that registers any."""
    calls = [part for part in case.program.parts if isinstance(part, ast.Call)
             and isinstance(part.func, ast.Attribute) and part.func.attr.startswith("register_")
             and part.func.attr.endswith("hook")]
    own = [call for call in calls if isinstance(call.func, ast.Attribute)
           and case.program.held(call.func.value) is tensor]
    return only_line(own or calls)


def hooks_on_the_way(case: Case) -> str:
    """Names the tensors with hooks between a tensor and the result."""
    found = [f"{name} has a hook{place(hook_call(case, case.names.tensors[name]))}"
             for name in hooked(case)[:3]]
    return f" {' and '.join(found)}, which may change the gradient." if found else ""


def hooked(case: Case) -> list[str]:
    """The tensors between the tensor and the result that have hooks; it is one of them."""
    rows = case.common.once("hooked", case.names, lambda: [
        (name, one) for name, one in case.names.tensors.items()
        if hooks_of(one) and not is_written_view(one)])
    near = {id(node) for node in case.between} if rows else set()
    return [name for name, one in rows
            if one is case.tensor or one.grad_fn is not None and id(one.grad_fn) in near]


def hook_in_text(case: Case) -> str:
    """A sentence about hooks that functions on the way register, or ""."""
    lines = dict.fromkeys(line_words(line_of(one)) for one in case.operations.hooks())
    return (f"A hook is registered in {' and '.join(lines)}; what it returns replaces the "
            "gradient.") if 0 < len(lines) <= MOST else ""


# --- hooks that were registered again and again

def changed_again(case: Case) -> Answer | None:
    """The same, where a watch measured that these hooks change the gradient."""
    last = last_pass(case)
    return registered_again(case) if last and hook_factor(last) is not None else None


def registered_again(case: Case) -> Answer | None:
    """Hooks that one line registered several times on a leaf, such as once in each forward()."""
    hooks = [hook for name in HOOKS for hook in (getattr(case.tensor, name, None) or {}).values()]
    passes = [one for one in case.history if one.kind == "pass"]
    grew = len(passes) > 1 and passes[0].hooks < passes[-1].hooks
    alike: dict[Any, list[Any]] = defaultdict(list)
    for hook in hooks:
        code, given = _code_of(hook)
        alike[code if grew else (code, given)].append(code)
    codes = max(alike.values(), key=len, default=[])
    if len(codes) < 2:
        return None
    code = codes[0]
    line = hooked_at(case.tensor) or hook_call(case, case.tensor)
    if code.co_name == "<lambda>" or line is None:
        line = Line(code.co_filename, code.co_firstlineno, code.co_name)
    known = "was watched" if len(case.common.earlier(case.tensor)) < REMEMBERED else "is remembered"
    more = (f" The first pass that {known} met {passes[0].hooks} of its hooks, the last one "
            f"{passes[-1].hooks}.") if grew else ""
    last = last_pass(case)
    if last is None:
        does = "How they change the gradient was not measured."
    elif (factor := hook_factor(last)) is None:
        does = "In the last pass they left the gradient as it was."
    else:
        does = (f"In the last pass, a gradient of the norm {came(last):.3g} arrived before them, "
                f"and they left {factor * came(last):.3g}.")
    return Answer("hooks", f"The same hook was registered {len(codes)} times on {case.name}"
                  f"{place(line)}, and each runs in every pass.{more} {does}",
                  [Fix(f"Register it once, where {case.name} is made, or call remove() of the "
                       "handle that it returns after the pass.", "none")], [case.tensor], line=line)


def _code_of(hook: Callable[..., Any]) -> tuple[Any, Any]:
    """The code of a hook, and what tells two hooks with the same code apart."""
    given: list[Any] = []
    while isinstance(hook, partial):
        given += [*hook.args, *hook.keywords.values()]
        hook = hook.func
    given.append(getattr(hook, "__self__", None if hasattr(hook, "__code__") else hook))
    hook = function_called(hook)
    for cell in getattr(hook, "__closure__", None) or ():
        given.append(getattr(cell, "cell_contents", None))
    given += [*(getattr(hook, "__defaults__", None) or ()),
              *(getattr(hook, "__kwdefaults__", None) or {}).values()]
    return getattr(hook, "__code__", hook), tuple(
        one if isinstance(one, (int, float, str)) else id(one) for one in given)


def last_pass(case: Case) -> Event | None:
    return next((one for one in reversed(case.history) if one.kind == "pass"), None)


def came(event: Event) -> float:
    """The norm of what arrived at a leaf in a pass, before its hooks."""
    found = event.unhooked or event.arrived
    return found.norm or 0.0 if found else 0.0


def hook_factor(event: Event) -> float | None:
    """How many times as large the hooks of a leaf left the gradient of a pass; None: as it was."""
    found = event.arrived if event.added or event.unhooked else event.grad
    if not event.hooks or found is None or found.norm is None or not 0 < came(event) < inf:
        return None
    return None if isclose(found.norm, came(event), rel_tol=1e-3) else found.norm / came(event)


# --- a backward of the program that writes where others read

def written_gradient(case: Case) -> Answer | None:
    """The gradient came through numbers that a custom Function had written."""
    for found in reversed(noted_of(case.tensor, "wrote")):
        name, _, given = found.kind[1].partition(" ")
        line, copy = found.line_before, f": `{given} = {given}.clone()`" if given else ""
        return Answer("written gradient", f"{case.name}.grad came through numbers that {name} wrote"
                      f"{place(line)} into the gradient that it was given"
                      f"{place(found.line)}: {found.before} was handed the same tensor, and ran "
                      "after that.", [Fix("Copy the gradient before that, and write to the "
                                          f"copy{copy}.", "a second tensor of its size")],
                      [case.tensor], line=line)
    return None
