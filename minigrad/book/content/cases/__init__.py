"""The errors of the clinic, one `Case` each, in files by theme.

A case is a program, kept as text: it is run whenever its page is built, so a page can't show what no longer
happens; tests run each with PyTorch, too. What the page says about it, and its picture, come from
`minigrad.viz.explain`.
"""
from __future__ import annotations

from . import function_errors, hook_errors, leaf_errors, pass_errors, start_errors, value_errors, write_errors
from .case import Case

THEMES = {
    "During a backward pass": pass_errors.CASES,
    "Where a pass starts and ends": start_errors.CASES,
    "Writing in place": write_errors.CASES,
    "Leaves, drawers and optimizers": leaf_errors.CASES,
    "Hooks": hook_errors.CASES,
    "Custom Functions": function_errors.CASES,
    "Shapes, types and checks": value_errors.CASES,
}
CASES: tuple[Case, ...] = tuple(case for cases in THEMES.values() for case in cases)
