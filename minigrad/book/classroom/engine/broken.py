"""A copy of minigrad in which one line is another one, so that a test can be tried on it.

The copy is a package of its own, made from the same files: nothing is written, and minigrad itself stays as
it is. The line is one of those that `side_by_side` shows.
"""
from __future__ import annotations

import importlib
import importlib.util
import itertools
import linecache
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from ..reading import Misread
from ..saying import kind_of
from .two_columns import PACKAGE, of_minigrad, without_comment

NUMBERS = itertools.count(1)


class Place:
    """A line of minigrad: its file, and its number there."""

    def __init__(self, file: str, number: int, text: str) -> None:
        self.file, self.number, self.text = file, number, text


class Edited(SourceFileLoader):
    """Loads a file of minigrad with one line replaced."""

    def __init__(self, name: str, file: Path, number: int, line: str) -> None:
        super().__init__(name, str(file))
        self.number, self.line = number, line

    def get_code(self, fullname: str) -> Any:
        lines = Path(self.path).read_text(encoding="utf-8").splitlines(keepends=True)
        lines[self.number - 1] = self.line
        name = f"<broken {Path(self.path).name}>"   # its lines are timed, as those of a learner's engine are
        linecache.cache[name] = (0, None, lines, name)
        return compile("".join(lines), name, "exec")


class Finder:
    """Finds one module of the copy: the one with the edited line."""

    def __init__(self, name: str, loader: Edited) -> None:
        self.name, self.loader = name, loader

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self.loader.path, loader=self.loader)


def broken_copy(line: str, instead: str) -> ModuleType:
    """Return a copy of minigrad in which one line is replaced.

        broken = broken_copy("node._values = self.freed", "pass")
        run_tests(tests, torch, broken)

    Args:
        line: a line that `side_by_side()` or `side_by_side("product")` shows in minigrad's column.
        instead: what stands there in the copy.

    Raises:
        Misread: there is no such line among them, or the copy can't be compiled.
    """
    place = line_shown(line)
    if not isinstance(instead, str) or "\n" in instead.strip():
        raise Misread("The second argument should be one line of Python, in quotes; it is "
                      f"{kind_of(instead)}.")
    whole = (PACKAGE / place.file).read_text(encoding="utf-8").splitlines()[place.number - 1]
    new = whole[:len(whole) - len(whole.lstrip())] + (instead.strip() or "pass") + "\n"
    name = f"broken_minigrad_{next(NUMBERS)}"
    module = f"{name}.{place.file.removesuffix('.py').replace('/', '.')}"
    finder = Finder(module, Edited(module, PACKAGE / place.file, place.number, new))
    try:
        finder.loader.get_code(module)
    except SyntaxError as error:
        raise Misread(f"With this line, {place.file} isn't Python any more: {error.msg}. Brackets and a "
                      "colon at the end must stay.") from None
    spec = importlib.util.spec_from_file_location(name, PACKAGE / "__init__.py",
                                                  submodule_search_locations=[str(PACKAGE)])
    package = importlib.util.module_from_spec(spec)
    sys.modules[name] = package
    sys.meta_path.insert(0, finder)
    try:
        spec.loader.exec_module(package)
        importlib.import_module(module)
    finally:
        sys.meta_path.remove(finder)
    return package


def line_shown(line: Any) -> Place:
    """Find a line among those of minigrad that `side_by_side` shows."""
    if not isinstance(line, str):
        raise Misread(f"The first argument should be a line of minigrad, in quotes; it is {kind_of(line)}.")
    wanted = without_comment(line)
    found = [Place(file, number, text) for file, number, text in of_minigrad()
             if without_comment(text) == wanted]
    if not found:
        raise Misread('No line of minigrad that side_by_side() or side_by_side("product") shows is '
                      f"{kind_of(line)}. Copy a whole line.")
    if len(found) > 1:
        raise Misread(f"There are {len(found)} such lines. Choose another one.")
    return found[0]
