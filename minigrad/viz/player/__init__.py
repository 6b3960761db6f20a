"""The player: one backward pass, step by step.

    from minigrad.viz import play
    play(loss)

`record` notes what every node of one real pass got and sent on, `frames` turns each step into a
picture and a sentence, `sheet` draws them all on the same places, and `page` puts them behind a
slider.
"""
from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from ..drawing.drawing import Output
from ..graph.facts import called, is_tensor, limit_of
from ..program.names import find_names
from ..program.where_it_runs import shell
from .frames import Frame, frames
from .player_page import page
from .record import Recording, backward_of, puts_back, record
from .sheet import svgs

__all__ = ["Player", "play"]


class Player(Output):
    """What `play` returns: it shows itself in a notebook, prints as sentences, and saves as a page.

    `player.recording` has the facts, `player.frames` the pictures and words made from them.
    """

    kind = "player"

    def __init__(self, recording: Recording, max_nodes: int | None = 40) -> None:
        self.recording = recording
        self.frames: list[Frame] = frames(recording, max_nodes)

    @property
    def title(self) -> str:  # type: ignore[override]
        return self.frames[0].picture.title.partition(",")[0]

    @cached_property
    def text(self) -> str:
        return "\n".join([f"{self.title}:", *(frame.text for frame in self.frames)])

    @cached_property
    def svgs(self) -> list[str]:
        """One SVG for each frame."""
        return svgs([frame.picture for frame in self.frames])

    @cached_property
    def html(self) -> str:
        return page(self.frames, self.svgs, self.title)


def play(
    tensors: Any,
    gradient: Any = None,
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
    names: Mapping[str, Any] | bool | None = None,
    values: bool | int = True,
    max_nodes: int | None = 40,
) -> Player:
    """Run backward from a tensor, or from a list of them, and show each step.

    It is a real pass, with your hooks, and then every `.grad` is put back, and the graph stays as
    it was: the cell can run again, and so can `tensor.backward()`. What a frame shows as freed is
    what `backward()` would free. An error in the middle is raised as ever; the steps before it are
    shown first (in a notebook), and they are `error.player`.

    Args:
        tensors: what to go back from.
        gradient: as in `backward`: the gradient to start with; a list, when there are several
        tensors. retain_graph, create_graph, inputs: as in `backward`. names, values, max_nodes: as
        in `draw`.

    Raises:
        TypeError: `tensors` is not a tensor.
        RuntimeError: whatever `backward` raises.
    """
    roots, starts = roots_and_starts(tensors, gradient)

    def run() -> None:
        backward_of(roots[0])(roots, starts, retain_graph=True, create_graph=create_graph,
                              inputs=inputs)

    if not all(root.requires_grad for root in roots):
        run()  # it says what is wrong
    keeps = create_graph if retain_graph is None else retain_graph
    found = find_names(names)
    with puts_back(roots, found):
        recording, error = record(roots, found, run, keeps=bool(keeps), values=limit_of(values),
                                  start=[1.0 if start is None else start for start in starts])
    try:
        if error is None:
            return Player(recording, max_nodes)
        if recording.steps:
            vars(error)["player"] = player = Player(recording, max_nodes)
            if shell() is not None:  # an exception leaves no result behind
                from IPython.display import display
                display(player)
        raise error
    finally:
        del error  # its traceback keeps this frame, and would keep itself


def roots_and_starts(tensors: Any, gradient: Any) -> tuple[list[Any], list[Any]]:
    """The tensors to go back from, and the gradient for each of them; None where none was given."""
    roots = list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]
    wrong = [root for root in roots if not is_tensor(root)]
    if wrong or not roots:
        what = f"not {called(wrong[0])}" if wrong else "this list is empty"
        raise TypeError(f"play() takes a tensor or a list of tensors, {what}")
    return roots, list(gradient) if isinstance(gradient, (list, tuple)) else [gradient] * len(roots)
