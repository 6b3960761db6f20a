"""Which parts of the program's text record an operation: a `/` or `div()` for DivBackward0.

The text that leads to a result is read, through the functions that were called on the way. A line
is only told where one line alone can have recorded the operation.
"""
from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from ..graph.facts import can_be_read, is_tensor
from ..graph.model import Graph, Op
from ..graph.walk import in_forward_order
from .entered import handed_over, held_values
from .lines import targets_of
from .node_lines import line_of
from .parsed import last_name, parts_of
from .program_text import Entered, Program
from .ran import has_run
from .statements import simple_statements
from .stored import Assigned
from .trail import Trail

OPERATORS = {ast.Add: ("Add",), ast.Sub: ("Sub", "Rsub"), ast.Mult: ("Mul",),
             ast.Div: ("Div", "Reciprocal"), ast.Pow: ("Pow",),
             ast.MatMult: ("Mm", "Mv", "Dot", "Bmm")}
ALSO = {"norm": ("linalgvectornorm",), "square": ("pow",), "truedivide": ("div",),
        "layernorm": ("nativelayernorm",), "batchnorm1d": ("nativebatchnorm",),
        "batchnorm2d": ("nativebatchnorm",), "linear": ("addmm", "addmv", "mm"),
        "matmul": ("mm", "mv", "dot", "bmm"), "crossentropy": ("nllloss", "logsoftmax")}
HOOKS = ("register_hook", "register_full_backward_hook")


class Part(NamedTuple):
    """An expression of the text, and the program that it belongs to."""

    program: Program
    expression: ast.expr

    @property
    def line(self) -> Any:
        return line_of(self.expression)


class Operations:
    """The operations that the text behind a result records."""

    def __init__(self, starts: Iterable[tuple[Trail, ast.expr]]) -> None:
        self._reached = [(trail, origin.expression) for start, expression in starts
                         for trail, _, origin in start.reached([Assigned(expression, "")])]

    @cached_property
    def parts(self) -> list[Part]:
        """Every expression on the way, once."""
        found: dict[ast.AST, Part] = {}
        for trail, expression in self._reached:
            for part in parts_of(expression):
                if isinstance(part, ast.expr):
                    found.setdefault(part, Part(trail.program, part))
        return list(found.values())

    def of(self, stem: str) -> list[Part]:
        """The parts that record an operation such as "Div"."""
        return [part for part in self.parts if stem.lower() in kinds_of(part)
                and not _without_history(part)]

    def line(self, stem: str) -> Any:
        """The line that records an operation, where there is one alone and it has run; or None."""
        found = self.of(stem)
        lines = {part.line: part for part in found}
        one = next(iter(lines.values())) if len(lines) == 1 else None
        return one.line if one and has_run(one.program, one.expression) else None

    def statements(self) -> Iterator[tuple[Trail, ast.stmt]]:
        """Those of the functions that were called on the way, with the text around each."""
        codes: set[Any] = set()
        for trail, _ in self._reached:
            code = getattr(trail.program.frame, "f_code", None)
            if code not in codes and trail.calls:
                codes.add(code)
                yield from ((trail, one) for one in simple_statements(trail.program.body))

    def writes(self) -> Iterator[tuple[Trail, ast.stmt]]:
        """The statements in them that have run and write in place."""
        return ((trail, one) for trail, one in self.statements()
                if targets_of(one) and has_run(trail.program, one))

    def hooks(self) -> list[ast.Call]:
        """The calls in them that register a hook whose function may return something."""
        return [part for trail, one in self.statements() for part in parts_of(one)
                if isinstance(part, ast.Call) and part.args
                and getattr(part.func, "attr", "") in HOOKS
                and _may_return(part.args[0], trail.program)]


def kinds_of(part: Part) -> tuple[str, ...]:
    """The stems of the nodes that an expression may record: ("div", "reciprocal") for `a / b`."""
    expression = part.expression
    if isinstance(expression, ast.BinOp):
        return tuple(one.lower() for one in OPERATORS.get(type(expression.op), ()))
    if isinstance(expression, ast.UnaryOp):
        return ("neg",) if isinstance(expression.op, ast.USub) else ()
    if not isinstance(expression, ast.Call):
        return ()
    function = expression.func
    names = [last_name(function)]
    if names == ["apply"] and isinstance(function, ast.Attribute):  # that of a custom Function
        names = [last_name(function.value)]
    names += [type(one).__name__ for one in held_values(function, part.program)
              if getattr(type(one), "forward", None)]
    plain = [name.replace("_", "").lower() for name in names]
    return tuple(word for one in plain for word in (one, *ALSO.get(one, ())))


def _without_history(part: Part) -> bool:
    """Whether all tensors in an expression are known and require no gradient."""
    names = [one for one in parts_of(part.expression) if isinstance(one, ast.Name)]
    values = [part.program.value(one) for one in names]
    tensors = [one for one in values if is_tensor(one)]
    known = all(one is not None for one in values)
    return bool(tensors) and known and not any(one.requires_grad for one in tensors)


def _may_return(hook: ast.expr, program: Program) -> bool:
    """Whether a hook may return a gradient; one whose text has no return only looks."""
    found = list(handed_over(hook, program))
    if not found:
        return True
    for function, _ in found:
        entered = Entered(function.__code__, function.__globals__, {})
        if function.__code__.co_name == "<lambda>" or any(
                getattr(one.expression, "value", one) is not None
                for one in Program(entered)._places("return") if one):
            return True
    return False


def operands(op: Op, expression: ast.expr, program: Program) -> list[ast.expr]:
    """The expressions of an operation's inputs in the engine's order; [] where none fit."""
    stem = re.sub(r"Backward\d*$", "", op.name)
    if isinstance(expression, ast.BinOp):
        if stem not in OPERATORS.get(type(expression.op), ()):
            return []
        sides = [expression.left, expression.right]
        left = sides[0].value if isinstance(sides[0], ast.Constant) else program.value(sides[0])
        return sides[::-1] if isinstance(left, (int, float)) else sides  # 2 * y records y * 2
    if isinstance(expression, ast.UnaryOp):
        return [expression.operand] * (stem == "Neg")
    if isinstance(expression, ast.Subscript):
        return [expression.value] * (stem in ("Select", "Slice", "Index"))
    if isinstance(expression, ast.Call) and isinstance(expression.func, ast.Attribute):
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", stem).lower()
        if expression.func.attr == words:
            owner = program.value(expression.func.value)
            module = owner is not None and not is_tensor(owner)
            found = expression.args if module else [expression.func.value, *expression.args]
            return found if not expression.keywords or len(found) >= len(op.inputs) else []
    return []


def set_layers(graph: Graph, nodes: Sequence[Any], program: Program) -> None:
    """Say which operations a pass with `create_graph=True` recorded: a layer behind the gradient.

    They are behind its gradient, and newer than what the text differentiates.
    """
    spans = list(_spans(program))
    for node, op in zip(nodes, graph.ops, strict=True) if spans else ():
        if op.kind == "op":
            op.layer = _layer(node, spans)


def _layer(node: Any, spans: list[tuple[Any, set[int]]]) -> int:
    """What a pass recorded lies one layer above what it differentiated."""
    return 1 + max((_layer(root, spans) for root, made in spans if id(node) in made
                    and node._sequence_nr() > root._sequence_nr()), default=0)


def _spans(program: Program) -> Iterator[tuple[Any, set[int]]]:
    """(node of what was differentiated, ids of those behind its gradient) of recorded passes."""
    for call, targets in program.calls:
        if last_name(call.func) != "grad" or not call.args or (
                "create_graph=True" not in map(ast.unparse, call.keywords)):
            continue
        roots = _nodes(program, [call.args[0]])
        given = in_forward_order(_nodes(program, call.args[1:]))
        if roots:
            yield (max(roots, key=lambda node: node._sequence_nr()),
                   {*map(id, in_forward_order(_nodes(program, targets)))} - {*map(id, given)})


def _nodes(program: Program, expressions: list[ast.expr]) -> list[Any]:
    """The nodes of the computed tensors that are mentioned."""
    values = [program.value(part) for one in expressions for part in parts_of(one)
              if isinstance(part, ast.Name)]
    return [value.grad_fn for value in values
            if is_tensor(value) and can_be_read(value) and value.grad_fn]
