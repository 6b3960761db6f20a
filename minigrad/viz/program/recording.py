"""What has surely run when an error arose, and whether operations were being recorded there.

The lines on the stack have run, and so have the statements before them in the same blocks, with the
functions that those call. Of other branches, rounds of a loop and handlers nothing is said.
"""
from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from .parsed import last_name
from .ran import decided
from .source import Program
from .statements import Body
from .trail import Trail

STEPS = 4  # through how many calls a function is entered
BLOCKS = ("body", "orelse", "finalbody")


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


def around(program: Program, line: int) -> Switch | None:
    """The innermost `with` around a line that switches recording, or its function's decorator."""
    found = [switch_of(item.context_expr, program)
             for one in program.body for node in ast.walk(one)
             if isinstance(node, (ast.With, ast.AsyncWith))
             and node.body[0].lineno <= line <= (node.end_lineno or 0) for item in node.items]
    found = [switch_of(part, program) for part in program.decorators] + found
    return next(filter(None, reversed(found)), None)


def before(programs: Sequence[tuple[Program, int]]) -> Iterator[ast.stmt]:
    """The statements that have run before the lines of these frames, the outermost frame first."""
    for program, line in reversed(programs):
        yield from _with_calls(_up_to(program.body, line), Trail(program), STEPS)


def _up_to(body: Body, line: float) -> Iterator[ast.stmt]:
    for statement in body:
        end = statement.end_lineno or statement.lineno
        if statement.lineno > line:
            return
        if not hasattr(statement, "body"):
            if end < line:
                yield statement
        elif statement.lineno <= line <= end or isinstance(statement, (ast.With, ast.AsyncWith)):
            blocks = [getattr(statement, name, []) for name in BLOCKS]
            yield from (one for block in blocks if block and block[0].lineno <= line
                        and (line <= (block[-1].end_lineno or 0) or line > end)
                        for one in _up_to(block, line))


def _with_calls(statements: Iterator[ast.stmt], trail: Trail, steps: int) -> Iterator[ast.stmt]:
    for statement in statements:
        for call in ast.walk(statement) if steps else ():
            for inside in trail._entered(call) if isinstance(call, ast.Call) else ():
                yield from _with_calls(_up_to(inside.program.body, float("inf")), inside, steps - 1)
        yield statement
        if isinstance(statement, ast.Return):
            return
