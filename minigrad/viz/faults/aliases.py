"""For `why`: memory that two names share by mistake."""
from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..drawing.explanation import Fix
from ..graph.facts import is_tensor, storage_of
from ..program.names import as_code
from ..program.node_lines import Line, line_of, only_line
from ..program.parsed import last_name
from ..program.program_text import loop_variables
from ..program.ran import LOOPS, around, in_branch, may_have_run, statement_of
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
                          [Fix(copy, _price(case, name, memory[1]))], [tensor, one], line=line)
    return None


def _price(case: Case, name: str, size: int) -> str:
    """What a copy costs of a tensor of this name and size, or of the list or dict around it."""
    value = case.program.value(ast.parse(as_code(name).partition("[")[0], mode="eval").body)
    found = case.common.once("memories", value, lambda: [
        one[1] for one in _memories(value) if one])
    return f"a second tensor of {size} bytes" if len(found) < 2 else (
        f"{len(found)} more tensors, of {sum(found):,} bytes together")


def _memories(value: Any, depth: int = 4) -> set[tuple[Any, int] | None]:
    if is_tensor(value):
        return {storage_of(value)}
    parts = value if isinstance(value, (list, tuple)) else (
        value.values() if isinstance(value, dict) else ())
    return {memory for one in parts if depth for memory in _memories(one, depth - 1)}


def _shared_by(case: Case) -> Line | None:
    """The only line that gives one tensor the memory of another: `a.data = b.data`."""
    return only_line(part.value for part in case.program.parts if isinstance(part, ast.Assign)
                     and all(isinstance(one, ast.Attribute) and one.attr == "data"
                             for one in (*part.targets, part.value)))


def _before_a_step(case: Case, name: str) -> tuple[Line, str] | None:
    """Where a variable was assigned and what would copy it, if a step was taken after that.

    A variable that the text reads counts where a line reads it after the step.
    """
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
        if later and same and may_have_run(case.program, event.call) and (
                _read_after(case, name, statement, event.call)):
            text = ast.unparse(expression)
            whole = text.endswith("state_dict()") or isinstance(expression, COLLECTIONS)
            copied = f"copy.deepcopy({text})" if whole else f"{text}.clone()"
            return line_of(expression), f"{name} = {copied}"
    return None


def _read_after(case: Case, name: str, made: ast.stmt, step: ast.expr) -> bool:
    """Whether the text reads a variable after a step and before it is made anew, or never.

    What a function of the text reads counts where its name is; where that isn't known, as a yes.
    """
    reads = list(_reads(case, name, made))
    end, last = (made.end_lineno or 0, made.end_col_offset or 0), (step.lineno, step.col_offset)
    common = [loop for loop in _loops(made) if loop in _loops(step)]
    for read in reads:
        if read is None:
            return True
        at = read.lineno, read.col_offset
        if not common or in_branch(case.program, made):  # it is made once, or not in each round
            if at > last or _loops(step).keys() & _loops(read).keys():
                return True
        elif common[0] not in _loops(read):
            if at > last > end:
                return True
        elif last < at <= end if last < end else at > last or at <= end:
            return True
    return not reads


def _loops(part: ast.AST) -> dict[ast.stmt, None]:
    """The loops around a part of the text, from the inside out."""
    return {outer: None for _, outer in around(part) if isinstance(outer, LOOPS)}


def _reads(case: Case, name: str, made: ast.stmt) -> Iterator[ast.Name | None]:
    """The parts of the text around a line that read a name, or call a function that does.

    None: something else reads it, and when that ran is not known.
    """
    block = around(made)[-1][1]
    names = [(one, around(one)[-1][1]) for one in case.program.parts
             if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)]
    for part, outer in [one for one in names if one[0].id == name]:
        if outer is block:
            yield part
            continue
        function = getattr(outer, "name", "") or last_name(
            next(iter(getattr(getattr(outer, "parent", None), "targets", [])), ast.Pass()))
        given = getattr(outer, "args", None)
        if given is None or name not in {one.arg for one in ast.walk(given)
                                         if isinstance(one, ast.arg)}:
            calls = [one for one, around_it in names if one.id == function and around_it is block]
            yield from calls
            if not calls:
                yield None
