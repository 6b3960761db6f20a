"""A chapter as the rules read it, and what a rule finds."""
from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ...classroom.exercise import KEY
from ...classroom.notes import Note
from ...classroom.questions import Question
from ..counting import NAMED, source, tags

SHORT = (0, 16)     # the chapter before the first, and the appendix
IDENTIFIERS = re.compile(r"err-[a-z-]+|claim-\d+|\d+[a-z]\d?|[A-E]\d+|M\d{2,3}")


@dataclass(frozen=True)
class Cell:
    """A cell with the line of the text in which its words begin, and its outputs where they are known."""

    kind: str           # "code", "markdown" or "raw"
    text: str
    tags: frozenset[str]
    line: int = 0
    outputs: Sequence[dict] = field(default=(), compare=False)

    @property
    def printed(self) -> str:
        return "".join("".join(output.get("text", "")) for output in self.outputs)

    @property
    def said(self) -> str:
        """Return what the cell printed, and its value."""
        values = ("".join(output.get("data", {}).get("text/plain", "")) for output in self.outputs)
        return "\n".join([self.printed, *values])

    @property
    def exercise(self) -> str | None:
        """The exercise that the cell belongs to: by its tag, or by what it checks."""
        called = re.match(r'check\("(\w+)"', self.text)
        return called[1] if called else next(filter(KEY.fullmatch, self.tags), None)


@dataclass(frozen=True)
class Finding:
    """What a rule found, and what to change."""

    says: str
    change: str
    cell: Cell | None = None
    line_in_cell: int = 0
    question: str = ""      # it concerns the module of the chapter, at this question, note or exercise

    def __str__(self) -> str:
        return f"{self.says}: {self.change}"


@dataclass(frozen=True)
class Chapter:
    number: int
    cells: tuple[Cell, ...]
    notebook: dict = field(compare=False)
    questions: tuple[Question, ...] = ()
    notes: tuple[Note, ...] = ()
    exercises: tuple[str, ...] = ()     # their keys, the slice of the learner's engine last
    ideas: tuple[str, ...] = ()

    def code(self, *wanted: str) -> list[Cell]:
        """Return the code cells that have something in them, and all of these tags."""
        return [cell for cell in self.cells if cell.kind == "code" and cell.text.strip()
                and set(wanted) <= cell.tags]

    def asked(self, cell: Cell) -> Question | Note | None:
        """Return the question or the note that a cell of `predict`, `reveal` or `judge` names."""
        called = NAMED.match(cell.text)
        return next((one for one in (*self.questions, *self.notes) if called and one.id == called[1]), None)

    def asks(self, wanted: Question | Note) -> bool:
        """Return whether a cell of `predict` or `judge` names a question or a note."""
        return any(self.asked(cell) is wanted for cell in (*self.code("predict"), *self.code("judge")))

    def prose(self, teacher: bool = False) -> list[Cell]:
        return [cell for cell in self.cells
                if cell.kind == "markdown" and (teacher or "instructor" not in cell.tags)]


def chapter_of(number: int, notebook: dict, lines: Iterable[int] = ()) -> Chapter:
    """Return a chapter: its notebook, and its questions and exercises of `minigrad.book.content.chapters`."""
    from ...classroom.engine.slice_exercises import keys_of
    from ...content.chapters import notes, of
    starts = dict(enumerate(lines))
    cells = tuple(Cell(cell["cell_type"], source(cell), frozenset(tags(cell)), starts.get(at, 0),
                       cell.get("outputs", ())) for at, cell in enumerate(notebook["cells"]))
    module = of(number)
    keys = [one.id for one in module.EXERCISES]
    keys += [key for key in keys_of(number)
             if any("exercise" in cell.tags and cell.exercise == key for cell in cells)]
    return Chapter(number, cells, notebook, module.QUESTIONS, notes(number), tuple(keys), module.IDEAS)
