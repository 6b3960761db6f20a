"""Two pictures of one graph: how far a small nudge of a leaf moves each number, and all messages of a pass.

Both take their numbers from the nodes: called with 1, a node returns its local derivatives. So the same calls
draw graphs of PyTorch, no backward pass runs, and no `.grad` changes. AccumulateGrad nodes are left out.
"""
from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from ...viz.drawing.drawing import Drawing
from ...viz.graph.facts import is_tensor
from ...viz.graph.model import Graph, Op
from ...viz.graph.walk import in_forward_order, is_accumulate
from ...viz.program.names import find_names
from ...viz.program.read import read
from .small_graph import small_picture


def draw_nudges(result: Any, leaf: Any, *, h: float | None = None,
                names: Mapping[str, Any] | bool | None = None) -> Drawing:
    """Draw how far each number of a graph moves when one leaf is nudged by a small h.

        draw_nudges(y, a)
        draw_nudges(y, a, h=0.1)

    Each arrow shows the local derivative that it multiplies a change by, such as `×5`. A box shows the sum of
    the changes that arrive.

    Args:
        result: a tensor of one number with a graph in which every result is one number.
        leaf: the leaf that is nudged.
        h: the nudge, for numbers in place of multiples of h.
        names: as in `draw`.

    Raises:
        ValueError: the graph has other shapes, was freed, or doesn't contain `leaf`.
    """
    graph, nodes, local = _asked(result, find_names(names))
    start = next((at for at, node in enumerate(nodes) if is_accumulate(node) and node.variable is leaf), None)
    if start is None:
        raise ValueError("draw_nudges needs a leaf of this graph that requires a gradient")

    def change(factor: float) -> str:
        return _times_h(factor) if h is None else _number(factor * h)

    moved: list[float] = []
    below: dict[int, list[str]] = {}
    for at, op in enumerate(graph.ops):
        arriving = [derivative * moved[op.inputs[nr].op] for nr, derivative in _edges(op, local[at])]
        moved.append(float(at == start) + sum(arriving))
        if moved[at] or any(arriving):
            several = [change(one) for one in arriving if one]
            total = change(moved[at])
            one_way = ["changes", f"by {total}"]
            below[at] = one_way if len(several) < 2 else [*_added(several, h), f"= {total}"]
    factors = {(at, nr): f"×{_number(derivative)}" for at, op in enumerate(graph.ops)
               for nr, derivative in _edges(op, local[at])}
    name = graph.ops[start].leaf.name or "a leaf"
    by = "h" if h is None else _number(h)
    title = f"{name} is nudged by {by}, and each arrow multiplies a change by a local derivative"
    return Drawing(small_picture(graph, "maths", title, lambda head, nr: change(moved[-1]) if head is None
                                 else factors[head, nr], below))


def draw_messages(result: Any, *, names: Mapping[str, Any] | bool | None = None) -> Drawing:
    """Draw the messages of a backward pass on the edges, and their sums where several arrive.

        draw_messages(y)

    Args:
        result: a tensor of one number with a graph in which every result is one number.
        names: as in `draw`.

    Raises:
        ValueError: the graph has other shapes, or was freed.
    """
    graph, nodes, local = _asked(result, find_names(names))
    arrived: dict[int, list[float]] = defaultdict(list, {len(nodes) - 1: [1.]})
    sent: dict[tuple[int | None, int], float] = {(None, 0): 1.}
    for at in reversed(range(len(nodes))):
        for nr, derivative in _edges(graph.ops[at], local[at]):
            sent[at, nr] = sum(arrived[at]) * derivative
            arrived[graph.ops[at].inputs[nr].op].append(sent[at, nr])
    sums = {at: ["gradient", f"{' + '.join(map(_number, reversed(came)))} = {_number(sum(came))}"]
            for at, came in arrived.items() if len(came) > 1}
    title = "The messages of a backward pass, each on its edge"
    return Drawing(small_picture(graph, "engine", title, lambda *edge: _number(sent[edge]), sums))


def _asked(result: Any, names: Any) -> tuple[Graph, list[Any], list[list[float | None]]]:
    """The graph, its nodes in the order of its operations, and the local derivatives of each."""
    if not is_tensor(result) or result.grad_fn is None:
        raise ValueError("this picture needs a tensor that was computed from one that requires a gradient")
    nodes = in_forward_order([result.grad_fn])
    graph = read([result], names)
    if any(tuple(shape) for op in graph.ops for shape in op.shapes) or result.dim():
        raise ValueError("this picture needs a graph in which every result is a single number")
    one = result.detach().clone().fill_(1)
    try:
        return graph, nodes, [[] if is_accumulate(node) else _local(node, one) for node in nodes]
    except RuntimeError as error:
        raise ValueError("a backward pass has freed this graph; compute the result again, and draw "
                         "that one") from error


def _local(node: Any, one: Any) -> list[float | None]:
    found = node(one)
    found = found if isinstance(found, (tuple, list)) else (found,)
    return [None if derivative is None else derivative.item() for derivative in found]


def _edges(op: Op, local: list[float | None]) -> list[tuple[int, float]]:
    """The numbers of the inputs to which an edge leads, and the local derivative for each."""
    return [(nr, derivative) for nr, (entry, derivative) in enumerate(zip(op.inputs, local))
            if entry.op is not None and derivative is not None]


def _added(numbers: list[str], h: float | None) -> list[str]:
    """Return a sum: one line of multiples of h, or a line for each number, as numbers may be long."""
    first, *others = numbers
    lines = [first, *(f"− {one[1:]}" if one.startswith("−") else f"+ {one}" for one in others)]
    return [" ".join(lines)] if h is None else lines


def _times_h(factor: float) -> str:
    return {0.: "0", 1.: "h", -1.: "−h"}.get(factor, f"{_number(factor)}h")


def _number(value: float) -> str:
    return f"{value:.4g}".replace("-", "−")
