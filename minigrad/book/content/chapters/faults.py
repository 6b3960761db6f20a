"""What is wrong in the module of a chapter: each fault is a sentence that says what to write.

The rules of `minigrad.book.build.rules` compare a module with its text; these faults need the module alone,
and a notebook can't open the chapter before they are gone.
"""
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from types import ModuleType
from typing import Any

PARTS = {"QUESTIONS": "Question(...)", "NOTES": "Note(...)", "EXERCISES": "Exercise(...)",
         "IDEAS": '"an idea"'}      # of a module, and what each holds
FUNCTIONS = ("decided", "expected", "judge", "example", "draw", "untouched")
HINTS = 2


def faults(module: ModuleType) -> Iterator[tuple[str, str]]:
    """Yield what is wrong in a module, each with the id of its question or exercise."""
    for part, example in PARTS.items():
        rows = getattr(module, part)
        if not isinstance(rows, (tuple, list)):
            yield getattr(rows, "id", ""), (f"{part} is no tuple, but {kind_of(rows)}: write "
                                            f"{part} = ({example},), with a comma before the last bracket")
            return      # what comes next goes through the rows
    for row in (*module.QUESTIONS, *module.NOTES, *module.EXERCISES):
        yield from ((row.id, fault) for fault in faults_of_fields(row))
    for asked in module.QUESTIONS:
        yield from ((asked.id, fault) for fault in faults_of_options(asked))
    for one in module.EXERCISES:
        yield from ((one.id, fault) for fault in faults_of_exercise(one))


def kind_of(value: Any) -> str:
    """Return "one Question" for a question without its tuple, and "a str" for words."""
    name = type(value).__name__
    return f"one {name}" if is_dataclass(value) else f"a {name}"


def faults_of_fields(row: Any) -> Iterator[str]:
    """Yield what is wrong in the fields of a question, a note or an exercise: functions, and `told`."""
    what = f"{type(row).__name__.lower()} {row.id}"
    for name in FUNCTIONS:
        value = getattr(row, name, None)
        if value is not None and not callable(value):
            yield (f"`{name}` of {what} must be a function, but is {value!r}: write it with `lambda`, or "
                   "name a function")
    told = vars(row).get("told", "")    # of an exercise, it is a method
    try:
        re.compile(told)
    except (re.error, TypeError) as error:
        yield (f"`told` of {what} is {told!r}, which is no regular expression ({error}): write a backslash "
               r"before a sign that is meant as it is, as in r'f\(x\)'")


def faults_of_options(asked: Any) -> Iterator[str]:
    """Yield what is wrong with the options of a question: how many, which is right, which is twice."""
    if not isinstance(asked.options, (tuple, list)):
        yield (f"the options of question {asked.id} are no tuple, but {kind_of(asked.options)}: a question "
               "needs 2 to 4, with a comma after each")
        return
    right = sum(option.right for option in asked.options)
    if not 2 <= len(asked.options) <= 4 or right != 1:
        yield (f"question {asked.id} has {len(asked.options)} options, and {right} of them "
               "right (its belief is None): it needs 2 to 4, and exactly one right")
    texts = [option.text for option in asked.options]
    for text in texts:
        if texts.count(text) > 1:
            yield f"question {asked.id} has the option {text!r} twice: change one of the two"


def faults_of_exercise(one: Any) -> Iterator[str]:
    """Yield what is wrong with an exercise: nothing says what is right, or its hints are not two."""
    if one.expected is None and (one.judge is None or one.draw and not one.example):
        yield (f"exercise {one.id} says nowhere what is right: it needs `expected`, or `judge` "
               "with an `example`")
    if not isinstance(one.hints, (tuple, list)) or len(one.hints) != HINTS:
        count = len(one.hints) if isinstance(one.hints, (tuple, list)) else kind_of(one.hints)
        yield (f"exercise {one.id} needs two hints, and its `hints` are {count}: write "
               'hints=("the first hint", "the second hint")')
    if not isinstance(one.wrong, (tuple, list)):
        yield (f"`wrong` of exercise {one.id} is no tuple, but {kind_of(one.wrong)}: write "
               "wrong=(Wrong(...),), with a comma before the last bracket")
