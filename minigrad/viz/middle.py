"""Folds the middle of a picture into "... 12 more".

Every box has a column: how many steps it lies before the end. A picture that is too large keeps the columns
nearest to the end and the columns nearest to the start; what lies between becomes one box for each connected
piece. Because all arrows run from left to right, a piece of the middle can never lead back into itself.
"""
from __future__ import annotations

from collections import Counter, defaultdict

from .contract import contract, neighbours
from .model import Box, Picture
from .modules import common
from .repeats import NOTABLE

SEVERAL = {"leaf": "leaves", "tensor": "tensors", "constant": "constants"}


def middle(picture: Picture, budget: int) -> Picture:
    """The columns at both ends, as many as there is room for; what lies between is folded."""
    room, column, shown = budget, columns(picture), picture
    while len(shown.boxes) > budget and room >= 0:
        shown = without(picture, _kept(picture, column, room) | _marked(picture))
        room -= max(1, len(shown.boxes) - budget)
    return shown if len(shown.boxes) <= budget else without(picture, _marked(picture))


def without(picture: Picture, keep: set[int]) -> Picture:
    pieces = [piece for piece in _pieces(picture, keep) if len(piece) > 1]
    return contract(picture, pieces, [_fold_box(picture, piece) for piece in pieces])


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
    while (room := budget - 1 - len(keep)) > 0 and low <= high:
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
    """A marked box, or the focus, is never folded away."""
    return {at for at, box in enumerate(picture.boxes) if box.mark in NOTABLE or at == picture.focus}


def _tidy(picture: Picture, column: list[int], keep: set[int], low: int, high: int, budget: int) -> None:
    """Leaves and constants go with the operation that uses them, on both edges of the gap."""
    heads = neighbours(picture, forward=True)
    side = [at for at, box in enumerate(picture.boxes) if box.kind in ("leaf", "constant", "accumulate")]
    for at in reversed(side):
        users = heads[at]
        if at not in keep and users and users <= keep and column[at] <= low and len(keep) < budget:
            keep.add(at)
        elif at in keep and not users & keep and (column[at] == high + 1 < max(column) or column[at] == low):
            keep.discard(at)


def _pieces(picture: Picture, keep: set[int]) -> list[set[int]]:
    """Connected groups of what is not kept; groups that feed the same boxes count as one.

    Two boxes of a group have the same number of kept boxes ahead of them, so that no way leads out of a
    group, through a kept box, and back.
    """
    after, before = neighbours(picture, forward=True), neighbours(picture, forward=False)
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


def _fold_box(picture: Picture, piece: set[int]) -> Box:
    kinds = Counter(_kind_word(picture.boxes[at]) for at in sorted(piece))
    size = sum(picture.boxes[at].folded or 1 for at in piece)
    most = sorted(kinds.items(), key=lambda row: (-row[1], row[0]))
    lines = [f"{count} {SEVERAL.get(word, word) if count > 1 else word}" for word, count in most]
    if len(lines) > 4:
        lines[3:] = [f"{sum(count for _, count in most[3:])} others"]
    return Box("fold", f"\N{HORIZONTAL ELLIPSIS} {size} more", lines, folded=size,
               module=common([picture.boxes[at].module for at in piece]))


def _kind_word(box: Box) -> str:
    if box.look is not None:  # a module
        return box.look[0] or "module"
    return box.title if box.kind in ("op", "accumulate", "fold") else box.kind
