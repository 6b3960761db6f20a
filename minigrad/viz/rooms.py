"""Every name of this package, with what two rooms ask of those above them."""
from __future__ import annotations

from .drawing.diff import diff
from .drawing.draw import draw
from .drawing.drawing import Drawing
from .drawing.render import CannotDraw
from .errors.explain import cause_of, explain
from .errors.install import install
from .faults import why as gradients
from .faults.verdicts import find_faults
from .faults.why import why
from .player import Player, play
from .watching.run import Run
from .watching.watch import watch

__all__ = ["CannotDraw", "Drawing", "Player", "diff", "draw", "explain", "install", "play", "watch",
           "why"]

gradients.explain_refusal = explain
Run.find_faults, Run.cause_of = staticmethod(find_faults), staticmethod(cause_of)
