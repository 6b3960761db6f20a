"""The widgets of the chapters, a file each, `play`, which opens them and the player, and `picture`.

A lab is one pure function from what the controls say to a picture and its words, tested as such; the
controls around it only call it. Where nobody can click, a lab shows a few of its states as a strip.
"""
from __future__ import annotations

from importlib import import_module
from typing import Any

from ....viz import play as play_back
from ..measurements import picture as measured

LABS = {  # what a chapter calls it: the module of this folder
    "coefficients on rows": "coefficients_on_rows",
    "drawers": "drawers",
    "edits": "edits",
    "expression": "expression",
    "forward nudge": "forward_nudge",
    "nudge": "nudge",
    "two losses": "two_losses",
    "ways": "ways",
}

PICTURES = {  # what a chapter calls it: the module and the function that draw it
    "nudge": (".nudge", "still"),
    "3b": ("...content.chapters.ch03", "draw_3b"),
}


def play(what: Any, *args: Any, free: bool = False, **options: Any) -> Any:
    """The backward pass behind a tensor, step by step; or, by its name, a lab of this book.

    Args:
        what: the name of a lab, or what `minigrad.viz.play` takes.
        free: run no pass; let the learner run the nodes one by one, in any order.

    Raises:
        ValueError: there is no lab of that name; the message lists them.
    """
    if not isinstance(what, str):
        if free:
            return import_module(f"{__name__}.free_buttons").Free(what, *args, **options)
        return play_back(what, *args, **options)
    if what not in LABS:
        raise ValueError(f"there is no lab {what!r}; there are: {', '.join(map(repr, LABS)) or 'none yet'}")
    return import_module(f"{__name__}.{LABS[what]}").open_lab(**options)


def picture(what: Any, *args: Any, **options: Any) -> Any:
    """A still picture whose program the page doesn't show, with its words; or the measurement of that name.

        picture("3b")     # of a lab, or of an exercise; `options` are those of the function that draws it
        picture(x, y)     # see `minigrad.book.classroom.measurements`

    Raises:
        ValueError: there is no such picture; the message lists them.
    """
    if not isinstance(what, str):
        return measured(what, *args, **options)
    if what not in PICTURES:
        raise ValueError(f"there is no picture {what!r}; there are: {', '.join(map(repr, PICTURES))}")
    module, function = PICTURES[what]
    return getattr(import_module(module, __name__), function)(**options)
