"""What is said of every chapter in other places: written from the texts, never by hand.

    python -m minigrad.book write

Titles and minutes are in chapters/titles.py, for an installed package has no texts; the table of
chapters is in README.md, the table of lessons in TEACHERS.md, and docs/notes.md is made by rows.py.
"""
from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .. import content
from ..classroom import files
from ..classroom.helping import NOTEBOOKS
from ..content import rows
from . import source
from .counting import EVENING, evening_minutes, minutes
from .lessons import needed, needs_of, on_the_path

ROOT = NOTEBOOKS.parent
TITLES = Path(content.__file__).parent / "chapters" / "titles.py"
HEAD_OF_TITLES = '''"""The title and the minutes of each chapter. Generated: python -m minigrad.book write"""

EVENING = {}  # chapter: its minutes on the evening that README.md begins with
CHAPTERS = {{  # number: (title, minutes)
'''
IN_README = "| chapter | minutes | question |\n|---|---:|---|\n"
IN_TEACHERS = "| chapter | needs | of nine lessons | minutes alone | afterwards a learner can |\n" \
              "|---|---|---|---:|---|\n"
OPENING = re.compile(r"# (\d+) · (.+)\n+\*\*(.+)\*\*(?:\n|$)")


@dataclass(frozen=True)
class Facts:
    """What a text says of its chapter, and what is counted in it."""

    number: int
    title: str
    question: str
    minutes: int
    afterwards: str     # what a learner can do
    needs: str = ""     # other chapters, in words
    evening: int = 0    # minutes on the evening; 0: it isn't part of it


def facts_of(notebook: dict, name: str) -> Facts:
    """Return the facts of one chapter, from the notebook that its text makes.

    Raises:
        Unreadable: the opening or the front matter is not as all chapters have it.
    """
    opening = OPENING.match(notebook["cells"][0]["source"] if notebook["cells"] else "")
    lesson = notebook["metadata"].get(source.OURS, {})
    number = int(found[1]) if (found := re.search(r"/(\d\d)_", name)) else opening and int(opening[1])
    if not opening or int(opening[1]) != number:
        raise source.Unreadable(f"{name} begins with a title and a question: '# {number or 6} · Title', an "
                                "empty line, '**Question?**'")
    evening = evening_minutes(notebook) if int(opening[1]) in EVENING else 0
    return Facts(int(opening[1]), opening[2], opening[3], minutes(notebook), lesson.get("afterwards", ""),
                 needs_of(notebook["cells"][0]["source"]), evening)


def every_text() -> dict[str, dict]:
    """Return the notebook that the text of each chapter makes, by the name of the text, in their order."""
    names = {path: f"notebooks/text/{path.name}" for path in sorted(source.TEXTS.glob("[0-9][0-9]_*.md"))}
    return {name: source.made(path.read_text(encoding="utf-8"), name) for path, name in names.items()}


def gallery() -> dict:
    """Return the notebook that the text of the gallery makes."""
    path = source.TEXTS / "gallery.md"
    return source.made(path.read_text(encoding="utf-8"), f"notebooks/text/{path.name}")


def write() -> list[Path]:
    """Write what is old, and return its files."""
    with written() as paths:
        return paths


@contextmanager
def written() -> Iterator[list[Path]]:
    """Write what is old, and yield its files; if the block raises, they say what they said before."""
    old = [(path, path.read_text(encoding="utf-8") if path.exists() else None, new)
           for path, new in outdated()]
    for path, _, new in old:
        _store(path, new)
    try:
        yield [path for path, _, _ in old]
    except BaseException:       # also an interrupt
        for path, before, new in old:
            if before is None:
                path.unlink(missing_ok=True)
            elif path.read_text(encoding="utf-8") == new:   # else it was edited since
                _store(path, before)
        raise


def _store(path: Path, text: str) -> None:
    with files.held(path) as write_whole:
        write_whole(text)


def outdated() -> Iterator[tuple[Path, str]]:
    """Yield each generated file that is old, with the text that it should have."""
    notebooks = every_text()
    chapters = [facts_of(notebook, name) for name, notebook in notebooks.items()]
    if not chapters:
        return      # a copy of the package without its notebooks

    def row_by_row(_: str, chapters: list[Facts]) -> str:
        numbers = [one.number for one in chapters]
        return rows.page({**dict(zip(numbers, notebooks.values(), strict=True)), "gallery": gallery()})
    for path, new in ((TITLES, titles), (ROOT / "README.md", readme), (ROOT / "TEACHERS.md", teachers),
                      (ROOT / "docs" / "notes.md", row_by_row)):
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        if new(text, chapters) != text:
            yield path, new(text, chapters)


def without(one: Facts) -> list[Path]:
    """Return the generated files that say something else of one chapter than its text."""
    return [path for path, row in ((TITLES, row_of_titles), (ROOT / "README.md", row_of_readme),
                                   (ROOT / "TEACHERS.md", row_of_teachers))
            if row(one) not in path.read_text(encoding="utf-8")]


def row_of_titles(one: Facts) -> str:
    return f"    {one.number}: ({json.dumps(one.title, ensure_ascii=False)}, {one.minutes}),\n"


def row_of_readme(one: Facts) -> str:
    return f"| {one.number} · {one.title} | {one.minutes} | {one.question} |\n"


def row_of_teachers(one: Facts) -> str:
    return (f"| {one.number} · {one.title} | {', '.join(map(str, needed(one.needs)))} "
            f"| {on_the_path(one.number)} | {one.minutes} | {one.afterwards} |\n")


def titles(_: str, chapters: list[Facts]) -> str:
    evening = {one.number: one.evening for one in chapters if one.evening}
    return HEAD_OF_TITLES.format(evening) + "".join(map(row_of_titles, chapters)) + "}\n"


def readme(text: str, chapters: list[Facts]) -> str:
    evening = sum(one.evening for one in chapters)
    text = re.sub(r"(about )\d+( minutes in all)", rf"\g<1>{evening}\2", text)
    return with_table(text, IN_README, map(row_of_readme, chapters))


def teachers(text: str, chapters: list[Facts]) -> str:
    each = [one.minutes for one in chapters if one.number]
    text = re.sub(r"(each takes one learner )\d+ to \d+( minutes)",
                  rf"\g<1>{min(each)} to {max(each)}\2", text)
    return with_table(text, IN_TEACHERS, map(row_of_teachers, chapters))


def with_table(text: str, head: str, rows: Iterable[str]) -> str:
    """Return a page with these rows below the head of a table.

    Raises:
        ValueError: the page has no such table.
    """
    before, found, after = text.partition(head)
    if not found:
        raise ValueError(f"a page has no table with the head {head.splitlines()[0]}; put it back")
    while after.startswith("|"):
        after = after.partition("\n")[2]
    return before + head + "".join(rows) + after
