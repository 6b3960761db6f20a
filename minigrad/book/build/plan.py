"""What `python -m minigrad.book build` makes, in which order, and what it says meanwhile.

Everything is made in the folder `.unfinished` of the one that is asked for, and moved when it is whole; so a
build that fails leaves what was there before, and the next one removes what a killed one left.
"""
from __future__ import annotations

import contextlib
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from .. import files
from ..chapters import CHAPTERS
from .pages import file_of


@dataclass(frozen=True)
class Kind:
    """One kind of thing to make: for each chapter, or once for all."""

    name: str
    folder: str
    make: Callable[..., Iterable]  # (chapter, folder, form), or (chapters, folder) where it is made once
    needs: tuple[str, ...] = ()
    once: bool = False
    chapter: int | None = None  # it is about this one alone


def _student(number: int, folder: Path, form) -> Iterable:
    from .students import students
    return students(number, folder)


def _instructor(number: int, folder: Path, form) -> Iterable:
    from .students import instructors
    return instructors(number, folder)


def _nbgrader(number: int, folder: Path, form) -> Iterable:
    from .nbgrader import pairs
    return pairs(number, folder)


def _handout(number: int, folder: Path, form) -> Iterable:
    from .handouts import handouts
    from .page_of_measurements import CHAPTER, measurements_on_paper
    yield from handouts(number, folder, form)
    if number == CHAPTER:
        yield from measurements_on_paper(folder, form)


def _moodle(number: int, folder: Path, form) -> Iterable:
    from .moodle import moodle
    return moodle(number, folder)


def _qti(number: int, folder: Path, form) -> Iterable:
    from .qti import qti
    return qti(number, folder)


def _slides(number: int, folder: Path, form) -> Iterable:
    from .slides import slides
    return slides(number, folder)


def _cards(number: int, folder: Path, form) -> Iterable:
    from . import cards
    return cards.cards(folder, form)


def _site(chapters: list[int], folder: Path, solutions: bool = True) -> Iterable:
    from .reader import build_reader
    folder.mkdir(parents=True)
    return build_reader(chapters, folder, solutions=solutions)


def _open_site(chapters: list[int], folder: Path) -> Iterable:
    return _site(chapters, folder, solutions=False)


PAPER = ("pypandoc", "typst")
KINDS = {kind.name: kind for kind in (
    Kind("student", "student", _student),
    Kind("instructor", "instructor", _instructor),
    Kind("nbgrader", "nbgrader", _nbgrader),
    Kind("handout", "handouts", _handout, PAPER),
    Kind("cards", "cards", _cards, PAPER, chapter=4),
    Kind("slides", "slides", _slides, ("nbconvert",)),
    Kind("moodle", "moodle", _moodle),
    Kind("qti", "qti", _qti),
    Kind("site", "site", _site, ("pypandoc",), once=True),
)}
NO_SOLUTIONS = {"site": Kind("site", "site-no-solutions", _open_site, ("pypandoc",), once=True)}
OTHER_NAMES = {"reader": "site"}


def build(words: list[str], only: str, to: Path, *, letter: bool = False, large: bool = False,
          solutions: bool = True, tell: Callable[[str], None] = print) -> list[Path]:
    """Make what is asked for, and say so; the files that were made.

    What is made once, such as the site, always has all chapters; a build of a few chapters leaves it alone,
    unless `only` names it. Letter paper and large print have file names of their own.

    Raises:
        ValueError: an unknown chapter or kind, or a tool that isn't there; nothing was made.
        OSError: the folder can't be written; nothing was changed in it.
    """
    from .handouts import Form
    chapters, kinds = chosen(words), wanted(only)
    if not solutions:
        kinds = without_solutions(kinds)
    steps = [(kind, [number]) for kind in kinds if not kind.once for number in chapters
             if kind.chapter in (None, number)]
    # a subset must not replace an index of all chapters
    if only or not solutions or set(chapters) == set(CHAPTERS):
        steps += [(kind, list(CHAPTERS)) for kind in kinds if kind.once]
    if not steps:
        raise ValueError(f"{kinds[0].name} are about chapter {kinds[0].chapter} alone")
    need_tools(kinds)
    form, start = Form(letter, large), time.perf_counter()
    to = to.resolve()
    made: list[Path] = []
    pages = 0
    with unfinished(to) as scratch:
        for at, (kind, numbers) in enumerate(steps, 1):
            folder, begun = scratch / kind.folder, time.perf_counter()
            found = list(kind.make(numbers, folder) if kind.once else kind.make(numbers[0], folder, form))
            made += [getattr(one, "path", one) for one in found]
            pages += sum(getattr(one, "pages", 0) for one in found)
            what = f"{len(numbers)} chapters" if kind.once else f"chapter {numbers[0]}"
            tell(f"[{at}/{len(steps)}] {kind.name:10} {what:11} {len(found):3} files "
                 f"{time.perf_counter() - begun:5.1f} s")
        paths = moved(scratch, to, dict.fromkeys(made))
    tell(f"{to}: {len(paths)} files, {pages} printed pages, {time.perf_counter() - start:.1f} s")
    return paths


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
    names = [OTHER_NAMES.get(name, name) for name in map(str.strip, only.split(",")) if name] or list(KINDS)
    for name in names:
        if name not in KINDS:
            raise ValueError(f"there is no kind {name!r} to build; there are {', '.join(KINDS)}")
    return [KINDS[name] for name in KINDS if name in names]


def without_solutions(kinds: list[Kind]) -> list[Kind]:
    """
    Raises:
        ValueError: none of the kinds can be made without solutions.
    """
    if not any(kind.name in NO_SOLUTIONS for kind in kinds):
        raise ValueError("--no-solutions is about the site, which isn't asked for")
    return [NO_SOLUTIONS.get(kind.name, kind) for kind in kinds]


def need_tools(kinds: list[Kind]) -> None:
    """
    Raises:
        ValueError: a tool isn't there; the message says how to get it, and what can be built without.
    """
    for kind in kinds:
        for tool in kind.needs:
            if find_spec(tool) is None:
                rest = ",".join(one.name for one in kinds if not set(one.needs) - set(found_of(one)))
                raise ValueError(f"{kind.name} needs {tool}: pip install -r requirements-handouts.txt"
                                 + (f" (or build --only {rest})" if rest else ""))


def found_of(kind: Kind) -> Iterator[str]:
    return (tool for tool in kind.needs if find_spec(tool) is not None)


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


def moved(scratch: Path, to: Path, made: Iterable[Path]) -> list[Path]:
    """Every file to its place; files of the same name are replaced, others stay."""
    paths = []
    for folder, _, names in sorted(os.walk(scratch)):
        place = to / Path(folder).relative_to(scratch)
        place.mkdir(parents=True, exist_ok=True)
        for name in sorted(names):
            os.replace(Path(folder) / name, place / name)
            paths.append(place / name)
    return paths
