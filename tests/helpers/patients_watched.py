"""Asks `why` and `watch` about a patient: the loop runs under a watch, and `why(model)` follows the script.

The script keeps its lines and their numbers; a line that an answer names is a line of the patient.
"""
from __future__ import annotations

import ast
import contextlib
import io
import linecache
import re
import warnings

from minigrad.book.patients.backend import for_minigrad

LINE = re.compile(r"patient\.py:(\d+)|[Ll]ines? (\d+)")


def trains(node: ast.AST, functions: dict[str, ast.FunctionDef]) -> bool:
    """Whether a statement runs a backward pass, itself or in a function of the script."""
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and part.attr == "backward":
            return True
        if isinstance(part, ast.Name) and part.id in functions and trains(
                ast.Module(functions[part.id].body, []), functions):
            return True
    return False


def watched(source: str) -> ast.Module:
    """Return the script with its training loop inside `with watch(model, optimizer) as run:`."""
    tree = ast.parse(source)
    functions = {one.name: one for one in tree.body if isinstance(one, ast.FunctionDef)}
    at = next(at for at, one in enumerate(tree.body) if isinstance(one, ast.For) and trains(one, functions))
    loop = tree.body[at]
    names = [target.id for one in tree.body[:at] if isinstance(one, ast.Assign) for target in one.targets
             if isinstance(target, ast.Name) and "optim." in ast.unparse(one.value)
             and "lr_scheduler" not in ast.unparse(one.value)]
    given = ", ".join(["model", *(names[:1] if len(names) == 1 else [f"[{', '.join(names)}]"] if names else [])])
    held = ast.parse(f"with watch({given}) as run:\n    pass").body[0]
    for part in ast.walk(held):
        if hasattr(part, "lineno"):
            part.lineno = part.end_lineno = loop.lineno
    held.body = [loop]
    tree.body[at] = held
    return tree


def asked(source: str, library: str = "minigrad") -> dict[str, str]:
    """Return what `why(model)` and the page of the run say, and the error of a question that fails."""
    from minigrad.viz import watch, why
    text = for_minigrad(source) if library == "minigrad" else source
    path = "/patients/patient.py"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    names = {"__name__": "__main__", "__file__": path, "watch": watch, "why": why}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        exec(compile(watched(text), path, "exec"), names)
        return {"why": str(eval(compile("why(model)", path, "eval"), names)), "watch": str(names["run"])}


def lines_named(answer: str) -> set[int]:
    """Return the numbers of the lines that an answer names."""
    return {int(one or other) for one, other in LINE.findall(answer)}
