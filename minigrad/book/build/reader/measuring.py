"""Runs the programs of the symptom pages, with and without the measurements of a page in them."""
from __future__ import annotations

import functools
import random
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from ...content.cases.symptoms.symptom import Cause, Look, Outcome, Symptom, edited
from ...content.cases.symptoms.symptom_measurements import MEASUREMENTS
from .program import HEAD, Ran, run

LOOP = re.compile(r"^for (step|epoch)\b.*$", re.MULTILINE)
BODY = re.compile(r"^for (step|epoch)\b.*\n(?: .*\n|\n(?= ))+", re.MULTILINE)
IN_LOOP = {"before the pass": (re.compile(r"^( +).*\.backward\(.*$", re.MULTILINE), False),
           "after the pass": (re.compile(r"^( +).*\.backward\(.*$", re.MULTILINE), True),
           "before the step": (re.compile(r"^( +)optimizer\.step\(.*$", re.MULTILINE), False)}
STARTED = (10, 20)  # the states from which the generators of a first and a second run start


def repaired(cause: Cause, at: int = 0) -> str:
    """Return the program of a cause with one of its remedies."""
    return edited(cause.code, *cause.remedies[at].edits)


def ran(code: str, head: str = HEAD, start: int = 0, given: Mapping[str, Any] = MappingProxyType({})) -> Ran:
    """Run a program as if in a process of its own: what it hasn't seeded starts from one of two states."""
    run(f"torch.manual_seed({STARTED[start]})", head)
    random.seed(STARTED[start])
    np.random.seed(STARTED[start])
    return run(code, head, given=given)


@functools.cache
def printed(code: str, start: int = 0) -> str:
    """Return what a program prints, and its error if it raises one."""
    done = ran(code, start=start)
    return (done.printed + done.message).strip()


def last_line(printed: str) -> str:
    """Return the last line that a program printed, or its error."""
    return (printed.strip().splitlines() or [""])[-1]


def number(printed: str) -> float:
    """Return the number that what a program prints ends in.

    Raises:
        ValueError: it ends in something else.
    """
    return float(last_line(printed).rpartition(" ")[2])


def with_calls(code: str, look: Look) -> str:
    """Return a program with the function of a measurement, and its calls in their places."""
    for place, call in look.calls.items():
        if place == "start":
            code = LOOP.sub(lambda loop, call=call: f"{call}\n{loop[0]}", code, count=1)
        elif place == "after the step":
            line = f"    note({place!r}, {call})\n"
            code = BODY.sub(lambda loop, line=line: loop[0] + line, code, count=1)
        elif place == "end":
            code += f"note('end', {call})\n"
        else:
            pattern, after = IN_LOOP[place]
            code = pattern.sub(functools.partial(_beside, f"note({place!r}, {call})", after), code, count=1)
    return MEASUREMENTS[look.measurement].code + code


def _beside(call: str, after: bool, line: re.Match) -> str:
    return f"{line[0]}\n{line[1]}{call}" if after else f"{line[1]}{call}\n{line[0]}"


def noted(code: str, look: Look, head: str = HEAD, start: int = 0) -> dict[str, list[Any]]:
    """Run a program with a measurement, and return what it noted, as lists by place.

    A program that fails has its message as what it noted at the place "error".
    """
    return _noted(with_calls(code, look), head, start)


@functools.cache
def _noted(code: str, head: str, start: int) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}

    def note(place: str, value: Any) -> None:
        found.setdefault(place, []).append(value)

    done = ran(code, head, start, {"note": note})
    run("torch.autograd.set_detect_anomaly(False)", head)
    return {**found, "error": [done.message]} if done.error else found


def measured(symptom: Symptom, cause: Cause, look: Look) -> dict[str, list[Any]]:
    """Return what a measurement noted in the program of a cause, with a second run where a page needs it."""
    look = look.of(cause)
    first = noted(cause.code, look)
    return first if symptom.runs == 1 else {**first, "second run": [noted(cause.code, look, start=1)]}


def outcome(look: Look, noted: dict[str, list[Any]]) -> Outcome:
    """Return the first outcome that fits.

    Raises:
        ValueError: none does.
    """
    for one in look.outcomes:
        if one.fits(noted):
            return one
    raise ValueError(f"no outcome of {look.measurement!r} fits {noted}")
