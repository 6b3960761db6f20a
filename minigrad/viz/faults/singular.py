"""For `why`: operations without a finite slope or value at the numbers that they took.

Where these are gone, those are named that may have met such a number.
"""
from __future__ import annotations

import math
from typing import Any

from ..drawing.explanation import Fix
from ..graph.facts import is_tensor
from ..graph.kept import signed, stem_of
from ..graph.norms import numbers
from ..graph.walk import shapes_of
from ..watching.not_finite import MASKS
from .answer import Answer
from .edges import EDGES, OVER, SOFTMAX, edge_fixes, has_edge
from .evidence import Case

MASKED = Fix("Mask with -1e9 in place of -inf.", "a row that is masked entirely gets equal weights")
MOST = 3  # with more of them none is named
CERTAIN = (*OVER, "LayerNorm", "Exp")  # named where it is known that they did it, and else not


def is_bad(case: Case, tensor: Any) -> bool:
    found = case.common.numbers(tensor)
    return bool(found and found.nans + found.infinite)


def count(true: Any) -> int:
    """How many elements of a tensor of booleans are True."""
    return int(true.sum())


# --- NaN and infinity

def candidates(case: Case, nodes: list[Any] | None = None) -> tuple[str, list[Any]]:
    """Return a sentence about operations that may have made a NaN, and those; or ("", []).

    Args:
        case: what is known of the tensor.
        nodes: the nodes to look at; None takes those behind the result.
    """
    nodes = case.behind if nodes is None else nodes
    found = [node for node in nodes if _may_be(case, node)]
    told = {f"from {case.named(node)}, which {EDGES[stem_of(node.name())].words}": None
            for node in found}
    if not 0 < len(told) <= MOST:
        return "", []
    return f"It can come {', or '.join(told)}.", found


def _may_be(case: Case, node: Any) -> bool:
    kind = stem_of(node.name())
    if kind in CERTAIN or not has_edge(kind, case.kept(node).get("exponent")):
        return False
    if kind in SOFTMAX:
        before = node.next_functions[0][0]
        return before is not None and stem_of(before.name()) in MASKS
    at = EDGES[kind].at
    if at < len(node.next_functions) and node.next_functions[at][0] is None:
        return False  # a constant, whose value is known or no fault of the network
    value = case.taken(node, at)
    known = numbers(value) if is_tensor(value) else None
    return known is None or known.norm is None or any(
        bool(bad(value.detach()).any()) for _, bad in EDGES[kind].limits)


def singular(case: Case, node: Any) -> Answer | None:
    """Whether an operation has no finite slope at a value that it took or made."""
    kind = stem_of(node.name())
    if kind in SOFTMAX:
        return _masked(case, node)
    if kind not in EDGES or not has_edge(kind, case.kept(node).get("exponent")):
        return None
    if kind in OVER:
        return _over_one(case, node)
    if kind == "LinalgEigh":
        return _equal_eigenvalues(case, node)
    divides = kind in ("Div", "Reciprocal")
    which, value = "divisor" if divides else "input", case.taken(node, EDGES[kind].at)
    if value is None and kind == "Sqrt":
        which, value = "result", case.made(node)
    if value is None or (found := case.common.numbers(value)) is None or found.norm is None:
        return None
    for says, at in EDGES[kind].limits:  # where a number is NaN, another operation made it so
        if bad := count(at(value.detach())):
            return Answer("nan", f"{case.named(node)} has no finite {says.format(which)}, as "
                          f"{bad} of its {found.size} numbers {'is' if bad == 1 else 'are'}.",
                          edge_fixes(case, node), [node])
    return None


def _over_one(case: Case, node: Any) -> Answer | None:
    """A spread of so few numbers that it divides by 0."""
    before, nr = node.next_functions[0]
    shapes, kept = shapes_of(before) if before is not None else [], case.kept(node)
    if nr >= len(shapes):
        return None
    dims, correction = kept.get("dim"), kept.get("correction", 1)
    over = shapes[nr] if not dims else [shapes[nr][signed(dim)] for dim in dims]
    size = math.prod(over)
    if not 0 < size <= correction:
        return None
    taken = "a single number" if size == 1 else f"{size} numbers"
    return Answer("nan", f"{case.named(node)} is taken over {taken}, and divides by "
                  f"{size} - {correction}.", edge_fixes(case, node), [node])


def _equal_eigenvalues(case: Case, node: Any) -> Answer | None:
    values = [one for nr, (_, one) in case.names.outputs(node).items() if nr == 0]
    found = case.common.numbers(values[0]) if values else None
    if found is None or found.norm is None or found.nans + found.infinite:
        return None
    first, *rest = values[0].detach().unbind(-1)
    for one in rest:
        if count(first == one):
            return Answer("nan", f"{case.named(node)} has no finite slope where two eigenvalues "
                          "are equal, as they are here.", [], [node])
        first = one
    return None


def _masked(case: Case, node: Any) -> Answer | None:
    value, dim = case.taken(node), case.dim(node)
    if not is_tensor(value) or dim is None or not is_bad(case, value):
        return None
    rows = count((value.detach() == -float("inf")).all(dim))
    return Answer("nan",
                  f"{case.named(node)} is taken over {rows} row{'s' * (rows > 1)} in which every "
                  "number is -inf, so that nothing is left to divide by.", [MASKED],
                  [node]) if rows else None
