"""The errors of the clinic, one `Case` each, in files by theme.

A case is a program, kept as text: it is run whenever its page is built, so a page can't show what no longer
happens; tests run each with PyTorch, too. What the page says about it, and its picture, come from
`minigrad.viz.explain`.
"""
from __future__ import annotations

from . import functions, hooks, leaves, passes, starts, values, writes
from .case import Case

THEMES = {
    "During a backward pass": passes.CASES,
    "Where a pass starts and ends": starts.CASES,
    "Writing in place": writes.CASES,
    "Leaves, drawers and optimizers": leaves.CASES,
    "Hooks": hooks.CASES,
    "Custom Functions": functions.CASES,
    "Shapes, types and checks": values.CASES,
}
CASES: tuple[Case, ...] = tuple(case for cases in THEMES.values() for case in cases)
