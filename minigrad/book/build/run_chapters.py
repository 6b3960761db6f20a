"""Makes chapters from their texts, runs them from top to bottom and stores what they print.

    python -m minigrad.book run 6

What is stored must be the same on every machine: no times, no widgets, no progress of anybody.
"""
from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path

from ..classroom import files
from ..classroom.helping import NOTEBOOKS
from . import source

ENVIRONMENT = {"MINIGRAD_BOOK": "text", "MINIGRAD_PROGRESS": "off",
               "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(NOTEBOOKS.parent)}
CELL = re.compile(r"\S*ipykernel_\d+[\\/]\d+\.py")     # the file that a warning names for a cell


def texts(chosen: list[str]) -> list[Path]:
    """The texts of the chosen chapters (numbers, or beginnings of names), or all.

    Raises:
        ValueError: one of them is unknown.
    """
    return _chosen(chosen, source.TEXTS, ".md")


def notebooks(chosen: list[str]) -> list[Path]:
    """The notebooks of the chosen chapters (numbers, or beginnings of names), or all.

    Raises:
        ValueError: one of them is unknown.
    """
    return _chosen(chosen, NOTEBOOKS, ".ipynb")


def _chosen(words: list[str], folder: Path, kind: str) -> list[Path]:
    every = sorted(folder.glob(f"*{kind}"))
    if not words:
        return every
    found = []
    for word in words:
        start = f"{int(word):02}_" if word.isdecimal() else word
        hits = [path for path in every if path.name.startswith(start)]
        if not hits:
            there = ", ".join(path.stem for path in every)
            raise ValueError(f"there is no chapter {word!r}; there are: {there}")
        found += hits
    return found


def keeps_edits(text: Path, force: bool = False) -> None:
    """Refuse to replace a notebook whose cells somebody has changed since they were made.

    Raises:
        ValueError: somebody has; the message says how to keep the changes.
    """
    path = source.notebook_of_text(text)
    if force or not path.exists():
        return
    if source.edited(json.loads(path.read_text(encoding="utf-8"))):
        raise ValueError(
            f"notebooks/{path.name} was edited after it had been made from its text, and is left as it is. "
            f"`python -m minigrad.book text {text.stem}` writes the text from it; "
            f"`python -m minigrad.book run {text.stem} --force` gives its changes up.")


def run(path: Path, made: dict | None = None) -> int:
    """Run a notebook as it is stored, or as it was just made, and store it; the number of its code cells.

    Raises:
        CellExecutionError: a cell failed unexpectedly; the file stays as it is.
    """
    import nbformat
    from nbclient import NotebookClient
    from nbconvert.filters import strip_ansi

    notebook = nbformat.from_dict(made) if made else nbformat.read(path, as_version=4)
    metadata = dict(notebook.metadata)  # a run adds the version of this Python, and widgets
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(notebook, timeout=120, kernel_name="python3", record_timing=False,
                                store_widget_state=False, coalesce_streams=True,
                                resources={"metadata": {"path": folder}})
        client.execute(env={**os.environ, **ENVIRONMENT})
    for output in (output for cell in notebook.cells for output in cell.get("outputs", [])):
        if output.output_type == "error":  # each IPython has colours of its own
            output.traceback = [strip_ansi(line) for line in output.traceback]
        elif output.output_type == "stream":
            output.text = CELL.sub("<cell>", output.text)
    notebook.metadata = nbformat.from_dict(metadata)
    with files.held(path) as write:
        write(nbformat.writes(notebook) + "\n")
    return sum(cell.cell_type == "code" for cell in notebook.cells)
