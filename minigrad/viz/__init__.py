"""Pictures of what autograd recorded, and explanations of what it did.

    from minigrad.viz import draw
    draw(loss)

shows the graph behind a tensor, before or after the backward pass. Only the public names of
autograd are read (`grad_fn`, `next_functions`, `_saved_self`, `variable` ...), so the same call
draws real PyTorch tensors.

* `graph/` makes a plain model of what was recorded, in which no tensor is alive.
* `program/` says what the program's variables and text tell of it: names, lines, and where a
history ended.
* `drawing/` turns the model into boxes and arrows, folds them, lays them out and writes them down.
* `watching/` writes down, while the program runs, what no name tells afterwards.
* `errors/` explains an error (`explain`), and `faults/` a gradient that is not what was expected
(`why`).
* `player/` shows a backward pass step by step.
"""

from __future__ import annotations

from .drawing.diff import diff
from .drawing.draw import draw
from .drawing.drawing import Drawing
from .drawing.render import CannotDraw
from .errors.explain import explain, offer_on_errors
from .errors.install import install
from .errors.tracebacks import hide_libraries
from .faults.why import why
from .player import Player, play
from .watching.watch import watch

__all__ = ["CannotDraw", "Drawing", "Player", "diff", "draw", "explain", "install", "play", "watch",
           "why"]

hide_libraries()
offer_on_errors()
