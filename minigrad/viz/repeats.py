"""Folds what repeats: a chain of one operation, or the layers of a network, into one box with a count.

The boxes are first put into an order in which a block's own leaves stand next to it. Then a block that
repeats is a stretch of boxes where each looks like the one a fixed number of places before it, and takes its
inputs from the same boxes, or from those that lie as many places back. That number is the distance between
two boxes that look alike and are followed by boxes that look alike, one, two, four, eight ... of them.
"""
from __future__ import annotations

import heapq
from collections import Counter, defaultdict

from .model import Box, Picture
from .modules import common

FEWEST = 3  # repeats
NOTABLE = ("guilty", "here", "added", "removed")  # marks that must stay in sight
Stretch = tuple[int, int, int]  # its start, the length of a block, how many blocks


def repeats(picture: Picture) -> tuple[list[int], list[Stretch]]:
    """The order described above, and the stretches in it."""
    orders = [_found(picture, late_order(picture, near)) for near in (True, False)]
    return max(orders, key=lambda one: sum(period * count for _, period, count in one[1]))


def _found(picture: Picture, order: list[int]) -> tuple[list[int], list[Stretch]]:
    boxes = [picture.boxes[at] for at in order]
    place = {at: number for number, at in enumerate(order)}
    tails: list[list] = [[] for _ in boxes]
    heads: list[list[int]] = [[] for _ in boxes]
    for arrow in picture.arrows:
        tail, head = place[arrow.tail], place[arrow.head]
        tails[head].append((arrow.argument or 0, arrow.kind, tail))
        heads[tail].append(head)
    for row in tails:
        row.sort()
    looks = [_look(box) if heads[at] else None for at, box in enumerate(boxes)]
    found = [one for one in _candidates(looks, tails) if _is_block(boxes, heads, one)]
    return order, _best(found, len(looks))


def _candidates(looks: list, tails: list[list]) -> list[Stretch]:
    found: dict[Stretch, None] = {}
    searched: dict[int, int] = {}  # length of a block -> where the search for it has come to
    covered = bytearray(len(looks))
    known: dict = {}
    views = [known.setdefault(at if look is None else (look, len(row)), len(known))
             for at, (look, row) in enumerate(zip(looks, tails, strict=True))]  # of a box and those behind it
    width, more = 1, True
    while more:
        last: dict[int, int] = {}
        more = False
        for at, view in enumerate(views):
            period = at - last.get(view, at)
            last[view] = at
            if not period or covered[at]:
                continue
            more = True
            if at >= searched.get(period, 0) and _alike(looks, tails, at, period):
                stretch, searched[period] = _stretch(looks, tails, at, period)
                if stretch:
                    found[stretch] = None
                    start, _, count = stretch
                    covered[start:start + period * count] = b"1" * (period * count)
        known = {}
        views = [known.setdefault(pair, len(known)) for pair in zip(views, views[width:])]
        width *= 2
    return list(found)


def _is_block(boxes: list[Box], heads: list[list[int]], stretch: Stretch) -> bool:
    """Leaves and constants alone are a block only where they feed the same box: others are strangers."""
    start, period, count = stretch
    if any(box.kind in ("op", "fold") for box in boxes[start:start + period]):
        return True
    inside = range(start, start + period * count)
    return len({head for at in inside for head in heads[at] if head not in inside}) == 1


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
    if box.mark in NOTABLE or box.grad_fn or box.kind == "fold" and box.look is None:
        return None
    shape = box.tensor.shape if box.tensor is not None else None
    return box.kind, box.look, box.title if box.kind == "op" else "", shape, box.layer


def _stretch(looks: list, tails: list[list], at: int, period: int) -> tuple[Stretch | None, int]:
    """The blocks around `at`, in which every box is like the one `period` places before it; and their end."""
    first = end = at
    while end < len(looks) and _alike(looks, tails, end, period):
        end += 1
    while first > period and _alike(looks, tails, first - 1, period):
        first -= 1
    count = (end - first) // period + 1  # whole blocks, up to the end
    count += _first(looks, tails, end - (count + 1) * period, period)
    start = end - count * period
    if count < FEWEST or start < 0:
        return None, end + 1
    for earlier in range(max(0, start - period + 1), start):  # a block had better begin with a module
        if looks[earlier] and looks[earlier][0] == "fold" and _first(looks, tails, earlier, period):
            return (earlier, period, count), end + 1
    return (start, period, count), end + 1


def _alike(looks: list, tails: list[list], at: int, period: int) -> bool:
    before = at - period
    if looks[at] is None or looks[at] != looks[before] or len(tails[at]) != len(tails[before]):
        return False
    for (argument, kind, tail), (its, same, other) in zip(tails[at], tails[before]):
        if argument != its or kind != same or tail - other not in (0, period):
            return False
    return True


def _first(looks: list, tails: list[list], start: int, period: int) -> bool:
    """Whether a block at `start` is like the next one. It may take its inputs from anywhere before."""
    return start >= 0 and all(looks[at] is not None and looks[at] == looks[at + period]
                              and (len(tails[at]) == len(tails[at + period]) or looks[at][0] == "fold")
                              and all(_follows(here, there, start, period)
                                      for here, there in zip(tails[at], tails[at + period]))
                              for at in range(start, start + period))


def _follows(here: tuple, there: tuple, start: int, period: int) -> bool:
    """An input of the first block, and the same input of the second."""
    if here[2] >= start:  # from inside the first block
        return here[:2] == there[:2] and there[2] - here[2] in (0, period)
    return here[0] == there[0] and (there[2] == here[2] or start <= there[2] < start + period)


def _best(found: list[Stretch], size: int) -> list[Stretch]:
    """Stretches that don't overlap, those that fold most first."""
    taken, best = bytearray(size), []
    for start, period, count in sorted(found, key=lambda one: (-one[1] * one[2], one[1], one[0])):
        end = start + period * count
        if not any(taken[start:end]):
            taken[start:end] = b"1" * (end - start)
            best.append((start, period, count))
    return best


def block_box(boxes: list[Box], period: int, count: int) -> Box:
    """The one box that replaces `count` blocks; where they are modules, for all but the first."""
    if modules := [box.title for box in boxes if box.look is not None]:
        size = sum(box.folded or 1 for box in boxes[period:])
        first = modules[:len(modules) // count]
        names = [_from_to(modules[len(first):]), f"{size} boxes"]
        return Box("fold", f"then {count - 1} more like {_from_to(first)}", names, folded=size,
                   module=common([box.module for box in boxes]))
    block = boxes[:period]
    names = [box.title for box in boxes if box.kind == "leaf" and box.tensor is not None and box.tensor.name]
    operations = Counter(box.title for box in block if box.kind == "op")
    words = [name if times == 1 else f"{times} {name}" for name, times in operations.items()]
    if len(words) > 5:
        words[4:] = [f"and {len(words) - 4} other kinds"]
    title = words[0] if len(words) == 1 else "block"
    return Box("fold", f"{title} \N{MULTIPLICATION SIGN}{count}",
               [*(words if len(words) > 1 else []), *([_from_to(names)] if names else [])],
               folded=sum(box.folded or 1 for box in boxes), module=common([box.module for box in boxes]))


def _from_to(names: list[str]) -> str:
    return f"{names[0]} \N{HORIZONTAL ELLIPSIS} {names[-1]}" if len(names) > 1 else names[0]
