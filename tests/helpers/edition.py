"""The budgets of the second edition: minutes that are computed, cells, new ideas, options of equal form."""
import math

from minigrad.book.chapters import CHAPTERS, of
from tests.helpers.chapter_rules import code_cells, source, tags, texts, words

MOST_CELLS, MOST_IDEAS, MOST_MINUTES = 45, 8, 40
GIVEN = {"setup", "predict", "reveal", "check", "solution"}     # code that a learner neither reads nor writes
APART = ("## Your engine", "## Adam", "## Claim court", "## The last script")  # not counted


def learner_cells(notebook):
    return [cell for cell in notebook["cells"]
            if source(cell).strip() and not tags(cell) & {"solution", "instructor"}]


def without_sections_apart(notebook):
    """Return the notebook without the sections that have minutes of their own."""
    cells, skipping = [], False
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown" and source(cell).startswith("## "):
            skipping = source(cell).startswith(APART)
        if not skipping:
            cells.append(cell)
    return {"cells": cells}


def minutes(notebook):
    """Return how long a chapter takes: for words, lines of code, predictions, exercises and labs."""
    book = without_sections_apart(notebook)
    read = sum(words(text) for text in texts(book))
    lines = sum(len(source(cell).splitlines()) for cell in code_cells(book) if not tags(cell) & GIVEN)
    each = {"predict": 1.5, "exercise": 5, "widget": 4}
    asked = sum(minutes * len(code_cells(book, kind)) for kind, minutes in each.items())
    return math.ceil(read / 180 + lines / 7 + asked)


def minutes_are_computed(number, notebook):
    computed, found = minutes(notebook), []
    if CHAPTERS[number][1] != computed:
        found.append(f"CHAPTERS says {CHAPTERS[number][1]} minutes; computed are {computed}")
    return found + ([f"{computed} minutes"] if computed > MOST_MINUTES else [])


def few_cells(number, notebook):
    count = len(learner_cells(notebook))
    return [f"{count} cells"] if count > MOST_CELLS else []


def few_ideas(number, notebook):
    """Each new idea is a term, which the chapter defines in bold."""
    said, ideas = "\n".join(texts(notebook)), of(number).IDEAS
    found = [f"{len(ideas)} new ideas"] if len(ideas) > MOST_IDEAS else []
    return found + [f"{idea!r} is nowhere in bold" for idea in ideas if f"**{idea}" not in said]


def the_right_option_does_not_stand_out(number, notebook):
    """It is not the shortest, nor the longest, of the options in more than half of the questions."""
    found, asked = [], of(number).QUESTIONS
    for kind, chosen in ("shortest", min), ("longest", max):
        hits = [one.id for one in asked if chosen(one.options, key=lambda option: len(option.text)).right]
        if len(asked) > 1 and len(hits) > (len(asked) + 1) // 2:
            found.append(f"the right option is the {kind} in {', '.join(hits)}")
    return found


RULES = [minutes_are_computed, few_cells, few_ideas, the_right_option_does_not_stand_out]
