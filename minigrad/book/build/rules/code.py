"""What the code of a chapter keeps to."""
from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from ..counting import is_of_the_clinic
from .chapter import IDENTIFIERS, Chapter, Finding

WIDEST, LONGEST, MEDIAN_LINES = 79, 17, 4
LONGEST_SOLUTION = 22     # a step of the learner's engine has three classes
KNOWN_TAGS = {"setup", "viz", "aha", "widget", "book", "predict", "reveal", "judge", "exercise", "solution",
              "check", "raises-exception", "instructor", "hide-input"}


def code_within_budget(chapter: Chapter) -> Iterator[Finding]:
    cells = chapter.code()
    for cell in cells:
        lines = cell.text.splitlines()
        most = LONGEST_SOLUTION if "solution" in cell.tags else LONGEST
        if len(lines) > most:
            yield Finding(f"{len(lines)} lines in one cell", f"{most} at most: divide it", cell)
        for at, line in enumerate(lines):
            if len(line) > WIDEST:
                yield Finding(f"{len(line)} columns", f"{WIDEST} at most: break the line", cell, at)
    given = [len(cell.text.splitlines()) for cell in cells if "solution" not in cell.tags]
    if given and median(given) > MEDIAN_LINES:
        yield Finding(f"{median(given)} lines in the middle cell",
                      f"half of the cells have {MEDIAN_LINES} lines at most: divide the long ones")


def solutions_are_marked(chapter: Chapter) -> Iterator[Finding]:
    for cell in chapter.code("solution"):
        lines = cell.text.rstrip().splitlines()
        if lines[0] != "### BEGIN SOLUTION" or lines[-1] != "### END SOLUTION":
            yield Finding("a solution without its marks",
                          "its first line is '### BEGIN SOLUTION', its last '### END SOLUTION'", cell)
        if not cell.exercise:
            yield Finding("a solution of no exercise", "name it in a tag, as in [solution, 6a]", cell)


def an_error_is_read_out(chapter: Chapter) -> Iterator[Finding]:
    """After an error of the clinic, and what was predicted of it, comes the table that explains it."""
    for at, cell in enumerate(chapter.cells):
        if not is_of_the_clinic(cell.tags):
            continue
        after = next((one for one in chapter.cells[at + 1:] if "reveal" not in one.tags), cell)
        if "| It says | It means | Fix" not in after.text:
            yield Finding("no table follows this error",
                          "below it, and below its reveal, comes '| It says | It means | Fix ...'", after)


def tags_are_known(chapter: Chapter) -> Iterator[Finding]:
    for cell in chapter.cells:
        for tag in sorted(cell.tags):
            if tag not in KNOWN_TAGS and not IDENTIFIERS.fullmatch(tag):
                yield Finding(f"an unknown tag {tag!r}", "minigrad/book/__init__.py lists the tags", cell)


def no_line_ends_in_a_semicolon(chapter: Chapter) -> Iterator[Finding]:
    """Jupyter hides the value of such a line, and nbval 0.11 prints it: the notebook fails its test."""
    for cell in chapter.code():
        for at, line in enumerate(cell.text.splitlines()):
            if line.rstrip().endswith(";"):
                yield Finding("a line that ends in ';'",
                              "nbval prints its value: assign the value to `_`", cell, at)


RULES = (code_within_budget, solutions_are_marked, an_error_is_read_out, tags_are_known,
         no_line_ends_in_a_semicolon)
