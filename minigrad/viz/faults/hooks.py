"""For `why`: hooks on the way, which may change a gradient."""
from __future__ import annotations

import ast
from typing import Any

from ..graph.facts import hooks_of, is_written_view
from ..graph.walk import is_accumulate
from ..program.lines import line_words
from ..program.places import Line, line_of, only_line
from ..watching.records import hook_line
from .answer import place
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
