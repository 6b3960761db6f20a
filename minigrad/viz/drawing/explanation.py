"""An `Explanation`: what happened, what would help and what that costs, and the picture."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from html import escape
from typing import NamedTuple

from ..graph.model import Picture
from . import image
from .drawing import Drawing
from .render import CannotDraw
from .text_twin import visible

TALL = 380  # points: with the words above it, such a picture fills the screen of a notebook


class Fix(NamedTuple):
    """Something that would help, and its price."""

    words: str
    price: str


class Explanation(Drawing):
    """What `explain` returns: a Drawing with words.

    Without a graph to show, it is the words alone.
    """

    def __init__(
        self, cause: str, title: str, sentences: list[str], fixes: list[Fix],
        picture: Picture | None
    ) -> None:
        self.cause, self.title, self.sentences, self.fixes = cause, title, sentences, fixes
        super().__init__(picture or Picture("engine", title))
        # for where the sentences stand above it
        self.plain = Drawing(replace(self.picture, caption=""))
        self.twin = self.plain.text if picture else ""

    @cached_property
    def text(self) -> str:
        lines = [self.title, *self.sentences]
        lines += [f"Fix {at}: {fix.words} Price: {fix.price}"
                  for at, fix in enumerate(self.fixes, 1)]
        return "\n".join(lines + ([self.twin] if self.twin else []))

    @property
    def heading(self) -> str:
        return self.title

    @property
    def html(self) -> str:
        """The words, and below them the picture."""
        if not self.twin:
            return self._html()
        try:
            return self._html() + self.folded_picture()
        except CannotDraw as reason:
            return f"{self._html()}<pre>{escape(str(reason))}\n{escape(self.twin)}</pre>"

    def folded_picture(self) -> str:
        """The picture; a tall one is folded, so that the words above it stay on the screen."""
        if image.height(self.plain.svg) <= TALL:
            return self.plain.html
        return f"<details><summary>The picture</summary>{self.plain.html}</details>"

    def _html(self) -> str:
        parts = [f"<p><b>{code(self.title)}</b></p>", f"<p>{code(' '.join(self.sentences))}</p>"]
        if self.fixes:
            parts.append(html_table(("Fix", "Its price"), self.fixes))
        return "".join(parts)


def html_table(heads: Sequence[str], rows: Iterable[Iterable[str]], caption: str = "") -> str:
    """A table of words in which `code` stands between backquotes."""
    left = "style='text-align:left'"
    head = "".join(f"<th scope='col' {left}>{word}</th>" for word in heads)
    lines = ("".join(f"<td {left}>{code(word)}</td>" for word in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    title = f"<caption>{code(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def code(text: str) -> str:
    """HTML of words in which `code` stands between backquotes, without characters not seen."""
    text = visible(text)
    parts = escape(text).split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return "".join(f"<code>{part}</code>" if at % 2 else part for at, part in enumerate(parts))
