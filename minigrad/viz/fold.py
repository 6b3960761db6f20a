"""Folds a large picture: repeated blocks into one box, then its middle into "... 12 more".

Every box has a column: how many steps it lies before the end. A picture that is too large keeps the columns
nearest to the end and the columns nearest to the start; what lies between becomes one box for each connected
piece. Because all arrows run from left to right, a piece of the middle can never lead back into itself.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace

from .model import Arrow, Box, Picture
from .order import in_order
from .repeats import NOTABLE, block_box, repeats

WIDEST = {"engine": 18, "maths": 26}  # more columns than this are folded: no page is as wide
KEPT = {"engine": 10, "maths": 14}  # columns that stay then


def fold(picture: Picture, budget: int | None) -> Picture:
    """The same picture with at most about `budget` boxes (None: all of them)."""
    if budget is None or _fits(picture, budget):
        return picture
    shorter, blocks = repeats(picture)
    if blocks:
        pieces = [set(range(start, start + period * count)) for start, period, count in blocks]
        boxes = [block_box(shorter.boxes[start:start + period * count], period, count)
                 for start, period, count in blocks]
        picture = _contract(shorter, pieces, boxes)
        if _fits(picture, budget):
            return picture
    keep = _kept(picture, columns(picture), budget) | _marked(picture)
    return _without(picture, keep)


def around(picture: Picture, steps: int) -> Picture:
    """The part of a picture that lies up to `steps` operations from its focus."""
    tails, heads = _neighbours(picture, forward=False), _neighbours(picture, forward=True)
    keep, edge = {picture.focus}, {picture.focus}
    for _ in range(steps):
        edge = {near for at in edge for near in _steps_from(picture, at, tails, heads, keep)}
    ends = {at for at in keep if picture.boxes[at].kind == "accumulate"}
    return _without(picture, keep | {leaf for at in ends for leaf in tails[at]})


def _steps_from(picture: Picture, at: int, tails: dict, heads: dict, keep: set[int]) -> set[int]:
    """The operations next to a box; tensors and leaves on the way are kept, and don't count as a step."""
    found, stack = set(), [at]
    while stack:
        here = stack.pop()
        source = here != at and picture.boxes[here].kind in ("leaf", "constant", "accumulate")
        for near in (tails[here] if source else tails[here] | heads[here]) - keep:
            keep.add(near)
            if picture.boxes[near].kind in ("op", "fold"):
                found.add(near)
            else:
                stack.append(near)
    return found


def _fits(picture: Picture, budget: int) -> bool:
    return len(picture.boxes) <= budget and max(columns(picture), default=0) < WIDEST[picture.view]


def _without(picture: Picture, keep: set[int]) -> Picture:
    pieces = [piece for piece in _pieces(picture, keep) if len(piece) > 1]
    if not pieces:
        return picture
    return _contract(picture, pieces, [_fold_box(picture, piece) for piece in pieces])


def columns(picture: Picture) -> list[int]:
    """Steps to the end, by box; a leaf shares the column of its AccumulateGrad."""
    column = [0] * len(picture.boxes)
    for arrow in sorted(picture.arrows, key=lambda arrow: -arrow.tail):
        step = 0 if arrow.kind == "variable" else 1
        column[arrow.tail] = max(column[arrow.tail], column[arrow.head] + step)
    return column


def _kept(picture: Picture, column: list[int], budget: int) -> set[int]:
    """Columns from the end and from the start in turn, while the budget lasts."""
    by_column: dict[int, list[int]] = defaultdict(list)
    for at, where in enumerate(column):
        by_column[where].append(at)
    low, high = 0, max(by_column)
    keep: set[int] = set()
    from_start = True
    for _ in range(KEPT[picture.view] // 2):
        room = budget - 1 - len(keep)
        if low > high or room <= 0:
            break
        keep.update(by_column[low][:room])
        if len(by_column[low]) > room:
            break
        low += 1
        room = budget - 1 - len(keep)
        if from_start := from_start and low <= high and len(by_column[high]) <= room:
            keep.update(by_column[high])
            high -= 1
    whole = low if low > high or by_column[low][0] not in keep else low - 1
    _tidy(picture, column, keep, whole, high, budget)
    return keep


def _marked(picture: Picture) -> set[int]:
    """What somebody points at is never folded away."""
    return {at for at, box in enumerate(picture.boxes) if box.mark in NOTABLE or at == picture.focus}


def _tidy(picture: Picture, column: list[int], keep: set[int], low: int, high: int, budget: int) -> None:
    """Leaves and constants go with the operation that uses them, on both edges of the gap."""
    heads = _neighbours(picture, forward=True)
    side = [at for at, box in enumerate(picture.boxes) if box.kind in ("leaf", "constant", "accumulate")]
    for at in reversed(side):
        users = heads[at]
        if at not in keep and users and users <= keep and column[at] <= low and len(keep) < budget:
            keep.add(at)
        elif at in keep and not users & keep and (column[at] == high + 1 < max(column) or column[at] == low):
            keep.discard(at)


def _neighbours(picture: Picture, forward: bool) -> dict[int, set[int]]:
    found: dict[int, set[int]] = defaultdict(set)
    for arrow in picture.arrows:
        tail, head = (arrow.tail, arrow.head) if forward else (arrow.head, arrow.tail)
        found[tail].add(head)
    return found


def _pieces(picture: Picture, keep: set[int]) -> list[set[int]]:
    """Connected groups of what is not kept; groups that feed the same boxes count as one.

    Two boxes of a group have the same number of kept boxes ahead of them, so that no way leads out of a
    group, through a kept box, and back.
    """
    after, before = _neighbours(picture, forward=True), _neighbours(picture, forward=False)
    ahead = [0] * len(picture.boxes)
    for at in reversed(range(len(picture.boxes))):
        ahead[at] = max((ahead[head] + (head in keep) for head in after[at]), default=0)
    seen = set(keep)
    by_heads: dict[tuple[int, frozenset[int]], set[int]] = defaultdict(set)
    for start in range(len(picture.boxes)):
        if start in seen:
            continue
        piece, stack = {start}, [start]
        seen.add(start)
        while stack:
            at = stack.pop()
            near = {other for other in (after[at] | before[at]) - seen if ahead[other] == ahead[at]}
            seen |= near
            piece |= near
            stack += near
        heads = frozenset(head for at in piece for head in after[at] if head in keep)
        by_heads[ahead[start], heads] |= piece
    return list(by_heads.values())


def _contract(picture: Picture, pieces: list[set[int]], instead: list[Box]) -> Picture:
    """The picture with one box of `instead` for each of `pieces`."""
    group = {at: number for number, piece in enumerate(pieces) for at in piece}

    def owner(at: int) -> tuple[int, int]:  # what a box became: itself, or a piece
        return (1, group[at]) if at in group else (0, at)

    owners = list(dict.fromkeys(owner(at) for at in range(len(picture.boxes))))
    joined = [(owner(arrow.tail), owner(arrow.head), arrow) for arrow in picture.arrows]
    joined = [row for row in joined if row[0] != row[1]]
    owners = in_order(owners, [(tail, head) for tail, head, _ in joined])
    place = {which: at for at, which in enumerate(owners)}
    boxes = [instead[at] if folded else picture.boxes[at] for folded, at in owners]
    arrows: dict = {}
    for number, (tail, head, arrow) in enumerate(joined):
        new = replace(arrow, tail=place[tail], head=place[head])
        if head[0]:  # many edges into one fold are one arrow; x * x keeps its two
            new = replace(new, argument=None, label=arrow.label if arrow.mark else "")
        arrows.setdefault(new if head[0] else (new, number))
    focus = None if picture.focus is None else place[owner(picture.focus)]
    return replace(picture, boxes=boxes, arrows=[one if isinstance(one, Arrow) else one[0] for one in arrows],
                   hidden=sum(box.folded for box in boxes), focus=focus)


def _fold_box(picture: Picture, piece: set[int]) -> Box:
    kinds = Counter(_kind_word(picture.boxes[at]) for at in sorted(piece))
    size = sum(picture.boxes[at].folded or 1 for at in piece)
    most = sorted(kinds.items(), key=lambda row: (-row[1], row[0]))
    lines = [f"{count} {_several(word, count)}" for word, count in most]
    if len(lines) > 4:
        lines[3:] = [f"{sum(kinds.values()) - sum(int(line.split()[0]) for line in lines[:3])} others"]
    return Box("fold", f"\N{HORIZONTAL ELLIPSIS} {size} more", lines, folded=size)


def _several(word: str, count: int) -> str:
    many = {"leaf": "leaves", "tensor": "tensors", "constant": "constants"}
    return many.get(word, word) if count > 1 else word


def _kind_word(box: Box) -> str:
    return box.title if box.kind in ("op", "accumulate", "fold") else box.kind
