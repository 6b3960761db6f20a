"""One box instead of several, with the arrows that led into them and out of them."""
from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace

from .gradients import tell_gradients
from .model import Arrow, Box, Picture
from .order import in_order


def contract(picture: Picture, pieces: Sequence[Collection[int]], instead: list[Box]) -> Picture:
    """The picture with one box of `instead` for each of `pieces`."""
    if not pieces:
        return picture
    owner = {at: (0, at) for at in range(len(picture.boxes))}  # what a box becomes: itself, or a piece
    for nr, piece in enumerate(pieces):
        owner.update(dict.fromkeys(piece, (1, nr)))
        tell_gradients(instead[nr], [picture.boxes[at] for at in piece])
    joined = [(owner[arrow.tail], owner[arrow.head], arrow) for arrow in picture.arrows]
    joined = [row for row in joined if row[0] != row[1]]
    owners = in_order(list(dict.fromkeys(owner.values())), [(tail, head) for tail, head, _ in joined])
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
