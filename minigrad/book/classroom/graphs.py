"""Pictures of graphs, as the chapters draw them."""
from __future__ import annotations

from typing import Any

from ...viz import Drawing
from ...viz import draw as draw_all
from .opening import chapter

SAVED_IN = 6    # the chapter that explains what an operation saves


def draw(tensors: Any, *, show: str = "", **options: Any) -> Drawing:
    """Draw the graph behind a tensor, as `minigrad.viz.draw` does.

    In the chapters before 6 the engine view leaves out what the operations saved; `show="saved"` shows it.

        draw(loss)                                  # its nodes and edges
        draw(loss, show="saved", view="engine")     # and what the nodes saved

    Raises:
        TypeError, ValueError: as `minigrad.viz.draw`.
    """
    return draw_all(tensors, show=usual(show, chapter.number, options.get("view", "engine")), **options)


def usual(show: str, number: int | None, view: str = "engine") -> str:
    """Return the words of `show`, with those that a chapter of this number adds."""
    if number is None or number >= SAVED_IN or view != "engine":
        return show
    return show if not isinstance(show, str) or "saved" in show else f"{show} -saved".lstrip()
