"""Where a value went on without its history: `detach()`, `no_grad`, integers, `torch.tensor(t)`, `.item()`.

The graph itself only shows that an input takes no gradient. Two kinds of evidence say more. Memory: a
constant that shares its memory with a computed tensor was cut off from it. And the program's text: the
expression that a constant was assigned, or that stands at its place in the line that recorded the operation.
Where neither decides, nothing is claimed, and the constant is drawn as a constant.
"""
from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

from .facts import base_of, is_tensor, storage_of, whole_number
from .model import Cut, Graph, Input, Op
from .names import Names
from .source import Assigned, Program

SCISSORS = {"detach": "detach()", "detach_": "detach_()", "item": ".item()", "tolist": ".tolist()",
            "numpy": ".numpy()"}  # methods that hand out the value alone
COPIES = {"tensor": "torch.tensor()", "as_tensor": "torch.as_tensor()", "float": "float()", "int": "int()",
          "from_numpy": "from_numpy()"}  # functions that do
OPERATORS = {ast.Add: "Add", ast.Sub: "Sub", ast.Mult: "Mul", ast.Div: "Div", ast.Pow: "Pow"}
Target = int | tuple[int, int]


class Cuts:
    """Collects the constants of a graph while their tensors are at hand, then says which were cut off."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.program = Program(names.frame)
        self.tensors: dict[int, Any] = {}  # key of a constant -> the tensor
        self.places: dict[tuple[int, int], int] = {}  # (operation, number of input) -> key of its constant

    def constant(self, tensor: Any, key: int | None, place: tuple[int, int] | None = None) -> None:
        if key is not None and not tensor.requires_grad:
            self.tensors[key] = tensor
            if place:
                self.places[place] = key

    def found(self, graph: Graph, source: Callable[[Any], Input]) -> list[Cut]:
        """`source` says where in the graph a tensor comes from."""
        constants = any(entry.op is None for op in graph.ops for entry in op.inputs)
        inline = self._expressions(graph) if constants else {}
        claims: dict[Target, list[tuple[str, Any]]] = {}
        for key, tensor in self.tensors.items():
            places = [place for place, its in self.places.items() if its == key]
            expression = next((inline[place] for place in places if place in inline), None)
            claims[key] = self._cut_off(tensor, self._origin(self.names.of(tensor), expression))
        for place, expression in inline.items():
            op, nr = place
            if place not in self.places and graph.ops[op].inputs[nr].op is None:
                name = expression.id if isinstance(expression, ast.Name) else ""
                value = self.program.value(expression)
                graph.ops[op].inputs[nr] = Input(None, name=name if is_tensor(value) else "")
                claims[place] = self._cut_off(value, self._origin(name, expression))
        return [Cut(word, source(tensor), target) for target, found in claims.items()
                for word, tensor in {(word, id(tensor)): (word, tensor) for word, tensor in found}.values()]

    def _origin(self, name: str, expression: ast.expr | None) -> Assigned | None:
        """How a constant was made: the assignment of its variable, or the expression itself."""
        if isinstance(expression, ast.Name):
            name, expression = expression.id, None
        if expression is not None:
            return Assigned(expression, "")
        return self.program.assigned(name) if name else None

    def _cut_off(self, tensor: Any, origin: Assigned | None) -> list[tuple[str, Any]]:
        """(word, source) for every tensor that a constant was cut off from."""
        found = list(self._told(tensor, origin)) if origin else []
        if not found and is_tensor(tensor):
            found = [(word, other) for word, other in self._seen(tensor)][:1]
        return found

    def _told(self, tensor: Any, origin: Assigned) -> Iterator[tuple[str, Any]]:
        expression = origin.expression
        if origin.quiet:
            yield from ((origin.quiet, other) for other in self._tracked(expression))
            return
        cutting = list(self._cutting(expression))
        for word, inner in cutting:
            yield from ((word, other) for other in self._tracked(inner))
        if not cutting and is_tensor(tensor) and whole_number(tensor):
            kind = "booleans" if "bool" in str(tensor.dtype) else "integers"
            yield from ((kind, other) for other in self._tracked(expression))

    def _cutting(self, expression: ast.expr) -> Iterator[tuple[str, ast.expr]]:
        """The parts of an expression that hand on a value alone; of nested ones the outermost that cuts."""
        if isinstance(expression, ast.Call):
            function, arguments = expression.func, expression.args
            if isinstance(function, ast.Attribute) and function.attr in SCISSORS and not arguments:
                inner = list(self._cutting(function.value))
                yield from inner or [(SCISSORS[function.attr], function.value)]
                return
            name = getattr(function, "attr", getattr(function, "id", ""))
            if name in COPIES and arguments and not _creates_leaf(expression):
                inner = list(self._cutting(arguments[0]))
                yield from inner or [(COPIES[name], arguments[0])]
                return
        if isinstance(expression, ast.Attribute) and expression.attr == "data":
            yield ".data", expression.value
            return
        for part in ast.iter_child_nodes(expression):
            if isinstance(part, (ast.expr, ast.keyword)):
                yield from self._cutting(part.value if isinstance(part, ast.keyword) else part)

    def _tracked(self, expression: ast.expr) -> list[Any]:
        """The tensors with a gradient that an expression mentions."""
        values = [self.program.value(part) for part in ast.walk(expression)
                  if isinstance(part, ast.Attribute) or isinstance(part, ast.Name) and
                  self.program.settled(part.id)]
        return [value for value in values if is_tensor(value) and value.requires_grad]

    def _seen(self, tensor: Any) -> Iterator[tuple[str, Any]]:
        """Computed tensors whose memory a constant shares. (A leaf may have been made from the constant.)"""
        memory, base = storage_of(tensor), base_of(tensor)
        for other in self.names.tensors.values():
            owner = base_of(other)
            computed = other.requires_grad and not other.is_leaf and not (owner is not None and owner.is_leaf)
            if memory and computed and storage_of(other) == memory:
                quiet = base is not None and (base is other or base is owner)
                yield "no_grad" if quiet else "same memory", other

    def _expressions(self, graph: Graph) -> dict[tuple[int, int], ast.expr]:
        """The expression at each constant's place, where the line that made a named tensor fits the graph."""
        found: dict[tuple[int, int], ast.expr] = {}
        for at, op in enumerate(graph.ops):
            for tensor in op.outputs.values():
                origin = self.program.assigned(tensor.name) if tensor.name.isidentifier() else None
                if origin and not origin.parts and not origin.quiet:
                    self._match(graph, at, origin.expression, found)
        return found

    def _match(self, graph: Graph, at: int, expression: ast.expr, found: dict) -> None:
        op = graph.ops[at]
        operands = _operands(op, expression, self.program)
        for nr, (part, entry) in enumerate(zip(operands, op.inputs)):
            if entry.op is None:
                found[at, nr] = part
            elif not isinstance(part, ast.Name) and not _named(graph.ops[entry.op]):
                self._match(graph, entry.op, part, found)


def _named(op: Op) -> bool:
    return any(tensor.name.isidentifier() for tensor in op.outputs.values())


def _creates_leaf(call: ast.Call) -> bool:
    return any(keyword.arg == "requires_grad" for keyword in call.keywords)


def _operands(op: Op, expression: ast.expr, program: Program) -> list[ast.expr]:
    """The expressions of an operation's inputs in the engine's order; [] where text and graph don't agree."""
    stem = re.sub(r"Backward\d*$", "", op.name)
    if isinstance(expression, ast.BinOp):
        if OPERATORS.get(type(expression.op)) != stem or len(op.inputs) != 2:
            return []
        sides = [expression.left, expression.right]
        return sides[::-1] if isinstance(expression.left, ast.Constant) else sides  # 2 * y records y * 2
    if isinstance(expression, ast.Call) and isinstance(expression.func, ast.Attribute):
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", stem).lower()
        if expression.func.attr == words and not expression.keywords:
            owner = program.value(expression.func.value)
            module = owner is not None and not is_tensor(owner)
            return expression.args if module else [expression.func.value, *expression.args]
    return []
