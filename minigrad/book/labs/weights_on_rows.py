"""Chapter 5: weights on the rows of the Jacobian of the chapter's function, at (2, 3)."""
from __future__ import annotations

from dataclasses import replace

import minigrad as torch

from ...viz.explorers import jacobian_explorer
from ...viz.lab import Lab, State


def function(x):
    return torch.stack([x[0] ** 2, x[0] * x[1], x[1] ** 3])


def solved(state: State, words: str) -> str:
    return "The result is [3, 2]." if words.endswith(": [3.0, 2.0]") else ""


def open_lab() -> Lab:
    lab = jacobian_explorer(function, torch.tensor([2., 3.]), rows=("x0 ** 2", "x0 * x1", "x1 ** 3"))
    return replace(lab, solved=solved)
