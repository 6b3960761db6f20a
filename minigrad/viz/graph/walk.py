"""The nodes behind a tensor: their order, the shapes of their outputs, and their leaves.

A walk keeps its own stack, so a long graph needs no recursion.
"""
from collections.abc import Sequence
from typing import Any


def in_forward_order(starts: Sequence[Any]) -> list[Any]:
    """Every node behind `starts`, inputs before users; the first input's history comes first."""
    done: set[int] = set()
    order: list[Any] = []
    for start in starts:
        stack = [(start, False)]
        while stack:
            node, inputs_done = stack.pop()
            if inputs_done:
                order.append(node)
            elif id(node) not in done:
                done.add(id(node))
                stack.append((node, True))
                later = [next_node for next_node, _ in node.next_functions if next_node is not None]
                stack.extend((next_node, False) for next_node in reversed(later)
                             if id(next_node) not in done)
    return order


def shapes_of(node: Any) -> list[tuple[int, ...]]:
    """The shapes of a node's outputs, which are those of the gradients it expects."""
    try:
        return [tuple(map(int, metadata.shape)) for metadata in node._input_metadata]
    except Exception:  # a version without this name, or an output without a shape
        return []


def is_accumulate(node: Any) -> bool:
    return node.name().endswith("AccumulateGrad")


def leaves_of(nodes: Sequence[Any]) -> list[Any]:
    """The leaves whose .grad some of these nodes fill."""
    return [node.variable for node in nodes if is_accumulate(node)]
