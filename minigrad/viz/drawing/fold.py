"""Folds a large picture: modules into one box each, what repeats into one box, then its middle.

From the outside in, the modules of a model are opened while there is room; of those that repeat only the
first is.
"""
from __future__ import annotations

from collections import deque

from ..graph.collection import held_back
from ..graph.model import Box, Picture
from ..graph.modules import Chain, groups, module_box
from ..graph.order import in_order
from .middle import contract, middle, neighbours, without
from .repeats import block_box, repeats


@held_back()
def fold(picture: Picture, budget: int | None) -> Picture:
    """The same picture with at most `budget` boxes (None: all), and those that must stay in sight."""
    if budget is None or len(picture.boxes) <= budget:
        return picture
    opened: set[Chain] = set()
    whole, shown = _shown(picture, opened, budget)
    waiting = deque([()] if len(shown.boxes) <= budget else [])
    while waiting:
        outer = waiting.popleft()
        closed = [(*box.module, box.title) for box in shown.boxes if box.look is not None]
        inside = [chain for chain in closed if chain[:-1] == outer]
        for new in filter(None, (inside, inside[:1])):  # all parts are opened, or only the first, or none
            finer, trial = _shown(whole, opened.union(new), budget)
            if len(trial.boxes) <= budget:
                opened.update(new)
                waiting.extend(new)
                whole, shown = finer, trial
                break
    return middle(shown, budget)


def _shown(whole: Picture, opened: set[Chain], budget: int) -> tuple[Picture, Picture]:
    """The picture with repeated modules folded, and, if need be, what else repeats; and the same, closed."""
    shown, pieces = _close(whole, opened)
    order, blocks = repeats(shown)
    ordered = [shown.boxes[at] for at in order]
    if len(shown.boxes) <= budget:
        blocks = [(start, period, count) for start, period, count in blocks
                  if any(box.look is not None for box in ordered[start:start + period])]
    if not blocks:
        return whole, shown
    place = {id(box): [at] for at, box in enumerate(whole.boxes)}
    place.update({id(box): piece for box, piece in pieces})
    insides, instead = [], []
    for start, period, count in blocks:
        boxes = ordered[start:start + period * count]
        first = period if any(box.look is not None for box in boxes) else 0
        insides.append({at for box in boxes[first:] for at in place[id(box)]})
        instead.append(block_box(boxes, period, count))
    whole = contract(whole, insides, instead)
    return whole, _close(whole, opened)[0]


def _close(picture: Picture, opened: set[Chain]) -> tuple[Picture, list[tuple[Box, list[int]]]]:
    """The picture with one box for each module that isn't opened, and what each of these boxes replaces."""
    closed = groups(picture, opened)
    owner: list = list(range(len(picture.boxes)))
    for chain, group in closed.items():
        for at in group:
            owner[at] = chain
    pairs = [(owner[arrow.tail], owner[arrow.head]) for arrow in picture.arrows]
    pairs = [pair for pair in pairs if pair[0] != pair[1]]
    order = in_order(list(dict.fromkeys(owner)), pairs) if closed else []
    # A module that is used in turn with another one can't be one box: arrows would lead out of it and back.
    kept = [chain for chain in order if chain in closed]
    boxes = [module_box(picture, chain, [picture.boxes[at] for at in closed[chain]]) for chain in kept]
    pieces = [closed[chain] for chain in kept]
    return contract(picture, pieces, boxes), list(zip(boxes, pieces))


def around(picture: Picture, steps: int) -> Picture:
    """The part of a picture that lies up to `steps` operations from its focus.

    Tensors and leaves on the way don't count as a step. No way leads on through a leaf to its other users.
    """
    tails, heads = neighbours(picture, forward=False), neighbours(picture, forward=True)
    distance, waiting = {picture.focus: 0}, deque([picture.focus])
    while waiting:
        at = waiting.popleft()
        source = at != picture.focus and picture.boxes[at].kind in ("leaf", "constant", "accumulate")
        for near in tails[at] if source else tails[at] | heads[at] if distance[at] < steps else ():
            far = distance[at] + (picture.boxes[near].kind in ("op", "fold"))
            if far < distance.get(near, steps + 1):
                distance[near] = far
                waiting.append(near)
    return without(picture, set(distance))
