"""Writes docs/patients.md from what is stored about the patients: what each measurement shows of each bug."""
from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from minigrad.book.build.page_of_measurements import TWIN_BUGS, words_of
from minigrad.book.classroom.measurements import MEASUREMENTS
from minigrad.book.classroom.patients.bug import KINDS
from minigrad.book.classroom.patients.bugs import BUGS
from tests.helpers import patients_measured, patients_watched
from tests.helpers.patients_measured import real, scripts_with

PAGE = Path(__file__).parents[2] / "docs" / "patients.md"
NAMES = [function.__name__ for function in MEASUREMENTS]
LEAST = 27      # of the held patients must have both bugs named

# What a right answer of `why` or `watch` about a bug speaks of.
CAUSES = {
    "hidden_detached": "detach", "limit_data": r"\.data|\bcut\b|limit", "offset_item": r"item|offset",
    "average_alias": "same memory|no copy", "half_without_graph": "item|far",
    "zero_forgotten": "doubled|not emptied|emptied", "head_emptied_before_step": "emptied",
    "zero_once_an_epoch": "doubled|not emptied|emptied", "step_before_pass": "emptied|before|no step",
    "schedule_each_batch": "rate|schedule", "head_after_optimizer": "[Nn]o optimizer|made",
    "half_of_the_weights": "[Nn]o optimizer", "blocks_in_a_list": "list|registered",
    "head_never_steps": r"step\(", "halved_each_epoch": "rate", "decay_of_weights": "decay",
    "weights_clamped": "written|clamp", "optimizer_made_again": "made again|made anew|new optimizer",
    "eval_forgotten": "mode", "dropout_always": "[Dd]ropout", "keep_dropped": "[Dd]ropout",
    "features_off_the_record": "no_grad", "dropout_made_in_forward": "[Dd]ropout", "train_in_loss": "mode",
    "softmax_twice": "softmax", "error_broadcast": "shape|broadcast", "probabilities_for_logs": "logarithm",
    "softmax_over_rows": r"dim=0|softmax", "sigmoid_twice": "sigmoid", "all_columns_picked": "shape|column",
    "largest_score": "accuracy", "slice_written": "in place|written", "rows_apart": "rows",
    "columns_scrambled": "view", "normalised_twice": "normalis", "test_as_it_came": "test",
    "test_by_itself": "test", "order_unused": "order", "same_buffer": "same memory|buffer",
    "bytes_wrap": "uint8|byte", "whole_division": "//", "stamps_rounded": "round|float32",
    "squares_wrap": "uint8|byte", "half_overflows": r"half\(|65,504", "root_at_zero": "[Ss]qrt",
    "epsilon": "eps", "whole_share": "//"}


WORDS = {name: part.strip().splitlines() for name, part in zip(("head", "bugs", "answers"), """
# Patients: what the measurements show

This page is generated. `python -m tests.helpers.solver --write` measures all scripts again, `--watch` asks
`why` and `watch` again, and `--page` only writes the page. A test takes a few scripts again and compares.

## The solver

A program inserts the measurements into a patient's script by mechanical rules, and names the bugs from what
they return (`tests/helpers/examining.py`, `chart.py` and `solver.py`). Its rules see no text, and were
written with the patients 0 to 99 at level 2. The held patients, 500 to 529, were measured once, when the
rules were finished. Two bugs that no measurement tells apart count as one.

Beside the measurements, the rules are given the number that the script prints, and whether the model is in
training mode when it is tested. They expect pixels that reach from 0 to 1, as a reader of the script would.
---
## Which measurement shows which bug

A cell says in how many of the scripts a measurement showed the bug: the seen patients, and scripts with one
planted bug where few of these have it. An empty cell means none.
---
## `why` and `watch` on the patients

Each bug is taken from the first patient that has it, at level 1 if there is one. The first turns of the
training loop run under `watch(model, optimizer)`, and `why(model)` follows the last line. Counted are the
bugs whose cause an answer names, those whose line it names, and the other claims: those about none of the
script's bugs. Both look at gradients and steps, so they say little about data and losses.
""".split("---\n"))}


def twins(bug: str) -> set[str]:
    """Return the bugs that no measurement tells from this one, with itself."""
    return next(({*group} for group in TWIN_BUGS if bug in group), {bug})


def counted(bug: str) -> tuple[int, dict[str, int]]:
    """Return how many scripts have a bug, and how many of them each measurement showed it in."""
    found, stored = scripts_with(bug), patients_measured.stored()
    hits = {name: sum(any([name, twin] in stored[group][key] for twin in twins(bug)) for group, key in found)
            for name in NAMES}
    return len(found), hits


def shown_by(bug: str) -> list[str]:
    """Return the measurements that showed a bug in at least half of its scripts."""
    many, hits = counted(bug)
    return [name for name in NAMES if 2 * hits[name] >= many > 0]


def bugs_named(group: str, key: str) -> set[str]:
    return {bug for _, bug in patients_measured.stored()[group][key]}


def groups(bugs: set[str]) -> set[str]:
    """Return these bugs, with one name for those that no measurement tells apart."""
    return {min(twins(bug)) for bug in bugs}


def solved(group: str) -> tuple[int, int, int, int]:
    """Return (how many scripts, with all bugs named, with exactly these named, how many other names)."""
    keys = patients_measured.stored()[group]
    pairs = [(groups(bugs_named(group, key)), groups(real(group, key))) for key in keys]
    return (len(pairs), sum(own <= told for told, own in pairs), sum(own == told for told, own in pairs),
            sum(len(told - own) for told, own in pairs))


def table_of_bugs() -> Iterator[str]:
    yield f"| kind | bug | scripts | {' | '.join(NAMES)} |"
    yield f"|---|---|---|{'---|' * len(NAMES)}"
    for kind in KINDS:
        for name, bug in BUGS.items():
            if bug.kind == kind:
                many, hits = counted(name)
                cells = " | ".join(str(hits[one] or "") for one in NAMES)
                yield f"| {kind} | {words_of(name)} | {many} | {cells} |"


def judged(key: str, asked: str) -> tuple[bool, bool, int]:
    """Return whether an answer has the right cause, and the right line, and how many other claims."""
    one = patients_watched.stored()[key]
    bug, bugs = key.split("/")[1], one.get("lines", {})
    cause = line = False
    other = 0
    for head, lines, sentence in one.get(asked, ()):
        about = {name for name in bugs
                 if {*lines} & {*bugs[name]} or re.search(CAUSES[name], head + sentence)}
        cause |= bug in bugs and bool(re.search(CAUSES[bug], head + sentence))
        line |= bool({*lines} & {*bugs.get(bug, ())})
        other += not about
    return cause, line, other


def table_of_answers() -> Iterator[str]:
    yield "| kind | bugs | `why`: cause | line | other claims | `watch`: cause | line | other claims |"
    yield "|---|---|---|---|---|---|---|---|"
    stored = patients_watched.stored()
    for kind in KINDS:
        keys = [f"bug/{name}" for name, bug in BUGS.items() if bug.kind == kind and stored.get(f"bug/{name}")]
        yield f"| {kind} | {len(keys)} | {sums(keys, 'why')} | {sums(keys, 'watch')} |"
    healthy = [key for key in stored if key.startswith("healthy/")]
    yield (f"| healthy | {len(healthy)} scripts |  |  | {sum(judged(key, 'why')[2] for key in healthy)} "
           f"|  |  | {sum(judged(key, 'watch')[2] for key in healthy)} |")


def sums(keys: list[str], asked: str) -> str:
    return " | ".join(str(sum(each)) for each in zip(*(judged(key, asked) for key in keys)))


def text() -> str:
    """Return the page."""
    many, both, exact, other = solved("held")
    seen = solved("seen")
    healthy = solved("healthy")
    missed = [f"* patient({key}) has {listed(own)}; named {'is' if len(told) == 1 else 'are'} {listed(told)}"
              for key in patients_measured.stored()["held"]
              for told, own in [(bugs_named("held", key), real("held", key))] if told != own]
    hidden = [bug for bug in BUGS if not shown_by(bug)]
    answers = patients_watched.stored()
    found = [words_of(key.split("/")[1]) for key in answers
             if key.startswith("bug/") and answers[key] and judged(key, "watch")[1]]
    return "\n".join([
        *WORDS["head"], "",
        "| scripts | number | all bugs named | exactly these | other names |",
        "|---|---|---|---|---|",
        f"| held patients | {many} | {both} | {exact} | {other} |",
        f"| seen patients | {seen[0]} | {seen[1]} | {seen[2]} | {seen[3]} |",
        f"| healthy scripts | {healthy[0]} |  | {healthy[2]} | {healthy[3]} |",
        "",
        *(["Held patients in which other names were given than those of the bugs:", "", *missed, ""]
          if missed else []),
        *WORDS["bugs"], "",
        *table_of_bugs(), "",
        f"No measurement shows: {listed(hidden) or 'none; each bug is shown by one at least'}.", "",
        "No measurement tells these apart, because they behave the same: "
        + "; ".join(" and ".join(map(words_of, group)) for group in TWIN_BUGS) + ".", "",
        *WORDS["answers"], "",
        *table_of_answers(), "",
        f"`watch` names the line of: {', '.join(found) or 'none'}.", ""])


def listed(bugs) -> str:
    return ", ".join(sorted(map(words_of, bugs)))


def write() -> None:
    PAGE.write_text(text(), encoding="utf-8")
