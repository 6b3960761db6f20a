"""Links that nobody has to write: words of the glossary, other chapters, misconceptions."""
from __future__ import annotations

import re
from collections.abc import Collection
from html import escape

from ...content.glossary import FORMS, IN_CODE, WORD, Term
from ...content.misconceptions import MISCONCEPTIONS

TAG = re.compile(r"(<[^>]+>)")
NOT_INSIDE = set("""a button code figcaption h1 h2 h3 h4 math menu nav pre q script style summary svg
                 th""".split())
CHAPTER = re.compile(r"\b([Cc]hapters?) (\d+)((?:, \d+)*(?: and \d+)?)")
BELIEF = re.compile(r"\b(M\d{2,3})\b")
BOLD = re.compile(r"<strong>([^<]+)</strong>")


def linked(html: str, chapters: Collection[int], here: int | None = None) -> str:
    """`html` with links: a word at its first use, in bold if it is ever in bold; chapters; misconceptions."""
    in_bold = {term for found in BOLD.findall(html) if (term := FORMS.get(found.lower()))}
    done: set[Term] = set()
    open_tags: list[str] = []
    bold = False
    parts = []
    for part in TAG.split(html):
        if part.startswith("<"):
            name = re.match(r"</?([a-zA-Z0-9]*)", part)[1]
            if name in NOT_INSIDE and not part.endswith("/>"):
                if part.startswith("</"):
                    open_tags = open_tags[:-1]
                else:
                    open_tags.append(name)
            bold = part == "<strong>" or bold and part != "</strong>"
        elif open_tags == ["code"] and part in IN_CODE and IN_CODE[part] not in done:
            done.add(IN_CODE[part])
            part = _to(IN_CODE[part], part)
        elif part.strip() and not open_tags:
            part = _chapters(part, chapters, here)
            part = _outside_links(part, lambda text, bold=bold: _terms(text, in_bold, done, bold))
            part = _outside_links(part, lambda text: BELIEF.sub(_belief, text))
        parts.append(part)
    return "".join(parts)


def _outside_links(html: str, change) -> str:
    return "".join(part if part.startswith("<a ") else change(part)
                   for part in re.split(r"(<a .*?</a>)", html))


def _terms(text: str, in_bold: set[Term], done: set[Term], bold: bool) -> str:
    def link(found: re.Match) -> str:
        if not found[1]:
            return found[0]
        term = FORMS[found[1].lower()]
        whole = bold and text.strip().lower() == found[1].lower()
        if term in done or (term in in_bold and not whole):
            return found[0]
        done.add(term)
        return _to(term, found[0])

    return WORD.sub(link, text)


def _to(term: Term, text: str) -> str:
    return f'<a class="term" href="glossary.html#{term.anchor}">{text}</a>'


def _chapters(text: str, chapters: Collection[int], here: int | None) -> str:
    def one(words: str, number: str) -> str:
        if int(number) not in chapters or int(number) == here:
            return words
        return f'<a href="{chapter_file(int(number))}">{words}</a>'

    def link(found: re.Match) -> str:
        first = one(f"{found[1]} {found[2]}", found[2])
        return first + re.sub(r"\d+", lambda number: one(number[0], number[0]), found[3])

    return CHAPTER.sub(link, text)


def _belief(found: re.Match) -> str:
    return f'<a href="{belief_file(found[1])}">{found[1]}</a>' if found[1] in MISCONCEPTIONS else found[1]


def belief(key: str | None) -> str:
    """A misconception by its name, in a sentence of its own."""
    if not key:
        return ""
    link = f'<a href="{belief_file(key)}">a common belief</a>'
    false = f"“{escape(MISCONCEPTIONS[key])}”"
    return f' <span class="belief">(It rests on {link} that is false: {false}.)</span>'


def chapter_file(number: int) -> str:
    return f"chapter-{number:02}.html"


def belief_file(key: str) -> str:
    return f"belief-{key}.html"


def error_file(slug: str) -> str:
    return f"error-{slug}.html"


def symptom_file(slug: str) -> str:
    return f"symptom-{slug}.html"
