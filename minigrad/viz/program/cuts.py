"""Where a value went on without its history: `detach()`, `no_grad`, integers, `torch.tensor(t)`,
`.item()`.

A constant that an operation keeps in the memory of a computed tensor was cut off from it, in any
program. The text says more: the expression that a constant was assigned, or that is at its place in
the line that recorded the operation, and the way back from the result through assignments and
functions (see `trail`). Where neither decides, nothing is claimed.
"""
from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..graph.facts import is_tensor, is_written_view, storage_of, whole_number
from ..graph.model import Cut, Graph, Input, Op, Tensor
from .names import Names
from .operations import OPERATORS
from .places import line_of
from .source import Assigned, Program
from .trail import Called, Source, Trail

SHARED = "shared memory"  # the word for a cut that no text tells
End = int | tuple[int, int]  # as `Cut.target`


class Cuts:
    """Collects the constants of a graph, then says which of them were cut off."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.program = Program(names.frame, names.reached)
        self.trail = Trail(self.program)
        self.tensors: dict[int, Any] = {}  # key of a constant -> the tensor
        # (operation, number of input) -> key of its constant
        self.places: dict[tuple[int, int], int] = {}

    def constant(self, tensor: Any, key: int | None, place: tuple[int, int] | None = None) -> None:
        if key is not None and not tensor.requires_grad:
            self.tensors[key] = tensor
            if place:
                self.places[place] = key

    def found(self, graph: Graph, source: Callable[[Any], Input],
              targets: Sequence[Any] = ()) -> list[Cut]:
        """Take a function that says where a tensor comes from, and what the graph is behind."""
        inline = self._expressions(graph)
        written = {self.places[place]: inline[place] for place in reversed(self.places)
                   if place in inline}
        claims: dict[End, list[Source]] = {}
        for key, tensor in self.tensors.items():
            claims[key] = self.cut_off(tensor,
                                       self._origin(self.names.of(tensor), written.get(key)))
        for place, expression in inline.items():
            op, nr = place
            if place not in self.places and graph.ops[op].inputs[nr].op is None:
                value = self.program.value(expression)
                if is_tensor(value) and isinstance(expression, ast.Name):
                    graph.ops[op].inputs[nr] = replace(graph.ops[op].inputs[nr], name=expression.id)
                claims[place] = self.cut_off(value, self._origin("", expression))
        on_the_way = {(one.word, _same(one.value)): one for target in targets
                      for one in self.behind(target)}
        for key, tensor in self.shared().items():
            if not claims.get(key):
                told = [one for one in on_the_way.values() if one.value is tensor]
                claims[key] = told[:1] or [Source(SHARED, tensor)]
        known = {_same(one.value) for found in claims.values() for one in found}
        for one in on_the_way.values():
            if _same(one.value) not in known and len(ends := self._ends(graph, claims)) == 1:
                claims.setdefault(ends.pop(), []).append(one)
        return [Cut(one.word, Input(None, constant=Tensor("interior", one.value.text))
                    if isinstance(one.value, Called) else source(one.value), target, one.line)
                for target, found in claims.items()
                for one in {(one.word, _same(one.value)): one for one in found}.values()]

    def behind(self, target: Any) -> list[Source]:
        """What the text says that a named result was cut off from."""
        name = self.names.of(target) if is_tensor(target) else ""
        known = name.isidentifier() and (
            self.program.held_once(name) or self.program.assigned(name))
        if not known:
            return []
        return list(self.trail.followed(
            Assigned(ast.Name(name, ast.Load()), ""), lambda value: isinstance(value, Called)
            or value is not target and value.requires_grad))

    def shared(self) -> dict[int, Any]:
        """Key of a constant -> the tensor with a history whose memory it is in.

        Of a leaf only a constant without a name was cut off: the leaf may have been made from a
        variable.
        """
        named = self.names.tensors.items() if self.tensors else ()
        tracked = {place[0]: (name, one) for name, one in named if not is_written_view(one)
                   and one.requires_grad and (place := storage_of(one))}
        found = {}
        for key, constant in self.tensors.items() if tracked else ():
            place = storage_of(constant)
            _, one = tracked.get(place[0], ("", None)) if place else ("", None)
            if one is not None and (one.grad_fn is not None or not self.names.of(constant)):
                found[key] = one
        return found

    def _ends(self, graph: Graph, claims: dict[End, list[Source]]) -> set[End]:
        """The constants without a name and a source, at one of which a cut has to end."""
        root = graph.roots[0]
        if isinstance(root, Tensor):
            return {root.key} if root.key is not None else set()
        ends = {entry.constant.key if entry.constant else (at, nr)
                for at, op in enumerate(graph.ops[:root[0] + 1])
                for nr, entry in enumerate(op.inputs)
                if entry.op is None and not entry.name
                and not (entry.constant and entry.constant.name)
                and (entry.constant or entry.reason)
                and (entry.constant is None or entry.constant.key is not None)}
        return {end for end in ends if end is not None and not claims.get(end)}

    def _origin(self, name: str, expression: ast.expr | None) -> Assigned | None:
        """How a constant was made: the assignment of its variable, or the expression itself."""
        if expression is not None and not isinstance(expression, ast.Name):
            return Assigned(expression, "")
        if expression is not None and hasattr(expression, "parent"):  # as it was in that line
            return self.program.assigned(expression.id, expression)
        return self.program.assigned(expression.id if expression is not None else name)

    def cut_off(self, tensor: Any, origin: Assigned | None) -> list[Source]:
        """Every tensor that a constant was cut off from, as the text says."""
        kind = ""
        if is_tensor(tensor) and whole_number(tensor):
            kind = "booleans" if "bool" in str(tensor.dtype) else "integers"
        if origin is None:
            return []
        outer = Source(kind, None, line_of(origin.expression))
        return list(self.trail.followed(
            origin, lambda value: isinstance(value, Called) or value.requires_grad, outer))

    def _expressions(self, graph: Graph) -> dict[tuple[int, int], ast.expr]:
        """The expression at each constant's place, where text and graph agree."""
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
            elif not isinstance(part, ast.Name) and not any(
                    tensor.name.isidentifier() for tensor in graph.ops[entry.op].outputs.values()):
                self._match(graph, entry.op, part, found)


def _same(value: Any) -> Any:
    """What two values that were cut off have in common if they are the same one."""
    return value.text if isinstance(value, Called) else id(value)


def _operands(op: Op, expression: ast.expr, program: Program) -> list[ast.expr]:
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
