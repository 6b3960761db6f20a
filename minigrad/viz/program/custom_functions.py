"""Custom Functions of the program: where one returns its gradients, which aren't checked."""
from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable
from functools import partial
from types import CodeType, FunctionType
from typing import Any

from .entered import is_library
from .lines import line_words, stored_in, targets_of
from .node_lines import Line, line_of
from .parsed import function_of, parts_of
from .program_text import Entered, tree_of
from .statements import simple_statements
from .where_it_runs import PACKAGE

MOST = 3  # lines in one sentence
WRITES = "which writes into the gradient that it is given"
NEVER_READS = "which never reads"


def backward_of(node: Any) -> Any:
    """The text of the backward of the Function that made a node; None where that isn't known."""
    kind = getattr(type(node), "_forward_cls", None)
    method = inspect.getattr_static(kind, "backward", None) if kind is not None else None
    method = getattr(method, "__func__", method)
    if not isinstance(method, FunctionType):
        return None
    method = inspect.unwrap(method)
    return None if is_library(method) else text_of(method.__code__)


def text_of(code: CodeType | None) -> Any:
    """The text that a function was compiled from; None where it isn't known."""
    tree = None if code is None else tree_of(Entered(code, {}, {}))
    return None if code is None or tree is None else function_of(tree, code)


def function_called(hook: Any) -> Any:
    """The function that runs: that of a method or of functools.partial, or an object's __call__."""
    while isinstance(hook, partial):
        hook = hook.func
    hook = getattr(hook, "__func__", hook)
    call = type(hook).__call__
    return hook if hasattr(hook, "__code__") else getattr(call, "__func__", call)


def returns_of(node: Any) -> list[Line]:
    """The lines in which the backward of a Function returns."""
    return returns_in(backward_of(node))


def returns_in(text: Any) -> list[Line]:
    """The lines in which a function returns; none of a lambda."""
    body = text.body if text is not None and not isinstance(text, ast.Lambda) else []
    return [line_of(one) for one in simple_statements(body) if isinstance(one, ast.Return)]


def where_it_returns(node: Any) -> str:
    """A sentence about the lines in which the backward of a Function returns, or ""."""
    text, lines = backward_of(node), [line_words(one) for one in returns_of(node)]
    if text is not None and not lines:
        last = line_words(line_of(text.body[-1]))
        return f"Its backward has no return; it ends in {last}."
    return f"Its backward returns in {' and '.join(lines)}." if 0 < len(lines) <= MOST else ""


def own_backward(node: Any) -> str:
    """`Swish.backward` if a Function of the program made a node, and what it never reads; or ""."""
    kind = getattr(type(node), "_forward_cls", None)
    if kind is None or kind.__module__.partition(".")[0] in ("torch", PACKAGE):
        return ""
    text, name = backward_of(node), f"{kind.__name__}.backward"
    given = [one.arg for one in text.args.args[1:]] if text is not None else []
    if not given or text is None or text.args.vararg or any(
            isinstance(part, ast.Name) and part.id in given for part in parts_of(text)):
        return name
    return f"{name} ({NEVER_READS} {' and '.join(given)})"


def written_in(node: Any) -> list[tuple[str, Line]]:
    """(variable, line) of each write in place to what the backward of a Function is given."""
    text, found = backward_of(node), []
    given = [text.args.vararg, *text.args.args[1:]] if text is not None else []
    names = {one.arg for one in given if one is not None}
    for part in simple_statements(text.body if text is not None else []):
        value = getattr(part, "value", None)
        value = value.value if isinstance(value, ast.Subscript) else value
        if isinstance(part, ast.Assign) and isinstance(value, ast.Name) and value.id in names:
            names |= stored_in(part)
        found += [(one.id, line_of(part)) for one in targets_of(part)
                  if isinstance(one, ast.Name) and one.id in names]
    return found


def unchecked_words(backwards: Iterable[str]) -> str:
    """A sentence about gradients that only the program knows, or ""."""
    known: dict[str, str] = {}
    for one in sorted(backwards, key=lambda one: WRITES in one):  # which is known only later
        known[one.partition(" ")[0]] = one
    names, several = list(known.values()), len(known) > 1
    if not names:
        return ""
    words = (f"What {' and '.join(names)} return{'s' * (not several)} was not checked, as "
             f"{'they are' if several else 'it is'} the program's own")
    first = next((one.partition(".")[0] for one in names if WRITES not in one), "")
    check = (f": `torch.autograd.gradcheck({first}.apply, inputs)` compares it with the slopes of "
             "its forward, for inputs of float64 that require a gradient")
    return f"{words}{check * bool(first)}."
