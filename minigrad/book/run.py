"""Runs chapters from top to bottom and stores what they print: the way to refresh a chapter after an edit.

    python -m minigrad.book run 6

What is stored must be the same on every machine: no times, no widgets, no progress of anybody.
"""
from __future__ import annotations

import os
import tempfile
from pathlib import Path

from . import files
from .exercises import NOTEBOOKS

ENVIRONMENT = {"MINIGRAD_BOOK": "text", "MINIGRAD_PROGRESS": "off", "IPYKERNEL_CELL_NAME": "<cell>",
               "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(NOTEBOOKS.parent)}


def notebooks(chosen: list[str]) -> list[Path]:
    """The files of the chosen chapters (numbers, or beginnings of names), or all.

    Raises:
        ValueError: one of them is unknown.
    """
    every = sorted(NOTEBOOKS.glob("*.ipynb"))
    if not chosen:
        return every
    found = []
    for word in chosen:
        start = f"{int(word):02}_" if word.isdecimal() else word
        hits = [path for path in every if path.name.startswith(start)]
        if not hits:
            there = ", ".join(path.stem for path in every)
            raise ValueError(f"there is no chapter {word!r}; there are: {there}")
        found += hits
    return found


def run(path: Path) -> int:
    """Run one notebook in place; the number of its code cells. A cell that fails unexpectedly raises."""
    import nbformat
    from nbclient import NotebookClient
    from nbconvert.filters import strip_ansi

    notebook = nbformat.read(path, as_version=4)
    metadata = dict(notebook.metadata)  # a run adds the version of this Python, and widgets
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(notebook, timeout=120, kernel_name="python3", record_timing=False,
                                store_widget_state=False, coalesce_streams=True,
                                resources={"metadata": {"path": folder}})
        client.execute(env={**os.environ, **ENVIRONMENT})
    for output in (output for cell in notebook.cells for output in cell.get("outputs", [])):
        if output.output_type == "error":  # each IPython has colours of its own
            output.traceback = [strip_ansi(line) for line in output.traceback]
    notebook.metadata = nbformat.from_dict(metadata)
    with files.held(path) as write:
        write(nbformat.writes(notebook) + "\n")
    return sum(cell.cell_type == "code" for cell in notebook.cells)
