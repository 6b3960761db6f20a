"""Folds what repeats: a chain of one operation, or the layers of a network, into one box with a count.

The boxes are first put into an order in which a block's own leaves stand next to it. Then a block that
repeats is a stretch of boxes where each looks like the one a fixed number of places before it, and takes its
inputs from the same boxes, or from those that lie as many places back.
"""
from __future__ import annotations

import heapq
from collections import Counter, defaultdict

from .model import Box, Picture
from .order import arranged

FEWEST = 3  # repeats
LONGEST = 48  # boxes in one block
NOTABLE = ("guilty", "here", "added", "removed", "none", "nan", "infinite")  # marks that must stay in sight


def repeats(picture: Picture) -> tuple[Picture, list[tuple[int, int, int]]]:
    """The picture in the order described above, and its stretches: (start, length of a block, count)."""
    orders = [_found(arranged(picture, late_order(picture, near))) for near in (True, False)]
    return max(orders, key=lambda one: sum(period * count for _, period, count in one[1]))


def _found(picture: Picture) -> tuple[Picture, list[tuple[int, int, int]]]:
    used = {arrow.tail for arrow in picture.arrows}
    looks = [_look(box) if at in used else None for at, box in enumerate(picture.boxes)]
    tails: list[list] = [[] for _ in picture.boxes]
    for arrow in picture.arrows:
        tails[arrow.head].append((arrow.argument or 0, arrow.kind, arrow.tail))
    for row in tails:
        row.sort()
    found = []
    for period in range(1, min(LONGEST, len(looks) // FEWEST) + 1):
        found += _stretches(looks, tails, period)
    return picture, _best(found)


def late_order(picture: Picture, near: bool) -> list[int]:
    """Every box as late as its users allow; what has the shortest history stands nearest to its user.

    Constants stand `near` their users, as in `2 * h`, or in front of everything, as the data do.
    """
    height = [len(picture.boxes) if box.kind == "constant" and not near else 0 for box in picture.boxes]
    waiting = [0] * len(picture.boxes)
    before: dict[int, list[int]] = defaultdict(list)
    for arrow in sorted(picture.arrows, key=lambda arrow: arrow.head):
        if picture.boxes[arrow.tail].kind != "constant" or near:
            height[arrow.head] = max(height[arrow.head], height[arrow.tail] + 1)
        waiting[arrow.tail] += 1
        before[arrow.head].append(arrow.tail)
    ready = [(height[at], -at) for at in range(len(height)) if not waiting[at]]
    heapq.heapify(ready)
    order = []
    while ready:
        _, at = heapq.heappop(ready)
        order.append(-at)
        for tail in before[-at]:
            waiting[tail] -= 1
            if not waiting[tail]:
                heapq.heappush(ready, (height[tail], -tail))
    return order[::-1]


def _look(box: Box) -> tuple | None:
    """What makes two boxes alike; None for a box that must stay, as every result must."""
    if box.mark in NOTABLE or box.kind == "fold" or box.grad_fn:
        return None
    shape = box.tensor.shape if box.tensor is not None else None
    return box.kind, box.title if box.kind == "op" else "", shape, box.layer


def _stretches(looks: list, tails: list[list], period: int) -> list[tuple[int, int, int]]:
    """Maximal runs in which every box is like the one `period` places before it."""
    found, at, size = [], period, len(looks)
    while at < size:
        if not _alike(looks, tails, at, period):
            at += 1
            continue
        end = at
        while end < size and _alike(looks, tails, end, period):
            end += 1
        start = at - period
        while start > 0 and _first(looks, tails, start - 1, period, at):
            start -= 1
        count = (end - start) // period
        if count >= FEWEST:
            found.append((end - count * period, period, count))  # whole blocks, up to the end
        at = end + 1
    return found


def _alike(looks: list, tails: list[list], at: int, period: int) -> bool:
    if looks[at] is None or looks[at] != looks[at - period] or len(tails[at]) != len(tails[at - period]):
        return False
    return all(here[:2] == there[:2] and here[2] - there[2] in (0, period)
               for here, there in zip(tails[at], tails[at - period], strict=True))


def _first(looks: list, tails: list[list], start: int, period: int, strict_from: int) -> bool:
    """Whether the stretch may begin at `start`: its first block may take its inputs from anywhere before."""
    end = start + period
    if end + period < strict_from or end + period > len(looks):
        return False
    return all(looks[at] is not None and looks[at] == looks[at + period]
               and len(tails[at]) == len(tails[at + period])
               and all(_follows(here, there, start, period)
                       for here, there in zip(tails[at], tails[at + period], strict=True))
               for at in range(start, end))


def _follows(here: tuple, there: tuple, start: int, period: int) -> bool:
    """An input of the first block, and the same input of the second."""
    if here[2] >= start:  # from inside the first block
        return here[:2] == there[:2] and there[2] - here[2] in (0, period)
    return here[0] == there[0] and (there[2] == here[2] or start <= there[2] < start + period)


def _best(found: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Stretches that don't overlap, those that fold most first."""
    taken: list[tuple[int, int, int]] = []
    for start, period, count in sorted(found, key=lambda one: (-one[1] * one[2], one[1], one[0])):
        end = start + period * count
        if all(end <= other or start >= other + its * times for other, its, times in taken):
            taken.append((start, period, count))
    return taken


def block_box(boxes: list[Box], period: int, count: int) -> Box:
    """The one box that stands for `count` blocks."""
    block = boxes[:period]
    names = [box.title for box in boxes if box.kind == "leaf" and box.tensor is not None and box.tensor.name]
    operations = Counter(box.title for box in block if box.kind == "op")
    words = [name if times == 1 else f"{times} {name}" for name, times in operations.items()]
    if len(words) > 5:
        words[4:] = [f"and {len(words) - 4} other kinds"]
    times = f"\N{MULTIPLICATION SIGN}{count}"
    lines = [f"{names[0]} \N{HORIZONTAL ELLIPSIS} {names[-1]}"] if len(names) > 1 else names
    if len(words) == 1:
        return Box("fold", f"{words[0]} {times}", lines, folded=len(boxes))
    return Box("fold", f"block {times}", [*words, *lines], folded=len(boxes))
