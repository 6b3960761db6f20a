"""The compact form, for networks: parameters stand on the operations that use them, and shapes are
written.

A parameter takes four boxes otherwise: its leaf, an AccumulateGrad, a transposition and a place in
the frame. In the compact form it is a tab. The full form stays for small graphs, and for parameters
to which something else leads: a mark, a cut, a view, or the focus.
"""
from __future__ import annotations

from dataclasses import replace

from ..graph.box_order import numbered, only
from ..graph.model import Box, Picture, Weight
from .closed import is_move
from .middle import neighbours

# Calls of layers, and boxes: a graph with fewer of both shows its leaves as boxes
FEW, SMALL = 3, 24


def is_network(picture: Picture) -> bool:
    """Whether a picture is compact unless told otherwise: that of a model, if not small."""
    calls = {box.module for box in picture.boxes if box.kind == "op" and box.module}
    around = {chain[:end] for chain in calls for end in range(len(chain))}
    large = len(picture.boxes) > SMALL and bool(calls)
    return picture.view == "engine" and (len(calls - around) >= FEW or large)


def with_shapes(picture: Picture) -> Picture:
    """Each operation says which shape its result has."""
    for box in picture.boxes:
        if box.kind == "op" and box.shape and not box.made:
            box.lines = [box.shape, *box.lines]
    return picture


def compact(picture: Picture) -> Picture:
    """The same picture with the parameters of models on their operations."""
    tails, heads = neighbours(picture, forward=False), neighbours(picture, forward=True)
    special = {end for arrow in picture.arrows if arrow.kind in ("cut", "view", "grad_fn")
               for end in (arrow.tail, arrow.head)} | {picture.focus}
    weights: dict[int, list[Weight]] = {}
    gone: set[int] = set()
    for at, box in enumerate(picture.boxes):
        if box.tensor is not None and _is_parameter(box) and at not in special:
            way, users = _way(picture, at, heads, tails, special)
            if users:
                gone |= way
                through = {use: [picture.boxes[step].title for step in sorted(way)
                                 if picture.boxes[step].kind == "op" and use in heads[step]]
                           for use in users}
                lines = next((tuple(picture.boxes[step].lines[1:]) for step in way
                              if picture.boxes[step].kind == "accumulate"), ())
                for use in users:
                    weights.setdefault(use, []).append(
                        Weight(box.tensor, tuple(through[use]), len(users), lines))
    for tabs in weights.values():
        tabs.sort(key=lambda weight: -len(weight.tensor.shape or ()))  # a weight before its bias
    boxes = [replace(box, weights=weights.get(at, [])) for at, box in enumerate(picture.boxes)]
    whole = replace(picture, boxes=boxes, network=True)
    return numbered(only(whole, sorted(set(range(len(boxes))) - gone)), ("next", "none"))


def _is_parameter(box: Box) -> bool:
    return box.kind in ("leaf", "constant") and not box.mark and box.tensor is not None \
        and bool(box.tensor.module) and bool(box.tensor.shape is not None)


def _way(picture: Picture, leaf: int, heads: dict[int, set[int]], tails: dict[int, set[int]],
         special: set[int | None]) -> tuple[set[int], list[int]]:
    """The boxes that a parameter's tabs replace, and the operations that carry these tabs."""
    way, users, waiting = {leaf}, [], sorted(heads[leaf])
    while waiting:
        at = waiting.pop(0)
        box = picture.boxes[at]
        plain = not (box.mark or box.made or box.saved or box.layer > 1) and at not in special
        moves = box.kind == "op" and is_move(box.title)
        if plain and (box.kind == "accumulate" or moves and tails[at] == {min(tails[at])} <= way):
            way.add(at)
            waiting += sorted(heads[at])
        elif box.kind == "op":
            users.append(at)
        else:
            return set(), []
    replaced = len(way) > 1 or picture.boxes[leaf].kind == "constant"
    return (way, sorted(set(users))) if replaced else (set(), [])
