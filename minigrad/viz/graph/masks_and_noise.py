"""Scores that were multiplied by a mask, and noise that was multiplied by a variance."""
from __future__ import annotations

from typing import Any

from .facts import is_tensor
from .kept import saved_by, stem_of
from .walk import is_accumulate

MADE = {"Softmax": "and weighs as much as any other score of 0", "Sigmoid": "of which it makes 0.5"}
CHOOSING = ("Where", "MaskedFill", "MaskedSelect", "Index")
SUMS = ("Add", "Sub", "Rsub", "Neg")


def masked(node: Any, users: dict[int, list[Any]]) -> str:
    """What softmax or sigmoid does with scores that a mask made 0, unless it comes again; or ""."""
    product = node.next_functions[0][0] if stem_of(node.name()) in MADE else None
    takers = users.get(id(node), ())
    if product is None or not _is_mask(_factor(product)) or takers and all(
            stem_of(one.name()) in CHOOSING or _is_mask(_factor(one)) for one in takers):
        return ""
    return ("takes scores that were multiplied by a mask of zeros and ones: where that is 0, a "
            f"score is 0, {MADE[stem_of(node.name())]}")


def _factor(node: Any) -> Any:
    """The constant by which an operation multiplies what was computed, or None."""
    computed = [one for one, _ in node.next_functions if one is not None]
    if stem_of(node.name()) != "Mul" or len(computed) != 1 or is_accumulate(computed[0]):
        return None
    return next((row.value for row in saved_by(node) if row.state == "kept"
                 and is_tensor(row.value) and not row.value.requires_grad), None)


def _is_mask(value: Any) -> bool:
    return value is not None and value.numel() > 1 and bool(
        ((value == 0) | (value == 1)).all() and (value == 0).any() and (value == 1).any())


def variance(node: Any, users: dict[int, list[Any]]) -> Any:
    """The exp() in a divergence of what an exp() that multiplies noise takes, too; or None.

    The divergence adds x and exp(x), which is the variance. Then the deviation is exp(x / 2).
    """
    before, nr = node.next_functions[0] if stem_of(node.name()) == "Exp" else (None, 0)
    noise = [value for user in users.get(id(node), ()) if (value := _factor(user)) is not None]
    if before is None or not any(bool((one < 0).any() and (one > 0).any()) for one in noise):
        return None
    others = [one for one in users.get(id(before), ()) if one is not node
              and stem_of(one.name()) == "Exp" and one.next_functions[0] == (before, nr)]
    return next((one for one in others if _sums(one, users) & _sums(before, users)), None)


def _sums(node: Any, users: dict[int, list[Any]]) -> set[int]:
    """The operations that a result goes into as a summand."""
    found = [one for one in users.get(id(node), ()) if stem_of(one.name()) in SUMS]
    return {id(one) for one in found}.union(*(_sums(one, users) for one in found))
