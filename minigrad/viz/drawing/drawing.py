"""A `Drawing`: one picture in every form that a notebook, a terminal, a page or a file may want.

A notebook shows it as HTML with the SVG inside an <img>, because one that is not trusted shows
neither SVG nor a script. Beside it is the text twin, which is shown wherever pictures can't be.
"""
from __future__ import annotations

import tempfile
import webbrowser
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any

from ..graph.model import Picture
from ..program.where_it_runs import in_notebook
from . import image, render
from .dot import dot_graph
from .text_twin import twin


class Output(ABC):
    """What shows itself: as `html` in a notebook, and as `text` wherever pictures can't be."""

    kind: str
    title: str

    @property
    @abstractmethod
    def text(self) -> str: ...

    @property
    @abstractmethod
    def html(self) -> str: ...

    @property
    def heading(self) -> str:
        """What a page of its own is called."""
        return self.title

    def forms(self) -> dict[str, Callable[[], str | bytes]]:
        """What makes each kind of file, by the ending of its name."""
        return {".html": lambda: image.document(self.html, self.heading),
                ".txt": lambda: self.text + "\n"}

    def save(self, path: str | Path) -> None:
        """Write a file by the ending of its name: .html, .txt; a drawing also as .svg, .png, .dot
        or .pdf.

        Raises:
            ValueError: another ending.
            RuntimeError: a picture is wanted, and graphviz-pure is missing or fails; for .pdf also
                svglib.
        """
        path, forms = Path(path), self.forms()
        if (ending := path.suffix.lower()) not in forms:
            raise ValueError(f"can't save {path.name!r}: a {self.kind} saves as {', '.join(forms)}")
        made = forms[ending]()
        # the same on every system
        path.write_bytes(made.encode("utf-8") if isinstance(made, str) else made)

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        try:
            return {"text/html": self.html, "text/plain": self.text}
        except render.CannotDraw as reason:
            return {"text/plain": f"{reason}\n{self.text}"}


class Drawing(Output):
    """What `draw` returns: `print(drawing)` shows the text twin, `drawing.show()` the picture.

    `drawing.save("x.svg")` writes a file; `drawing.svg`, `.html`, `.dot` and `.text` are its
    contents.
    """

    kind = "drawing"

    def __init__(self, picture: Picture) -> None:
        self.picture = picture

    @cached_property
    def text(self) -> str:
        return twin(self.picture)

    @cached_property
    def svg(self) -> str:
        return render.svg(self.picture, self.text)

    @property
    def heading(self) -> str:
        return self.picture.title

    @property
    def html(self) -> str:
        """The picture in a box that scrolls; where scripts may run, a click opens it large."""
        return image.with_twin(image.slim(self.svg), self.text, nearly=self.picture.network)

    @property
    def dot(self) -> str:
        return dot_graph(self.picture).source()

    def show(self) -> None:
        """Show the drawing: in a notebook below the cell, from a script as a page in the browser.

        The page is a temporary file, which stays. Without a browser, or without a program that
        draws, the text twin is printed.
        """
        if in_notebook():
            from IPython.display import display
            return display(self)
        try:
            page = image.document(self.html, self.heading)
        except render.CannotDraw as reason:
            return print(f"{reason}\n{self.text}")
        with tempfile.NamedTemporaryFile("wb", suffix=".html", prefix="drawing-",
                                         delete=False) as file:
            file.write(page.encode("utf-8"))
        if not webbrowser.open(Path(file.name).as_uri()):
            print(self.text)

    def forms(self) -> dict[str, Callable[[], str | bytes]]:
        return {".svg": lambda: self.svg, ".png": lambda: render.png(self.picture),
                ".dot": lambda: self.dot, **super().forms(), ".pdf": lambda: render.pdf(self.svg)}

    def _repr_html_(self) -> str | None:
        """For what looks for it: Sphinx-Gallery, Streamlit and others."""
        return self._repr_mimebundle_().get("text/html")

    def _repr_svg_(self) -> str | None:
        """The SVG; nothing in a notebook, which would store the picture twice."""
        return self.svg if not in_notebook() and self._repr_html_() else None
