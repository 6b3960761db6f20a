"""What is counted in a chapter: its minutes and its cells of code."""
from __future__ import annotations

import math
import re

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
APART = (ENGINE, "## Adam", "## If you have time", *PATIENTS)
WORDS_A_MINUTE, LINES_A_MINUTE = 180, 7
LEAST_FOR_A_SLICE = 12    # minutes, to write a slice of the engine
A_STEP = 10               # of a slice that is written in several
MINUTES_EACH = {"predict": 1.5, "judge": 0.5, "exercise": 5, "widget": 4}
A_PLAYER = 1.5    # play(y), which is only looked at; play("name") is a lab, with a task
LONGER = {"12b": 5, "12c": 5}     # minutes more than other exercises: a longer program, two bugs to find
BUGS = {"15a": 1, "15b": 2, "15c": 2, "15d": 2}     # silent bugs in the script of an exercise
A_BUG = 8         # minutes to find one and to repair it; they include reading the script


def source(cell: dict) -> str:
    """Return the words of a cell, as they stand in the chapter's text."""
    words = "".join(cell["source"])
    return as_markdown(words) if cell["cell_type"] == "markdown" else words


def tags(cell: dict) -> set[str]:
    """Return the tags that the text of the chapter gives to a cell."""
    found = set(cell["metadata"].get("tags", ()))
    return found - {RUN_ON} if found & MAY_FAIL else found


def code_cells(notebook: dict, *wanted: str) -> list[dict]:
    """Return the code cells that have something in them, and all of these tags."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code" and source(cell).strip()
            and set(wanted) <= tags(cell)]


def texts(notebook: dict, teacher: bool = False) -> list[str]:
    return [source(cell) for cell in notebook["cells"]
            if cell["cell_type"] == "markdown" and (teacher or "instructor" not in tags(cell))]


def words(text: str) -> int:
    """Return how many words are read: without tables, which are looked up."""
    lines = [line for line in text.splitlines() if not line.lstrip("> ").startswith("|")]
    return len(re.findall(r"\w[\w'’.]*", " ".join(lines)))


def minutes(notebook: dict) -> int:
    """Return how long a chapter takes: for words, lines of code, predictions, exercises and labs."""
    book = without_sections_apart(notebook)
    read = sum(words(text) for text in texts(book))
    lines = sum(len(source(cell).splitlines()) for cell in code_cells(book) if not tags(cell) & GIVEN)
    asked = sum(each * len(code_cells(book, kind)) for kind, each in MINUTES_EACH.items())
    players = sum(not source(cell).startswith('play("') for cell in code_cells(book, "widget"))
    asked += players * (A_PLAYER - MINUTES_EACH["widget"])
    asked += sum(more for key, more in LONGER.items() if code_cells(book, "exercise", key))
    return math.ceil(read / WORDS_A_MINUTE + lines / LINES_A_MINUTE + asked)


def engine_minutes(notebook: dict) -> int:
    """Return how long the section takes in which the learner's engine grows; 0: there is none."""
    book = {"cells": in_sections(notebook, (ENGINE,))}
    if not book["cells"]:
        return 0
    read = sum(words(text) for text in texts(book))
    lines = sum(len(source(cell).splitlines()) for cell in code_cells(book) if not tags(cell) & GIVEN)
    writing = max(LEAST_FOR_A_SLICE, A_STEP * len(code_cells(book, "exercise")))
    return math.ceil(read / WORDS_A_MINUTE + lines / LINES_A_MINUTE + writing)


def patient_minutes(notebook: dict) -> int:
    """Return how long the sections take in which a learner looks for bugs in unseen scripts; 0: none."""
    book = {"cells": in_sections(notebook, PATIENTS)}
    read = sum(words(text) for text in texts(book))
    bugs = sum(many for key, many in BUGS.items() if code_cells(book, "exercise", key))
    return math.ceil(read / WORDS_A_MINUTE + A_BUG * bugs)


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
