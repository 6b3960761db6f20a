"""The questions of a chapter as votes: each with its options, their replies, and the lines that it rests on.

A question on a slide stands alone, so it brings its lines of code, even if an earlier one has shown them.
"""
from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

from ...viz.drawing.text_twin import visible
from ..classroom.markup import marked_up
from ..content.chapters import of
from .lettering import near
from .pages import Cell, Line, as_code, cells, load, needed, quoted, statements
from .predicted import lines_of, on_paper

VALUE = re.compile(r"`(\w+)` (?:is (?:[\[\d−-]|a (?:leaf|tensor)\b)|holds|doesn't)")
EMPHASIS = re.compile(r"(?<![*\w])\*(?! )([^*<>]+)(?<! )\*(?![*\w])")  # and not the stars of a product


@dataclass(frozen=True)
class Choice:
    """A prediction: options to choose one from, with a reply to each."""

    id: str
    html: str
    options: tuple[tuple[str, str, bool, str], ...]  # (letter, html, whether it is right, the reply's html)


def choices(number: int) -> list[Choice]:
    """The predictions: the code stands before the question, which may begin with "Two more lines"."""
    code = lines_of_questions(number)
    return [Choice(asked.id, as_code_html(code[asked.id]) + as_html(on_paper(asked)),
                   tuple((letter, marked_up(asked.option(letter).text), asked.option(letter).right,
                          marked_up(asked.option(letter).says)) for letter in asked.letters))
            for asked in of(number).QUESTIONS]


def lines_of_questions(number: int) -> dict[str, str]:
    """The code that each question rests on: its own lines, or else those of an earlier question's lines that
    give a value to a name which it uses, and to which it gives none itself."""
    page, found, before = cells(load(number)), {}, ""
    for asked in of(number).QUESTIONS:
        text = f"{asked.text} {asked.paper}"
        shared = quoted(text)[0] - stated(text)
        found[asked.id] = as_code(lines_of(asked, page)) or as_code(needed(shared, lines_in(before)))
        before = found[asked.id] or before
    return found


def stated(text: str) -> set[str]:
    """The names of which a sentence says what they are: `x` in "`x` is 10" and in "`x` holds 1 and 2"."""
    return set(VALUE.findall(text))


def lines_in(code: str) -> list[Line]:
    return statements(Cell(0, "code", code, frozenset())) if code else []


def as_code_html(code: str) -> str:
    return f"<pre>{escape(visible(near(code)), quote=False)}</pre>" if code.strip() else ""


def as_html(text: str) -> str:
    """Paragraphs and lists of markdown."""
    made = []
    for block in re.split(r"\n{2,}|\n(?=- )|(?<=\n)(?=- )", visible(text).strip()):
        shown = EMPHASIS.sub(r"<em>\1</em>", marked_up(block.removeprefix("- ").strip()))
        made.append(f"<ul><li>{shown}</li></ul>" if block.startswith("- ") else f"<p>{shown}</p>")
    return "".join(made).replace("<p></p>", "").replace("</ul><ul>", "")
