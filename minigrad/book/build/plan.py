"""What `python -m minigrad.book build` makes, in which order, and what it says meanwhile.

Everything is made in the folder `.unfinished` of the one that is asked for, and moved when it is whole; so a
build that fails leaves what was there before, and the next one removes what a killed one left.
"""
from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from ..classroom import files
from ..content.chapters import CHAPTERS
from .checking import ready
from .lessons import ROOMS
from .pages import file_of
from .wanted import SEATS, Order

MADE = ".made.json"
MOST = 200  # learners of a lesson


@dataclass(frozen=True)
class Kind:
    """One kind of thing to make: for each chapter, or once for all."""

    name: str
    folder: str  # below the one of the build; {} is the chapter
    make: Callable[..., Iterable]  # (chapter or, where it is made once, chapters; folder; order)
    needs: tuple[str, ...] = ()
    once: bool = False

    @property
    def by_lesson(self) -> bool:
        return "{" in self.folder


def by(module: str, function: str, *parts: str) -> Callable[..., Iterable]:
    """A function of a module here, for a chapter, a folder, and these parts of an order. The module is
    imported when it is needed: not every tool is there."""
    def make(number: int, folder: Path, order: Order) -> Iterable:
        found = getattr(import_module(f".{module}", __package__), function)
        return found(number, folder, *(getattr(order, part) for part in parts))
    return make


def lesson(number: int, folder: Path, order: Order) -> Iterable:
    from .lesson_folder import lesson_folder
    return lesson_folder(number, folder, order)


def site(chapters: list[int], folder: Path, order: Order, solutions: bool = True) -> Iterable:
    from .reader import build_reader
    folder.mkdir(parents=True)
    return build_reader(chapters, folder, solutions=solutions)


PAPER = ("pypandoc", "typst")
KINDS = {kind.name: kind for kind in (
    Kind("lesson", "lesson-{:02}", lesson, (*PAPER, "nbconvert")),
    Kind("student", "student", by("students", "students")),
    Kind("nbgrader", "nbgrader", by("nbgrader", "pairs")),
    Kind("slides", "slides", by("slides", "slides"), ("nbconvert",)),
    Kind("site", "site", site, ("pypandoc",), once=True),
    Kind("site-no-solutions", "site-no-solutions", partial(site, solutions=False), ("pypandoc",), once=True),
)}
USUAL = ("lesson",)  # what is built where no kind is named


def build(words: list[str], only: str, to: Path, *, letter: bool = False, large: bool = False,
          learners: str | int | None = None, room: str | None = None, sheets: str = "",
          tell: Callable[[str], None] = print) -> list[Path]:
    """Make what is asked for, and say so; the files that were made.

    What is made once, such as the site, always has all chapters. Letter paper and large print have file names
    of their own.

    Raises:
        ValueError: an unknown chapter, kind or room, a number of learners that can't be, a tool that isn't
            there, or a file in the way that no build has made, or that was changed since; nothing was made.
        OSError: the folder can't be written; nothing was changed in it.
    """
    from .pdf import Form
    chapters, kinds = chosen(words), wanted(only)
    if (learners is not None or room or sheets) and not any(kind.by_lesson for kind in kinds):
        raise ValueError("--learners, --room and --sheets are about lessons; leave out --only, or name "
                         "lesson in it")
    seats = seats_of(sheets)
    order = Order(Form(letter, large), how_many(learners, len(seats)), rooms_of(room), seats)
    steps = [(kind, [number]) for kind in kinds if not kind.once for number in chapters]
    steps += [(kind, list(CHAPTERS)) for kind in kinds if kind.once]
    need_tools(kinds)
    for number in chapters:
        ready(number)
    start = time.perf_counter()
    to = to.resolve()
    for kind, numbers in steps:
        refuse_in_the_way(to / kind.folder.format(numbers[0]), to, "" if kind.once else f"{numbers[0]:02}")
    made: list[Path] = []
    pages = 0
    with unfinished(to) as scratch:
        for at, (kind, numbers) in enumerate(steps, 1):
            folder, begun = scratch / kind.folder.format(numbers[0]), time.perf_counter()
            found = list(kind.make(numbers if kind.once else numbers[0], folder, order))
            made += [getattr(one, "path", one) for one in found]
            pages += sum(getattr(one, "pages", 0) for one in found)
            what = f"{len(numbers)} chapters" if kind.once else f"chapter {numbers[0]}"
            tell(f"[{at}/{len(steps)}] {kind.name:10} {what:11} {len(found):3} files "
                 f"{time.perf_counter() - begun:5.1f} s")
        paths = moved(scratch, to)
    tell(f"{to}: {len(paths)} files, {pages} printed pages, {time.perf_counter() - start:.1f} s")
    return paths


def how_many(learners: str | int | None, seats: int) -> int:
    """
    Raises:
        ValueError: so many sheets aren't made.
    """
    if learners is None:
        return seats
    if not str(learners).isdecimal() or not 1 <= int(learners) <= MOST:
        raise ValueError(f"--learners takes a whole number from 1 to {MOST}; this is {str(learners)!r}")
    return int(learners)


def rooms_of(room: str | None) -> tuple[str, ...]:
    if room is not None and room not in ROOMS:
        raise ValueError(f"there is no room {room!r}; there are {' and '.join(ROOMS)}")
    return (room,) if room else ROOMS


def seats_of(sheets: str) -> str:
    found = "".join(dict.fromkeys(sheets.upper()))
    if not set(found) <= set(SEATS):
        raise ValueError(f"--sheets takes some of the letters {SEATS}; this is {sheets!r}")
    return found or SEATS


def chosen(words: list[str]) -> list[int]:
    """The numbers of the chapters that are asked for; none: all."""
    found = []
    for word in words or map(str, CHAPTERS):
        if not word.isdecimal() or int(word) not in CHAPTERS:
            raise ValueError(f"there is no chapter {word!r}; there are {', '.join(map(str, CHAPTERS))}")
        file_of(int(word))
        found.append(int(word))
    return list(dict.fromkeys(found))


def wanted(only: str) -> list[Kind]:
    names = [name for name in map(str.strip, only.split(",")) if name] or list(USUAL)
    for name in names:
        if name not in KINDS:
            raise ValueError(f"there is no kind {name!r} to build; there are {', '.join(KINDS)}")
    return [KINDS[name] for name in KINDS if name in names]


def need_tools(kinds: list[Kind]) -> None:
    """
    Raises:
        ValueError: a tool isn't there; the message says how to get it, and what can be built without.
    """
    for kind in kinds:
        for tool in kind.needs:
            if find_spec(tool) is None:
                rest = ",".join(one.name for one in kinds if all(map(find_spec, one.needs)))
                raise ValueError(f"{kind.name} needs {tool}: pip install -r requirements-handouts.txt"
                                 + (f" (or build --only {rest})" if rest else ""))


@contextlib.contextmanager
def unfinished(to: Path) -> Iterator[Path]:
    """An empty folder inside `to` that no other build uses; it is gone in the end."""
    scratch = to / ".unfinished"
    to.mkdir(parents=True, exist_ok=True)
    try:
        with files.held(scratch):
            shutil.rmtree(scratch, ignore_errors=True)
            try:
                scratch.mkdir()
                yield scratch
            finally:
                shutil.rmtree(scratch, ignore_errors=True)
    finally:
        with contextlib.suppress(OSError):  # it holds files, as it should
            to.rmdir()


def moved(scratch: Path, to: Path) -> list[Path]:
    """Every file to its place; the files of an older build are replaced, others stay.

    The file .made.json says what builds have made. So no file is replaced that somebody else has written, or
    has changed since.

    Raises:
        ValueError: there is such a file; nothing was moved.
    """
    new = {path.relative_to(scratch).as_posix(): digest(path)
           for path in sorted(scratch.rglob("*")) if path.is_file()}
    old = made_before(to)
    for name in new:
        refuse_foreign(to / name, to, old.get(name, []))
    both = {name: [*old.get(name, []), mark] for name, mark in new.items()}
    remember(to, scratch, {**old, **both})  # whichever of the two a killed build leaves in a place
    for name in new:
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        os.replace(scratch / name, to / name)
    remember(to, scratch, {**old, **{name: [mark] for name, mark in new.items()}})
    return [to / name for name in new]


def refuse_in_the_way(folder: Path, to: Path, begins: str) -> None:
    """Look for foreign files where a build will write, before it starts, as it takes a minute. The names of a
    chapter's files begin with its number.

    Raises:
        ValueError: there is one.
    """
    marks = made_before(to)
    refuse_foreign(folder / "any file", to, [])
    for path in sorted(folder.rglob(f"{begins}[-_.]*")) if begins else ():
        refuse_foreign(path, to, marks.get(path.relative_to(to).as_posix(), []))


def refuse_foreign(path: Path, to: Path, marks: list[str]) -> None:
    """
    Raises:
        ValueError: something in this place is not what a build has put there.
    """
    for above in path.parents:
        if above == to:
            break
        if above.exists() and not above.is_dir():
            raise ValueError(f"{above} is no folder: move it away, and build again; nothing was made")
    if path.exists() and (not path.is_file() or digest(path) not in marks):
        raise ValueError(f"{path} was changed, or isn't from a build: move it away, and build again; nothing "
                         "was made")


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def made_before(to: Path) -> dict[str, list[str]]:
    """The files that builds have put into this folder, each with the marks that it may have."""
    try:
        found = json.loads((to / MADE).read_text(encoding="utf-8"))
        return {name: list(marks) for name, marks in found.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def remember(to: Path, scratch: Path, marks: dict[str, list[str]]) -> None:
    new = scratch.with_name(scratch.name + ".json")
    new.write_text(json.dumps(marks, indent=0, sort_keys=True), encoding="utf-8")
    os.replace(new, to / MADE)
