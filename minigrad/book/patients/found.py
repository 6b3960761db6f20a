"""Finds the patient of a seed: in the stored table, or by running candidates until one is verified."""
from __future__ import annotations

import gzip
import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

from .backend import for_minigrad
from .candidate import Candidate, candidate
from .numbers_compared import is_patient

TABLE = Path(__file__).with_name("verified.json.gz")
ROOT = Path(__file__).resolve().parents[3]
MOST = 2000          # attempts; the worst of the stored seeds needed a few hundred


class Found(NamedTuple):
    """A verified candidate, and the numbers that its versions print."""

    made: Candidate
    numbers: dict[str, float]
    attempt: int
    is_stored: bool = False    # whether both libraries printed these numbers, to the last digit


@cache
def table() -> dict[str, list]:
    """Return the stored patients: {"level/seed": [attempt, {version: number}]}."""
    if not TABLE.exists():
        return {}
    return json.loads(gzip.decompress(TABLE.read_bytes()).decode("utf-8"))


@cache
def found(seed: int, level: int) -> Found:
    """Return the patient of a seed; a seed that isn't stored takes some seconds, for its scripts are run."""
    if stored := table().get(f"{level}/{seed}"):
        attempt, numbers = stored
        made = candidate(seed, level, attempt)
        if made is not None:
            return Found(made, numbers, attempt, True)
    return search(seed, level, in_a_process)


def search(seed: int, level: int, run_all) -> Found:
    """Return the first candidate whose numbers are those of a patient; `run_all` runs texts.

    A script that raises an error or a warning has None as its number, and is no patient.
    """
    for attempt in range(MOST):
        made = candidate(seed, level, attempt)
        if made is None:
            continue
        numbers = run_all(made.versions())
        if None not in numbers.values() and is_patient(numbers, "accuracy" in made.healthy.traits):
            return Found(made, numbers, attempt)
    raise RuntimeError(f"no patient was found for seed {seed} and level {level}")


def in_a_process(texts: dict[str, str]) -> dict[str, float | None]:
    """Return what each text prints last, and None for one that fails.

    They run in a process of their own, so no random state is lost.
    """
    given = json.dumps({name: for_minigrad(text) for name, text in texts.items()})
    done = subprocess.run([sys.executable, "-m", "minigrad.book.patients.run_texts"], input=given,
                          capture_output=True, encoding="utf-8", cwd=ROOT, check=True)
    return json.loads(done.stdout)
