"""What a value was computed from, as the program's text says.

Variables that were assigned in one place are followed, and functions of the program are entered.
Nothing is called.
"""
from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from .entered import functions_of
from .lines import targets_of
from .parsed import parts_of
from .program_text import Program
from .ran import has_run, may_have_run, statement_of
from .stored import Assigned

STEPS = 12  # through how many assignments and functions a value is followed


class Trail:
    """The text around a frame; inside a function, also what its call gave for the parameters."""

    def __init__(self, program: Program, given: dict[str, ast.expr] | None = None,
                 caller: Trail | None = None) -> None:
        self.program, self.given, self.caller = program, given or {}, caller
        self.calls: tuple[int, ...] = ()  # the calls that led here

    def element(self, origin: Assigned) -> list[tuple[Trail, Assigned]]:
        """What functions return for one of several variables, where they return a tuple of them."""
        at, call = origin.at, origin.expression
        found = [(inside, one) for inside in (self.entered(call) if at is not None and isinstance(
            call, ast.Call) else ()) for one in inside.program.results()]
        tuples = [(inside, one, one.expression.elts) for inside, one in found
                  if isinstance(one.expression, ast.Tuple)]
        if at is None or len(tuples) < len(found) or any(at >= len(elts) for *_, elts in tuples):
            return []
        return [(inside, Assigned(elts[at], one.quiet)) for inside, one, elts in tuples]

    def earlier(self, use: ast.Name) -> Iterator[tuple[Trail, Assigned, str]]:
        """What gave a variable its value, with ".data" where it was written through that."""
        yield from ((self, one, "") for one in self._origins(use))
        yield from ((self, one, through) for one, through in self._writes(use))
        if self.caller and use.id in self.given and self._is_given(use):
            yield self.caller, Assigned(self.given[use.id], ""), ""

    def _writes(self, use: ast.Name) -> Iterator[tuple[Assigned, str]]:
        """What was written in place to a variable, with `.data` where it went through that."""
        for statement, inner, _ in (row for rows in self.program.statements[:1] for row in rows):
            if hasattr(statement, "body") or isinstance(statement, ast.AugAssign):
                continue
            for target in targets_of(statement):
                through = ".data" if getattr(target, "attr", "") == "data" else ""
                owner = getattr(target, "value", None) if through else target
                if isinstance(owner, ast.Name) and owner.id == use.id and has_run(
                        self.program, statement):
                    value = getattr(statement, "value", None)
                    values = getattr(value, "args", [value])
                    yield from ((Assigned(one, inner), through) for one in values)

    def _is_given(self, use: ast.Name) -> bool:
        """Whether a parameter may still have the value that the call gave for it."""
        lines = [statement_of(one.expression) for one in self.program._places(use.id) if one]
        now = statement_of(use)
        return not any(getattr(one, "end_lineno", 0) < getattr(now, "lineno", 0)
                       and has_run(self.program, one) for one in lines)

    def _origins(self, use: ast.Name) -> Iterator[Assigned]:
        name, within = use.id, use if hasattr(use, "parent") else None
        if origin := self.program.assigned(name, within):
            yield origin
            if isinstance(origin.expression, ast.List):
                for call, _ in self.program.calls:
                    if ast.unparse(call.func) == f"{name}.append" and call.args and (
                            may_have_run(self.program, call)):
                        yield Assigned(call.args[0], "")
        elif sums := self.program.added(name):
            yield from sums
        else:  # several that have all run, such as one before a loop and one in it
            found = self.program._places(name)[self.program.is_given(name):]
            known = [one for one in found if one and has_run(self.program, one.expression)]
            yield from known if len(known) == len(found) else []

    def entered(self, call: ast.Call) -> list[Trail]:
        """Inside the functions of the program that a call runs; none where a library defines it."""
        inside = self.program.inside
        if call not in inside:
            inside[call] = [(Program(entered), given)
                            for entered, given in functions_of(call, self.program)]
        found = [Trail(program, given, self) for program, given in inside[call]]
        for one in found:
            one.calls = (*self.calls, id(call))
        return found

    def inside(self, part: ast.AST) -> Iterator[Trail]:
        """Inside the functions that all calls in a part of the text run."""
        for call in parts_of(part):
            if isinstance(call, ast.Call):
                yield from self.entered(call)

    def reached(self, starts: Iterable[Assigned]) -> Iterator[tuple[Trail, str, Assigned]]:
        """What the text says a value was computed from: each with the variable it was assigned to.

        Functions are entered. Where it isn't certain what gave a variable its value, every place
        counts that may have.
        """
        line, seen = [(self, "", start) for start in starts], set()
        while line:
            trail, name, origin = line.pop(0)
            key = getattr(trail.program.frame, "f_code", None), name, id(origin.expression)
            if key in seen:
                continue
            seen.add(key)
            if single := trail.element(origin):
                line += [(inside, name, one) for inside, one in single]
                continue
            yield trail, name, origin
            for part in parts_of(origin.expression):
                if isinstance(part, ast.Call):
                    line += [(inside, "return", one) for inside in trail.entered(part)
                             for one in inside.program._places("return") if one]
                elif isinstance(part, ast.Name):
                    places = trail.program._places(part.id)
                    line += [(other, part.id, one) for other, one, _ in trail.earlier(part)] or [
                        (trail, part.id, one) for one in places if one]
