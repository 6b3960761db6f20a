"""The picture of a chain of Jacobians, multiplied from the left and from the right.

Each product is drawn to scale, as two rectangles and their result, with the number of its multiplications.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...viz.drawing.style import FAINT, GRADIENT, GREY, INK, PAPER, PLATE
from .jacobian_rows import Rows, box, svg, words

HALF, EDGE, LONGEST, THIN, GAP = 258, 8, 74, 3, 17  # points; LONGEST: of the largest side of a matrix
TITLE = "A chain of Jacobians, multiplied from the left and from the right"


class Matrix(NamedTuple):
    """A matrix of the chain, or a product of several of them."""

    name: str
    rows: int
    columns: int


class Product(NamedTuple):
    """One product of two matrices."""

    first: Matrix
    second: Matrix

    @property
    def result(self) -> Matrix:
        return Matrix(f"{self.first.name} {self.second.name}", self.first.rows, self.second.columns)

    @property
    def multiplications(self) -> int:
        return self.first.rows * self.first.columns * self.second.columns

    @property
    def says(self) -> str:
        sizes = f"{self.first.rows} · {self.first.columns} · {self.second.columns}"
        return f"{sizes} = {spaced(self.multiplications)}"


def draw_products(sizes: Sequence[int]) -> Rows:
    """Draw `v @ J3 @ J2 @ J1` as rectangles, multiplied from the left and from the right.

        draw_products([1, 100, 300, 400, 500])     # v is 1 x 100, J3 is 100 x 300, and so on

    Args:
        sizes: the rows of `v`, and then the columns of `v` and of each Jacobian; three numbers or more.

    Raises:
        ValueError: there are fewer than three sizes, or one of them isn't positive.
    """
    if len(sizes) < 3 or min(sizes) < 1:
        raise ValueError(f"draw_products takes three positive sizes or more; these are {list(sizes)}")
    left, right = from_the_left(chain(sizes)), from_the_right(chain(sizes))
    text = f"{TITLE}.\n" + "\n".join(in_words(title, steps) for title, steps in
                                     (("From the left", left), ("From the right", right)))
    return Rows(drawn(left, right, max(sizes), text), text)


def chain(sizes: Sequence[int]) -> list[Matrix]:
    count = len(sizes) - 2
    names = ["v", *(f"J{count - at}" for at in range(count))]
    return [Matrix(name, *sizes[at:at + 2]) for at, name in enumerate(names)]


def from_the_left(matrices: Sequence[Matrix]) -> list[Product]:
    first, *others = matrices
    found = []
    for other in others:
        found.append(Product(first, other))
        first = found[-1].result
    return found


def from_the_right(matrices: Sequence[Matrix]) -> list[Product]:
    *others, last = matrices
    found = []
    for other in reversed(others):
        found.append(Product(other, last))
        last = found[-1].result
    return found


def total(steps: Sequence[Product]) -> int:
    return sum(step.multiplications for step in steps)


def spaced(number: int) -> str:
    """The number with a space after each three digits."""
    return f"{number:,}".replace(",", " ")


def in_words(title: str, steps: Sequence[Product]) -> str:
    lines = [f"{title}: {spaced(total(steps))} multiplications."]
    for step in steps:
        lines.append(f"  {step.first.name} ({size(step.first)}) times {step.second.name} "
                     f"({size(step.second)}) gives {size(step.result)}: {step.says}")
    return "\n".join(lines)


def size(matrix: Matrix) -> str:
    return f"{matrix.rows} \N{MULTIPLICATION SIGN} {matrix.columns}"


def drawn(left: Sequence[Product], right: Sequence[Product], largest: int, text: str) -> str:
    """The picture as SVG, a column for each order, a line for each product."""
    scale = LONGEST / largest
    heights = [max(length(one.rows, scale) for step in steps for one in step) + 62
               for steps in zip(left, right, strict=True)]
    wide, tall = 2 * (HALF + EDGE), 44 + sum(heights) + 34
    parts = [box(0.5, 0.5, wide - 1, tall - 1, PLATE, GREY, 1, 8),
             f'<path d="M{wide / 2:g} 14V{tall - 14:g}" stroke="{GREY}" stroke-width="1"/>']
    for at, (title, steps) in enumerate((("From the left", left), ("From the right", right))):
        start, y = EDGE + HALF * at + EDGE * at, 44
        parts.append(words(start + HALF / 2, 26, title, 14, bold=True))
        for step, height in zip(steps, heights, strict=True):
            parts += product_drawn(step, start, y, height, scale)
            y += height
        says = f"{spaced(total(steps))} multiplications"
        parts.append(words(start + HALF / 2, y + 14, says, 14, bold=True))
    return svg(wide, tall, TITLE, text, parts)


def product_drawn(step: Product, start: float, y: float, height: float, scale: float) -> list[str]:
    """A product as three rectangles in a line, their names above, the multiplications below."""
    matrices = (step.first, step.second, step.result)
    x = start + (HALF - sum(length(one.columns, scale) for one in matrices) - 2 * GAP) / 2
    middle, parts = y + 14 + (height - 62) / 2 + 6, []
    for at, one in enumerate(matrices):
        wide, tall = length(one.columns, scale), length(one.rows, scale)
        line = GRADIENT if one.rows == 1 else GREY     # a single row is what travels as a message
        parts.append(box(x, middle - tall / 2, wide, tall, PAPER, line, 1.8))
        name = "" if at == 2 else one.name if len(one.name) < 3 else f"({one.name})"
        parts.append(words(x + wide / 2, middle - tall / 2 - 6, name, 12, INK))
        if at < 2:
            sign = "\N{MULTIPLICATION SIGN}" if at == 0 else "="
            parts.append(words(x + wide + GAP / 2, middle + 4, sign, 13))
        x += wide + GAP
    parts.append(words(start + HALF / 2, y + height - 18, step.says, 12, FAINT))
    return parts


def length(count: int, scale: float) -> float:
    return max(count * scale, THIN)
