"""A lab: a few controls, and a picture with words that follows them.

All that a lab knows is one pure function, from a state (a dict: what each control says) to a picture and its
words; that is what tests call. The controls are thin ipywidgets around it, each with a label and usable
from the keyboard. Where nobody can click (on paper, in an exported page), a lab shows a strip of a few of
its states, so that nothing is ever empty.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from .drawing import Drawing
from .showing import Shown, somebody_is_there

State = Mapping[str, Any]


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
    from a state to the next.
    """

    title: str
    show: Callable[[State], tuple[Drawing | str, str]]
    controls: Mapping[str, Choice | Slider | Switch | Words]
    start: State
    fallback: Sequence[State]
    actions: Mapping[str, Callable[[State], State]] = field(default_factory=dict)

    def shown(self) -> Shown:
        text, html = self.strip()
        return Shown(text, html, self.widget() if somebody_is_there() else None)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return self.shown()._repr_mimebundle_()

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
            pages.append(f'<figure style="margin:0 0 1em 0">{title}{page(picture, words)}</figure>')
        return "\n".join(texts), f"<div><p><b>{escape(self.title)}</b></p>{''.join(pages)}</div>"

    def settings(self, state: State) -> str:
        return ", ".join(f"{control.label} {said(state[name])}" for name, control in self.controls.items())

    def widget(self) -> Any:
        import ipywidgets as w
        state = dict(self.start)
        inputs = {name: control.widget(state[name]) for name, control in self.controls.items()}
        output = w.HTML(page(*self.show(state)))
        busy = []  # an action sets several controls, and is to be shown once

        def follow(change: Any = None) -> None:
            if not busy:
                state.update({name: control.value for name, control in inputs.items()})
                output.value = page(*self.show(state))

        def button(label: str, action: Callable[[State], State]) -> Any:
            made = w.Button(description=label, layout=w.Layout(width="auto"))

            def press(_: Any) -> None:
                state.update(action(dict(state)))
                busy.append(True)
                for name, control in inputs.items():
                    control.value = state[name]
                busy.clear()
                output.value = page(*self.show(state))

            made.on_click(press)
            return made

        for control in inputs.values():
            control.observe(follow, "value")
        buttons = [button(label, action) for label, action in self.actions.items()]
        return w.VBox([w.HTML(f"<b>{escape(self.title)}</b>"), *inputs.values(),
                       *([w.HBox(buttons)] if buttons else []), output])


def page(picture: Drawing | str, words: str) -> str:
    """A picture and its words as HTML; the words are announced when they change."""
    shown = picture if isinstance(picture, str) else picture._repr_mimebundle_().get("text/html", "")
    shown = shown.replace("<img ", '<img style="max-width:100%;height:auto" ')
    return f'{shown}<pre role="status" style="white-space:pre-wrap">{escape(words)}</pre>'


def said(value: Any) -> str:
    return {True: "on", False: "off"}.get(value, str(value)) if isinstance(value, bool) else str(value)
