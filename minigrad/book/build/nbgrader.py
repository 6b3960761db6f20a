"""A course for nbgrader: each chapter as an assignment, with solutions (source) and without (release).

A stub and its solution are one cell here, since nbgrader cuts solutions out of the cell that a learner fills;
each check is a test with a point for each part of the answer. `nbgrader generate_assignment chapter_06` makes
the release again from the source, and enters it in the gradebook; the copy that is here shows what it will
be.
"""
from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from pathlib import Path

from ..chapters import exercise
from ..exercises import KEY
from .pages import file_of, load, tags_of, text_of
from .students import student, write

STUB = "# YOUR CODE HERE"
CONFIG = f'''"""nbgrader's settings for the chapters of this book; see "nbgrader" in TEACHERS.md."""
c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "minigrad"
# A stub runs as it is, so that "Run All" reaches the end, and every check says "not answered yet".
c.ClearSolutions.code_stub = {{"python": "{STUB}"}}
c.ExecutePreprocessor.timeout = 120
'''
OPENING = ["from minigrad.book.grading import assignment\n", "assignment()\n"]
CHECKED = re.compile(r'check\("(\w+)", (\w+)\)')
REGION = re.compile(r"^### BEGIN SOLUTION\n.*?^### END SOLUTION", re.DOTALL | re.MULTILINE)


def pairs(number: int, folder: Path) -> Iterator[Path]:
    name = file_of(number).name
    made = source(load(number))
    yield write(made, folder / "source" / assignment(number) / name)
    yield write(release(made), folder / "release" / assignment(number) / name)
    config = folder / "nbgrader_config.py"
    config.write_text(CONFIG, encoding="utf-8")
    yield config


def assignment(number: int) -> str:
    return f"chapter_{number:02}"


def source(notebook: dict) -> dict:
    made = copy.deepcopy(notebook)
    cells, solutions = [], {}
    for cell in made["cells"]:
        if "solution" in tags_of(cell):
            solutions[key_of(cell)] = text_of(cell)
    for cell in made["cells"]:
        tags = tags_of(cell)
        cell["metadata"] = {"tags": [tag for tag in cell["metadata"]["tags"] if tag in tags]} if tags else {}
        if tags & {"solution", "instructor"}:
            continue
        if "setup" in tags:
            cell["source"] = [*OPENING, *cell["source"]]
        elif "exercise" in tags:
            key = key_of(cell)
            put(cell, f"{text_of(cell)}\n{solutions[key]}", about(f"answer-{key}", solution=True))
        elif "check" in tags:
            key, answer = CHECKED.search(text_of(cell)).groups()
            parts = exercise(key).parts
            test = (f"from minigrad.book.grading import right_parts\n"
                    f"right_parts(\"{key}\", {answer})[0]  # points, of {parts}")
            put(cell, f"{text_of(cell)}\n{test}", about(f"check-{key}", grade=True, locked=True,
                                                        points=parts))
        cells.append(cell)
    made["cells"] = cells
    return made


def key_of(cell: dict) -> str:
    return next(tag for tag in tags_of(cell) if KEY.fullmatch(tag))


def put(cell: dict, text: str, metadata: dict) -> None:
    cell["source"] = text.splitlines(keepends=True)
    cell["metadata"]["nbgrader"] = metadata
    cell["outputs"], cell["execution_count"] = [], None


def about(name: str, *, grade: bool = False, solution: bool = False, locked: bool = False, **more) -> dict:
    return {"schema_version": 3, "grade_id": name, "grade": grade, "solution": solution, "locked": locked,
            "task": False, **more}


def release(made: dict) -> dict:
    """What learners get: nbgrader makes the same of the source."""
    cut = student(made)
    for cell in cut["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("solution"):
            cell["source"] = REGION.sub(STUB, text_of(cell)).splitlines(keepends=True)
    return cut
