"""Looks in built files for the answers of exercises, so that what a learner gets doesn't hold any.

A file is a notebook or a page of the site. It gives an exercise away if it

- lists, in a sentence or in the rows of a table that end alike, all lines to tick and none of the others;
- contains a list or a dict that is the right answer, or one that the exercise's name is set to;
- contains, in one piece of code, all lines of the solution that the exercise doesn't begin with;
- tells learners to load the engine that they should write.
"""
from __future__ import annotations

import ast
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

from minigrad.book.build.grading import count
from minigrad.book.build.pages import Cell, cells, load
from minigrad.book.classroom.engine import SLICES, before
from minigrad.book.classroom.exercise import KEY, Exercise
from minigrad.book.classroom.reading import as_lists, compact
from minigrad.book.content.chapters import exercise

NUMBER = re.compile(r"(\d\d)[_.]|chapter-(\d\d)\.html")
BLOCKS = re.compile(r"</(?:p|li|tr|pre|h\d|summary|figcaption|details|div)>|\n\n")
SHORT = 12  # letters: a line of a solution that is as short may stand anywhere
ENGINE = re.compile(r'engine\("(\d+)"')


@dataclass(frozen=True)
class Piece:
    """A part of a file: a sentence or a row of a table, or a piece of code."""

    text: str
    code: bool


def leaks(path: Path) -> list[str]:
    """What the file gives away, in sentences; nothing: no answer was found in it."""
    found = NUMBER.search(path.name)
    number = int(found[1] or found[2])
    pieces = list(pieces_of(path))
    page = cells(load(number))
    keys = [tag for cell in page if "solution" in cell.tags for tag in cell.tags if KEY.fullmatch(tag)]
    told = [f"{path.name} tells the answer of {key}: {where[:80]!r}" for key in keys
            for where in told_in(exercise(key), pieces, page)]
    for piece in pieces:
        for name in ENGINE.findall(piece.text):
            if number in SLICES and (before(name) or 0) >= number:
                told.append(f"{path.name} loads what {number}e asks for: engine(\"{name}\")")
    return told


def pieces_of(path: Path) -> Iterator[Piece]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        for cell in json.loads(text)["cells"]:
            whole, code = "".join(cell["source"]), cell["cell_type"] == "code"
            yield from (Piece(part, code) for part in ([whole] if code else whole.split("\n")))
            for output in cell.get("outputs", ()):
                yield Piece(json.dumps(output, ensure_ascii=False), False)
        return
    for block in BLOCKS.split(re.sub(r"<(script|style|svg)\b.*?</\1>", "", text, flags=re.DOTALL)):
        code = "<pre" in block
        block = block.rpartition("<pre")[2].partition(">")[2] if code else block.replace("</td>", "|")
        block = re.sub("</?code[^>]*>", "" if code else "`", block)
        yield Piece(unescape(re.sub("<[^>]+>", "", block)).strip(), code)


def told_in(one: Exercise, pieces: list[Piece], page: list[Cell]) -> Iterator[str]:
    """The places that tell the answer of an exercise."""
    if one.choices:
        yield from ticks_told(one, pieces)
    right, lines = right_value(one, page), solution_lines(one, page)
    for piece in pieces:
        for name, value in values_in(piece):
            if name == f"answer_{one.id}" and points(one, value) or right and as_lists(value) == right:
                yield piece.text
        if lines and lines <= code_lines(piece.text):
            yield piece.text


def ticks_told(one: Exercise, pieces: list[Piece]) -> Iterator[str]:
    right = one.expected(one.standard)
    alike = defaultdict(str)  # rows of tables by what they end with
    for piece in pieces:
        row = piece.text.strip().strip("|")
        alike[row.rpartition("|")[2].strip() if "|" in row else piece.text] += piece.text + "\n"
    for text in alike.values():
        said = compact(text)
        if all(compact(line) in said for line in right) \
                and not any(compact(line) in said for line in one.choices if line not in right):
            yield text


def right_value(one: Exercise, page: list[Cell]) -> Any:
    """The answer of an exercise with the same numbers for everybody, where it is data with several parts."""
    if one.draw is not None:
        return None
    text = next(cell.text for cell in page if {"solution", one.id} <= cell.tags)
    found = [value for name, value in values_in(Piece(text, True)) if name == f"answer_{one.id}"]
    value = as_lists(one.expected(one.standard) if one.expected else found[-1] if found else None)
    return value if isinstance(value, (list, dict, frozenset)) and len(value) > 2 else None


def solution_lines(one: Exercise, page: list[Cell]) -> set[str]:
    """The lines of a solution that no cell before it contains."""
    at = next(cell.at for cell in page if {"solution", one.id} <= cell.tags)
    known = set().union(*(code_lines(cell.text) for cell in page[:at] if cell.kind == "code"))
    return {line for line in code_lines(page[at].text) - known
            if len(line) > SHORT and not line.startswith("answer_")}


def code_lines(text: str) -> set[str]:
    """The lines of programs in a text, without comments and without the name of an answer."""
    lines = [re.sub(r"^answer_\w+ = ", "", line.partition("  #")[0].partition(" # ")[0])
             for line in text.replace("`", "\n").splitlines() if not line.lstrip().startswith("#")]
    return {" ".join(line.split()) for line in lines if line.strip()}


def values_in(piece: Piece) -> Iterator[tuple[str, Any]]:
    """(the name it is given, or nothing; the value) of each list, dict and set in a piece."""
    for text in [piece.text] if piece.code else re.findall("`([^`]+)`", piece.text):
        try:
            tree = ast.parse(text.strip())
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            name = node.targets[0].id if isinstance(node, ast.Assign) and isinstance(
                node.targets[0], ast.Name) else ""
            value = node.value if isinstance(node, ast.Assign) else node
            if name or isinstance(value, (ast.List, ast.Tuple, ast.Dict, ast.Set)):
                try:
                    yield name, ast.literal_eval(value)
                except (ValueError, TypeError):
                    continue


def points(one: Exercise, value: Any) -> bool:
    """Whether an answer that is data gets any points; answers with tensors or functions aren't data."""
    return isinstance(value, (list, tuple, dict, set, str, int, float)) and count(one.id, value) > 0
