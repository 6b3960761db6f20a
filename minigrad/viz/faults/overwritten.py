"""For `why`: numbers that an operation had saved, and that were written to through `.data`."""
from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..drawing.explanation import Fix
from ..graph.facts import is_node, is_tensor
from ..graph.kept import saved_by, stem_of
from ..program.lines import statement_at, stored_in, targets_of
from ..program.node_lines import Line, line_of
from ..program.parsed import last_name
from ..program.ran import has_run, statement_of
from ..watching.pass_notes import noted_of
from .answer import Answer, place
from .evidence import Case
from .zero import FLAT, SQUASHING

INSIDE = 3  # sigmoid, tanh and softmax have a slope where their inputs are smaller


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


def overwrote(case: Case, found: Answer) -> Answer | None:
    """What was found of a node that has no slope, where a write has changed what it had saved."""
    node = next((one for one in found.guilty if is_node(one)), None)
    line = found.line if node is None else case.line(node)
    noted = next((one for one in noted_of(case.tensor, "written") if one.line == line and (
        node is None or node.name().endswith(one.node))), None)
    if write := noted.line_before if noted else _written_after(line):
        name = f"{noted.node}{place(line)}" if noted else case.named(node)
        return Answer("written", f"{name} has next to no slope at what it had saved: its "
                      f"result was written to{place(write)}, which no version counts, as through "
                      f".data. {case.name}.grad was computed with the new numbers.",
                      _out_of_place(write), found.guilty, line=write)
    if node is None or stem_of(node.name()) not in SQUASHING or not is_tensor(
            given := case.taken(node)) or not given.numel() or (
            most := float(given.detach().abs().max())) >= INSIDE:
        return None
    return Answer("written", f"{case.named(node)} had saved a result without a slope, but it was "
                  f"given no number above {most:.3g} in size, where it has one: what it had saved "
                  "was written to, and no version counts it, as through .data or an array of "
                  "NumPy.", guilty=[node])


def _written_after(line: Line | None) -> Line | None:
    """The line that writes through `.data` to what a line before it in its block assigned."""
    made = statement_at(line.filename, line.line) if line is not None else None
    block = getattr(getattr(made, "parent", None), "body", [])
    names = stored_in(made) if made is not None and made in block else set()
    for later in block[block.index(made) + 1:] if names else ():
        if any(isinstance(one, ast.Attribute) and one.attr == "data" and (
                last_name(one.value) in names) for one in targets_of(later)):
            return line_of(later)
        names = names - stored_in(later)
    return None


def _out_of_place(line: Line | None, name: str = "y") -> list[Fix]:
    """`y = y + (y.round() - y).detach()` in place of `y.data.round_()`."""
    statement = statement_at(line.filename, line.line) if line is not None else None
    call = getattr(statement, "value", None)
    function = getattr(call, "func", None)
    owner = getattr(getattr(function, "value", None), "value", None)
    if isinstance(call, ast.Call) and isinstance(owner, ast.Name):
        name, word = owner.id, last_name(call.func).removesuffix("_")
        new = ast.unparse(call.args[0]) if word == "copy" and len(call.args) == 1 else (
            f"{name}.{word}()" if word.capitalize() in FLAT and not call.args else "")
        if new:
            return [Fix(f"Write `{name} = {name} + ({new} - {name}).detach()` in place of that "
                        "line.", "the gradient is that of the numbers before the write")]
    return [Fix(f"Write out of place, as in `{name} = {name} - ...`, without .data.",
                "a second tensor of its size")]


def through_data(case: Case) -> Answer | None:
    """A write through `.data` to a value that an operation had saved, which no version tells."""
    if case.node is None:  # no variable holds a graph with it, so that no text has to be followed
        return None
    for statement, value in case.common.once("writes", case.program, lambda: list(_writes(case))):
        node = value.grad_fn
        if node is None or not case.leads_to(value) or not any(
                row.slot == "result" for row in saved_by(node)):
            continue
        name = case.names.of(value) or "a value"
        return Answer("written through .data", f"{case.name}.grad is there, but {name} was written "
                      f"to through .data{place(line_of(statement))}. {case.named(node)} had saved "
                      f"{name}, so it computed the gradient with the changed numbers.",
                      _out_of_place(line_of(statement), name), [node], line=line_of(statement))
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
