"""A small picture of a graph: a box for each leaf, operation and constant, and numbers on the arrows.

The AccumulateGrad nodes are left out, so a graph of seven nodes fits the width of a notebook's page.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...viz.graph.model import Arrow, Box, Graph, Op, Picture, Tensor
from ...viz.graph.symbols import symbol


def small_picture(graph: Graph, view: str, title: str, label: Callable[[int | None, int], str],
                  below: Mapping[int, Sequence[str]] | None = None, now: int | None = None) -> Picture:
    """Return the picture of a graph.

    Args:
        view: "maths" for arrows that point forward, "engine" for the way that a gradient travels.
        label: what is written on an arrow, by the operation that it leads to and the number of its input;
            None and 0 are the arrow to the first result.
        below: lines under an operation or a leaf.
        now: the operation that ran last, which is marked.
    """
    picture, place = Picture(view, title, saved=False, direction="right"), {}
    kind = "value" if view == "maths" else "next"
    for at, op in enumerate(graph.ops):
        arrows = [Arrow(place[entry.op], 0, kind, label=label(at, nr))
                  for nr, entry in enumerate(op.inputs) if entry.op is not None]
        for entry in op.inputs:
            if entry.op is None and entry.constant is not None:
                told = entry.constant.name or entry.constant.values or "constant"
                picture.boxes.append(Box("constant", told))
                arrows.append(Arrow(len(picture.boxes) - 1, 0, "value" if kind == "value" else "none"))
        place[at] = len(picture.boxes)
        picture.arrows += [Arrow(arrow.tail, place[at], arrow.kind, label=arrow.label) for arrow in arrows]
        picture.boxes.append(_box(op, at, list((below or {}).get(at, ())), "here" if at == now else ""))
    for nr, (last, output) in enumerate(root for root in graph.roots if not isinstance(root, Tensor)):
        result = graph.ops[last].outputs.get(output)
        picture.boxes.append(Box("tensor", result.name if result and result.name else "result"))
        picture.arrows.append(Arrow(place[last], len(picture.boxes) - 1,
                                    "value" if kind == "value" else "grad_fn", label=label(None, nr)))
    return picture


def _box(op: Op, at: int, below: list[str], mark: str) -> Box:
    if op.leaf is not None:
        return Box("leaf", equation(op.leaf) or "leaf", below, mark=mark)
    made = equation(op.outputs.get(0))
    return Box("op", symbol(op.name), [*filter(None, [made]), *below], op=at, mark=mark)


def equation(tensor: Tensor | None) -> str:
    """`c = 5` for a named tensor of one number; its name for others; nothing without a name."""
    if tensor is None or not tensor.name:
        return ""
    one = tensor.shape == () and tensor.values
    return f"{tensor.name} = {float(tensor.values):g}" if one else tensor.name
