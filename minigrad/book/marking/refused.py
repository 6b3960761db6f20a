"""The cells of a submission that are not run: what they use, no answer needs, and it could tell or forge one.

How a learner computes an answer is their own business, but they may not ask the book, which knows it.
"""
from __future__ import annotations

import ast
from collections.abc import Iterator

BOOK = "minigrad.book"
FORBIDDEN = {"__globals__", "__builtins__", "__code__", "__closure__", "__import__", "__subclasses__",
             "__loader__", "_getframe", "_current_frames", "sys.modules"}
MODULES = {"importlib", "gc", "ctypes", "runpy", "pkgutil", "nbgrader"}


def refused(source: str) -> str:
    """What a cell uses that no answer needs; an empty text: nothing."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""  # it won't run either
    return next((name for node in ast.walk(tree) for name in used(node)), "")


def used(node: ast.AST) -> Iterator[str]:
    """The forbidden names in one part of a program."""
    from .. import __all__ as helpers
    allowed = {f"{BOOK}.{name}" for name in ("*", *helpers)} | {f"{BOOK}.grading.assignment"}
    imported, named = [], ""
    if isinstance(node, ast.Import):
        imported = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        imported = [f"{node.module}.{alias.name}" for alias in node.names]
    elif isinstance(node, ast.Attribute):
        named = BOOK if node.attr == "book" else node.attr
        named = "sys.modules" if ast.unparse(node) == "sys.modules" else named
    elif isinstance(node, ast.Name):
        named = node.id
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        named = BOOK if BOOK in node.value.replace("/", ".") else node.value
    yield from (name for name in imported if name not in allowed and name.startswith(BOOK)
                or name.partition(".")[0] in MODULES)
    if named == BOOK or named in FORBIDDEN:
        yield named
