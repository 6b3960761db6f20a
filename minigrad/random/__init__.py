"""``torch.random``: the seed and the state of the default generator."""
from .generator import Generator, default_generator, get_rng_state, initial_seed, manual_seed, seed, set_rng_state
from ..errors import without

__all__ = ['Generator', 'default_generator', 'get_rng_state', 'initial_seed', 'manual_seed', 'seed',
           'set_rng_state']

__getattr__ = without(__name__)
