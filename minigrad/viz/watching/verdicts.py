"""What was found in a run: the problems of its parameters and modules, those alike together."""
from __future__ import annotations

from typing import NamedTuple

from ..drawing.explanation import Fix
from .parts import Part
from .records import Line
from .table import FIXES, STATES, Row

MOST = 4  # names that a sentence lists


class Verdict(NamedTuple):
    """A problem: what it is about, what was found, its line, and what would help."""

    cause: str
    names: list[str]
    sentence: str
    line: Line | None
    fixes: list[Fix]


def verdicts_of(rows: list[Row], parts: list[Part]) -> list[Verdict]:
    """The problems that are certain, the worst first."""
    found: dict[tuple[str, str, Line | None], list[str]] = {}
    for row in rows:
        if row.state and row.state != "frozen":
            key = (row.state, _general(row.sentence), row.line)
            found.setdefault(key, []).append(row.name)
    verdicts = [Verdict(state, names, f"{listed(names)} {sentence}.", line, [FIXES[state]] * (state in FIXES))
                for (state, sentence, line), names in found.items()]
    for part in parts:
        if not part.last.registered and part.last.parameters:
            verdicts.append(Verdict(
                "not registered", [part.path], f"{part.path} was called, but the module that calls it doesn't have "
                "it among its parts, so `parameters()` leaves out its parameters.", part.last.line,
                [Fix("Keep the layers in a `torch.nn.ModuleList`, or assign each to an attribute.", "none")]))
    return sorted(verdicts, key=lambda one: STATES.index(one.cause) if one.cause in STATES else 0)


def _general(sentence: str) -> str:
    """Without the numbers of one parameter, so that parameters with the same problem share a sentence."""
    for word in ("a gradient of norm ", "has "):
        head, found, rest = sentence.partition(word)
        if found and rest[:1].isdigit():
            return {"has ": "has NaN or infinite numbers in its gradient"}.get(
                word, f"{head}a very {'large' if 'only' not in rest else 'small'} gradient")
    return sentence


def listed(names: list[str]) -> str:
    """`a`, `a and b`, `a, b, c and 5 others`."""
    shown = names if len(names) <= MOST else [*names[:MOST - 1], f"{len(names) - MOST + 1} others"]
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))
