"""Shows a verdict on an answer, or a note: as text, and in a notebook that somebody uses in colour.

    show(NOT_YET, "6b", "You need `retain_graph=True` only for the first pass.")

prints

    ✗ 6b: not yet. You need retain_graph=True only for the first pass.

A verdict is never told by its colour alone: it has a mark and a word, too. The HTML needs no kernel and no
style sheet, so it looks the same in a notebook that was saved and opened again.
"""
from __future__ import annotations

import re
import textwrap

from .markup import MARKS, marked_up, plain
from .showing import Shown, somebody_is_there

RIGHT, NOT_YET, NOT_ANSWERED, NOTE = "right", "not yet", "not answered yet", "note"
MARK = {RIGHT: "✓", NOT_YET: "✗", NOT_ANSWERED: "□", NOTE: ""}
COLOUR = {RIGHT: "#1a7f37", NOT_YET: "#b3400c", NOT_ANSWERED: "#5f6368", NOTE: "#0b62a8"}  # under white words
WIDTH, LONGEST_CODE = 80, 40


def show(kind: str, key: str, *paragraphs: str, word: str | None = None) -> None:
    """Show a verdict on the question or exercise `key`, or a note about it or ("") about anything else.

    `kind` is one of RIGHT, NOT_YET, NOT_ANSWERED and NOTE. The `paragraphs` may contain `code` and **bold**.
    `word` replaces the verdict's own word, as in `show(NOTE, "6b", "Try h = 0.1.", word="hint 1 of 2")`.
    """
    shown = both(kind, key, *paragraphs, word=word)
    if somebody_is_there():
        from IPython.display import display
        display(shown)
    else:
        print(shown.text)


def both(kind: str, key: str, *paragraphs: str, word: str | None = None) -> Shown:
    """The same, as text and as HTML, for whoever shows it in another way."""
    return Shown(as_text(kind, key, *paragraphs, word=word), as_html(kind, key, *paragraphs, word=word))


def as_text(kind: str, key: str, *paragraphs: str, word: str | None = None) -> str:
    """The verdict as lines of at most 80 columns, broken between words."""
    said = "" if kind == NOTE and word is None else word or kind
    first = " ".join(filter(None, (MARK[kind], f"{key}:" if key else "", said)))
    if paragraphs:
        first = f"{first}{'. ' if said else ' '}{paragraphs[0]}".strip()
    return "\n".join([wrapped(first), *(wrapped("  " + one) for one in paragraphs[1:])])


def as_html(kind: str, key: str, *paragraphs: str, word: str | None = None) -> str:
    """The verdict as HTML with its own colours, which are readable on a light and on a dark page."""
    label = " ".join(filter(None, (MARK[kind], word or kind)))
    badge = (f'<b style="background-color:{COLOUR[kind]};color:#ffffff;border-radius:3px;padding:1px 7px">'
             f"{marked_up(label)}</b>")
    first, *more = paragraphs or ("",)
    lines = [f"{badge} <b>{marked_up(key)}</b> {marked_up(first)}", *map(marked_up, more)]
    return (f'<div style="border-left:4px solid {COLOUR[kind]};padding:3px 0 3px 12px;margin:2px 0;'
            'max-width:80ch;line-height:1.6">'
            + "".join(f'<p style="margin:0">{line}</p>' for line in lines) + "</div>")


def wrapped(paragraph: str) -> str:
    """One paragraph, without its marks; a short piece of code is not broken."""
    indent = "  " if paragraph.startswith("  ") else ""
    together = MARKS.sub(unbroken, " ".join(paragraph.split()))
    lines = textwrap.wrap(plain(together), WIDTH, initial_indent=indent, subsequent_indent="  ",
                          break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\0", " ")


def unbroken(found: re.Match) -> str:
    code = found[1]
    return found[0].replace(" ", "\0") if code and len(code) <= LONGEST_CODE else found[0]


def code(value: object, longest: int = 60) -> str:
    """A value of the learner's in code type, shortened."""
    text = " ".join(str(value).replace("`", "'").split())
    return f"`{text if len(text) <= longest else text[:longest - 1] + '…'}`" if text else "nothing"
