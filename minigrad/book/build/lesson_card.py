"""A lesson on one page for the teacher's desk: what happens in which minute, and what to say at each belief.

Everything on it is data of `lessons.py`. The letters are the largest with which it fits a page; where it is
crowded, the words of the options and the question for an oral exam are left out.
"""
from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

from ..content.chapters.on_paper import paper_of
from .lessons import ROOMS, Lesson, lesson, replies
from .lettering import typ
from .pdf import Form, Made, as_pdf, pages_of, save
from .sheet_markdown import Page

SIZES = (11, 10.5, 10, 9.5, 9, 8.5, 8, 7.5)
LARGE_ENOUGH = 9.5  # smaller letters only where it doesn't fit without words that can be looked up
LETTERS = """#set text(size: {}pt)
#set par(leading: 0.45em)
#show raw.where(block: false): set text(size: {}pt)
#show raw.where(block: false): it => if it.text.len() < 24 {{ box(it) }} else {{ it }}"""
NAMES = {"computers": "With computers", "paper": "Without computers"}
TO_PREPARE = {
    "computers": "Learners open the notebook; you show the slides.",
    "paper": "Print the sheets on both sides. Let learners read “Before the first vote” at home: in class it "
             "takes up to 15 minutes. Keep the chapter on one page until the votes are over."}


def lesson_card(number: int, folder: Path, form: Form, rooms: tuple[str, ...] = ROOMS) -> Iterator[Made]:
    """Write the card of a lesson as PDF, on one page; in large print on as many as it takes."""
    found = lesson(number)
    title = f"{number} · {found.title} · Lesson card"
    ways = [(size, full) for full, size in product((True, False), SIZES) if size >= LARGE_ENOUGH or not full]
    for size, full in [(form.size, True)] if form.large else ways:
        (pdf,) = as_pdf([card(found, form, size, rooms, full)], [title], form)
        if form.large or pages_of(pdf) == 1:
            break
    room = "" if rooms == ROOMS else f"-{rooms[0]}"
    yield save(folder / f"{number:02}-card{room}{form.suffix}.pdf", pdf)


def card(found: Lesson, form: Form, size: float, rooms: tuple[str, ...], full: bool) -> Page:
    page = form.page("card")
    page.heading(f"{found.number} · {found.title}", "Lesson card")
    page.typst(LETTERS.format(size, 0.9 * size))
    engine = f", and {found.engine} for the engine" if found.engine else ""
    needs = f"Needs {found.needs}. " if found.needs else ""
    after = f"Afterwards a learner can {found.afterwards}." if found.afterwards else ""
    page.add(f"**{found.question}** {in_class(found, rooms)} a learner alone takes "
             f"{found.alone}{engine}. {needs}{after}")
    columns = 1 if page.large else len(rooms)
    plans = ", ".join(f"[{planned(found, room)}]" for room in rooms)
    page.typst(f"#grid(columns: (1fr,) * {columns}, column-gutter: 8pt, row-gutter: 8pt, {plans})")
    page.add("## What to say after each vote")
    page.add("The letters are those of sheet A and of the slides; read the answer itself aloud.")
    page.typst(table("auto, 1fr, 1fr, 1.5fr" if full else "auto, auto, 1fr, 1.7fr",
                     ["vote", "answer", "who answers so believes", "say"],
                     list(said(found, rooms, full))))
    page.add(f"**When time is short,** {found.shorter(rooms)}.")
    if full and found.oral:
        page.add(f"**Oral exam.** {found.oral}")
    return page


def in_class(found: Lesson, rooms: tuple[str, ...]) -> str:
    """How long the lesson takes: a number for each room of the card, or one if they agree."""
    ends = {room: found.rows(room)[-1].end for room in rooms}
    if len(set(ends.values())) == 1:
        return f"Takes {ends[rooms[0]]} minutes in class;"
    return f"Takes {ends['computers']} minutes in class with computers, and {ends['paper']} without;"


def planned(found: Lesson, room: str) -> str:
    """The heading and the rows of a room, in typst."""
    rows = [[f"{row.start}–{row.end}", row.what] for row in found.rows(room)]
    home = found.at_home(room)
    after = found.note if room == "computers" else f"At home: {', '.join(home)}." if home else ""
    plan = table("auto, 1fr", ["minutes", "what happens"], rows)
    return f"== {NAMES[room]}\n{typ(TO_PREPARE[room])}\n{plan}\n{typ(after)}"


def said(found: Lesson, rooms: tuple[str, ...], full: bool) -> Iterator[list[str]]:
    """A row for each answer of each question that these rooms vote on, the right one first."""
    for asked in found.voted(rooms):
        right = asked.option(asked.right)
        yield [f"**{asked.id}**", f"**{asked.right}** ✓ {right.text if full else ''}", "(right)",
               paper_of(found.number).reason(asked)]
        for one in replies(asked):
            words = asked.option(one.letter).text if full else ""
            yield ["", f"{one.letter} {words}", one.belief, one.says]


def table(columns: str, head: list[str], rows: list[list[str]]) -> str:
    cells = ", ".join(f"[{typ(cell)}]" for row in rows for cell in row)
    heads = ", ".join(f"[{typ(cell)}]" for cell in head)
    return f"#table(columns: ({columns}), inset: (x: 0.3em, y: 0.22em), table.header({heads}), {cells})"
