"""Which lines of the program have run, as far as its frames tell.

A frame is at one line of its text: what comes later has not run, unless a loop around both has
begun again. The text in a branch has run for certain only where the frame is inside it, or where
the test of the branch is a plain value that the program still holds.
"""
from __future__ import annotations

import ast
from typing import Any

from .parsed import read_once

BLOCKS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Module)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
PLAIN = (bool, int, float, str)


@read_once
def around(part: Any) -> list[tuple[Any, Any]]:
    """(part of the text, what directly contains it), from the inside out, within a function."""
    found = []
    while (outer := getattr(part, "parent", None)) is not None:
        found.append((part, outer))
        if isinstance(outer, BLOCKS):
            break
        part = outer
    return found


def statement_of(part: Any) -> Any:
    """The statement that a part of the text belongs to."""
    while not isinstance(part, ast.stmt) and getattr(part, "parent", None) is not None:
        part = part.parent
    return part


def line_now(program: Any, part: Any) -> int | None:
    """Return the line at which the function around a part is; None where it isn't known.

    Where an error left a frame, the line of its traceback was reached, even if the frame went on
    to an earlier one, as the end of a `with` does.
    """
    frame, reached = program.frame, program.reached
    block: Any = around(part)[-1][1] if around(part) else None
    if isinstance(block, ast.Module):
        while frame is not None and frame.f_code.co_name != "<module>":
            frame, reached = getattr(frame, "f_back", None), 0
    elif frame is None or frame.f_code.co_name != getattr(block, "name", "") or not (
            block.lineno - len(block.decorator_list) * 9 <= frame.f_code.co_firstlineno
            <= block.lineno):
        return None
    same = frame is not None and frame.f_code.co_filename == getattr(part, "file", None)
    now = getattr(frame, "f_lineno", None) if same else None
    return None if now is None else max(now, reached)


def may_have_run(program: Any, part: Any) -> bool:
    """False for a line that comes later than the one at which the program is."""
    now, statement = line_now(program, part), statement_of(part)
    if now is None or (statement.end_lineno or 0) < now:
        return True
    return any(isinstance(outer, LOOPS) and outer.lineno <= now <= (outer.end_lineno or 0)
               for _, outer in around(part))


def has_run(program: Any, part: Any) -> bool:
    """Whether a line has run for certain."""
    now, statement = line_now(program, part), statement_of(part)
    if now is not None and (statement.end_lineno or 0) >= now:
        return False
    return all(_taken(program, inner, outer, now) for inner, outer in around(part))


def in_loop(part: Any) -> bool:
    """Whether a part of the text is in a loop, which may run it several times or not at all."""
    return any(isinstance(outer, LOOPS) for _, outer in around(part))


def in_branch(program: Any, part: Any) -> bool:
    """Whether a part of the text is in a branch that may not have been taken."""
    return not all(_taken(program, inner, outer, None) for inner, outer in around(part))


def _taken(program: Any, inner: Any, outer: Any, now: int | None) -> bool:
    if isinstance(outer, (ast.If, ast.IfExp)) and inner is not outer.test:
        in_body = any(inner is one
                      for one in (outer.body if isinstance(outer.body, list) else [outer.body]))
        block: Any = outer.body if in_body else outer.orelse
        if now is not None and isinstance(block,
                                          list) and block[0].lineno <= now <= block[-1].end_lineno:
            return True
        return decided(program, outer.test) is in_body
    if isinstance(outer, ast.Try) and now is not None and inner in outer.body:
        return not any(one.lineno <= now <= (one.end_lineno or 0) for one in outer.handlers)
    if isinstance(outer, ast.Lambda):  # it runs when it is called, and not where it stands
        return any(getattr(body[0], "value", None) is outer.body for body, _, _ in program.scopes)
    return not isinstance(outer, (ast.ExceptHandler, ast.match_case))


def decided(program: Any, test: ast.expr) -> bool | None:
    """What a test of plain values that don't change gives; None where that isn't known."""
    if isinstance(test, ast.Constant):
        return bool(test.value)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = decided(program, test.operand)
        return None if inner is None else not inner
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(
            test.ops[0], (ast.Eq, ast.NotEq)):
        left, right = _plain(program, test.left), _plain(program, test.comparators[0])
        equal = isinstance(test.ops[0], ast.Eq)
        return None if left is None or right is None else (left == right) is equal
    value = _plain(program, test)
    return None if value is None else bool(value)


def _plain(program: Any, part: ast.expr) -> Any:
    if isinstance(part, ast.Constant):
        return part.value if type(part.value) in PLAIN else None
    if isinstance(part, ast.Name) and not program.held_once(part.id):
        return None
    if isinstance(part, ast.Attribute) and part.attr == "training":  # it may have been another then
        return None
    value = program.held(part) if isinstance(part, (ast.Name, ast.Attribute)) else None
    return value if type(value) in PLAIN else None
