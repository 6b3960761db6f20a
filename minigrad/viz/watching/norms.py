"""Norms of large tensors: of a change, and of a sample."""
from __future__ import annotations

import math
from typing import Any

from ..graph.facts import PART, norm_of

FEW = 4096  # numbers of a large tensor that are looked at, to see whether it was written


def norm_of_difference(values: Any, others: Any) -> float:
    """The norm of the difference of two tensors, without a tensor for all of it."""
    if values.numel() <= PART or not values.is_contiguous() or not others.is_contiguous():
        return norm_of(values - others)
    flat, other = values.view(-1), others.view(-1)
    return math.sqrt(sum(norm_of(flat[at:at + PART] - other[at:at + PART]) ** 2
                         for at in range(0, values.numel(), PART)))


def sampled(tensor: Any) -> float:
    """A norm that tells whether numbers were written: of a large tensor that of some of them."""
    values = tensor.detach()
    if values.numel() > PART and values.is_contiguous():
        values = values.view(-1)[::values.numel() // FEW]
    return norm_of(values)
