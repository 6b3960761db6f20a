"""What is counted in a chapter: its minutes and its cells of code."""
from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection
from typing import Any

from .callouts import as_markdown

# JupyterLab's "Run All" stops at an error, unless its cell has this tag. The cells that hold a learner's
# answer get it when the notebook is made, so that one slip does not empty the rest of a chapter.
RUN_ON, MAY_FAIL = "raises-exception", {"exercise", "check"}
# Code that a learner neither reads nor writes:
GIVEN = {"setup", "predict", "reveal", "judge", "check", "solution"}
OURS = {"setup", "viz", "aha", "widget", "book"}                # all other code is plain PyTorch
# Sections that are not counted:
ENGINE = "## Your engine"
PATIENTS = ("## Your patients", "## The last script")
NO_THEME = ("## Recap", "## For the teacher")
APART = (ENGINE, "## Adam", "## If you have time", *PATIENTS)
EVENING = (1, 2, 4)     # the chapters from a nudge to a network that the learner's own engine trains
# Sections that can wait on that evening:
LATER = ("## Your turn", "## If you have time", "## Who keeps a gradient?",
         "## When nothing requires a gradient")
WORDS_A_MINUTE, LINES_A_MINUTE = 130, 7     # of somebody whose first language isn't English
LEAST_FOR_A_SLICE = 12    # minutes, to write a slice of the engine
A_STEP = 8                # of a slice that is written in several, of about ten lines each
MINUTES_EACH = {"predict": 1.5, "judge": 1, "exercise": 5, "widget": 4}     # to think, beyond reading
A_CAPTION = 1
A_CELL = 0.2      # to run a cell and to look at what it shows
A_PLAYER = 1.5    # play(y), which is only looked at; play("name") is a lab, with a task
# Minutes more than other exercises: eight numbers, a longer program, several tests to write, and a slice that
# changes ten places of the engine, where others add lines in two or three.
LONGER = {"4a": 3, "12b": 5, "14c": 5, "13e": 30}
BUGS = {"15a": 1, "15b": 2, "15d": 2}     # silent bugs in the script of an exercise
NAMED = re.compile(r'(?:predict|reveal|judge)\("([\w.]+)"\)')
A_BUG = 8         # minutes to find one and to repair it; they include reading the script


def source(cell: dict) -> str:
    """Return the words of a cell, as they stand in the chapter's text."""
    words = "".join(cell["source"])
    return as_markdown(words) if cell["cell_type"] == "markdown" else words


def tags(cell: dict) -> set[str]:
    """Return the tags that the text of the chapter gives to a cell."""
    found = set(cell["metadata"].get("tags", ()))
    return found - {RUN_ON} if found & MAY_FAIL else found


def is_of_the_clinic(tags: Collection[str]) -> bool:
    """Return whether a cell with these tags raises an error that a table explains."""
    return RUN_ON in tags and any(tag.startswith("err-") for tag in tags)


def code_cells(notebook: dict, *wanted: str) -> list[dict]:
    """Return the code cells that have something in them, and all of these tags."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code" and source(cell).strip()
            and set(wanted) <= tags(cell)]


def texts(notebook: dict, teacher: bool = False) -> list[str]:
    return [source(cell) for cell in notebook["cells"]
            if cell["cell_type"] == "markdown" and (teacher or "instructor" not in tags(cell))]


def words(text: str) -> int:
    """Return how many words a text has, without tables, which have budgets of their own."""
    return read([line for line in text.splitlines() if not line.lstrip("> ").startswith("|")])


def read(texts: list[str]) -> int:
    """Return how many words are read."""
    return sum(len(re.findall(r"\w[\w'’.]*", text)) for text in texts)


def asked_in(notebook: dict) -> list[str]:
    """Return what is read at each question and verdict: the options, and what is said of the right one."""
    from ..content.chapters import note, question
    found = []
    for cell in code_cells(notebook, "predict"):
        if (named := NAMED.match(source(cell))) and (asked := known(question, named[1])):
            right = asked.option(asked.right).says
            found.append(" ".join([asked.text, *(one.text for one in asked.options), right, asked.explains]))
    for cell in code_cells(notebook, "judge"):
        if (named := NAMED.match(source(cell))) and (asked := known(note, named[1])):
            found.append(" ".join(asked.answer))
    return found


def known(find: Callable[[str], Any], key: str) -> Any:
    try:
        return find(key)
    except ValueError:      # `check` says so
        return None


def reading(notebook: dict) -> float:
    """Return the minutes for words, in texts, tables, questions and verdicts, and for lines of code."""
    told = read([*texts(notebook), *asked_in(notebook)])
    lines = sum(len(source(cell).splitlines()) for cell in code_cells(notebook) if not tags(cell) & GIVEN)
    return told / WORDS_A_MINUTE + lines / LINES_A_MINUTE


def minutes(notebook: dict) -> int:
    """Return how long a chapter takes: for words, lines of code, predictions, exercises and labs."""
    book = without_sections_apart(notebook)
    asked = sum(each * len(code_cells(book, kind)) for kind, each in MINUTES_EACH.items())
    players = sum(not source(cell).startswith('play("') for cell in code_cells(book, "widget"))
    asked += players * (A_PLAYER - MINUTES_EACH["widget"])
    asked += sum("✎ Your caption" in text for text in texts(book)) * A_CAPTION
    asked += longer(book) + A_CELL * len(code_cells(book))
    return math.ceil(reading(book) + asked)


def engine_minutes(notebook: dict) -> int:
    """Return how long the section takes in which the learner's engine grows; 0: there is none."""
    book = {"cells": in_sections(notebook, (ENGINE,))}
    if not book["cells"]:
        return 0
    writing = max(LEAST_FOR_A_SLICE, A_STEP * len(code_cells(book, "exercise")))
    return math.ceil(reading(book) + writing + longer(book))


def longer(book: dict) -> float:
    """Return the minutes that some exercises take more than others."""
    return sum(more for key, more in LONGER.items() if code_cells(book, "exercise", key))


def patient_minutes(notebook: dict) -> int:
    """Return how long the sections take in which a learner looks for bugs in unseen scripts; 0: none."""
    book = {"cells": in_sections(notebook, PATIENTS)}
    bugs = sum(many for key, many in BUGS.items() if code_cells(book, "exercise", key))
    return math.ceil(read(texts(book)) / WORDS_A_MINUTE + A_BUG * bugs)


def theme_minutes(notebook: dict, heading: str) -> int:
    """Return how long a theme takes, in a chapter that is read by theme; 0: there is no such theme.

    The minutes of all themes add up to those of the chapter. So what comes before the first theme counts with
    it, the recap counts with the last one, and a part of a minute with the theme that goes on from there.
    """
    cells = notebook["cells"]
    heads = [at for at, cell in enumerate(cells) if cell["cell_type"] == "markdown"
             and source(cell).startswith("## ") and not source(cell).startswith(NO_THEME)]
    bounds = [0, *heads[1:], len(cells)]
    for head, start, end in zip(heads, bounds, bounds[1:]):
        if source(cells[head]).startswith(f"## {heading}\n"):
            return minutes({"cells": cells[:end]}) - minutes({"cells": cells[:start]})
    return 0


def evening_minutes(notebook: dict) -> int:
    """Return how long a chapter takes on the evening: with its engine, and without what can wait."""
    later = {id(cell) for cell in in_sections(notebook, LATER)}
    book = {"cells": [cell for cell in notebook["cells"] if id(cell) not in later]}
    return minutes(book) + engine_minutes(book)


def without_sections_apart(notebook: dict) -> dict:
    """Return the notebook without the sections that have minutes of their own."""
    apart = {id(cell) for cell in in_sections(notebook, APART)}
    return {"cells": [cell for cell in notebook["cells"] if id(cell) not in apart]}


def in_sections(notebook: dict, headings: tuple[str, ...]) -> list[dict]:
    """Return the cells of the sections whose headings begin so."""
    cells, inside = [], False
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown" and source(cell).startswith("## "):
            inside = source(cell).startswith(headings)
        if inside:
            cells.append(cell)
    return cells
