"""A learner's own copies of the chapters: made where they are missing, and never written over a file.

    python -m minigrad.book copy my_chapters              the chapters that are not there yet
    python -m minigrad.book copy my_chapters --fresh 3    chapter 3 once more, under a new name
"""
from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

from .. import files
from ..chapters import CHAPTERS
from .pages import file_of, load
from .plan import chosen
from .students import as_text, student


def copy_chapters(folder: Path, fresh: str | None = None) -> Iterator[Path]:
    """Yield each file that was made: every chapter that is missing, or one chapter under a new name.

    Raises:
        ValueError: there is no such chapter, or a file can't be written; the message says what to do.
    """
    numbers = list(CHAPTERS) if fresh is None else chosen([fresh])
    for number in numbers:
        path = folder / file_of(number).name
        text = as_text(student(load(number)))
        try:
            folder.mkdir(parents=True, exist_ok=True)
            names = [path] if fresh is None else (path.with_stem(f"{path.stem}_{at}") for at in count(2))
            made = next((name for name in names if create(name, text)), None)
        except OSError as error:
            raise ValueError(why_not(folder, path, error)) from None
        if made:
            yield made


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
