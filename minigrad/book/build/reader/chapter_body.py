"""A chapter as a page: what its cells say and showed, without anything that needs a kernel.

What answers a question is closed until an option is chosen: its comparison, and all that the cells in between
showed. Hints and solutions are folded; what only a running notebook can do, such as a check, is told in words
that were worked out beforehand.
"""
from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from html import escape
from typing import Any

from ...classroom.exercise import KEY, Exercise
from ...classroom.reading import as_lists
from ...classroom.saying import short
from ...content.chapters import exercise as find_exercise
from ...content.chapters import note as find_note
from ...content.chapters import question as find_question
from ..pages import tags_of, text_of
from . import ways_to_run
from .asking import comparison, judgement, prediction, sealed
from .code_as_html import listing
from .markdown import converted, words
from .shown_outputs import Pictures, output
from .written_links import belief, linked

HEADING = re.compile("#+ ")
CALL = re.compile(r'^(?:predict|reveal|judge)\("(\d+\.n?\d+)"\)', re.MULTILINE)
LEFT_OUT = {"instructor", "check"}


def body(notebook: dict, number: int, chapters: Collection[int], pictures: Pictures, *,
         solutions: bool = True) -> str:
    """The chapter's HTML, from its title to its last recap."""
    left_out = LEFT_OUT if solutions else LEFT_OUT | {"solution"}
    cells = [cell for cell in notebook["cells"] if not tags_of(cell) & left_out]
    prose = iter(converted([text_of(cell) for cell in cells
                            if cell["cell_type"] == "markdown"]))
    parts: list[str] = []
    asked, since_heading = "", []   # the question that waits for its comparison; all since the last heading
    for cell in cells:
        tags, text = tags_of(cell), text_of(cell)
        if cell["cell_type"] == "markdown":
            if HEADING.match(text):
                asked, since_heading = "", []
            answers = next((one.id for one in since_heading if one.told and re.search(one.told, text)), "")
            html = next(prose)
            parts.append(sealed(answers, "What it means", html) if answers else html)
            continue
        if "predict" in tags:
            asked = CALL.search(text)[1]
            since_heading.append(find_question(asked))
        elif "reveal" in tags:
            asked = ""
        parts.append(code_cell(cell, pictures, number, solutions=solutions, asked=asked))
    return linked("\n".join(parts), chapters, number)


def code_cell(cell: dict, pictures: Pictures, number: int, *, solutions: bool = True, asked: str = "") -> str:
    """A cell; what it showed is closed where it would answer the question `asked`."""
    tags = tags_of(cell)
    if "predict" in tags:
        return prediction(find_question(CALL.search(text_of(cell))[1]))
    if "reveal" in tags:
        return comparison(find_question(CALL.search(text_of(cell))[1]))
    if "judge" in tags:
        return judgement(find_note(CALL.search(text_of(cell))[1]))
    code = listing(without_markers(text_of(cell)))
    showed = "".join(output(one, pictures) for one in cell.get("outputs", ()))
    if asked and showed:
        showed = sealed(asked, "What this cell shows", showed)
    key = next((tag for tag in tags if KEY.fullmatch(tag)), None)
    if "setup" in tags:
        return ways_to_run.panel(number, code + showed)
    if "solution" in tags:
        return folded(f"One way to do {key}", code + showed, "solution")
    if cell["metadata"].get("jupyter", {}).get("source_hidden"):
        return folded("The code of this cell, which tells the answer", code) + showed
    return f'<div class="cell">{code}{showed}</div>' + (
        helps(find_exercise(key), solutions) if "exercise" in tags and key else "")


def without_markers(code: str) -> str:
    return "\n".join(line for line in code.splitlines() if not line.startswith("### "))


def folded(title: str, html: str, kind: str = "") -> str:
    return f'<details class="{kind or "plain"}"><summary>{title}</summary>{html}</details>'


# --- exercises ----------------------------------------------------------------------------------------------

def helps(exercise: Exercise, solutions: bool = True) -> str:
    """Hints; with the solutions, what a check would say to the answers that people often give, too."""
    parts = [folded(f"Hint {at} for {exercise.id}", f"<p>{words(hint)}</p>", "hint")
             for at, hint in enumerate(exercise.hints, 1) if hint]
    if solutions and (often := list(common(exercise))):
        title = f"Answers that people often give to {exercise.id}"
        parts.append(folded(title, f"<ul>{''.join(often)}</ul>", "hint"))
    return "".join(parts)


def common(exercise: Exercise) -> Iterator[str]:
    numbers = exercise.numbers(None)
    for wrong in exercise.wrong:
        answer = as_lists(wrong.answer(numbers))
        said = f"<code>{escape(text)}</code>" if (text := said_as(answer)) else words(wrong.paper)
        if said:
            yield f"<li>{said}: {words(wrong.says)}{belief(wrong.belief)}</li>"


def said_as(answer: Any) -> str:
    """An answer as somebody would write it; nothing for functions and what holds them."""
    if isinstance(answer, dict) and any(map(unsaid, answer.values())) or any(
            map(callable, answer if isinstance(answer, list) else [answer])):
        return ""
    if isinstance(answer, (set, frozenset)):
        return "{" + ", ".join(sorted(map(repr, answer))) + "}"
    return short(answer)


def unsaid(value: Any) -> bool:
    return value is None or callable(value)
