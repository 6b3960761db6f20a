"""Which part of a graph a backward pass recorded.

With `create_graph=True` the backward pass is itself recorded: a second layer behind the gradient. In anomaly
mode each of its nodes names the node it came from (`metadata["parent_"]`). Otherwise the program's text says
which tensor was differentiated and where the gradient went, and nodes carry numbers in the order in which
they were recorded: what lies between the two was recorded by that pass.
"""
from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from .facts import can_be_read, is_tensor
from .model import Graph
from .names import Names
from .records import metadata_of
from .source import Program


def set_layers(graph: Graph, nodes: Sequence[Any], names: Names) -> None:
    order = {id(node): _number(node) for node in nodes}
    program = Program(names.frame)
    spans = list(_spans(program, order, nodes)) if program.mentions("create_graph") else []
    place = {id(node): at for at, node in enumerate(nodes)}
    for node, op in zip(nodes, graph.ops, strict=True):
        if op.kind == "op" and order[id(node)] is not None:
            op.layer = _layer(order[id(node)], spans)
    for node, op in zip(nodes, graph.ops, strict=True):
        parent = metadata_of(node, "parent_")
        if parent is not None and op.layer == 1:
            op.layer = 1 + (graph.ops[place[id(parent)]].layer if id(parent) in place else 1)


def _layer(number: int, spans: list[tuple[int, int]]) -> int:
    """What a pass recorded lies one layer above what it differentiated."""
    return 1 + max((_layer(low, spans) for low, high in spans if low < number <= high), default=0)


def _number(node: Any) -> int | None:
    try:
        return node._sequence_nr()
    except Exception:
        return None


def _spans(program: Program, order: dict, nodes: Sequence[Any]) -> Iterator[tuple[int, int]]:
    """(the number of what was differentiated, the number of its gradient) for every recorded pass."""
    for call, targets in program.calls():
        name = getattr(call.func, "attr", getattr(call.func, "id", ""))
        if name not in ("grad", "backward") or "create_graph=True" not in map(ast.unparse, call.keywords):
            continue
        if name == "grad" and call.args:
            start, ends = call.args[0], [end for target in targets for end in _tensors(program, target)]
        else:
            start = getattr(call.func, "value", None)
            leaves = [node.variable for node in nodes if hasattr(type(node), "variable")]
            ends = [leaf.grad for leaf in leaves if leaf.grad is not None]
        lows = [_number(tensor.grad_fn) for tensor in _tensors(program, start)]
        highs = [_number(tensor.grad_fn) for tensor in ends if tensor.grad_fn is not None]
        if lows and highs and None not in (*lows, *highs):
            yield max(lows), max(highs)


def _tensors(program: Program, expression: ast.AST | None) -> list[Any]:
    names = ast.walk(expression) if expression is not None else ()
    values = [program.value(part) for part in names if isinstance(part, ast.Name)]
    return [value for value in values if is_tensor(value) and can_be_read(value) and value.grad_fn]
