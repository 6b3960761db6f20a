"""The nine points that the model of most chapters is fitted to, and nine that no line fits."""
from __future__ import annotations

INPUTS = (-1., -0.75, -0.5, -0.25, 0., 0.25, 0.5, 0.75, 1.)
TARGETS = (-2.4, -1.85, -0.8, -0.25, 0.3, 1.35, 2., 2.65, 3.5)  # 3x + 0.5, and a little noise
BENT = (*TARGETS[:5], 0.35, -0.1, -0.2, -0.65)     # it rises to the middle, and then falls


def points() -> tuple[list[float], list[float]]:
    """Return the inputs and the targets of nine points that lie near the line 3x + 0.5.

        inputs, targets = points()
        x, target = torch.tensor(inputs), torch.tensor(targets)     both of shape (9,), float32

    Both are new lists of nine floats, so that a change to one of them doesn't reach the next call.
    """
    return list(INPUTS), list(TARGETS)


def bent_points() -> tuple[list[float], list[float]]:
    """Return the inputs and the targets of nine points along a bend: the first five as in `points`."""
    return list(INPUTS), list(BENT)
