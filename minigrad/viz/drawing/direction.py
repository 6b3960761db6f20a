"""Which way a picture runs, and which of its arrows are to run straight.

A small picture runs from left to right. One that would be wider than a page runs downwards, if that makes it
narrower. The widths are estimated from the words in the boxes, so that DOT source needs no layout.
"""
from __future__ import annotations

from collections import defaultdict

from ..graph.model import Box, Picture
from ..graph.modules import frames, inside
from .middle import columns
from .text import saved_words

DIRECTIONS = ("auto", "right", "down")
PAGE = 1500  # points; half as wide again as the page of a notebook
ONE_PAGE = 680  # points, as estimated; the picture is then at most about as wide as the page of a notebook
LETTER, RIM, GAP = 6.2, 30, 26  # points: of a letter, around the words, between two boxes
LONG = 18  # columns; with more, the longest way runs straight through the middle of its boxes


def direction(picture: Picture, page: int = PAGE) -> str:
    """The direction asked for, or down if it would be wider than `page` and that makes it narrower.

    `explain` asks for one page, because its sentences speak of the whole picture.
    """
    if picture.direction != "auto":
        return picture.direction
    across = defaultdict(list)  # column -> the widths of its boxes
    for box, column in zip(picture.boxes, columns(picture), strict=True):
        across[column].append(_width(box) + GAP)
    right = sum(map(max, across.values()))
    return "down" if right > max(page, max(map(sum, across.values()), default=0)) else "right"


def _width(box: Box) -> float:
    """About how wide a box is drawn, in points."""
    lines = [box.title, *box.lines, *box.made, *map(saved_words, box.saved)]
    if box.tensor is not None:
        lines += [*box.tensor.values.splitlines(), *f".grad {box.tensor.grad or ''}".splitlines()]
    return LETTER * max(map(len, lines)) + (2 * RIM if box.kind == "op" else RIM)


def spine(picture: Picture) -> set[int]:
    """The arrows, by their number, on the longest way into each box; they weigh more in the layout.

    If all weigh the same, a chain whose operations have a second input may run down a staircase, as its lines
    are no longer there than on a straight way.
    """
    depth, last = [0] * len(picture.boxes), {}
    for number, arrow in sorted(enumerate(picture.arrows), key=lambda pair: pair[1].head):
        if depth[arrow.tail] >= depth[arrow.head]:
            depth[arrow.head], last[arrow.head] = depth[arrow.tail] + 1, number
    return set(last.values())


def below(picture: Picture) -> dict[int, dict[str, str]]:
    """How long the arrows are, by their number, that lead into a frame: so that all of it stands below them.

    Otherwise the parameters of a module would be placed with the module before, and the frames side by side.
    """
    found: dict[int, dict[str, str]] = {}
    for frame in filter(None, frames(picture)):
        height = dict.fromkeys(inside(picture, frame), 1)
        for arrow in sorted(picture.arrows, key=lambda arrow: arrow.head):
            if arrow.tail in height and arrow.head in height:
                height[arrow.head] = max(height[arrow.head], height[arrow.tail] + 1)
        found |= {number: {"minlen": str(height[arrow.head])} for number, arrow in enumerate(picture.arrows)
                  if arrow.head in height and arrow.tail not in height and number not in found}
    return found
