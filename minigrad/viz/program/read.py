"""Reads the graph behind a tensor into a `Graph`, with the names and places of the program.

The public autograd names alone are read: `grad_fn`, `next_functions`, `variable` and what an
operation keeps (see `graph.kept`). That runs nothing of the program and changes nothing.
"""
from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from ..graph.collection import held_back
from ..graph.facts import SMALL, base_of, describe, is_node, is_tensor, storage_of, unheard
from ..graph.kept import constants_of, is_dull, saved_by, setting
from ..graph.model import Gradient, Graph, Input, Op, Saved, Tensor
from ..graph.node_records import record_of
from ..graph.passed_gradients import drop_other_passes, gradient_of
from ..graph.walk import in_forward_order, is_accumulate, shapes_of
from .cuts import Cuts
from .names import Names, printable
from .node_lines import place_of
from .operations import set_layers

USUAL = ("grads", "saved", "cuts", "constants")  # what a picture shows unless told otherwise


@unheard
@held_back()
def read(targets: Sequence[Any], names: Names, *, values: int = SMALL, focus: Any = None,
         show: Collection[str] = USUAL) -> Graph:
    """The graph behind `targets`, tensors or nodes; `values` and `show` are those of draw().

    `focus` is a tensor or a node, whose place in the graph is then known.
    """
    return _Reader(names, values, focus, show).read(targets)


class _Reader:
    def __init__(self, names: Names, values: int, focus: Any, show: Collection[str]) -> None:
        self.names, self.values, self.focus, self.show = names, values, focus, show
        self.index: dict[int, int] = {}  # id of a node -> its place in the order
        self.keys: dict[Any, int] = {}  # identity of a tensor -> a small number for it
        self.alive: list[Any] = []  # an id is only valid while its object lives
        self.cuts = Cuts(names)

    def read(self, targets: Sequence[Any]) -> Graph:
        starts = [target if is_node(target) else target.grad_fn for target in targets]
        nodes = in_forward_order([start for start in starts if start is not None])
        self.index = {id(node): at for at, node in enumerate(nodes)}
        graph = Graph(ops=[self.op(node) for node in nodes])
        for target in targets:
            root = self.source(target)
            if root.constant is not None:
                graph.roots.append(root.constant)
                self.cuts.constant(target, root.constant.key)
            elif root.op is not None:
                graph.roots.append((root.op, root.output_nr))
                if not is_node(target):
                    graph.ops[root.op].outputs[root.output_nr] = self.tensor(target)
        if self.focus is not None:
            graph.focus = self.source(self.focus)
        set_layers(graph, nodes, self.cuts.program)
        drop_other_passes(graph)
        if "cuts" in self.show:
            graph.cuts = self.cuts.found(graph, self.source, targets)
        return graph

    def tensor(self, tensor: Any, name: str = "") -> Tensor:
        base = base_of(tensor)
        return describe(
            tensor, self.values, "versions" in self.show, "grads" in self.show,
            name=name or self.names.of(tensor),
            key=self.key(tensor),
            view_of=None if base is None else self.names.of(base),
            base=None if base is None else self.key(base),
            held=storage_of(tensor) if "memory" in self.show else None,
            stored=storage_of(tensor) if self.names.modules else None,
            module=self.names.modules.get(id(tensor), ()),
            ties=self.names.ties.get(id(tensor), ()),
        )

    def key(self, tensor: Any) -> int:
        maker = tensor.grad_fn
        identity = id(tensor) if maker is None else (id(maker), getattr(tensor, "output_nr", 0))
        self.alive += (tensor, maker)
        return self.keys.setdefault(identity, len(self.keys))

    def source(self, tensor: Any) -> Input:
        """The operation that made a tensor, when the graph holds that, or the tensor itself."""
        at = self.index.get(id(tensor if is_node(tensor) else tensor.grad_fn))
        if at is not None:
            return Input(at, getattr(tensor, "output_nr", 0))
        return Input(None, constant=self.tensor(tensor))

    def op(self, node: Any) -> Op:
        name = printable(node.name().rpartition("::")[2])
        op = Op(name, "op", shapes=shapes_of(node))
        op.gradient = gradient_of(node) if "gradients" in self.show else Gradient()
        if is_accumulate(node):
            op.kind, op.leaf = "accumulate", self.tensor(node.variable)
            return op
        op.place = place_of(node) if "places" in self.show else ""
        op.call, op.watched = record_of(node).get("call"), bool(record_of(node))
        rows = saved_by(node)
        for slot, state, value, versions in rows:
            if is_tensor(value):
                op.saved.append(Saved(slot, state, self.tensor(value)))
            elif state != "kept":
                op.saved.append(Saved(slot, state, versions=versions))
            elif "settings" in self.show or not is_dull(slot, value):
                op.settings.append((slot, setting(value)))
        for nr, (variable, tensor) in self.names.outputs(node).items():
            op.outputs[nr] = self.tensor(tensor, variable)
        for slot, _, value, _ in rows:
            # an unnamed output that the operation itself reveals
            if slot == "result" and is_tensor(value):
                op.outputs.setdefault(getattr(value, "output_nr", 0), self.tensor(value))
        constants = constants_of(name, rows)
        for at, (next_node, output_nr) in enumerate(node.next_functions):
            if next_node is not None:
                op.inputs.append(Input(self.index[id(next_node)], output_nr))
            elif is_tensor(constants.get(at)):
                constant = self.tensor(constants[at])
                op.inputs.append(Input(None, constant=constant))
                self.cuts.constant(constants[at], constant.key, (self.index[id(node)], at))
            else:
                op.inputs.append(Input(None, reason=constants.get(at, "value not kept")))
        return op
