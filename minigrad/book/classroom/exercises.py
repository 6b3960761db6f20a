"""Exercises: compare a learner's answer with what the engine says, part by part, and say what to look at.

    check("6b", answer)     shows  □ not answered yet   ✗ not yet, and what is wrong   ✓ right

What is right is never written down: it is computed when somebody asks, from the numbers of the learner's
seat, so no file that a learner gets holds an answer. `reading.py` says what an answer means, `comparing.py`
whether a part of it is right, `judging.py` which parts are, and `saying.py` what is wrong. `check` never
raises; a function of the learner's that raises is told about like any other wrong answer.
"""
from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..content.chapters import chapter_of
from .judging import judge, untouched
from .printed import was_printed
from .progress import progress
from .reading import as_lists, in_order, ticked
from .saying import capitalised
from .showing import somebody_is_there
from .verdict import NOT_ANSWERED, NOT_YET, NOTE, RIGHT, both, show

PRINTED = "ABCD"  # the seats whose sheets are printed
NO_SOLUTIONS = "MINIGRAD_SOLUTIONS"  # an environment variable: "off" in an assignment
PRINTED_ANSWER = ("Your answer is `None`: `print` shows a value, and returns `None`. Store the value "
                  "itself, without `print`.")
MANY = 200  # how often numbers are drawn, until they differ from those of another sheet
NOTEBOOKS = Path(__file__).resolve().parents[3] / "notebooks"
NOT_HERE = "The solution is in the chapter's own file, which is not here."
KEY = re.compile(r"\d+[a-z]\d?")  # "6b", and "4e1" for a step of the learner's engine


@dataclass(frozen=True)
class Wrong:
    """An answer that people give for a reason: what it is for these numbers, and what to say to it.

    The answer of an exercise with several quantities may hold those only that are wrong.
    """

    answer: Callable[[Any], Any]  # numbers -> answer
    belief: str | None  # the id of a misconception; None: a slip, not a belief
    says: str
    fits: Callable[[Any], bool] | None = None  # whether an answer is this one; None: compare with `answer`
    whole: bool = False  # an answer that agrees with it in some parts only is another one
    paper: str = ""  # how it is written on paper, where the answer is a program


@dataclass(frozen=True)
class Part:
    """One part of an answer: what it is, and what it should be."""

    name: str
    got: Any
    want: Any
    says: str = ""  # what to say if it isn't right; empty: the usual sentence


@dataclass(frozen=True)
class Exercise:
    """One exercise.

    Either `expected` computes from the numbers what is right (a value, one for each of `quantities`, or a set
    of `choices`), or `judge` looks at the answer itself (a function, a program) and yields its parts.
    """

    id: str
    goal: str
    quantities: Mapping[str, str] = field(default_factory=dict)  # name: the words for it in a sentence
    expected: Callable[[Any], Any] | None = None
    judge: Callable[[Any, Any], Iterable[Part]] | None = None
    example: Callable[[Any], Any] | None = None  # beside a judge: one answer that is right
    standard: Any = None  # the numbers of somebody without a seat
    draw: Callable[[random.Random], Any] | None = None  # the numbers of a seat
    hints: tuple[str, str] = ("", "")
    wrong: tuple[Wrong, ...] = ()
    within: float = 1e-3  # relative; three digits are enough
    paper: str = ""  # the task on a sheet of paper, where the chapter's words are about a screen
    choices: tuple[str, ...] = ()  # the lines to choose from, where the answer is a set of them
    why: str = ""  # what a right answer is told
    truths: tuple[str, str] = ("`{name}` is not true.", "`{name}` is not false.")  # to a wrong True, a False
    untouched: Callable[[Any], bool] | None = None  # whether an answer is a stub that nobody has changed

    @property
    def parts(self) -> int:
        """How many points the exercise is worth: one for each quantity or choice."""
        return max(1, len(self.quantities), len(self.choices))

    @property
    def rule(self) -> str:
        """How `judging` counts the points, for a teacher who marks by hand; empty: there is only one."""
        if self.choices:
            return (f"nothing ticked: 0; else {self.parts}, less 2 for each box that is ticked wrongly or "
                    "missing, at least 0")
        return f"1 for each: {', '.join(self.quantities.values())}" if self.parts > 1 else ""

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
        """The answer, which has to differ between neighbours."""
        return as_lists((self.expected or self.example)(numbers))

    def look(self, answer: Any, numbers: Any) -> list[Part]:
        """The parts of an answer, beside what they should be.

        Raises:
            Misread: the answer has another form than it should have.
        """
        if self.judge is not None:
            return list(self.judge(answer, numbers))
        want = as_lists(self.expected(numbers))
        if self.choices:
            return [Part(line, got, line in want) for line, got in ticked(answer, self.choices).items()]
        if not self.quantities:
            return [Part("your answer", as_lists(answer), want)]
        wanted = want if isinstance(want, dict) else dict(zip(self.quantities, want, strict=True))
        return [Part(name, got, wanted[name])
                for name, got in in_order(answer, self.quantities, list(wanted.values())).items()]


def check(key: str, answer: Any = None) -> None:
    """Say whether `answer` is right. Numbers, tensors, arrays, lists, sets, dicts, strings and functions."""
    if exercise := found(key):
        said = judged(exercise, answer)
        if said[0] == NOT_YET and somebody_is_there():
            from .helping import with_buttons
            with_buttons(exercise, both(*said))._ipython_display_()
        else:
            show(*said)


def judged(exercise: Exercise, answer: Any) -> tuple[str, ...]:
    """What `check` shows: the kind of verdict, the exercise, paragraphs. The attempt is counted."""
    if untouched(exercise, answer):
        printed = (PRINTED_ANSWER,) if answer is None and was_printed(exercise.id) else ()
        return NOT_ANSWERED, exercise.id, *printed
    judgement = judge(exercise, answer, exercise.numbers(progress.read()["seat"]))
    right, before = not judgement.says, progress.read()["attempts"].get(exercise.id, {})
    belief = judgement.wrong.belief if judgement.wrong else None
    facts = {"belief": belief, "wrong": before.get("wrong", {}) | judgement.mistakes}
    progress.change("attempts", exercise.id, tries=before.get("tries", 0) + 1,
                    right=right or bool(before.get("right")),  # what was right once stays right
                    real=judgement.real or bool(before.get("real")),
                    **{name: fact for name, fact in facts.items() if fact})
    if right:
        return RIGHT, exercise.id, *exercise.why.splitlines()
    shows = "" if not may_see(exercise.id) else f' `solution("{exercise.id}")` shows one way.'
    return NOT_YET, exercise.id, *judgement.says, f'`hint("{exercise.id}")` gives a hint.{shows}'


def found(key: str) -> Exercise | None:
    """The exercise, or nothing but a note that says which exercises there are."""
    from ..content.chapters import exercise as find
    try:
        return find(key)
    except ValueError as wrong_key:
        show(NOTE, "", capitalised(str(wrong_key)) + ".")
        return None


def hint(key: str) -> None:
    """The first hint; asked again, the second."""
    if exercise := found(key):
        number, words = next_hint(exercise)
        show(NOTE, exercise.id, words, word=f"hint {number} of 2")


def next_hint(exercise: Exercise) -> tuple[int, str]:
    """The number of the next hint, and its words; that it was seen is stored."""
    seen = progress.read()["attempts"].get(exercise.id, {}).get("hints", 0)
    progress.change("attempts", exercise.id, hints=min(seen + 1, 2))
    number = 1 if seen == 0 else 2
    return number, exercise.hints[number - 1]


def solution(key: str) -> None:
    """One way to do it, once you have tried."""
    if (exercise := found(key)) is None:
        return
    key = exercise.id
    if closed():
        show(NOTE, key, f'This is an assignment, so there is no solution here. `hint("{key}")` helps.')
    elif not may_open(key):
        show(NOTE, key, f'Try it first. The solution opens after `check("{key}", ...)` with an answer '
             "that has the right form, after two answers of any form, or after both hints of "
             f'`hint("{key}")`.')
    elif text := solution_text(key):
        print(text)
    else:
        show(NOTE, key, NOT_HERE)


def may_see(key: str) -> bool:
    """Whether the solution opens: there is one here, and somebody has tried."""
    return not closed() and may_open(key)


def may_open(key: str) -> bool:
    """Whether somebody has tried: one real attempt, two of any kind, or both hints."""
    facts = progress.read()["attempts"].get(key, {})
    return any((facts.get("real"), facts.get("right"), facts.get("tries", 0) > 1, facts.get("hints", 0) > 1))


def closed() -> bool:
    return os.environ.get(NO_SOLUTIONS) == "off"


def solution_text(key: str) -> str | None:
    """The cell with the tags `solution` and `key` of the chapter, which lies beside the package, or, where
    that was installed elsewhere, in the folder in which somebody works.

    A step of the engine begins with a line that loads the steps before it.
    """
    from .engine import loading
    name = f"{chapter_of(key):02}_*.ipynb"
    for path in (*sorted(NOTEBOOKS.glob(name)), *sorted(Path.cwd().glob(name))):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if {"solution", key} <= set(cell["metadata"].get("tags", ())):
                lines = "".join(cell["source"]).splitlines()
                return loading(key) + "\n".join(line for line in lines if not line.startswith("### "))
    return None
