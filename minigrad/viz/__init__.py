"""Pictures of what autograd recorded.

    from minigrad.viz import draw
    draw(loss)

shows the graph behind a tensor, from its leaves on the left to the result on the right, before or after the
backward pass. It reads only the public autograd names (`grad_fn`, `next_functions`, `_saved_self`,
`variable` ...), so the same call draws real PyTorch tensors. The steps, each in a file of its own:
names and `read` make a plain model of the graph, `views` turns it into boxes and arrows, `fold` shortens it,
`text` and `dot` write it down, `render` lays it out, and a `Drawing` carries the result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .drawing import Drawing
from .facts import is_node, is_tensor
from .fold import fold
from .names import find_names
from .read import read
from .render import CannotDraw
from .views import engine_view, maths_view

__all__ = ["CannotDraw", "Drawing", "draw"]

VIEWS = {"engine": engine_view, "maths": maths_view}
SMALL = 6  # elements; larger tensors show their shape only


def draw(
    tensors: Any,
    *,
    view: str = "engine",
    names: Mapping[str, Any] | bool | None = None,
    values: bool | int = True,
    saved: bool | str = True,
    versions: bool = False,
    legend: bool = False,
    caption: str = "",
    max_nodes: int | None = 40,
) -> Drawing:
    """Draw the graph behind a tensor, or behind several.

    Args:
        tensors: a tensor, a node (a `grad_fn`), or a list of them.
        view: "engine" shows the operations that backward will run; "maths" shows tensors and what links them.
        names: a dict of name to tensor; None looks in the caller's variables; False shows none.
        values: write out tensors of up to 6 elements; or a number of elements; or False.
        saved: show what operations saved; "all" adds sizes, flags and other settings; False hides the tabs.
        versions: show how often each tensor was written to in place.
        legend: explain the shapes and lines that occur, under the picture.
        caption: a sentence under the picture.
        max_nodes: a larger picture folds its middle ("… 12 more"); None never folds.

    Returns:
        A `Drawing`, which shows itself in a notebook, prints as text, and saves as SVG, PNG, DOT or text.

    Raises:
        TypeError: `tensors` is not a tensor, or is an empty list.
        ValueError: an unknown view.
    """
    if view not in VIEWS:
        raise ValueError(f"unknown view {view!r}: choose 'engine' or 'maths'")
    limit = SMALL if values is True else int(values)
    targets = _targets(tensors)
    graph = read(targets, find_names(names), values=limit, versions=versions, all_settings=saved == "all")
    picture = fold(VIEWS[view](graph, saved=bool(saved)), max_nodes)
    picture.caption, picture.legend = " ".join(caption.split()), legend
    return Drawing(picture)


def _targets(tensors: Any) -> list[Any]:
    if is_tensor(tensors) or is_node(tensors):
        return [tensors]
    if not isinstance(tensors, (list, tuple)):
        what = _called(tensors) + _advice(tensors)
        raise TypeError(f"draw() takes a tensor or a list of tensors, not {what}")
    if not tensors:
        raise TypeError("draw() takes a tensor or a list of tensors; this list is empty")
    for at, item in enumerate(tensors):
        if not (is_tensor(item) or is_node(item)):
            raise TypeError(f"draw() takes a list of tensors; item {at} is {_called(item)}{_advice(item)}")
    return list({id(item): item for item in tensors}.values())


def _called(value: Any) -> str:
    return "None" if value is None else f"a {type(value).__name__}"


def _advice(value: Any) -> str:
    if value is None:
        return ": does the function return its result? A leaf's .grad and .grad_fn may be None, too"
    if isinstance(value, (bool, int, float)):
        return ": a Python number has no history; draw the tensor it came from"
    if hasattr(type(value), "named_parameters"):
        return ": call it, and draw what it returns"
    if hasattr(type(value), "__array__"):
        return ": an array has no history; draw the tensor it came from"
    return ""
