"""The picture of models in layers: which layers keep a gradient, and where a backward pass stopped.

Everything is read from the layers after a backward pass: the flag of each weight, and its `.grad`. So the
same calls draw layers of PyTorch, and no pass runs.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ...viz.drawing.style import DRAWER, FAINT, GRADIENT, GREY, LINE, PAPER, PLATE, PROBLEM, TAB
from .labs.jacobian_rows import Rows, box, svg, words

EDGE, BOX, GAP, TALL, ROW = 16, 74, 40, 52, 168  # points
ARROW = 7
TITLE = "How far the gradient travels, from right to left"


class Row(NamedTuple):
    """One model: for each layer whether it is frozen and whether it keeps a gradient."""

    name: str
    frozen: list[bool]
    keeps: list[bool]

    @property
    def first(self) -> int:
        """The first layer that the gradient reaches."""
        return self.keeps.index(True)

    @property
    def cut(self) -> bool:
        """Whether layers that aren't frozen got nothing: then a result before `first` was cut off."""
        return not all(self.frozen[:self.first])


def draw_layers(models: Mapping[str, Sequence[Any]]) -> Rows:
    """Draw the layers of each model with their drawers, and the way of the gradient of the last pass.

        draw_layers({"layer 2 detached": [one, two, three, four]})

    Args:
        models: a name for each model, and its layers in the order in which they ran. Each has a `weight`.

    Raises:
        ValueError: no weight of a model has a gradient, so no pass has reached it.
    """
    rows = [row_of(name, layers) for name, layers in models.items()]
    text = "\n".join([f"{TITLE}.", *map(in_words, rows)])
    return Rows(drawn(rows, text), text)


def row_of(name: str, layers: Sequence[Any]) -> Row:
    keeps = [layer.weight.grad is not None for layer in layers]
    if not any(keeps):
        raise ValueError(f"draw_layers shows a backward pass, and no weight of {name!r} has a gradient; call "
                         "backward() first")
    return Row(name, [not layer.weight.requires_grad for layer in layers], keeps)


def in_words(row: Row) -> str:
    found = [f"{row.name}:"]
    for at in reversed(range(len(row.keeps))):
        if row.cut and at == row.first - 1:
            found.append("  cut: the gradient stops here")
        frozen = " (frozen)" if row.frozen[at] else ""
        found.append(f"  layer {at + 1}{frozen}: {'a gradient' if row.keeps[at] else 'None'}")
    return "\n".join(found)


def drawn(rows: Sequence[Row], text: str) -> str:
    """The picture as SVG, a line for each model."""
    count = max(len(row.keeps) for row in rows)
    wide, tall = 2 * EDGE + count * BOX + (count + 1) * GAP, 12 + ROW * len(rows)
    parts = [box(0.5, 0.5, wide - 1, tall - 1, PLATE, GREY, 1, 8)]
    for at, row in enumerate(rows):
        if at:
            parts.append(line(EDGE, 8 + ROW * at, wide - EDGE, 8 + ROW * at, GREY, 1))
        parts += row_drawn(row, 8 + ROW * at)
    return svg(wide, tall, TITLE, text, parts)


def row_drawn(row: Row, top: float) -> list[str]:
    """The layers of a model; values go to the right above, the gradient to the left below."""
    parts = [words(EDGE, top + 24, row.name, 14, bold=True, anchor="start")]
    y = top + 46
    values, gradient, last = y + 15, y + TALL - 13, len(row.keeps) - 1
    for at in range(last + 2):
        start = EDGE + at * (GAP + BOX)         # the gap in front of layer `at`
        parts += arrow(start + 2, values, start + GAP - 2, LINE, 1.4)
        if at > row.first:
            parts += arrow(start + GAP - 2, gradient, start + 2, GRADIENT, 3)
        elif at == row.first and row.cut:
            middle = start + GAP / 2
            parts += arrow(start + GAP - 2, gradient, middle + 4, GRADIENT, 3)
            parts += [line(middle, gradient - 14, middle, gradient + 16, PROBLEM, 4),
                      words(middle, gradient + 30, "cut", 12, bold=True)]
    parts += [words(EDGE + GAP / 2, values - 8, "values", 11, FAINT),
              words(EDGE + (last + 1) * (GAP + BOX) + GAP / 2, gradient + 18, "gradient", 11, FAINT)]
    for at, (frozen, keeps) in enumerate(zip(row.frozen, row.keeps)):
        parts += layer_drawn(EDGE + GAP + at * (GAP + BOX), y, at + 1, frozen, keeps)
    return parts


def layer_drawn(x: float, y: float, number: int, frozen: bool, keeps: bool) -> list[str]:
    """A layer and the drawer of its weight below it."""
    middle, drawer = x + BOX / 2, y + TALL + 18
    parts = [box(x, y, BOX, TALL, TAB if frozen else PAPER, GREY, 1.8, 6),
             words(middle, y + (23 if frozen else 31), f"layer {number}", 13, bold=True),
             box(x + 4, drawer, BOX - 8, 26, DRAWER if keeps else PAPER, GRADIENT if keeps else LINE, 1.8, 3),
             words(middle, drawer + 17, "gradient" if keeps else "None", 12)]
    if frozen:
        parts.append(words(middle, y + 40, "frozen", 12))
    if keeps:
        back = drawer - 1 - ARROW
        parts += [line(middle, y + TALL + 2, middle, back, GRADIENT, 3),
                  head((middle, drawer - 1), (middle - 5, back), (middle + 5, back), GRADIENT)]
    return parts


def arrow(start: float, y: float, end: float, colour: str, width: float) -> list[str]:
    """A level arrow from `start` to `end`."""
    back = end - ARROW if end > start else end + ARROW
    return [line(start, y, back, y, colour, width), head((end, y), (back, y - 5), (back, y + 5), colour)]


def line(x: float, y: float, to_x: float, to_y: float, colour: str, width: float) -> str:
    return f'<path d="M{x:g} {y:g}L{to_x:g} {to_y:g}" stroke="{colour}" stroke-width="{width:g}"/>'


def head(*corners: Any) -> str:
    *points, colour = corners
    return f'<path d="M{"L".join(f"{x:g} {y:g}" for x, y in points)}Z" fill="{colour}"/>'
