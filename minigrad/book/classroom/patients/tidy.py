"""Finds what nobody would have written: names that nothing reads, lists that are only filled, lines twice."""
from __future__ import annotations

import ast
from collections import Counter


def unused(text: str) -> list[str]:
    """Return the names and attributes that a script makes and never reads, but for those of loops.

        unused("size = 3")                             # ["size"]
        unused("curve = []; curve.append(3)")          # ["curve"]
    """
    tree = ast.parse(text)
    made, read = Counter[str](), Counter[str]()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Name, ast.Attribute)):
            name = node.id if isinstance(node, ast.Name) else f".{node.attr}"
            (made if isinstance(node.ctx, ast.Store) else read)[name] += 1
        elif isinstance(node, ast.alias):
            made[(node.asname or node.name).split(".")[0]] += 1
        if isinstance(node, (ast.For, ast.comprehension)):
            read.update(one.id for one in ast.walk(node.target) if isinstance(one, ast.Name))
        if (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
                and isinstance(node.value.func, ast.Attribute) and node.value.func.attr == "append"
                and isinstance(node.value.func.value, ast.Name)):
            read[node.value.func.value.id] -= 1     # filling a list doesn't read it
    return sorted(name for name in made if read[name] < 1)


def repeated(text: str) -> list[str]:
    """Return the lines that a script has twice where one is meant."""
    counts = Counter(line.strip() for line in text.splitlines())
    return sorted(line for line, count in counts.items() if count > 1 and (
        "zero_grad()" in line or "self." in line or line.startswith("print(")))
