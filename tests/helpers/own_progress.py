"""A file of answers for one test, and a note that chapter 6 has only there."""
from collections.abc import Iterator
from pathlib import Path

import pytest

from minigrad.book.classroom import progress as stored
from minigrad.book.classroom.notes import Note

LUCKY = Note("6.n1", "lucky", says="Ten doublings were needed by chance.", instead="Print the start.",
             told="by chance")


def file_and_note(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield the place of a new progress.json, and afterwards forget what was remembered."""
    path = folder / "progress.json"
    monkeypatch.setenv("MINIGRAD_PROGRESS", str(path))
    monkeypatch.setattr("minigrad.book.content.chapters.ch06.NOTES", (LUCKY,), raising=False)
    stored.progress.remembered = stored.fresh()
    yield path
    stored.progress.remembered = stored.fresh()
