"""Measures all patients, and keeps what the measurements showed.

`tests/data/patients_measured.json` has for each script the pairs (measurement, bug) of the rules that hold. A
test measures a few scripts again and compares.
"""
from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from minigrad.book.classroom.patients import patient
from minigrad.book.classroom.patients.bugs import BUGS
from minigrad.book.classroom.patients.compose import Chance, compose
from minigrad.book.classroom.patients.parts.data_parts import DATA
from tests.helpers.solver import named

STORED = Path(__file__).parents[1] / "data" / "patients_measured.json"
SEEN, HELD, HEALTHY = range(100), range(500, 530), range(50)
PLANTED = 2         # scripts with one bug alone, for each bug that few of the seen patients have
WORKERS = 2


def jobs() -> Iterator[tuple[str, str]]:
    """Yield (group, key) of each script to measure: the held patients first, which decide."""
    yield from (("held", str(seed)) for seed in HELD)
    yield from (("seen", str(seed)) for seed in SEEN)
    yield from (("healthy", str(seed)) for seed in HEALTHY)
    counts = Counter(bug.name for seed in SEEN for bug in patient(seed).bugs)
    for bug in BUGS:
        if counts[bug] < PLANTED:
            yield from (("planted", f"{bug}/{at}") for at in range(PLANTED))


def source_of(group: str, key: str) -> str:
    """Return the text of a script."""
    if group != "planted":
        one = patient(int(key))
        return one.healthy if group == "healthy" else one.source
    name, at = key.split("/")
    scripts = (compose(Chance("bugs", number), DATA[number % len(DATA)]) for number in range(1100))
    fitting = (script for script in scripts if BUGS[name].fits(script))
    return BUGS[name].planted([script for script, _ in zip(fitting, range(int(at) + 1))][-1]).text


def real(group: str, key: str) -> set[str]:
    """Return the bugs that a script has."""
    if group == "healthy":
        return set()
    return {key.split("/")[0]} if group == "planted" else {bug.name for bug in patient(int(key)).bugs}


def scripts_with(bug: str) -> list[tuple[str, str]]:
    """Return the (group, key) of the seen and planted scripts that have a bug."""
    return [(group, key) for group in ("seen", "planted") for key in stored().get(group, ())
            if bug in real(group, key)]


def shown(job: tuple[str, str]) -> tuple[tuple[str, str], list[tuple[str, str]]]:
    return job, named(source_of(*job))


def stored() -> dict[str, dict[str, Any]]:
    """Return what is stored, by group and key."""
    return json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}


def store(found: dict[str, dict[str, Any]]) -> None:
    """Store what was found, a line for each script."""
    groups = []
    for group in sorted(found):
        rows = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found[group].items())
        groups.append(f"{json.dumps(group)}: {{\n{rows}\n}}")
    STORED.write_text("{\n" + ",\n".join(groups) + "\n}\n", encoding="utf-8")


def measure(only: Iterable[tuple[str, str]] | None = None) -> None:
    """Measure all scripts again, or only some, and store what was shown."""
    found = stored() if only else {}
    with ProcessPoolExecutor(WORKERS) as pool:
        for (group, key), pairs in pool.map(shown, only or jobs()):
            found.setdefault(group, {})[key] = pairs
            print(group, key, *sorted({bug for _, bug in pairs}), flush=True)
            store(found)
