"""The learners of a class, from the progress files that they handed in: which files belong to one learner.

A file belongs to the learner whose folder it is in, or has a folder of its own. Two rules join files:

- nbgrader keeps a folder for each assignment, `ann/chapter_06/progress.json`: all below `ann` is one
  learner's.
- A copy, such as "progress (1).json" beside "progress.json", is the same learner's if one of the two files
  holds every answer of the other. If each holds an answer that the other doesn't, they are two learners'.
"""
from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ...viz.drawing.text_twin import visible
from ..classroom.progress import checked
from ..classroom.questions import CONFIDENCE, answers
from ..content.misconceptions import MISCONCEPTIONS

LARGEST = 1_000_000  # bytes; all answers of all chapters are about 20 000
ASSIGNMENT = re.compile(r"chapter_\d\d")
COPY = re.compile(r"( ?\(\d+\)|( -)? [Cc]opy( ?\(?\d+\)?)?|-checkpoint)+$")


@dataclass
class Learner:
    """What one learner answered, in one or several files."""

    home: tuple[Path, str]
    seat: str | None = None
    file: str = ""  # the first of them
    predictions: dict[str, dict] = field(default_factory=dict)
    attempts: dict[str, dict] = field(default_factory=dict)

    def holds(self, other: Learner) -> bool:
        """Whether every answer of `other` is among these."""
        agreed = (self.predictions.get(key, {}).get("choice") == stored["choice"]
                  for key, stored in other.predictions.items())
        return all(agreed) and other.attempts.keys() <= self.attempts.keys()

    def join(self, other: Learner) -> None:
        for key, stored in other.predictions.items():
            self.predictions.setdefault(key, stored)
        for key, stored in other.attempts.items():
            less, more = sorted((self.attempts.get(key, {}), stored), key=lambda one: one.get("tries", 0))
            self.attempts[key] = {**less, **more, "right": bool(less.get("right") or more.get("right")),
                                  "wrong": wrong_in(less) | wrong_in(more)}


def learners(folder: Path) -> tuple[list[Learner], dict[str, str], list[str]]:
    """The learners under `folder`; for each file that can't be read, why; the copies that add nothing.

    Raises:
        ValueError: there is no such folder, or no progress file in it can be read; the message names those
            that can't, and says why.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder} is not a folder")
    found: list[Learner] = []
    unread, copies = {}, []
    for path in files_in(folder):
        name = visible(" ".join(path.relative_to(folder).as_posix().split()))
        try:
            one = read(path)
        except (OSError, ValueError) as reason:
            unread[name] = str(reason)
            continue
        one.file = name
        known = next((other for other in found if same(other, one, path)), None)
        if known is None:
            found.append(one)
            continue
        if known.holds(one) or one.holds(known):
            copies.append(name)
        known.join(one)
    if not found:
        damaged = "; ".join(f"{name} ({reason})" for name, reason in unread.items())
        raise ValueError(f"there is no progress.json under {folder}"
                         + f" that can be read: {damaged}" * bool(damaged))
    return found, unread, copies


def files_in(folder: Path) -> Iterator[Path]:
    """The files that may be somebody's progress; not those that programs keep in somebody's home."""
    for path in sorted(folder.rglob("*.json"), key=lambda path: (path.parent, len(path.name), path.name)):
        if not any(part.startswith(".") for part in path.relative_to(folder).parts):
            yield path


def same(known: Learner, one: Learner, path: Path) -> bool:
    if known.home != one.home:
        return False
    return bool(ASSIGNMENT.fullmatch(path.parent.name)) or known.holds(one) or one.holds(known)


def read(path: Path) -> Learner:
    """Return what a file holds, without answers to another question that an earlier edition asked.

    Raises:
        ValueError: it is not a learner's progress, or something in it can't be; nothing of it is used then.
    """
    from ..content.chapters import exercise, question
    if not path.is_file() or path.stat().st_size > LARGEST:  # a pipe or a device would never end
        raise ValueError("it is not a file of at most 1 MB")
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise ValueError("it is damaged: this is not JSON") from None
    if not isinstance(stored, dict) or not {"predictions", "attempts"} & set(stored):
        raise ValueError("it is another program's file")
    progress = checked(stored)
    predictions = {}
    try:
        for key, entry in progress["predictions"].items():
            if not answers(entry, asked := question(key)):
                continue
            sure = entry.get("confidence")
            if entry["choice"] not in tuple(asked.letters) or sure not in (*CONFIDENCE, None):
                raise ValueError
            predictions[key] = entry
        for key, entry in progress["attempts"].items():
            exercise(key)
            if entry.get("belief") not in (*MISCONCEPTIONS, None) or entry.get("tries", 0) < 0 \
                    or not all(isinstance(value, str) for value in wrong_in(entry).values()):
                raise ValueError
    except (ValueError, LookupError, TypeError, AttributeError):
        raise ValueError(f"its entry {key[:40]!r} is damaged, or of another edition of the book") from None
    return Learner(home_of(path), progress["seat"], "", predictions, progress["attempts"])


def wrong_in(entry: dict) -> dict[str, str]:
    """What an attempt holds of wrong answers (see `judging.mistakes`); older files hold nothing."""
    return entry.get("wrong") or {}


def home_of(path: Path) -> tuple[Path, str]:
    """What the files of one learner have in common: the folder, and the name without what marks a copy."""
    if ASSIGNMENT.fullmatch(path.parent.name):
        return path.parent.parent, ""
    return path.parent, COPY.sub("", path.stem)
