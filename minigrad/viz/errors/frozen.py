"""For a result without a history: the frozen parameters of the models that it was computed with."""
from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from ..drawing.explanation import Fix
from ..drawing.text_twin import listed
from ..faults.copies import one_module
from ..faults.cut import MEMORY
from ..faults.evidence import Case
from ..graph.modules import members
from ..program.entered import models_of
from ..program.lines import freezes, line_words
from ..program.node_lines import line_of
from ..program.ran import may_have_run
from ..program.statements import simple_statements
from ..program.stored import Assigned
from ..program.trail import Trail
from .scene import Scene

MOST = 3  # names or lines in one sentence


def frozen(scene: Scene, name: str, starts: list[Assigned]) -> tuple[str, list[Fix]] | None:
    """Says which parameters are frozen and which play no part, if a model computed the result."""
    for model in called_models(scene, starts):
        path = next((key for key, one in scene.names.models if one is model), "the model")
        rows = [(scene.names.of(one) or key, one) for key, one in members(model)
                if type(one).__name__ == "Parameter"]
        still = [key for key, one in rows if not one.requires_grad]
        learning = [key for key, one in rows if one.requires_grad]
        if not still:
            continue
        words = f"{name} was computed with {path}, and requires_grad of {still[0]} is False"
        if len(rows) > 1:
            which = f"{len(still)} of the {len(rows)} parameters" if learning else "every parameter"
            words += f", as it is of {which} of {path}"
        if learning:
            named = listed(learning[:MOST]) if len(learning) <= MOST else (
                f"{learning[0]} and {len(learning) - 1} more")
            words += (f"; from {named}, which require a gradient, no recorded operation leads "
                      f"to {name}")
        lines = dict.fromkeys(line_words(line_of(one)) for one in freezing(scene))
        where = f" It is set to False in {' and '.join(lines)}." * (0 < len(lines) <= MOST)
        fix = Fix(f"Let a leaf require a gradient that {name} is computed from, such as a "
                  f"parameter of {path}: `parameter.requires_grad_()` before the forward pass.",
                  MEMORY)
        one = next(one for _, one in rows if not one.requires_grad)
        shared = one_module(Case(one, scene.names))
        also = f" {shared.sentence}" if shared else ""
        return f"{words}.{where}{also}", list(shared.fixes) if shared else [fix]
    return None


def called_models(scene: Scene, starts: list[Assigned]) -> Iterator[Any]:
    """The models that the text calls on the way to the result, the outermost first."""
    for trail, _, origin in Trail(scene.program).reached(starts):
        for part in ast.walk(origin.expression):
            if isinstance(part, ast.Call):
                yield from models_of(part, trail.program)


def freezing(scene: Scene) -> Iterator[ast.stmt]:
    """The statements in the visible text that may have run and set requires_grad to False."""
    return (one for program in scene.programs for body, _, _ in program.scopes
            for one in simple_statements(body)
            if (freezes(one) or freezes(getattr(one, "value", None)))
            and may_have_run(program, one))
