"""Finds the lines beside which a missing line can stand: a learner may name any of them.

A bug's `places` has words: `loop` is the loop that steps, `epochs` the outermost one, `test` all from the end
of the training to the last number, and `test_rows` the lines that make the test rows ready or use them.
"""
from __future__ import annotations

from collections.abc import Iterable

from .script import Line, Script

Numbered = list[tuple[int, Line]]


def natural_places(script: Script, words: Iterable[str]) -> set[int]:
    """Return the numbers of the lines that these words are about."""
    found: set[int] = set()
    for word in words:
        found |= PLACES[word](script.numbered())
    return found


def with_role(rows: Numbered, *roles: str) -> list[int]:
    """Return the numbers of the lines that have one of these roles."""
    return [number for number, line in rows if line.roles & {*roles}]


def loop_around(rows: Numbered, number: int) -> set[int]:
    """Return the numbers of the innermost `for` around a line, and of all lines in it."""
    texts = dict(rows)
    depth = len(texts[number].indent)
    head = next((at for at in range(number, 0, -1) if texts[at].text.lstrip().startswith("for ")
                 and len(texts[at].indent) < depth), None)
    return set() if head is None else {head, *body(rows, head)}


def body(rows: Numbered, head: int) -> set[int]:
    """Return the numbers of the lines that are indented below a line."""
    depth, found = len(dict(rows)[head].indent), set()
    for number, line in rows[head:]:
        if line.text.strip() and len(line.indent) <= depth:
            break
        found |= {number} if line.text.strip() else set()
    return found


def loop(rows: Numbered) -> set[int]:
    """Return the lines of the loops that step and that compute the gradients."""
    found: set[int] = set()
    for number in with_role(rows, "step", "pass"):
        found |= loop_around(rows, number)
    return found


def epochs(rows: Numbered) -> set[int]:
    """Return the lines of the outermost loop."""
    return {at for head in with_role(rows, "epochs") for at in (head, *body(rows, head))}


def test(rows: Numbered) -> set[int]:
    """Return all lines from the last one of the training to the number, empty ones with them."""
    last = max(epochs(rows))
    end = max(with_role(rows, "number", "guesses"))
    return {*range(last, end + 1)}


def test_rows(rows: Numbered) -> set[int]:
    """Return the lines from the statistics to the end of their block, and those that test the model."""
    first = min(with_role(rows, "statistics", "normal"), default=0)
    found = set(with_role(rows, "number", "guesses"))
    for number, line in rows[first - 1:] if first else ():
        found.add(number)
        if not line.text.strip():
            break
    return found


PLACES = {"loop": loop, "epochs": epochs, "test": test, "test_rows": test_rows}
