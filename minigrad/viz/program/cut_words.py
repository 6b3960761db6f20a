"""Which parts of an expression pass a value on without its history: `x.detach()`, `float(x)`."""
from __future__ import annotations

import ast
from collections.abc import Iterator

from .parsed import last_name, read_once

SCISSORS = {"detach": "detach()", "detach_": "detach_()", "item": ".item()", "tolist": ".tolist()",
            "numpy": ".numpy()", "sample": "sample()"}  # methods that hand out the value alone
COPIES = {"tensor": "torch.tensor()", "as_tensor": "torch.as_tensor()", "float": "float()",
          "int": "int()", "from_numpy": "from_numpy()"}  # functions that do
LOSING = (*SCISSORS.values(), *COPIES.values(), ".data")
WHOLE = ("argmax", "argmin", "argsort", "long", "nonzero", "multinomial")  # methods and functions
COMPARISONS = ("eq", "ne", "gt", "lt", "ge", "le")
APART = ("shape", "size", "dim", "ndim", "numel", "dtype", "device", "stride", "len", "type",
         "isinstance",
         # none of its values
         "grad", "grad_fn", "zeros", "ones", "empty", "eye", "rand", "randn", "arange")


@read_once
def parts(part: ast.AST) -> list[tuple[ast.expr, str]]:
    """The names and calls whose values go into an expression, each with its first cut."""
    return list(_parts(part, ""))


def _parts(part: ast.AST, word: str) -> Iterator[tuple[ast.expr, str]]:
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
        name = last_name(function)
        if name in APART or name.endswith("_like") or name.startswith("new_"):
            return
        method = isinstance(function, ast.Attribute)
        if name in WHOLE or method and name in ("int", "bool"):
            word = "integers"
        elif method and name in COMPARISONS:
            word = "booleans"
        elif method and name in SCISSORS and not part.args:
            word = SCISSORS[name]
        elif name in COPIES and part.args:
            word = COPIES[name]
        yield part, word
    elif isinstance(part, (ast.ListComp, ast.GeneratorExp)):  # the names inside are its own
        own = {one.id for loop in part.generators for one in ast.walk(loop.target)
               if isinstance(one, ast.Name)}
        cuts = [cut for one, cut in _parts(part.elt, word) if getattr(one, "id", "") in own]
        inside = min(cuts, key=bool, default=word)  # a use without a cut passes the history on
        if any(loop.ifs for loop in part.generators):
            inside = word  # what is left out is not known
        for loop in part.generators:
            yield from _parts(loop.iter, inside)
        return
    for child in ast.iter_child_nodes(part):
        yield from _parts(child, word)
