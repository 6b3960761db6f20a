"""A chapter as a page: what its cells say and showed, without anything that needs a kernel.

Predictions open their feedback option by option; hints and solutions are folded; what only a running notebook
can do (a check, the comparison of a stored prediction) is told in words that were worked out beforehand.
"""
from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from html import escape
from typing import Any

from ...chapters import exercise as find_exercise
from ...chapters import note as find_note
from ...chapters import question as find_question
from ...exercises import KEY, Exercise, as_lists
from ...notes import ASKED, VERDICTS, Note
from ...questions import Question
from ...saying import short
from ..pages import tags_of, text_of
from .code import listing
from .links import belief, linked
from .markdown import converted, words
from .outputs import Pictures, output

CALL = re.compile(r'^(?:predict|reveal|judge)\("(\d+\.n?\d+)"\)', re.MULTILINE)
LEFT_OUT = {"instructor", "check"}
WRITE_HERE = "Double-click here, and write one sentence."  # in a notebook
WRITE_ON_PAPER = "Write one sentence."


def body(notebook: dict, number: int, chapters: Collection[int], pictures: Pictures, *,
         solutions: bool = True) -> str:
    """The chapter's HTML, from its title to its last recap."""
    left_out = LEFT_OUT if solutions else LEFT_OUT | {"solution"}
    cells = [cell for cell in notebook["cells"] if not tags_of(cell) & left_out]
    prose = iter(converted([text_of(cell).replace(WRITE_HERE, WRITE_ON_PAPER) for cell in cells
                            if cell["cell_type"] == "markdown"]))
    parts = [next(prose) if cell["cell_type"] == "markdown" else code_cell(cell, pictures, solutions)
             for cell in cells]
    return linked("\n".join(parts), chapters, number)


def code_cell(cell: dict, pictures: Pictures, solutions: bool = True) -> str:
    tags = tags_of(cell)
    if "predict" in tags:
        return prediction(find_question(CALL.search(text_of(cell))[1]))
    if "reveal" in tags:
        return comparison(find_question(CALL.search(text_of(cell))[1]))
    if "judge" in tags:
        return judgement(find_note(CALL.search(text_of(cell))[1]))
    shown = listing(without_markers(text_of(cell)))
    shown += "".join(output(one, pictures) for one in cell.get("outputs", ()))
    key = next((tag for tag in tags if KEY.fullmatch(tag)), None)
    if "setup" in tags:
        return folded("How this chapter starts in a notebook", shown)
    if "solution" in tags:
        return folded(f"One way to do {key}", shown, "solution")
    if cell["metadata"].get("jupyter", {}).get("source_hidden"):
        return folded("The code of this cell, which tells the answer", listing(text_of(cell))) + "".join(
            output(one, pictures) for one in cell.get("outputs", ()))
    shown = f'<div class="cell">{shown}</div>'
    return shown + (helps(find_exercise(key), solutions) if "exercise" in tags and key else "")


def without_markers(code: str) -> str:
    return "\n".join(line for line in code.splitlines() if not line.startswith("### "))


def folded(title: str, html: str, kind: str = "") -> str:
    return f'<details class="{kind or "plain"}"><summary>{title}</summary>{html}</details>'


# --- predictions --------------------------------------------------------------------------------------------

def prediction(asked: Question) -> str:
    options = "".join(f"<li>{option(asked, letter)}</li>" for letter in asked.letters)
    return (f'<div class="predict" role="group" aria-label="Prediction {asked.id}">'
            f"<p><strong>▶ Predict {asked.id}</strong> {words(asked.text)}</p>"
            '<p class="note">Write your letter down and read on; or open it, to see what speaks for it or '
            f"against it.</p><ul>{options}</ul></div>")


def option(asked: Question, letter: str) -> str:
    one = asked.option(letter)
    verdict = "✓ Right." if one.right else "✗ No."
    return (f'<details name="predict-{asked.id}"><summary><b>{letter}</b> {words(one.text)}</summary>'
            f"<p>{verdict} {words(one.says)}{belief(one.belief)}</p></details>")


def comparison(asked: Question) -> str:
    right = asked.option(asked.right)
    rest = "".join(f"<li><b>{letter}</b>: {words(one.says)}{belief(one.belief)}</li>"
                   for letter in asked.letters if not (one := asked.option(letter)).right)
    return folded(f"Compare with your prediction {asked.id}",
                  f"<p>✓ It is <b>{asked.right}</b>: {words(right.text)}. {words(right.says)}</p>"
                  f"<p>If you said something else:</p><ul>{rest}</ul>"
                  + paragraphs(asked.explains.splitlines()), "compare")


def judgement(note: Note) -> str:
    """The question for a verdict, and the verdict in a fold."""
    about = VERDICTS[note.verdict][1]
    return (f'<div class="predict" role="group" aria-label="Verdict {note.id}">'
            f"<p><strong>✎ Your verdict {note.id}</strong> {words(ASKED)}</p>"
            + folded("Compare with your verdict", f"<p><b>{about.capitalize()}.</b></p>"
                     + paragraphs(note.answer), "compare") + "</div>")


def paragraphs(lines: Iterable[str]) -> str:
    return "".join(f"<p>{words(line)}</p>" for line in lines)


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
        said = said_as(answer)
        if said:
            yield f"<li><code>{escape(said)}</code>: {words(wrong.says)}{belief(wrong.belief)}</li>"


def said_as(answer: Any) -> str:
    """An answer as somebody would write it; nothing for functions and what holds them."""
    if callable(answer) or isinstance(answer, dict) and any(map(unsaid, answer.values())):
        return ""
    if isinstance(answer, (set, frozenset)):
        return "{" + ", ".join(sorted(map(repr, answer))) + "}"
    return short(answer)


def unsaid(value: Any) -> bool:
    return value is None or callable(value)
