"""Makes the rows of seeds in the store, and checks them: each version of each script runs on both libraries.

    python -m minigrad.book.classroom.patients.verifying make 0-119 --level 2    add seeds to verified.json.gz
    python -m minigrad.book.classroom.patients.verifying check 0-9 --level 2     run stored patients again
    python -m minigrad.book.classroom.patients.verifying bugs 8                  each bug alone in 8 scripts
    python -m minigrad.book.classroom.patients.verifying bugs 8 no_step          this bug alone

`make` needs PyTorch beside minigrad: a patient is stored only if all its versions print the same on both.
"""
from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import json
import math
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .backend import for_minigrad
from .bugs import BUGS
from .candidate import Candidate, candidate
from .compose import Chance, compose
from .found import STORE
from .numbers_compared import is_better, is_patient
from .parts.data_parts import DATA

NUDGED = "for weight in model.parameters():\n    weight.data.mul_(1.000001)\n\n"
DIGIT, SHARE = 0.00011, 1e-5     # by how much a nudge of all weights may change the number
SECONDS = 5.
MOST = 2000          # attempts; the worst of the stored seeds needed a few hundred


def printed(text: str) -> str:
    """Run a script of this package, and return the last word that it prints.

    Raises:
        Exception: whatever the script raises; a warning is an error.
    """
    out = io.StringIO()
    began = time.process_time()
    with warnings.catch_warnings(), contextlib.redirect_stdout(out):
        warnings.simplefilter("error")
        exec(compile(text, "<patient>", "exec"), {"__name__": "__main__"})
    if time.process_time() - began > SECONDS:
        raise TimeoutError(f"the script takes more than {SECONDS} seconds")
    return out.getvalue().split()[-1]


def is_stable(text: str, number: float) -> bool:
    """Whether the number is the same after all weights were nudged a little: rounding doesn't decide it."""
    at = text.index("optimizer =")
    at = text.rindex("\n\n", 0, at) + 2 if "\n\n" in text[:at] else at
    other = float(printed(text[:at] + NUDGED + text[at:]))
    if math.isnan(number) or math.isnan(other):
        return math.isnan(number) and math.isnan(other)
    return abs(number - other) <= max(DIGIT, SHARE * abs(number))


def numbers_of(made: Candidate) -> dict[str, float] | None:
    """Return what every version prints; None: they are no patient, or the backends differ."""
    try:
        texts = {name: for_minigrad(text) for name, text in made.versions().items()}
        words = {name: printed(text) for name, text in texts.items()}
        numbers = {name: float(word) for name, word in words.items()}
        if not is_patient(numbers, "accuracy" in made.healthy.traits):
            return None
        if any(printed(text) != words[name] for name, text in made.versions().items()):
            return None
        return numbers if all(is_stable(texts[name], number) for name, number in numbers.items()) else None
    except Exception as error:
        print(f"  {type(error).__name__}: {error}", [bug.name for bug in made.bugs], file=sys.stderr)
        return None


def verified(seed: int, level: int) -> list:
    """Return the first attempt that makes a patient, and its numbers."""
    for attempt in range(MOST):
        made = candidate(seed, level, attempt)
        if made is not None and (numbers := numbers_of(made)):
            return [attempt, numbers]
    raise RuntimeError(f"no patient for seed {seed}, level {level}")


def read(path: Path) -> dict[str, Any]:
    """Return a store; an empty one if there is none yet."""
    return json.loads(gzip.decompress(path.read_bytes())) if path.exists() else {"seeds": {}, "recipes": []}


def write(path: Path, store: dict[str, Any]) -> None:
    """Write a store, with the same bytes for the same patients."""
    seeds = dict(sorted(store["seeds"].items(), key=lambda row: [int(word) for word in row[0].split("/")]))
    text = json.dumps({"seeds": seeds, "recipes": store["recipes"]}, separators=(",", ":"))
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def seeds_of(words: list[str]) -> list[int]:
    """Read "0-9" and "12" as seeds."""
    found = []
    for word in words:
        first, _, last = word.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def table_of_bugs(count: int, names: list[str]) -> Iterator[str]:
    """Yield the rows of a table: each bug (or only these), planted alone in so many scripts that it fits."""
    yield "| bug | kind | fits of 100 | runs | same on both | worse | for example |"
    yield "|---|---|---|---|---|---|---|"
    scripts = [compose(Chance("bugs", at), DATA[at % len(DATA)]) for at in range(1100)]
    for bug in [BUGS[name] for name in names or BUGS]:
        fitting = [script for script in scripts if bug.fits(script)]
        ran = same = worse = 0
        shown = ""
        for script in fitting[:count]:
            texts = [script.text, bug.planted(script).text]
            try:
                words = [printed(for_minigrad(text)) for text in texts]
                is_one = words == [printed(text) for text in texts]
            except Exception as error:
                print(bug.name, type(error).__name__, error, file=sys.stderr)
                continue
            ran += 1
            is_worse = is_better(float(words[0]), float(words[1]), "accuracy" in script.traits)
            same, worse = same + is_one, worse + is_worse
            shown = shown or " to ".join(words) * (is_one and is_worse)
        of = min(count, len(fitting))
        yield (f"| {bug.name} | {bug.kind} | {len(fitting) / 11:.1f} | {ran} of {of} | {same} of {of} "
               f"| {worse} of {of} | {shown} |")


def main() -> int:
    parser = argparse.ArgumentParser(description="The table of verified patients.")
    parser.add_argument("what", choices=("make", "check", "bugs"))
    parser.add_argument("seeds", nargs="+", help="such as 0-9; for bugs, how many scripts, and names")
    parser.add_argument("--level", type=int, default=2)
    parser.add_argument("--table", type=Path, default=STORE)
    chosen = parser.parse_args()
    if chosen.what == "bugs":
        if unknown := [name for name in chosen.seeds[1:] if name not in BUGS]:
            parser.error(f"there is no bug {unknown[0]}; there are {', '.join(BUGS)}")
        for row in table_of_bugs(int(chosen.seeds[0]), chosen.seeds[1:]):
            print(row, flush=True)
        return 0
    store, wrong = read(chosen.table), 0
    table = store["seeds"]
    for seed in seeds_of(chosen.seeds):
        key = f"{chosen.level}/{seed}"
        if chosen.what == "make":
            table[key] = verified(seed, chosen.level)
            write(chosen.table, store)
            print(key, *table[key], flush=True)
        elif key in table:
            made = candidate(seed, chosen.level, table[key][0])
            fine = made is not None and json.dumps(numbers_of(made)) == json.dumps(table[key][1])
            wrong += not fine
            print(key, "is as it was stored" if fine else "DIFFERS", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
