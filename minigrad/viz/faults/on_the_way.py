"""For `why`: what functions that were called on the way do to a value or to its gradient."""
from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..drawing.explanation import Fix
from ..graph.facts import is_tensor
from ..graph.kept import saved_by
from ..program.called_passes import called_statements
from ..program.entered import models_of
from ..program.lines import line_words, targets_of
from ..program.operations import hooks_in
from ..program.parsed import last_name
from ..program.places import line_of
from ..program.ran import has_run
from .answer import Answer, place
from .evidence import Case
from .hooks import hooked

MOST = 3  # lines in one sentence


def through_data(case: Case) -> Answer | None:
    """A write through `.data` to a value that an operation had saved, which no version tells."""
    for statement, value in _writes(case):
        node = value.grad_fn
        if node is None or not case.leads_to(value) or not any(
                row.slot == "result" for row in saved_by(node)):
            continue
        name = case.names.of(value) or "a value"
        return Answer("written through .data", f"{case.name}.grad is there, but {name} was written "
                      f"to through .data{place(line_of(statement))}. {case.named(node)} had saved "
                      f"{name}, so it computed the gradient with the changed numbers.",
                      [Fix(f"Write out of place, as in `{name} = {name} - ...`, without .data.",
                           "a second tensor of its size")], [node], line=line_of(statement))
    return None


def _writes(case: Case) -> Iterator[tuple[ast.stmt, Any]]:
    """The writes through `.data`, each with the tensor that is written to, where it is known."""
    rows = [*case.operations.writes(), *((case.cuts.trail, one) for one in _own(case))]
    for trail, statement in rows:
        for target in targets_of(statement):
            owner = getattr(target, "value", None)
            if getattr(target, "attr", "") != "data" or not isinstance(owner, ast.Name):
                continue
            given = trail.given.get(owner.id)
            value = trail.program.value(owner) if given is None else (
                trail.caller.program.value(given) if trail.caller else None)
            if is_tensor(value):
                yield statement, value


def _own(case: Case) -> Iterator[ast.stmt]:
    """The statements around the frame itself that write in place and have run."""
    for body, _, _ in case.program.scopes[:1]:
        yield from (one for one in body if targets_of(one) and has_run(case.program, one)
                    and not hasattr(one, "body"))


def in_checkpoint(case: Case) -> Answer | None:
    """A parameter in a reentrant checkpoint none of whose inputs requires a gradient."""
    for part in case.operations.parts:
        call = part.expression
        if not isinstance(call, ast.Call) or last_name(call.func) != "checkpoint" or not any(
                one.arg == "use_reentrant" and getattr(one.value, "value", None) is True
                for one in call.keywords):
            continue
        if any(case.holds(model) for model in models_of(call, part.program)):
            return Answer("checkpoint", f"{case.name}.grad is None: {case.name} is used inside of "
                          f"a reentrant checkpoint(){place(part.line)}. That records nothing if "
                          "none of its inputs requires a gradient.",
                          [Fix("Pass `use_reentrant=False` to checkpoint().", "none")],
                          [case.tensor], line=part.line)
    return None


def hook_in_text(case: Case) -> str:
    """A sentence about hooks that functions on the way register, or ""."""
    calls = case.operations.hooks()
    if not calls and hooked(case):
        calls = hooks_in(called_statements(case.program))
    lines = dict.fromkeys(line_words(line_of(one)) for one in calls)
    return (f"A hook is registered in {' and '.join(lines)}; what it returns replaces the "
            "gradient.") if 0 < len(lines) <= MOST else ""
