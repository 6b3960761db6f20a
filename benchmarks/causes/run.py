"""Judge explain() and why() on folders of programs, and print the table of docs/bench.md.

    python -m benchmarks.causes.run benchmarks/causes/seen
    python -m benchmarks.causes.run FOLDER other/folder --kinds --texts said.txt --backends torch
"""
from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks.causes.bench import Verdict, Worker, judge
from benchmarks.causes.programs import Program, read_programs

NAMES = {"torch": "PyTorch", "minigrad": "minigrad"}
PAGE = """# What `explain()`, `why()` and `watch()` find

{best}

The bench is in `benchmarks/causes`, whose README.md says how a program is asked and how an answer is judged.
Its programs were written without reading the implementation; one half was seen while it was written, the
other half, and those of `fresh/`, were read when they were first asked, and the causes that were missing
then were added by rule. So none of these figures is that of unseen programs; the next table has those.

{unseen}

Each row is another tester, who had read the README alone, wrote the programs from public reports, with
cause, line and fix, and then asked under `watch()` on PyTorch 2.13. These are the first answers; the causes
that were missing then were added by rule.

This command makes the page:

```
python -m benchmarks.causes.run benchmarks/causes/{{seen,held/programs,held/models,fresh}} \\
    --write docs/bench.md
```

## Programs in which something is wrong, by question

"plain" and "watched" ask `why(tensor)`, or `explain(error)` after an error; "model" asks `why(model)`;
"run" reads `print(run)` after `with watch(model, optimizer) as run:`. A model is asked only where a
variable holds one.

{broken}

## Healthy programs

{healthy}

## By kind

{kinds}
"""
UNSEEN = [   # asked on, broken, cause: named, partly, "can't know", not found, wrong; line; healthy, alarmed
    ("29 November 2026, 21:15", 47, 23, 9, 0, 15, 0, 22, 21, 2),
    ("30 November, 1:25", 20, 9, 2, 0, 9, 0, 10, 10, 0),
    ("30 November, 3:40", 20, 10, 5, 0, 5, 0, 7, 10, 2),
    ("30 November, 5:20", 20, 6, 3, 1, 9, 1, 7, 10, 0),
    ("30 November, 8:40", 38, 25, 3, 3, 7, 0, 23, 18, 2),
    ("30 November, 10:05", 40, 24, 3, 2, 10, 1, 23, 16, 1),
    ("30 November, 13:05", 24, 14, 1, 1, 8, 0, 11, 16, 3),
    ("1 December, 0:30", 24, 14, 2, 0, 6, 2, 13, 16, 1),
    ("1 December, 3:50", 20, 11, 0, 0, 8, 1, 11, 12, 0),
    ("1 December, 9:35", 20, 3, 2, 1, 13, 1, 2, 10, 1),
    ("1 December, 12:45", 15, 3, 1, 0, 11, 0, 2, 8, 0),
]
OUTCOMES = ["right", "partly", "honest", "not found", "wrong", "refused"]


def judged(programs: list[Program], backends: list[str]) -> list[Verdict]:
    """Run every program on every backend, plain and watched."""
    verdicts: list[Verdict] = []
    for backend in backends:
        worker, known = Worker(backend), {}
        for program in programs:
            for watched in (False, True):
                if backend in program.backends:
                    verdicts += judge(program, worker, watched, known)
        worker.close()
    return verdicts


def row(name: str, cells: list[Any]) -> str:
    """Return a row of a Markdown table."""
    return f"| {name} | " + " | ".join(str(cell) for cell in cells) + " |"


def table(title: str, columns: list[str], rows: list[str]) -> str:
    """Return a Markdown table."""
    return "\n".join([row(title, columns), "|---|" + "--:|" * len(columns), *rows])


def ways_of(verdicts: list[Verdict]) -> list[tuple[str, str]]:
    """Return the pairs of backend and way, in the order in which they appear."""
    pairs = {(v.backend, v.way) for v in verdicts}
    return sorted(pairs, key=lambda pair: (pair[0] != "torch", pair[1]))


def totals(verdicts: list[Verdict]) -> str:
    """Return the table of outcomes for programs in which something is wrong."""
    rows = []
    for backend, way in ways_of(verdicts):
        mine = [v for v in verdicts if (v.backend, v.way) == (backend, way)]
        counts = [sum(v.cause == outcome for v in mine) for outcome in OUTCOMES]
        rows.append(row(f"{NAMES[backend]}, {way}", [
            len(mine), *counts, sum(v.line for v in mine), sum(len(v.false) for v in mine),
            sum(bool(v.harmful) for v in mine)]))
    columns = ["programs", "right cause", "partly", "says what it can't know", "not found", "wrong",
               "refused", "right line", "false claims", "harmful fixes"]
    return table("", columns, rows)


def best_answers(verdicts: list[Verdict]) -> str:
    """Return the table of programs of which at least one question is answered: a reader asks them all."""
    rows = []
    for backend, watched in sorted({(v.backend, "plain" not in v.way) for v in verdicts},
                                   key=lambda pair: (pair[0] != "torch", pair[1])):
        asked = defaultdict(list)
        for v in verdicts:
            if (v.backend, "plain" not in v.way) == (backend, watched):
                asked[v.program.name].append(v)
        right = sum(any(v.cause == "right" for v in mine) for mine in asked.values())
        lines = sum(any(v.line for v in mine) for mine in asked.values())
        rows.append(row(f"{NAMES[backend]}, {'watched' if watched else 'plain'}",
                        [len(asked), right, lines]))
    return table("one question answered", ["programs", "right cause", "right line"], rows)


def page(verdicts: list[Verdict]) -> str:
    """Return docs/bench.md."""
    broken = [v for v in verdicts if not v.program.healthy]
    healthy = [v for v in verdicts if v.program.healthy]
    columns = ["broken", "right cause", "partly", "says what it can't know", "not found", "wrong",
               "right line", "healthy", "alarmed"]
    return PAGE.format(unseen=table("asked on", columns, [row(on, of) for on, *of in UNSEEN]),
                       best=best_answers(broken), broken=totals(broken), kinds=by_kind(broken, False),
                       healthy=totals_of_healthy(healthy))


def totals_of_healthy(verdicts: list[Verdict]) -> str:
    """Return the table of false claims about healthy programs."""
    rows = []
    for backend, way in ways_of(verdicts):
        mine = [v for v in verdicts if (v.backend, v.way) == (backend, way)]
        rows.append(row(f"{NAMES[backend]}, {way}", [
            len({v.program.name for v in mine}), sum(len(v.false) for v in mine),
            sum(v.cause == "refused" for v in mine)]))
    return table("", ["programs", "false claims", "refused"], rows)


def by_kind(verdicts: list[Verdict], healthy: bool) -> str:
    """Return a table with a row for each kind: right causes and lines, or false claims."""
    ways, kinds = ways_of(verdicts), defaultdict(list)
    for v in verdicts:
        kinds[v.program.kind].append(v)
    rows = []
    for kind, all_of_kind in sorted(kinds.items()):
        cells = [len({v.program.name for v in all_of_kind})]
        for pair in ways:
            mine = [v for v in all_of_kind if (v.backend, v.way) == pair]
            right, lines = sum(v.cause == "right" for v in mine), sum(v.line for v in mine)
            false = sum(len(v.false) for v in mine)
            cells.append(("-" if not mine else false) if healthy else f"{right}, {lines}" if mine else "-")
        rows.append(row(kind, cells))
    what = "false claims" if healthy else "cause, line"
    return table("kind", ["programs", *(f"{NAMES[b]}, {way}: {what}" for b, way in ways)], rows)


def in_full(v: Verdict) -> str:
    """Return an answer with what was expected and how it was judged."""
    judged_as = [v.program.name, v.program.kind, v.backend, v.way, v.cause, f"line {v.line}",
                 f"false {v.false}", f"harmful {v.harmful}"]
    expected = f"expected: {v.program.cause}, at {sorted(v.program.lines_to_edit())}"
    return "\n".join(["######## " + " | ".join(judged_as), expected, v.text,
                      *(f"[unjudged] {fix}" for fix in v.unjudged)])


def main(arguments: list[str] | None = None) -> list[Verdict]:
    """Print the tables; return the verdicts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--backends", nargs="+", default=["torch", "minigrad"])
    parser.add_argument("--only", nargs="*", help="names of programs")
    parser.add_argument("--kinds", action="store_true", help="print a row for each kind, too")
    parser.add_argument("--failures", action="store_true", help="list what is not right")
    parser.add_argument("--texts", type=Path, help="write every answer to this file")
    parser.add_argument("--write", type=Path, help="write the page docs/bench.md")
    told = parser.parse_args(arguments)
    programs = [p for p in read_programs(*told.folders) if not told.only or p.name in told.only]
    verdicts = judged(programs, told.backends)
    broken = [v for v in verdicts if not v.program.healthy]
    healthy = [v for v in verdicts if v.program.healthy]
    if broken:
        print("Programs in which something is wrong\n\n" + totals(broken) + "\n")
    if broken and told.kinds:
        print(by_kind(broken, False) + "\n")
    if healthy:
        print("Healthy programs\n\n" + totals_of_healthy(healthy) + "\n")
    if healthy and told.kinds:
        print(by_kind(healthy, True) + "\n")
    if told.failures:
        for v in verdicts:
            bad = v.false or v.harmful or not v.program.healthy and (v.cause != "right" or not v.line)
            if bad:
                print(f"{v.program.name}, {v.backend}, {v.way}: {v.cause}, line {v.line}, "
                      f"false {v.false}, harmful {v.harmful}")
    if told.write:
        told.write.write_text(page(verdicts), encoding="utf-8")
    if told.texts:
        told.texts.write_text("\n\n".join(in_full(v) for v in verdicts), encoding="utf-8")
    return verdicts


if __name__ == "__main__":
    main(sys.argv[1:])
