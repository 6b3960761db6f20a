"""What the caller's program says about one of its variables.

We parse the text around the frame that draws (a file, or the cells of a notebook), and look for the
one place that assigns the variable. Where there are two, or it is a parameter or the target of a
loop, nothing is said.
"""
from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cached_property
from types import CodeType, FrameType
from typing import Any, NamedTuple

from ..graph.facts import is_readable, is_tensor
from ..graph.modules import attributes
from .frame_variables import variables
from .parsed import FUNCTIONS, Body, function_of, functions_in, parts_of, text_of_cell, tree_of
from .ran import has_run, may_have_run, statement_of
from .statements import Loops, calls_of_statements, mode_of, storing, walked
from .stored import Assigned, given_by
from .where_it_runs import cell_numbers


class Entered(NamedTuple):
    """A function that is read in place of a frame, with what is known of its variables."""

    f_code: CodeType
    f_globals: dict[str, Any]
    f_locals: Mapping[str, Any]
    f_lineno: int | None = None  # the line to which it has come; None: not known
    f_back: Any = None


def after_block(frame: FrameType) -> FrameType | Entered:
    """The frame as if it had left its `with` block, at whose first line Python says that it is."""
    blocks = [part for part in parts_of(tree_of(frame) or ast.Module([], []))
              if isinstance(part, (ast.With, ast.AsyncWith))
              and part.lineno <= frame.f_lineno < part.body[0].lineno]
    if not blocks:
        return frame
    end = max(block.end_lineno or 0 for block in blocks) + 1
    return Entered(frame.f_code, frame.f_globals, variables(frame), end, frame.f_back)


class Program:
    """The text around a frame, and its variables."""

    def __init__(self, frame: FrameType | Entered | None, reached: int = 0) -> None:
        self.frame, self.reached = frame, reached  # a line that the frame has surely reached
        self._known: dict[str, list[Assigned | None]] = {}
        # by a call in it: the functions that it runs, and what their parameters are given; several
        # questions follow the same calls
        self.inside: dict[ast.Call, list[tuple[Program, dict[str, ast.expr]]]] = {}

    @cached_property
    def scopes(self) -> list[tuple[Body, str, set[str]]]:
        """(statements, mode they run in, names of parameters), from the inside out."""
        return list(_scopes(self.frame)) if self.frame else []

    @cached_property
    def statements(self) -> list[list[tuple[ast.stmt, str, Loops]]]:
        """For each scope its statements, as `walked` gives them."""
        return [walked(body, mode) for body, mode, _ in self.scopes]

    @property
    def body(self) -> Body:
        """The statements of the function or file that the frame runs."""
        return self.scopes[0][0] if self.scopes else []

    @cached_property
    def parts(self) -> list[ast.AST]:
        """Every part of the visible text, functions and classes included."""
        return [part for body, _, _ in self.scopes for outer in body for part in parts_of(outer)]

    @cached_property
    def decorators(self) -> list[ast.expr]:
        """Those of the function that the frame runs."""
        if self.frame is None or (tree := tree_of(self.frame)) is None:
            return []
        return getattr(function_of(tree, self.frame.f_code), "decorator_list", [])

    @cached_property
    def variables(self) -> Mapping[str, Any]:
        return variables(self.frame) if self.frame else {}

    @cached_property
    def aliases(self) -> dict[int, Any]:
        """By the id of an expression: a tensor that it gave a variable, which another has as well.

        After `kept = x` and `x = f(x)` it is `kept`, by the expression that was first assigned to
        x.
        """
        found = {}
        for name, value in self.variables.items() if self.scopes else ():
            origin, steps = self.assigned(name) if is_tensor(value) else None, 0
            while origin is not None and isinstance(origin.expression, ast.Name) and steps < 9:
                origin, steps = self.assigned(origin.expression.id, origin.expression), steps + 1
            if origin is not None and steps:
                found[id(origin.expression)] = value
        return found

    def assigned(self, name: str, before: ast.AST | None = None) -> Assigned | None:
        """What a variable was assigned, as it is now or at a part of the text that uses it.

        None where that isn't certain: in two branches, say, or by a line that has not run.
        """
        found = self._places(name)
        given = before is not None and self.is_given(name)
        if len(found) > 1 and None not in found[given:]:
            found = self._last(found[given:], before)
        one = found[0] if len(found) == 1 else None
        sole = len(self._places(name)) == 1 and self.held(ast.Name(name, ast.Load())) is not None
        return one if one and (sole or has_run(self, one.expression)) else None

    def is_given(self, name: str) -> bool:
        """Whether a variable is a parameter of the function that the frame runs."""
        return any(name in parameters for _, _, parameters in self.scopes[:1])

    def _last(self, found: list[Assigned | None], before: ast.AST | None) -> list[Assigned | None]:
        """The last of several assignments in one block before a use."""
        lines = [statement_of(one.expression) for one in found if one]
        blocks = {(id(getattr(one, "parent", one)), getattr(one, "file", "")) for one in lines}
        use = None if before is None else statement_of(before)
        if len(blocks) > 1 or use is not None and use.file != lines[0].file:
            return []
        earlier = [one for one, line in zip(found, lines)
                   if use is None or line.end_lineno < use.lineno]
        return earlier[-1:]

    def results(self) -> list[Assigned]:
        """What a function of the text returns, where no undecided branch is around the `return`."""
        return [one for one in self._places("return") if one and has_run(self, one.expression)]

    def added(self, name: str) -> list[Assigned]:
        """What `name += ...` adds in the nearest text that assigns it; [] where that does more."""
        places = self._places(name)
        plain = [one for one in places if one]
        for statements in self.statements if len(plain) <= 1 < len(places) else ():
            sums = [Assigned(one.value, inner) for one, inner, _ in statements
                    if isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name)
                    and one.target.id == name and may_have_run(self, one)]
            if sums:
                return [*plain, *sums] if len(places) == len(plain) + len(sums) else []
        return []

    def held_once(self, name: str) -> bool:
        """Whether a variable is assigned in one place, and by no loop, `with` or parameter."""
        return len(self._places(name)) <= 1 and None not in self._places(name)

    def _places(self, name: str) -> list[Assigned | None]:
        if name not in self._known:
            unknown: list[Assigned | None] = [None]
            found = (unknown * (name in parameters)
                     + [one for statement, inner in storing(body, mode).get(name, ())
                        for one in given_by(statement, name, inner)]
                     for body, mode, parameters in self.scopes)
            self._known[name] = [one for one in next(filter(None, found), [])
                                 if one is None or may_have_run(self, one.expression)]
        return self._known[name]

    def value(self, expression: ast.expr) -> Any:
        """What a name or a path refers to now; None for a tensor that can't be read."""
        value = self.held(expression)
        refuses = is_tensor(value) and not is_readable(value)
        return None if refuses else value

    def held(self, expression: ast.expr) -> Any:
        """The same, for any tensor. No property is run."""
        if isinstance(expression, ast.Name) and self.frame:
            own = self.variables
            return own[expression.id] if expression.id in own else (
                self.frame.f_globals.get(expression.id))
        if isinstance(expression, ast.Attribute):
            try:
                return attributes(self.held(expression.value)).get(expression.attr)
            except Exception:  # it has no variables, or refuses to be asked
                return None
        return None

    @cached_property
    def calls(self) -> list[tuple[ast.Call, list[ast.expr]]]:
        """Every call in the text visible from the frame, with the targets it is assigned to."""
        return [row for body, _, _ in self.scopes for row in calls_of_statements(body)]


def loop_variables(frame: FrameType) -> set[str]:
    """The variables of the `for` loops that are visible from a frame."""
    loops = [one for body, _, _ in _scopes(frame) for one, _, _ in walked(body)
             if isinstance(one, ast.For)]
    return {node.id for loop in loops for node in parts_of(loop.target)
            if isinstance(node, ast.Name)}


def _scopes(frame: FrameType | Entered) -> Iterator[tuple[Body, str, set[str]]]:
    code, tree = frame.f_code, tree_of(frame)
    if tree is None:
        return
    if code.co_name != "<module>":
        function = function_of(tree, code)
        if function is None:
            return  # the file has changed, or another cell goes by the same name
        parameters = {part.arg for part in parts_of(function.args) if isinstance(part, ast.arg)}
        if isinstance(function, ast.Lambda):
            yield [ast.copy_location(ast.Return(function.body), function.body)], "", parameters
        else:
            mode = mode_of(function.decorator_list)
            yield function.body, "@" * bool(mode) + mode, parameters
        around = [node for node in functions_in(tree) if isinstance(node, FUNCTIONS)
                  and node is not function
                  and node.lineno <= function.lineno <= (node.end_lineno or 0)]
        for outer in around[::-1] if code.co_freevars else ():  # the innermost first
            yield outer.body, "", {part.arg for part in parts_of(outer.args)
                                   if isinstance(part, ast.arg)}
    yield tree.body, "", set()
    cells = cell_numbers()
    others = [name for name in cells
              if name != code.co_filename] if code.co_filename in cells else []
    for name in sorted(others, key=lambda name: -(cells[name] or 0)):  # the one that ran last first
        if (cell := text_of_cell(name)) is not None:
            yield cell.body, "", set()
