"""The questions and exercises of each chapter, in a file each: `ch06.py` holds those of chapter 6.

A question is named by chapter and number ("6.1"), a note by chapter and number ("6.n1"), an exercise by
chapter and letter ("6b").
"""
from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import TYPE_CHECKING

from .faults import PARTS, faults
from .titles import CHAPTERS

if TYPE_CHECKING:
    from ...classroom.exercise import Exercise
    from ...classroom.notes import Note
    from ...classroom.questions import Question

EXAMPLES = {"question": '"6.1"', "note": '"6.n1"', "exercise": '"6b"'}


def of(number: int) -> ModuleType:
    """Return the module of one chapter; each of `PARTS` that it doesn't have is empty.

    Raises:
        ValueError: there is no such chapter, or its module is missing.
    """
    if number not in CHAPTERS and number not in modules():
        raise ValueError(f"there is no chapter {number!r}; there are {', '.join(map(str, CHAPTERS))}")
    return _loaded(number)


def modules() -> list[int]:
    """Return the numbers of the chapters that have a module; titles.py may not have the newest yet."""
    return sorted(int(path.stem[2:]) for path in Path(__file__).parent.glob("ch[0-9][0-9].py"))


@cache
def _loaded(number: int) -> ModuleType:
    name = f"{__name__}.ch{number:02}"
    try:
        module = import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise ValueError(f"chapter {number} has a text, but no module: write {place(number)} with its "
                         "QUESTIONS, as ch06.py has them") from None
    except (SyntaxError, NameError, TypeError, ValueError) as error:
        at = getattr(error, "lineno", None) or _line_in(error, place(number))
        raise ValueError(f"{place(number)}{at and f':{at}'}: {type(error).__name__}: {error}") from error
    for part in PARTS:
        vars(module).setdefault(part, ())
    for key, fault in faults(module):
        raise ValueError(f"{line_of(number, key)}: {fault}")
    return module


def _line_in(error: Exception, file: str) -> int | str:
    """Return the last line of a file at which an error passed; "": none."""
    lines = [frame.lineno for frame in extract_tb(error.__traceback__)
             if frame.filename.replace("\\", "/").endswith(file)]
    return lines[-1] if lines else ""


def place(number: int) -> str:
    """Return where the module of a chapter is: "minigrad/book/content/chapters/ch06.py"."""
    return f"minigrad/book/content/chapters/ch{number:02}.py"


def line_of(number: int, key: str) -> str:
    """Return where a question, a note or an exercise is: "minigrad/book/content/chapters/ch06.py:9"."""
    text = (Path(__file__).parent / f"ch{number:02}.py").read_text(encoding="utf-8")
    found = re.search(rf'(?:Question|Note|Exercise)\(\s*"{re.escape(key)}"', text)
    return place(number) + (f":{text.count(chr(10), 0, found.start()) + 1}" if found else "")


def chapter_of(key: str) -> int:
    """Return the chapter of a question or an exercise: 6 for "6.1" and for "6b"."""
    return int(re.match(r"\d+", key)[0])


def question(key: str) -> Question:
    return _find(key, "QUESTIONS", "question")


def note(key: str) -> Note:
    return _find(key, "NOTES", "note")


def notes(number: int) -> tuple[Note, ...]:
    """Return the notes that a chapter lets the learner judge."""
    return of(number).NOTES


def exercise(key: str) -> Exercise:
    """An exercise of a chapter, or, "4e1" to "13e", of the learner's engine."""
    from ...classroom.engine.slice_exercises import engine_exercise_named
    return engine_exercise_named(key) or _find(key, "EXERCISES", "exercise")


def _find(key: str, where: str, what: str):
    """The row of a chapter that `key` names; "6B" is as good as "6b".

    Raises:
        ValueError: there is none; the message says which there are.
    """
    example = EXAMPLES[what]
    if not isinstance(key, str):
        raise ValueError(f"write the name of the {what} in quotes, as in {example}; this is {key!r}")
    name = key.strip().lower()
    number = re.match(r"\d+", name)
    there = number and int(number[0]) in {*CHAPTERS, *modules()}
    rows = getattr(of(int(number[0])), where) if there else ()
    for row in rows:
        if row.id == name:
            return row
    there = f"{what}s are named as in {example}"
    if rows:
        there = f"chapter {number[0]} has {', '.join(row.id for row in rows)}"
        if what == "exercise":
            from ...classroom.engine.slice_exercises import keys_of
            mine = keys_of(int(number[0]))
            there += f", and {', '.join(mine)} for your engine" if mine else ""
    raise ValueError(f"there is no {what} {key!r}; {there}")
