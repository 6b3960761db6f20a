"""Actor and critic in one graph: a log-probability times what a critic's loss trains as well."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .kept import stem_of
from .summed_up import COMPARED
from .walk import is_accumulate

# which hand on the numbers of each row: ratios, advantages, and their normalisation
HANDING = ("View", "UnsafeView", "ReshapeAlias", "Squeeze", "Unsqueeze", "Clone", "Expand",
           "Select", "Slice", "Add", "Sub", "Rsub", "Mul", "Div", "Neg",
           "Exp", "Clamp", "Sum", "Mean", "Std", "Stack", "Cat")
CHOSEN = ("Gather", "NllLoss", "BinaryCrossEntropyWithLogits")


def advantages(nodes: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """(the product, what made the values) where a log-probability is multiplied by a difference.

    The difference is that of values which a loss compares with their targets, so that they have a
    loss of their own; nothing of the log-probability is in it, as in a focal loss.
    """
    values = {id(one): one for node in nodes for one in _compared(node)}
    for node in nodes if values else ():
        given = [one for one, _ in node.next_functions if one is not None]
        if stem_of(node.name()) != "Mul" or len(given) != 2:
            continue
        for policy, factor in (given, given[::-1]):
            chosen, behind = _reached(policy), _reached(factor)
            actors = [one for one in chosen.values() if _is_log_probability(one)]
            value = next((one for at, one in values.items() if at in behind), None)
            if actors and value is not None and id(value) not in chosen and not any(
                    id(one) in behind for one in actors) and any(
                    stem_of(one.name()) in ("Sub", "Rsub") for one in behind.values()):
                yield node, value


def _compared(node: Any) -> list[Any]:
    """What made the values that a loss compares with a constant target."""
    before = node.next_functions[0][0] if node.next_functions else None
    stem = stem_of(node.name())
    if before is None or stem not in COMPARED and not (
            stem == "Pow" and stem_of(before.name()) in ("Sub", "Rsub")):
        return []
    return [one for one in _reached(before).values()
            if stem_of(one.name()) not in HANDING and not is_accumulate(one)]


def _is_log_probability(node: Any) -> bool:
    """Whether it took a chosen class's, or is the square in the density of Normal.log_prob()."""
    if (stem := stem_of(node.name())) in CHOSEN:
        return True
    before = node.next_functions[0][0] if node.next_functions else None
    if before is None or stem != "Div" or stem_of(before.name()) != "Neg":
        return False
    return stem_of(getattr(before.next_functions[0][0], "name", str)()) == "Pow"


def _reached(node: Any) -> dict[int, Any]:
    """The nodes behind one, by id, up to those that do more than hand numbers on."""
    found, waiting = dict[int, Any](), [node]
    while waiting:
        node = waiting.pop()
        if id(node) not in found:
            found[id(node)] = node
            if stem_of(node.name()) in HANDING:
                waiting += [one for one, _ in node.next_functions if one is not None]
    return found
