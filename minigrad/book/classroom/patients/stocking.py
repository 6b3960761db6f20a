"""Finds recipes for the store: runs scripts with each of their bugs and each pair; some pairs are patients.

    python -m minigrad.book.classroom.patients.stocking run 0-99 found.jsonl   note recipes of so many scripts
    python -m minigrad.book.classroom.patients.stocking store found.jsonl      put them into the store

`run` needs PyTorch beside minigrad, and both must print the same for every version. Run it with
`ATEN_CPU_CAPABILITY=default`, so that they add in different orders, and several times side by side.
"""
from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import combinations
from pathlib import Path

from .backend import for_minigrad
from .bug import Bug, LookAlike
from .bugs import BUGS
from .candidate import ALONE, OFTEN, Candidate, candidate, is_whole
from .compose import Chance, compose
from .found import STORE
from .lookalikes import LOOK_ALIKES
from .numbers_compared import LARGEST, is_better, is_patient
from .parts.data_parts import DATA
from .recipe import CHANGING, Recipe
from .script import Script
from .verifying import is_stable, printed, read, seeds_of, write

BUGS_EACH, PATIENTS_EACH = 7, 8     # of one script


@cache
def word(text: str) -> str | None:
    """Return what PyTorch prints last; None: an error, a warning, or too slow."""
    with suppress(Exception):
        return printed(text)
    return None


@cache
def agrees(text: str) -> bool:
    """Whether minigrad prints the same word."""
    with suppress(Exception):
        return printed(for_minigrad(text)) == word(text)
    return False


def script_of(number: int) -> tuple[Script, tuple[LookAlike, ...]]:
    """Return a healthy script, and the look-alike that it has already, if any."""
    chance = Chance("store", number)
    script = compose(chance, DATA[number % len(DATA)])
    fitting = [LOOK_ALIKES[name] for name in CHANGING if LOOK_ALIKES[name].fits(script)]
    if fitting and chance.below(2):
        one = chance.one(fitting)
        return one.planted(script), (one,)
    return script, ()


def recipes_of(number: int) -> Iterator[Recipe]:
    """Yield the recipes of a script: its pairs of bugs that make a patient."""
    script, looks = script_of(number)
    accuracy, chance = "accuracy" in script.traits, Chance("pairs", number)
    healthy = word(script.text)
    if healthy is None:
        return
    bugs = [bug for bug in some_of(chance, [bug for bug in BUGS.values() if bug.name not in ALONE
                                           and bug.fits(script)])
            if (ill := word(bug.planted(script).text)) and is_better(float(healthy), float(ill), accuracy)
            and not float(ill) > LARGEST]
    many = 0
    for pair in chance.mixed(combinations(bugs, 2)):
        made = Candidate(script, pair, looks)
        if pair[0].kind == pair[1].kind or not is_whole(made):
            continue
        words = {name: word(text) for name, text in made.versions().items()}
        if None in words.values():
            continue
        numbers = {name: float(said) for name, said in words.items()}
        if not is_patient(numbers, accuracy) or not all(map(agrees, made.versions().values())):
            continue
        with suppress(Exception):
            if is_stable(made.ill().text, numbers["ill"]):
                yield Recipe(f"store/{number}", [bug.name for bug in pair], [one.name for one in looks],
                             numbers)
                many += 1
        if many == PATIENTS_EACH:
            return


def some_of(chance: Chance, fitting: list[Bug]) -> list[Bug]:
    """Choose some bugs; one that fits few scripts is chosen the more often where it fits."""
    bugs: list[Bug] = []
    while fitting and len(bugs) < BUGS_EACH:
        bugs.append(chance.weighted(fitting, [1 / OFTEN.get(bug.name, 2) for bug in fitting]))
        fitting = [bug for bug in fitting if bug is not bugs[-1]]
    return bugs


def by_turns(found: list[Recipe]) -> list[Recipe]:
    """Return recipes in an order in which the data go by turns, and so do the scripts of the same data."""
    scripts: dict[str, list[Recipe]] = defaultdict(list)
    for one in found:
        scripts[one.words].append(one)
    rounds = [(at, data_of(one), one) for pile in scripts.values() for at, one in enumerate(pile)]
    piles: dict[int, list[Recipe]] = defaultdict(list)
    for _, data, one in sorted(rounds, key=lambda row: row[:2]):
        piles[data].append(one)
    share = {data: iter([((at + 0.5) / len(pile), data, one) for at, one in enumerate(pile)])
             for data, pile in piles.items()}
    placed = sorted((row for pile in share.values() for row in pile), key=lambda row: row[:2])
    return [one for _, _, one in placed]


def data_of(recipe: Recipe) -> int:
    return int(recipe.words.split("/")[1]) % len(DATA)


def from_seeds(seeds: dict[str, list]) -> Iterator[Recipe]:
    """Yield the recipes of the seeds that have a row of their own."""
    for key, (attempt, numbers) in seeds.items():
        level, seed = map(int, key.split("/"))
        made = candidate(seed, level, attempt)
        if made is not None:
            looks = [one.name for one in made.looks if one.name in CHANGING]
            yield Recipe(f"patient/{seed}/{level}/{attempt}", [bug.name for bug in made.bugs], looks, numbers)


def main() -> int:
    parser = argparse.ArgumentParser(description="The recipes of the store.")
    parser.add_argument("what", choices=("run", "store"))
    parser.add_argument("words", nargs="+")
    chosen = parser.parse_args()
    if chosen.what == "run":
        for number in seeds_of(chosen.words[:-1]):
            for recipe in recipes_of(number):
                with Path(chosen.words[-1]).open("a", encoding="utf-8") as file:
                    file.write(json.dumps(recipe) + "\n")
            word.cache_clear()
            agrees.cache_clear()
        return 0
    kept = read(STORE)
    rows = [Recipe(*json.loads(row)) for name in chosen.words
            for row in Path(name).read_text(encoding="utf-8").splitlines()]
    rows += [Recipe(*row) for row in kept["recipes"]] or from_seeds(kept["seeds"])
    kept["recipes"] = by_turns([*{(row.words, *row.bugs): row for row in rows}.values()])
    write(STORE, kept)
    print(f"{len(kept['recipes'])} recipes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
