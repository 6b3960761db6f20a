"""What a learner did, in one small readable file beside the notebooks: `progress.json`.

It holds the seat, the predictions, the verdicts on notes and the attempts, and nothing else: no name unless
the seat is one, no time, nothing of the machine. Of a wrong answer it holds what `judging.mistakes` returns,
which is no text of the learner's own. It is never sent anywhere; a teacher who wants it asks for
the file. The environment variable MINIGRAD_PROGRESS names another place for it, or says "off": then it is
only remembered until the kernel stops.
"""
from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from . import files, verdict

NAME = "progress.json"
PARTS = {  # the kinds of entries: what an entry may hold, where it is checked
    "predictions": {"choice": str, "confidence": str, "asked": str, "older": dict},
    "notes": {"choice": str, "again": str, "asked": str, "older": dict},
    "attempts": {"tries": int, "hints": int, "wrong": dict},
}
EMPTY = {"seat": None, **{part: {} for part in PARTS}}


class Progress:
    """The file, and what could not be written into it.

    Every change is made to the file as it is at that moment, while other kernels wait: chapters that are open
    at the same time don't overwrite each other. A change that can't be written is `remembered`, and tried
    again with the next one.
    """

    def __init__(self) -> None:
        self.remembered = fresh()
        self.told: set[tuple[Path, str]] = set()

    @property
    def path(self) -> Path | None:
        """Where the file is; None: nowhere."""
        place = os.environ.get("MINIGRAD_PROGRESS", NAME)
        return None if place == "off" else Path(place)

    def read(self) -> dict:
        path = self.path
        try:
            found = from_file(path) if path else fresh()
        except (OSError, ValueError) as reason:
            self.tell(path, reason)
            found = fresh()
        return known(merged(found, self.remembered))

    def change(self, part: str, key: str, **facts: Any) -> None:
        """Add `facts` to the entry `key` of one of PARTS; a fact that is None is taken out of it."""
        merged(self.remembered, {part: {key: facts}})
        self.write()

    def take_seat(self, seat: str) -> None:
        self.remembered["seat"] = seat
        self.write()

    def write(self) -> None:
        """Add what is remembered to the file: whole or not at all."""
        path = self.path
        if path is None:
            return
        try:
            with files.held(path) as write:
                new = known(merged(from_file(path), self.remembered))
                write(json.dumps(new, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
        except (OSError, ValueError) as reason:
            self.tell(path, reason)
        else:
            self.remembered = fresh()

    def tell(self, path: Path, reason: Exception) -> None:
        """Say once what is wrong with the file, and what to do."""
        if isinstance(reason, OSError):
            line = (f"Your answers can't be stored ({reason.strerror or reason}); they are kept until the "
                    "kernel stops, and stored with your next answer once that is cured.")
        else:
            line = (f"This file is damaged, or belongs to something else ({reason}); it was not changed, and "
                    "your answers are kept until the kernel stops: repair the file or move it away.")
        if (path, line) not in self.told:
            self.told.add((path, line))
            verdict.show(verdict.NOTE, path.name, line)


def fresh() -> dict:
    return json.loads(json.dumps(EMPTY))


def from_file(path: Path) -> dict:
    """What the file holds; a file that is missing holds nothing yet.

    Raises:
        OSError: it can't be read.
        ValueError: this is something else's file.
    """
    try:
        text = files.patiently(lambda: path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return fresh()
    except UnicodeDecodeError:
        raise ValueError("it is not text") from None
    return checked(json.loads(text))


def merged(found: dict, new: dict) -> dict:
    """`found`, with the facts of `new` added to it."""
    if new.get("seat") is not None:
        found["seat"] = new["seat"]
    for part in PARTS:
        for key, facts in new.get(part, {}).items():
            found[part].setdefault(key, {}).update(facts)
    return found


def known(found: dict) -> dict:
    """`found` without the facts that are None."""
    rows = {part: {key: {name: fact for name, fact in row.items() if fact is not None}
                   for key, row in found[part].items()} for part in PARTS}
    return {**found, **rows}


def checked(found: object) -> dict:
    """`found` with all its parts.

    Raises:
        ValueError: this is something else's file.
    """
    if not isinstance(found, dict):
        raise ValueError("it is not a learner's progress")
    found = {**fresh(), **found}
    fine = isinstance(found["seat"], (str, type(None)))
    for part, facts in PARTS.items():
        rows = found[part].values() if isinstance(found[part], dict) else [None]
        fine &= all(isinstance(row, dict) and all(isinstance(row.get(name), (kind, type(None)))
                                                  for name, kind in facts.items()) for row in rows)
    if not fine:
        raise ValueError("it is not a learner's progress")
    return found


progress = Progress()
