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

`rooms.py` joins them. It is loaded when one of its names is first used, or an error raised: what
only imports minigrad doesn't wait for it.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from .errors.tracebacks import hide_libraries
from .program.where_it_runs import PACKAGE

if TYPE_CHECKING:
    from .rooms import CannotDraw, Drawing, Player, diff, draw, explain, install, play, watch, why

__all__ = ["CannotDraw", "Drawing", "Player", "diff", "draw", "explain", "install", "play", "watch",
           "why"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import rooms

    globals().update({one: getattr(rooms, one) for one in __all__})
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def offer(error: BaseException) -> None:
    """Put a note on an error that `explain` can explain."""
    from .errors.explain import offer

    offer(error)


hide_libraries()
_core = sys.modules.get(f"{PACKAGE}.errors")
if _core is not None:
    _core.explainers.append(offer)      # it is called with each error of a backward pass
