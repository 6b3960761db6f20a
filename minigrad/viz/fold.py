"""Folds the middle of a large picture into "... 12 more", so that its two ends can be read.

Every box has a column: how many steps it lies before the end. A picture that is too large keeps the columns
nearest to the end and the columns nearest to the start; what lies between becomes one box for each connected
piece. Because all arrows run from left to right, a piece of the middle can never lead back into itself.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict

from .model import Arrow, Box, Picture

WIDEST = {"engine": 18, "maths": 26}  # more columns than this are folded: no page is as wide
KEPT = {"engine": 10, "maths": 14}  # columns that stay then


def fold(picture: Picture, budget: int | None) -> Picture:
    """The same picture with at most about `budget` boxes (None: all of them)."""
    if budget is None:
        return picture
    column = _columns(picture)
    last = max(column, default=0)
    if len(picture.boxes) <= budget and last < WIDEST[picture.view]:
        return picture
    keep = _kept(picture, column, budget)
    pieces = _pieces(picture, keep)
    if len(keep) == len(picture.boxes) or all(len(piece) < 2 for piece in pieces):
        return picture
    return _contract(picture, pieces)


def _columns(picture: Picture) -> list[int]:
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
    """Connected groups of what is not kept; groups that feed the same boxes count as one."""
    after, before = _neighbours(picture, forward=True), _neighbours(picture, forward=False)
    seen = set(keep)
    by_heads: dict[frozenset[int], set[int]] = defaultdict(set)
    for start in range(len(picture.boxes)):
        if start in seen:
            continue
        piece, stack = {start}, [start]
        seen.add(start)
        while stack:
            at = stack.pop()
            for near in (after[at] | before[at]) - seen:
                seen.add(near)
                piece.add(near)
                stack.append(near)
        by_heads[frozenset(head for at in piece for head in after[at] if head in keep)] |= piece
    return list(by_heads.values())


def _contract(picture: Picture, pieces: list[set[int]]) -> Picture:
    pieces = [piece for piece in pieces if len(piece) > 1]
    group = {at: number for number, piece in enumerate(pieces) for at in piece}

    def owner(at: int) -> tuple[int, int]:  # what a box became: itself, or a piece
        return (1, group[at]) if at in group else (0, at)

    owners = list(dict.fromkeys(owner(at) for at in range(len(picture.boxes))))
    joined = [(owner(arrow.tail), owner(arrow.head), arrow) for arrow in picture.arrows]
    joined = [row for row in joined if row[0] != row[1]]
    owners = _in_order(owners, [(tail, head) for tail, head, _ in joined])
    place = {which: at for at, which in enumerate(owners)}
    boxes = [picture.boxes[at] if not folded else _fold_box(picture, pieces[at]) for folded, at in owners]
    arrows: list[Arrow] = []
    for tail, head, arrow in joined:
        argument = None if head[0] else arrow.argument
        new = Arrow(place[tail], place[head], arrow.kind, argument)
        if not (head[0] and new in arrows):  # many edges into one fold are one arrow; x * x keeps its two
            arrows.append(new)
    hidden = sum(len(piece) for piece in pieces)
    return Picture(picture.view, picture.title, boxes, arrows, hidden, picture.caption, picture.legend)


def _in_order(items: list[tuple[int, int]], arrows: list[tuple[tuple[int, int], tuple[int, int]]]) -> list:
    """Inputs before users; otherwise in the order given."""
    rank = {item: at for at, item in enumerate(items)}
    waiting = dict.fromkeys(items, 0)
    after = defaultdict(list)
    for tail, head in arrows:
        waiting[head] += 1
        after[tail].append(head)
    ready = [rank[item] for item in items if not waiting[item]]
    heapq.heapify(ready)
    order = []
    while ready:
        item = items[heapq.heappop(ready)]
        order.append(item)
        for head in after[item]:
            waiting[head] -= 1
            if not waiting[head]:
                heapq.heappush(ready, rank[head])
    return order


def _fold_box(picture: Picture, piece: set[int]) -> Box:
    kinds = Counter(_kind_word(picture.boxes[at]) for at in sorted(piece))
    lines = [f"{count} {word}" for word, count in sorted(kinds.items(), key=lambda row: (-row[1], row[0]))]
    if len(lines) > 4:
        lines[3:] = [f"{sum(kinds.values()) - sum(int(line.split()[0]) for line in lines[:3])} others"]
    return Box("fold", f"\N{HORIZONTAL ELLIPSIS} {len(piece)} more", lines)


def _kind_word(box: Box) -> str:
    return box.title if box.kind in ("op", "accumulate") else box.kind
