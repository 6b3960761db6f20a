"""What a learning platform gets of a chapter, in no platform's format yet: a `Choice` for each prediction and
for each exercise that asks for ticks, and a `Form` with blanks, once for every sheet A to D, for each that
asks for numbers or words.

`moodle` and `qti` write them in their formats. On a platform each question stands alone, so it brings the
lines of code that it rests on, even if an earlier question has shown them.
"""
from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from ...viz.drawing.text import visible
from ..chapters import of
from ..comparing import ALIKE, same
from ..exercises import PRINTED, Exercise, as_lists
from ..markup import marked_up
from ..questions import CONFIDENCE, Question
from ..reading import FALSE, TRUE
from .lettering import coded
from .pages import Cell, as_code, cells, gives, load, prediction_at, quoted, rests_on, section
from .tasks import Task, task

EMPHASIS = re.compile(r"(?<![*\w])\*(?! )([^*<>]+)(?<! )\*(?![*\w])")  # and not the stars of a product
PREDICTION = re.compile(r"prediction (\d+\.\d+)")
PAPER_ALONE = re.compile(r" A power such as \S+ may stay one\.| Tick them\.")
BECAUSE = f"Why did you choose your answer to {{}}? How sure were you: {', '.join(CONFIDENCE)}?"
FEW = 2  # lines with numbers that a sentence shows; more of them are shown as a program
QUOTED = ("{}", '"{}"', "'{}'", "`{}`")  # how a word may be written
ERRORS = ("an error", "raises an error", "RuntimeError", "TypeError", "ValueError")


@dataclass(frozen=True)
class Choice:
    """Options to choose from: exactly one, with a reply to each, in a prediction; or some, for points."""

    id: str
    html: str
    options: tuple[tuple[str, str, bool, str], ...]  # (letter, html, whether it is right, the reply's html)
    points: int = 0  # a prediction has none


@dataclass(frozen=True)
class Blank:
    """A number or a word to write."""

    label: str  # html
    value: float | str
    within: float  # which part of a number an answer may be away from it
    wrong: tuple[tuple[float | str, str], ...]  # answers that people give, as a number or a word like `value`

    def forms(self, word: str) -> list[str]:
        """The ways to write a word that `check` accepts, too; the first is the word itself."""
        alike = [form for form, meant in ALIKE.items() if meant == word and len(form) < 10]
        known = next((names for names in (TRUE, FALSE) if word in names and word in ("true", "false")), ())
        more = ERRORS if word == "error" else [*alike, *sorted(known)]
        return list(dict.fromkeys([*(way.format(word) for way in QUOTED), *more]))

    def room(self, number: float) -> float:
        """How far an answer may be away from this number."""
        return max(abs(number), 1e-3) * self.within


@dataclass(frozen=True)
class Form:
    """An exercise on one sheet; an empty `sheet` means all of them, where the numbers are the same."""

    id: str
    sheet: str
    html: str
    blanks: tuple[Blank, ...]

    @property
    def key(self) -> str:
        return f"{self.id}-{self.sheet}" if self.sheet else self.id


def choices(number: int) -> list[Choice]:
    """The predictions: the code stands before the question, which may begin with "Two more lines"."""
    code = lines_of_questions(number)
    return [Choice(asked.id, as_code_html(code[asked.id]) + as_html(asked.paper or asked.text),
                   tuple((letter, marked_up(asked.option(letter).text), asked.option(letter).right,
                          marked_up(asked.option(letter).says)) for letter in asked.letters))
            for asked in of(number).QUESTIONS]


def ticks(number: int) -> Iterator[Choice]:
    """The exercises that ask which lines to tick: a right tick wins what a wrong one loses."""
    page, code = cells(load(number)), lines_of_questions(number)
    for exercise in of(number).EXERCISES:
        if exercise.choices:
            right = exercise.expected(exercise.standard)
            options = tuple((f"C{at}", f"<code>{escape(line, quote=False)}</code>", line in right, "")
                            for at, line in enumerate(exercise.choices, 1))
            text = task_html(task(page, exercise, PRINTED[0]), PRINTED[0], code)
            yield Choice(exercise.id, text, options, exercise.parts)


def forms(number: int) -> Iterator[Form]:
    """The exercises whose answers are numbers or words, except those about a picture."""
    code = lines_of_questions(number)
    page = cells(load(number))
    for exercise in of(number).EXERCISES:
        for seat in PRINTED if exercise.draw else PRINTED[0]:
            on_paper = task(page, exercise, seat)
            found = tuple(blanks(exercise, on_paper.numbers)) if exercise.expected else ()
            if found and "the picture" not in on_paper.text:
                yield Form(exercise.id, seat if exercise.draw else "", task_html(on_paper, seat, code), found)


def lines_of_questions(number: int) -> dict[str, str]:
    """The code that each question rests on: its own, or else that of an earlier question about it."""
    page, found, before = cells(load(number)), {}, ""
    for asked in of(number).QUESTIONS:
        own = own_lines(asked, page)
        shared = quoted(f"{asked.text} {asked.paper}")[0] & gives_of(before)
        found[asked.id] = own or (before if shared else "")
        before = found[asked.id] or before
    return found


def own_lines(asked: Question, page: list[Cell]) -> str:
    at = prediction_at(page, asked.id)
    return as_code(rests_on(quoted(asked.text)[0], page, at, section(page, at)))


def gives_of(code: str) -> set[str]:
    return set().union(*(gives(node) for node in ast.parse(code).body))


def task_html(task: Task, seat: str, code: dict[str, str]) -> str:
    """The exercise with its numbers, and with the lines of the prediction that it speaks of."""
    named = PREDICTION.search(task.text)
    lines = "\n\n".join(filter(None, (code.get(named[1], "") if named else "", task.code)))
    text = as_html(PAPER_ALONE.sub("", task.text)) + as_code_html(lines)
    text += as_html(task.steps.replace("**", ""))
    if len(task.said.splitlines()) > FEW:
        return text + as_html(f"Sheet {seat}:") + as_code_html(task.said)
    return text + (as_html(f"Sheet {seat}: `{', '.join(task.said.splitlines())}`") if task.said else "")


def as_code_html(code: str) -> str:
    return f"<pre>{escape(visible(code), quote=False)}</pre>" if code.strip() else ""


def as_html(text: str) -> str:
    """Paragraphs and lists of markdown."""
    made = []
    for block in re.split(r"\n{2,}|\n(?=- )|(?<=\n)(?=- )", visible(text).strip()):
        shown = EMPHASIS.sub(r"<em>\1</em>", marked_up(block.removeprefix("- ").strip()))
        made.append(f"<ul><li>{shown}</li></ul>" if block.startswith("- ") else f"<p>{shown}</p>")
    return "".join(made).replace("<p></p>", "").replace("</ul><ul>", "")


def blanks(exercise: Exercise, numbers: Any) -> Iterator[Blank]:
    """A blank for each number and word of the right answer; nothing where it is a set of lines to tick."""
    right = dict(flat(exercise, as_lists(exercise.expected(numbers))))
    often = [(dict(flat(exercise, as_lists(wrong.answer(numbers)))), marked_up(wrong.says))
             for wrong in exercise.wrong]
    for label, value in right.items():
        wrong = {}
        for answer, says in often:
            other = answer.get(label, value)
            if isinstance(other, str) == isinstance(value, str) and not same(other, value, exercise.within):
                wrong.setdefault(other, says)
        yield Blank(marked_up(coded(label)), value, exercise.within, tuple(wrong.items()))


def flat(exercise: Exercise, answer: Any, label: str = "") -> Iterator[tuple[str, float | str]]:
    """(what it is, value) for each number and word of an answer."""
    if isinstance(answer, dict):
        pairs = answer.items()
    elif isinstance(answer, list):
        names = exercise.quantities if not label else [f"number {at}" for at in range(1, len(answer) + 1)]
        pairs = zip(names, answer, strict=False)
    else:
        if isinstance(answer, (int, float, str)):
            yield label or "answer", str(answer).lower() if isinstance(answer, bool) else answer
        return
    for name, value in pairs:
        yield from flat(exercise, value, f"{label}, {name}" if label else name)
