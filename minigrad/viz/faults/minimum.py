"""For `why`: a loss of 0 that can't become less, such as one of hinges that are all satisfied."""
from __future__ import annotations

from typing import Any

from ..graph.kept import stem_of
from .evidence import SHAPES, Case
from .recurrent import all_zero

LEAST = ("MseLoss", "L1Loss", "SmoothL1Loss", "HuberLoss", "NllLoss", "BinaryCrossEntropy",
         "Relu", "Abs", "Pow")


def least_of(case: Case) -> Any:
    """The operation, such as squares, that can't give less than the 0 of a loss; or None."""
    zero = case.result and all_zero(case, case.result[1])
    node = case.result[1].grad_fn if case.result and zero else None
    while node is not None and (stem_of(node.name()) in ("Mean", "Sum", "Index", *SHAPES) or (
            stem_of(node.name()) == "Div" and node.next_functions[-1][0] is None)):  # a constant
        node = node.next_functions[0][0]
    return node if node is not None and (stem_of(node.name()) in LEAST or stem_of(node.name()) in (
        "Clamp", "ClampMin") and case.kept(node).get("min") == 0) else None


def is_hinge(node: Any) -> bool:
    """Whether it takes a difference, or a sum with a constant: the margin of a loss."""
    before = node.next_functions[0][0]
    kind = "" if before is None else stem_of(before.name())
    return kind in ("Sub", "Rsub") or kind == "Add" and before.next_functions[-1][0] is None
