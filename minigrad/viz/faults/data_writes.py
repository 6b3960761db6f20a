"""For `why`: writes through `.data`, or the like, that no version counts."""
from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..drawing.explanation import Fix
from ..graph.facts import is_tensor
from ..graph.kept import saved_by
from ..program.lines import targets_of
from ..program.places import line_of
from ..program.ran import has_run, statement_of
from ..watching.pass_notes import noted_of
from .answer import Answer, place
from .evidence import Case


def written_between(case: Case) -> Answer | None:
    """A write through `.data` between the forward pass and backward(), which no version counts."""
    fix = Fix("Move the write before the forward pass, or after backward().",
              "the result is computed without the write")
    for one in noted_of(case.tensor, "written"):
        return Answer("written",
                      f"What {one.node}{place(one.line)} had saved was written to"
                      f"{place(one.line_before)} before backward(), and no version counts it, as "
                      f"through .data: {case.name}.grad was computed with the new numbers.", [fix],
                      [case.tensor], line=one.line_before)
    writes = case.training.data_writes()
    for event in case.training.of_kind("backward") if writes else ():
        root = event.owner.id if isinstance(event.owner, ast.Name) else ""
        origin = case.program.assigned(root, event.call) if root else None
        node = next((one for one in case.between if case.saves(one, case.node)), None)
        if origin is None or node is None:
            continue
        first, last = statement_of(origin.expression), statement_of(event.call)
        for write in writes:
            line, end = line_of(write), write.end_lineno or 0
            same = line_of(first).filename == line.filename
            if same and first.end_lineno < line.line and end < last.lineno:
                return Answer("written", f"{case.name} was written to through .data{place(line)} "
                              f"between the forward pass and backward(){place(event.line)}, which "
                              f"no version counts: {case.named(node)} had saved {case.name}, and "
                              "computed with the new numbers.", [fix], [node], line=line)
    return None


def through_data(case: Case) -> Answer | None:
    """A write through `.data` to a value that an operation had saved, which no version tells."""
    for statement, value in case.common.once("writes", case.program, lambda: list(_writes(case))):
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
    own = [(case.cuts.trail, one) for one in case.program.body
           if not hasattr(one, "body") and has_run(case.program, one)]
    for trail, statement in [*case.operations.writes(), *own]:
        for target in targets_of(statement):
            owner = getattr(target, "value", None)
            if getattr(target, "attr", "") != "data" or not isinstance(owner, ast.Name):
                continue
            given = trail.given.get(owner.id)
            value = trail.program.value(owner) if given is None else (
                trail.caller.program.value(given) if trail.caller else None)
            if is_tensor(value):
                yield statement, value
