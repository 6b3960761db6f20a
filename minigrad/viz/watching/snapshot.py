"""The graph of a backward pass, read when the pass begins: plain, for pictures that are drawn when it is gone."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..graph.gradients import gradient_of
from ..graph.model import Graph
from ..graph.read import read
from ..program.names import Names, _in_frames, _models, _tensors
from .calls import Call, call_of
from .records import Line, frame_here

OFTEN = 10  # passes of one line that are all read; after that those whose number is a power of two


class Snapshot(NamedTuple):
    """What a pass went through. The gradients are there when it has ended."""

    graph: Graph
    calls: list[Call | None]  # of the operations
    classes: dict[str, str]  # of the modules
    line: Line | None
    number: int  # how many passes this line had made


def is_due(number: int) -> bool:
    """Whether to read the graph of a line's pass: it takes time, and later ones are like the earlier ones."""
    return number <= OFTEN or number & (number - 1) == 0


def snapshot(roots: list[Any], nodes: list[Any], models: Mapping[str, Any], line: Line | None,
             number: int) -> Snapshot:
    frame = frame_here()
    held = [*models.items(), *(_in_frames([frame]) if frame else [])]
    names = Names(_tensors(held), frame, _models(held))
    return Snapshot(read(roots, names), [call_of(node) for node in nodes], dict(names.classes), line, number)


def fill(taken: Snapshot, nodes: list[Any]) -> None:
    """Add what passed the nodes."""
    for op, node in zip(taken.graph.ops, nodes):
        op.gradient = gradient_of(node)
