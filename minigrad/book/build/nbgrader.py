"""A course for nbgrader: each chapter as an assignment, with solutions (source) and without (release).

A stub and its solution are one cell here, since nbgrader cuts solutions out of the cell that a learner
fills; each check is a test with a point for each part of the answer. A slice of the learner's engine is
optional, and has no points. Captions and exit tickets are answers that somebody marks by hand. `nbgrader
generate_assignment chapter_06` makes the release again from the source, and enters it in the gradebook; the
copy that is here shows what it will be.
"""
from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ..classroom.engine import text_for
from ..classroom.engine.slice_exercises import ENGINE_EXERCISES
from ..classroom.exercise import KEY
from ..content.chapters import exercise
from .keys import SENTENCE, TICKET
from .marking import CHECKED
from .pages import file_of, load, tags_of, text_of
from .students import student, write

STUB, TO_WRITE = "# YOUR CODE HERE", "Write your sentences here, in the place of this one."
CONFIG = f'''"""nbgrader's settings for the chapters of this book; see docs/nbgrader.md."""
from minigrad.book.build.marking import preprocessors

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "minigrad"
# A stub runs as it is, so that "Run All" reaches the end, and every check says "not answered yet".
c.ClearSolutions.code_stub = {{"python": "{STUB}"}}
c.ClearSolutions.text_stub = "{TO_WRITE}"
# A check that a learner has deleted comes back, and points are counted apart from the learner's cells.
c.OverwriteCells.add_missing_cells = True
c.Autograde.autograde_preprocessors = preprocessors()
'''
OPENING = ["from minigrad.book.build.grading import assignment\n", "assignment()\n"]
COUNTED = '''{check}
### BEGIN HIDDEN TESTS
# Without the settings in nbgrader_config.py, the points are counted here, among the learner's own cells.
__import__("minigrad.book.build.grading", fromlist=["grading"]).count("{key}", {answer})
### END HIDDEN TESTS'''
HIDDEN = re.compile(r"\n### BEGIN HIDDEN TESTS\n.*?^### END HIDDEN TESTS", re.DOTALL | re.MULTILINE)
REGION = re.compile(r"^### BEGIN SOLUTION\n.*?^### END SOLUTION", re.DOTALL | re.MULTILINE)
ENGINE = re.compile(r'^engine\("(\w+)", replace=True\).*$', re.MULTILINE)  # is closed in an assignment
IN_WORDS = re.compile(r"^(?:> \*\*✎ Your (?P<caption>caption)\*\*|\*\*Exit ticket\.\*\*) (?P<asked>[^\n]+)"
                      r"(?:\n+<details><summary>[^\n]*</summary>\n+(?P<answer>.*?)\n+</details>)?",
                      re.DOTALL | re.MULTILINE)


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
    solutions = {key_of(cell): ENGINE.sub(lambda found: text_for(found[1]).rstrip(), text_of(cell))
                 for cell in notebook["cells"] if "solution" in tags_of(cell)}
    made = student(notebook)
    cells: list[dict] = []
    checked = False  # whether the cell before is a check: the code after it would show what is right
    for cell in made["cells"]:
        tags = tags_of(cell)
        cell["metadata"] = {"tags": [tag for tag in cell["metadata"]["tags"] if tag in tags]} if tags else {}
        if cell["cell_type"] == "markdown":
            cells += in_words(cell, 1 + sum("nbgrader" in one["metadata"] for one in cells))
            checked = False
            continue
        if "setup" in tags:
            cell["source"] = [*OPENING, *cell["source"]]
        elif "exercise" in tags:
            key = key_of(cell)
            put(cell, f"{text_of(cell)}\n{solutions[key]}", about(f"answer-{key}", solution=True))
        elif "check" in tags:
            key, answer = CHECKED.search(text_of(cell)).groups()
            if key in ENGINE_EXERCISES:
                put(cell, text_of(cell), about(f"check-{key}", locked=True))
            else:
                put(cell, COUNTED.format(check=text_of(cell), key=key, answer=answer), about(
                    f"check-{key}", grade=True, locked=True, points=exercise(key).parts))
        elif checked:
            continue
        checked = "check" in tags
        cells.append(cell)
    made["cells"] = cells
    return made


def in_words(cell: dict, place: int) -> Iterator[dict]:
    """A text; a caption or an exit ticket in it is a question, and a cell that is marked by hand."""
    text, end = text_of(cell), 0
    for at, found in enumerate(IN_WORDS.finditer(text), 1):
        name, points = ("caption", SENTENCE) if found["caption"] else ("ticket", TICKET)
        asked = found["asked"].replace("Write one sentence.", "Write one sentence in the next cell.")
        head = "> **✎ Your caption** " if found["caption"] else "**Exit ticket.** "
        before = f"{text[end:found.start()].strip()}\n\n{head}{asked}".strip()
        yield {**cell, "id": f"{cell['id']}-{at}", "source": before.splitlines(keepends=True)}
        written = {**cell, "id": f"{cell['id']}-{at}a", "metadata": {}}
        put(written, (found["answer"] or "A sentence of the learner's own.").strip(), about(
            f"{name}-{place}", grade=True, solution=True, points=points))
        yield written
        end = found.end()
    if rest := text[end:].strip("\n"):
        yield {**cell, "source": rest.splitlines(keepends=True)} if end else cell


def key_of(cell: dict) -> str:
    return next(tag for tag in tags_of(cell) if KEY.fullmatch(tag))


def put(cell: dict, text: str, metadata: dict) -> None:
    cell["source"] = text.splitlines(keepends=True)
    cell["metadata"] = {**cell["metadata"], "nbgrader": metadata}


def about(name: str, *, grade: bool = False, solution: bool = False, locked: bool = False, **more) -> dict:
    return {"schema_version": 3, "grade_id": name, "grade": grade, "solution": solution, "locked": locked,
            "task": False, **more}


def release(made: dict) -> dict:
    """What learners get: nbgrader makes the same of the source."""
    cut = student(made)
    for cell in cut["cells"]:
        text, is_answer = text_of(cell), cell["metadata"].get("nbgrader", {}).get("solution")
        if is_answer and cell["cell_type"] == "markdown":
            text = TO_WRITE
        elif is_answer:
            text = REGION.sub(STUB, text)
        cell["source"] = HIDDEN.sub("", text).splitlines(keepends=True)
    return cut
