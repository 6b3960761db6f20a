"""An `Explanation`: what happened, what would help and what that costs, and the picture."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from html import escape
from typing import NamedTuple

from ..graph.model import Picture
from .drawing import Drawing
from .render import CannotDraw


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
            return self._html() + self.plain.html
        except CannotDraw as reason:
            return f"{self._html()}<pre>{escape(str(reason))}\n{escape(self.twin)}</pre>"

    def _html(self) -> str:
        parts = [f"<p><b>{code(self.title)}</b></p>", f"<p>{code(' '.join(self.sentences))}</p>"]
        if self.fixes:
            left = "style='text-align:left'"
            rows = "".join(f"<tr><td {left}>{code(words)}</td><td {left}>{code(price)}</td></tr>"
                           for words, price in self.fixes)
            head = (f"<thead><tr><th scope='col' {left}>Fix</th>"
                    f"<th scope='col' {left}>Its price</th></tr></thead>")
            parts.append(f"<table>{head}<tbody>{rows}</tbody></table>")
        return "".join(parts)


def code(text: str) -> str:
    """HTML of words in which `code` stands between backquotes."""
    parts = escape(text).split("`")
    if len(parts) % 2 == 0:
        return escape(text)
    return "".join(f"<code>{part}</code>" if at % 2 else part for at, part in enumerate(parts))
