"""A chapter as a file for learners: without solutions, notes for the teacher, and outputs, which would answer
what is asked.
"""
from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path

from . import callouts, source
from .licence import OF_NOTEBOOKS
from .pages import file_of, load, tags_of


def students(number: int, folder: Path) -> Iterator[Path]:
    yield write(student(load(number)), folder / file_of(number).name)


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
