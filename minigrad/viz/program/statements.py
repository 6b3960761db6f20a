"""The statements of a text, at any depth, and the mode that a `with` around them switches on."""
from __future__ import annotations

import ast
from collections.abc import Iterator

from .parsed import FUNCTIONS, last_name

QUIET = ("no_grad", "inference_mode")
Body = list[ast.stmt]
Loops = tuple[ast.stmt, ...]


def walked(body: Body, mode: str = "", loops: Loops = ()) -> Iterator[tuple[ast.stmt, str, Loops]]:
    """Every statement but functions and classes, at any depth, with its mode and loops."""
    for statement in body:
        if not isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            items = getattr(statement, "items", ())
            inside = mode_of([item.context_expr for item in items]) or mode
            yield statement, inside, loops
            within = (*loops, statement) if isinstance(statement, (ast.For, ast.While)) else loops
            for block in ("body", "orelse", "finalbody", "handlers"):
                yield from walked(getattr(statement, block, []), inside, within)


def simple_statements(body: Body) -> Iterator[ast.stmt]:
    """The simple statements among them, which hold no others."""
    return (statement for statement, _, _ in walked(body) if not hasattr(statement, "body"))


def mode_of(expressions: list[ast.expr]) -> str:
    """Whether one of these is `torch.no_grad()` or the like."""
    called = [getattr(expression, "func", expression) for expression in expressions]
    names = [last_name(one) for one in called]
    return next((name for name in names if name in QUIET), "")
