"""A chapter as a file for each learner, and as one for whoever teaches it; both made from the one source.

The learner's file has no solutions, no notes for the teacher, and no outputs, which would answer what is
asked. The teacher's file has everything, not folded, with a table after each prediction and exercise of what
people answer, why, and what to say.
"""
from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path

from .. import callouts, source
from ..chapters import exercise, question
from ..chapters import note as find_note
from ..exercises import as_lists
from ..lessons import lesson
from ..licence import OF_NOTEBOOKS
from ..misconceptions import MISCONCEPTIONS
from ..notes import VERDICTS
from .keys import said
from .pages import file_of, load, tags_of, text_of


def students(number: int, folder: Path) -> Iterator[Path]:
    yield write(student(load(number)), folder / file_of(number).name)


def instructors(number: int, folder: Path) -> Iterator[Path]:
    yield write(instructor(load(number), number), folder / file_of(number).name)


def write(notebook: dict, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(as_text(notebook), encoding="utf-8")
    return path


def as_text(notebook: dict) -> str:
    """The file, which also says what others may do with it, and nothing of the text that it was made from."""
    notebook = callouts.with_labels(copy.deepcopy(notebook))
    about = {key: value for key, value in notebook["metadata"].items() if key != source.OURS}
    made = {**notebook, "metadata": {**about, "license": OF_NOTEBOOKS}}
    return json.dumps(made, indent=1, ensure_ascii=False) + "\n"


def student(notebook: dict) -> dict:
    made = copy.deepcopy(notebook)
    made["cells"] = [cell for cell in made["cells"] if not tags_of(cell) & {"solution", "instructor"}]
    for cell in made["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
    return made


def instructor(notebook: dict, number: int) -> dict:
    made = copy.deepcopy(notebook)
    cells = []
    for cell in made["cells"]:
        cell["metadata"].pop("jupyter", None)  # folded for learners
        cells.append(cell)
        tags, words = tags_of(cell), text_of(cell)
        if "solution" in tags:  # which is not run where it still carries its marks
            code = "".join(line for line in cell["source"] if not line.startswith("### "))
            cell["source"] = code.rstrip("\n").splitlines(keepends=True)
        key = words.split('"')[1] if '"' in words else ""
        if "reveal" in tags:
            cells.append(note(f"why-{key}", why_wrong(key)))
        elif "judge" in tags:
            cells.append(note(f"verdict-{key}", verdict_on(key)))
        elif "check" in tags and exercise(key).wrong:
            cells.append(note(f"wrong-{key}", known_wrong(key)))
    cells.insert(1, note(f"plan-{number}", plan(number)))
    made["cells"] = cells
    return made


def note(name: str, text: str) -> dict:
    return {"cell_type": "markdown", "id": "teacher-" + name.replace(".", "-"),
            "metadata": {"tags": ["instructor"]}, "source": text.splitlines(keepends=True)}


def plan(number: int) -> str:
    """The lesson in minutes, where a teacher looks first."""
    found = lesson(number)
    rows = [f"| {row.start}–{row.end} | {bar(row.what)} |" for row in found.computers]
    head = (f"**Teacher's copy.** {found.alone} minutes alone, {found.minutes} in a class. Notes are at the "
            "end.")
    return "\n".join([head, "", "| minutes | what happens |", "|---|---|", *rows])


def verdict_on(key: str) -> str:
    asked = find_note(key)
    return "\n\n".join([f"**For the teacher: {VERDICTS[asked.verdict][1]}.**", *asked.answer])


def why_wrong(key: str) -> str:
    asked = question(key)
    rows = [f"**For the teacher: {key} is {asked.right}.**", "", "| answer | belief | say |", "|---|---|---|"]
    for letter in asked.letters:
        option = asked.option(letter)
        belief = "right" if option.right else f"{option.belief}: {MISCONCEPTIONS[option.belief]}"
        rows.append(f"| **{letter}** {bar(option.text)} | {bar(belief)} | {bar(option.says)} |")
    return "\n\n".join(["\n".join(rows), *asked.explains.splitlines()])


def known_wrong(key: str) -> str:
    one = exercise(key)
    rows = [f"**For the teacher: wrong answers to {key}.**", "", "| answer | belief | say |", "|---|---|---|"]
    for wrong in one.wrong:
        belief = f"{wrong.belief}: {MISCONCEPTIONS[wrong.belief]}" if wrong.belief else "a slip"
        rows.append(f"| {bar(shown(wrong.answer(one.standard)))} | {bar(belief)} | {bar(wrong.says)} |")
    return "\n".join(rows)


def shown(answer) -> str:
    """A short answer; a function or a tensor shows its kind only."""
    answer = {name: value for name, value in answer.items() if value is not None} if isinstance(
        answer, dict) else as_lists(answer)
    text = said(answer)
    return "a function of theirs" if " at 0x" in text else text


def bar(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
