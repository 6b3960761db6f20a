"""One row of the table of operations: how to make its inputs, and how to call it."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Sample:
    """`inputs(torch)` makes the inputs, `call(torch, *inputs)` the result; `torch` is either package.

    Floating-point inputs should be float64 (``dtype=torch.float64``): they are made to require gradients.
    `in_place`: the first input is handed over as a clone, which may be written to.
    `second`: whether the second derivative is checked too (off where PyTorch has none).
    """

    name: str
    inputs: Callable
    call: Callable
    in_place: bool = False
    second: bool = True
