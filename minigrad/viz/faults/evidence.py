"""What can be found out about a tensor's gradient, for `why`: its graph, its optimizers, calls.

Everything here is looked up and nothing is run: no node, no hook, no property. What a backward pass
has freed is unknown, unless a variable holds it or `watch()` has written it down.
"""
from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from ..graph import node_records
from ..graph.facts import base_of, is_tensor, is_written_view
from ..graph.kept import positions_of, saved_by, signed, stem_of
from ..graph.norms import Numbers, worst
from ..graph.walk import is_accumulate, leaves_of
from ..program.called import called_passes
from ..program.cuts import Called
from ..program.lines import is_freed
from ..program.names import Names, as_code
from ..program.node_lines import Line
from ..program.operations import Operations
from ..program.training_text import Training
from ..watching.events import Event
from .answer import place
from .common import Common

SHAPES = ("View", "UnsafeView", "ReshapeAlias", "T", "Transpose", "Permute", "Unsqueeze", "Squeeze",
          "Clone")


class Case:
    """A tensor, and what the program around it knows about its gradient."""

    def __init__(self, tensor: Any, names: Names, loss: Any = None,
                 common: Common | None = None) -> None:
        self.tensor, self.names, self.loss = tensor, names, loss
        self.common = common or Common(names, [tensor], loss)
        self.cuts = self.common.cuts
        self.program = self.cuts.program
        self.name = names.of(tensor) or self.common.unused("tensor")
        self.code = as_code(self.name)
        self.training = Training(self)

    # --- the graph

    @cached_property
    def node(self) -> Any:
        """The tensor's own node, or None."""
        own = self.tensor.grad_fn
        return self.common.fillers.get(id(self.tensor)) if own is None else own

    @cached_property
    def reached(self) -> set[int]:
        """The ids of the nodes that were computed from the tensor; its own is one of them."""
        found: set[int] = set()
        waiting = [id(self.node)] if id(self.node) in self.common.place_in else []
        while waiting:
            if (node := waiting.pop()) not in found:
                found.add(node)
                waiting += self.common.takers.get(node, ())
        return found

    def leads_to(self, value: Any) -> bool:
        """Whether the tensor, or a model that holds it, went into a value with its history."""
        if isinstance(value, Called):
            return self.common.holds(value.model, self.tensor)
        value = base_of(value) if is_written_view(value) else value
        if value is self.tensor or value.grad_fn is None:
            return value is self.tensor
        if self.common.many and "reached" not in self.__dict__:
            return id(self.node) in self.common.behind(value.grad_fn)[1]
        return id(value.grad_fn) in self.reached

    @cached_property
    def results(self) -> list[tuple[str, Any]]:
        """The variables that were computed from the tensor, the furthest first."""
        return [variable for node, variable in self.common.named
                if id(node) in self.reached and node is not self.node]

    @cached_property
    def starts(self) -> list[ast.expr]:
        """The expressions on which the text calls backward(); with a given loss its variable."""
        if self.loss is not None:
            name = self.names.of(self.loss)
            return [ast.Name(name, ast.Load())] if name.isidentifier() else []
        return list(self.common.once("starts", self.program, lambda: {
            ast.unparse(part): part for event in self.training.events if event.kind == "backward"
            for part in getattr(event.owner, "elts", [event.owner])}).values())

    @cached_property
    def roots(self) -> list[tuple[str, Any]]:
        """(text, tensor) of what passes start from."""
        if self.loss is not None:
            return [(self.names.of(self.loss) or "loss", self.loss)]
        found = [(part, self.program.value(part)) for part in self.starts]
        return [(ast.unparse(part), value) for part, value in found if is_tensor(value) and (
            not isinstance(part, ast.Name) or self.program.held_once(part.id)
            or self.leads_to(value))]

    @cached_property
    def result(self) -> tuple[str, Any] | None:
        """What the gradient was, or would be, computed of."""
        ends = [root for root in self.roots if root[1].grad_fn is not None
                and self.leads_to(root[1])]
        return (ends + ([] if self.loss is not None else self.results) + [None])[0]

    @cached_property
    def behind(self) -> list[Any]:
        """The nodes behind the result, in forward order."""
        result = self.result[1] if self.result else None
        node = result.grad_fn if result is not None else None
        return self.common.behind(node)[0] if node is not None else []

    @cached_property
    def between(self) -> list[Any]:
        """The nodes from the tensor to the result, in forward order."""
        return [node for node in self.behind if id(node) in self.reached]

    @cached_property
    def narrow(self) -> list[Any]:
        """Those of them that lie on every path, in the order of the backward pass."""
        last = {before: at for at, node in enumerate(self.between)
                for before in self.common.inputs(node)}
        far, found = 0, []
        for at, node in enumerate(self.between):
            found += [node] * (far <= at)
            far = max(far, last.get(id(node), at))
        return found[::-1]

    @cached_property
    def ran(self) -> Any:
        """Whether a pass has gone through the graph of the result."""
        return self.common.once("ran", self.behind, lambda: any(
            is_freed(node) or node_records.freed_by(node) for node in self.behind) or any(
            leaf.grad is not None for leaf in self.leaves))

    @cached_property
    def leaves(self) -> list[Any]:
        """The leaves behind the result."""
        return self.common.once("leaves", self.behind, lambda: leaves_of(self.behind))

    def named(self, node: Any) -> str:
        """`MulBackward0 (which made y) (train.py:12, ...)`."""
        made = " and ".join(name for name, _ in self.names.outputs(node).values())
        made = f" (which made {made})" if made else ""
        return "".join([node.name().rpartition("::")[2], made, place(self.line(node))])

    # --- the values of a node, as far as they are known

    def made(self, node: Any) -> Any:
        """The value that a node made; what only changes a shape made the numbers that it took."""
        while node is not None:
            if is_accumulate(node):
                return node.variable
            held = [tensor for nr, (_, tensor) in self.names.outputs(node).items() if nr == 0]
            value = held[0] if held else self.kept(node).get("result")
            if value is not None or stem_of(node.name()) not in SHAPES:
                return value
            node = node.next_functions[0][0]
        return None

    def taken(self, node: Any, at: int = 0) -> Any:
        """The value of an input of a node."""
        before, nr = node.next_functions[at] if at < len(node.next_functions) else (None, 0)
        found = self.made(before) if nr == 0 else None
        place = positions_of(node.name())
        kept = [value for slot, value in self.kept(node).items()
                if place.get(slot) == at and is_tensor(value)]
        return found if found is not None else kept[0] if kept else None

    def kept(self, node: Any) -> dict[str, Any]:
        return self.common.once("kept", node, lambda: {
            slot: value for slot, state, value, _ in saved_by(node) if state == "kept"})

    def dim(self, node: Any) -> int | None:
        """The dimension over which a node works; PyTorch keeps a negative one without its sign."""
        dim = self.kept(node).get("dim")
        return signed(dim) if type(dim) is int else None

    def saves(self, node: Any, before: Any) -> bool:
        """Whether a node saved what another made, as it is or in another shape."""
        place = positions_of(node.name())
        saved = {place.get(slot) for slot, *_ in saved_by(node)}
        for at, (one, _) in enumerate(node.next_functions):
            while one is not None and one is not before and stem_of(one.name()) in SHAPES:
                one = one.next_functions[0][0]
            if one is before and at in saved:
                return True
        return False

    @cached_property
    def users(self) -> dict[int, list[Any]]:
        """By the id of a node on the way: the nodes that took what it made."""
        found: dict[int, list[Any]] = {}
        for node in self.between:
            for before in self.common.inputs(node):
                found.setdefault(before, []).append(node)
        return found

    @property
    def operations(self) -> Operations:
        """The operations in the text that leads to the results of passes."""
        return self.common.once("operations", self.program, lambda: Operations(
            [(self.cuts.trail, part) for part in self.starts] or called_passes(self.program)))

    def line(self, node: Any) -> Line | None:
        """The line that recorded a node, or that assigned the next variable computed from it."""
        stem = stem_of(node.name())
        return node_records.place_of(node) or self.common.once(
            ("line", stem), self.operations, lambda: self.operations.line(stem)
        ) or self.common.once("assigned", node, lambda: self.common.assigned_after(node))

    # --- what watch() wrote down

    @cached_property
    def history(self) -> list[Event]:
        """What happened to the tensor; while a watch judges, what it saw."""
        return self.common.history(self.tensor)

    @cached_property
    def was_watched(self) -> bool:
        return bool(self.history) or any(map(node_records.record_of, self.behind[-1:]))

    def steps(self, of: Any = None) -> Iterator[tuple[Any, Numbers, Any, Numbers | None]]:
        """(node, what arrived there, node before it, what arrived there), of one node or of all."""
        for node in [of] if of is not None else reversed(self.between):
            if arrived := worst(node_records.passed(node) or []):
                for before, nr in node.next_functions:
                    passed = node_records.passed(before)
                    if passed is not None and id(before) in self.reached:
                        yield node, arrived, before, passed[nr] if nr < len(passed) else None

    def cancelling(self, turned: Any) -> int:
        """How many operations, one of them `turned`, sent gradients that add up to 0; else 0."""
        for _, _, before, passed in self.steps(turned):
            if passed is not None and passed.norm == 0 and len(self.users[id(before)]) > 1:
                return len(self.users[id(before)])
        return 0

    def turn(self, holds: Callable[[Any], bool], fact: str = "") -> Any:
        """The first node that turned a gradient so that it `holds`; its record has the `fact`."""
        found = [step for step in self.steps() if holds(step[3])]
        brought = {id(before) for _, arrived, before, _ in found if holds(arrived)}  # by another
        return next((node for node, arrived, before, _ in found
                     if not holds(arrived) and id(before) not in brought
                     and (not fact or node_records.record_of(node).get(fact))), None)
