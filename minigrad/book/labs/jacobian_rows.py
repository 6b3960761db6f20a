"""The picture of a Jacobian with a weight on each of its rows, and the gradient that a backward pass gives.

Beside each row is its weight; in each field is the slope, and below it the slope times the weight; below the
columns is what `f(x).backward(v)` really puts into `x.grad`.
"""
from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from html import escape
from typing import Any

from ...viz.image import picture
from ...viz.style import FAINT, FONT, GRADIENT, GREY, INK, LEAF, PAPER, PLATE

FIELD, ROW, WEIGHT, EDGE, LETTER = 104, 46, 62, 12, 7  # points
TITLE = "The Jacobian J, with the weights v on its rows"


class Rows:
    """What `draw_rows` returns: the picture, and the same in words."""

    def __init__(self, svg: str, text: str) -> None:
        self.svg, self.text = svg, text

    @property
    def html(self) -> str:
        return picture(self.svg, self.text)

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/html": self.html, "text/plain": self.text}


def drawn(jacobian: Sequence[Sequence[float]], v: Sequence[float], result: Sequence[float],
          rows: Sequence[str], name: str, text: str) -> str:
    """The picture as SVG: `rows` are the names of the outputs, `name` is that of the input."""
    label = 16 + LETTER * max(map(len, rows))
    left, top = EDGE + label + WEIGHT + 26, 52
    wide, tall = left + FIELD * len(result) + 20, top + ROW * len(v) + 62
    parts = [box(0.5, 0.5, wide - 1, tall - 1, PLATE, GREY, 1, 8),
             words(EDGE + label + WEIGHT / 2, 40, "v", bold=True),
             words(left + FIELD * len(result) / 2, 20, "J", bold=True)]
    for column in range(len(result)):
        parts.append(words(left + FIELD * (column + 0.5), 40, f"{name}[{column}]"))
    for at, (weight, row, output) in enumerate(zip(v, jacobian, rows, strict=True)):
        y, ink = top + ROW * at, INK if weight else FAINT
        parts += [words(EDGE + label / 2 - 4, y + ROW / 2 + 2, output),
                  box(EDGE + label, y + 5, WEIGHT, ROW - 12, PAPER, GRADIENT, 2.4, 12),
                  words(EDGE + label + WEIGHT / 2, y + ROW / 2 + 3, number(weight), 14, ink, True),
                  words(left - 13, y + ROW / 2 + 3, "\N{MULTIPLICATION SIGN}", 14)]
        for column, slope in enumerate(row):
            x = left + FIELD * column
            times = f"{number(weight)} \N{MULTIPLICATION SIGN} {number(slope)} = {number(weight * slope)}"
            parts += [box(x, y, FIELD, ROW, PAPER, GREY, 1),
                      words(x + FIELD / 2, y + 20, number(slope), 14, ink),
                      words(x + FIELD / 2, y + 37, times, 11, FAINT)]
    below = top + ROW * len(v) + 12
    parts.append(words(left - 10, below + 25, f"{name}.grad =", 12, anchor="end"))
    for column, value in enumerate(result):
        x = left + FIELD * column
        parts += [box(x + 8, below + 4, FIELD - 16, 34, PAPER, LEAF, 2.4, 4),
                  words(x + FIELD / 2, below + 26, number(value), 14, INK, True)]
    key = "mg" + sha256(text.encode()).hexdigest()[:8]
    return (f'<svg width="{wide}pt" height="{tall}pt" viewBox="0 0 {wide} {tall}" '
            f'xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="{key}-title {key}-desc">\n'
            f'<title id="{key}-title">{TITLE}</title>\n<desc id="{key}-desc">{escape(text)}</desc>\n'
            + "\n".join(parts) + "\n</svg>\n")


def number(value: float) -> str:
    """At most three decimals, so that a product fits into its field."""
    return f"{round(value, 3) + 0:.3f}".rstrip("0").rstrip(".")


def box(x: float, y: float, wide: float, tall: float, fill: str, line: str, width: float, round_: int = 0
        ) -> str:
    return (f'<rect x="{x:g}" y="{y:g}" width="{wide:g}" height="{tall:g}" rx="{round_}" fill="{fill}" '
            f'stroke="{line}" stroke-width="{width}"/>')


def words(x: float, y: float, text: str, size: int = 12, ink: str = INK, bold: bool = False,
          anchor: str = "middle") -> str:
    weight = ' font-weight="bold"' if bold else ""
    return (f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" font-family="{FONT},sans-serif" '
            f'font-size="{size}"{weight} fill="{ink}">{escape(text)}</text>')
