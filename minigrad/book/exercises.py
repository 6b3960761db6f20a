"""Exercises: compare a learner's answer with what the engine says, and name the first thing that is wrong.

    check("6b", answer)     prints  □ not answered   ✗ not yet, and what is wrong first   ✓ right

What is right is never written down: it is computed when somebody asks, from the numbers of the learner's
seat, so no file that a learner gets holds an answer. `check` never raises; a function of the learner's that
raises is told about like any other wrong answer.
"""
from __future__ import annotations

import json
import math
import os
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .misconceptions import MISCONCEPTIONS
from .progress import progress

PRINTED = "ABCD"  # the seats whose sheets are printed
NO_SOLUTIONS = "MINIGRAD_SOLUTIONS"  # an environment variable: "off" in an assignment
MANY = 200  # how often numbers are drawn, until they differ from those of another sheet
NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


@dataclass(frozen=True)
class Wrong:
    """An answer that people give for a reason: what it is for these numbers, and what to say to it."""

    answer: Callable[[Any], Any]  # numbers -> answer
    belief: str | None  # the id of a misconception; None: a slip, not a belief
    says: str
    fits: Callable[[Any], bool] | None = None  # whether an answer is this one; None: compare with `answer`


@dataclass(frozen=True)
class Exercise:
    """One exercise.

    Either `expected` computes from the numbers what is right (a value, or one for each of `quantities`), or
    `judge` looks at the answer itself (a function, a program) and yields (quantity, got, want) in order.
    """

    id: str
    goal: str
    quantities: tuple[str, ...] = ()
    expected: Callable[[Any], Any] | None = None
    judge: Callable[[Any, Any], Iterable[tuple[str, Any, Any]]] | None = None
    standard: Any = None  # the numbers of somebody without a seat
    draw: Callable[[random.Random], Any] | None = None  # the numbers of a seat
    hints: tuple[str, str] = ("", "")
    wrong: tuple[Wrong, ...] = field(default=())
    within: float = 1e-3  # relative; three digits are enough
    paper: str = ""  # the task on a sheet of paper, where the chapter's words are about a screen

    def numbers(self, seat: str | None) -> Any:
        """The numbers of a seat. Those of A to D, which are printed, differ from each other."""
        if seat is None or self.draw is None:
            return self.standard
        before = PRINTED[:PRINTED.index(seat)] if seat in tuple(PRINTED) else ""
        taken = [self.told(self.numbers(other)) for other in before]
        rng = random.Random(f"{seat}:{self.id}")
        for _ in range(MANY):
            numbers = self.draw(rng)
            if self.told(numbers) not in taken:
                return numbers
        raise ValueError(f"{self.id} has too few numbers to choose from for the sheets {PRINTED}")

    def told(self, numbers: Any) -> Any:
        """What has to differ between neighbours: the answer, or the numbers where several are right."""
        return numbers if self.expected is None else as_lists(self.expected(numbers))

    @property
    def parts(self) -> int:
        """How many points the exercise is worth: one for each quantity."""
        return max(1, len(self.quantities))

    def steps(self, answer: Any, numbers: Any) -> Iterator[tuple[str, Any, Any]]:
        """(quantity, got, want), one after the other."""
        if self.judge is not None:
            yield from self.judge(answer, numbers)
            return
        want = as_lists(self.expected(numbers))
        got = as_lists(answer)
        if not self.quantities:
            yield "your answer", got, want
        elif isinstance(want, dict):
            for name in self.quantities:
                yield name, got.get(name) if isinstance(got, dict) else None, want[name]
        elif not isinstance(got, list) or len(got) != len(self.quantities):
            count = len(self.quantities)
            yield f"the number of values ({count} are asked for)", size(got), count
        else:
            yield from zip(self.quantities, got, want, strict=True)


def check(key: str, answer: Any = None) -> None:
    """Say whether `answer` is right. Numbers, tensors, arrays, lists, sets, dicts, strings and functions."""
    from .chapters import exercise as find
    try:
        print(judged(find(key), answer))
    except ValueError as wrong_key:
        print(wrong_key)


def judged(exercise: Exercise, answer: Any) -> str:
    """What `check` prints; the attempt is counted."""
    if is_open(answer):
        return f"□ {exercise.id}: not answered yet"
    numbers = exercise.numbers(progress.read()["seat"])
    line = first_wrong(exercise, answer, numbers)
    tries = progress.read()["attempts"].get(exercise.id, {}).get("tries", 0) + 1
    wrong = known(exercise, answer, numbers) if line else None
    progress.change("attempts", exercise.id, tries=tries, right=line is None,
                    **({"belief": wrong.belief} if wrong and wrong.belief else {}))
    if line is None:
        return f"✓ {exercise.id}: right"
    lines = [f"✗ {exercise.id}: not yet. {line}"]
    if wrong:
        named = f" ({wrong.belief}: {MISCONCEPTIONS[wrong.belief]})" if wrong.belief else ""
        lines.append(f"  {wrong.says}{named}")
    lines.append(f'  hint("{exercise.id}") helps; solution("{exercise.id}") shows one way.')
    return "\n".join(lines)


def first_wrong(exercise: Exercise, answer: Any, numbers: Any) -> str | None:
    """A sentence about the first quantity that is wrong; None: all are right."""
    try:
        for quantity, got, want in exercise.steps(answer, numbers):
            got, want = as_lists(got), as_lists(want)
            if is_open(got) and not is_open(want):
                return f"Still missing: {quantity}."
            if not same(got, want, exercise.within):
                return f"Look at {quantity}: {shape_problem(got, want) or f'{short(got)} is not it'}."
    except Exception as error:  # whatever a learner's function, or a strange answer, may do
        return f"It raised {type(error).__name__}: {error}"
    return None


def count_right(exercise: Exercise, answer: Any, numbers: Any) -> int:
    """How many of the exercise's `parts` are right; a strange answer has no right parts."""
    if first_wrong(exercise, answer, numbers) is None:
        return exercise.parts
    try:
        steps = list(exercise.steps(answer, numbers))
        return sum(same(as_lists(got), as_lists(want), exercise.within) for name, got, want in steps
                   if name in exercise.quantities)
    except Exception:  # whatever a learner's function, or a strange answer, may do
        return 0


def known(exercise: Exercise, answer: Any, numbers: Any) -> Wrong | None:
    """The known wrong answer that this is."""
    for wrong in exercise.wrong:
        try:
            if (wrong.fits(answer) if wrong.fits
                    else same(as_lists(answer), as_lists(wrong.answer(numbers)), exercise.within)):
                return wrong
        except Exception:  # an answer of another kind is not this one
            continue
    return None


def hint(key: str) -> None:
    """The first hint; asked again, the second."""
    from .chapters import exercise as find
    exercise = find(key)
    seen = progress.read()["attempts"].get(key, {}).get("hints", 0)
    at = 0 if seen == 0 else 1
    progress.change("attempts", key, hints=min(seen + 1, 2))
    print(f"Hint {at + 1} of 2 for {key}: {exercise.hints[at]}")


def solution(key: str) -> None:
    """One way to do it, once you have tried."""
    from .chapters import exercise as find
    find(key)
    if os.environ.get(NO_SOLUTIONS) == "off":
        print(f'This is an assignment: there is no solution here. hint("{key}") helps.')
        return
    if not progress.read()["attempts"].get(key, {}).get("tries"):
        print(f'Try first: check("{key}", ...) with an answer of your own. Then ask again.')
        return
    print(solution_text(key) or f"The solution of {key} stands in the chapter's own file, which is not here.")


def solution_text(key: str) -> str | None:
    """The cell with the tags `solution` and `key` of the chapter, which lies beside the package, or, where
    that was installed elsewhere, in the folder in which somebody works."""
    name = f"{int(key[:-1]):02}_*.ipynb"
    for path in (*sorted(NOTEBOOKS.glob(name)), *sorted(Path.cwd().glob(name))):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if {"solution", key} <= set(cell["metadata"].get("tags", ())):
                lines = "".join(cell["source"]).splitlines()
                return "\n".join(line for line in lines if not line.startswith("### "))
    return None


# --- comparing ----------------------------------------------------------------------------------------------

def as_lists(value: Any) -> Any:
    """Tensors and arrays as lists, tuples as lists; everything else as it is."""
    if hasattr(value, "detach"):
        value = value.detach()
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [as_lists(item) for item in value]
    if isinstance(value, Mapping):
        return {key: as_lists(item) for key, item in value.items()}
    return frozenset(value) if isinstance(value, (set, frozenset)) else value


def is_open(answer: Any) -> bool:
    """Whether a stub was left as it was."""
    if answer is None or answer is ...:
        return True
    if isinstance(answer, (str, set, frozenset)):
        return not answer
    if isinstance(answer, (list, tuple)):
        return all(map(is_open, answer)) if answer else True
    return isinstance(answer, Mapping) and all(map(is_open, answer.values()))


def same(got: Any, want: Any, within: float) -> bool:
    if isinstance(want, bool) or isinstance(got, bool) or want is None or got is None:
        return got is want
    if isinstance(want, (int, float)) and isinstance(got, (int, float)):
        if math.isnan(want) or math.isnan(got):
            return math.isnan(want) and math.isnan(got)
        return math.isclose(got, want, rel_tol=within, abs_tol=within * 1e-3)
    if isinstance(want, list) and isinstance(got, list):
        return len(got) == len(want) and all(same(a, b, within) for a, b in zip(got, want, strict=True))
    if isinstance(want, dict) and isinstance(got, dict):
        return got.keys() == want.keys() and all(same(got[key], want[key], within) for key in want)
    if isinstance(want, str) and isinstance(got, str):
        return " ".join(got.split()).casefold() == " ".join(want.split()).casefold()
    return type(got) is type(want) and got == want


def shape_problem(got: Any, want: Any) -> str | None:
    """In words, when two answers can't be compared number by number."""
    if isinstance(want, frozenset) and isinstance(got, frozenset):
        too_many, missing = sorted(map(str, got - want)), len(want - got)
        return f"{too_many[0]!r} doesn't belong there" if too_many else f"{missing} more belong there"
    if isinstance(want, list) and isinstance(got, list) and len(want) != len(got):
        return f"it has {len(got)} values, and {len(want)} are asked for"
    if isinstance(want, list) and isinstance(got, (int, float)):
        return f"one number, where {len(want)} values are asked for"
    return None


def size(value: Any) -> int:
    return len(value) if isinstance(value, (list, dict)) else 1


def short(value: Any) -> str:
    text = repr(set(value)) if isinstance(value, frozenset) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
