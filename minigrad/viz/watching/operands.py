"""Which two numbers met where an operation made NaN: 0 * -inf, 0 / 0, inf - inf."""
from __future__ import annotations

from contextlib import suppress
from math import inf
from typing import Any, NamedTuple

from ..graph.facts import is_tensor

SIGNS = {"mul": "*", "multiply": "*", "div": "/", "divide": "/", "true_divide": "/", "rdiv": "/",
         "sub": "-", "subtract": "-", "rsub": "-", "add": "+", "matmul": "@", "mm": "@",
         "pow": "**"}
NAN = {"*": ((0, inf),), "@": ((0, inf),), "/": ((0, 0), (inf, inf)), "-": ((inf, inf),),
       "+": ((inf, inf),)}


class Met(NamedTuple):
    """Two numbers whose product, quotient, difference, sum or power is NaN."""

    left: float
    sign: str
    right: float
    tensors: bool  # both come from tensors


def met(name: str, given: Any, shape: tuple[int, ...], at: tuple[int, ...]) -> Met | None:
    """What met at a place of the result, which is NaN; `given` are the function's two arguments.

    A function that writes to the first of them, as `div_` does, has left the second alone: what
    that divided by 0 was 0, too, if it was finite.
    """
    word = name.lower().strip("_")
    with suppress(Exception):  # other functions and arguments, or a tensor that refuses
        sign = SIGNS[word]
        left, right = given[::-1] if word in ("rdiv", "rsub") else given
        tensors = is_tensor(left) and is_tensor(right)
        if sign == "@":
            row, column = left.detach()[at[0]], right.detach()[:, at[1]]
            k = (row * column).isnan().tolist().index(True)
            left, right = row[k], column[k]
        elif name.endswith("_") and not name.startswith("_"):
            right = _number(right, shape, at)
            left = 0.0 if right == 0 else None
        found = Met(_number(left, shape, at), sign, _number(right, shape, at), tensors)
        if found.left < 0 and found.right % 1 if sign == "**" else tuple(
                sorted((abs(found.left), abs(found.right)))) in NAN[sign]:
            return found
    return None


def _number(value: Any, shape: tuple[int, ...], at: tuple[int, ...]) -> float:
    if is_tensor(value):
        value = value.detach() if not len(value.shape) else value.detach().expand(shape)[at]
    return float(value)
