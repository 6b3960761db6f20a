"""Which parts of a sum in the text are Python numbers, and no tensors."""
from __future__ import annotations

import ast
from collections.abc import Iterator

from .parsed import last_name
from .trail import Trail

STEPS = 8  # through how many assignments and functions a sum is followed
MADE = ("item", "float", "len")  # methods and functions that return a number
TAKEN = ("sum", "max", "min")  # functions that return one of numbers


def numbers_added(trail: Trail, part: ast.expr,
                  steps: int = STEPS) -> Iterator[tuple[Trail, ast.expr]]:
    """The summands of a value that are Python numbers, each with the text that it is in."""
    if is_number(trail, part):
        yield trail, part
    elif isinstance(part, ast.BinOp) and isinstance(part.op, (ast.Add, ast.Sub)):
        yield from numbers_added(trail, part.left, steps)
        yield from numbers_added(trail, part.right, steps)
    elif steps:
        for inside, one in _before(trail, part):
            yield from numbers_added(inside, one, steps - 1)


def is_number(trail: Trail, part: ast.expr, seen: tuple[str, ...] = ()) -> bool:
    """Whether an expression is a Python number or a list of them, as text and variables tell.

    Every place counts that may have given a variable its value; those in `seen` are looked at.
    """
    value = trail.program.held(part)
    if isinstance(part, ast.Constant) or value is not None:
        values = value if isinstance(value, list) else [getattr(part, "value", value)]
        return all(isinstance(one, (int, float)) for one in values)
    if isinstance(part, (ast.BinOp, ast.UnaryOp, ast.ListComp, ast.GeneratorExp)):
        sides = [getattr(part, name, None) for name in ("left", "right", "operand", "elt")]
        return all(is_number(trail, one, seen) for one in sides if one is not None)
    if isinstance(part, ast.Call) and last_name(part.func) in MADE:
        return True
    if isinstance(part, ast.Call) and getattr(part.func, "id", "") in TAKEN:
        return bool(part.args) and all(is_number(trail, one, seen) for one in part.args)
    name = part.id if isinstance(part, ast.Name) else ast.unparse(part)
    if name in seen or len(seen) > STEPS:
        return name in seen
    found = _before(trail, part)
    return bool(found) and all(is_number(inside, one, (*seen, name)) for inside, one in found)


def _before(trail: Trail, part: ast.expr) -> list[tuple[Trail, ast.expr]]:
    """What gave a variable its value, or what the functions return that a call runs."""
    if not isinstance(part, ast.Name):
        return [(inside, one.expression) for inside in (
            trail.entered(part) if isinstance(part, ast.Call) else ())
            for one in inside.program.results()]
    known = [(inside, one.expression) for inside, one, _ in trail.earlier(part)]
    places = trail.program._places(part.id)
    return known or [(trail, one.expression) for one in places if one and None not in places]
