"""The text of files and cells as trees, whose parts know their file and what contains them."""
import ast
import linecache
from types import CodeType
from typing import Any

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


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


def functions_in(tree: ast.Module) -> list[Any]:
    """All functions and lambdas of a text that `parsed` has read."""
    found: list[Any] = vars(tree)["functions"]
    return found


_trees: dict[str, tuple[list[str], ast.Module | None]] = {}  # file -> its lines, and what they say


def parsed(lines: list[str], file: str = "") -> ast.Module | None:
    """The text as a tree whose parts know their file."""
    if _trees.get(file, (None,))[0] is lines:
        return _trees[file][1]
    try:
        tree = ast.parse("".join(lines)) if lines else None
    except (SyntaxError, ValueError):
        return None
    parts = list(ast.walk(tree)) if tree else []
    if tree:
        kinds = (*FUNCTIONS, ast.Lambda)
        vars(tree)["functions"] = [part for part in parts if isinstance(part, kinds)]
    for part in parts:
        vars(part)["file"] = file
        for inner in ast.iter_child_nodes(part):
            vars(inner)["parent"] = part
    _trees[file] = lines, tree
    return tree


def text_of_cell(name: str) -> ast.Module | None:
    """The text of a cell of the notebook, as a tree; None if it can't be read."""
    return parsed(linecache.getlines(name), name)


def parts_of(part: ast.AST) -> list[ast.AST]:
    """What `ast.walk` gives, walked once: each watched step asks about the same text."""
    known: list[ast.AST] | None = vars(part).get("parts")
    if known is None:
        known = vars(part)["parts"] = list(ast.walk(part))
    return known


def last_name(part: ast.AST) -> str:
    """`f` of `f` and of `a.f`; "" of other expressions."""
    return getattr(part, "attr", getattr(part, "id", ""))
