"""Chooses what a patient is made of: a script, its bugs and its look-alikes."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .bug import Bug, LookAlike
from .bugs import BUGS
from .compose import Chance, compose
from .lookalikes import LOOK_ALIKES
from .parts.data import DATA
from .script import Misfit, Script

LEVELS = {1: (1, 1), 2: (2, 2), 3: (2, 3)}     # how many bugs, and how many look-alikes
LONGEST, SHORTEST = 50, 28                      # lines of a script
TRIES = 25                                      # scripts that are looked at for one choice of bugs


@dataclass(frozen=True)
class Candidate:
    """A healthy script with look-alikes, and the bugs that will be planted in it."""

    healthy: Script
    bugs: tuple[Bug, ...]
    looks: tuple[LookAlike, ...]

    def ill(self, mended: Sequence[Bug] = ()) -> Script:
        """Return the script with all its bugs but those that are mended."""
        script = self.healthy
        for bug in self.bugs:
            if bug not in mended:
                script = bug.planted(script)
        return script

    def versions(self) -> dict[str, str]:
        """Return the texts to compare: healthy, ill, and for each of two bugs the script without it."""
        texts = {"healthy": self.healthy.text, "ill": self.ill().text}
        if len(self.bugs) > 1:
            texts |= {bug.name: self.ill([bug]).text for bug in self.bugs}
        return texts


def candidate(seed: int, level: int, attempt: int) -> Candidate | None:
    """Return what a patient could be made of, or None if this attempt finds nothing that fits.

    The data go by turns, so that neighbouring seeds have different scripts.
    """
    chance = Chance("patient", seed, level, attempt)
    data = DATA[seed % len(DATA)]
    many, looks = LEVELS[level]
    bugs = tuple(chance.mixed(BUGS.values())[:many])
    if len({bug.kind for bug in bugs}) < many:
        return None
    for _ in range(TRIES):
        script = compose(chance, data)
        try:
            return with_look_alikes(chance, script, bugs, looks)
        except Misfit:
            continue
    return None


def with_look_alikes(chance: Chance, script: Script, bugs: tuple[Bug, ...], count: int) -> Candidate:
    """Return the candidate.

    Raises:
        Misfit: the bugs or the look-alikes don't fit the script, or disturb each other.
    """
    Candidate(script, bugs, ()).ill()
    looks: list[LookAlike] = []
    for one in chance.mixed(LOOK_ALIKES.values()):
        if len(looks) == count:
            break
        if not one.fits(script):
            continue
        more = Candidate(one.planted(script), bugs, (*looks, one))
        if is_whole(more):
            script = more.healthy
            looks.append(one)
    if len(looks) < count:
        raise Misfit("too few look-alikes fit")
    made = Candidate(script, bugs, tuple(looks))
    if not is_whole(made) or not SHORTEST <= len(made.ill().numbered()) <= LONGEST:
        raise Misfit("the script is too long, or its bugs disturb each other")
    return made


def is_whole(made: Candidate) -> bool:
    """Whether every bug and every look-alike is there, with lines of its own."""
    try:
        ill = made.ill()
        for bug in made.bugs:
            made.ill([bug])
    except Misfit:
        return False
    marks = [frozenset(ill.marked(one.name)) for one in (*made.bugs, *made.looks)]
    answers = [frozenset(bug.lines(ill)) for bug in made.bugs]
    innocent = frozenset().union(*(one.lines(ill) for one in made.looks))
    return (all(answers) and all(one.lines(ill) for one in made.looks)
            and not any(answer & innocent for answer in answers)
            and not any(a & b for at, a in enumerate(marks) for b in marks[:at])
            and not any(a <= b for a in answers for b in answers if a is not b))
