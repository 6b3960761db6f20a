"""Random numbers: the same seed gives the numbers that PyTorch draws.

A generator hands out bits (``generator.py``), of which ``sampling.py`` makes random tensors.  The
package itself offers what ``torch.random`` does.
"""
from ..errors import closed
from .generator import get_rng_state, initial_seed, manual_seed, set_rng_state

__all__ = ["get_rng_state", "initial_seed", "manual_seed", "set_rng_state"]
__getattr__, __dir__ = closed(__name__, __all__)
