"""The functions that the program has called: their statements, and the passes in them."""
from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from .parsed import parts_of
from .program_text import Program
from .ran import has_run
from .statements import simple_statements
from .trail import Trail

STEPS = 3  # through how many calls a function is entered, to look for passes
DEEPEST = 4  # ... to list what has run


def called_passes(program: Program) -> Iterator[tuple[Trail, ast.expr]]:
    """What backward() was called on in each function that has run; with the text around it.

    Example:
        def step():
            loss = model(x).sum()
            loss.backward()  # gives (the text of step, loss)
    """
    trail = Trail(program)
    for call, _ in program.calls:
        if has_run(program, call):
            yield from _passes_of(trail, call, STEPS, set())


def before(programs: Sequence[Program]) -> Iterator[ast.stmt]:
    """The statements that have run before the lines of these frames, the outermost frame first."""
    for program in reversed(programs):
        yield from (statement for _, statement in with_calls(Trail(program)))


def with_calls(trail: Trail, steps: int = DEEPEST) -> Iterator[tuple[Program, ast.stmt]]:
    """The statements of a function that have run, each after those of the functions it calls."""
    for statement in simple_statements(trail.program.body):
        if has_run(trail.program, statement):
            for inside in trail.inside(statement) if steps else ():
                yield from with_calls(inside, steps - 1)
            yield trail.program, statement
            if isinstance(statement, ast.Return):
                return


def _passes_of(trail: Trail, call: ast.Call, steps: int,
               seen: set[object]) -> Iterator[tuple[Trail, ast.expr]]:
    for inside in trail.entered(call) if steps else ():
        code = getattr(inside.program.frame, "f_code", None)
        if code in seen:
            continue
        seen.add(code)
        for inner in (part for one in inside.program.body for part in parts_of(one)
                      if isinstance(part, ast.Call) and has_run(inside.program, part)):
            function = inner.func
            if isinstance(function, ast.Attribute) and function.attr == "backward" and (
                    not inner.args):
                yield inside, function.value
            yield from _passes_of(inside, inner, steps - 1, seen)
