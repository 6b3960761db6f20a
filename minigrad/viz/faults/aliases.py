"""For `why`: memory that two names share by mistake."""
from __future__ import annotations

import ast

from ..drawing.explanation import Fix
from ..graph.facts import storage_of
from ..program.names import as_code
from ..program.places import Line, line_of, only_line
from ..program.ran import around, may_have_run, statement_of
from ..program.source import loop_variables
from .answer import Answer, place
from .evidence import Case
from .made import line_of_path

COLLECTIONS = ast.Dict, ast.DictComp, ast.List, ast.ListComp, ast.Tuple


def alias(case: Case) -> Answer | None:
    """Two leaves in one memory, or a variable that was meant as a copy."""
    tensor, memory = case.tensor, storage_of(case.tensor)
    if memory is None or len(case.common.by_memory.get(memory, ())) < 2:
        return None
    frame = case.names.frame
    loops = loop_variables(frame) if frame else set()
    for name, one in case.common.by_memory[memory]:
        root = name.partition("[")[0].partition(".")[0]
        if one is tensor or root in loops or one.shape != tensor.shape:
            continue
        if one.requires_grad and one.is_leaf:
            other, line = as_code(name), _shared_by(case)
            fix = Fix(f"Use one tensor in both places: `{case.code} = {other}`.",
                      "an optimizer has to be made after that line")
            apart = Fix("Copy the numbers in that line, with `.data.copy_(...)` or `.clone()`, if "
                        "two weights are meant.", f"a second tensor of {memory[1]} bytes")
            return Answer("two leaves",
                          f"{case.name} and {name} are two leaves in the same memory: each has "
                          "a .grad of its own, and a step on one moves the other."
                          f"{f' They may share it since a line{place(line)}.' if line else ''}",
                          [apart, fix] if line else [fix], [tensor, one], line=line)
        if not one.requires_grad and (found := _before_a_step(case, root)) is not None:
            line, code = found
            copy = f"Copy the numbers: `{code}`."
            inner = line_of_path(case, name)
            if inner and inner != line:
                copy = "Copy the numbers in that line, with `.clone()` or `deepcopy()`."
                line = inner
            return Answer("no copy",
                          f"{name}{place(line)} is no copy of {case.name}: it is in the same "
                          f"memory, so each step changes it, too. {case.name}.grad is there.",
                          [Fix(copy, f"a second tensor of {memory[1]} bytes")],
                          [tensor, one], line=line)
    return None


def _shared_by(case: Case) -> Line | None:
    """The only line that gives one tensor the memory of another: `a.data = b.data`."""
    return only_line(part.value for part in case.program.parts if isinstance(part, ast.Assign)
                     and all(isinstance(one, ast.Attribute) and one.attr == "data"
                             for one in (*part.targets, part.value)))


def _before_a_step(case: Case, name: str) -> tuple[Line, str] | None:
    """Where a variable was assigned and what would copy it, if a step was taken after that."""
    places = [one for one in case.program._places(name) if one and not (
        isinstance(one.expression, ast.Constant))]
    if len(places) != 1 or not case.training.holders:
        return None
    expression = places[0].expression
    if isinstance(expression, (ast.BinOp, ast.UnaryOp)):
        return None  # which makes a new tensor: a leaf has taken its memory later
    statement = statement_of(expression)
    loops = {id(outer) for _, outer in around(expression)
             if isinstance(outer, (ast.For, ast.While))}
    for event in case.training.of_kind("step"):
        in_loop = not loops.isdisjoint(map(id, event.loops))
        later = event.line.line > (statement.end_lineno or 0) or in_loop
        same = event.line.filename == getattr(expression, "file", "")
        if later and same and may_have_run(case.program, event.call):
            text = ast.unparse(expression)
            whole = text.endswith("state_dict()") or isinstance(expression, COLLECTIONS)
            copied = f"copy.deepcopy({text})" if whole else f"{text}.clone()"
            return line_of(expression), f"{name} = {copied}"
    return None
