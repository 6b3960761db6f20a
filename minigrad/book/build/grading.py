"""What an assignment of nbgrader calls: how it opens, and how many points an answer gets."""
from __future__ import annotations

import getpass
import os
from pathlib import Path
from typing import Any

from ..classroom.helping import NO_SOLUTIONS
from ..classroom.judging import count_right
from ..classroom.progress import progress


def assignment() -> None:
    """Open an assignment, and say whose numbers it has; `solution()` shows no answer in it.

    A seat that was taken before stays. Without one, the name is that of the folder in `autograded/` while
    nbgrader grades, `JUPYTERHUB_USER` on a JupyterHub, and the login name on any other computer.
    """
    os.environ[NO_SOLUTIONS] = "off"
    if progress.read()["seat"] is None and (name := login_name()):
        progress.take_seat(name)
    print(f"An assignment, with the numbers of {progress.read()['seat'] or 'nobody'}.")


def login_name() -> str:
    """The name under which a learner works here; empty: this computer knows none."""
    if os.environ.get("NBGRADER_EXECUTION") == "autograde":
        return Path.cwd().parent.name
    try:
        return os.environ.get("JUPYTERHUB_USER") or getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""


def count(key: str, answer: Any) -> int:
    """How many points an answer gets, with the numbers of the seat.

    The check cells of an assignment call this only where nbgrader is used without our settings: then it
    counts among the learner's own cells. `minigrad.book.build.marking` counts elsewhere.
    """
    from ..content.chapters import exercise as find
    exercise = find(key)
    return count_right(exercise, answer, exercise.numbers(progress.read()["seat"]))
