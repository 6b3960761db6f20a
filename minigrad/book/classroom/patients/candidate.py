"""Chooses what a patient is made of: a script, its bugs and its look-alikes."""
from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from .bug import Bug, LookAlike
from .bugs import BUGS
from .compose import Chance, compose
from .lookalikes import LOOK_ALIKES
from .parts.data_parts import DATA
from .script import Misfit, Script
from .tidy import repeated, unused

LEVELS = {1: (1, 1), 2: (2, 2), 3: (2, 3)}     # how many bugs, and how many look-alikes
LONGEST, SHORTEST = 50, 28                      # lines of a script
# In how many percent of the scripts a bug fits, where these are more than a few.
OFTEN = {"step_before_pass": 60, "half_of_the_weights": 200, "columns_scrambled": 90, "zero_forgotten": 40,
         "epsilon": 60, "optimizer_made_again": 20, "zero_once_an_epoch": 15, "eval_forgotten": 15,
         "train_in_loss": 15, "schedule_each_batch": 70, "softmax_twice": 15, "error_broadcast": 12,
         "rows_apart": 12, "features_off_the_record": 12, "head_after_optimizer": 12, "same_buffer": 11,
         "half_without_graph": 60, "keep_dropped": 10, "largest_score": 10, "bytes_wrap": 10,
         "stamps_rounded": 10,
         "half_overflows": 20, "squares_wrap": 10, "whole_division": 10, "test_by_itself": 10,
         "whole_share": 15,
         "hidden_detached": 8, "softmax_over_rows": 8, "all_columns_picked": 8, "decay_of_weights": 8,
         "normalised_twice": 8, "test_as_it_came": 8, "sigmoid_twice": 6, "average_alias": 6}
ALONE = {"half_overflows", "root_at_zero", "whole_share", "largest_score"}    # beside them no mending shows


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

    The data go by turns, so that neighbouring seeds have different scripts. A bug that fits few scripts is
    chosen the more often where it fits.
    """
    chance = Chance("patient", seed, level, attempt)
    script = compose(chance, DATA[seed % len(DATA)])
    many, looks = LEVELS[level]
    bugs = chosen(chance, script, many)
    try:
        return with_look_alikes(chance, script, bugs, looks) if len(bugs) == many else None
    except Misfit:
        return None


def chosen(chance: Chance, script: Script, many: int) -> tuple[Bug, ...]:
    """Choose bugs of different kinds that fit a script; bugs that leave nothing to see are planted alone."""
    fitting = [bug for bug in BUGS.values() if bug.fits(script) and (many == 1 or bug.name not in ALONE)]
    bugs: list[Bug] = []
    while fitting and len(bugs) < many:
        bugs.append(chance.weighted(fitting, [1 / OFTEN.get(bug.name, 2) for bug in fitting]))
        fitting = [bug for bug in fitting if bug.kind != bugs[-1].kind]
    return tuple(bugs)


def with_look_alikes(chance: Chance, script: Script, bugs: tuple[Bug, ...], count: int,
                     looks: tuple[LookAlike, ...] = (), among: Iterable[LookAlike] = LOOK_ALIKES.values()
                     ) -> Candidate:
    """Return the candidate. The script may have some look-alikes already; the others are chosen among these.

    Raises:
        Misfit: the bugs or the look-alikes don't fit the script, or disturb each other.
    """
    made, is_checked = Candidate(script, bugs, looks), False
    made.ill()
    for one in chance.mixed(among):
        if len(made.looks) >= count:
            break
        if not one.fits(made.healthy):
            continue
        more = Candidate(one.planted(made.healthy), bugs, (*made.looks, one))
        if is_whole(more) and len(more.ill().numbered()) <= LONGEST:
            made, is_checked = more, True
    if len(made.looks) != count:
        raise Misfit("too few look-alikes fit, or the script has too many already")
    if not (is_checked or is_whole(made)) or not SHORTEST <= len(made.ill().numbered()) <= LONGEST:
        raise Misfit("the script is too long, or its bugs disturb each other")
    return made


@lru_cache(maxsize=512)     # the candidates of one seed have many versions in common
def is_program(text: str) -> bool:
    """Whether a text can be compiled."""
    try:
        compile(text, "<patient>", "exec")
    except SyntaxError:
        return False
    return True


@lru_cache(maxsize=512)
def uses_all_names(text: str) -> bool:
    """Whether a program reads every name that it makes."""
    return not unused(text)


def is_any_order(made: Candidate) -> bool:
    """Whether the bugs give the same script in either order; those that don't are planted in the same lines.
    """
    try:
        return made.ill().text == replace(made, bugs=made.bugs[::-1]).ill().text
    except Misfit:
        return False


def is_whole(made: Candidate) -> bool:
    """Whether every bug and every look-alike is there, with lines of its own."""
    try:
        ill = made.ill()
        versions = [ill, *(made.ill([bug]) for bug in made.bugs)]
    except Misfit:
        return False
    marks = [frozenset(ill.marked(one.name)) for one in (*made.bugs, *made.looks)]
    answers = [frozenset(bug.lines(ill)) for bug in made.bugs]
    looks = [frozenset(one.lines(ill)) for one in made.looks]
    innocent = frozenset().union(*looks)
    if not (all(answers) and all(looks)) or any(answer & innocent for answer in answers):
        return False
    if any(a & b for at, a in enumerate(marks) for b in marks[:at]):
        return False
    if any(a <= b for a in answers for b in answers if a is not b):
        return False
    if any(re.search(r"^ *optimizer\.", one.text.split("optimizer =")[0], re.MULTILINE) for one in versions):
        return False    # it is used before it is made
    # To read the texts as programs takes longest, so these checks are the last.
    return (is_any_order(made) and not repeated(ill.text) and all(is_program(one.text) for one in versions)
            and uses_all_names(made.healthy.text))
