"""What the rules find in a chapter, each with its place and with what to change.

    python -m minigrad.book check 6

Nothing is executed: the rules read the text, and the outputs of the notebook as it is stored.
"""
from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from ..content.chapters import CHAPTERS, line_of
from . import rules, source, tables

AGAIN = "python -m minigrad.book run {}"


@dataclass(frozen=True)
class Line:
    """One line of what `check` prints; `advice` is no fault."""

    place: str
    finding: rules.Finding
    advice: bool = False

    def __str__(self) -> str:
        return f"{self.place}: {'advice: ' if self.advice else ''}{self.finding}"


def check(path: Path) -> Iterator[Line]:
    """Yield everything that the rules find in one text, in its notebook, and in what is generated from it.

    The gallery is no chapter: it only has to be the notebook of its text.
    """
    name = f"notebooks/text/{path.name}"
    text = path.read_text(encoding="utf-8")
    notebook, lines = source.made_with_lines(text, name)
    stored = source.notebook_of_text(path)
    old = list(_against(notebook, stored, path.stem))
    yield from old
    yield from _comes_back(notebook, text, name)
    if not path.name[:2].isdigit():
        return
    for generated in tables.without(tables.facts_of(notebook, name)):
        yield Line(generated.relative_to(tables.ROOT).as_posix(),
                   rules.Finding(f"it is older than {name}", "python -m minigrad.book write"))
    number = int(path.name[:2])
    if number not in CHAPTERS:
        return      # of a new chapter, the lines above say which command makes it known
    chapter = rules.chapter_of(number, notebook, lines)
    for rule in rules.OF_TEXTS:
        yield from _places(rule(chapter), chapter, name)
    for rule in rules.ADVICE:
        yield from _places(rule(chapter), chapter, name, advice=True)
    if not old:     # else its outputs belong to other cells
        as_stored = rules.chapter_of(number, _read(stored), lines)
        for rule in rules.outputs.RULES:
            yield from _places(rule(as_stored), as_stored, name)
        for rule in rules.outputs.ADVICE:
            yield from _places(rule(as_stored), as_stored, name, advice=True)


def ready(number: int) -> None:
    """Look before a chapter is built: at its notebook, and at the rules for what it asks.

    Raises:
        ValueError: something is wrong; the message is what `check` says first.
    """
    for path in sorted(source.TEXTS.glob(f"{number:02}_*.md")):
        name = f"notebooks/text/{path.name}"
        notebook, lines = source.made_with_lines(path.read_text(encoding="utf-8"), name)
        stored = source.notebook_of_text(path)
        for line in _against(notebook, stored, path.stem):
            raise ValueError(line)
        chapter = rules.chapter_of(number, _read(stored), lines)
        for rule in rules.OF_WHAT_IS_ASKED:
            for line in _places(rule(chapter), chapter, name):
                raise ValueError(line)


def _read(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8"))


def _against(made: dict, stored: Path, stem: str) -> Iterator[Line]:
    """Yield whether the stored notebook is another one than the text makes."""
    name = f"notebooks/{stored.name}"
    if not stored.exists():
        yield Line(name, rules.Finding("there is no such notebook yet", AGAIN.format(stem)))
    elif source.edited(_read(stored)):
        yield Line(name, rules.Finding(
            "its cells are not those that were made from its text",
            f"python -m minigrad.book text {stem} writes the text from it"))
    elif not source.same(_read(stored), made):
        yield Line(name, rules.Finding("the text is newer", AGAIN.format(stem)))


def _comes_back(made: dict, text: str, name: str) -> Iterator[Line]:
    """Yield the first lines of a text that come back from its notebook in another form.

    Else an edit of the notebook would change other lines, too.
    """
    try:
        before, after = text.split("\n"), source.written(made, name).split("\n")
    except source.Unreadable as reason:
        yield Line(name, rules.Finding("its notebook can't be written as a text again", str(reason)))
        return
    for kind, start, end, first, last in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            old, new = (", and below it ".join(repr(line) if line else "an empty line" for line in lines)
                        for lines in (before[start:end], after[first:last]))
            yield Line(f"{name}:{start + 1}", rules.Finding(
                "the notebook gives the text back in another form",
                f"write {new}" if new else f"leave out {old}"))
            return


def _places(findings: Iterable[rules.Finding], chapter: rules.Chapter, name: str,
            advice: bool = False) -> Iterator[Line]:
    for one in findings:
        where = name
        if one.question:
            where = line_of(chapter.number, one.question)
        elif one.cell and one.cell.line:    # a cell that is missing has no line
            where += f":{one.cell.line + one.line_in_cell}"
        yield Line(where, one, advice)
