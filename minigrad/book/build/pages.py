"""A chapter's file, as the builders read it: its cells, their tags, and the code that a line rests on.

A question, a picture or an exercise rests on lines that the chapter ran before: `rests_on` finds them, so
that a sheet of paper shows these lines and no others. It reads code, it never runs it: a line belongs to the
answer when it gives a needed name its value, or changes the tensor behind one afterwards.
"""
from __future__ import annotations

import ast
import builtins
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..classroom.helping import NOTEBOOKS
from ..content.chapters.on_paper import ON_PAPER
from .callouts import with_markdown
from .counting import tags as tags_of

NOT_CODE = {"setup", "predict", "reveal", "judge", "check", "solution", "raises-exception", "widget"}
TICKET = re.compile(r"\*\*Exit ticket\.\*\*(.*?)\n\n<details>.*?</summary>(.*?)</details>", re.DOTALL)
ALWAYS_THERE = {"torch", "chapter", "draw", *vars(builtins)}


@dataclass(frozen=True)
class Cell:
    at: int
    kind: str  # "code" or "markdown"
    text: str
    tags: frozenset[str]
    outputs: Sequence[dict] = field(default=(), compare=False)


@dataclass(frozen=True)
class Line:
    """One statement of a code cell."""

    cell: int
    node: ast.stmt
    text: str


def file_of(number: int) -> Path:
    """The file of a chapter.

    Raises:
        ValueError: it isn't there.
    """
    found = sorted(NOTEBOOKS.glob(f"{number:02}_*.ipynb"))
    if not found:
        raise ValueError(f"chapter {number} has no file in {NOTEBOOKS}")
    return found[0]


def load(number: int) -> dict:
    """Return a chapter's notebook, its texts in Markdown as its author wrote them."""
    return with_markdown(json.loads(file_of(number).read_text(encoding="utf-8")))


def cell_tagged(page: list[Cell], tag: str) -> Cell:
    """Return the first cell with a tag.

    Raises:
        ValueError: there is none; the message says what to add.
    """
    for cell in page:
        if tag in cell.tags:
            return cell
    raise ValueError(f"{page[0].text.splitlines()[0]!r} has no cell with the tag {tag}: add one to its text, "
                     "and run it again")


def prediction_at(page: list[Cell], key: str) -> int:
    """Return the place of the cell that asks a question.

    Raises:
        ValueError: no cell asks it; the message says what to add.
    """
    for cell in page:
        if cell.text.startswith(f'predict("{key}")'):
            return cell.at
    raise ValueError(f"no cell of the chapter asks question {key}: add one to its text, with the tags "
                     f'[book, predict] and the line predict("{key}"), and run it again')


def text_of(cell: dict) -> str:
    return "".join(cell["source"])


def exit_ticket(page: list[Cell], number: int) -> tuple[str, str]:
    """Return the question at the end of a lesson, and its answer; nothing, if there is none."""
    found = TICKET.search("\n\n".join(cell.text for cell in page if cell.kind == "markdown"))
    own = ON_PAPER[number].ticket if number in ON_PAPER else ()
    return own or tuple(" ".join(part.split()) for part in (found.groups() if found else ()))


def question_of(number: int) -> str:
    """The question that a chapter opens with."""
    return question_in(text_of(load(number)["cells"][0]))


def question_in(opening: str) -> str:
    """The same of the chapter's first text."""
    return re.search(r"^\*\*(.+?)\*\*$", opening, re.MULTILINE)[1]


def printed(stored: dict) -> str:
    """What a cell has shown in words: printed lines, values without a picture, errors."""
    words = []
    for output in stored.get("outputs", ()):
        data = output.get("data", {})
        value = "" if "text/html" in data else data.get("text/plain", "")
        words.append(f"{output['ename']}: {output['evalue']}" if "ename" in output else
                     "".join(output.get("text", value)))
    return "\n".join(filter(None, map(str.rstrip, words)))


def cells(notebook: dict) -> list[Cell]:
    return [Cell(at, cell["cell_type"], text_of(cell), frozenset(tags_of(cell)), cell.get("outputs", ()))
            for at, cell in enumerate(notebook["cells"])]


def statements(cell: Cell) -> list[Line]:
    """The statements of a code cell, with the comments that stand between and beside them."""
    lines = cell.text.splitlines()
    nodes = ast.parse(cell.text).body
    starts = [min([node.lineno, *(at.lineno for at in getattr(node, "decorator_list", ()))])
              for node in nodes]
    ends = [start - 1 for start in starts[1:]] + [len(lines)]
    found = []
    for start, end, node in zip(starts, ends, nodes, strict=True):
        found.append(Line(cell.at, node, "\n".join(lines[start - 1:end]).rstrip()))
    return found


def as_code(lines: list[Line]) -> str:
    return "\n".join(line.text for line in lines)


def rests_on(names: set[str], page: list[Cell], upto: int, since: int = 0) -> list[Line]:
    """The lines before cell `upto` that give `names` their values, in order.

    `since`: the names themselves must get their values in this cell or later; what those lines rest on may
    stand anywhere before.
    """
    before = lines_before(page, upto)
    wanted = {name for name in names
              if any(line.cell >= since and name in gives(line.node) for line in before)}
    return needed(wanted, before)


def lines_before(page: list[Cell], upto: int) -> list[Line]:
    return [line for cell in page[:upto] if cell.kind == "code" and not cell.tags & NOT_CODE
            for line in statements(cell)]


def needed(names: set[str], lines: list[Line], drawers: Iterable[str] = ()) -> list[Line]:
    """Of `lines`, those that give `names` their values or change them later, and the backward passes
    that fill `drawers`: of these names, and those that such a line reads."""
    open_, kept, made, drawers = set(names), {}, {}, {*drawers}
    for place in range(len(lines) - 1, -1, -1):
        node = lines[place].node
        new = gives(node) & open_
        if new or drawers and fills(node) and drawers & all_names(needed(takes(node), lines[:place])):
            open_ = (open_ - gives(node)) | takes(node)
            kept[place] = lines[place]
            made.update({name: max(place, made.get(name, 0)) for name in new})
            drawers |= read_drawers(node) & takes(node)
        drawers -= set() if isinstance(node, (ast.AugAssign, ast.With)) else gives(node)
    passed = False
    for place in range(min(kept, default=0), len(lines)):
        node = lines[place].node
        if any(made.get(name, place) < place for name in changes(node)) and (passed or not empties(node)):
            kept[place] = lines[place]
        passed |= place in kept and ".backward(" in lines[place].text
    return [kept[place] for place in sorted(kept)]


def fills(node: ast.AST) -> bool:
    """Whether it is a backward pass."""
    return any(isinstance(one, ast.Attribute) and one.attr == "backward" for one in ast.walk(node))


def read_drawers(node: ast.AST) -> set[str]:
    """The names whose `.grad` is read."""
    return {one.value.id for one in ast.walk(node) if isinstance(one, ast.Attribute) and one.attr == "grad"
            and isinstance(one.ctx, ast.Load) and isinstance(one.value, ast.Name)}


def all_names(lines: list[Line]) -> set[str]:
    return set().union(*(gives(line.node) for line in lines))


def empties(node: ast.stmt) -> bool:
    """Whether it only empties a drawer: without a pass before, there is nothing in it."""
    return ast.unparse(node).endswith(".grad = None")


def gives(node: ast.AST) -> set[str]:
    """The names that get a value, not counting those inside functions."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def takes(node: ast.AST) -> set[str]:
    """The names whose values are needed."""
    inside = {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
    if isinstance(node, (ast.FunctionDef, ast.comprehension)):
        inside |= {one.id for one in ast.walk(node) if isinstance(one, ast.Name)
                   and isinstance(one.ctx, ast.Store)}
    read = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
    return read - inside - ALWAYS_THERE


def changes(node: ast.AST) -> set[str]:
    """The names whose tensor is changed: by a pass, by a write in place, by `x.grad = ...`."""
    found = set()
    for one in ast.walk(node):
        target = None
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute):
            changing = one.func.attr == "backward" or re.search("[a-z]_$", one.func.attr)
            target = one.func.value if changing else None
        elif isinstance(one, (ast.Attribute, ast.Subscript)) and isinstance(one.ctx, ast.Store):
            target = one
        while isinstance(target, (ast.Attribute, ast.Subscript)) or shares_memory(target):
            target = target.func if isinstance(target, ast.Call) else target.value
        if isinstance(target, ast.Name):
            found.add(target.id)
    return found


def shares_memory(node: ast.AST | None) -> bool:
    """Return whether it is a call such as `x.detach()`: a write to its result changes `x`."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) \
        and node.func.attr in ("detach", "view", "numpy")


def quoted(text: str) -> tuple[set[str], set[str]]:
    """The names that the `code` in a sentence takes, and those that it gives a value itself."""
    taken, given = set(), set()
    for code in re.findall(r"`([^`]+)`", text):
        try:
            tree = ast.parse(code)
        except SyntaxError:
            continue
        taken |= takes(tree)
        given |= gives(tree)
    return taken - given, given


def section(page: list[Cell], at: int) -> int:
    """The cell with the heading under which cell `at` stands."""
    heads = [cell.at for cell in page[:at + 1] if cell.kind == "markdown"
             and re.search(r"^#{1,3} ", cell.text, re.MULTILINE)]
    return heads[-1] if heads else 0
