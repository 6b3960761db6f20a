"""The DOT language, as far as a picture needs it: nodes, edges, groups, and labels."""
from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from unicodedata import east_asian_width

from . import style
from .text_twin import escaped

PADDING = 3  # points, the most that a cell has on each side
PLAIN = re.compile(r"[A-Za-z_]\w*|-?(?:\.\d+|\d+(?:\.\d*)?)", re.ASCII)


class Dot:
    """A graph in the making, or a group within one. `lines` are words and attributes."""

    def __init__(self, kind: str = "digraph", name: str = "", **attributes: str) -> None:
        self.lines: list[tuple[str, dict[str, str]]] = []
        self.kind = f"{kind} {name}".strip()
        for key, value in attributes.items():
            self.line(f"{key}={_quoted(value)}")

    def line(self, words: str, **attributes: str) -> None:
        """Write a node by its name, an edge as "a -> b", or "node", "edge", "graph" for all."""
        self.lines.append((words, attributes))

    def group(self, group: Dot) -> None:
        self.line(f"{group.kind} {{")
        self.lines += [(f"\t{words}", attributes) for words, attributes in group.lines]
        self.line("}")

    def source(self, more: Mapping[str, dict[str, str]] = {}) -> str:
        """The text of the graph; `more` are attributes to add, by the id of a node or an edge."""
        text = [f"{self.kind} {{"]
        for words, attributes in self.lines:
            attributes = attributes | more.get(attributes.get("id", ""), {})
            inside = " ".join(f"{key}={_quoted(value)}" for key, value in attributes.items())
            text.append(f"\t{words} [{inside}]" if inside else f"\t{words}")
        return "\n".join([*text, "}", ""])


def _quoted(value: str) -> str:
    """HTML between < and >, names and numbers are written as they are."""
    if PLAIN.fullmatch(value) or value.startswith("<") and value.endswith(">"):
        return value
    return '"' + value.replace("\\", r"\\").replace('"', r"\"") + '"'


def table(rows: str, around: str = 'border="0"', padding: int = 2) -> str:
    return f'<table {around} cellborder="0" cellspacing="0" cellpadding="{padding}">{rows}</table>'


def row(content: str, attributes: str = "") -> str:
    return tr(cell(content, attributes))


def tr(cells: str) -> str:
    return f"<tr>{cells}</tr>"


def cell(content: str, attributes: str = "") -> str:
    if not content.isascii() and "<table" not in content and (wide := _width(content)):
        # it would be centered by the width that graphviz-pure takes it to have
        left = "" if re.search(r"\balign=", attributes) else 'align="left" '
        attributes = f'{attributes} {left}width="{wide}"'.strip()
    return f"<td {attributes}>{content}</td>" if attributes else f"<td>{content}</td>"


def _width(content: str) -> int:
    """The points that a cell with wide letters needs, such as Chinese ones; 0 without any.

    graphviz-pure 0.2.2 measures the bytes of a letter that its fonts don't have, which for these
    comes out a fifth too narrow.
    """
    texts = [unescape(re.sub(r"<.*?>", "", text)) for text in content.split("<br/>")]
    wide = [sum(east_asian_width(letter) in "WF" for letter in text) for text in texts]
    size = style.SMALL_SIZE if "point-size" in content else int(style.NODE["fontsize"])
    least = [size * (many + 0.65 * (len(text) - many)) for text, many in zip(texts, wide) if many]
    return round(max(least)) + 2 * PADDING if least else 0


def small(content: str) -> str:
    return f'<font point-size="{style.SMALL_SIZE}">{content}</font>'


def lines(lines: list[str]) -> str:
    """Spaces at the start of a line are kept."""
    stripped = [(line.lstrip(), len(line) - len(line.lstrip())) for line in lines]
    return "<br/>".join("\N{NO-BREAK SPACE}" * indent + escaped(text) for text, indent in stripped)
