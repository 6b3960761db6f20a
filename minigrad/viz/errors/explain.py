"""`explain()`: why an autograd error was raised, drawn on the graph and said with your program's
own names.

The message of an error decides its cause, in one table that the `explain_...` files fill. A cause
looks at the scene (roots, nodes, names, lines) and answers with sentences, fixes and what to mark
in the picture. What it says it has seen: where the public names do not reveal something, it says so
instead.
"""
from __future__ import annotations

import re
import sys
from contextlib import suppress
from inspect import unwrap
from typing import Any

from ..drawing.direction import ONE_PAGE, direction
from ..drawing.explanation import Explanation
from ..drawing.fold import fold
from ..drawing.graph_views import engine_view
from ..drawing.text_twin import first_sentence
from ..faults.answer import mark
from ..faults.why import why_of
from ..graph.facts import called, is_node, is_tensor, unheard
from ..graph.model import Picture
from ..graph.walk import in_forward_order
from ..program.read import USUAL, read
from ..program.where_it_runs import PACKAGE, _caller, in_notebook, shell
from . import (
    arguments,
    deep_copies,
    freed,
    functions,
    hooked,
    hooked_modules,
    lost_history,
    misspelt,
    modified,
    none,
    roots,
    training_errors,
    writes,
)
from .scene import Scene
from .table import TABLE, Row, Told

ASK = "explain()"
IMPORT = f"from {PACKAGE}.viz import explain"
# the files that fill the table
THEMES = (freed, modified, lost_history, roots, writes, functions, hooked, none, arguments,
          training_errors, misspelt, deep_copies, hooked_modules)
BOXES = 40  # larger pictures fold what is far from the problem


@unheard
def explain(error: Any = None) -> Explanation:
    """Explain an error of autograd: the last one, or `error`.

    Args:
        error: an exception; or a tensor, for what `why` says of it; or what
            `with expect_error(...) as caught` gave. None takes the error of the `except` block
            around the call, or else the last error that this notebook or interpreter has shown.

    Returns:
        An `Explanation`: a picture of the graph with the problem marked, two sentences, and fixes
        with their prices. An error that is not of autograd gets one line.
    """
    if is_tensor(error):
        try:
            return why_of(error, None, _caller())
        # a view that can't be read any more: that is what to explain
        except RuntimeError as refusal:
            return explained(refusal)
    error = getattr(error, "error", error)
    if error is None:
        shown = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
        error = sys.exc_info()[1] or shown
        if error is None:
            return only_words("There is no error to explain: give explain() one, or let one "
                              "happen first.")
    if not isinstance(error, BaseException):
        raise TypeError(f"explain() takes an error or a tensor, not {called(error)}")
    return explained(error)


def explained(error: BaseException) -> Explanation:
    """What the row of the table says that the error fits."""
    found = cause_of(error)
    if found is None:
        what = " ".join(f"{type(error).__name__}: {error}".split())
        return only_words(f"explain() has no explanation for this error: {what[:200]}")
    row, match = found
    scene = Scene(error, _caller())
    try:
        told = row.tell(scene, match)
    except Exception as failure:  # a helper that fails must not bury the error it was asked about
        return only_words(
            f"{type(error).__name__}: {error} (No explanation: {type(failure).__name__}: {failure})"
        )
    title = f"{type(error).__name__}: {first_sentence(scene.message)}"
    return Explanation(row.name, title, told.sentences, told.fixes, picture_of(scene, told))


def cause_of(error: BaseException) -> tuple[Row, re.Match] | None:
    """The first row of the table that the message fits."""
    found = ((row, row.pattern.search(str(error))) for row in TABLE)
    return next(((row, match) for row, match in found if match), None)


def offer(error: BaseException) -> None:
    """Put a note on an error that can be explained; IPython and Python 3.11 or newer show it."""
    with suppress(Exception):  # it may be any error of a hook, of a class that allows nothing
        notes = getattr(error, "__notes__", [])
        found = cause_of(error)
        if found and found[0].name in misspelt.CAUSES and not in_notebook():
            return      # Python itself says what a script needs
        if found and not any(ASK in note for note in notes):
            vars(error)["__notes__"] = [*notes, note_here()]


def note_here() -> str:
    """How to ask for the explanation of an error, in words that work where they are shown."""
    known = getattr(sys.modules.get("__main__"), "explain", None)
    typed = ASK if known is not None and unwrap(known) is unwrap(explain) else f"{IMPORT}; {ASK}"
    if shell() is not None or hasattr(sys, "ps1") or sys.flags.inspect:
        return f"To see what happened, type: {typed}"
    return f"To see what happened, run the program with python -i, and then type: {typed}"


def only_words(text: str) -> Explanation:
    return Explanation("unknown", text, [], [], None)


def picture_of(scene: Scene, told: Told) -> Picture | None:
    """The graph behind the roots, or behind what the statement was about, with the guilty marked.
    Without one if there is none, or if its tensors refuse to be looked at, as some views do after
    the error.
    """
    targets = told.show if told.show is not None else scene.roots
    targets = list({id(one): one for one in targets if is_tensor(one) or is_node(one)}.values())
    try:
        if not targets:
            return None
        graph = read(targets, scene.names, show=(*USUAL, *["versions"] * told.versions))
        starts = [one if is_node(one) else one.grad_fn for one in targets]
    except RuntimeError:
        return None
    mark(graph, in_forward_order([start for start in starts if start is not None]), told.guilty,
         scene)
    picture = fold(engine_view(graph), BOXES)
    picture.direction, _ = direction(picture, ONE_PAGE)
    picture.caption = " ".join(told.sentences).replace("`", "")
    return picture
