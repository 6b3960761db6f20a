"""Random numbers: the same seed gives the numbers that PyTorch draws."""
# Generated from the live objects: python -m tests.stubs --write
from typing import Any
from minigrad import Generator
from minigrad.tensor import Tensor

def get_rng_state() -> Tensor:
    """Return the position in the stream: a uint8 tensor (5056,)."""

def initial_seed() -> int:
    """Return the seed of the stream."""

def manual_seed(seed: int) -> Generator:
    """Start the stream of a seed, whose lower 32 bits choose it."""

def set_rng_state(new_state: Any) -> None:
    """Go to a position that `get_state` returned."""
