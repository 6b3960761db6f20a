"""Boxes in an order in which every arrow runs forward."""
from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from .model import Picture


def in_order(items: Sequence[Hashable], arrows: Iterable[tuple[Hashable, Hashable]],
             ranks: Iterable[Any] | None = None) -> list[Any]:
    """Inputs before users; otherwise by rank, that is in the order given."""
    rank = dict(zip(items, ranks or range(len(items))))
    waiting = dict.fromkeys(items, 0)
    after = defaultdict(list)
    for tail, head in arrows:
        waiting[head] += 1
        after[tail].append(head)
    ready = [(rank[item], item) for item in items if not waiting[item]]
    heapq.heapify(ready)
    order = []
    while ready:
        _, item = heapq.heappop(ready)
        order.append(item)
        for head in after[item]:
            waiting[head] -= 1
            if not waiting[head]:
                heapq.heappush(ready, (rank[head], head))
    return order


def connected(items: Iterable[int], near: Callable[[int], Iterable[int]]) -> Iterator[list[int]]:
    """Groups of items that lines connect; `near` says to which ones lines lead from one."""
    waiting = dict.fromkeys(items)
    while waiting:
        stack, group = [next(iter(waiting))], list[int]()
        del waiting[stack[0]]
        while stack:
            group.append(at := stack.pop())
            for other in near(at):
                if other in waiting:
                    del waiting[other]
                    stack.append(other)
        yield sorted(group)


def forward(picture: Picture) -> Picture:
    """Reordered, if need be, so that all arrows run from left to right."""
    pairs = [(arrow.tail, arrow.head) for arrow in picture.arrows]
    if all(tail < head for tail, head in pairs):
        return picture
    order = in_order(range(len(picture.boxes)), pairs)
    if len(order) < len(picture.boxes):
        return picture
    return only(picture, order)


def only(picture: Picture, order: Iterable[int]) -> Picture:
    """The picture of these boxes in this order, without the others and the lines to them."""
    place = {old: new for new, old in enumerate(order)}
    arrows = [replace(arrow, tail=place[arrow.tail], head=place[arrow.head])
              for arrow in picture.arrows if arrow.tail in place and arrow.head in place]
    focus = None if picture.focus is None else place.get(picture.focus)
    return replace(picture, boxes=[picture.boxes[old] for old in place], arrows=arrows, focus=focus)


def numbered(picture: Picture, kinds: tuple[str, ...] = ()) -> Picture:
    """The same picture where an operation to which one line is left doesn't number its inputs.

    `kinds` are those of the lines that count; () takes all.
    """
    lines = Counter(arrow.head for arrow in picture.arrows if not kinds or arrow.kind in kinds)
    arrows = [arrow if lines[arrow.head] > 1 else replace(arrow, argument=None)
              for arrow in picture.arrows]
    boxes = [box if lines[at] > 1 else replace(box, arguments=0)
             for at, box in enumerate(picture.boxes)]
    return replace(picture, boxes=boxes, arrows=arrows)


def without_constants(picture: Picture) -> Picture:
    """The same picture without the boxes of constants, and without the lines to them."""
    return numbered(only(picture, [at for at, box in enumerate(picture.boxes)
                                   if box.kind != "constant" or at == picture.focus]))
