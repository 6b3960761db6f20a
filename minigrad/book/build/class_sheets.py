"""What a class needs on paper: a sheet for each learner in one file, the chapter on one page, and programs.

Neighbours get different sheets: A, B, C, D, A, ... Each sheet begins on a front side, and its pages have
numbers of their own; an empty back has none.
"""
from __future__ import annotations

import functools
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

from ..content.chapters import CHAPTERS
from . import keys
from .before_votes import before_votes
from .fitting import Fitted, fit
from .lettering import typ
from .one_page import on_one_page
from .pages import Cell, cells, load
from .pdf import Form, Made, compiled, converted, pages_of, save, save_page, short, source
from .sheet_markdown import Page
from .sheets import VARIANTS, Sheet, sheet
from .tasks import words
from .wanted import Order

NEW_SHEET = """```{{=typst}}
#pagebreak(to: "odd", weak: true)
#set page(footer: context if counter(page).get().first() <= {pages} [
  #set text({size}pt); {foot} #h(1fr) #counter(page).display() / {pages}])
#counter(page).update(1)
```"""


def class_sheets(number: int, folder: Path, order: Order) -> Iterator[Made]:
    """Write a sheet for each learner, the chapter on one page, and programs that a sheet asks about."""
    form = order.form
    name = f"{number:02}-{{}}{form.suffix}.pdf"
    yield save(folder / name.format("sheets"), dealt(fitted(number, form), order.learners, order.seats))
    yield save(folder / name.format("before"), before_votes(of_seats(number)[0], form))
    yield save(folder / name.format("page"), on_one_page(number, form)[1])
    for key, page in programs(of_seats(number)[0], form):
        title = f"{number} · {CHAPTERS[number][0]} · Program of {key}"
        yield save_page(folder / name.format(f"program-{key}"), page, title, form)


def key(number: int, folder: Path, order: Order) -> Iterator[Made]:
    """Write the key to the sheets that are dealt."""
    form, dealt_out = order.form, [one for one in of_seats(number) if one.seat in order.seats]
    page = keys.key(dealt_out, fitted(number, form).first, form.page("key"))
    yield save_page(folder / f"{number:02}-key{form.suffix}.pdf", page, f"Key to chapter {number}", form)


@functools.lru_cache(1)
def of_seats(number: int) -> tuple[Sheet, ...]:
    return tuple(sheet(number, seat) for seat in VARIANTS)


@functools.lru_cache(1)
def fitted(number: int, form: Form) -> Fitted:
    return fit(list(of_seats(number)), form)


def dealt(found: Fitted, learners: int, seats: str) -> bytes:
    """One PDF with one of these sheets for each learner, ready for both sides of the paper."""
    each = []
    for page, title, pdf in zip(found.pages, found.titles, found.pdfs, strict=True):
        foot = typ(f"{short(title)} · {source()}")
        start = NEW_SHEET.format(size=18 if found.form.large else 11, foot=foot, pages=pages_of(pdf))
        begun = Page(page.name, 0, page.wide)
        begun.parts = [start, *page.parts]
        each.append(begun)
    texts = converted(each)
    whole = Page("class", 0, found.form.wide)
    for page in found.pages:
        whole.pictures |= page.pictures
    text = "\n\n".join(islice(cycle(texts[VARIANTS.index(seat)] for seat in seats), learners))
    title = found.titles[0].rpartition(" · ")[0] + f" · Sheets for {learners}"
    return compiled(whole, text, title, found.form)


def programs(one: Sheet, form: Form) -> Iterator[tuple[str, Page]]:
    """The exercises that ask for lines of a program which the sheet doesn't show, with a page for each."""
    page = cells(load(one.number))
    for task in one.tasks:
        key, code = task.exercise.id, program(page, task.exercise.id)
        if code and "lines" in task.fields:
            made = form.page("program")
            made.heading(f"{one.number} · {one.title}", f"Program of {key}")
            made.add(words(page, key))
            made.code("\n\n".join(code))
            yield key, made


def program(page: list[Cell], key: str) -> list[str]:
    """The cells of a program, from the words of an exercise to the place for its answer."""
    said = next(cell.at for cell in page if f"✎ Your turn {key}**" in cell.text)
    stub = next(cell.at for cell in page if {"exercise", key} <= cell.tags)
    return [cell.text for cell in page[said:stub] if cell.kind == "code" and not cell.tags]
