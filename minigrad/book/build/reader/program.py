"""Runs the programs that the reader shows, so that it prints what really happens."""
from __future__ import annotations

import ast
import contextlib
import io
import linecache
import traceback
import warnings
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

NAME = "program.py"
HEAD = "import minigrad as torch\n"


class Ran(NamedTuple):
    printed: str
    error: Exception | None

    @property
    def message(self) -> str:
        return f"{type(self.error).__name__}: {self.error}" if self.error else ""


def run(code: str, head: str = HEAD, name: str = NAME,
        given: Mapping[str, Any] = MappingProxyType({})) -> Ran:
    """Run a program as a notebook cell is run: a last line that is a value is printed.

    Its text can be looked up under its name, so an explanation can quote its lines. It may use names that are
    given to it.
    """
    text = head + code
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names, out = {"__name__": "__main__", **given}, io.StringIO()
    tree = ast.parse(text)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(tree, name, "exec"), names)
            if last is not None:
                value = eval(compile(ast.Expression(last.value), name, "eval"), names)
                if value is not None:
                    print(repr(value))
        except Exception as error:
            return Ran(out.getvalue(), error)
    return Ran(out.getvalue(), None)


def traced(ran: Ran, name: str = NAME) -> str:
    """The traceback as the program's owner needs it: their own lines, and the message."""
    frames = [frame for frame in traceback.extract_tb(ran.error.__traceback__) if frame.filename == name]
    lines = [f"{frame.filename}, line {frame.lineno}\n    {frame.line}\n" for frame in frames]
    return ran.printed + "".join(lines) + ran.message
