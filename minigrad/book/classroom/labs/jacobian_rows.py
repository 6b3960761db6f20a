"""The picture of a Jacobian with a coefficient on each row, and the gradient that a backward pass gives.

Beside each row is its coefficient; in each field is the derivative, and below it the derivative times the
coefficient; below the columns is what `f(x).backward(v)` really puts into `x.grad`. A Jacobian with more than
three rows has low rows, with the product alone.
"""
from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from html import escape
from typing import Any

from ....viz.drawing.image import picture
from ....viz.drawing.style import FAINT, FONT, GRADIENT, GREY, INK, LEAF, PAPER, PLATE

FIELD, LOW_FIELD, ROW, LOW_ROW, COEFFICIENT, EDGE, LETTER = 104, 150, 46, 26, 62, 12, 7  # points
MOST_HIGH_ROWS = 3
TITLE = "The Jacobian J, with the coefficients v on its rows"


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
          rows: Sequence[str], columns: Sequence[str], name: str, text: str) -> str:
    """The picture as SVG: `rows` names the outputs, `columns` the elements of the input, `name` the input."""
    low = len(v) > MOST_HIGH_ROWS
    field, height = (LOW_FIELD, LOW_ROW) if low else (FIELD, ROW)
    label = 16 + LETTER * max(map(len, rows))
    left, top = EDGE + label + COEFFICIENT + 26, 52
    wide, tall = left + field * len(result) + 20, top + height * len(v) + 62
    parts = [box(0.5, 0.5, wide - 1, tall - 1, PLATE, GREY, 1, 8),
             words(EDGE + label + COEFFICIENT / 2, 40, "v", bold=True),
             words(left + field * len(result) / 2, 20, "J", bold=True)]
    for at, column in enumerate(columns):
        parts.append(words(left + field * (at + 0.5), 40, column))
    for at, (coefficient, row, output) in enumerate(zip(v, jacobian, rows, strict=True)):
        y, ink = top + height * at, INK if coefficient else FAINT
        middle = y + height / 2 + (4 if low else 3)
        parts += [words(EDGE + label / 2 - 4, middle, output),
                  box(EDGE + label, y + (2 if low else 5), COEFFICIENT, height - (4 if low else 12), PAPER,
                      GRADIENT, 2.4, 12),
                  words(EDGE + label + COEFFICIENT / 2, middle, number(coefficient), 14, ink, True),
                  words(left - 13, middle, "\N{MULTIPLICATION SIGN}", 14)]
        for column, slope in enumerate(row):
            parts += entry(left + field * column, y, coefficient, slope, ink, low)
    below = top + height * len(v) + 12
    parts.append(words(left - 10, below + 25, f"{name}.grad =", 12, anchor="end"))
    for column, value in enumerate(result):
        x = left + field * column
        parts += [box(x + 8, below + 4, field - 16, 34, PAPER, LEAF, 2.4, 4),
                  words(x + field / 2, below + 26, number(value), 14, INK, True)]
    return svg(wide, tall, TITLE, text, parts)


def entry(x: float, y: float, coefficient: float, slope: float, ink: str, low: bool) -> list[str]:
    """One field of the Jacobian: the derivative, and what it contributes to the gradient."""
    times = (f"{number(coefficient)} \N{MULTIPLICATION SIGN} {number(slope)} = "
             f"{number(coefficient * slope)}")
    if low:
        return [box(x, y, LOW_FIELD, LOW_ROW, PAPER, GREY, 1),
                words(x + LOW_FIELD / 2, y + LOW_ROW / 2 + 4, times, 12, ink)]
    return [box(x, y, FIELD, ROW, PAPER, GREY, 1),
            words(x + FIELD / 2, y + 20, number(slope), 14, ink if slope else FAINT),
            words(x + FIELD / 2, y + 37, times, 11, FAINT)]


def svg(wide: float, tall: float, title: str, text: str, parts: Sequence[str]) -> str:
    """The parts as one picture of this size, in points, with its words for whoever doesn't see it."""
    key = "mg" + sha256(text.encode()).hexdigest()[:8]
    return (f'<svg width="{wide:g}pt" height="{tall:g}pt" viewBox="0 0 {wide:g} {tall:g}" '
            f'xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="{key}-title {key}-desc">\n'
            f'<title id="{key}-title">{title}</title>\n<desc id="{key}-desc">{escape(text)}</desc>\n'
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
