"""The statements of a text, at any depth, and what switches the recording of operations there."""
from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from .parsed import FUNCTIONS, Body, last_name, parts_of, read_once_of_body
from .ran import decided
from .stored import stored_in

if TYPE_CHECKING:
    from .program_text import Program

QUIET = ("no_grad", "inference_mode")
Loops = tuple[ast.stmt, ...]


@read_once_of_body
def walked(body: Body, mode: str) -> list[tuple[ast.stmt, str, Loops]]:
    """Every statement but functions and classes, at any depth, with its mode and loops."""
    return list(_walked(body, mode, ()))


def _walked(body: Body, mode: str, loops: Loops) -> Iterator[tuple[ast.stmt, str, Loops]]:
    for statement in body:
        if not isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            items = getattr(statement, "items", ())
            inside = mode_of([item.context_expr for item in items]) or mode
            yield statement, inside, loops
            within = (*loops, statement) if isinstance(statement, (ast.For, ast.While)) else loops
            for block in ("body", "orelse", "finalbody", "handlers"):
                yield from _walked(getattr(statement, block, []), inside, within)


@read_once_of_body
def simple_statements(body: Body, mode: str) -> list[ast.stmt]:
    """The simple statements among them, which hold no others."""
    return [statement for statement, _, _ in walked(body) if not hasattr(statement, "body")]


@read_once_of_body
def storing(body: Body, mode: str) -> dict[str, list[tuple[ast.stmt, str]]]:
    """By name: the statements among them that assign it, each with its mode."""
    found: dict[str, list[tuple[ast.stmt, str]]] = {}
    for statement, inner, _ in walked(body, mode):
        for name in stored_in(statement):
            found.setdefault(name, []).append((statement, inner))
    return found


@read_once_of_body
def calls_of_statements(body: Body, mode: str) -> list[tuple[ast.Call, list[ast.expr]]]:
    """The calls in the simple statements among them, each with the targets it is assigned to."""
    return [(call, getattr(statement, "targets", [])) for statement in simple_statements(body)
            for call in parts_of(statement) if isinstance(call, ast.Call)]


@read_once_of_body
def attributes_in(body: Body, mode: str) -> dict[str, list[ast.Attribute]]:
    """By name: the attributes that they read or assign, functions and classes included."""
    found: dict[str, list[ast.Attribute]] = {}
    for part in (part for outer in body for part in parts_of(outer)):
        if isinstance(part, ast.Attribute):
            found.setdefault(part.attr, []).append(part)
    return found


def mode_of(expressions: list[ast.expr]) -> str:
    """Whether one of these is `torch.no_grad()` or the like."""
    called = [getattr(expression, "func", expression) for expression in expressions]
    names = [last_name(one) for one in called]
    return next((name for name in names if name in QUIET), "")


class Switch(NamedTuple):
    """Where recording is switched: a `with`, a decorator, or a call of set_grad_enabled()."""

    on: bool | None  # None: as a value says that the text doesn't tell
    part: ast.expr


def switch_of(part: ast.expr, program: Program) -> Switch | None:
    """`torch.no_grad()`, `enable_grad`, `inference_mode()`, `set_grad_enabled(False)`."""
    called = getattr(part, "func", part)
    name = last_name(called)
    if name in ("no_grad", "enable_grad"):
        return Switch(name == "enable_grad", part)
    if name not in ("set_grad_enabled", "inference_mode"):
        return None
    given = getattr(part, "args", [])
    value = decided(program, given[0]) if given else name == "inference_mode"
    return Switch(None if value is None else value == (name == "set_grad_enabled"), part)


def switch_around(program: Program, line: int) -> Switch | None:
    """The innermost `with` around a line that switches recording, or its function's decorator."""
    found = [switch_of(item.context_expr, program)
             for one in program.body for node in parts_of(one)
             if isinstance(node, (ast.With, ast.AsyncWith))
             and node.body[0].lineno <= line <= (node.end_lineno or 0) for item in node.items]
    found = [switch_of(part, program) for part in program.decorators] + found
    return next(filter(None, reversed(found)), None)
