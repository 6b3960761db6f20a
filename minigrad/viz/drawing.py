"""A `Drawing`: one picture in every form that a notebook, a terminal or a file may want.

In a notebook it shows itself. It carries an <img> with the SVG inside, the one form that also shows in a
notebook that is not trusted yet; the SVG; and the text twin, which stands in wherever pictures can't.
"""

from __future__ import annotations

import base64
from html import escape
from pathlib import Path
from typing import Any

from . import render
from .model import Picture
from .text import twin

LONGEST_ALT = 4000
SAVES = (".svg", ".png", ".pdf", ".dot", ".txt")


class Drawing:
    """What `draw` returns. `print(drawing)` shows the text twin, `drawing.save("x.svg")` writes a file."""

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self.text = twin(picture)
        self._svg: str | None = None

    @property
    def svg(self) -> str:
        if self._svg is None:
            self._svg = render.svg(self.picture, self.text)
        return self._svg

    @property
    def dot(self) -> str:
        return render.dot_source(self.picture)

    def save(self, path: str | Path) -> None:
        """Write the drawing as .svg, .png, .pdf, .dot or .txt, by the ending of the name.

        Raises:
            ValueError: another ending.
            RuntimeError: a picture is wanted, and graphviz, graphviz-pure or (for .pdf) typst is missing.
        """
        path = Path(path)
        ending = path.suffix.lower()
        if ending not in SAVES:
            raise ValueError(f"can't save {path.name!r}: a drawing saves as {', '.join(SAVES)}")
        if ending == ".png":
            path.write_bytes(render.png(self.picture))
            return
        if ending == ".pdf":
            path.write_bytes(render.pdf(self.svg))
            return
        text = self.svg if ending == ".svg" else self.dot if ending == ".dot" else self.text + "\n"
        path.write_bytes(text.encode("utf-8"))  # bytes: the same line ends on every system

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        try:
            svg = self.svg
        except render.CannotDraw as reason:
            return {"text/plain": f"{reason}\n{self.text}"}
        data = base64.b64encode(svg.encode("utf-8")).decode("ascii")
        html = f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(self._alt())}">'
        return {"text/html": html, "image/svg+xml": svg, "text/plain": self.text}

    def _alt(self) -> str:
        """The whole twin, unless it is so long that nobody would want it read out."""
        first, _, rest = self.text.partition("\n")
        if len(self.text) > LONGEST_ALT:
            return f"{first} Print the drawing to read the rest."
        return " ".join([first, *(line + "." for line in rest.splitlines())])
