"""Help with an exercise: two hints, and the solution after an attempt.

`hint("6a")` and `solution("6a")` show them in a cell of their own; buttons under a wrong answer do the same.
"""
from __future__ import annotations

import json
import os
from html import escape
from pathlib import Path
from typing import Any

from ..content.chapters import chapter_of
from ..content.chapters import exercise as find
from .engine import loading
from .exercise import Exercise
from .option_buttons import STAY
from .progress import progress
from .saying import capitalised
from .showing import Shown
from .verdict import NOTE, as_html, show

NO_SOLUTIONS = "MINIGRAD_SOLUTIONS"  # an environment variable: "off" in an assignment
NOTEBOOKS = Path(__file__).resolve().parents[3] / "notebooks"
NOT_HERE = "The solution is in the chapter's own file, which is not here."


def found(key: str) -> Exercise | None:
    """The exercise, or nothing but a note that says which exercises there are."""
    try:
        return find(key)
    except ValueError as wrong_key:
        show(NOTE, "", capitalised(str(wrong_key)) + ".")
        return None


def hint(key: str) -> None:
    """The first hint; asked again, the second."""
    if exercise := found(key):
        number, words = next_hint(exercise)
        show(NOTE, exercise.id, words, word=f"hint {number} of 2")


def next_hint(exercise: Exercise) -> tuple[int, str]:
    """The number of the next hint, and its words; that it was seen is stored."""
    seen = progress.read()["attempts"].get(exercise.id, {}).get("hints", 0)
    progress.change("attempts", exercise.id, hints=min(seen + 1, 2))
    number = 1 if seen == 0 else 2
    return number, exercise.hints[number - 1]


def solution(key: str) -> None:
    """One way to do it, once you have tried."""
    if (exercise := found(key)) is None:
        return
    key = exercise.id
    if closed():
        show(NOTE, key, f'This is an assignment, so there is no solution here. `hint("{key}")` helps.')
    elif not may_open(key):
        show(NOTE, key, f'Try it first. The solution opens after `check("{key}", ...)` with an answer '
             "that has the right form, after two answers of any form, or after both hints of "
             f'`hint("{key}")`.')
    elif text := solution_text(key):
        print(text)
    else:
        show(NOTE, key, NOT_HERE)


def may_see(key: str) -> bool:
    """Whether the solution opens: there is one here, and the exercise was tried."""
    return not closed() and may_open(key)


def may_open(key: str) -> bool:
    """Whether the exercise was tried: one real attempt, two of any kind, or both hints."""
    facts = progress.read()["attempts"].get(key, {})
    return any((facts.get("real"), facts.get("right"), facts.get("tries", 0) > 1, facts.get("hints", 0) > 1))


def closed() -> bool:
    return os.environ.get(NO_SOLUTIONS) == "off"


def solution_text(key: str) -> str | None:
    """The cell with the tags `solution` and `key` of the chapter: that of the repository, or, where the
    package was installed elsewhere, that of the folder from which Python was started.

    A step of the engine begins with a line that loads the steps before it.
    """
    name = f"{chapter_of(key):02}_*.ipynb"
    for path in (*sorted(NOTEBOOKS.glob(name)), *sorted(Path.cwd().glob(name))):
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
            if {"solution", key} <= set(cell["metadata"].get("tags", ())):
                lines = "".join(cell["source"]).splitlines()
                return loading(key) + "\n".join(line for line in lines if not line.startswith("### "))
    return None


def with_buttons(exercise: Exercise, shown: Shown) -> Shown:
    """Return what `check` shows, with the buttons below it."""
    import ipywidgets as w

    said = w.HTML()
    hint, solution = (w.Button(description=word, layout=w.Layout(width="auto"))
                      for word in ("Hint", "Solution"))

    def refresh() -> None:
        solution.disabled = not may_see(exercise.id)
        solution.tooltip = "It opens when you have tried, or seen both hints." if solution.disabled else ""

    def show_hint(_: Any) -> None:
        number, words = next_hint(exercise)
        say(as_html(NOTE, exercise.id, words, word=f"hint {number} of 2"))
        refresh()

    def show_solution(_: Any) -> None:
        if text := solution_text(exercise.id):
            say(f"<pre>{escape(text)}</pre>")
        else:
            say(f"<p>{NOT_HERE}</p>")

    def say(html: str) -> None:
        said.value = f'<div role="status" class="jp-RenderedHTMLCommon">{html}</div>'

    hint.on_click(show_hint)
    solution.on_click(show_solution)
    refresh()
    shown.controls = w.VBox([w.HTML(STAY, layout=w.Layout(display="none")), w.HBox([hint, solution]), said])
    return shown
