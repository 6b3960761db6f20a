"""Which way a picture runs, and which of its arrows are to run straight.

A small picture runs from left to right. One that would be wider than a page runs downwards, if that
makes it narrower. The widths are estimated from the words in the boxes, so that DOT source needs no
layout.
"""
from __future__ import annotations

from collections import defaultdict

from ..graph.model import Box, Picture
from ..graph.modules import frames, inside
from .middle import columns
from .text_twin import saved_words, weight_words

DIRECTIONS = ("auto", "right", "down")
PAGE = 1500  # points; half as wide again as the page of a notebook
# points, as estimated; the picture is then at most about as wide as the page of a notebook
ONE_PAGE = 680
MOST_COMPARED = 400  # boxes; of more, all are narrow
LETTER, RIM, GAP = 6.2, 30, 26  # points: of a letter, around the words, between two boxes
# points: of a line of words, above and below the words of a box, between two rows
LINE_HEIGHT, HEXAGON, BOX, ROW_GAP = 14, 60, 22, 23
# letters of an operation's name; in a network a longer one is broken
LONG_NAME, LONGEST_NARROW = 20, 12
LONG = 18  # columns; with more, the longest way runs straight through the middle of its boxes


def direction(picture: Picture, page: int = PAGE) -> tuple[str, frozenset[int]]:
    """The direction asked for, or down if it would be wider than `page` and that makes it narrower.

    `explain` asks for one page, because its sentences speak of the whole picture. A network gets
    one page, too; the second answer is which of its boxes must be narrow to fit.
    """
    rows = _rows(picture, frozenset(), columns(picture))
    right, down = sum(max(row.values()) for row in rows), max(map(_width, rows), default=0)
    down = max(down, _across(picture, frozenset())) if picture.network else down
    way = picture.direction
    if way == "auto":
        way = "down" if right > max(ONE_PAGE if picture.network else page, down) else "right"
    if not picture.network or way == "right":
        return way, frozenset()
    return way, _side_by_side(picture) if down > ONE_PAGE else frozenset()


def across(picture: Picture) -> float:
    """About how wide a network that runs down is drawn, in points, with narrow boxes if need be."""
    return 0 if picture.direction == "right" else _across(picture, _side_by_side(picture))


def along(picture: Picture) -> float:
    """About how high a network that runs down is drawn, in points."""
    if picture.direction == "right":
        return 0
    high: dict[int, float] = defaultdict(float)
    for column, box in zip(columns(picture), picture.boxes, strict=True):
        lines = 1 + len(box.lines) + len(box.made) + bool(box.tensor and box.tensor.values)
        rims = HEXAGON if box.kind == "op" else BOX
        high[column] = max(high[column], LINE_HEIGHT * lines + rims + ROW_GAP)
    return sum(high.values())


def _across(picture: Picture, narrow: frozenset[int]) -> float:
    """The widest row, if each box is as near as possible to the end, or to the start."""
    first = [0] * len(picture.boxes)
    for arrow in sorted(picture.arrows, key=lambda arrow: arrow.head):
        first[arrow.head] = max(first[arrow.head], first[arrow.tail] + 1)
    for at, box in enumerate(picture.boxes):
        first[at] = -at if box.kind == "constant" else first[at]  # it stands where there is room
    rows = [*_rows(picture, narrow, columns(picture)), *_rows(picture, narrow, first)]
    return max(map(_width, rows), default=0)


def _side_by_side(picture: Picture) -> frozenset[int]:
    """The operations that neither lead to all others nor come from them."""
    count = len(picture.boxes)
    if count > MOST_COMPARED:
        return frozenset(range(count))
    before, after = [1 << at for at in range(count)], [1 << at for at in range(count)]
    for arrow in sorted(picture.arrows, key=lambda arrow: arrow.head):
        before[arrow.head] |= before[arrow.tail]
    for arrow in sorted(picture.arrows, key=lambda arrow: -arrow.tail):
        after[arrow.tail] |= after[arrow.head]
    steps = sum(1 << at for at, box in enumerate(picture.boxes) if box.kind in ("op", "fold"))
    return frozenset(at for at in range(count) if steps & ~(before[at] | after[at]))


def _rows(picture: Picture, narrow: frozenset[int], columns: list[int]) -> list[dict[int, float]]:
    """The boxes of each column and about how wide each is drawn, in points."""
    rows: dict[int, dict[int, float]] = defaultdict(dict)
    for at, column in enumerate(columns):
        box = picture.boxes[at]
        wide = _compact_width(picture, box, at in narrow) if picture.network else _wide(box)
        rows[column][at] = wide + GAP
    return list(rows.values())


def _width(row: dict[int, float]) -> float:
    return sum(row.values())


def _wide(box: Box) -> float:
    lines = [box.title, *box.lines, *box.made, *map(saved_words, box.saved)]
    if box.tensor is not None:
        lines += [*box.tensor.values.splitlines(), *f".grad {box.tensor.grad or ''}".splitlines()]
    return LETTER * max(map(len, lines)) + (2 * RIM if box.kind == "op" else RIM)


def _compact_width(picture: Picture, box: Box, narrow: bool) -> float:
    """Of a box of a network, which has tabs beside it unless it is narrow and has no parameters."""
    drawer, longest = (0, LONGEST_NARROW) if narrow else (10, LONG_NAME)
    tabs = [max(map(len, weight_words(box, weight, picture.depth))) + drawer
            for weight in box.weights]
    tabs += [len(saved_words(item)) for item in box.saved]
    title = box.title[:longest] if box.kind == "op" else box.title
    words = max(map(len, (title, *box.lines, *box.made)))
    inside = narrow and not box.weights
    if inside and box.kind == "op":
        return LETTER * max(words, *tabs, 0) + 1.4 * RIM
    return LETTER * (words + max(tabs, default=0)) + (2 * RIM if box.kind == "op" else RIM)


def spine(picture: Picture) -> set[int]:
    """The arrows, by their number, on the longest way into each box; they weigh more in the layout.

    If all weigh the same, a chain whose operations have a second input may run down a staircase, as
    its lines are no longer there than on a straight way.
    """
    depth, last = [0] * len(picture.boxes), {}
    for number, arrow in sorted(enumerate(picture.arrows), key=lambda pair: pair[1].head):
        if depth[arrow.tail] >= depth[arrow.head]:
            depth[arrow.head], last[arrow.head] = depth[arrow.tail] + 1, number
    return set(last.values())


def below(picture: Picture) -> dict[int, dict[str, str]]:
    """How long the arrows are, by their number, that lead into a frame: so that all of it stands
    below them.

    Otherwise the parameters of a module would be placed with the module before, and the frames side
    by side.
    """
    found: dict[int, dict[str, str]] = {}
    for frame in filter(None, frames(picture)):
        height = dict.fromkeys(inside(picture, frame), 1)
        for arrow in sorted(picture.arrows, key=lambda arrow: arrow.head):
            if arrow.tail in height and arrow.head in height:
                height[arrow.head] = max(height[arrow.head], height[arrow.tail] + 1)
        found |= {number: {"minlen": str(height[arrow.head])}
                  for number, arrow in enumerate(picture.arrows)
                  if arrow.head in height and arrow.tail not in height and number not in found}
    return found
