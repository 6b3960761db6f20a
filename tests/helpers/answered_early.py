"""Look at built pages: does anything open answer a question before it is asked?

On the page of a question, nothing that a reader sees without opening a fold may say what answers it: neither
in the words of its `told`, from the beginning of the page to the heading after its comparison, nor in the
sentences of its comparison, anywhere; and no output of a cell may stand open between question and comparison.
The options themselves, and other questions, are no answers.
"""
from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

from minigrad.book.build.reader.front import ASKED
from minigrad.book.classroom.notes import Note
from minigrad.book.classroom.questions import Question
from minigrad.book.content.chapters import CHAPTERS, notes, of

VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
UNSEEN = frozenset("head script style noscript".split())
INLINE = frozenset("a abbr b code em i small span strong sub sup".split())
MARK, END = "\x02", "\x03"
SHOWN = frozenset("out said shown picture mgplay".split())    # the classes of what cells showed


class Finding(NamedTuple):
    page: str
    question: str
    says: str

    def __str__(self) -> str:
        return f"{self.page}, question {self.question}: {self.says}"


class OpenText(HTMLParser):
    """What a reader of a page sees before opening anything, as Markdown, with marks for what is where.

    A paragraph is a line, as in the texts of the chapters, for which `told` is written.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.above: list[tuple[str, bool]] = []     # each open element, and whether what is in it is seen
        self.feed(html)

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        more = dict(attributes)
        seen = self.seen(1 if tag == "summary" else 0)      # a summary is seen where its fold is
        if "data-ask" in more:
            self.mark(f"ask {more['data-ask']}")
        if "data-right" in more:
            self.mark(f"answer {more['data-answers']}")
        if seen and re.fullmatch("h[1-6]", tag):
            self.mark("heading")
        if seen and SHOWN & set((more.get("class") or "").split()):
            self.mark("output")
        self.write(seen, tag)
        if tag not in VOID:
            shut = tag == "details" and "open" not in more or tag in UNSEEN or "hidden" in more
            self.above.append((tag, seen and not shut and "data-ask" not in more))

    def handle_endtag(self, tag: str) -> None:
        seen = self.seen()
        while self.above and self.above.pop()[0] != tag:
            pass
        self.write(seen, tag)

    def handle_data(self, text: str) -> None:
        if self.seen():
            self.parts.append(text if self.inside("pre") else re.sub(r"\s+", " ", text))

    def seen(self, less: int = 0) -> bool:
        return len(self.above) <= less or self.above[-1 - less][1]

    def inside(self, tag: str) -> bool:
        return any(one == tag for one, _ in self.above)

    def mark(self, what: str) -> None:
        self.parts.append(f"{MARK}{what}{END}")

    def write(self, seen: bool, tag: str) -> None:
        """Write what a tag is in Markdown."""
        if seen and not self.inside("pre") and not self.inside("math"):
            self.parts.append("`" if tag == "code" else "**" if tag in ("b", "strong") else
                              "" if tag in INLINE else "\n")


def answered_early(folder: Path) -> Iterator[Finding]:
    """Yield what answers a question too early in the pages of a built site."""
    known: dict[str, Question | Note] = {ASKED.id: ASKED}
    for number in CHAPTERS:
        known.update({one.id: one for one in (*of(number).QUESTIONS, *notes(number))})
    for path in sorted(folder.glob("*.html")):
        text = OpenText(path.read_text(encoding="utf-8")).text
        for key in re.findall(f"{MARK}ask (.*?){END}", text):
            for says in answers_of(known[key], text):
                yield Finding(path.name, key, says)


def answers_of(asked: Question | Note, text: str) -> Iterator[str]:
    """Yield what answers a question in the open text of a page."""
    begins = text.index(f"{MARK}ask {asked.id}{END}")
    answer = text.find(f"{MARK}answer {asked.id}{END}")
    if answer < 0:
        yield "there is no fold with its answer"
        return
    heading = text.find(f"{MARK}heading{END}", answer)
    before = unmarked(text[:heading if heading >= 0 else len(text)])
    if asked.told and (found := re.search(asked.told, before)):
        yield f"{found[0]!r} is open before its comparison"
    if f"{MARK}output{END}" in text[begins:answer]:
        yield "what a cell showed is open between the question and its comparison"
    whole = squeezed(unmarked(text))
    for sentence in sentences(asked):
        if squeezed(sentence) in whole:
            yield f"a sentence of its comparison is open: {sentence!r}"


def sentences(asked: Question | Note) -> list[str]:
    """What a reader may read only after choosing."""
    if isinstance(asked, Note):
        return list(asked.answer)
    return [*(one.says for one in asked.options), *asked.explains.splitlines()]


def unmarked(text: str) -> str:
    return re.sub(f"{MARK}.*?{END}", " ", text)


def squeezed(text: str) -> str:
    return " ".join(text.split())
