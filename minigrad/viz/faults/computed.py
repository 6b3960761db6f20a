"""For `why`: weights of a module that were computed from a Parameter, and are none."""
from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

from ..drawing.explanation import Fix
from ..graph.facts import can_be_read, is_tensor
from ..graph.modules import inner_modules, joined
from ..graph.walk import in_forward_order, leaves_of
from ..program.node_lines import Line, line_of
from .answer import Answer, place
from .evidence import Case
from .made import assignment, imported

MOST = 4  # nodes; a result that a module keeps has more behind it, or the model's own parameters


def computed_weights(model: Any, cases: Sequence[Case]) -> Iterator[Answer]:
    """Attributes such as `nn.Parameter(...) * 0.1`: a model counts neither them nor their leaf."""
    own = {id(case.tensor) for case in cases}
    for path, module in inner_modules(model).items() if cases else ():
        for name, value in vars(module).items():
            if not is_tensor(value) or not can_be_read(value) or value.grad_fn is None:
                continue
            nodes = in_forward_order([value.grad_fn])
            behind = leaves_of(nodes) if len(nodes) <= MOST else []
            if not behind or any(type(one).__name__ != "Parameter" or id(one) in own
                                 for one in behind):
                continue
            line = assignment(cases[0], type(module), name)
            if line is None or not in_init(cases[0], type(module), line):
                continue  # it may be a result that forward() keeps
            root = next((root for root, one in cases[0].names.models if one is model), "")
            yield Answer("not registered", f"{joined(root, path, name)}{place(line)} is what "
                         f"{value.grad_fn.name()} computed from an nn.Parameter, and is none "
                         f"itself. So the parameters of {root or 'the model'} include neither of "
                         "the two.",
                         [Fix(f"Compute first, and write `self.{name} = nn.Parameter(...)` around "
                              "the whole expression.", "none")], [value], line=line)


def in_init(case: Case, kind: type, line: Line) -> bool:
    """Whether a line is in the __init__() of a class."""
    return any(line_of(part).filename == line.filename
               and part.lineno <= line.line <= (part.end_lineno or 0)
               for part in [*case.program.parts, *imported(kind)]
               if isinstance(part, ast.FunctionDef) and part.name == "__init__")
