"""Which line of the program made a module, a parameter, an optimizer or another object."""
from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from ..program.places import Line, line_of
from .evidence import Case


def assignment(case: Case, kind: str | None, attribute: str) -> Line | None:
    """The line in which a class of the program assigns an attribute, if there is one alone."""
    found = {line_of(one) for part in parts_of_text(case)
             if isinstance(part, ast.ClassDef) and kind in (None, part.name)
             for one in ast.walk(part) if isinstance(one, ast.Assign)
             for target in one.targets for name in ast.walk(target)
             if isinstance(name, ast.Attribute) and isinstance(name.ctx, ast.Store)
             and name.attr == attribute}
    return found.pop() if len(found) == 1 else None


def optimizer_line(case: Case, name: str) -> Line | None:
    """The line that made an optimizer."""
    if "." in name:  # an attribute, which a class of the program assigns
        return assignment(case, None, name.rpartition(".")[2])
    origin = case.program.assigned(name)
    return line_of(origin.expression) if origin else None


def line_of_path(case: Case, path: str) -> Line | None:
    """The line that made what a name such as `agent.net.layers.0.weight` refers to.

    It is the innermost that is known: where a class of the program assigns one of the attributes on
    the way, or where the variable is assigned.
    """
    root, *steps = re.findall(r"[^.\[\]'\"]+", path) or [""]
    value = case.program.held(ast.Name(root, ast.Load()))
    origin = case.program.assigned(root)
    line = line_of(origin.expression) if origin else None
    for step in steps:
        own: dict[str, Any] = getattr(value, "__dict__", {}) if value is not None else {}
        line = assignment(case, type(value).__name__, step) or line
        parts = {**own.get("_modules", {}), **own.get("_parameters", {}), **own}
        value = parts.get(step, value.get(step) if type(value) is dict else None)
    return line


def freezing_line(case: Case) -> Line | None:
    """The only line that says `requires_grad = False` or `requires_grad_(False)`, or None."""
    found = set()
    for part in parts_of_text(case):
        value: Any = None
        if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Attribute):
            value = part.value if part.targets[0].attr == "requires_grad" else None
        elif isinstance(part, ast.Call) and getattr(part.func, "attr", "") == "requires_grad_":
            value = part.args[0] if part.args else None
        if isinstance(value, ast.Constant) and value.value is False:
            found.add(line_of(part))
    return found.pop() if len(found) == 1 else None


def parts_of_text(case: Case) -> Iterator[ast.AST]:
    """Every part of the program's text, functions and classes included."""
    return (part for body, _, _ in case.program.scopes for outer in body
            for part in ast.walk(outer))
