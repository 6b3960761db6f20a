"""Claim court: a sentence that people repeat, a verdict, and a witness that shows it.

The learner's answer is {"verdict": "true" or "false", "witness": a function without arguments}. The verdict
alone is an opinion; the witness is run, and must return what really happens.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .exercises import Exercise, Wrong


def claim(id: str, statement: str, returns: str, shows: Callable[[Any], Any], *, hints: tuple[str, str],
          verdict: str = "false", belief: str | None = None, standard: Any = None,
          draw: Callable | None = None, paper: str = "") -> Exercise:
    """An exercise about `statement`, whose witness returns `returns` (in words); `shows` computes it."""

    def judge(answer: Any, numbers: Any) -> Iterator[tuple[str, Any, Any]]:
        given = answer["verdict"]
        yield "your verdict", given if given is None else str(given), verdict  # False is as good as "false"
        witness = answer["witness"]
        if not callable(witness):
            yield "your witness (a function, to be called without arguments)", witness, "a function"
        yield f"what your witness returns ({returns})", witness(), shows(numbers)

    other = "true" if verdict == "false" else "false"
    too_quick = Wrong(lambda numbers: {"verdict": other, "witness": None}, belief,
                      "Let the lines run before you judge.",
                      fits=lambda answer: str(answer["verdict"]).casefold() == other)
    no_proof = Wrong(lambda numbers: {"verdict": verdict, "witness": lambda: None}, None,
                     "A witness must return what it saw.",
                     fits=lambda answer: answer["witness"]() is None)
    return Exercise(id, statement, judge=judge, standard=standard, draw=draw, hints=hints,
                    wrong=(too_quick, no_proof), paper=paper)
