"""The graph of a backward pass, read when it begins: plain, for pictures of what is gone by then."""
from __future__ import annotations

from collections.abc import Mapping
from types import FrameType
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


def is_due(number: int) -> bool:
    """Whether to read the graph of a line's pass: reading takes time, and later ones are alike."""
    return number <= OFTEN or number & (number - 1) == 0


def names_of(models: Mapping[str, Any], frame: FrameType | None) -> Names:
    """The names that the program has for its tensors, and those of the watched models."""
    held = [*models.items(), *(_in_frames([frame]) if frame else [])]
    return Names(_tensors(held), frame, _models(held))


def snapshot(roots: list[Any], nodes: list[Any], models: Mapping[str, Any],
             line: Line | None) -> Snapshot:
    names = names_of(models, frame_here())
    calls = [call_of(node) for node in nodes]
    return Snapshot(read(roots, names), calls, dict(names.classes), line)


def fill(taken: Snapshot, nodes: list[Any]) -> None:
    """Add what passed the nodes."""
    for op, node in zip(taken.graph.ops, nodes):
        op.gradient = gradient_of(node)
