"""Notices that an answer was printed in place of being stored: `answer_2b = print(w)` stores None."""
from __future__ import annotations

import ast

from ...viz.program.where_it_runs import shell


def was_printed(key: str) -> bool:
    """Whether the last cell of this notebook that answers an exercise gives it what `print` returns."""
    cells = getattr(shell(), "user_ns", {}).get("In", [])
    name = f"answer_{key}"
    given = [statement.value for cell in cells if isinstance(cell, str) and name in cell
             for statement in ast.walk(parsed(cell)) if isinstance(statement, ast.Assign)
             if any(isinstance(target, ast.Name) and target.id == name for target in statement.targets)]
    last = given[-1] if given else None
    return isinstance(last, ast.Call) and isinstance(last.func, ast.Name) and last.func.id == "print"


def parsed(cell: str) -> ast.Module:
    try:
        return ast.parse(cell)
    except SyntaxError:     # a cell of IPython's own commands
        return ast.Module([], [])
