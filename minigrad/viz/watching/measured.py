"""What a run measured, for a page on which nothing wrong was found."""
from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..program.custom_functions import NEVER_READS, unchecked_words

if TYPE_CHECKING:
    from .run import Run

NAMED = 3  # parameters in a sentence


def what_was_measured(run: Run) -> str:
    """A sentence that says of the parameters what was looked for, and what a figure contradicts.

    The gradient of a row is the last one, which a pass after the last step may have left.
    """
    if not run.rows:
        return "No parameters were watched: give watch() a model, as in `watch(model, opt)`."
    grads = Counter(row.grad.partition(" ")[0] for row in run.rows)
    now = sum(row.grad == "frozen" and row.had for row in run.rows)  # and not before
    grads["frozen"] -= now
    causes = Counter(row.cause for row in run.rows)
    first, sums, late, waiting, idle = (causes[one] for one in (
        "zero at first", "adds up to 0", "not in the last pass", "no pass", "target"))
    unknown, given = causes["not known"], causes["grad()"]
    silent = [row.name for row in run.rows
              if row.grad.startswith("norm") and row.name in run.over_steps.silent()]
    names = " and ".join([*silent[:NAMED], *[f"{len(silent) - NAMED} more"] * (
        len(silent) > NAMED)])
    more = [words for words, told in (
        (f"{grads['frozen']} {'is' if grads['frozen'] == 1 else 'are'} frozen", grads["frozen"]),
        (f"of {grads['not']} the gradient is not known", grads["not"]),
        (f"{first} had zeros alone, which is so until a factor that begins with 0 has moved",
         first),
        (f"of {sums} it adds up to 0", sums),
        (f"the last pass did not use {late}", late), (f"no pass reached {idle}", idle),
        (f"the last step found zeros alone in that of {names}", silent),
        (f"a grad() left the .grad of {given} alone, and where what it returned went is not known",
         given),
        (f"of {unknown} it is not known whether anything is wrong", unknown),
        (f"for {waiting} no pass through parameters of their model ran to its end", waiting)
    ) if told]
    none = ["NaN", "infinite"] * (not run.over_steps.broke) + ["zero"] * (not silent) + [
        "vanishing"] * (not unknown)
    by_steps = sum(row.stepped for row in run.rows)
    written = sum(bool(row.moved) for row in run.rows) - by_steps  # as by an update by hand
    moved = [f"steps moved {by_steps}"] * (by_steps > 0 or not (written or given))
    moved += [f"the program wrote to {written}"] * (written > 0)
    rows = counted(len(run.rows), "parameter", "parameters")
    passes = counted(len(run.passes) - len(run.failed), "backward pass", "backward passes")
    had = now + grads["norm"] + sum(row.grad == "None" and row.had for row in run.rows)
    later = f", and {now} {'is' if now == 1 else 'are'} frozen now" * (now > 0)
    praise = f" (none was {', '.join(none)}{' or' * bool(none)} doubled{later})" * (had > 0)
    found = [f"{had} had a gradient{praise}"] * (had > 0 or not (grads["not"] or given))
    opening = "Until the error, measured" if run.error else (
        "Measured" if run.failed or waiting else "Nothing else was found. Measured" if run.facts
        else "Nothing wrong was found. Measured")
    last = f", and {' and '.join(moved)}" * bool(moved)
    unchecked = unchecked_words(one for row in run.rows for one in row.own)
    words = f"{opening} were {rows} in {passes}: {', '.join([*found, *more])}{last}. {unchecked}"
    return words.strip()


def unchecked_beside(rows: Sequence[Any]) -> tuple[str, str]:
    """What is to be said of the program's own backwards before and after what was found.

    It comes first where a gradient vanished on a way through one. Of others those are told that
    never read what they are given.
    """
    bad = [row for row in rows if not row.is_fine]
    passed = [one for row in bad if row.cause == "vanishing" for one in row.own]
    never = [one for row in rows if bad for one in row.own if NEVER_READS in one]
    words = unchecked_words([*passed, *never])
    return (words, "") if passed else ("", words)


def counted(count: int, one: str, several: str) -> str:
    return f"{count} {one if count == 1 else several}"
