"""Chapter 5: coefficients on the rows of the Jacobian of the chapter's function, at (3, 2)."""
from __future__ import annotations

from dataclasses import replace

import minigrad as torch

from ..lab import Lab, State
from .jacobian import jacobian_explorer


def function(u):
    return torch.stack([u[0] ** 2, u[0] * u[1], u[1] ** 3])


def solved(state: State, words: str) -> str:
    cancelled = words.endswith(": [0.0, 0.0]") and any(state.values())
    return "u.grad is [0, 0]: what the rows contribute cancels." if cancelled else ""


def open_lab() -> Lab:
    rows = ("u[0] ** 2", "u[0] * u[1]", "u[1] ** 3")
    lab = jacobian_explorer(function, torch.tensor([3., 2.]), rows=rows)
    return replace(lab, solved=solved)
