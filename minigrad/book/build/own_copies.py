"""A learner's own copies of the chapters: made where they are missing, and never written over a file.

    python -m minigrad.book copy my_chapters              what is not there yet, and a page of contents
    python -m minigrad.book copy my_chapters --fresh 3    chapter 3 once more, under a new name
"""
from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

from ..classroom import files
from ..classroom.links import NOTEBOOK
from ..content.chapters import CHAPTERS
from . import source
from .pages import file_of, load
from .plan import chosen
from .students import as_text, student

SHOW_CONTENTS = "from minigrad.book import *\ncontents()"


def copy_chapters(folder: Path, fresh: str | None = None) -> Iterator[Path]:
    """Yield each file that was made: every chapter that is missing, or one chapter under a new name.

    Raises:
        ValueError: there is no such chapter, or a file can't be written; the message says what to do.
    """
    numbers = list(CHAPTERS) if fresh is None else chosen([fresh])
    for number in numbers:
        path = folder / file_of(number).name
        names = [path] if fresh is None else (new_name(path, number, at) for at in count(2))
        yield from first_free(folder, names, as_text(own(number)))
    if fresh is None:
        yield from first_free(folder, [folder / NOTEBOOK], as_text(contents_notebook()))


def new_name(path: Path, number: int, at: int) -> Path:
    """Return a name such as 06v2_why.ipynb, which JupyterLab lists below 06_why.ipynb."""
    return path.with_name(f"{number:02}v{at}{path.name[2:]}")


def first_free(folder: Path, names: Iterator[Path] | list[Path], text: str) -> Iterator[Path]:
    """Yield the first of these files that was not there, once it is written; none, if all are there."""
    for path in names:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if create(path, text):
                yield path
                return
        except OSError as error:
            raise ValueError(why_not(folder, path, error)) from None


def own(number: int) -> dict:
    """Return a learner's chapter, with links to the chapters beside it at the end."""
    made = student(load(number))
    beside = [linked(number - 1, "← {}")] if number - 1 in CHAPTERS else []
    beside += [f"[Contents]({NOTEBOOK})"]
    beside += [linked(number + 1, "{} →")] if number + 1 in CHAPTERS else []
    made["cells"].append(markdown("links", " · ".join(beside)))
    return made


def contents_notebook() -> dict:
    """Return the notebook that lists the chapters, with a cell that shows what is done in each."""
    opening = ("# Contents\n\nA click on a title opens the chapter. The cell below the list shows what you "
               "have done; run it again when you come back.")
    cells = [markdown("opening", opening),
             markdown("chapters", "\n".join(f"- {linked(number, '{}')}" for number in CHAPTERS)),
             {"cell_type": "code", "execution_count": None, "id": "done", "metadata": {"tags": ["book"]},
              "outputs": [], "source": SHOW_CONTENTS}]
    return {"cells": cells, "metadata": source.METADATA, "nbformat": 4, "nbformat_minor": 5}


def linked(number: int, around: str) -> str:
    title = around.format(f"{number} · {CHAPTERS[number][0]}")
    return f"[{title}]({file_of(number).name})"


def markdown(name: str, text: str) -> dict:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": text}


def create(path: Path, text: str) -> bool:
    """Write a new file, whole or not at all; False: there is one of this name, and it stays as it is."""
    with files.held(path) as write:
        if path.exists():
            return False
        write(text)
    return True


def why_not(folder: Path, path: Path, error: OSError) -> str:
    if folder.exists() and not folder.is_dir():
        return (f"{folder} is a file, and your chapters need a folder of that name. "
                "Rename the file, then try again.")
    return (f"{path.name} can't be written into {folder}: {error.strerror}. The files that are there are "
            "whole. Make room, or choose a folder that you may write to, then try again.")
