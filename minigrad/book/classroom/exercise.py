"""What an exercise is: its numbers, what is right, the wrong answers that people give, and its hints.

What is right is never written down: it is computed when it is asked for, from the numbers of the learner's
seat, so no file that a learner gets holds an answer.
"""
from __future__ import annotations

import functools
import random
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .reading import as_lists, in_order, ticked

PRINTED = "ABCD"  # the seats whose sheets are printed
MANY = 200  # how often numbers are drawn, until they differ from those of another sheet
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
    standard: Any = None  # the numbers without a seat
    draw: Callable[[random.Random], Any] | None = None  # the numbers of a seat
    hints: tuple[str, str] = ("", "")
    wrong: tuple[Wrong, ...] = ()
    within: float = 1e-3  # relative; three digits are enough
    paper: str = ""  # the task on a sheet of paper, where the chapter's words are about a screen
    choices: tuple[str, ...] = ()  # the lines to choose from, where the answer is a set of them
    why: str = ""  # what a right answer is told
    truths: tuple[str, str] = ("`{name}` is not true.", "`{name}` is not false.")  # to a wrong True, a False
    untouched: Callable[[Any], bool] | None = None  # whether an answer is the unchanged stub
    unchanged: str = ""  # what is said to one, where a learner's own lines may leave it so

    @property
    def parts(self) -> int:
        """How many points the exercise is worth: one for each quantity or choice."""
        return max(1, len(self.named), len(self.choices))

    @functools.cached_property
    def named(self) -> Mapping[str, str]:
        """The words for each part of the answer: `quantities`, or the keys if a dict is expected."""
        if self.quantities or self.choices or self.expected is None or self.judge is not None:
            return self.quantities
        want = self.expected(self.numbers(PRINTED[0] if self.standard is None else None))
        return {name: f"`{name}`" for name in want} if isinstance(want, dict) else {}

    @property
    def rule(self) -> str:
        """How `judging` counts the points, for a teacher who marks by hand; empty: there is only one."""
        if self.choices:
            return (f"nothing ticked: 0; else {self.parts}, less 2 for each box that is ticked wrongly or "
                    "missing, at least 0")
        return f"1 for each: {', '.join(self.named.values())}" if self.parts > 1 else ""

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
        if not self.named:
            return [Part("your answer", as_lists(answer), want)]
        wanted = want if isinstance(want, dict) else dict(zip(self.named, want, strict=True))
        return [Part(name, got, wanted[name])
                for name, got in in_order(answer, self.named, list(wanted.values())).items()]
