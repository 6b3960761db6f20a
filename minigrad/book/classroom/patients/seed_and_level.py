"""Reads what somebody gives as a seed and a level."""
from __future__ import annotations

import operator
from typing import Any

from ..reading import Misread
from ..verdict import code
from .candidate import LEVELS

LARGEST = 999_999_999


def read_seed(seed: Any) -> int:
    """Return the seed as an int.

    Raises:
        Misread: it is no whole number from 0 to LARGEST.
    """
    number = whole(seed)
    if number is None or not 0 <= number <= LARGEST:
        raise Misread(f"A seed is a whole number from 0 to {LARGEST}, as in `patient(7)`; "
                      f"{code(repr(seed), 40)} isn't one.")
    return number


def read_level(level: Any) -> int:
    """Return the level as an int.

    Raises:
        Misread: there is no such level.
    """
    number = whole(level)
    if number not in LEVELS:
        raise Misread(f"There are the levels 1 (one bug), 2 (two bugs) and 3 (two bugs, more look-alikes); "
                      f"{code(repr(level), 40)} is none of them.")
    return number


def whole(value: Any) -> int | None:
    """Return a whole number as an int; None: it isn't one. True and False are no numbers here."""
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return None
    try:
        return operator.index(value)
    except Exception:     # whatever a strange class may do
        return None
