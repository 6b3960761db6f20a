"""Random numbers: the same seed gives the numbers that PyTorch draws.

A generator hands out bits (``generator.py``), which ``sampling.py`` makes into random
numbers and tensors.
"""
from .generator import get_rng_state, initial_seed, manual_seed, set_rng_state

__all__ = ["get_rng_state", "initial_seed", "manual_seed", "set_rng_state"]
