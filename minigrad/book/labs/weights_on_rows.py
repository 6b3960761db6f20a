"""Chapter 5: weights on the rows of the Jacobian of the chapter's function, at (2, 3)."""
from __future__ import annotations

import minigrad as torch

from ...viz.explorers import jacobian_explorer
from ...viz.lab import Lab


def function(x):
    return torch.stack([x[0] ** 2, x[0] * x[1], x[1] ** 3])


def open_lab() -> Lab:
    return jacobian_explorer(function, torch.tensor([2., 3.]), rows=("x0 ** 2", "x0 * x1", "x1 ** 3"))
