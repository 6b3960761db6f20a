"""What a symptom page consists of: programs without an error message that do something else than intended.

Everything that a page says about a program is a field here, so that the build and a test can run it.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Remedy(NamedTuple):
    """A change that removes a cause, and what the change costs."""

    words: str
    price: str
    edits: tuple[tuple[str, str], ...]  # (old, new): each old text occurs once in the program of the cause
    prints: str  # the last line that the changed program prints


class Cause(NamedTuple):
    """One cause of a symptom: a program that shows the symptom, and changes that remove the cause.

    The programs come after `import minigrad as torch` or `import torch`. What they print ends in a number.
    """

    slug: str  # names the section of the page, and stays as it is: people keep links
    title: str
    code: str
    prints: str  # the last line that the program prints
    marks: str  # a text in the line that the cause is in
    what: str  # why the program shows the symptom
    remedies: tuple[Remedy, ...]
    chapter: int | None = None  # that explains it best
    exact: bool = True  # whether its digits are the same everywhere; large steps may depend on the threads


class Outcome(NamedTuple):
    """Something that a measurement can show.

    `fits` is given what was noted, as lists by place; "error" has the message of a program that failed, and
    "second run" what was noted in a second run.
    """

    words: str
    fits: Callable[[dict[str, list[Any]]], bool]


class Look(NamedTuple):
    """One measurement as a page uses it: what to note, where, and what it can show.

    `calls` has an expression for each place: "before the pass", "after the pass", "before the step" and
    "after the step" are in the loop, and "end" is after it. At "start", before the loop, it has a statement.
    """

    measurement: str  # its name in `measurements.MEASUREMENTS`
    calls: dict[str, str]
    outcomes: tuple[Outcome, ...]  # the first that fits holds
    why: str = ""  # what to pay attention to on this page
    own: dict[str, dict[str, str]] = {}  # the calls for a cause whose program has more tensors

    def of(self, cause: Cause) -> Look:
        """Return this measurement with the calls for the program of a cause."""
        return self._replace(calls=self.own.get(cause.slug, self.calls))


class Symptom(NamedTuple):
    """A page: what somebody sees, what to measure first, and the causes."""

    slug: str
    title: str
    seen: str
    searched: tuple[str, ...]  # how people describe it
    good: Callable[[float], bool]  # whether a number that a program prints last is free of the symptom
    number: str  # what this number is
    looks: tuple[Look, ...]
    causes: tuple[Cause, ...]
    runs: int = 1  # how often a program is run to show the symptom
    note: str = ""  # what the page says at its end


def edited(code: str, *edits: tuple[str, str]) -> str:
    """Return a program in which each old text is replaced by the new one.

        edited("lr = 0.1", ("0.1", "0.5"))      # "lr = 0.5"

    Raises:
        ValueError: an old text doesn't occur exactly once.
    """
    for old, new in edits:
        if code.count(old) != 1:
            raise ValueError(f"{old!r} occurs {code.count(old)} times in the program, but must occur once")
        code = code.replace(old, new)
    return code
