"""Folds a large picture: modules into one box each, what repeats into one box, then its middle.

From the outside in, the modules of a model are opened while there is room; of those that repeat
only the first is.
"""
from __future__ import annotations

from collections import deque

from ..graph.box_order import in_order
from ..graph.collection import held_back
from ..graph.model import Box, Picture
from ..graph.modules import Chain
from .closed import groups, module_box
from .direction import across, along
from .middle import contract, middle, neighbours, without
from .repeats import block_box, repeats

USUAL = 40  # boxes; who asks for more gets a picture that may be wider than a page
WIDEST, HIGHEST = 730, 1400  # points, as estimated, of a network
MOST_FAILED = 12  # modules that are tried in vain


@held_back()
def fold(picture: Picture, budget: int | None) -> Picture:
    """The same picture with at most `budget` boxes (None: all) and those that must be seen."""
    if budget is None or size(picture) <= budget and not picture.network:
        # of a network's blocks that repeat, one is shown, even if there is room for all
        return picture
    opened: set[Chain] = set()
    whole, shown = _shown(picture, opened, budget)
    waiting: deque[Chain] = deque([()] if size(shown) <= budget else [])
    failed = 0
    while waiting:
        outer = waiting.popleft()
        closed = [(*box.module, box.title) for box in shown.boxes if box.look is not None]
        inside = [chain for chain in closed if paths(chain[:-1]) == outer]
        # All parts are opened, or only the first, or none. In a network each is for which there is
        # room, and a module that is called several times in all of its calls or in none.
        parts = [inside[:1]]
        if picture.network:
            parts = [[one for one in inside if paths(one) == path]
                     for path in dict.fromkeys(map(paths, inside))]
        for new in [inside, *parts]:
            if opened.issuperset(new) or failed == MOST_FAILED:
                continue
            finer, trial = _shown(whole, opened.union(new), budget)
            if fits(trial, shown, budget):
                opened.update(new)
                waiting.extend(dict.fromkeys(map(paths, new)))
                whole, shown = finer, trial
            else:
                failed += 1
    return middle(shown, budget)


def paths(chain: Chain) -> Chain:
    """The modules of a chain, without the numbers of their calls."""
    return tuple(part.partition(", call ")[0] for part in chain)


def fits(picture: Picture, before: Picture, budget: int) -> bool:
    """Whether a picture has at most `budget` boxes and, if it is a network, fits on a page.

    One that was wider or higher `before` a module was opened may stay so.
    """
    if size(picture) > budget or not picture.network or budget > USUAL:
        return size(picture) <= budget
    return (across(picture) <= max(WIDEST, across(before))
            and along(picture) <= max(HIGHEST, along(before)))


def size(picture: Picture) -> int:
    """How many boxes a picture has; a parameter that stands on an operation counts as one."""
    return len(picture.boxes) + sum(len(box.weights) for box in picture.boxes)


def _shown(whole: Picture, opened: set[Chain], budget: int) -> tuple[Picture, Picture]:
    """The picture with repeated modules, and if need be all repeats, folded; and it closed."""
    shown, pieces = close(whole, opened)
    order, blocks = repeats(shown)
    ordered = [shown.boxes[at] for at in order]
    if size(shown) <= budget:
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
    return whole, close(whole, opened)[0]


def close(picture: Picture, opened: set[Chain],
          least: int = 2) -> tuple[Picture, list[tuple[Box, list[int]]]]:
    """The picture with one box for each closed module, and what each box replaces."""
    closed = groups(picture, opened, least)
    owner: list = list(range(len(picture.boxes)))
    for chain, group in closed.items():
        for at in group:
            owner[at] = chain
    pairs = [(owner[arrow.tail], owner[arrow.head]) for arrow in picture.arrows]
    pairs = [pair for pair in pairs if pair[0] != pair[1]]
    order = in_order(list(dict.fromkeys(owner)), pairs) if closed else []
    # A module that is used in turn with another one can't be one box: arrows would lead out of it
    # and back.
    kept = [chain for chain in order if chain in closed]
    boxes = [module_box(picture, chain, [picture.boxes[at] for at in closed[chain]])
             for chain in kept]
    pieces = [closed[chain] for chain in kept]
    return contract(picture, pieces, boxes), list(zip(boxes, pieces))


def around(picture: Picture, steps: int) -> Picture:
    """The part of a picture that lies up to `steps` operations from its focus.

    Tensors and leaves on the way don't count as a step. No way leads on through a leaf to its other
    users.
    """
    tails, heads = neighbours(picture, forward=False), neighbours(picture, forward=True)
    focus = picture.focus if picture.focus is not None else -1
    distance, waiting = {focus: 0}, deque([focus])
    while waiting:
        at = waiting.popleft()
        source = at != focus and picture.boxes[at].kind in ("leaf", "constant", "accumulate")
        for near in tails[at] if source else tails[at] | heads[at] if distance[at] < steps else ():
            far = distance[at] + (picture.boxes[near].kind in ("op", "fold"))
            if far < distance.get(near, steps + 1):
                distance[near] = far
                waiting.append(near)
    return without(picture, set(distance))
