"""Your engine: the autograd engine that a learner writes at the ends of chapters 4 to 8, a slice in each.

    after_4.py ... after_8.py    the reference versions: the whole engine as it is after each chapter
    programs.py                  small programs on which a learner's engine is tried
    on_minigrad.py               minigrad under the names that the learner's engine uses
    checking.py                  runs a program on both, and says where they differ
    exercises.py                 the exercises "4e" to "8e", which `check` knows

    engine("6")                  loads and shows the version of the chapter before: after_5.py
"""
from __future__ import annotations

import ast
import difflib
import linecache
import sys
from html import escape
from pathlib import Path
from typing import Any

from ..showing import Shown, somebody_is_there

FIRST, LAST = 4, 8  # the chapters that end with a slice
MONOSPACE = "var(--jp-code-font-family, monospace)"  # what the cells of a notebook are set in
LOADED: dict[str, Any] = {}  # what `engine` defined; whatever else has one of these names is the learner's


def engine(chapter: Any = None, replace: bool = False) -> None:
    """Load and show the engine with which the slice of a chapter begins.

        engine("6")     defines `Tensor` and the rest as they are after chapter 5, and shows their source
        engine()        says for which chapters there is an engine

    Names that you defined yourself are left as they are, and you are told so; `replace=True` replaces them.
    """
    number = number_of(chapter)
    if number is None:
        print(overview(chapter))
        return
    names = sys._getframe(1).f_globals  # in a notebook: what its cells define
    text = source(number - 1)
    own = [name for name in defined_in(text) if name in names and names[name] is not LOADED.get(name)]
    if own and not replace:
        said = (f"You have defined {listed(own)}, so nothing was loaded. "
                f'To replace your own: engine("{number}", replace=True)')
    else:
        load(text, number - 1, names)
        said = f"This is the engine after chapter {number - 1}; it is loaded."
        if own:
            said = f"This replaced your own {listed(own)}. {said}"
    if somebody_is_there():
        from IPython.display import display
        display(Shown(f"{said}\n\n{text}", f"<p>{escape(said)}</p>{as_html(text, number - 1)}"))
    else:
        print(f"{said}\n\n{text}")


def number_of(chapter: Any) -> int | None:
    """The number of a chapter with whose slice a learner can start cold; None: there is none."""
    text = str(chapter).strip()
    return int(text) if text.isdecimal() and FIRST < int(text) <= LAST + 1 else None


def overview(chapter: Any) -> str:
    said = "" if chapter is None else f"There is no engine for chapter {chapter}. "
    if str(chapter).strip() == str(FIRST):
        said = f"In chapter {FIRST} you begin your engine from nothing. "
    calls = ", ".join(f'engine("{number}")' for number in range(FIRST + 1, LAST + 2))
    return f"{said}You can call {calls}: each loads the engine as it is after the chapter before."


def source(number: int) -> str:
    """The reference engine after a chapter."""
    return path(number).read_text(encoding="utf-8")


def path(number: int) -> Path:
    return Path(__file__).with_name(f"after_{number}.py")


def defined_in(text: str) -> list[str]:
    """The names of the classes and functions of a source."""
    return [node.name for node in ast.parse(text).body if isinstance(node, (ast.ClassDef, ast.FunctionDef))]


def load(text: str, number: int, names: dict[str, Any]) -> None:
    """Run a source among these names; a traceback shows its lines."""
    file = str(path(number))
    linecache.checkcache(file)
    exec(compile(text, file, "exec"), names)
    LOADED.update({name: names[name] for name in defined_in(text)})


def as_html(text: str, number: int) -> str:
    """A source for a notebook, with a bar beside the lines that are new since the chapter before."""
    new = set()
    if number > FIRST:
        compared = difflib.ndiff(source(number - 1).splitlines(), text.splitlines())
        kept = [line for line in compared if line[0] in "+ "]
        new = {at for at, line in enumerate(kept) if line[0] == "+" and line[1:].strip()}
    lines = [f'<span style="font-family:{MONOSPACE};border-left:4px solid '
             f'{"#0b62a8" if at in new else "transparent"};padding-left:8px">{escape(line)}</span>'
             for at, line in enumerate(text.splitlines())]
    told = f"<p>A bar marks the lines that are new since chapter {number - 1}.</p>" if new else ""
    return f'{told}<pre style="line-height:1.35;font-size:13px">' + "\n".join(lines) + "</pre>"


def listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
