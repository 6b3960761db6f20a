"""Folds a large picture: modules into one box each, what repeats into one box, then its middle.

From the outside in, the modules of a model are opened while there is room; of those that repeat only the
first is. What is still too large keeps the columns nearest to the end and those nearest to the start (a
column is how many steps a box lies before the end); what lies between becomes "... 12 more", one box for each
connected piece. Because all arrows run from left to right, a piece of the middle can never lead back into
itself.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Collection, Sequence
from dataclasses import replace

from .gradients import tell_gradients
from .model import Arrow, Box, Picture
from .modules import Chain, common, groups, module_box
from .order import in_order
from .repeats import NOTABLE, block_box, repeats


def fold(picture: Picture, budget: int | None) -> Picture:
    """The same picture with at most `budget` boxes (None: all), and those that must stay in sight."""
    if budget is None or len(picture.boxes) <= budget:
        return picture
    opened: set[Chain] = set()
    whole, shown = _shown(picture, opened, budget)
    waiting = deque([()] if len(shown.boxes) <= budget else [])
    while waiting:
        outer = waiting.popleft()
        inside = [chain for chain in _closed(shown) if chain[:-1] == outer]
        for new in (inside, inside[:1]):  # all parts of a module are opened, or only the first, or none
            finer, trial = _shown(whole, opened.union(new), budget)
            if new and len(trial.boxes) <= budget:
                opened.update(new)
                waiting.extend(new)
                whole, shown = finer, trial
                break
    return _middle(shown, budget)


def _closed(picture: Picture) -> list[Chain]:
    """The modules that a picture shows as one box."""
    return [(*box.module, box.title) for box in picture.boxes if box.look is not None]


def _shown(whole: Picture, opened: set[Chain], budget: int) -> tuple[Picture, Picture]:
    """The picture with repeated modules folded, and, if need be, what else repeats; and the same, closed."""
    shown, pieces = _close(whole, opened)
    ordered, blocks = repeats(shown)
    if len(shown.boxes) <= budget:
        blocks = [(start, period, count) for start, period, count in blocks
                  if any(box.look is not None for box in ordered.boxes[start:start + period])]
    place = {id(box): [at] for at, box in enumerate(whole.boxes)}
    place.update({id(box): piece for box, piece in pieces})
    insides, instead = [], []
    for start, period, count in blocks:
        boxes = ordered.boxes[start:start + period * count]
        first = period if any(box.look is not None for box in boxes) else 0
        insides.append({at for box in boxes[first:] for at in place[id(box)]})
        instead.append(block_box(boxes, period, count))
    whole = _contract(whole, insides, instead)
    return whole, _close(whole, opened)[0]


def _close(picture: Picture, opened: set[Chain]) -> tuple[Picture, list[tuple[Box, list[int]]]]:
    """The picture with one box for each module that isn't opened, and what each of these boxes stands for."""
    closed = groups(picture, opened)
    owner: list = list(range(len(picture.boxes)))
    for chain, group in closed.items():
        for at in group:
            owner[at] = chain
    pairs = [(owner[arrow.tail], owner[arrow.head]) for arrow in picture.arrows]
    pairs = [pair for pair in pairs if pair[0] != pair[1]]
    order = in_order(list(dict.fromkeys(owner)), pairs) if closed else []
    # A module that is used in turn with another one can't be one box: arrows would lead out of it and back.
    pieces = [(module_box(picture, chain, [picture.boxes[at] for at in closed[chain]]), closed[chain])
              for chain in order if chain in closed]
    return _contract(picture, [piece for _, piece in pieces], [box for box, _ in pieces]), pieces


def _middle(picture: Picture, budget: int) -> Picture:
    """The columns at both ends, as many as there is room for; what lies between is folded."""
    room, column, shown = budget, columns(picture), picture
    while len(shown.boxes) > budget and room >= 0:
        shown = _without(picture, _kept(picture, column, room) | _marked(picture))
        room -= max(1, len(shown.boxes) - budget)
    return shown if len(shown.boxes) <= budget else _without(picture, _marked(picture))


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


def _contract(picture: Picture, pieces: Sequence[Collection[int]], instead: list[Box]) -> Picture:
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


def _fold_box(picture: Picture, piece: set[int]) -> Box:
    kinds = Counter(_kind_word(picture.boxes[at]) for at in sorted(piece))
    size = sum(picture.boxes[at].folded or 1 for at in piece)
    most = sorted(kinds.items(), key=lambda row: (-row[1], row[0]))
    lines = [f"{count} {_several(word, count)}" for word, count in most]
    if len(lines) > 4:
        lines[3:] = [f"{sum(kinds.values()) - sum(int(line.split()[0]) for line in lines[:3])} others"]
    return Box("fold", f"\N{HORIZONTAL ELLIPSIS} {size} more", lines, folded=size,
               module=common([picture.boxes[at].module for at in piece]))


def _several(word: str, count: int) -> str:
    many = {"leaf": "leaves", "tensor": "tensors", "constant": "constants"}
    return many.get(word, word) if count > 1 else word


def _kind_word(box: Box) -> str:
    return box.title if box.kind in ("op", "accumulate", "fold") else box.kind
