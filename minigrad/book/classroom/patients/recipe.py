"""Makes a patient from its recipe: which script, which bugs, and what each version prints.

All numbers of a recipe were printed by both libraries. A look-alike that only reads can be added to a script
whose numbers are known; one that changes a line of the step or of the loss was in the script when it ran. So
a recipe gives many patients, none of which has to be run.
"""
from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from itertools import combinations
from typing import NamedTuple

from .bugs import BUGS
from .candidate import LEVELS, Candidate, with_look_alikes
from .compose import Chance, compose
from .lookalikes import LOOK_ALIKES
from .parts.data_parts import DATA
from .script import Misfit, Script

CHANGING = ("log_softmax_twice", "second_optimizer", "zero_at_the_end", "zero_of_model")
READING = [one for name, one in LOOK_ALIKES.items() if name not in CHANGING]


class Recipe(NamedTuple):
    """A row of the store. `words` name the script, as in "store/24"; the second word chooses the data."""

    words: str
    bugs: Sequence[str]
    looks: Sequence[str]
    numbers: dict[str, float]

    @property
    def script(self) -> Script:
        """The healthy script, with those of its look-alikes that change a line of the step or of the loss."""
        script = compose(Chance(self.words), DATA[int(self.words.split("/")[1]) % len(DATA)])
        for name in self.looks:
            script = LOOK_ALIKES[name].planted(script)
        return script

    def candidate(self, variant: int, level: int) -> Candidate:
        """Return what a patient is made of. Variants differ in their look-alikes; at level 1, in the bug.

        Raises:
            Misfit: too few look-alikes or bugs fit.
        """
        many, count = LEVELS[level]
        first = variant % len(self.bugs) if many == 1 else 0
        bugs = tuple(BUGS[name] for name in self.bugs)[first:first + many]
        looks = tuple(LOOK_ALIKES[name] for name in self.looks)
        chance, script = Chance(self.words, *self.bugs), self.script
        fitting = [one for one in chance.mixed(READING) if one.fits(script)]
        groups = chance.mixed(combinations(fitting, max(0, count - len(looks))))
        made: list[Candidate] = []
        for among in groups:
            with suppress(Misfit):
                made.append(with_look_alikes(chance, script, bugs, count, looks, among))
            if len(made) > variant:
                return made[-1]
        if not made:
            raise Misfit("too few look-alikes fit")
        return made[variant % len(made)]

    def numbers_of(self, made: Candidate) -> dict[str, float]:
        """Return what the versions print; with one of two bugs, what they print when the other is mended."""
        others = {*self.bugs} - {bug.name for bug in made.bugs}
        return ({"healthy": self.numbers["healthy"], "ill": self.numbers[others.pop()]} if others
                else self.numbers)
