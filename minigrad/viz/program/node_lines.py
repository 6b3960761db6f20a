"""Which line of the program recorded a node.

A watch notes the line, and in anomaly mode every node keeps a traceback in its `metadata`. A
picture shows "line 2 of cell 3" in a notebook and "train.py:12" elsewhere: no folders, so it is the
same on every machine.
"""
from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..graph.node_records import Line, metadata_of
from ..graph.node_records import place_of as watched_place
from .where_it_runs import cell_numbers

PACKAGE = str(Path(__file__).parents[2])
FRAME = re.compile(r'File "(?P<file>[^"]*)", line (?P<line>\d+)')
LIBRARY = re.compile(r"[\\/](site-packages|dist-packages)[\\/]|[\\/]lib[\\/]python3|<frozen ")
CELL = re.compile(r"^<(cell|ipython-input)|ipykernel_\d+[\\/]")


def place_of(node: Any) -> str:
    """Where `node` was recorded, or "" if neither a watch nor anomaly mode was there."""
    if (line := watched_place(node)) is not None:
        return short(line.filename, line.line)
    for text in reversed(metadata_of(node, "traceback_") or []):
        found = FRAME.search(text)
        if found and not LIBRARY.search(found["file"]) and not found["file"].startswith(PACKAGE):
            return short(found["file"], int(found["line"]))
    return ""


def short(file: str, line: int) -> str:
    if CELL.search(file):
        count = None if file.startswith("<") else cell_numbers().get(file)  # one name for all cells
        return f"line {line} of cell {count}" if count else f"line {line} of a cell"
    return file.replace("\\", "/").rpartition("/")[2] + f":{line}"


def line_of(part: ast.AST) -> Line:
    """Where a part of a text that `source` has parsed stands."""
    return Line(getattr(part, "file", ""), getattr(part, "lineno", 0))


def only_line(parts: Iterable[ast.AST]) -> Line | None:
    """The line of some parts of a text, if they are all in the same one."""
    lines = set(map(line_of, parts))
    return lines.pop() if len(lines) == 1 else None
