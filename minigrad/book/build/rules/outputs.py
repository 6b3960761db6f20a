"""What the cells of a chapter must have shown when it was run."""
from __future__ import annotations

import re
from collections.abc import Iterator

from ...classroom.deciding import faults_of_key, what_was_printed
from ..counting import OURS
from .chapter import Chapter, Finding

DIGITS = 7      # that float32 holds, whatever the number
# A point or an exponent makes a number a float; a point after its last digit ends a sentence, unless it is
# followed by what follows a number in a tensor or in a list.
NUMBER = re.compile(r"(?<!PyTorch )(?<![\w.])\d+(?:\.\d+)?(?![\w]|\.\d)")
FLOAT = re.compile(r"(?<![\w.])(\d+\.\d+|\d+\.(?=[,)\]])|\d+(?=e))(?:e[+-]?\d+)?(?![\w]|\.\d)")


def checks_are_right_and_reveals_are_silent(chapter: Chapter) -> Iterator[Finding]:
    for cell in chapter.code("check"):
        if not cell.printed.startswith("✓"):
            yield Finding(f"the check of the book's own solution printed {cell.printed!r}",
                          "change the solution, or what is expected in the chapter's module", cell)
    for cell in chapter.code("reveal"):
        if "no prediction yet" not in cell.printed:
            yield Finding(f"this comparison printed {cell.printed!r}",
                          "run the chapter with `python -m minigrad.book run`, which has nobody's progress",
                          cell)


def pictures_can_be_read(chapter: Chapter) -> Iterator[Finding]:
    for cell in chapter.code("viz") + chapter.code("aha"):
        data = [output["data"] for output in cell.outputs if "data" in output]
        if not any(("image/svg+xml" in one
                    and re.search("Graph|Jacobian", "".join(one.get("text/plain", ""))))
                   or ' alt="' in "".join(one.get("text/html", "")) for one in data):
            yield Finding("no picture with its words",
                          "end the cell with a picture that says in words what it shows, such as "
                          'show_figure(figure, alt="...") for matplotlib, or take the tag viz or aha away',
                          cell)


def floats_are_the_same_on_every_processor(chapter: Chapter) -> Iterator[Finding]:
    """The last bits of a float32 depend on the processor, so plain cells print no digit beyond them.

    A float64 is held to the same: what is printed doesn't tell the two apart, and its last bits differ, too.
    """
    for cell in chapter.code():
        for found in FLOAT.finditer(cell.said) if not cell.tags & OURS else ():
            if len(found[1].replace(".", "").strip("0")) > DIGITS:
                yield Finding(f"{found[0]} has more digits than the {DIGITS} that float32 holds",
                              "print the tensor in place of its `.item()`, or with a format such as "
                              "`:.4f`; make an exact integer an int", cell)


def keys_are_what_happens(chapter: Chapter) -> Iterator[Finding]:
    """The right option of a question, and the verdict on a note, are what a program says.

    Of what no cell asks, the rules of order say so.
    """
    for asked in filter(chapter.asks, (*chapter.questions, *chapter.notes)):
        for fault in faults_of_key(asked, what_was_printed(chapter, asked)):
            yield Finding(f"{asked.id}: {fault}",
                          "change the key, an option's words or what decides it (`decided`, see deciding.py)",
                          question=asked.id)


def numbers_of_a_question_are_those_of_the_chapter(chapter: Chapter) -> Iterator[Finding]:
    """A number in the words of a question, or in those for paper, is in a cell, an output or a text up to its
    comparison.

    A number that was changed in its cell alone is in none of them any more. A rounded one may be elsewhere.
    """
    known: set[float] = set()
    for cell in chapter.cells:
        asked = chapter.asked(cell) if "reveal" in cell.tags else None
        for number in NUMBER.findall(f"{asked.text} {getattr(asked, 'paper', '')}") if asked else ():
            digits = len(number.partition(".")[2])
            if not any(float(number) in (one, round(one, digits) if digits else one) for one in known):
                yield Finding(f"question {asked.id} speaks of {number}, which is in no cell, output or text "
                              "up to its comparison", "has it changed there?", question=asked.id)
        if not cell.tags & {"predict", "reveal"}:
            known |= {float(number) for number in NUMBER.findall(f"{cell.text} {cell.said}")}


RULES = (checks_are_right_and_reveals_are_silent, pictures_can_be_read,
         floats_are_the_same_on_every_processor, keys_are_what_happens)
ADVICE = (numbers_of_a_question_are_those_of_the_chapter,)
