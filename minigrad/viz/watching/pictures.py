"""The pictures of a run: its modules as boxes, and the autograd graph of one module."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import nan

from ..drawing.closed import module_box
from ..drawing.compact import compact, with_shapes
from ..drawing.drawing import Drawing
from ..drawing.fold import fold
from ..drawing.middle import contract, neighbours
from ..drawing.text import bytes_of
from ..drawing.views import engine_view
from ..graph.assign import assign
from ..graph.facts import number
from ..graph.model import Box, Picture
from ..graph.modules import Chain
from ..graph.order import without_constants
from ..program.lines import line_words
from .calls import Call
from .parts import milliseconds, shapes
from .snapshot import Snapshot

BUDGET = 40  # boxes
ARROW = " \N{RIGHTWARDS ARROW} "


def has_graph(taken: Snapshot, path: str) -> bool:
    return any(call is not None and path in call.chain for call in taken.calls)


def graph_of(taken: Snapshot, path: str) -> Drawing:
    """The operations that a module recorded, with their leaves and the operations around it."""
    picture = compact(with_shapes(_whole(taken)))
    inside = {at for at, box in enumerate(picture.boxes) if box.op is not None
              and (call := taken.calls[box.op]) is not None and path in call.chain}
    before, after = neighbours(picture, forward=False), neighbours(picture, forward=True)
    near = {other for at in inside for other in before[at] | after[at]}
    for at in list(near | inside):  # a leaf that stands apart has its AccumulateGrad between it and its user
        near |= {other for other in before[at] if picture.boxes[other].kind in ("leaf", "constant")}
    return Drawing(fold(_only(picture, inside | near), BUDGET))


def modules_of(taken: Snapshot, calls: Iterable[Call]) -> Drawing:
    """One box for each module that calls no other one; what the others compute themselves stands between."""
    picture = compact(without_constants(_whole(taken)))
    chains = {box.module[:end] for box in picture.boxes for end in range(1, len(box.module) + 1)}
    outer = {chain[:-1] for chain in chains}
    pieces: dict[Chain, list[int]] = {}
    for at, box in enumerate(picture.boxes):
        if box.module and box.module not in outer:
            pieces.setdefault(box.module, []).append(at)
    again = {call.path for call in calls if call.recomputed}
    boxes = [module_box(picture, chain, [picture.boxes[at] for at in piece]) for chain, piece in pieces.items()]
    for (_, piece), box in zip(pieces.items(), boxes):
        _tell(box, [taken.calls[op] for at in piece if (op := picture.boxes[at].op) is not None], again)
    shown = contract(picture, list(pieces.values()), boxes)
    for box in shown.boxes:
        box.saved = []  # a module's box says how much it saves
    where = f" in {line_words(taken.line)}" if taken.line else ""
    return Drawing(fold(replace(shown, title=f"The modules of the backward pass{where}"), BUDGET))


def _whole(taken: Snapshot) -> Picture:
    picture = engine_view(taken.graph)
    picture.depth, picture.classes = 2, dict(taken.classes)
    assign(picture, taken.graph)
    return picture


def _tell(box: Box, calls: Sequence[Call | None], again: set[str]) -> None:
    """Say in a module's box what was measured of its call; `again` are the modules that ran again in the pass."""
    if (innermost := next((one for one in calls if one is not None), None)) is None:
        return
    call = next((one for one in innermost.around if one.path == box.title.partition(", call ")[0]), innermost)
    found = [grad.norm for grad in (call.grad_out, call.grad_in) if grad is not None and grad.norm is not None]
    size = f"{call.parameters:,} parameter{'s' * (call.parameters != 1)}"
    size += ", frozen" * (call.frozen == call.parameters)
    sizes = [size] * bool(call.parameters) + [f"saves {bytes_of(call.saved or 0)}"] * bool(call.saved)
    sizes += ["computed again in the pass"] * (call.path in again)
    norms = f"gradient {ARROW.join(map(number, found))}, " if found else ""
    box.lines = [f"{call.kind}{ARROW}{shapes(call.outputs)}", *[", ".join(sizes)] * bool(sizes),
                 f"{norms}{milliseconds(call.seconds)}"]
    box.norms = tuple(found) or (nan,)


def _only(picture: Picture, keep: set[int]) -> Picture:
    """The picture without all other boxes."""
    place = {at: new for new, at in enumerate(sorted(keep))}
    arrows = [replace(arrow, tail=place[arrow.tail], head=place[arrow.head]) for arrow in picture.arrows
              if arrow.tail in place and arrow.head in place]
    return replace(picture, boxes=[picture.boxes[at] for at in sorted(keep)], arrows=arrows, focus=None)
