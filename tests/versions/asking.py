"""Asks one release of PyTorch: runs each program in a process of its own, and keeps what it printed."""
from __future__ import annotations

import ast
import contextlib
import io
import json
import linecache
import os
import re
import traceback
import warnings
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from minigrad.book.build.counting import GIVEN, code_cells, source, tags
from minigrad.book.content.cases import CASES
from tests.helpers.explained_programs import PROGRAMS
from tests.helpers.stored_chapters import FILES, NOTEBOOKS, load

from . import comparable
from .changes import CHANGES

NAME = "program.py"
GALLERY = NOTEBOOKS / "gallery.ipynb"
FRAME = re.compile(r'  File "([^"]*)", line .*\n(?:    .*\n)*')


def in_fork(work: Callable[[], Any]) -> Any:
    """Return what a function returns in a child process, whose modes, seeds and warnings are its own."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.close(reading)
            with open(writing, "w", encoding="utf-8") as file:
                json.dump(work(), file)
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    os.close(writing)
    with open(reading, encoding="utf-8") as file:
        text = file.read()
    os.waitpid(pid, 0)
    return json.loads(text)


def said_by(work: Callable[[], Any]) -> str:
    """Return what a call prints, its warnings, and its error, if there is one."""
    out = io.StringIO()

    def show(message, kind, *rest):
        print(f"{kind.__name__}: {message}", file=out)

    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show
        try:
            work()
        except Exception as error:
            print(f"{type(error).__name__}: {error}", file=out)
    return FRAME.sub(lambda frame: frame[0] if is_of_a_program(frame[1]) else "", comparable(out.getvalue()))


def is_of_a_program(file: str) -> bool:
    """Whether a line of a traceback is of the program that was run, and not of this recorder."""
    return file == NAME or file.startswith(("cell ", "seed_"))


def run(text: str, names: dict[str, Any], name: str = NAME) -> None:
    """Run a text as a notebook runs a cell: a last line that is a value is printed."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    tree = ast.parse(text)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, name, "exec"), names)
    if last is not None:
        value = eval(compile(ast.Expression(last.value), name, "eval"), names)
        if value is not None and not text.rstrip().endswith(";"):
            print(repr(value))


def message_of(work: Callable[[], Any]) -> str:
    """Return "RuntimeError: ...", the error of a call; an empty text if there is none."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            work()
        except Exception as error:
            return comparable(f"{type(error).__name__}: {error}")
    return ""


def asked(kinds: Collection[str] = ()) -> dict[str, dict[str, str]]:
    """Return {kind: {program: what this PyTorch answers}} for these kinds, or for all."""
    return {kind: ask() for kind, ask in KINDS.items() if not kinds or kind in kinds}


def program(code: str) -> Callable[[], None]:
    return lambda: run(f"import torch\n{code}", {"__name__": "__main__"})


def changes() -> dict[str, str]:
    return {one.slug: in_fork(lambda one=one: said_by(program(one.code))) for one in CHANGES}


def clinic() -> dict[str, str]:
    import torch.utils.checkpoint  # noqa: F401  (older releases leave it to the program)

    return in_fork(lambda: {case.slug: message_of(program(case.code)) for case in CASES})


def explained() -> dict[str, str]:
    import torch

    return in_fork(lambda: {name: message_of(lambda one=one: one.run(torch))
                            for name, one in PROGRAMS.items()})


# --- the examples of the study notes

def cells() -> dict[str, str]:
    """Return what the cells of the chapters print that rebuild an example of the study notes.

    A cell is named by its examples, its chapter, and its place among the chapter's cells of code.
    """
    found = {}
    for chapter in FILES:
        found.update(in_fork(lambda chapter=chapter: answers_of(named_cells(chapter))))
    return found | in_fork(lambda: answers_of(gallery()))


def answers_of(every: list[tuple[str, str]]) -> dict[str, str]:
    """Run programs one after the other, and return what those with a name print."""
    os.environ.update(MINIGRAD_BOOK="text", MINIGRAD_PROGRESS="off")
    names, found = {"__name__": "__main__"}, {}
    last = max((at for at, (name, _) in enumerate(every) if name), default=-1)
    for place, (name, text) in enumerate(every[:last + 1], 1):
        said = said_by(lambda text=text, place=place: run(text, names, f"cell {place}")) if text else ""
        if name:
            found[name] = said
    return found


def gallery() -> list[tuple[str, str]]:
    """Return the gallery's programs that rebuild an example, as `named_cells` does, without their pictures.

    They are apart from its other programs, and need of these only the function `leaf`.
    """
    found = [("", "import torch")]
    for place, cell in enumerate(code_cells(json.loads(GALLERY.read_text(encoding="utf-8"))), 1):
        rows, tree = " ".join(rows_of(tags(cell))), ast.parse(source(cell))
        if rows or source(cell).startswith("def leaf("):
            tree.body = [one for one in tree.body if not ast.unparse(one).startswith("draw(")]
            found.append((f"{rows}, gallery[{place}]" if rows else "", ast.unparse(tree)))
    return found


def named_cells(chapter: int) -> list[tuple[str, str]]:
    """Return (name, program) of each cell of code; the name is empty if it rebuilds no example.

    The program is empty if a learner writes it.
    """
    found = []
    for place, cell in enumerate(code_cells(load(chapter)), 1):
        told = tags(cell)
        text = source(cell).replace("import minigrad as torch", "import torch")
        runs = not told & GIVEN or "setup" in told
        rows = " ".join(rows_of(told))
        found.append((f"{rows}, {chapter}[{place}]" if runs and rows else "", text if runs else ""))
    return found


def rows_of(tags: set[str]) -> list[str]:
    """Return the examples of the study notes, such as A2 or E11, that a cell with these tags rebuilds."""
    return sorted(tag for tag in tags if re.fullmatch(r"[A-E]\d+", tag))


def seeds() -> dict[str, str]:
    """Return what the programs of tests/conformance print that were made from the study notes."""
    from tests.conformance import __path__ as folders

    files = sorted(Path(folders[0]).glob("seed_*.py"))
    return {path.stem: in_fork(lambda path=path: said_by(lambda: run(
        path.read_text(encoding="utf-8"), {"__name__": "__main__"}, path.name))) for path in files}


KINDS = {"changes": changes, "clinic": clinic, "explained": explained, "cells": cells, "seeds": seeds}
