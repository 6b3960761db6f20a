"""Overfits four rows of scripts with one bug alone, and of the same scripts without it.

`tests/data/patients_overfitted.json` has a row for each script of a bug: the loss with a fresh Adam, the loss
with the script's own optimizers, and both for the healthy script.
`python -m tests.helpers.patients_overfitted` measures again.
"""
from __future__ import annotations

import ast
import json
import math
from functools import cache
from pathlib import Path

from minigrad.book.classroom.patients.backend import for_minigrad
from minigrad.book.classroom.patients.bugs import BUGS
from minigrad.book.classroom.patients.compose import Chance, compose
from minigrad.book.classroom.patients.parts.data_parts import DATA
from tests.helpers.examining import PROBES, Places, Probe, run

STORED = Path(__file__).parents[1] / "data" / "patients_overfitted.json"
SCRIPTS = 3     # for each bug
HIGH = 0.1      # a loss on four rows above this looks like a bug


@cache
def losses(source: str) -> tuple[float, float]:
    """Return the loss on four rows after training with a fresh Adam, and with the script's own optimizers."""
    tree = Places().visit(ast.parse(for_minigrad(source)))
    code = compile(ast.fix_missing_locations(tree), "<script>", "exec")
    found = []
    for name in ("overfit fresh", "overfit"):
        names: dict = {"__name__": "__main__"}
        probe = Probe(names, PROBES[name])
        run(code, probe, names)
        found.append(probe.told)
    return found[0], found[1]


@cache
def scripts() -> list:
    return [compose(Chance("bugs", number), DATA[number % len(DATA)]) for number in range(1100)]


def rows_of(bug: str) -> list[list[float]]:
    """Return what is stored of a bug."""
    fitting = [script for script in scripts() if BUGS[bug].fits(script)][:SCRIPTS]
    return [[*losses(BUGS[bug].planted(script).text), *losses(script.text)] for script in fitting]


def stored() -> dict[str, list[list[float]]]:
    """Return what is stored, by bug."""
    return json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else {}


def is_high(loss: float) -> bool:
    """Whether a loss on four rows looks like a bug; that of probabilities for logarithms is below 0."""
    return math.isnan(loss) or abs(loss) > HIGH


def kept_above(bug: str, at: int) -> bool:
    """Whether a bug keeps the loss of four rows high in most scripts: `at` 0 is a fresh Adam, 1 their own.

    Scripts whose loss stays high without the bug, too, don't count.
    """
    rows = [is_high(row[at]) for row in stored()[bug] if not is_high(row[at + 2])]
    return 2 * sum(rows) > len(rows)


def measure() -> None:
    """Measure all bugs again, and store the losses."""
    found: dict[str, list[list[float]]] = {}
    for bug in BUGS:
        found[bug] = rows_of(bug)
        print(bug, *found[bug], flush=True)
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in found.items())
        STORED.write_text("{\n" + lines + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    measure()
