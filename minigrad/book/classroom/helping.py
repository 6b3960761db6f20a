"""Buttons under a wrong answer: the next hint, and the solution as soon as it is open.

`hint("6a")` and `solution("6a")` show the same in a cell of their own.
"""
from __future__ import annotations

from html import escape
from typing import Any

from . import exercises, verdict
from .choosing import STAY
from .exercises import Exercise
from .showing import Shown


def with_buttons(exercise: Exercise, shown: Shown) -> Shown:
    """Return what `check` shows, with the buttons below it."""
    import ipywidgets as w

    said = w.HTML()
    hint, solution = (w.Button(description=word, layout=w.Layout(width="auto"))
                      for word in ("Hint", "Solution"))

    def refresh() -> None:
        solution.disabled = not exercises.may_see(exercise.id)
        solution.tooltip = "It opens when you have tried, or seen both hints." if solution.disabled else ""

    def show_hint(_: Any) -> None:
        number, words = exercises.next_hint(exercise)
        say(verdict.as_html(verdict.NOTE, exercise.id, words, word=f"hint {number} of 2"))
        refresh()

    def show_solution(_: Any) -> None:
        if text := exercises.solution_text(exercise.id):
            say(f"<pre>{escape(text)}</pre>")
        else:
            say(f"<p>{exercises.NOT_HERE}</p>")

    def say(html: str) -> None:
        said.value = f'<div role="status" class="jp-RenderedHTMLCommon">{html}</div>'

    hint.on_click(show_hint)
    solution.on_click(show_solution)
    refresh()
    shown.controls = w.VBox([w.HTML(STAY, layout=w.Layout(display="none")), w.HBox([hint, solution]), said])
    return shown
