"""The picture that a cell has stored, on paper and slides: of a chapter whose picture isn't of a graph."""
from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape, unescape

from ...viz.drawing.image import svgs_in

PNG = re.compile(r'<img[^>]*? alt="([^"]*)"[^>]* src="data:image/png;base64,([A-Za-z0-9+/=]+)"')
SIDES = ("width", "height")
POINTS = {"pt": 1., "in": 72., "cm": 28.35, "mm": 2.835}
UNKNOWN = 360.  # points, where SVG says no size
POINT = 0.72  # of a pixel: 100 of them are an inch, as in the figures of `curves`


@dataclass(frozen=True)
class StoredPicture:
    """SVG with its size in points, and what the picture shows in words."""

    svg: str
    words: str


def stored_picture(outputs: Sequence[dict]) -> StoredPicture | None:
    """Return the first picture among the outputs of a cell."""
    for output in outputs:
        data = {kind: "".join(value) for kind, value in output.get("data", {}).items()
                if isinstance(value, (str, list))}
        html, words = data.get("text/html", ""), data.get("text/plain", "")
        inline = re.search("<svg.*?</svg>", html, re.DOTALL)
        if svg := next(iter(svgs_in(html)), inline[0] if inline else data.get("image/svg+xml", "")):
            return StoredPicture(in_points(svg), words)
        if found := PNG.search(html):
            return StoredPicture(around(found[2]), unescape(found[1]))
        if png := data.get("image/png", ""):
            return StoredPicture(around("".join(png.split())), words)
    return None


def around(png: str) -> str:
    """Return a PNG file, in base64, as SVG."""
    head = b64decode(png)[16:24]    # of the file: width and height in pixels, in four bytes each
    width, height = (int.from_bytes(head[at:at + 4], "big") * POINT for at in (0, 4))
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.2f}pt" height="{height:.2f}pt" '
            f'viewBox="0 0 {width:.2f} {height:.2f}"><image width="{width:.2f}" height="{height:.2f}" '
            f'href="data:image/png;base64,{escape(png)}"/></svg>')


def in_points(svg: str) -> str:
    """Return SVG whose width and height are in points, whatever their units were."""
    start = svg.index("<svg")
    head = svg[start:svg.index(">", start)]
    box = re.search(r'viewBox="[\d.-]+[ ,]+[\d.-]+[ ,]+([\d.]+)[ ,]+([\d.]+)"', head)
    new = head
    for at, side in enumerate(SIDES, 1):
        found = re.search(rf'\s{side}="([\d.]+)(\w*)"', head)
        size = (float(found[1]) * POINTS.get(found[2], POINT) if found
                else float(box[at]) * POINT if box else UNKNOWN)
        new = re.sub(rf'\s{side}="[^"]*"', "", new) + f' {side}="{size:.2f}pt"'
    return svg.replace(head, new, 1)
