"""`patient(seed, level)`: a script that nobody has seen, with its silent bugs."""
from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from html import escape
from types import SimpleNamespace
from typing import Any

from ..showing import Shown
from ..verdict import NOTE, both
from .bug import Bug, LookAlike
from .found import Found, found
from .missing_lines import natural_places
from .seed_and_level import read_level, read_seed


class Patient:
    """A training script with silent bugs. `patient(99)` makes one.

    `source` is its text and `symptom` says what is wrong with it. `healthy`, `bugs`, `looks` and `numbers`
    are for teachers and tests: the text without the bugs, the bugs, the look-alikes, and what each version
    of the script prints.
    """

    def __init__(self, seed: int, level: int, what: Found) -> None:
        self.seed, self.level = seed, level
        self.script = what.made.ill()
        self.source = self.script.text
        self.healthy = what.made.healthy.text
        self.bugs: tuple[Bug, ...] = what.made.bugs
        self.looks: tuple[LookAlike, ...] = what.made.looks
        self.numbers = what.numbers
        self.made = what.made
        self._hints = 0

    @property
    def is_accuracy(self) -> bool:
        """Whether the number that the script prints is an accuracy; otherwise it is a loss."""
        return "accuracy" in self.script.traits

    def lines(self, bug: Bug) -> list[int]:
        """Return the numbers of the lines of one of the bugs that are right answers."""
        accepted = self.accepted(bug)
        return [line for line in bug.lines(self.script) if line in accepted]

    def accepted(self, bug: Bug) -> set[int]:
        """Return the numbers of all lines that may be named for a bug.

        If a line is missing or in a wrong place, these are that line and those next to which it can be put,
        but for the lines of the other bug and those of look-alikes.
        """
        if not bug.places:
            return {*bug.lines(self.script)}
        near = natural_places(self.script, bug.places.split())
        for one in (*self.bugs, *self.looks):
            if one is not bug:
                near -= {*one.lines(self.script)}
        return {*self.script.marked(bug.name), *near}

    @cached_property
    def symptom(self) -> str:
        """What a person would notice, in a sentence or two."""
        from .patient_symptom import symptom
        return symptom(self.numbers["ill"], self.numbers["healthy"], self.is_accuracy, len(self.bugs))

    def run(self, source: str | None = None, *, on: str = "minigrad") -> Any:
        """Run a repaired copy of the script in a process of its own, with limits; None: the script itself."""
        from .running import run
        return run(self.source if source is None else source, on=on)

    def new_cell(self) -> None:
        """Put a copy of the script into a new cell of the notebook; where that can't be done, print it.

        The copy runs on minigrad if that is the notebook's `torch`.
        """
        from .copying import in_a_new_cell
        in_a_new_cell(self.source)

    def objects(self) -> SimpleNamespace:
        """Return what the script has made before its training loop, so that it is measured without its text.

        The names are `x`, `y`, `test_x`, `test_y`, `model`, `optimizer` and `loss_of`; an optimizer that is
        made in the loop is left out. Each call makes them anew.
        """
        from .copying import objects_made_by
        before = self.script.lines[:self.script.at("epochs")]
        return objects_made_by("\n".join(line.text for line in before if line.printed))

    def check(self, lines: Any = None, number: Any = None) -> Shown:
        """Say whether these lines are broken, and whether the repaired script prints this number."""
        from .judging_patients import check
        return check(self, lines, number)

    def hint(self) -> Shown:
        """Give the next of three hints for each bug."""
        steps = [bug.hints[step] for step in range(3) for bug in self.bugs]
        at = min(self._hints, len(steps) - 1)
        self._hints += 1
        return both(NOTE, self.name, steps[at], word=f"hint {at + 1} of {len(steps)}")

    @property
    def name(self) -> str:
        """The call that makes this patient."""
        return f"patient({self.seed})" if self.level == 2 else f"patient({self.seed}, level={self.level})"

    def __repr__(self) -> str:
        return f"{self.name}\n\n{numbered(self.source.splitlines())}\n\n{self.symptom}"

    def _repr_html_(self) -> str:
        return (f"<p><b>{escape(self.name)}</b></p><pre>{escape(numbered(self.source.splitlines()))}</pre>"
                f"<p>{escape(self.symptom)}</p>")


def numbered(lines: Iterable[str]) -> str:
    """Return lines with their numbers."""
    return "\n".join(f"{number:2}  {line}".rstrip() for number, line in enumerate(lines, 1))


def patient(seed: int, level: int = 2) -> Patient:
    """Return the patient of a seed: an unseen training script of 30 to 50 lines with silent bugs.

        patient(99)             two bugs and two innocent look-alikes
        patient(99, level=1)    one bug and one look-alike
        patient(99, level=3)    two bugs and three look-alikes

    The same seed gives the same patient. Nothing is run, for what the scripts print is stored; seeds share
    the bugs and the numbers of some hundred scripts, and differ in what is innocent.

    Raises:
        Misread: the seed or the level is none; the message says what it should be.
    """
    seed, level = read_seed(seed), read_level(level)
    return Patient(seed, level, found(seed, level))
