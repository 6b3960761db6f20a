"""What stands on one sheet of paper: a chapter's question, its predictions, a picture and its exercises.

Everything comes from the chapter's file and from its questions and exercises. The numbers are those of a
seat: sheet A is what somebody sees who opens the chapter with `chapter(6, seat="A")`. They come from the
engine, which runs the few lines that a picture or an exercise rests on.
"""
from __future__ import annotations

import ast
import functools
import random
import re
from dataclasses import dataclass

from ...viz.graph.model import Picture
from ..classroom.exercise import MANY, PRINTED
from ..classroom.questions import Question
from ..content.chapters import CHAPTERS, chapter_of, of
from ..content.chapters.on_paper import OnPaper, on_sheet, paper_of
from ..content.glossary import FORMS, SCHOOL, Term, terms_in
from .blanks import bare, numbered, numbers_of, tells, with_blanks
from .pages import (
    Cell,
    as_code,
    cell_tagged,
    cells,
    exit_ticket,
    load,
    question_in,
    quoted,
)
from .pictures import AnyPicture, picture_at
from .predicted import lines_of
from .tasks import Task, task

VARIANTS = PRINTED


@dataclass
class Sheet:
    number: int
    seat: str
    title: str
    minutes: int
    question: str
    predictions: list[tuple[Question, str]]  # with the code that it rests on
    words: dict[str, list[Term]]  # that a question is the first to use on paper
    orders: dict[str, str]  # of the options of a question: "CABD" if the first one is option C
    code: str  # of the picture
    given: str  # the same with the chapter's own numbers
    picture: AnyPicture
    large: AnyPicture  # the same with the numbers of the blanks alone
    answers: list[tuple[str, str]]  # of its blanks
    full: AnyPicture
    tasks: list[Task]
    ticket: tuple[str, str]  # and its answer
    paper: OnPaper


def sheet(number: int, seat: str) -> Sheet:
    page = cells(load(number))
    title, minutes = CHAPTERS[number]
    code, picture, given = pictured(number, seat)
    blank, answers = with_blanks(picture)
    tasks = [task(page, one, seat) for one in on_sheet(number)[1]]
    for one in tasks:
        one.ticks = mixed(one.ticks, seat, one.exercise.id)
    orders = {question.id: order(question, seat) for question in on_sheet(number)[0]}
    return Sheet(number, seat, title, minutes, question_in(page[0].text), predictions(number, page),
                 new_words(number, page), orders, code, given, blank, numbered(picture), answers,
                 bare(picture), tasks, exit_ticket(page, number), paper_of(number))


def order(question: Question, seat: str) -> str:
    """The options in the order of a sheet; on A in that of the book."""
    places = places_of_the_right_one(question)
    at = VARIANTS.index(seat)
    if at == 0:
        return question.letters
    wrong = [letter for letter in question.letters if letter != question.right]
    twin = places.index(places[at])
    if twin < at:  # the right option has this place on an earlier sheet, too: the others change theirs
        wrong = [letter for letter in order(question, VARIANTS[twin]) if letter != question.right][::-1]
    else:
        wrong = mixed(wrong, seat, question.id)
    place = question.letters.index(places[at])
    return "".join([*wrong[:place], question.right, *wrong[place:]])


def places_of_the_right_one(question: Question) -> list[str]:
    """The letter of the right option on each of the sheets A to D, which are dealt in a circle.

    Neighbours in the circle have different letters. With four options, all sheets have. With three, two
    sheets that are opposite each other must share one: B and D, or, at every other question, A and C, so that
    no two sheets have all letters in common.
    """
    first, *more = mixed([letter for letter in question.letters if letter != question.right], "places",
                         question.id)
    if len(more) != 1:
        return [question.right, first, *more[:2]] if more else [question.right, first] * 2
    of_three = [one.id for one in of(chapter_of(question.id)).QUESTIONS if len(one.letters) == 3]
    if of_three.index(question.id) % 2 == 0:
        return [question.right, first, *more, first]
    return [question.right, first, question.right, *more]


def mixed(items: list[str], seat: str, key: str) -> list[str]:
    """The items in an order that belongs to a sheet; on A as they are."""
    return items if seat == VARIANTS[0] else random.Random(f"{seat}:{key}").sample(items, len(items))


@functools.cache
def pictured(number: int, seat: str) -> tuple[str, AnyPicture, str]:
    """The chapter's picture with numbers of a sheet, its lines, and these with the chapter's numbers.

    What belongs in the blanks differs from the sheets before, isn't shown in the picture by chance, and isn't
    the same in two blanks by chance. A picture that was stored, or has too few numbers to choose
    from, is that of the chapter; there may be none.
    """
    page = cells(load(number))
    aha = next((cell for cell in page if "aha" in cell.tags), None)
    if aha is None:
        return "", None, ""
    own = picture_at(page, aha, code=paper_of(number).code)
    if not isinstance(own[1], Picture):
        return own
    before = VARIANTS[:VARIANTS.index(seat)]
    taken = [numbers_of(pictured(number, other)[1]) for other in before]
    different = len(set(numbers_of(own[1])))
    for tries in range(MANY):
        found = picture_at(page, aha, f"{seat}:{number}:{tries}", paper_of(number).code)
        if found[0] == found[2]:  # it has no numbers that could be others
            return own
        numbers = numbers_of(found[1])
        if numbers not in taken and len(set(numbers)) >= different and not tells(found[1]):
            return found
    return own


def new_words(number: int, page: list[Cell]) -> dict[str, list[Term]]:
    """For each question, the terms that neither an earlier chapter explains, nor this one up to its first
    question, nor an earlier question on the sheet."""
    first = cell_tagged(page, "predict").at
    bold = re.findall(r"\*\*(?! )([^*\n]+)(?<! )\*\*", "\n".join(cell.text for cell in page[:first]
                                                  if cell.kind == "markdown"))
    known, found = {FORMS[words.lower()].name for words in bold if words.lower() in FORMS} | {*SCHOOL}, {}
    for question in on_sheet(number)[0]:
        used = terms_in("\n".join([question.paper or question.text,
                                   *(option.text for option in question.options)]))
        found[question.id] = [term for term in used if term.name not in known
                              and (term.chapter or 0) >= number]
        known |= {term.name for term in used}
    return found


def predictions(number: int, page: list[Cell]) -> list[tuple[Question, str]]:
    """Each question with the lines it rests on, unless an earlier one has shown them."""
    found, shown = [], set()
    for question in on_sheet(number)[0]:
        lines = lines_of(question, page, shown)
        for line in lines:
            shown |= quoted(f"`{ast.unparse(line.node)}`")[1]
        found.append((question, as_code(lines)))
    return found
