"""Samples that are recorded and pass zeros on, as torch.normal(mean, std) does."""
from __future__ import annotations

from collections.abc import Collection
from typing import Any

from .kept import stem_of
from .walk import in_forward_order, is_accumulate

# 0 of Normal and 2 of Bernoulli write into a tensor, and take no tensor that they draw by.
SAMPLES = ("NormalBackward1", "NormalBackward2", "NormalBackward3", "BernoulliBackward0",
           "BernoulliBackward1", "PoissonBackward0")


def is_sample(node: Any, users: dict[int, list[Any]], mapping: Collection[str]) -> bool:
    """Whether a node draws a sample that only a network or a loss of other tensors takes.

    Zeros are right in a log-probability of the sample, and meant where `p - p.detach()` is added:
    operations on single numbers, those of `mapping`, then take what the sample was drawn by.
    """
    if node.name().rpartition("::")[2] not in SAMPLES or not users.get(id(node)):
        return False
    leaves = _leaves(node)
    inside, waiting = {id(node)}, [node]
    while waiting:
        for user in users.get(id(waiting.pop()), []):
            if id(user) in inside:
                continue
            if any(leaves & _leaves(one) for one, _ in user.next_functions
                   if one is not None and id(one) not in inside):
                return False
            if stem_of(user.name()) in mapping:
                inside.add(id(user))
                waiting.append(user)
    return bool(leaves)


def _leaves(node: Any) -> set[int]:
    return {id(one) for one in in_forward_order([node]) if is_accumulate(one)}
