"""The words of a program that hand on a value without its history, as they stand in an expression."""
from __future__ import annotations

import ast
from collections.abc import Iterator

SCISSORS = {"detach": "detach()", "detach_": "detach_()", "item": ".item()", "tolist": ".tolist()",
            "numpy": ".numpy()"}  # methods that hand out the value alone
COPIES = {"tensor": "torch.tensor()", "as_tensor": "torch.as_tensor()", "float": "float()", "int": "int()",
          "from_numpy": "from_numpy()"}  # functions that do
WHOLE = ("argmax", "argmin", "argsort", "long", "nonzero", "multinomial")  # methods and functions
APART = ("shape", "size", "dim", "ndim", "numel", "dtype", "device", "stride", "len", "type", "isinstance",
         "grad", "grad_fn", "zeros", "ones", "empty", "eye", "rand", "randn", "arange")  # none of its values


def parts(part: ast.AST, word: str = "") -> Iterator[tuple[ast.expr, str]]:
    """The names and calls whose values go into an expression, each with the first cut on its way."""
    if isinstance(part, (ast.Name, ast.Attribute)):
        if isinstance(part, ast.Attribute):
            if part.attr in APART:
                return
            word = ".data" if part.attr == "data" else word
        yield part, word
    elif isinstance(part, ast.Compare):
        word = "booleans"
    elif isinstance(part, ast.Call):
        function = part.func
        name = getattr(function, "attr", getattr(function, "id", ""))
        if name in APART or name.endswith("_like") or name.startswith("new_"):
            return
        method = isinstance(function, ast.Attribute)
        if name in WHOLE or method and name in ("int", "bool"):
            word = "integers"
        elif method and name in SCISSORS and not part.args:
            word = SCISSORS[name]
        elif name in COPIES and part.args:
            word = COPIES[name]
        yield part, word
    elif isinstance(part, (ast.ListComp, ast.GeneratorExp)):
        loops = {name: loop.iter for loop in part.generators for name in _words(loop.target)}
        for inner, its in parts(part.elt, word):
            if isinstance(inner, ast.Name) and inner.id in loops:
                yield from parts(loops[inner.id], its)
            elif not loops.keys() & _words(inner):
                yield inner, its
        return
    for child in ast.iter_child_nodes(part):
        yield from parts(child, word)


def _words(part: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(part) if isinstance(one, ast.Name)}
