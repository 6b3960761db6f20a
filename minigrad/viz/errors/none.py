"""A line that uses a `.grad` which is None."""
from __future__ import annotations

import ast
from typing import Any

from ..drawing.explanation import Fix
from ..faults.why import why_none
from ..graph.facts import is_tensor
from .lost_history import ENDS, is_step
from .scene import Scene
from .table import Told, cause


@cause(
    "a missing gradient was used",
    "'NoneType' object has no attribute "
    "'(?:zero_|data|mul_|add_|norm|clone|detach|requires_grad_|item|shape)'",
    r"unsupported operand type\(s\) for .*'NoneType'",
)
def used_none(scene: Scene, match: Any) -> Told:
    empty = [text for text, value in scene.expressions if value is None]
    owners = [(text, value) for text, value in scene.expressions
              if is_tensor(value) and f"{text}.grad" in empty]
    for one in filter(None, map(scene.program.assigned, filter(str.isidentifier, empty))):
        made = one.expression
        if isinstance(made, ast.Attribute) and made.attr == "grad" and is_tensor(
                of := scene.program.value(made.value)):  # `g = w.grad`, and then g
            owners.append((ast.unparse(made.value), of))
    if not owners:
        return Told([f"{scene.here} uses a value that is None.",
                     "No tensor in this line has an empty .grad, as far as its text shows."], [],
                    show=[])
    name, tensor = owners[0]
    why, fixes, guilty, show = why_none(tensor, scene.names)
    # it was made anew
    older = any(is_tensor(one) and one is not tensor and one.is_leaf for one in guilty)
    is_first = tensor.is_leaf and tensor.requires_grad and not older  # no step has replaced it
    steps = [one for one in scene.program._places(name) if one and is_step(name, one)]
    if not is_first and steps:
        end, *fix = (words.format(name) for words in ENDS["step"])
        made = steps[-1].expression
        why, fixes = [f"{end}: the program assigns a new tensor to {name}."], [Fix(*fix), *[Fix(
            f"Make the new one a leaf: `{name} = ({ast.unparse(made)}).detach().requires_grad_()`.",
            f"an optimizer that was given the old {name} doesn't change the new one")] * (
                made.lineno == scene.line)]
    elif "'zero_'" in match[0] and is_first:
        fixes = [Fix(f"Ask first, as no pass has filled it yet: `if {name}.grad is not None:`.",
                     "none"),
                 Fix(f"Set `{name}.grad = None` instead, which works before the first pass, too.",
                     "code that reads the gradient has to expect None")]
    return Told([f"{scene.here} uses {name}.grad, which is None.", " ".join(why)], fixes, [tensor],
                show)
