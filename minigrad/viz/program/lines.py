"""Frames, statements and lines, for `explain`: what a traceback and the program's text say."""
from __future__ import annotations

import ast
import linecache
import sys
from collections.abc import Iterator
from itertools import islice
from types import CodeType, FrameType
from typing import Any

from ..graph.facts import is_node, is_tensor
from ..graph.kept import saved_by
from .frame_variables import variables
from .node_lines import LIBRARY, short
from .parsed import last_name, parsed, parts_of, read_once
from .where_it_runs import COMPREHENSIONS, PACKAGE, package_of

LIBRARIES = (PACKAGE, "torch", "copy")  # deepcopy asks a tensor, on behalf of the program
# modules whose functions write to their first argument
FUNCTIONS = ("torch", "F", "functional", "init")
Statement = ast.stmt | None
Place = tuple[tuple[int, int], tuple[int, int]]  # (line, column) of the beginning and of the end
Line = Any  # with .filename and .line, as the engine remembers it


@read_once
def targets_of(statement: Statement) -> list[ast.expr]:
    """What a statement writes to in place: y of `y += 1`, `y[0] = 1`, `y.add_(1)`, `out=y`."""
    found: list[ast.expr] = []
    for node in parts_of(statement) if statement is not None else ():
        if isinstance(node, ast.AugAssign):
            found.append(node.target)
        elif isinstance(node, ast.Assign):
            found += [target for target in node.targets if isinstance(target, ast.Subscript)]
        elif isinstance(node, ast.Call):
            found += [keyword.value for keyword in node.keywords if keyword.arg == "out"]
            name = getattr(node.func, "attr", "")
            writes = name.endswith("_") and not name.endswith("__") and name != "requires_grad_"
            if writes and isinstance(node.func, ast.Attribute):
                owner = node.func.value
                found += node.args[:1] if last_name(owner) in FUNCTIONS else [owner]
    for at, part in enumerate(found):
        while isinstance(part, ast.Subscript):
            found[at] = part = part.value
    return found


def flags_given(part: ast.AST | None) -> list[ast.expr]:
    """What `....requires_grad = ...` or `....requires_grad_(...)` is given."""
    if isinstance(part, ast.Assign):
        frozen = any(getattr(one, "attr", "") == "requires_grad" for one in part.targets)
        return [part.value] if frozen else []
    if isinstance(part, ast.Call) and getattr(part.func, "attr", "") == "requires_grad_":
        return [*part.args, *(one.value for one in part.keywords)]
    return []


def freezes(part: ast.AST | None) -> bool:
    return any(getattr(one, "value", None) is False for one in flags_given(part))


def source_line(filename: str, line: int) -> str:
    if filename == "<cell>":  # one name for all cells: whose text is kept isn't known
        return ""
    text = " ".join(linecache.getline(filename, line).split())
    return text if len(text) <= 60 else text[:59] + "\N{HORIZONTAL ELLIPSIS}"


def line_words(line: Line) -> str:
    """A line that the engine remembered: `train.py:12, "y += 1"`."""
    text = source_line(line.filename, line.line)
    return short(line.filename, line.line) + (f", `{text}`" if text else "")


def is_library(frame: FrameType) -> bool:
    return package_of(frame) in LIBRARIES


def is_of_library(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in LIBRARIES


def is_freed(node: Any) -> bool:
    freed = getattr(node, "_freed_at", None) is not None
    return freed or any(row[1] == "freed" for row in saved_by(node))


def of_the_program(frames: list[tuple[FrameType, int]]) -> list[tuple[FrameType, int]]:
    """The program's own frames, or else those of installed packages; the innermost first."""
    users = [(frame, line) for frame, line in reversed(frames) if not is_library(frame)]
    own = [pair for pair in users if not LIBRARY.search(pair[0].f_code.co_filename)]
    own = own or users
    # a part of a statement around it
    while len(own) > 1 and own[0][0].f_code.co_name in COMPREHENSIONS:
        own = [(own[1][0], own[0][1]), *own[2:]]
    return own


def place_in_text(code: CodeType, instruction: int) -> Place | None:
    """The first and the last place of an instruction's expression, where Python tells them."""
    positions = islice(getattr(code, "co_positions", tuple)(), instruction // 2, None)
    found: tuple[Any, ...] = next(positions, (None,) * 4)
    line, last, column, end = found
    return None if None in found else ((line, column), (last, end))


def statement_at(filename: str, line: int, place: Place | None = None) -> Statement:
    """The innermost statement at a line of a file, or at a place; of a block its head alone."""
    first, last = place or ((line, sys.maxsize), (line, 0))
    tree = parsed(linecache.getlines(filename), filename)
    found = [node for node in _statements_over(tree or ast.Module([], []), first[0])
             if (node.lineno, node.col_offset) <= first
             and last <= (node.end_lineno or 0, node.end_col_offset or 0)]
    inner = min(found, default=None,
                key=lambda node: ((node.end_lineno or 0) - node.lineno, -node.col_offset))
    heads = [getattr(inner, "test", None), getattr(inner, "iter", None),
             getattr(inner, "subject", None),
             *(item.context_expr for item in getattr(inner, "items", []))]
    parts = [head for head in heads if head is not None and head.lineno <= line <= head.end_lineno]
    if not hasattr(inner, "body") or not parts:
        return inner
    return ast.copy_location(ast.Expr(parts[0]), parts[0])


def _statements_over(tree: ast.AST, line: int) -> Iterator[ast.stmt]:
    """The statements with a line among theirs; the parts of all others are not looked at."""
    waiting = [tree]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop()):
            if isinstance(node, ast.stmt):
                if node.lineno <= line <= (node.end_lineno or 0):
                    yield node
                    waiting.append(node)
            elif not isinstance(node, ast.expr):    # a handler of errors, or a case of a match
                waiting.append(node)


def stored_in(statement: ast.AST) -> set[str]:
    """The variables that a statement, or the body of a loop, gives a value."""
    names = [node for node in ast.walk(statement) if isinstance(node, ast.Name)]
    return {node.id for node in names if isinstance(node.ctx, ast.Store)}


def is_changed(node: Any) -> bool:
    return any(row[1] == "changed" for row in saved_by(node))


def is_pass(frame: FrameType) -> bool:
    """Whether this is the library's backward or grad, and not a custom Function's."""
    if not is_library(frame) or frame.f_code.co_name not in ("backward", "tensor_backward", "grad"):
        return False
    values = variables(frame)
    return "tensors" in values or "outputs" in values or is_tensor(values.get("self"))


def listed(value: Any) -> list[Any]:
    if value is None:
        return []
    if isinstance(value, dict):
        return list(value.values())
    if is_tensor(value) or is_node(value):
        return [value]
    try:
        return list(value)
    except TypeError:
        return [value]
