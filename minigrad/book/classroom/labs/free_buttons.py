"""Free mode as a reader meets it: one button for each node, and elsewhere a strip of outcomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from importlib.util import find_spec
from typing import Any

from ....viz.drawing.render import CannotDraw
from ....viz.graph.facts import limit_of
from ....viz.player import roots_and_starts
from ....viz.player.frames import Frame
from ....viz.player.player_page import STYLE, figure, placed
from ....viz.player.sheet import svgs
from ....viz.program.names import find_names
from ..option_buttons import STAY
from ..showing import UNSEEN, Shown, somebody_is_there
from .free_order import Game, State


class Free:
    """What `play(..., free=True)` returns: buttons in a notebook, a strip of outcomes elsewhere.

    `free.fire("y", "s")` fires without buttons and returns itself; `free.undo()` takes one step back.

    Args:
        tensors: what to go back from: a tensor or a list of them.
        gradient, names, values, max_nodes: as in `minigrad.viz.play`.

    Raises:
        TypeError: `tensors` is not a tensor.
        ValueError: the graph has more boxes than `max_nodes`, a tensor with several elements has no
            `gradient`, or a saved value has an unpack hook, which may work once.
    """

    def __init__(self, tensors: Any, gradient: Any = None, *, names: Mapping[str, Any] | bool | None = None,
                 values: bool | int = True, max_nodes: int | None = 40) -> None:
        roots, starts = roots_and_starts(tensors, gradient)
        self.game = Game(roots, starts, find_names(names), limit_of(values))
        self.states = [self.game.begin()]
        boxes = len(self.game.picture(self.state).boxes)
        if max_nodes is not None and boxes > max_nodes:
            raise ValueError(f"free mode shows at most {max_nodes} boxes, and this graph has {boxes}: "
                             "take a smaller one, or max_nodes=None")
        orders = [[], self.game.right_order(), self.game.hasty_order()]
        self.fallback = [self.game.played(order) for order in dict.fromkeys(map(tuple, orders))]

    @property
    def state(self) -> State:
        return self.states[-1]

    def fire(self, *names: str) -> Free:
        for name in names:
            self.states.append(self.game.fire(self.state, self.game.op_of(name)))
        return self

    def undo(self) -> Free:
        del self.states[max(len(self.states) - 1, 1):]
        return self

    def restart(self) -> Free:
        del self.states[1:]
        return self

    @property
    def svg(self) -> str:
        """The picture now; drawn beside the fallback's, so that boxes keep their place from step to step."""
        pictures = [self.game.picture(state) for state in (*self.fallback, self.state)]
        return svgs(pictures)[-1]

    @property
    def text(self) -> str:
        names = (f"{self.game.name_of(op)} ({op_.name})" for op, op_ in enumerate(self.game.graph.ops))
        return "\n".join([f"Nodes: {', '.join(names)}.", self.fired(self.state), self.state.text])

    def fired(self, state: State) -> str:
        return f"Fired: {', '.join(self.game.name_of(step.op) for step in state.steps) or 'none'}."

    def page(self) -> str:
        """The picture now, and what the last node did."""
        return f"{placed(self.svg, self.text)}<p>{escape(self.state.text)}</p>"

    def widget(self, tell: Callable[[str, str], None]) -> Any:
        """One button for each node; `tell` is called with (text, HTML) after each."""
        import ipywidgets

        heard = ipywidgets.HTML(STAY)  # a picture that is replaced is not read aloud

        def refresh() -> None:
            heard.value = f'<div role="status" style="{UNSEEN}">{escape(self.state.text)}</div>'
            tell(self.text, self.page())

        def button(label: str, act: Any) -> Any:
            made = ipywidgets.Button(description=label, tooltip=label, layout={"width": "auto"})
            made.on_click(lambda _: (act(), refresh()))
            return made

        names = [self.game.name_of(op) for op in reversed(range(len(self.game.nodes)))]
        nodes = [button(f"Fire {name}", lambda name=name: self.fire(name)) for name in names]
        wrap = {"flex_flow": "row wrap"}
        controls = [button("Undo", self.undo), button("Restart", self.restart)]
        return ipywidgets.VBox([ipywidgets.HBox(nodes, layout=wrap), ipywidgets.HBox(controls), heard])

    def __repr__(self) -> str:
        return self.text

    def _ipython_display_(self) -> None:
        """Show the picture with buttons below; without a reader leave it to IPython: the strip."""
        if not somebody_is_there() or find_spec("ipywidgets") is None:
            raise NotImplementedError
        try:
            shown = Shown(self.text, self.page())
        except CannotDraw:
            raise NotImplementedError from None
        shown.controls = self.widget(shown.change)
        shown._ipython_display_()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        try:
            pictures = [self.game.picture(state) for state in self.fallback]
            told = [Frame(picture, f"{self.fired(state)} {state.text}", key=True)
                    for picture, state in zip(pictures, self.fallback)]
            figures = "\n".join(figure(0, frame, svg) for frame, svg in zip(told, svgs(pictures)))
            return {"text/html": f'<div class="mgplay">\n<style>{STYLE}</style>\n{figures}\n</div>',
                    "text/plain": self.text}
        except CannotDraw as reason:
            return {"text/plain": f"{reason}\n{self.text}"}
