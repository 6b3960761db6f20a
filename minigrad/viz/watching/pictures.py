"""The pictures of a run: its modules as boxes, and the autograd graph of one module."""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import nan
from typing import Any

from ..drawing.closed import inside_words, module_box, without_moves
from ..drawing.compact import compact, with_shapes
from ..drawing.drawing import Drawing
from ..drawing.fold import fold
from ..drawing.middle import contract, neighbours
from ..graph.model import Arrow, Box, Inside, Picture
from ..graph.modules import Chain
from ..graph.order import forward, only, without_constants
from ..program.lines import line_words
from .calls import Call
from .snapshot import Snapshot

BUDGET = 26  # boxes


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
