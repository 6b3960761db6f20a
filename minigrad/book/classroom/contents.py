"""The table of contents: what you have done in each chapter, what surprised you, and where to go on.

`contents()` shows it; a learner's folder has a notebook, contents.ipynb, with this one call.
"""
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from ..content.chapters import CHAPTERS, chapter_of, notes, of
from .engine.slice_exercises import ENGINE_EXERCISES
from .links import link
from .notes import stored
from .progress import progress
from .questions import answers, surprising
from .showing import Shown


@dataclass(frozen=True)
class Done:
    """How many of the predictions, verdicts, exercises and steps of the engine of a chapter are done."""

    chapter: int
    counts: tuple[tuple[str, int, int], ...]    # (the word for them, how many are done, of how many)
    surprises: tuple[str, ...]                  # the questions whose first answer was wrong

    @property
    def begun(self) -> bool:
        return any(done for _, done, _ in self.counts)

    @property
    def finished(self) -> bool:
        """Whether everything is done that is not optional; the engine is."""
        return all(done == of_all for word, done, of_all in self.counts if word != "engine")

    @property
    def mark(self) -> str:
        return "✓" if self.finished else "…" if self.begun else ""


def contents() -> Shown:
    """Show the chapters with their minutes, what is done in each, and what surprised you.

    Example:
        >>> contents()
           chapter                       minutes  done
           0 · Before you start               14
           ...
    """
    found, surprised = progress.read(), [asked.id for asked, _ in surprising()]
    chapters = [done_in(number, found, surprised) for number in CHAPTERS]
    return Shown(as_text(chapters), as_html(chapters))


def done_in(number: int, found: dict, surprised: Iterable[str]) -> Done:
    """Return what is done in a chapter, by what the file of answers says."""
    right = {key for key, facts in found["attempts"].items() if facts.get("right")}
    wanted = {
        "predictions": ([one.id for one in of(number).QUESTIONS],
                        {one.id for one in of(number).QUESTIONS if one.id in found["predictions"]
                         and answers(found["predictions"][one.id], one)}),
        "verdicts": ([one.id for one in notes(number)],
                     {one.id for one in notes(number) if stored(one)}),
        "exercises": ([one.id for one in of(number).EXERCISES], right),
        "engine": ([key for key in ENGINE_EXERCISES if chapter_of(key) == number], right),
    }
    counts = tuple((word, sum(key in done for key in keys), len(keys))
                   for word, (keys, done) in wanted.items() if keys)
    return Done(number, counts, tuple(key for key in surprised if chapter_of(key) == number))


def said(one: Done) -> str:
    """Return what is done, and what surprised, in words."""
    if not one.begun:
        return ""
    parts = [f"{word} {done} of {of_all}" for word, done, of_all in one.counts]
    if one.surprises:
        parts.append(f"surprised by {', '.join(one.surprises)}")
    return ", ".join(parts)


def as_text(chapters: Iterable[Done]) -> str:
    lines = [f"{'':3}{'chapter':42}{'minutes':>7}  done"]
    for one in chapters:
        title, minutes = CHAPTERS[one.chapter]
        lines.append(f"{one.mark:3}{f'{one.chapter} · {title}':42}{minutes:7}  {said(one)}".rstrip())
    return "\n".join(lines)


def as_html(chapters: Iterable[Done]) -> str:
    left = 'style="text-align:left"'
    rows = []
    for one in chapters:
        title, minutes = CHAPTERS[one.chapter]
        rows.append(f"<tr><td>{one.mark}</td><td {left}>{link(one.chapter, f'{one.chapter} · {title}')}</td>"
                    f"<td>{minutes}</td><td {left}>{escape(said(one))}</td></tr>")
    head = "".join(f'<th scope="col" {left}>{words}</th>' for words in ("", "chapter", "minutes", "done"))
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
