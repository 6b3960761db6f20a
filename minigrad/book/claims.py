"""Claim court: a sentence that people repeat, a verdict, and a witness that shows it.

The learner's answer is {"verdict": "true" or "false", "witness": a function}. The verdict alone is an
opinion; the witness is called, several times and with different arguments, so that a function that returns a
constant shows nothing.
"""
from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import minigrad

from .exercises import Exercise, Part, Wrong
from .reading import Misread, as_lists, by_name, is_open, truth
from .saying import kind_of

Trial = Callable[[Callable, Any, Any], Iterator[Part]]


@dataclass(frozen=True)
class Claim(Exercise):
    """An exercise whose answer is a verdict and a witness."""

    verdict: str = "false"
    shows: Callable[[Any], Any] | None = None  # numbers -> what the witness finds

    def told(self, numbers: Any) -> Any:
        return as_lists(self.shows(numbers))


def claim(id: str, statement: str, takes: str, trial: Trial, shows: Callable[[Any], Any], *,
          hints: tuple[str, str], verdict: str = "false", belief: str | None = None, standard: Any = None,
          draw: Callable | None = None, paper: str = "", reason: str = "", why: str = "") -> Claim:
    """An exercise about `statement`.

    `takes` names the witness's arguments ("x", or nothing). `trial(witness, numbers, torch)` calls it and
    yields parts; `torch` is the package that the witness uses. `shows` computes what it should find. `reason`
    is what a wrong verdict is told, beside that a witness can show otherwise; `why` is what a right answer is
    told.
    """

    def judge(answer: Any, numbers: Any) -> Iterator[Part]:
        given = opened(answer)
        said = given["verdict"]
        unread = "" if truth(said) is not None or is_open(said) else "Your verdict should be true or false."
        yield Part("verdict", said, verdict == "true", unread or "Your verdict is not right.")
        witness = given["witness"]
        if is_open(witness):
            yield Part("witness", None, True)
        elif not callable(witness):
            yield Part("witness", False, True,
                       f"Your witness should be a function; {kind_of(witness)} isn't one. Write "
                       f"`def witness({takes}):`, and give its name without calling it.")
        else:
            fitting(witness, takes)
            for part in trial(witness, numbers, package_of(witness)):
                yield part if not is_open(part.got) else nothing_returned(part)

    other = "true" if verdict == "false" else "false"
    too_quick = Wrong(lambda numbers: {"verdict": other, "witness": None}, belief,
                      f"A witness can show otherwise. {reason}".strip(),
                      fits=lambda answer: truth(opened(answer)["verdict"]) is (other == "true"))
    return Claim(id, statement, {"verdict": "your verdict", "witness": "your witness"}, judge=judge,
                 standard=standard, draw=draw, hints=hints, wrong=(too_quick,), paper=paper,
                 why=why, verdict=verdict, shows=shows)


def opened(answer: Any) -> dict[str, Any]:
    """The verdict and the witness of an answer; one of them alone is taken for what it is."""
    names = ("verdict", "witness")
    if isinstance(answer, Mapping):
        return by_name(answer, names)
    if isinstance(answer, (list, tuple)) and len(answer) == 2:
        return dict(zip(names, answer, strict=True))
    if truth(answer) is not None:
        return {"verdict": answer, "witness": None}
    if callable(answer):
        return {"verdict": None, "witness": answer}
    raise Misread('Your answer should be `{"verdict": "true" or "false", "witness": a function}`.')


def fitting(witness: Callable, takes: str) -> None:
    """Raise Misread unless the witness can be called with the arguments that it is to take."""
    try:
        inspect.signature(witness).bind(*takes.replace(",", " ").split())
    except TypeError:
        given = f"with `{takes}`" if takes else "without arguments"
        begin = f"`def witness({takes}):`"
        raise Misread(f"The check calls your witness {given}: begin it with {begin}.") from None
    except ValueError:  # a function without a signature
        pass


def nothing_returned(part: Part) -> Part:
    """The part of a witness that returned `None`, or a list of them; else it would count as missing."""
    says = part.says if part.got is not None else (
        "Your witness returned `None`. A function that prints its result still has to return it.")
    return Part(part.name, False, True, says)


def package_of(witness: Callable) -> Any:
    """What the witness calls `torch`: PyTorch, or minigrad."""
    package = getattr(witness, "__globals__", {}).get("torch", minigrad)
    return package if hasattr(package, "tensor") and hasattr(package, "autograd") else minigrad
