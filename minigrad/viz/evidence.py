"""What can be found out about a tensor's gradient, for `why`: its graph, its optimizers, the program's calls.

Everything here is looked up and nothing is run: no node, no hook, no property. What a backward pass has freed
is unknown, unless a variable holds it or `watch()` has written it down.
"""
from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from . import records
from .cuts import Cuts
from .explain_lines import is_freed, line_words
from .explanation import Fix
from .facts import base_of, is_tensor, is_written_view
from .kept import saved_by
from .model import Graph
from .modules import members
from .names import Names
from .places import Line, line_of
from .read import in_forward_order, is_accumulate, read
from .trail import Called, Source
from .training import Training

SAME_NUMBERS = ("TBackward", "TransposeBackward", "ViewBackward", "ReshapeAlias", "Unsqueeze", "Expand")


class Answer(NamedTuple):
    """What `why` has to say."""

    cause: str
    sentence: str
    fixes: Sequence[Fix] = ()
    guilty: Sequence[Any] = ()  # nodes and tensors to mark
    show: Sequence[Any] = ()  # what to draw; nothing: the result
    more: str = ""  # what was looked at, or can't be seen
    cut: Source | None = None


def place(line: Any) -> str:
    """The line of the program in brackets, where it is known."""
    return f" ({line_words(line)})" if line and line.line else ""


class Case:
    """A tensor, and what the program around it knows about its gradient."""

    def __init__(self, tensor: Any, names: Names, loss: Any = None) -> None:
        self.tensor, self.names, self.loss = tensor, names, loss
        self.name = names.of(tensor) or "x"
        self.code = re.sub(r"\.(\d+)", r"[\1]", self.name)  # as the program would write it
        self.cuts = Cuts(names)
        self.program = self.cuts.program
        self.training = Training(tensor, names, self.program, self.leads_to, self.leaves)

    # --- the graph

    @cached_property
    def variables(self) -> dict[str, Any]:
        """The tensors that can be asked for their history without a change."""
        return {name: one for name, one in self.names.tensors.items() if not is_written_view(one)}

    @cached_property
    def nodes(self) -> list[Any]:
        """Every node behind a variable, inputs before users."""
        tensors = [self.tensor, *filter(is_tensor, [self.loss]), *self.variables.values()]
        return in_forward_order([one.grad_fn for one in tensors if one.grad_fn is not None])

    @cached_property
    def own(self) -> set[int]:
        """The id of the tensor's own node."""
        return {id(node) for node in self.nodes if node is self.tensor.grad_fn
                or is_accumulate(node) and node.variable is self.tensor}

    @cached_property
    def reached(self) -> set[int]:
        """The ids of the nodes that were computed from the tensor; its own is one of them."""
        found: set[int] = set()
        for node in self.nodes:
            if id(node) in self.own or any(id(before) in found for before, _ in node.next_functions):
                found.add(id(node))
        return found

    def leads_to(self, value: Any) -> bool:
        """Whether the tensor, or a model that holds it, went into a value with its history."""
        if isinstance(value, Called):
            return any(one is self.tensor for _, one in members(value.model))
        value = base_of(value) if is_written_view(value) else value
        return value is self.tensor or value.grad_fn is not None and id(value.grad_fn) in self.reached

    @cached_property
    def results(self) -> list[tuple[str, Any]]:
        """The variables that were computed from the tensor, the furthest first."""
        place = {id(node): at for at, node in enumerate(self.nodes)}
        found = [(-place[id(one.grad_fn)], name, one) for name, one in self.variables.items()
                 if one.grad_fn is not None and one.grad_fn is not self.tensor.grad_fn and self.leads_to(one)]
        return [(name, one) for _, name, one in sorted(found, key=lambda row: row[:2])]

    @cached_property
    def starts(self) -> list[ast.expr]:
        """The expressions on which the text calls backward(); with a given loss its variable."""
        if self.loss is not None:
            name = self.names.of(self.loss)
            return [ast.Name(name, ast.Load())] if name.isidentifier() else []
        parts = [part for event in self.training.events if event.kind == "backward"
                 for part in getattr(event.owner, "elts", [event.owner])]
        return list({ast.unparse(part): part for part in parts}.values())

    @cached_property
    def roots(self) -> list[tuple[str, Any]]:
        """(text, tensor) of what passes start from."""
        if self.loss is not None:
            return [(self.names.of(self.loss) or "loss", self.loss)]
        found = [(part, self.program.value(part)) for part in self.starts]
        return [(ast.unparse(part), value) for part, value in found if is_tensor(value) and (
            not isinstance(part, ast.Name) or self.program.held_once(part.id) or self.leads_to(value))]

    @cached_property
    def result(self) -> tuple[str, Any] | None:
        """What the gradient was, or would be, computed of."""
        ends = [root for root in self.roots if root[1].grad_fn is not None and self.leads_to(root[1])]
        return (ends + ([] if self.loss is not None else self.results) + [None])[0]

    @cached_property
    def uses(self) -> int:
        """How many operations took the tensor."""
        return sum(id(before) in self.own for node in self.nodes for before, _ in node.next_functions)

    @cached_property
    def behind(self) -> list[Any]:
        """The nodes behind the result, in forward order."""
        return in_forward_order([self.result[1].grad_fn]) if self.result else []

    @cached_property
    def between(self) -> list[Any]:
        """The nodes from the tensor to the result, in forward order."""
        return [node for node in self.behind if id(node) in self.reached]

    def on_path(self, node: Any) -> bool:
        return id(node) in self.reached and id(node) in self.place

    @cached_property
    def narrow(self) -> list[Any]:
        """Those of them that lie on every path, in the order of the backward pass."""
        place = {id(node): at for at, node in enumerate(self.between)}
        far, found = 0, []
        ends: dict[int, int] = {}
        for at, node in enumerate(self.between):
            for before, _ in node.next_functions:
                if id(before) in place:
                    ends[place[id(before)]] = at
        for at, node in enumerate(self.between):
            found += [node] * (far <= at)
            far = max(far, ends.get(at, at))
        return found[::-1]

    @cached_property
    def ran(self) -> Any:
        """Whether a pass has gone through the graph of the result."""
        return any(is_freed(node) or records.freed_by(node) for node in self.behind) or any(
            leaf.grad is not None for leaf in self.leaves())

    def leaves(self, root: Any = None) -> list[Any]:
        """The leaves behind a tensor, or behind the result."""
        nodes = self.behind
        if root is not None:
            nodes = in_forward_order([root.grad_fn]) if root.grad_fn is not None else []
        return [node.variable for node in nodes if is_accumulate(node)]

    def recording(self) -> bool:
        """Whether the tensor's library records operations now."""
        roots = [sys.modules.get(kind.__module__.partition(".")[0]) for kind in type(self.tensor).__mro__]
        return all(root.is_grad_enabled() for root in roots if hasattr(root, "is_grad_enabled"))

    def looked_at(self) -> str:
        """For where nothing is certain."""
        return (f"{len(self.names.tensors)} tensors in the variables here, {len(self.nodes)} nodes behind "
                "them and the assignments in the text were looked at.")

    def called(self, node: Any) -> str:
        """`MulBackward0 (which made y)`."""
        made = [name for name, _ in self.names.outputs(node).values()]
        return node.name().rpartition("::")[2] + (f" (which made {made[0]})" if made else "")

    # --- the values of a node, as far as they are known

    def made(self, node: Any) -> Any:
        """The value that a node made."""
        held = [tensor for nr, (_, tensor) in self.names.outputs(node).items() if nr == 0]
        return node.variable if is_accumulate(node) else held[0] if held else self.kept(node).get("result")

    def taken(self, node: Any, nr: int) -> Any:
        """The value that a node took as its input number `nr`."""
        before = node.next_functions[nr][0] if nr < len(node.next_functions) else None
        value = None if before is None else self.made(before)
        while value is None and before is not None and before.name().startswith(SAME_NUMBERS):
            before = before.next_functions[0][0]
            value = None if before is None else self.made(before)
        if value is None and nr < 2:
            value = self.kept(node).get(("self", "other")[nr])
        op = self.graph.ops[self.place[id(node)]]
        if value is None and before is None and nr < len(op.inputs):  # the text may know a constant's name
            entry = op.inputs[nr]
            value = self.names.tensors.get(entry.constant.name if entry.constant else entry.name)
        return value

    @cached_property
    def graph(self) -> Graph:
        return read([self.result[1]], self.names)

    @cached_property
    def place(self) -> dict[int, int]:
        """Id of a node behind the result -> its place in the graph."""
        return {id(node): at for at, node in enumerate(self.behind)}

    def kept(self, node: Any) -> dict[str, Any]:
        return {slot: value for slot, state, value, _ in saved_by(node) if state == "kept"}

    def line(self, node: Any) -> Line | None:
        """The line that recorded a node, or that assigned the next variable that was computed from it."""
        if line := records.place_of(node):
            return line
        users = [node]
        for later in self.nodes[self.nodes.index(node):]:
            if later is users[-1] or any(before is users[-1] for before, _ in later.next_functions):
                users.append(later)
                for name, _ in self.names.outputs(later).values():
                    assigned = self.program.assigned(name)
                    return line_of(assigned.expression) if assigned else None
        return None

    def turn(self, holds: Callable[[Any], bool]) -> Any:
        """By watch(): the first node of the pass that turned a gradient into one for which `holds`."""
        for node in reversed(self.between):
            arrived = records.passed(node)
            for before, nr in node.next_functions:
                passed = records.passed(before)
                if arrived and arrived[0] and passed is not None and id(before) in self.reached:
                    if not holds(arrived[0]) and holds(passed[nr] if nr < len(passed) else None):
                        return node
        return None
