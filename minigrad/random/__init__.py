"""Random numbers: the same seed gives the numbers that PyTorch draws.

A generator (``generator.py``) hands out bits; ``sampling.py`` makes uniform, normal and whole numbers of them;
``tensors.py`` puts these into tensors.  The package itself is ``torch.random``.
"""
from ..errors import closed
from .generator import (
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)

__all__ = ["Generator", "default_generator", "get_rng_state", "initial_seed", "manual_seed", "seed",
           "set_rng_state"]

__getattr__, __dir__ = closed(__name__, __all__)
