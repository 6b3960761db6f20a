"""The graph of a backward pass, read when it begins, and the pictures that it gives later: the
modules as boxes, and the autograd graph of one module.
"""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from typing import Any

from ..drawing.closed import inside_words, module_box, without_moves
from ..drawing.compact import compact, with_shapes
from ..drawing.drawing import Drawing
from ..drawing.fold import fold
from ..drawing.graph_views import engine_view
from ..drawing.middle import contract, neighbours
from ..graph.assign import assign
from ..graph.box_order import forward, only, without_constants
from ..graph.model import Arrow, Box, Graph, Inside, Picture
from ..graph.modules import Chain
from ..graph.node_records import Line
from ..graph.once import unchanged
from ..graph.passed_gradients import gradient_of
from ..program.lines import line_words
from ..program.names import Names, _in_frames, _models, _tensors
from ..program.read import read
from .calls import Call, call_of
from .write_records import frame_here

BUDGET = 26  # boxes


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


@unchanged
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


def graph_of(taken: Snapshot, path: str) -> Drawing:
    """The operations that a module recorded, with their parameters and the operations around it."""
    picture = taken.compact
    inside = {at for at, box in enumerate(picture.boxes) if box.op is not None
              and (call := taken.calls[box.op]) is not None and path in call.chain}
    before, after = neighbours(picture, forward=False), neighbours(picture, forward=True)
    near = {other for at in inside for other in before[at] | after[at]}
    near |= {other for at in near for other in before[at] if picture.boxes[at].kind == "accumulate"}
    shown = replace(only(picture, sorted(inside | near)), title=f"Graph of {path}, engine view")
    return Drawing(fold(shown, BUDGET))


def modules_of(taken: Snapshot, calls: Iterable[Call]) -> Drawing:
    """One box for each module that calls no other; what the others compute is between them."""
    picture = compact(with_shapes(without_constants(taken.picture())))
    outer = {box.module[:end] for box in picture.boxes for end in range(len(box.module))}
    pieces: dict[Chain, list[int]] = {}
    for at, box in enumerate(picture.boxes):
        if box.module not in outer:
            pieces.setdefault(box.module, []).append(at)
    again = {call.path for call in calls if call.recomputed}
    boxes = [module_box(picture, chain, [picture.boxes[at] for at in piece])
             for chain, piece in pieces.items()]
    for box in boxes:
        call = _call(box)
        box.lines += ["computed again in the pass"] * (call is not None and call.path in again)
        ends = (call.grad_out, call.grad_in) if call is not None else ()
        box.norms = tuple(one.norm for one in ends if one is not None) or (nan,)
    shown = without_moves(contract(picture, list(pieces.values()), boxes), lambda box: box.mark)
    for box in shown.boxes:
        box.saved = []  # a module's box says how much it saves
    shown = _with_sources(shown)
    where = f" in {line_words(taken.line)}" if taken.line else ""
    return Drawing(fold(replace(shown, title=f"The modules of the backward pass{where}"), BUDGET))


def _with_sources(picture: Picture) -> Picture:
    """The picture with modules whose results went into it without a history: frozen, or cut off."""
    linked = {end for arrow in picture.arrows for end in (arrow.tail, arrow.head)}
    apart = {at for at, box in enumerate(picture.boxes) if not box.look} - linked
    picture = only(picture, sorted(set(range(len(picture.boxes))) - apart))
    boxes, arrows = list(picture.boxes), list(picture.arrows)
    known = {id(call): at for at, box in enumerate(boxes) if (call := _call(box)) is not None}
    for head, box in enumerate(boxes):  # which grows
        call = _call(box)
        for source, had_history in dict.fromkeys(call.sources if call is not None else ()):
            outer = next(one for one in (*source.around, source) if one not in call.around)
            at = known.get(id(source), known.get(id(outer)))
            if at is None:
                at = known[id(outer)] = len(boxes)
                lines = [outer.kind, *inside_words(Inside(call=outer))]
                lines += [f"cut off from {box.title}"] * had_history
                boxes.append(Box("fold", outer.path, lines, inside=Inside(call=outer)))
            kind, word = ("cut", "cut off") if had_history else ("none", "no gradient")
            arrows.append(Arrow(at, head, kind, label=word))
    return forward(replace(picture, boxes=boxes, arrows=arrows))


def _call(box: Box) -> Any:
    return box.inside.call if box.inside is not None else None
