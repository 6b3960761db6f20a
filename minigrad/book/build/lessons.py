"""A lesson as data: its minutes in a room with computers and in one without, what to say, what to leave out.

With computers, the rows are the plan in the teacher's cell of the chapter; on paper, that of on_paper.py.
What has no room is for home. `PATH` leads through the book in nine lessons.
"""
from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ..content.chapters import CHAPTERS, of
from ..content.chapters.on_paper import on_sheet, paper_of
from ..content.misconceptions import MISCONCEPTIONS
from .counting import engine_minutes

if TYPE_CHECKING:
    from ..classroom.exercise import Exercise
    from ..classroom.questions import Question
    from .pages import Cell

WHOLE = 50  # minutes of a lesson
ROOMS = ("computers", "paper")
ERROR_EARLY = ("The error: write its lines on the board, from your copy of the chapter on one page, and read "
               "its table aloud")
ERROR_LATE = "The error on that page, read aloud, and its table"
PAPER_ROWS = {
    "board": "The question of the chapter; the example of “Before the first vote” on the board",
    "page": "Hand out the chapter on one page; learners read its rules aloud",
    "picture": "Fill in the picture; each learner writes a caption, and one is read aloud",
    "caption": "The picture; each learner writes a caption, and one is read aloud",
    "drawing": "Draw the picture that the sheet asks for",
    "ticket": "Exit ticket, as on the sheet",
}
PLAN = re.compile(r"(\d+)–(\d+) (.*?)(?= · \d+–\d+ |\.$|\. |$)")
SPAN = re.compile(r"\b(\d+)\.([1-9]) to \1\.([1-9])\b")
KEY = re.compile(r"\b\d+(?:\.[1-9]|[a-d])\b")


class Row(NamedTuple):
    """Some minutes of a lesson, and what happens in them."""

    start: int
    end: int
    what: str

    @property
    def keys(self) -> list[str]:
        """The questions and exercises that it names; "15.3 to 15.5" names three."""
        return KEY.findall(SPAN.sub(spelled, self.what))


def spelled(span: re.Match) -> str:
    return ", ".join(f"{span[1]}.{at}" for at in range(int(span[2]), int(span[3]) + 1))


@dataclass(frozen=True)
class Lesson:
    """A lesson on one chapter."""

    number: int
    title: str
    question: str
    alone: int  # minutes for one learner, as the chapter prints them
    engine: int  # minutes for the learner's engine, which are not part of the lesson
    needs: str
    afterwards: str
    leave_out: str  # when time is short
    computers: tuple[Row, ...]
    paper: tuple[Row, ...]
    note: str  # what the plan says after its last row
    oral: str  # a question for an oral exam, with its answer

    @property
    def minutes(self) -> int:
        return self.computers[-1].end

    def rows(self, room: str) -> tuple[Row, ...]:
        return {"computers": self.computers, "paper": self.paper}[room]

    def asked(self, rooms: tuple[str, ...]) -> tuple[Sequence[Question], Sequence[Exercise]]:
        """The questions and the exercises of these rooms; with paper those of the sheet."""
        chapter = of(self.number)
        return on_sheet(self.number) if "paper" in rooms else (chapter.QUESTIONS, chapter.EXERCISES)

    def voted(self, rooms: tuple[str, ...] = ROOMS) -> list[Question]:
        """The questions that a row of these rooms names; all, where the rows name none. Others are for home.
        """
        every = of(self.number).QUESTIONS
        named = {key for room in rooms for row in self.rows(room) for key in row.keys}
        return [one for one in every if one.id in named] or list(every)

    def at_home(self, room: str) -> list[str]:
        """The exercises that have no minutes in this room."""
        named = {key for row in self.rows(room) for key in row.keys}
        return [one.id for one in self.asked((room,))[1] if one.id not in named]

    def shorter(self, rooms: tuple[str, ...]) -> str:
        """What to do when time is short: if what may be left out is for home anyway, what is asked last."""
        home = [set(self.at_home(room)) for room in rooms]
        optional = set(KEY.findall(self.leave_out))
        questions, exercises = self.asked(rooms)
        left = [one.id for one in exercises if not any(one.id in ids for ids in home)]
        left = left or [one.id for one in questions]
        if left and optional and all(optional <= ids for ids in home):
            return f"let learners do {left[-1]} at home, too"
        at_home = f"let learners do {left[-1]} at home"
        return f"leave out {self.leave_out}" if optional else self.leave_out or at_home


@dataclass(frozen=True)
class Reply:
    """What to say to a wrong answer of a vote."""

    letter: str
    belief: str
    says: str


def replies(asked: Question) -> list[Reply]:
    """What to say at each belief of a question, in the order of its options."""
    return [Reply(letter, MISCONCEPTIONS[asked.option(letter).belief], asked.option(letter).says)
            for letter in asked.letters if letter != asked.right]


def lesson(number: int) -> Lesson:
    """The lesson on a chapter.

    Raises:
        ValueError: the plan in the teacher's cell has no rows, or its minutes don't follow each other.
    """
    from .pages import cells, load, question_in
    notebook = load(number)
    page = cells(notebook)
    facts = {"afterwards": "", "leave_out": "", **notebook["metadata"].get("minigrad", {})}
    head = page[0].text
    plan, oral = plan_in(page[-1].text)
    rows = rows_of(plan, number) if plan else ()
    title, alone = CHAPTERS[number]
    paper = on_paper(number, paper_of(number).plan or usual_plan(number, page))
    return Lesson(number, title, question_in(head), alone, engine_minutes(notebook), needs_of(head),
                  facts["afterwards"], facts["leave_out"], rows or paper, paper, note_of(plan), oral)


def plan_in(notes: str) -> tuple[str, str]:
    """The plan in the teacher's cell of a chapter, and the questions for an oral exam."""
    plan, _, oral = notes.partition("## For the teacher")[2].partition("**Oral exam.**")
    return plan.strip().partition("\n\n")[0], oral.strip()


def rows_of(plan: str, number: int) -> tuple[Row, ...]:
    """The rows of a plan such as "0–3 recall · 3–12 6.1, by letters · 12–50 exit ticket. 6c is homework."."""
    rows = tuple(Row(int(start), int(end), capital(what.rstrip(".")))
                 for start, end, what in PLAN.findall(plan))
    ends = [0, *(row.end for row in rows)]
    if not rows or [row.start for row in rows] != ends[:-1] or ends != sorted(set(ends)):
        raise ValueError(f"the minutes in the teacher's cell of chapter {number} don't follow each other: "
                         "write '0–3 recall · 3–12 the first prediction · ...'")
    return rows


def note_of(plan: str) -> str:
    """What follows the last row; a chapter may have no plan."""
    every = list(PLAN.finditer(plan))
    return plan[every[-1].end():].lstrip(". ") if every else ""


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def on_paper(number: int, plan: str) -> tuple[Row, ...]:
    """The rows of a lesson without computers, in the order of the sheet."""
    chapter = of(number)
    goals = {one.id: f"{one.id}, in pairs: {one.goal}" for one in chapter.EXERCISES}
    votes = {one.id: f"Predict {one.id}: alone, in pairs, and a second vote" for one in chapter.QUESTIONS}
    early = plan.find("error ") < plan.find("page ")     # before the page is handed out
    error = {"error": ERROR_EARLY if early else ERROR_LATE}
    said = PAPER_ROWS | error | goals | votes
    rows = [one.split() for one in plan.split(", ")]
    for name, _ in rows:
        if name not in said:
            raise ValueError(f"the plan of chapter {number} on paper names {name!r}; it may name "
                             f"{', '.join(said)}")
    return timed([[int(minutes), said[name]] for name, minutes in rows])


def usual_plan(number: int, page: list[Cell]) -> str:
    """The plan of a chapter that has none: what the sheet asks, which takes as long as in most lessons."""
    from .pages import exit_ticket
    asked = [*(f"{one.id} 5" for one in of(number).QUESTIONS), "page 4",
             *(f"{one.id} 7" for one in of(number).EXERCISES)]
    asked += ["caption 7"] * any("aha" in cell.tags for cell in page)
    return ", ".join(["board 5", *asked, *["ticket 2"] * bool(exit_ticket(page, number))])


def timed(rows: list[list]) -> tuple[Row, ...]:
    found, at = [], 0
    for minutes, what in rows:
        found.append(Row(at, at + minutes, what))
        at += minutes
    return tuple(found)


class Step(NamedTuple):
    """A chapter on the path through the book: in which of the nine lessons, and how if not in class."""

    lesson: int
    chapter: int
    how: str = ""


PATH = (  # each lesson rests on what was before it
    Step(1, 0, "at home before it"), Step(1, 1), Step(2, 2), Step(3, 3), Step(4, 4), Step(5, 5), Step(6, 6),
    Step(7, 7), Step(8, 8, "at home before it, up to its picture"), Step(8, 9), Step(9, 10))


def on_the_path(number: int) -> str:
    """In which of the nine lessons a chapter is; a dash: in none."""
    found = [f"{step.lesson}, {step.how}" if step.how else f"{step.lesson}"
             for step in PATH if step.chapter == number]
    return "".join(found) or "–"


def needs_of(opening: str) -> str:
    """What a chapter's first text says that it needs."""
    found = re.search(r"· needs ([^·\n]+)", opening)
    return found[1].strip() if found else ""


def needed(needs: str) -> list[int]:
    """The chapters that are named in words such as "chapters 3 to 5, and products of matrices"."""
    found = []
    for first, last in re.findall(r"(?<!`)\b(\d+)(?: to (\d+))?", needs):
        found += range(int(first), int(last or first) + 1)
    return found
