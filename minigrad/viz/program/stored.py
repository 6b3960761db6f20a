"""What a statement of the text assigns, and to which names."""
from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from .parsed import parts_of, read_once

SEVERAL = (ast.Tuple, ast.List)


@dataclass(frozen=True)
class Assigned:
    """The expression that a variable was assigned, and the mode that was on around it."""

    expression: ast.expr
    quiet: str
    at: int | None = None  # the variable is this one of several that it was unpacked into


def given_by(statement: ast.stmt, name: str, mode: str) -> Iterator[Assigned | None]:
    """What a statement assigns to `name`; None where the text doesn't say which value."""
    value = getattr(statement, "value", None)
    targets = [*getattr(statement, "targets", ()), getattr(statement, "target", None),
               *(item.optional_vars for item in getattr(statement, "items", ()))]
    for target in filter(None, targets):
        if not isinstance(statement, (ast.Assign, ast.AnnAssign)):  # a loop, `y += 1`, `del y` ...
            yield from [None] * _names(target, name)
        elif value is not None:
            yield from _unpacked(target, value, name, mode)
    if isinstance(statement, ast.Return) and name == "return" and value is not None:
        yield Assigned(value, mode)
    for node in parts_of(value) if isinstance(value, ast.expr) else ():
        if isinstance(node, ast.NamedExpr) and node.target.id == name:
            yield Assigned(node.value, mode)


@read_once
def stored_in(statement: ast.stmt) -> frozenset[str]:
    """The names that a statement assigns, and "return" of one that returns."""
    parts = [part for part in ast.iter_child_nodes(statement) if not isinstance(part, ast.stmt)]
    names = [node.id for part in parts for node in ast.walk(part)
             if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]
    return frozenset([*names, *["return"] * isinstance(statement, ast.Return)])


def _unpacked(target: ast.expr, value: ast.expr, name: str, mode: str) -> Iterator[Assigned]:
    if isinstance(target, SEVERAL) and isinstance(value,
                                                  SEVERAL) and len(value.elts) == len(target.elts):
        for one, its in zip(target.elts, value.elts):
            yield from _unpacked(one, its, name, mode)
    elif isinstance(target, (ast.Name, *SEVERAL)) and _names(target, name):
        places = [at for at, one in enumerate(getattr(target, "elts", ())) if _names(one, name)]
        yield Assigned(value, mode, places[0] if places else None)


def _names(target: ast.expr, name: str) -> bool:
    return any(isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load)
               for node in parts_of(target))
