"""The program that is printed with a question: the cell that is predicted, with the lines that it rests on.

The questions of the book's own chapters say in words what runs. A sheet and a slide have the lines that give
a value to the names in these words, and no more.
"""
from __future__ import annotations

import functools
import io

from ..classroom.questions import Question
from ..content.chapters import chapter_of
from ..content.chapters.on_paper import ON_PAPER
from .pages import (
    NOT_CODE,
    Cell,
    Line,
    as_code,
    gives,
    lines_before,
    needed,
    prediction_at,
    quoted,
    read_drawers,
    rests_on,
    section,
    statements,
    takes,
)
from .pictures import run

NEXT_CELL = "the next cell"     # it is above the question on paper and on a slide, where it is a program


def lines_of(asked: Question, page: list[Cell], shown: set[str] | frozenset[str] = frozenset()) -> list[Line]:
    """The lines that are printed with a question; `shown`: names that an earlier question has given."""
    at = prediction_at(page, asked.id)
    if is_the_cell(asked):
        return predicted(tuple(page), at, asked.id)
    return rests_on(quoted(asked.text)[0] - shown, page, at, section(page, at))


def is_the_cell(asked: Question) -> bool:
    """Whether the predicted cell itself is printed."""
    return chapter_of(asked.id) not in ON_PAPER or NEXT_CELL in asked.text


def on_paper(asked: Question) -> str:
    """The words of a question on a sheet and on a slide."""
    return asked.paper or asked.text.replace(NEXT_CELL, "this program").replace(NEXT_CELL.capitalize(),
                                                                                "This program")


@functools.cache
def predicted(page: tuple[Cell, ...], at: int, key: str) -> list[Line]:
    """The cells between a question and its comparison, with the lines that they rest on; with all lines
    before them, if they print something else with those alone."""
    end = next((cell.at for cell in page if cell.text.startswith(f'reveal("{key}")')), len(page))
    asked = [cell for cell in page[at:end] if cell.kind == "code"
             and not cell.tags & (NOT_CODE - {"raises-exception"})]
    here = [line for cell in asked for line in statements(cell)]
    missing, given, drawers = set(), set(), set()
    for line in here:
        missing |= takes(line.node) - given
        drawers |= read_drawers(line.node)
        given |= gives(line.node)
    before = lines_before(list(page), at)
    few = needed(missing, before, drawers)
    return [*(few if printed_by([*few, *here]) == stored(asked) else before), *here]


def stored(asked: list[Cell]) -> str:
    """What cells have printed, up to an error."""
    printed = ""
    for output in (output for cell in asked for output in cell.outputs):
        if "ename" in output:
            return printed + output["ename"]
        printed += "".join(output["text"]) if output.get("name") == "stdout" else ""
    return printed


def printed_by(lines: list[Line]) -> str:
    """What lines print, up to an error."""
    out = io.StringIO()
    try:
        run(as_code(lines), out)
    except Exception as error:
        return out.getvalue() + type(error).__name__
    return out.getvalue()
