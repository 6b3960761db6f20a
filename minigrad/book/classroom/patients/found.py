"""Finds the patient of a seed in the store: by a row of its own, or by a recipe that many seeds share."""
from __future__ import annotations

import gzip
import json
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from .candidate import LEVELS, Candidate, candidate
from .recipe import Recipe
from .script import Misfit

STRIDE = 149     # to another recipe, far from the next seed's, where one fits no level
STORE = Path(__file__).with_name("verified.json.gz")


class Found(NamedTuple):
    """A candidate, and the numbers that its versions print with both libraries."""

    made: Candidate
    numbers: dict[str, float]


@cache
def store() -> dict[str, Any]:
    """Return the store.

    `seeds` has {"level/seed": [attempt, numbers]}, and `recipes` a list of recipes for all other seeds. The
    numbers are what each version prints: {"healthy": 0.0123, "ill": 0.4567, ...}.
    """
    return json.loads(gzip.decompress(STORE.read_bytes()).decode("utf-8"))


@cache
def recipes(level: int) -> list[Recipe]:
    """Return the recipes with enough bugs for a level; of neighbours, the data differ."""
    many, _ = LEVELS[level]
    return [Recipe(*row) for row in store()["recipes"] if len(row[1]) >= many]


@cache
def found(seed: int, level: int) -> Found:
    """Return the patient of a seed. Nothing is run: all numbers are stored."""
    if row := store()["seeds"].get(f"{level}/{seed}"):
        made = candidate(seed, level, row[0])
        if made is not None:
            return Found(made, row[1])
    choice = recipes(level)
    variant, first = divmod(seed, len(choice))
    for at in range(len(choice)):
        recipe = choice[(first + STRIDE * at) % len(choice)]
        with suppress(Misfit):
            made = recipe.candidate(variant + at, level)
            return Found(made, recipe.numbers_of(made))
    raise RuntimeError(f"no recipe fits seed {seed} and level {level}")
