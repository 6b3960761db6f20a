"""Judges an answer to a patient: which lines are broken, and what the repaired script prints."""
from __future__ import annotations

import math
import re
from itertools import permutations
from typing import TYPE_CHECKING, Any

from ..reading import Misread, as_lists, is_open
from ..showing import Shown
from ..verdict import NOT_ANSWERED, NOT_YET, RIGHT, as_html, as_text, code
from .ideas import idea
from .numbers_compared import is_better, is_same
from .running import Ran
from .seed_and_level import whole

if TYPE_CHECKING:
    from .patient import Patient

WORDS = {1: "one line", 2: "two lines"}


class Checked(Shown):
    """What `check` found; shown as a verdict. `points` is one for each bug, and one for the number."""

    def __init__(self, kind: str, name: str, says: list[str], found: int = 0, number: bool = False,
                 bugs: int = 2) -> None:
        super().__init__(as_text(kind, name, *says), as_html(kind, name, *says))
        self.bugs_found, self.right_number = found, number
        self.points, self.right = found + number, found == bugs and number


def check(patient: Patient, lines: Any, number: Any) -> Checked:
    """Return the verdict. It says nothing about a bug that the answer doesn't name."""
    many = len(patient.bugs)
    if is_open(lines) and is_open(number):
        which = "the number of the line that is" if many == 1 else "the numbers of two lines that are"
        says = [f"Give {which} broken, and what the repaired script prints, as in "
                f"`check({[12, 30][:many]}, 0.1234)`."]
        return Checked(NOT_ANSWERED, patient.name, says, bugs=many)
    try:
        given = read_lines(lines, many, len(patient.script.numbered()))
        value, told = read_number(number)
    except Misread as problem:
        return Checked(NOT_YET, patient.name, [str(problem)], bugs=many)
    found = named(patient, given)
    says = about_lines(patient, given, found) if given else []
    right_number = value is not None and is_same(value, patient.numbers["healthy"])
    if len(found) == many and right_number:
        return Checked(RIGHT, patient.name, [f"{bug.says} {bug.fix}" for bug in patient.bugs], many, True,
            many)
    if told:
        says.append(told)
    elif value is not None:
        says.append(about_number(patient, value, found, right_number))
    else:
        says.append("What does the repaired script print?")
    return Checked(NOT_YET, patient.name, says, len(found), right_number, many)


def read_lines(lines: Any, many: int, last: int) -> list[int]:
    """Return the numbers of lines that somebody gave.

    Raises:
        Misread: they can't be read, there are too many, or the script has no such line.
    """
    lines = as_lists(lines)
    if isinstance(lines, str):
        lines = [int(word) for word in re.findall(r"-?\d{1,9}", lines)] or [lines]
    if isinstance(lines, (set, frozenset, range)):
        lines = sorted(lines, key=repr)
    if not isinstance(lines, list):
        lines = [lines]
    found = []
    for one in lines:
        if is_open(one):
            continue
        number = int(one) if isinstance(one, float) and one.is_integer() else whole(one)
        if number is None:
            raise Misread(f"Lines have numbers, as in `[12, 30]`; {code(repr(one), 40)} isn't one.")
        if not 1 <= number <= last:
            raise Misread(f"The script has {last} lines; there is no line {code(number, 20)}.")
        found.append(number)
    found = list(dict.fromkeys(found))
    if len(found) > many:
        raise Misread(f"Name {WORDS[many]}, one for each bug; you named {len(found)}.")
    return found


def read_number(number: Any) -> tuple[float | None, str]:
    """Return the number that somebody gave, and what to say if there is none in it.

    Raises:
        Misread: it is no number.
    """
    if isinstance(number, Ran):
        return number.number, number.says if number.number is None else ""
    if is_open(number):
        return None, ""
    value = as_lists(number)
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    try:
        if isinstance(value, bool):
            raise ValueError
        return float(value), ""
    except (TypeError, ValueError, OverflowError):
        raise Misread("What the repaired script prints is a number; "
                      f"{code(repr(number), 40)} isn't one.") from None


def named(patient: Patient, given: list[int]) -> dict[str, int]:
    """Return the line that names each bug, by the bug's name: each line counts for one bug.

    A line that a bug changed counts for that bug, before one beside which another bug's line is missing.
    """
    best: dict[str, int] = {}
    for lines in (patient.lines, patient.accepted):
        for order in permutations(patient.bugs):
            found = {bug.name: line for line, bug in zip(given, order) if line in lines(bug)}
            best = max(best, found, key=len)
    return best


def about_lines(patient: Patient, given: list[int], found: dict[str, int]) -> list[str]:
    """Return a sentence for each line that was named."""
    says = []
    texts = dict(patient.script.numbered())
    taken = [patient.accepted(bug) for bug in patient.bugs if bug.name in found]
    for line in given:
        if line in found.values():
            says.append(f"Line {line} is right.")
        elif look := next((one for one in patient.looks if line in one.lines(patient.script)), None):
            says.append(f"Line {line} is innocent. {look.says}")
        elif any(line in lines for lines in taken):
            says.append(f"Line {line} belongs to the same bug. The other bug is elsewhere.")
        else:
            text = f"Line {line} {idea(texts[line])}"
            says.append(text if text.endswith("?") else text + ".")
    if len(found) == len(given) < len(patient.bugs):
        says.append("One more line is broken.")
    return says


def about_number(patient: Patient, value: float, found: dict[str, int], right: bool) -> str:
    """Return what to say about the number."""
    numbers = patient.numbers
    if right:
        return "The number is right."
    if math.isnan(value):
        return "The repaired script doesn't print nan."
    if patient.is_accuracy and 1 < value <= 100:
        return f"The script prints an accuracy from 0 to 1, and not {code(value)}."
    if is_same(value, numbers["ill"]):
        return "That is what the script prints before anything is repaired."
    for bug in patient.bugs:
        if len(patient.bugs) > 1 and is_same(value, numbers[bug.name]):
            line = found.get(bug.name)
            which = f"the bug of line {line}" if line else "one of the two bugs"
            return f"That is what the script prints when {which} is repaired, and the other one isn't."
    if is_better(value, numbers["healthy"], patient.is_accuracy):
        return "That is better than the healthy script. Repair the broken lines, and change nothing else."
    if len(found) == len(patient.bugs):
        return f"The repaired script doesn't print {code(value)}. {half_of(patient, found)}"
    return (f"The repaired script doesn't print {code(value)}. Repair the broken lines alone: the seed, the "
            "data and the rates stay as they are.")


def half_of(patient: Patient, found: dict[str, int]) -> str:
    """Return what to say about the number when all lines are right: a repair isn't complete."""
    for bug in patient.bugs:
        marked = patient.script.marked(bug.name)
        if any(after - before > 1 for before, after in zip(marked, marked[1:])):
            return f"The bug of line {found[bug.name]} is in a second line, too. Is that repaired?"
    return "The lines are right, but a repair isn't complete, or changes more than it must. Measure again."
