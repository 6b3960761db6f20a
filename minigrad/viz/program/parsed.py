"""The text of files and cells as trees, whose parts know their file and what contains them."""
from __future__ import annotations

import ast
import linecache
from collections.abc import Callable
from functools import wraps
from types import CodeType
from typing import Any, TypeVar

Part = TypeVar("Part", bound=ast.AST | None)
Found = TypeVar("Found")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Body = list[ast.stmt]


def tree_of(frame: Any) -> ast.Module | None:
    """The text of the file or the cell that a frame runs."""
    file = frame.f_code.co_filename
    return parsed(linecache.getlines(file, frame.f_globals), file)


def function_of(tree: ast.Module, code: CodeType) -> (
        ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | None):
    """The function that this code was compiled from; of several lambdas in one line, none."""
    if code.co_name == "<lambda>":
        found = [node for node in functions_in(tree) if isinstance(node, ast.Lambda)
                 and node.lineno == code.co_firstlineno]
        return found[0] if len(found) == 1 else None
    named = [node for node in functions_in(tree)
             if isinstance(node, FUNCTIONS) and node.name == code.co_name]
    return next((node for node in named if code.co_firstlineno in (
        node.lineno, *(one.lineno for one in node.decorator_list))), None)


_trees: dict[str, tuple[list[str], ast.Module | None]] = {}  # file -> its lines, and what they say


def parsed(lines: list[str], file: str = "") -> ast.Module | None:
    """The text as a tree whose parts know their file."""
    if _trees.get(file, (None,))[0] is lines:
        return _trees[file][1]
    try:
        tree = ast.parse("".join(lines)) if lines else None
    except (SyntaxError, ValueError):
        return None
    for part in parts_of(tree) if tree else ():
        vars(part)["file"] = file
        for inner in ast.iter_child_nodes(part):
            vars(inner)["parent"] = part
    _trees[file] = lines, tree
    return tree


def read_once(look: Callable[[Part], Found]) -> Callable[[Part], Found]:
    """Decorate a question about a part of the text, which keeps the answer.

    Each watched step asks the same of the same text. An answer must not be changed.
    """
    @wraps(look)
    def known(part: Part) -> Found:
        answers = {} if part is None else vars(part)
        if look.__name__ not in answers:
            answers[look.__name__] = look(part)
        found: Found = answers[look.__name__]
        return found

    return known


def read_once_of_body(look: Callable[[Body, str], Found]) -> Callable[..., Found]:
    """Decorate the same about a block of statements in a mode: the first of them keeps the answer.
    """
    @wraps(look)
    def known(body: Body, mode: str = "") -> Found:
        key, answers = f"{look.__name__} {mode}", vars(body[0]) if body else {}
        if key not in answers:
            answers[key] = look(body, mode)
        found: Found = answers[key]
        return found

    return known


@read_once
def parts_of(part: ast.AST) -> list[ast.AST]:
    """What `ast.walk` gives."""
    return list(ast.walk(part))


@read_once
def functions_in(tree: ast.Module) -> list[Any]:
    """All functions and lambdas of a text."""
    return [part for part in parts_of(tree) if isinstance(part, (*FUNCTIONS, ast.Lambda))]


def text_of_cell(name: str) -> ast.Module | None:
    """The text of a cell of the notebook, as a tree; None if it can't be read."""
    return parsed(linecache.getlines(name), name)


def last_name(part: ast.AST) -> str:
    """`f` of `f` and of `a.f`; "" of other expressions."""
    return getattr(part, "attr", getattr(part, "id", ""))
