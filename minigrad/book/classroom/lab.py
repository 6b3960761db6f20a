"""A lab: a few controls, and a picture with words that follows them.

All that a lab knows is one pure function, from a state (a dict: what each control says) to a picture and its
words; that is what tests call. The controls are thin ipywidgets, each with a label and usable from the
keyboard. They stand below the picture, in an output of their own, so that the picture is still there when a
notebook was saved and its kernel is gone. Where nobody can click (on paper, in an exported page), a lab shows
a strip of a few of its states, so that nothing is ever empty.
"""
from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

from ...viz.drawing.drawing import Drawing
from ...viz.drawing.image import height, svgs_in
from .option_buttons import STAY
from .showing import UNSEEN, Shown, somebody_is_there

State = Mapping[str, Any]
LINE = 1.4      # the height of a line of words, in their own size
GOOD, LOUD, BAD = "#1a7f37", "#8a5a00", "#b3400c"  # under white words


@dataclass(frozen=True)
class Choice:
    """One of several words (or numbers)."""

    label: str
    options: Sequence[Any]

    def widget(self, value: Any) -> Any:
        import ipywidgets as w
        kind = w.ToggleButtons if len(self.options) <= 5 else w.Dropdown
        style = {"description_width": "initial"}
        if kind is w.ToggleButtons:
            style["button_width"] = "auto"  # as wide as its words
        return kind(options=[(str(option), option) for option in self.options], value=value,
                    description=self.label, style=style)


@dataclass(frozen=True)
class Slider:
    """A number between two others."""

    label: str
    low: float
    high: float
    step: float = 1

    def widget(self, value: float) -> Any:
        import ipywidgets as w
        whole = all(float(number).is_integer() for number in (self.low, self.high, self.step))
        kind = w.IntSlider if whole else w.FloatSlider
        return kind(min=self.low, max=self.high, step=self.step, value=value, description=self.label,
                    continuous_update=False, style={"description_width": "initial"},
                    layout=w.Layout(width="30em"))


@dataclass(frozen=True)
class Switch:
    """On or off."""

    label: str

    def widget(self, value: bool) -> Any:
        import ipywidgets as w
        return w.Checkbox(value=value, description=self.label, indent=False)


@dataclass(frozen=True)
class Words:
    """A line to type; it counts when Enter is pressed."""

    label: str

    def widget(self, value: str) -> Any:
        import ipywidgets as w
        return w.Text(value=value, description=self.label, continuous_update=False,
                      style={"description_width": "initial"})


@dataclass(frozen=True)
class Lab:
    """`show(state)` gives (picture, words): a Drawing or HTML, and plain text.

    `start` is the first state, `fallback` what the strip shows, `actions` are buttons: a label and a function
    from a state to the next. `solved(state, words)` is a sentence when a task of the chapter is solved, else
    empty. `verdicts` are beginnings of lines in the words that are shown on a colour. `lines` is the most
    lines of words that a state can have, where start and fallback have fewer; `tallest` is the state with
    the tallest picture, where it is none of these. `pixels` says that the pictures are no SVGs and of one
    size: then no other state is drawn to find the tallest, and `lines` is needed.
    """

    title: str
    show: Callable[[State], tuple[Drawing | str, str]]
    controls: Mapping[str, Choice | Slider | Switch | Words]
    start: State
    fallback: Sequence[State]
    actions: Mapping[str, Callable[[State], State]] = field(default_factory=dict)
    solved: Callable[[State, str], str] = lambda state, words: ""
    verdicts: Mapping[str, str] = field(default_factory=dict)
    lines: int = 0
    tallest: State | None = None
    pixels: bool = False

    def _ipython_display_(self) -> None:
        """Show the first state with controls below; without a reader leave it to IPython: the strip."""
        if not somebody_is_there():
            raise NotImplementedError
        shown = Shown(*self.shown(self.start))
        shown.controls = self.widget(shown.change)
        shown._ipython_display_()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        text, html = self.strip()
        return {"text/plain": text, "text/html": html}

    def __repr__(self) -> str:
        return self.strip()[0]

    def strip(self) -> tuple[str, str]:
        """The fallback states in words and as HTML."""
        texts = [f"{self.title}. In a running notebook this has controls; here are some of its states."]
        pages = []
        for number, state in enumerate(self.fallback, 1):
            picture, words = self.show(state)
            settings = self.settings(state)
            texts += [f"{number}. {settings}", *("   " + line for line in words.splitlines())]
            title = f"<figcaption>{number}. {escape(settings)}</figcaption>"
            pages.append(f'<figure style="margin:0 0 1em 0">{title}{self.page(picture, words)}</figure>')
        return "\n".join(texts), f"<div><p><b>{escape(self.title)}</b></p>{''.join(pages)}</div>"

    def settings(self, state: State) -> str:
        """What each control says, as one sentence: only the first label keeps its capital."""
        parts = [said(control, state[name]) for name, control in self.controls.items()]
        return ", ".join([*parts[:1], *(part[0].lower() + part[1:] for part in parts[1:])])

    def shown(self, state: State) -> tuple[str, str]:
        """One state in words and as HTML, with the sentence for a task that it solves."""
        picture, words = self.show(state)
        text = "\n".join([f"{self.title}: {self.settings(state)}", words])
        html = f"<p><b>{escape(self.title)}</b></p>{self.page(picture, words, self.room)}"
        if solved := self.solved(state, words):
            text += f"\n✓ {solved}"
            html += f"<p>{badge('✓ done', GOOD)} {escape(solved)}</p>"
        return text, html

    def page(self, picture: Drawing | str, words: str, room: float = 0) -> str:
        """A picture and its words as HTML; the picture has a place of at least `room` pixels."""
        shown = picture if isinstance(picture, str) else picture._repr_html_() or ""
        if room:
            shown = f'<div style="min-height:{room:.0f}px">{shown}</div>'
        lines = escape(words)
        for start, colour in self.verdicts.items():
            lines = re.sub(f"^{start}", badge(start, colour), lines, flags=re.MULTILINE)
        room = f"min-height:{LINE * self.most_lines:g}em"
        return f'{shown}<pre style="white-space:pre-wrap;line-height:{LINE};{room}">{lines}</pre>'

    @cached_property
    def most_lines(self) -> int:
        """The most lines that a known state has: with room for them, the controls below don't move away."""
        return max([self.lines, *(words.count("\n") + 1 for _, words in self.known)])

    @cached_property
    def room(self) -> float:
        """The height of the tallest picture of a known state, in pixels, for the same reason."""
        pages = (picture if isinstance(picture, str) else picture._repr_html_() or ""
                 for picture, _ in self.known)
        return max((height(svg) for page in pages for svg in svgs_in(page)), default=0)

    @cached_property
    def known(self) -> list[tuple[Drawing | str, str]]:
        """The pictures and words of the states that are known before anybody clicks."""
        if self.pixels:
            return []
        states = (self.start, *self.fallback, *([self.tallest] if self.tallest is not None else []))
        return [self.show(state) for state in states]

    def widget(self, tell: Callable[[str, str], None]) -> Any:
        """The controls; `tell` is called with (text, HTML) of each new state."""
        import ipywidgets as w
        state = dict(self.start)
        inputs = {name: control.widget(state[name]) for name, control in self.controls.items()}
        types = any(isinstance(control, Words) for control in self.controls.values())
        heard = w.HTML("" if types else STAY)  # a picture that is replaced is not read aloud
        busy = []  # an action sets several controls, and is to be shown once

        def show() -> None:
            text, html = self.shown(state)
            heard.value = f'<div role="status" style="{UNSEEN}">{escape(text)}</div>'
            tell(text, html)

        def follow(change: Any = None) -> None:
            if not busy:
                state.update({name: control.value for name, control in inputs.items()})
                show()

        def button(label: str, action: Callable[[State], State]) -> Any:
            made = w.Button(description=label, layout=w.Layout(width="auto"))

            def press(_: Any) -> None:
                state.update(action(dict(state)))
                busy.append(True)
                for name, control in inputs.items():
                    control.value = state[name]
                busy.clear()
                show()

            made.on_click(press)
            return made

        for control in inputs.values():
            control.observe(follow, "value")
        buttons = [button(label, action) for label, action in self.actions.items()]
        return w.VBox([*inputs.values(), *([w.HBox(buttons)] if buttons else []), heard])


def badge(words: str, colour: str) -> str:
    """White words on a colour, readable on a light and on a dark page."""
    return f'<b style="background-color:{colour};color:#ffffff;border-radius:3px;padding:1px 7px">{words}</b>'


def said(control: Choice | Slider | Switch | Words, value: Any) -> str:
    if isinstance(control, Switch):
        return f"{'with' if value else 'without'} {control.label}"
    return f"{control.label} {value}"
