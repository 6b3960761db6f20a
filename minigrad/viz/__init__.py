"""Pictures of what autograd recorded, and explanations of what it did.

    from minigrad.viz import draw
    draw(loss)

shows the graph behind a tensor, before or after the backward pass. Only the public names of
autograd are read (`grad_fn`, `next_functions`, `_saved_self`, `variable` ...), so the same call
draws real PyTorch tensors.

A room imports only those above it in this list, and `tests/house.py` looks.

* `graph/` is a plain model of what was recorded, in which no tensor is alive.
* `program/` reads it with what the program's variables and text tell: names, lines, and where a
history ended.
* `drawing/` turns the model into boxes and arrows, folds them, lays them out and writes them down.
* `watching/` writes down, while the program runs, what no name tells afterwards.
* `faults/` says why a gradient is not what was expected (`why`), and `player/` shows a backward
pass step by step.
* `errors/` explains an error (`explain`).
"""
from .drawing.diff import diff
from .drawing.draw import draw
from .drawing.drawing import Drawing
from .drawing.render import CannotDraw
from .errors.explain import explain, offer_on_errors
from .errors.install import install
from .errors.tracebacks import hide_libraries
from .faults import why as gradients
from .faults.verdicts import find_faults
from .faults.why import why
from .player import Player, play
from .watching.run import Run
from .watching.watch import watch

__all__ = ["CannotDraw", "Drawing", "Player", "diff", "draw", "explain", "install", "play", "watch",
           "why"]

# Two rooms ask what stands above them; only the package knows all rooms.
gradients.explain_refusal = explain
Run.find_faults = staticmethod(find_faults)
hide_libraries()
offer_on_errors()
