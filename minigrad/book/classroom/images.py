"""Small grey images side by side, with a sign for each negative number, and in words."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .curves import as_html, as_png, new_figure
from .showing import Shown

STRONG = 0.3  # a number of at least this part of the largest one gets a sign in the picture


def show_images(images: Mapping[str, Any], alt: str = "") -> Shown:
    """Draw each image in grey: white for 0, darker for larger numbers, with + and - where both occur.

        show_images({"a four": images[4]})
        show_images({"image": image, "gradient": image.grad}, alt="...")

    In words, each pixel is a digit up to 9, its size in ninths of the largest one, or a dot for 0.

    Args:
        images: a name for each image, which is a tensor or an array of two dimensions.
        alt: what the images show, in a sentence, for someone who doesn't see them.

    Raises:
        ValueError: there is no image, or one of them doesn't have two dimensions.
    """
    found = {name: np.asarray(image.detach() if hasattr(image, "detach") else image, np.float64)
             for name, image in images.items()}
    for name, image in found.items():
        if image.ndim != 2:
            raise ValueError(f"show_images draws images of two dimensions, but {name!r} has {image.ndim}")
    if not found:
        raise ValueError("show_images was given no image")
    words = "\n".join([*([alt] if alt else []), *side_by_side(found)])
    return Shown(words, as_html(drawn(found), words, kind="mgimage"))


def side_by_side(found: dict[str, np.ndarray], apart: str = "   ") -> list[str]:
    """The rows of all images, beside each other where there are at most three, else below each other."""
    blocks = [block(name, image) for name, image in found.items()]
    rows = []
    for at in range(0, len(blocks), 5):
        some = blocks[at:at + 5]
        widths = [max(map(len, one)) for one in some]
        tallest = max(map(len, some))
        lines = [[*one, *[""] * (tallest - len(one))] for one in some]
        rows += [apart.join(line.ljust(width) for line, width in zip(row, widths, strict=True)).rstrip()
                 for row in zip(*lines, strict=True)]
    return rows


def block(name: str, image: np.ndarray) -> list[str]:
    sizes = np.rint(9 * np.abs(image) / (np.abs(image).max() or 1)).astype(int)
    if image.min() >= 0:
        return [name, *("".join(map(str, row)).replace("0", ".") for row in sizes)]
    signs = np.where(sizes == 0, " ", np.where(image > 0, "+", "-"))
    return [name, *(" ".join(f"{sign}{size}" for sign, size in zip(*pair, strict=True))
                    for pair in zip(signs, sizes, strict=True))]


def drawn(found: dict[str, np.ndarray]) -> str:
    across = min(len(found), 5)
    down = -(-len(found) // across)
    figure = new_figure(6.4, {1: 6.4, 2: 3.2, 3: 2.3}.get(across, 1.7) * down)
    panels = list(figure.subplots(down, across, squeeze=False).flat)
    for axes in panels:
        axes.set_axis_off()
    for axes, (name, image) in zip(panels, found.items(), strict=False):
        draw_one(axes, name, image)
    return as_png(figure)


def draw_one(axes: Any, name: str, image: np.ndarray) -> None:
    largest = np.abs(image).max() or 1
    axes.set_axis_on()
    axes.imshow(np.abs(image) / largest, cmap="Greys", vmin=0, vmax=1.15)
    axes.set_title(name, fontsize=12)
    axes.set_xticks([])
    axes.set_yticks([])
    if image.min() < 0:
        for (row, column), value in np.ndenumerate(image / largest):
            if abs(value) >= STRONG:
                axes.text(column, row, "+" if value > 0 else "\u2212", ha="center", va="center", fontsize=14,
                          color="white" if abs(value) > 0.6 else "black")
