"""Says which of two numbers that scripts printed is better, and which difference counts."""
from __future__ import annotations

import math
from collections.abc import Mapping

SHARE, LOSS = 0.1, 0.002     # a loss is better if it is smaller by a tenth, and by this
ACCURACY = 0.02              # an accuracy is better if it is larger by this
LARGEST = 10                 # of a float32 above this, the fourth decimal may depend on the processor
CLOSE, SHARE_CLOSE = 0.0005, 0.01    # two right ways to mend a script may differ by this


def is_better(one: float, other: float, accuracy: bool) -> bool:
    """Whether the first number is measurably better than the second; NaN is worse than any number."""
    if math.isnan(one):
        return False
    if math.isnan(other):
        return True
    if accuracy:
        return one >= other + ACCURACY
    return one <= other - max(LOSS, SHARE * abs(other))


def is_same(one: float, other: float) -> bool:
    """Whether two numbers are the same, up to what two right ways to mend a script may differ by."""
    if math.isnan(one) or math.isnan(other):
        return math.isnan(one) and math.isnan(other)
    return abs(one - other) <= max(CLOSE, SHARE_CLOSE * abs(other))


def is_patient(numbers: Mapping[str, float], accuracy: bool) -> bool:
    """Whether every bug makes the number measurably worse, alone and beside the other bug.

    A script that diverges is no patient: with another order of the same sums it prints other digits.
    """
    healthy, ill = numbers["healthy"], numbers["ill"]
    mended = [number for name, number in numbers.items() if name not in ("healthy", "ill")]
    return (not any(number > LARGEST for number in numbers.values())
            and math.isfinite(healthy) and is_better(healthy, ill, accuracy)
            and all(is_better(healthy, one, accuracy) and is_better(one, ill, accuracy) for one in mended))
