"""Where a custom Function returns its gradients."""
from __future__ import annotations

import ast
import inspect
from types import FunctionType
from typing import Any

from .entered import is_library
from .lines import line_words
from .parsed import function_of
from .places import Line, line_of
from .source import Entered, tree_of
from .statements import simple_statements

MOST = 3  # lines in one sentence


def backward_of(node: Any) -> Any:
    """The text of the backward of the Function that made a node; None where that isn't known."""
    kind = getattr(type(node), "_forward_cls", None)
    method = inspect.getattr_static(kind, "backward", None) if kind is not None else None
    method = getattr(method, "__func__", method)
    if not isinstance(method, FunctionType):
        return None
    method = inspect.unwrap(method)
    if is_library(method):
        return None
    tree = tree_of(Entered(method.__code__, method.__globals__, {}))
    return None if tree is None else function_of(tree, method.__code__)


def returns_of(node: Any) -> list[Line]:
    """The lines in which the backward of a Function returns."""
    text = backward_of(node)
    return [line_of(one) for one in simple_statements(text.body if text is not None else [])
            if isinstance(one, ast.Return)]


def where_it_returns(node: Any) -> str:
    """A sentence about the lines in which the backward of a Function returns, or ""."""
    text, lines = backward_of(node), [line_words(one) for one in returns_of(node)]
    if text is not None and not lines:
        last = line_words(line_of(text.body[-1]))
        return f"Its backward has no return; it ends in {last}."
    return f"Its backward returns in {' and '.join(lines)}." if 0 < len(lines) <= MOST else ""
