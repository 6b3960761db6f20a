"""Finds the lines beside which a missing or moved line can stand: a learner may name any of them.

A bug's `places` has words that say where its repair gives the healthy number: `zero` and `zero_head` are
places between a step and the next backward pass, `step` and `step_head` those between a pass and the next
call that empties the drawers, `epoch_end` those behind all batches of an epoch, `longer` a schedule that can
count batches in place of epochs, `test` all from the end of the training to the last number, and `test_rows`
the lines that make the test rows ready or use them.
"""
from __future__ import annotations

from collections.abc import Iterable

from .script import Line, Script

Numbered = list[tuple[int, Line]]
BEFORE_A_STEP = "pass", "clip", "clamp"


def natural_places(script: Script, words: Iterable[str]) -> set[int]:
    """Return the numbers of the lines that these words are about."""
    found: set[int] = set()
    for word in words:
        found |= PLACES[word](script.numbered())
    return found


def with_role(rows: Numbered, *roles: str) -> list[int]:
    """Return the numbers of the lines that have one of these roles."""
    return [number for number, line in rows if line.roles & {*roles}]


def head_of(rows: Numbered, number: int, *words: str) -> int:
    """Return the number of the innermost line around a line that begins with one of these words; 0: none."""
    texts = dict(rows)
    depth = len(texts[number].indent)
    return next((at for at in range(number, 0, -1) if texts[at].text.lstrip().startswith(words)
                 and len(texts[at].indent) < depth), 0)


def body(rows: Numbered, head: int) -> set[int]:
    """Return the numbers of the lines that are indented below a line."""
    depth, found = len(dict(rows)[head].indent), set()
    for number, line in rows[head:]:
        if line.text.strip() and len(line.indent) <= depth:
            break
        found |= {number} if line.text.strip() else set()
    return found


def statements(rows: Numbered, head: int) -> list[tuple[int, int]]:
    """Return the first and the last line of each statement directly below a line."""
    inside, texts = sorted(body(rows, head)), dict(rows)
    depth = min(len(texts[number].indent) for number in inside)
    starts = [number for number in inside if len(texts[number].indent) == depth]
    return [(start, max(number for number in inside if number < end))
            for start, end in zip(starts, [*starts[1:], inside[-1] + 1])]


def has(rows: Numbered, start: int, end: int, *roles: str) -> bool:
    """Whether a line from the first to the last of a statement has one of these roles."""
    return any(start <= number <= end for number in with_role(rows, *roles))


def beside(rows: Numbered, gaps: Iterable[int]) -> set[int]:
    """Return the lines right before and right after some gaps; a gap is the number of the line before it."""
    found: set[int] = set()
    for gap in gaps:
        after = next((number for number, line in rows[gap:] if line.text.strip()), gap)
        found |= {gap, after}
    return found


def between(rows: Numbered, role: str) -> set[int]:
    """Return the lines beside which drawers can be emptied: not between the pass and the step named."""
    (step,) = with_role(rows, role)
    head = head_of(rows, step, "for ")
    parts = statements(rows, head)
    passed = max(end for start, end in parts if has(rows, start, end, "pass"))
    return beside(rows, [gap for gap in (head, *(end for _, end in parts)) if not passed <= gap < step])


def after_pass(rows: Numbered, zero: str) -> set[int]:
    """Return the lines beside which a step can stand: behind the pass and all that changes its gradients."""
    head = head_of(rows, with_role(rows, "pass")[0], "for ")
    parts = statements(rows, head)
    first = max(end for start, end in parts if has(rows, start, end, *BEFORE_A_STEP))
    last = min((start for start, end in parts if start > first and has(rows, start, end, "averaging", zero)),
               default=parts[-1][1] + 1)
    return beside(rows, [end for _, end in parts if first <= end < last])


def epoch_end(rows: Numbered) -> set[int]:
    """Return the lines beside which something can stand that happens once, at the end of an epoch."""
    batches = head_of(rows, with_role(rows, "pass")[0], "for ")
    around = [head_of(rows, batches, "for ", "def "), *with_role(rows, "epochs")]
    gaps = {end for head in around for _, end in statements(rows, head)
            if not head < batches or end >= max(body(rows, batches))}
    return beside(rows, [gap for gap in gaps if not dict(rows)[gap].text.lstrip().startswith("return ")])


def longer(rows: Numbered) -> set[int]:
    """Return the line of a schedule with a number of turns, which can count batches as well as epochs."""
    return {number for number, line in rows if "schedule" in line.roles and "step_size=" in line.text}


def test(rows: Numbered) -> set[int]:
    """Return all lines from the last one of the training to the number, empty ones with them."""
    last = max(at for head in with_role(rows, "epochs") for at in (head, *body(rows, head)))
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


PLACES = {
    "zero": lambda rows: between(rows, "step"), "zero_head": lambda rows: between(rows, "step_head"),
    "step": lambda rows: after_pass(rows, "zero"), "step_head": lambda rows: after_pass(rows, "zero_head"),
    "epoch_end": epoch_end, "longer": longer, "test": test, "test_rows": test_rows}
