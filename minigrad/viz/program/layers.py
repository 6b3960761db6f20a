"""Which part of a graph a backward pass recorded.

With `create_graph=True` the backward pass is itself recorded: a second layer behind the gradient.
The program's text says which tensor was differentiated and where the gradient went, and nodes carry
numbers in the order in which they were recorded: what lies between the two was recorded by that
pass.
"""
from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from ..graph.facts import can_be_read, is_tensor
from ..graph.model import Graph
from .parsed import last_name, parts_of
from .source import Program


def set_layers(graph: Graph, nodes: Sequence[Any], program: Program) -> None:
    spans = list(_spans(program))
    for node, op in zip(nodes, graph.ops, strict=True) if spans else ():
        if op.kind == "op":
            op.layer = _layer(node._sequence_nr(), spans)


def _layer(number: int, spans: list[tuple[int, int]]) -> int:
    """What a pass recorded lies one layer above what it differentiated."""
    return 1 + max((_layer(low, spans) for low, high in spans if low < number <= high), default=0)


def _spans(program: Program) -> Iterator[tuple[int, int]]:
    """(number of what was differentiated, number of its gradient) for every recorded pass."""
    for call, targets in program.calls:
        if last_name(call.func) != "grad" or not call.args or (
                "create_graph=True" not in map(ast.unparse, call.keywords)):
            continue
        lows = _numbers(program, [call.args[0]])
        highs = _numbers(program, targets)
        if lows and highs:
            yield max(lows), max(highs)


def _numbers(program: Program, expressions: list[ast.expr]) -> list[int]:
    """The numbers of the computed tensors that are mentioned."""
    values = [program.value(part) for one in expressions for part in parts_of(one)
              if isinstance(part, ast.Name)]
    return [value.grad_fn._sequence_nr() for value in values
            if is_tensor(value) and can_be_read(value) and value.grad_fn]
