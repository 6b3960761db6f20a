"""Sheets that fit two pages, with as many lines to write on as there is room for.

The number of lines is the largest that still fits; what is left of a page is filled with more of them.
"""
from __future__ import annotations

import functools
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from .pdf import Form, as_pdf, pages_of
from .sheet_markdown import Page, student
from .sheets import Sheet

PAGES = 2
LINES = (6, 5, 4, 3, 2, 1)  # to write on, under each exercise: the first that fits


class Fitted(NamedTuple):
    """Sheets that fit two pages: how they are to look, the pages, their titles, and how many exercises come
    before the picture."""

    form: Form
    pages: list[Page]
    titles: list[str]
    pdfs: list[bytes]
    first: int


def fit(sheets: list[Sheet], form: Form) -> Fitted:
    """The sheets on two pages; in large print on as many as it takes.

    As many exercises as possible come before the picture: small things fill a page better, and the picture
    is on the other side of the predictions, which it might answer. What fits nowhere is as long as it is; a
    test looks at the pages.
    """
    titles = [f"{one.number} · {one.title} · Sheet {one.seat}" for one in sheets]

    @functools.cache
    def needs(lines: int, first: int, form: Form) -> int:
        page = student(sheets[0], form.page(sheets[0].seat, lines), first)
        return pages_of(as_pdf([page], titles[:1], form)[0])

    every = [0] if sheets[0].paper.picture_first else range(len(sheets[0].tasks), -1, -1)
    if not form.large and min(needs(0, first, form) for first in every) > PAGES:
        form = replace(form, tight=True)
    if form.large:  # in the order of the other sheets, so that one key is for both
        first = fit(sheets[:1], replace(form, large=False)).first
        plans = iter([min(((2, first), (1, first)), key=lambda plan: needs(*plan, form))])
    else:
        orders = [first for first in every if needs(0, first, form) <= PAGES] or [every[0]]
        found = ((lines, first) for lines in LINES for first in orders if needs(lines, first, form) <= PAGES)
        plans = chain(found, [(0, orders[0])])
    for lines, first in plans:
        pages = [student(one, form.page(one.seat, lines), first) for one in sheets]
        pdfs = as_pdf(pages, titles, form)
        if form.large or max(map(pages_of, pdfs)) <= PAGES:
            break
    if max(map(pages_of, pdfs)) == 1:
        pages = [student(one, form.page(one.seat, lines), first, one_sided=True) for one in sheets]
        pdfs = as_pdf(pages, titles, form)
    return Fitted(form, pages, titles, pdfs, first)
