"""How a chapter begins and ends, and what must be in between."""
from __future__ import annotations

import re
from collections.abc import Iterator

from ...classroom.exercise import PRINTED
from ...content.chapters import CHAPTERS, of, place
from ...content.misconceptions import MISCONCEPTIONS
from ..counting import engine_minutes, minutes, patient_minutes
from ..lessons import plan_in, rows_of
from .chapter import Cell, Chapter, Finding

SETUP = "import minigrad as torch\nfrom minigrad.book import *\nchapter({})"
NOTHING = Cell("markdown", "", frozenset())     # where a chapter that is new has no cell yet


def opens_as_all_chapters_do(chapter: Chapter) -> Iterator[Finding]:
    first, setup = (*chapter.cells, NOTHING, NOTHING)[:2]
    number = chapter.number
    if not re.match(rf"# {number} · .+\n\n\*\*.+\*\*(\n|$)", first.text):
        yield Finding("the chapter does not begin with its title and its question",
                      f"write '# {number} · Title', an empty line, and '**The question?**'", first)
    if setup.tags != {"setup"} or setup.text != SETUP.format(number):
        yield Finding("the second cell is not the setup",
                      f"its tag is setup, and its lines are {SETUP.format(number)!r}", setup)


def says_how_long_it_takes(chapter: Chapter) -> Iterator[Finding]:
    engine, patients = engine_minutes(chapter.notebook), patient_minutes(chapter.notebook)
    apart = f", and {engine} for your engine" if engine else ""
    apart += f", and {patients} for patients of your own" if patients else ""
    first = (*chapter.cells, NOTHING)[0]
    if f"\n{minutes(chapter.notebook)} minutes{apart} · needs " not in first.text:
        written = ", and {{ engine minutes }} for your engine" if engine else ""
        written += ", and {{ patient minutes }} for patients of your own" if patients else ""
        yield Finding("the first text does not say how long the chapter takes and what it needs",
                      f"write '{{{{ minutes }}}} minutes{written} · needs chapter ...'; the numbers are "
                      "computed", first)


def ends_as_all_chapters_do(chapter: Chapter) -> Iterator[Finding]:
    before, last = (NOTHING, NOTHING, *chapter.cells)[-2:]
    if last.tags != {"instructor"}:
        yield Finding("the last cell is not for the teacher",
                      'put `+++ {"tags": ["instructor"]}` before it, and nothing after it', last)
    for word in "## Recap", "**Exit ticket.**":
        if word not in before.text:
            yield Finding(f"the last text of the learner has no {word!r}", "add it", before)
    for named in re.findall(r"chapters? (\d+)", before.text):
        if int(named) not in CHAPTERS:
            yield Finding(f"there is no chapter {named}", "name a chapter that there is", before)
    for part in "0–", "**Oral exam.**":
        if part not in last.text:
            yield Finding(f"the teacher's cell has no {part!r}",
                          "add the minutes of a lesson (0–3 recall · ...), and a question with its answer",
                          last)
    try:
        rows_of(plan_in(last.text)[0], chapter.number)
    except ValueError:
        yield Finding("the minutes of the lesson, below ## For the teacher, don't follow each other",
                      "let each row begin where the one before it ends: 0–3 recall · 3–12 ...", last)


def headings_in_order(chapter: Chapter) -> Iterator[Finding]:
    above = 0
    for cell in chapter.prose(teacher=True):
        for at, line in enumerate(cell.text.splitlines()):
            if not re.match(r"#{1,6} ", line):
                continue
            level = len(line.split()[0])
            if level > above + 1:
                yield Finding(f"a heading of level {level} follows one of level {above}",
                              f"write {'#' * (above + 1)} in front of it", cell, at)
            if level == 1 and above:
                yield Finding("a second heading of the first level", "write ## in front of it", cell, at)
            above = level


def a_question_and_one_picture(chapter: Chapter) -> Iterator[Finding]:
    if not chapter.code("predict"):
        yield Finding("the chapter asks no question", "add a cell with the tags [book, predict]")
    for cell in chapter.code("aha")[1:]:
        yield Finding("a second cell with the tag aha", "a chapter has one: take the tag away", cell)


def questions_are_those_of_the_chapter(chapter: Chapter) -> Iterator[Finding]:
    """Each is asked once and compared once, in their order."""
    wanted = [question.id for question in chapter.questions]
    for kind in "predict", "reveal":
        cells = chapter.code("book", kind)
        called = [re.fullmatch(rf'{kind}\("([\d.]+)"\)', cell.text) for cell in cells]
        keys = [found and found[1] for found in called]
        for cell, key in zip(cells, keys, strict=True):
            if key not in wanted:
                yield Finding(f"this {kind} cell names no question of the chapter",
                              f'its one line is {kind}("{chapter.number}.1"); the questions are '
                              f"{', '.join(wanted) or 'to be written'}, in {place(chapter.number)}",
                              cell)
        for key in wanted:
            if key not in keys:
                yield Finding(f"question {key} has no {kind} cell",
                              f'add a cell with the tags [book, {kind}] and the line {kind}("{key}")',
                              question=key)
        if sorted(map(str, keys)) == sorted(wanted) and keys != wanted or len(set(keys)) < len(keys):
            yield Finding(f"the {kind} cells come as {', '.join(map(str, keys))}",
                          f"they come as the questions do: {', '.join(wanted)}", cells[0])


def notes_are_those_of_the_chapter(chapter: Chapter) -> Iterator[Finding]:
    """Each is quoted in a box, and judged once, in their order."""
    cells = chapter.code("judge")
    for cell in cells:
        if chapter.asked(cell) is None or "book" not in cell.tags:
            yield Finding("this cell asks for no verdict on a note of the chapter",
                          f'its tags are [book, judge], its line is judge("{chapter.number}.n1"), and the '
                          f"note is in NOTES of {place(chapter.number)}", cell)
    named = [asked.id for cell in cells if (asked := chapter.asked(cell))]
    wanted = [note.id for note in chapter.notes]
    if named != wanted:
        yield Finding(f"the chapter asks for verdicts on {', '.join(named) or 'nothing'}",
                      f"its notes are {', '.join(wanted)}: each is judged once, in this order")
    quoted = sum("**✎ From the notes" in cell.text for cell in chapter.prose())
    if quoted < len(chapter.notes):
        yield Finding(f"{len(chapter.notes)} notes are judged, and {quoted} are quoted",
                      "quote each in a box '> **✎ From the notes**' above its program")


def exercises_are_those_of_the_chapter(chapter: Chapter) -> Iterator[Finding]:
    """Stub, solution and check of one exercise follow each other; the slice of the engine comes last."""
    kinds = ("exercise", "solution", "check")
    wanted = [(kind, key) for key in chapter.exercises for kind in kinds]
    found = [(kind, cell.exercise, cell) for cell in chapter.code() for kind in kinds if kind in cell.tags]
    for at, (kind, key, cell) in enumerate(found):
        if at >= len(wanted) or (kind, key) != wanted[at]:
            here = f"the {wanted[at][0]} of {wanted[at][1]}" if at < len(wanted) else "no further exercise"
            yield Finding(f"the {kind} of {key} stands where {here} is expected",
                          "each exercise has the cells exercise, solution, check, in the order of "
                          f"EXERCISES in {place(chapter.number)}", cell)
            return
    for kind, key in wanted[len(found):][:1]:
        yield Finding(f"the {kind} of {key} is missing",
                      f"add a cell with the tags [{kind}, {key}]" if kind != "check" else
                      f'add a cell with the tags [book, check] and the line check("{key}", answer_{key})')


def beliefs_are_known(chapter: Chapter) -> Iterator[Finding]:
    asked = [(question.id, option.belief) for question in chapter.questions for option in question.options]
    asked += [(one.id, wrong.belief) for one in of(chapter.number).EXERCISES for wrong in one.wrong]
    for name, belief in asked:
        if belief is not None and belief not in MISCONCEPTIONS:
            yield Finding(f"{name} names the belief {belief}, which there isn't",
                          "add it to minigrad/book/content/misconceptions.py, or name another", question=name)


def what_is_right_can_be_computed(chapter: Chapter) -> Iterator[Finding]:
    """Without a seat, and with the numbers of each sheet."""
    for one in of(chapter.number).EXERCISES:
        right = one.expected or one.example or str
        for seat in (None, *PRINTED):
            numbers = "none"
            try:
                numbers = one.numbers(seat)
                right(numbers)
            except Exception as error:
                where = f"on sheet {seat}" if seat else "without a seat"
                yield Finding(f"what is right in {one.id} can't be computed {where}, where its numbers are "
                              f"{numbers}: {type(error).__name__}: {error}",
                              "look at `expected`, at `standard`, which has the numbers without a seat, "
                              "and at `draw`, which makes those of a sheet", question=one.id)
                break


RULES = (opens_as_all_chapters_do, headings_in_order, a_question_and_one_picture,
         questions_are_those_of_the_chapter, notes_are_those_of_the_chapter,
         exercises_are_those_of_the_chapter, beliefs_are_known, what_is_right_can_be_computed)
