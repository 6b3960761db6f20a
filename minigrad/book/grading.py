"""What an assignment of nbgrader calls: how it opens, and how many points an answer gets."""
from __future__ import annotations

import getpass
import os
from pathlib import Path
from typing import Any

from .exercises import NO_SOLUTIONS
from .judging import count_right
from .progress import progress


def assignment() -> None:
    """Open an assignment: `solution()` shows nothing in it, and the numbers are those of the learner's name.

    A seat that was taken before stays. Without one, the name is that of the folder in `autograded/` while
    nbgrader grades, `JUPYTERHUB_USER` on a JupyterHub, and the login name on any other computer.
    """
    os.environ[NO_SOLUTIONS] = "off"
    if progress.read()["seat"] is None and (name := login_name()):
        progress.take_seat(name)


def login_name() -> str:
    """The name under which a learner works here; empty: this computer knows none."""
    if os.environ.get("NBGRADER_EXECUTION") == "autograde":
        return Path.cwd().parent.name
    try:
        return os.environ.get("JUPYTERHUB_USER") or getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""


def right_parts(key: str, answer: Any) -> tuple[int, int]:
    """Return (right, all): how many parts of an answer are right, and how many parts the exercise has."""
    from .chapters import exercise as find
    exercise = find(key)
    return count_right(exercise, answer, exercise.numbers(progress.read()["seat"])), exercise.parts
