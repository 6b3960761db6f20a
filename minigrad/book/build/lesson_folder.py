"""The folder of a lesson: `class/` is what learners get, `teacher/` what stays on the desk."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from . import page_of_measurements
from .class_sheets import class_sheets, key
from .lesson_card import lesson_card
from .slides import slides
from .students import students
from .wanted import Order


def lesson_folder(number: int, folder: Path, order: Order) -> Iterator:
    """Write what a lesson needs in the rooms of an order, at most six files."""
    handed, desk = folder / "class", folder / "teacher"
    yield from in_class(number, handed, order)
    yield from key(number, desk, order)
    yield from slides(number, desk, "-slides")
    yield from lesson_card(number, desk, order.form, order.rooms)


def in_class(number: int, folder: Path, order: Order) -> Iterable:
    if "paper" in order.rooms:
        yield from class_sheets(number, folder, order)
        if number == page_of_measurements.CHAPTER:
            yield from page_of_measurements.measurements_on_paper(folder, order.form)
    if "computers" in order.rooms:
        yield from students(number, folder)
