"""The graph of a backward pass, read when it begins: plain, for pictures that are drawn later."""
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..drawing.compact import compact, with_shapes
from ..drawing.views import engine_view
from ..graph.assign import assign
from ..graph.gradients import gradient_of
from ..graph.model import Graph, Picture
from ..graph.records import Line
from ..program.names import Names, _in_frames, _models, _tensors
from ..program.read import read
from .calls import Call, call_of
from .records import frame_here


@dataclass
class Snapshot:
    """What a pass went through. The gradients are there when it has ended."""

    graph: Graph
    calls: list[Call | None]  # of the operations
    classes: dict[str, str]  # of the modules
    line: Line | None

    @cached_property
    def paths(self) -> set[str]:
        """The modules that it went through."""
        calls = {id(call): call for call in self.calls if call is not None}
        return {path for call in calls.values() for path in call.chain}

    def picture(self) -> Picture:
        """All of it, with the modules of each box."""
        picture = engine_view(self.graph)
        picture.depth, picture.classes = 2, dict(self.classes)
        assign(picture, self.graph)
        return picture

    @cached_property
    def compact(self) -> Picture:
        """The same with parameters on their operations, and shapes. Its boxes must not change."""
        return compact(with_shapes(self.picture()))


def names_of(models: Mapping[str, Any], frame: Any) -> Names:
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
