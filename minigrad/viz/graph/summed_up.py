"""Whether a table of pairs, as of each prediction with each target, is added up into one number."""
from __future__ import annotations

from collections.abc import Container
from typing import Any

from .facts import is_tensor, shape_of
from .kept import saved_by, stem_of
from .walk import shapes_of

COMPARED = ("MseLoss", "L1Loss", "SmoothL1Loss", "HuberLoss")  # losses that subtract a target
REDUCING = ("Mean", "Sum", "Abs", "Pow", "Mul", "Div", "Neg", "Sqrt", "Log", "Cosh", "Logcosh",
            "Add", "Clamp", "Relu", "Sub", "Rsub", "Square", "ClampMin", "ClampMax", "Where",
            "Minimum", "Maximum", *COMPARED)


def is_summed_up(node: Any, users: dict[int, list[Any]], made: tuple[int, ...]) -> bool:
    """Whether all that is computed from a square ends in sums or means, without other squares.

    Several operations may take it, as those of a loss that is written with abs() and where().
    """
    inside, waiting, ends = {id(node): node}, [node], set[int]()
    while waiting:
        later = users.get(id(waiting.pop()), [])
        if not later or any(stem_of(one.name()) not in REDUCING for one in later):
            return False
        for one in {id(one): one for one in later if id(one) not in inside}.values():
            inside[id(one)] = one
            if (shapes_of(one) or [made])[0] == ():
                ends.add(id(one))
            else:
                waiting.append(one)
    return bool(ends) and not any(
        _meets_square(one, inside, made) for one in inside.values() if one is not node)


def _meets_square(node: Any, inside: Container[int], made: tuple[int, ...]) -> bool:
    """Whether an operation also takes another square, as of pairs that are meant."""
    found = [shape for one, nr in node.next_functions if one is not None and id(one) not in inside
             for shape in shapes_of(one)[nr:nr + 1]]
    if stem_of(node.name()) in ("Mul", "Div"):
        found += [shape_of(row.value) for row in saved_by(node) if row.state == "kept"
                  and is_tensor(row.value) and not row.value.requires_grad]
    return made in found
