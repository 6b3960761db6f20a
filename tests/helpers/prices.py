"""The prices of fixes, each with a function that shows by running that the price is so.

A row takes the library, minigrad or torch, and fails where its price is false. Numbers, names and shapes in a
price are normalised first, so that one row stands for all prices that differ in them alone.
"""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

ROWS: dict[str, Callable] = {}

SAME = (  # what is replaced, and by what
    (r"[\d,]+ bytes?", "N bytes"), (r"`draw\(\w+,", "`draw(y,"), (r"leaves behind \S+$", "leaves behind y"),
    (r"gradient of \S+ is None", "gradient of y is None"), (r"all of \S+ is", "all of x is"),
    (r"passes in \S+\.grad$", "passes in w.grad"), (r"add to \S+\.grad, which", "add to w.grad, which"),
    (r"longer reaches \S+$", "longer reaches y"),
    (r"old values of \S+ can't", "old values of w can't"), (r"of shape \[.*?\]", "of shape S"))


def normalised(price: str) -> str:
    """Return a price with its numbers of bytes, names and shapes replaced by fixed ones."""
    for pattern, word in SAME:
        price = re.sub(pattern, word, price)
    return price


def price(*words: str) -> Callable:
    """Enter a row: the decorated function shows that each of these normalised prices is true."""
    def enter(show: Callable) -> Callable:
        for one in words:
            assert one == normalised(one) and one not in ROWS, one
            ROWS[one] = show
        return show
    return enter


def leaf(torch: Any, *values: float) -> Any:
    """Return a leaf of these numbers, or of 1 and 2."""
    return torch.tensor(list(values) or [1.0, 2.0], requires_grad=True)


def shared(one: Any, two: Any) -> bool:
    """Return whether two tensors begin at the same place in memory."""
    return one.data_ptr() == two.data_ptr()


def is_second(copy: Any, tensor: Any) -> bool:
    """Return whether a tensor has memory of its own, for as many numbers as the other tensor has."""
    return not shared(copy, tensor) and copy.numel() == tensor.numel()


def message(work: Callable) -> str:
    """Return the message of the error that `work()` raises, or "" where it raises none."""
    try:
        work()
    except Exception as error:
        return str(error)
    return ""


def packed(torch: Any, work: Callable) -> list[int]:
    """Run `work()` and return the bytes of each tensor that its operations saved, in their order."""
    sizes = []
    with torch.autograd.graph.saved_tensors_hooks(
            lambda tensor: sizes.append(tensor.nbytes) or tensor, lambda kept: kept):
        work()
    return sizes
