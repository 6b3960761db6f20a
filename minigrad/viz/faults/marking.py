"""Marks in a graph what an explanation is about."""
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..graph.facts import is_tensor, shape_if_any
from ..graph.model import Graph


def mark(graph: Graph, nodes: list[Any], guilty: Sequence[Any], scene: Any) -> None:
    """Mark nodes by identity, and tensors by the node that made them or by their name."""
    named = {(scene.names.of(one), shape_if_any(one)) for one in guilty if is_tensor(one)}

    def marked(facts: Any) -> Any:
        same = facts is not None and (facts.name, facts.shape) in named
        return replace(facts, mark="guilty") if same and facts.name else facts

    for op, node in zip(graph.ops, nodes, strict=True):
        op.mark = "guilty" if any(one is node for one in guilty) else op.mark
        op.leaf = marked(op.leaf)
        op.outputs = {nr: marked(facts) for nr, facts in op.outputs.items()}
        op.inputs = [replace(entry, constant=marked(entry.constant)) for entry in op.inputs]
    graph.roots = [root if isinstance(root, tuple) else marked(root) for root in graph.roots]
