"""What decides which option of a question is right, and which verdict on a note.

A question's `decided` is a function: it gets what the cells between `predict` and `reveal` printed, or what a
note's cells printed between the box and `judge`, and returns what happens. It reads the output, or it runs
a program of its own with minigrad. Each option claims something; exactly the right one must claim what
happens. `python -m minigrad.book check` compares.

    Question("2.1", "... What does `w.grad` hold?", (
        Option("−0.9495: a new gradient replaces the old one, unless it is 0", "M02", "..."),
        Option("−2.5773: the second pass adds its gradient to the first one", None, "...")),
        decided=lambda printed: shown_after("after:", printed))

An option claims its words, or those before its first colon. Where it has words that no program prints,
`claims` says it. A question for a reason has a `Contrast`.
"""
from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from .markup import plain
from .notes import Note
from .questions import Option, Question

NUMBER = re.compile(r"-?(?:\d+\.?\d*(?:e[+-]?\d+)?|nan\b|inf\b)")


@dataclass(frozen=True)
class Contrast:
    """Decides a question for a reason: two programs that differ in that reason alone must end differently.

    `claim` is the reason that then holds; if both programs end alike, nothing has been shown.
    """

    claim: str
    with_it: Callable[[], Any]
    without: Callable[[], Any]

    def __call__(self, printed: str) -> str:
        return self.claim if outcome(self.with_it) != outcome(self.without) else "no difference"


def outcome(program: Callable[[], Any]) -> str:
    """Return what a program returns, as text, or "raises" and the name of its error."""
    try:
        return str(program())
    except Exception as error:
        return f"raises {type(error).__name__}"


def numbers(printed: str) -> list[float]:
    """Return the numbers in what a cell printed, in their order."""
    return [float(found) for found in NUMBER.findall(printed)]


def shown_after(label: str, printed: str) -> str:
    """Return the first number behind a label, as it was printed, with the minus sign of a text."""
    return NUMBER.search(printed, printed.index(label) + len(label))[0].replace("-", "−")


def judged(holds: bool, *, held: bool = False, result: bool = False) -> str:
    """Return the verdict on a note.

    `holds`: what it says is so today. `held`: it was so in the release that the note used. `result`: the
    result that the note gives is right in its example, for another reason than the note's.
    """
    return "right" if holds else "right in its time" if held else "lucky" if result else "wrong"


def claimed(option: Option) -> set[str]:
    """Return what an option says will happen: what it claims, or its words, or those up to a colon."""
    if option.claims:
        return {as_claim(option.claims)}
    return {as_claim(option.text), as_claim(option.text.partition(": ")[0])}


def as_claim(text: Any) -> str:
    one_space = re.sub(r"\s+", " ", plain(str(text)))
    return re.sub(r"(?<=[\[(]) | (?=[\])])", "", one_space).replace("-", "−").strip(" .")  # PyTorch pads


def faults_of_key(asked: Question | Note, printed: str) -> Iterator[str]:
    """Yield what is wrong with the key of a question, or with the verdict on a note."""
    if asked.decided is None:
        yield "nothing decides what is right"
        return
    try:
        happens = as_claim(asked.decided(printed))
    except Exception as error:
        yield f"what decides it stopped with {type(error).__name__}: {error}"
        return
    if isinstance(asked, Note):
        if happens != asked.verdict:
            yield f"the verdict is {asked.verdict!r}, but its program says {happens!r}"
        return
    agree = [letter for letter in asked.letters if happens in claimed(asked.option(letter))]
    right = [letter for letter in asked.letters if asked.option(letter).right]
    if agree != right:
        key, claim = (" and ".join(letters) or "no option" for letters in (right, agree))
        yield f"the key is {key}, but what happens, {happens!r}, is claimed by {claim}"
    for letter in asked.letters:
        option = asked.option(letter)
        for number in NUMBER.findall(option.claims):
            if number.lstrip("-") not in as_claim(option.text):
                yield f"option {letter} claims {number}, and its words don't"


def what_was_printed(chapter: Any, asked: Question | Note) -> str:
    """Return what the cells printed, showed and raised that belong to a question or to a note."""
    printed: list[str] = []
    for cell in chapter.cells:
        mine = chapter.asked(cell) is asked
        if "predict" in cell.tags and mine or "✎ From the notes" in cell.text:
            printed = []
        elif cell.tags & {"reveal", "judge"} and mine:
            break
        elif cell.kind == "code" and not cell.tags & {"predict", "reveal", "judge", "check"}:
            raised = [f"{one['ename']}: {one['evalue']}" for one in cell.outputs if "ename" in one]
            printed += [cell.said.strip(), *raised]
    return "\n".join(filter(None, printed))
