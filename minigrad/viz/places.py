"""Which line of the program recorded a node.

A watch notes the line. In anomaly mode every node keeps the traceback of the line that made it, in its
`metadata`. A picture shows it without the folders of one machine, so that the same program gives the same
picture everywhere: "cell 3, line 2" in a notebook, "train.py:12" elsewhere.
"""
from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple

from .records import place_of as watched_place

PACKAGE = str(Path(__file__).parents[1])

FRAME = re.compile(r'File "(?P<file>[^"]*)", line (?P<line>\d+)')
LIBRARY = re.compile(r"[\\/](site-packages|dist-packages)[\\/]|[\\/]lib[\\/]python3|<frozen ")
CELL = re.compile(r"^<(cell|ipython-input)|ipykernel_\d+[\\/]")


def place_of(node: Any) -> str:
    """Where `node` was recorded, or "" if neither a watch nor anomaly mode was there."""
    if (line := watched_place(node)) is not None:
        return short(line.filename, line.line)
    try:
        trace = node.metadata.get("traceback_")
    except (AttributeError, RuntimeError):
        return ""
    for text in reversed(trace or []):
        found = FRAME.search(text)
        if found and not LIBRARY.search(found["file"]) and not found["file"].startswith(PACKAGE):
            return short(found["file"], int(found["line"]))
    return ""


def short(file: str, line: int) -> str:
    if CELL.search(file):
        count = None if file.startswith("<") else _cell_numbers().get(file)  # one name for all cells
        return f"cell {count}, line {line}" if count else f"cell, line {line}"
    name = re.split(r"[\\/]", file)[-1]
    return f"{name}:{line}"


def _cell_numbers() -> dict[str, int]:
    """File name of a cell -> the number in its In[ ], as IPython keeps it."""
    if "IPython" not in sys.modules:
        return {}
    shell = sys.modules["IPython"].get_ipython()
    return getattr(getattr(shell, "compile", None), "_filename_map", {})


class Line(NamedTuple):
    """A line of the program's text."""

    filename: str = ""
    line: int = 0


def line_of(part: ast.AST) -> Line:
    """Where a part of a text that `source` has parsed stands."""
    return Line(getattr(part, "file", ""), getattr(part, "lineno", 0))
