"""What the program's text around an error shows: loops, writes in place, steps of optimizers."""
from __future__ import annotations

import ast
from collections.abc import Iterator
from types import FrameType
from typing import Any

from ..program.called import before
from ..program.entered import looped_tensors
from ..program.lines import targets_of
from ..program.parsed import last_name
from ..program.program_text import Program
from ..program.ran import may_have_run
from ..program.statements import simple_statements

Loop = ast.For | ast.While


class Text:
    """The text of the frames that led to an error, the innermost first."""

    programs: list[Program]
    around: list[tuple[FrameType, int]]  # the same frames, each with the line it is at
    program: Program

    def loops(self) -> Iterator[tuple[Program, Loop, int]]:
        """The loops around the lines that led to the error, the innermost first."""
        for program, (_, line) in zip(self.programs, self.around, strict=True):
            found = [node for statement in program.body for node in ast.walk(statement)
                     if isinstance(node, (ast.For, ast.While))
                     and node.lineno <= line <= (node.end_lineno or 0)]
            for loop in sorted(found, key=lambda loop: -loop.lineno):
                yield program, loop, line

    @property
    def loop(self) -> Loop | None:
        """The innermost loop around the line that failed, in the same function."""
        return next((loop for program, loop, _ in self.loops() if program is self.program), None)

    def writes_to(self, names: set[str]) -> list[ast.stmt]:
        """The statements in the visible text that write to one of these variables in place."""
        return [statement for statement in simple_statements(self.program.body)
                if any(ast.unparse(part) in names for part in targets_of(statement))]

    def writes_in_loops(self, leaf: Any) -> list[ast.stmt]:
        """The statements that write to the variable of a loop over parameters, with the leaf."""
        return [statement for program in self.programs
                for statement in simple_statements(program.body)
                if any(one is leaf for part in targets_of(statement)
                       for one in looped_tensors(part, program))]

    def ran(self) -> Iterator[ast.stmt]:
        """The statements that have surely run before the error, in their order."""
        return before(self.programs)

    def steps(self) -> list[tuple[ast.Call, Any]]:
        """(call, optimizer) of the calls of an optimizer's `step()` in the visible text."""
        found = {}
        for program in self.programs:
            for call, _ in program.calls:
                of = call.func if last_name(call.func) == "step" else None
                owner = program.held(of.value) if isinstance(of, ast.Attribute) else None
                if hasattr(owner, "param_groups") and hasattr(type(owner), "zero_grad"):
                    found[call.lineno, ast.unparse(call)] = (call, owner)
        return list(found.values())

    def other_passes(self) -> bool:
        """Whether the visible text calls backward() in another line than the one that failed."""
        return any(getattr(call.func, "attr", "") == "backward" and call.lineno != line
                   for program, (_, line) in zip(self.programs, self.around, strict=True)
                   for call, _ in program.calls if may_have_run(program, call))
