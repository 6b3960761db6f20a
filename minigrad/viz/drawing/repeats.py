"""Folds what repeats: a chain of one operation, or the layers of a network, into one box with a
count.

In an order in which a block's own leaves stand next to it, each box of a block that repeats looks
like the one a fixed number of places before it, and takes its inputs from the same boxes, or from
those as many places back. That number is the distance between two boxes that look alike, and so do
those that follow them.
"""
from __future__ import annotations

from collections import Counter

from ..graph.box_order import in_order
from ..graph.model import Box, Picture
from ..graph.modules import common
from .closed import inside_of, inside_words

FEWEST = 3  # repeats
NOTABLE = ("guilty", "here", "added", "removed")  # marks that must stay in sight
Stretch = tuple[int, int, int]  # its start, the length of a block, how many blocks


def repeats(picture: Picture) -> tuple[list[int], list[Stretch]]:
    """The order described above, and the stretches in it."""
    order = late_order(picture)
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
             # of a box and those behind it
             for at, (look, row) in enumerate(zip(looks, tails, strict=True))]
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
    """Whether leaves and constants alone are a block: only where they feed the same box."""
    start, period, count = stretch
    if any(box.kind in ("op", "fold") for box in boxes[start:start + period]):
        return True
    inside = range(start, start + period * count)
    return len({head for at in inside for head in heads[at] if head not in inside}) == 1


def late_order(picture: Picture) -> list[int]:
    """Every box as late as its users allow; what has the shortest history stands nearest to its
    user.

    Constants stand near their users, as in `2 * h`; those without others like them, such as the
    data, stand in front of everything.
    """
    uses = [(arrow.tail, (picture.boxes[arrow.head].title, arrow.argument))
            for arrow in picture.arrows if picture.boxes[arrow.tail].kind == "constant"]
    count = Counter(use for _, use in uses)
    front = {at for at, use in uses if count[use] < FEWEST}
    height = [len(picture.boxes) * (at in front) for at in range(len(picture.boxes))]
    for arrow in sorted(picture.arrows, key=lambda arrow: arrow.head):
        if arrow.tail not in front:
            height[arrow.head] = max(height[arrow.head], height[arrow.tail] + 1)
    backwards = [(arrow.head, arrow.tail) for arrow in picture.arrows]
    return in_order(range(len(height)), backwards, zip(height, range(0, -len(height), -1)))[::-1]


def _look(box: Box) -> tuple | None:
    """What makes two boxes alike; None for a box that must stay, as every result must."""
    if box.mark in NOTABLE or box.grad_fn or box.kind == "fold" and box.look is None:
        return None
    shape = box.tensor.shape if box.tensor is not None else None
    weights = tuple((weight.tensor.shape, weight.through, weight.tensor.kind)
                    for weight in box.weights)
    return box.kind, box.look, box.title if box.kind == "op" else "", shape, box.layer, weights


def _stretch(looks: list, tails: list[list], at: int, period: int) -> tuple[Stretch | None, int]:
    """The blocks around `at` in which each box is like that `period` before it; and their end."""
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
    # a block had better begin with a module
    for earlier in range(max(0, start - period + 1), start):
        if looks[earlier] and looks[earlier][0] == "fold" and _first(looks, tails, earlier, period):
            return (earlier, period, count), end + 1
    return (start, period, count), end + 1


def _alike(looks: list, tails: list[list], at: int, period: int, start: int = -1) -> bool:
    """Whether a box is like the one a period before it.

    With a `start`, where the first of all blocks begins: that one may take its inputs from
    anywhere.
    """
    before = at - period
    if looks[at] is None or looks[at] != looks[before]:
        return False
    if len(tails[at]) != len(tails[before]) and not (start >= 0 and looks[at][0] == "fold"):
        return False
    return all(argument == its and (kind == same and tail - other in (0, period)
                                    or other < start <= tail < start + period)
               for (argument, kind, tail), (its, same, other) in zip(tails[at], tails[before]))


def _first(looks: list, tails: list[list], start: int, period: int) -> bool:
    """Whether a block at `start` is like the next one."""
    return start >= 0 and all(_alike(looks, tails, at, period, start)
                              for at in range(start + period, start + 2 * period))


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
        first, instead = modules[:len(modules) // count], boxes[period:]
        title = f"then {count - 1} more like {_from_to(first)}"
        lines = [_from_to(modules[len(first):]), *inside_words(inside := inside_of(instead))]
    else:
        names = [box.title for box in boxes if box.kind == "leaf" and box.tensor
                 and box.tensor.name]
        operations = Counter(box.title for box in boxes[:period] if box.kind == "op")
        lines = [name if times == 1 else f"{times} {name}" for name, times in operations.items()]
        if len(lines) > 5:
            lines[4:] = [f"and {len(lines) - 4} other kinds"]
        title = f"{lines.pop() if len(lines) == 1 else 'block'} \N{MULTIPLICATION SIGN}{count}"
        lines += [_from_to(names)] if names else []
        instead, inside = boxes, inside_of(boxes)
    return Box("fold", title, lines, inside=inside, folded=sum(box.folded or 1 for box in instead),
               module=common([box.module for box in boxes]))


def _from_to(names: list[str]) -> str:
    return f"{names[0]} \N{HORIZONTAL ELLIPSIS} {names[-1]}" if len(names) > 1 else names[0]
