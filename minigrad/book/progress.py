"""What a learner did, in one small readable file beside the notebooks: `progress.json`.

It holds the seat, the predictions and the attempts, and nothing else: no name unless the seat is one, no
time, nothing of the machine. It is never sent anywhere; a teacher who wants it asks for the file. The
environment variable MINIGRAD_PROGRESS names another place for it, or says "off": then it is only remembered
until the kernel stops.
"""
from __future__ import annotations

import json
import os
import sys
from pathlib import Path

NAME = "progress.json"
EMPTY = {"seat": None, "predictions": {}, "attempts": {}}


class Progress:
    """The file, read anew before each change, so that two open chapters don't overwrite each other."""

    def __init__(self) -> None:
        self.remembered = fresh()

    @property
    def path(self) -> Path | None:
        """Where the file is; None: nowhere."""
        place = os.environ.get("MINIGRAD_PROGRESS", NAME)
        return None if place == "off" else Path(place)

    def read(self) -> dict:
        path = self.path
        if path is None or not path.exists():
            return self.remembered
        try:
            self.remembered = checked(json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError) as reason:
            tell(f"{path.name} can't be read ({reason}); it is left as it is, and nothing is stored in it")
            os.environ["MINIGRAD_PROGRESS"] = "off"
        return self.remembered

    def change(self, part: str, key: str, **facts) -> None:
        """Add `facts` to the entry `key` of "predictions" or "attempts"."""
        now = self.read()
        now[part].setdefault(key, {}).update(facts)
        self.write(now)

    def take_seat(self, seat: str) -> None:
        now = self.read()
        now["seat"] = seat
        self.write(now)

    def write(self, now: dict) -> None:
        """Whole or not at all: what is half-written is never called progress.json."""
        self.remembered = now
        path = self.path
        if path is None:
            return
        beside = path.with_name(path.name + ".new")
        try:
            text = json.dumps(now, indent=1, ensure_ascii=False, sort_keys=True)
            beside.write_text(text + "\n", encoding="utf-8")
            os.replace(beside, path)
        except OSError as reason:
            tell(f"your progress can't be stored here ({reason.strerror}); it is kept until the kernel stops")
            os.environ["MINIGRAD_PROGRESS"] = "off"


def fresh() -> dict:
    return json.loads(json.dumps(EMPTY))


def checked(found: object) -> dict:
    """`found` with all its parts.

    Raises:
        ValueError: this is something else's file.
    """
    if not isinstance(found, dict) or not all(isinstance(found.get(part, {}), dict)
                                               for part in ("predictions", "attempts")):
        raise ValueError("it is not a learner's progress")
    return {**fresh(), **found}


def tell(line: str) -> None:
    print(f"Note: {line}.", file=sys.stdout)


progress = Progress()
