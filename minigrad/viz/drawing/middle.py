"""Folds the middle of a picture into "... 12 more".

Every box has a column: how many steps it lies before the end. A picture that is too large keeps the
columns nearest to the end and to the start; what lies between becomes one box for each connected
piece.
"""
from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace

from ..graph.box_order import connected, in_order
from ..graph.model import Arrow, Box, Picture
from ..graph.modules import common
from ..graph.passed_gradients import tell_gradients
from .repeats import NOTABLE

SEVERAL = {"leaf": "leaves", "tensor": "tensors", "constant": "constants"}


def middle(picture: Picture, budget: int) -> Picture:
    """The columns at both ends, as many as there is room for; what lies between is folded."""
    column = columns(picture)
    far = max(column)
    ends = sorted(range(len(column)),
                  key=lambda at: (min(column[at], far - column[at]), column[at]))
    marked = {at for at, box in enumerate(picture.boxes) if box.mark in NOTABLE
              or at == picture.focus}
    room, shown = budget - 1, picture
    while len(shown.boxes) > budget and room >= 0:
        shown = without(picture, marked.union(ends[:room]))
        room -= max(1, len(shown.boxes) - budget)
    return shown if len(shown.boxes) <= budget else without(picture, marked)


def without(picture: Picture, keep: set[int]) -> Picture:
    pieces = [piece for piece in _pieces(picture, keep) if len(piece) > 1]
    return contract(picture, pieces, [_fold_box(picture, piece) for piece in pieces])


def columns(picture: Picture) -> list[int]:
    """Steps to the end, by box; a leaf shares the column of its AccumulateGrad."""
    column = [0] * len(picture.boxes)
    for arrow in sorted(picture.arrows, key=lambda arrow: -arrow.tail):
        column[arrow.tail] = max(column[arrow.tail],
                                 column[arrow.head] + (arrow.kind != "variable"))
    return column


def _pieces(picture: Picture, keep: set[int]) -> list[set[int]]:
    """Connected groups of what is not kept; groups that feed the same boxes count as one.

    Two boxes of a group have the same number of kept boxes ahead of them, so that no way leads out
    of a group, through a kept box, and back.
    """
    after, before = neighbours(picture, forward=True), neighbours(picture, forward=False)
    ahead = [0] * len(picture.boxes)
    for at in reversed(range(len(picture.boxes))):
        ahead[at] = max((ahead[head] + (head in keep) for head in after[at]), default=0)
    by_heads: dict[tuple[int, frozenset[int]], set[int]] = defaultdict(set)
    for piece in connected((at for at in range(len(picture.boxes)) if at not in keep), lambda at: (
            other for other in after[at] | before[at] if ahead[other] == ahead[at])):
        heads = frozenset(head for at in piece for head in after[at] if head in keep)
        by_heads[ahead[piece[0]], heads].update(piece)
    return list(by_heads.values())


def _fold_box(picture: Picture, piece: set[int]) -> Box:
    boxes = [picture.boxes[at] for at in piece]
    kinds = Counter(box.look[0] or "module" if box.look else
                    box.title if box.kind in ("op", "accumulate", "fold") else box.kind
                    for box in boxes)
    size = sum(box.folded or 1 for box in boxes)
    most = sorted(kinds.items(), key=lambda row: (-row[1], row[0]))
    if len(most) > 4:
        most[3:] = [("others", sum(count for _, count in most[3:]))]
    lines = [f"{count} {SEVERAL.get(word, word) if count > 1 else word}" for word, count in most]
    return Box("fold", f"\N{HORIZONTAL ELLIPSIS} {size} more", lines, folded=size,
               module=common([box.module for box in boxes]))


def contract(picture: Picture, pieces: Sequence[Collection[int]], instead: list[Box]) -> Picture:
    """The picture with one box of `instead` for each of `pieces`."""
    if not pieces:
        return picture
    # what a box becomes: itself, or a piece
    owner = {at: (0, at) for at in range(len(picture.boxes))}
    for nr, piece in enumerate(pieces):
        owner.update(dict.fromkeys(piece, (1, nr)))
        tell_gradients(instead[nr], [picture.boxes[at] for at in piece])
    joined = [(owner[arrow.tail], owner[arrow.head], arrow) for arrow in picture.arrows]
    joined = [row for row in joined if row[0] != row[1]]
    owners = in_order(list(dict.fromkeys(owner.values())),
                      [(tail, head) for tail, head, _ in joined])
    place = {which: at for at, which in enumerate(owners)}
    boxes = [instead[at] if folded else picture.boxes[at] for folded, at in owners]
    arrows: dict = {}
    for nr, (tail, head, arrow) in enumerate(joined):
        new = Arrow(place[tail], place[head], arrow.kind, arrow.argument, arrow.label, arrow.mark)
        if head[0]:  # many edges into one fold are one arrow; x * x keeps its two
            new = replace(new, argument=None, label=arrow.label if arrow.mark else "")
        arrows[new if head[0] else nr] = new
    focus = None if picture.focus is None else place[owner[picture.focus]]
    return replace(picture, boxes=boxes, arrows=list(arrows.values()), focus=focus,
                   hidden=sum(box.folded for box in boxes))


def neighbours(picture: Picture, forward: bool) -> dict[int, set[int]]:
    found: dict[int, set[int]] = defaultdict(set)
    for arrow in picture.arrows:
        tail, head = (arrow.tail, arrow.head) if forward else (arrow.head, arrow.tail)
        found[tail].add(head)
    return found
