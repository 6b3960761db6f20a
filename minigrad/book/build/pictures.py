"""The picture of a sheet: what a chapter draws, from the lines that it rests on, with other numbers."""
from __future__ import annotations

import ast
import contextlib
import io
import linecache
import random
import re
import warnings
from typing import Any, TextIO

import minigrad as torch

from ...viz import draw
from ...viz.graph.facts import is_tensor
from ...viz.graph.model import Picture
from ..classroom.graphs import usual
from .blanks import bare
from .pages import Cell, as_code, lines_before, needed, statements
from .stored_pictures import StoredPicture, stored_picture

FILE = "<chapter>"  # the name of the text that is run


AnyPicture = Picture | StoredPicture | None


def picture_at(page: list[Cell], cell: Cell, seed: str | None = None, code: str = ""
               ) -> tuple[str, AnyPicture, str]:
    """The lines that a cell's picture rests on, or `code` in their place, and the picture; with a seed, for
    other numbers; and the lines with the chapter's own numbers.

    Without `code`, a picture that isn't of a graph, or can't be drawn again, is the one that was stored.
    """
    if code:
        return drawn_again(page, cell, seed, code)
    with contextlib.suppress(Exception):  # whatever the lines of a chapter may need beside themselves
        if draw_call(cell) is not None:
            return drawn_again(page, cell, seed)
    return "", stored_picture(cell.outputs), ""


def drawn_again(page: list[Cell], cell: Cell, seed: str | None = None, code: str = ""
                ) -> tuple[str, Picture, str]:
    call = draw_call(cell) or drawing_last(code)
    here = [line for line in statements(cell) if draw_in(line.node) is None]
    before = [line for line in lines_before(page, cell.at) if draw_in(line.node) is None]
    names = {one.id for one in ast.walk(call.args[0]) if isinstance(one, ast.Name)}
    code = code or as_code(needed(names, [*before, *here]))
    if seed is not None:
        with contextlib.suppress(RuntimeError, ValueError):  # other numbers may not be for this function
            changed = other_numbers(code, random.Random(seed))
            return changed, picture_of(changed, call, opened_on(page)), code
    return code, picture_of(code, call, opened_on(page)), code


def opened_on(page: list[Cell]) -> int | None:
    """The number of the chapter that a page opens."""
    opened = (re.search(r"^chapter\((\d+)", cell.text, re.MULTILINE) for cell in page if cell.kind == "code")
    return next((int(found[1]) for found in opened if found), None)


def record_at(page: list[Cell], cell: Cell) -> Picture | None:
    """The record of the operations, with its nodes and edges, if that is what a cell draws."""
    call = draw_call(cell)
    if call is None or in_maths_view(call) or not (code := picture_at(page, cell)[0]):
        return None
    return views_of(code, call, opened_on(page))[1]


def in_maths_view(call: ast.Call) -> bool:
    return any(word.arg == "view" and ast.unparse(word.value) == "'maths'" for word in call.keywords)


def draw_in(node: ast.AST) -> ast.Call | None:
    return next((one for one in ast.walk(node) if isinstance(one, ast.Call)
                 and isinstance(one.func, ast.Name) and one.func.id == "draw"), None)


def draw_call(cell: Cell) -> ast.Call | None:
    return next((call for line in statements(cell) if (call := draw_in(line.node)) is not None), None)


def drawing_last(code: str) -> ast.Call:
    """`draw` of what the last line computes, for a chapter whose own picture is not of a graph. After a
    backward pass, which frees what was saved, it is drawn without tabs."""
    lines = ast.parse(code).body
    name = next(line.targets[0].id for line in reversed(lines) if isinstance(line, ast.Assign))
    without = "" if isinstance(lines[-1], ast.Assign) else ', show="-saved"'
    return ast.parse(f"draw({name}{without})", mode="eval").body


def picture_of(code: str, call: ast.Call, number: int | None = None) -> Picture:
    """What `draw` shows after `code`: as a formula, which takes less room on paper than the record of the
    operations, but with the tabs that the operations carry there. A chapter that draws a formula itself has
    no tabs, and neither has its paper, nor that of a chapter before the one that explains them."""
    formula, record = views_of(code, call, number)
    if in_maths_view(call):
        return formula
    tabs = {box.op: box.saved for box in record.boxes if box.kind == "op"}
    for box in formula.boxes:
        box.saved = tabs.get(box.op, []) if box.kind == "op" else []
    return formula


def views_of(code: str, call: ast.Call, number: int | None) -> tuple[Picture, Picture]:
    """What `draw` shows after `code`, as a formula, and as the record of the operations."""
    known = run(code)
    shown = eval(compile(ast.Expression(call.args[0]), "<picture>", "eval"), known)
    words = {word.arg: ast.literal_eval(word.value) for word in call.keywords
             if word.arg in ("show", "values") and isinstance(word.value, ast.Constant)}
    if not any(word.arg == "view" for word in call.keywords):
        words["show"] = usual(words.get("show", ""), number)
    tensors = {name: value for name, value in known.items() if is_tensor(value)}
    formula, record = (drawn(known, shown, view=view, names=tensors, **words) for view in ("maths", "engine"))
    return formula, record


def drawn_by(code: str) -> Picture:
    """The picture of what the last line computes, as a formula."""
    known = run(code)
    tensors = {name: value for name, value in known.items() if is_tensor(value)}
    return bare(drawn(known, list(tensors.values())[-1], view="maths", names=tensors))


def drawn(known: dict[str, Any], shown: Any, **words: Any) -> Picture:
    """What `draw` shows when it is called from the lines that made `known`, in whose text it finds cuts."""
    here = {**known, "draw": draw, "_shown": shown, "_words": words}
    return eval(compile("draw(_shown, **_words)", FILE, "eval"), here).picture


def other_numbers(code: str, rng: random.Random) -> str:
    """Other numbers in every `torch.tensor(numbers, requires_grad=True)`, and for what a function takes when
    nothing is handed to it, `def fresh(a=2., b=3.)`."""
    def other(found: re.Match) -> str:
        old = re.findall(r"\d+\.?\d*", found[2])
        whole = all(float(number).is_integer() for number in old)
        choice = [f"{n}." for n in range(2, 10)] if whole else [f"{n}.5" for n in range(1, 9)]
        if "**" in code:
            choice = [f"{n}." for n in range(2, 8)]     # whose powers a pencil can work out
        new = rng.sample([one for one in choice if one not in old], min(len(old), 6)) * len(old)
        numbers = iter(new)
        return found[1] + re.sub(r"\d+\.?\d*", lambda _: next(numbers), found[2]) + found[3]

    code = re.sub(r"(torch\.tensor\()([\[\]\d., -]+?)(, requires_grad=True)", other, code)
    return re.sub(r"^(def \w+\()((?:\w+=\d+\.\d*(?:, )?)+)(\):)", other, code, flags=re.MULTILINE)


def run(code: str, out: TextIO | None = None, **names: Any) -> dict[str, Any]:
    """The names that `code` makes, after the first cell of a chapter; what it prints goes to `out`."""
    from ... import book
    known = {**{name: getattr(book, name) for name in book.__all__}, "torch": torch, **names}
    with contextlib.redirect_stdout(out or io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        linecache.cache[FILE] = len(code), None, code.splitlines(keepends=True), FILE
        exec(compile(code, FILE, "exec"), known)
    return known
