"""A lesson as data: its minutes in a room with computers and in one without, what to say, what to leave out.

With computers, the rows are the plan in the teacher's cell of the chapter. On paper, they follow the sheet,
and what has no room is for home. `PATH` leads through the book in nine lessons.
"""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ..content.chapters import CHAPTERS, of
from ..content.misconceptions import MISCONCEPTIONS
from .counting import APART, LONGER, MINUTES_EACH, engine_minutes, in_sections, is_of_the_clinic, tags

if TYPE_CHECKING:
    from ..classroom.questions import Question

WHOLE = 50  # minutes of a lesson
USUAL = 50  # minutes of a lesson whose chapter has no plan
ROOMS = ("computers", "paper")
LEAST = {"question": 3, "exercise": MINUTES_EACH["exercise"], "ticket": 2}  # minutes in a class
OPENING, VOTE, READ, ERROR, PICTURE, EACH, DRAWING, TICKET = 5, 5, 4, 5, 7, 6, 4, 2  # on paper
ERROR_EARLY = "The error, read aloud from your copy of the chapter on one page, and its table"
ERROR_LATE = "The error on that page, read aloud, and its table"
LONGEST = 4  # minutes that a row on paper may take beyond those, if there is time
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

    def at_home(self, room: str) -> list[str]:
        """The exercises that have no minutes in this room."""
        named = {key for row in self.rows(room) for key in row.keys}
        return [one.id for one in of(self.number).EXERCISES if one.id not in named]

    def shorter(self, rooms: tuple[str, ...]) -> str:
        """What to do when time is short: if what may be left out is for home anyway, what is asked last."""
        home = [set(self.at_home(room)) for room in rooms]
        optional = set(KEY.findall(self.leave_out))
        left = [one.id for one in of(self.number).EXERCISES if not any(one.id in ids for ids in home)]
        left = left or [one.id for one in of(self.number).QUESTIONS]
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
    error = error_in(page)
    apart = {tag for cell in in_sections(notebook, APART) for tag in tags(cell) if KEY.fullmatch(tag)}
    paper = on_paper(number, rows[-1].end if rows else USUAL, error, facts["leave_out"], apart)
    return Lesson(number, title, question_in(head), alone, engine_minutes(notebook), needs_of(head),
                  facts["afterwards"], facts["leave_out"], rows or paper, paper, note_of(plan), oral)


def error_in(page: list) -> int | None:
    """Before how many questions a chapter shows its error; None: it shows none."""
    shown = [cell.at for cell in page if is_of_the_clinic(cell.tags)]
    return sum("predict" in cell.tags for cell in page[:shown[0]]) if shown else None


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


def on_paper(number: int, whole: int, error: int | None, leave_out: str, apart: set[str]) -> tuple[Row, ...]:
    """The rows of a lesson without computers, in the order of the sheet; together they take `whole` minutes.

    The error comes after `error` votes, as in the chapter. What may be left out has a place only if there
    is time for it without hurry. Exercises in sections apart, whose minutes aren't part of the chapter's,
    have none.
    """
    from ..content.chapters.on_paper import paper_of
    chapter, paper = of(number), paper_of(number)
    opening = [[OPENING, "The question of the chapter; the example of “Before the first vote” on the board"]]
    votes = [[VOTE, f"Predict {one.id}: alone, in pairs, and a second vote"] for one in chapter.QUESTIONS]
    page = [[READ, "Hand out the chapter on one page; learners read its rules aloud"]]
    asked = list(votes)
    if error == len(votes):
        page.append([ERROR, ERROR_LATE])
    elif error is not None:
        asked.insert(error, [ERROR, ERROR_EARLY])
    picture = [[PICTURE, "Fill in the picture; each learner writes a caption, and one is read aloud"]]
    ticket = [[TICKET, "Exit ticket, as on the sheet"]]
    free = whole - sum(row[0] for row in (*opening, *asked, *page, *picture, *ticket))
    optional = KEY.findall(leave_out)
    counted = [one for one in chapter.EXERCISES if one.id not in apart]
    takes = {one.id: EACH + LONGER.get(one.id, 0) for one in counted}
    if free < min((takes[key] for key in takes if key not in optional), default=EACH):
        for row in votes:   # many votes: each is shorter, so that there is time for an exercise
            row[0] = LEAST["question"]
        free += (VOTE - LEAST["question"]) * len(votes)
    unhurried = free - sum(LONGEST // 2 for _ in (*votes, *picture))
    tasks = {}
    for one in sorted(counted, key=lambda one: one.id in optional):
        if takes[one.id] <= (unhurried if one.id in optional else free):
            tasks[one.id] = [takes[one.id], f"{one.id}, in pairs: {one.goal}"]
            free, unhurried = free - takes[one.id], unhurried - takes[one.id]
    work = [tasks[one.id] for one in chapter.EXERCISES if one.id in tasks]
    draws = paper.drawing and free >= DRAWING
    drawn = [[DRAWING, "Draw the picture that the sheet asks for"]] if draws else []
    left = spread(free - sum(row[0] for row in drawn), [*work, *votes, *picture, *opening])
    wishes = [[left, "What learners want to know next"]] if left > 0 else []
    tasks_and_picture = [*picture, *work] if paper.picture_first else [*work, *picture]
    return timed([*opening, *asked, *page, *tasks_and_picture, *drawn, *wishes, *ticket])


def spread(free: int, rows: list[list]) -> int:
    """Give rows a minute more in turn, up to LONGEST each; return what is left."""
    for _ in range(LONGEST):
        for row in rows:
            if free > 0:
                row[0] += 1
                free -= 1
    return free


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
