"""Where random numbers come from: a stream of bits that a seed determines, the same stream as PyTorch's.

The source is the Mersenne Twister: a machine with 624 numbers of memory that hands out 32 bits at a time.
NumPy has the same machine, so this module only has to seed it as PyTorch does, to ask for bits in PyTorch's
order, and to remember what PyTorch remembers between two draws.  ``sampling.py`` turns the bits into the
numbers that people ask for.
"""
from __future__ import annotations

import os
from contextlib import contextmanager

import numpy as np

from . import box_muller
from ..errors import type_name
from ..attributes import CPU, check_device
from ..tensor import Tensor, wrap

_DEFAULT_SEED = 67280421310721  # what a fresh torch.Generator() starts from
_STATE_SIZE = 624
_STATE_BYTES = 5056


class Generator:
    """A stream of random bits and the place reached in it."""

    __slots__ = ("_seed", "_twister", "_is_fresh", "_spare_normal", "__weakref__")

    def __init__(self, device="cpu"):
        check_device(device, "Generator")
        self._restart(_DEFAULT_SEED)

    @property
    def device(self):
        return CPU

    def manual_seed(self, seed) -> Generator:
        """Start the stream of `seed`, an int from -2**63 to 2**64 - 1 (negative ones count from 2**64 down).

        Only the lower 32 bits choose the stream.

        Raises:
            RuntimeError: `seed` is not an int.
            TypeError: it is one of NumPy's.
            ValueError: it is out of range.
        """
        if isinstance(seed, np.integer):
            raise TypeError("an integer is required")  # PyTorch, too, takes Python's integers only
        if isinstance(seed, bool) or not isinstance(seed, int):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        if not -2**63 <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        self._restart(seed % 2**64)
        return self

    def seed(self) -> int:
        """Start a stream that nobody can foresee, and return its seed."""
        self._restart(int.from_bytes(os.urandom(8), "little"))
        return self._seed

    def initial_seed(self) -> int:
        """The seed of the stream, an int from 0 to 2**64 - 1."""
        return self._seed

    def _restart(self, seed):
        self._seed = seed
        self._twister = None  # made at the first draw: importing this module shall not load numpy.random
        self._is_fresh = True
        self._spare_normal = None

    # The state, byte for byte as PyTorch lays it out, so that either can read what the other saved:
    #    0 uint64 seed | 8 int32 draws left + 1 | 12 int32 seeded? | 16 uint64 next word |
    #    24 uint64[624] words | 5024 float64 spare normal | 5040 int32 is there one?

    def get_state(self) -> Tensor:
        """The place reached in the stream: a uint8 tensor (5056,)."""
        twister = self._started().state["state"]
        position = 0 if self._is_fresh else twister["pos"]
        state = np.zeros(_STATE_BYTES, np.uint8)
        state[0:8].view(np.uint64)[0] = self._seed
        state[8:16].view(np.int32)[:] = 1 if self._is_fresh else _STATE_SIZE + 1 - position, 1
        state[16:24].view(np.uint64)[0] = position
        state[24:5016].view(np.uint64)[:] = twister["key"]
        if self._spare_normal is not None:
            state[5024:5032].view(np.float64)[0] = self._spare_normal
            state[5040:5044].view(np.int32)[0] = 1
        return wrap(state)

    def set_state(self, new_state) -> Generator:
        """Go to the place that `get_state` reported.

        Raises:
            TypeError: not a uint8 tensor.
            RuntimeError: bytes that cannot be a state.
        """
        if not isinstance(new_state, Tensor):
            raise TypeError(f"expected a torch.ByteTensor, but got {type_name(new_state)}")
        state = np.ascontiguousarray(new_state._array)
        if state.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if state.size != _STATE_BYTES:
            raise RuntimeError(f"Expected a CPUGeneratorImplState of size {_STATE_BYTES} but found the input "
                               f"RNG state size to be {state.size}")
        left, seeded = state[8:16].view(np.int32).tolist()
        position = int(state[16:24].view(np.uint64)[0])
        if not (seeded and 0 < left <= _STATE_SIZE and position <= _STATE_SIZE):
            raise RuntimeError("Invalid mt19937 state")
        words = state[24:5016].view(np.uint64).astype(np.uint32)
        # With no draw left, all 624 words are renewed first, whatever the position says.
        self._started().state = {"bit_generator": "MT19937",
                                 "state": {"key": words, "pos": _STATE_SIZE if left == 1 else position}}
        self._seed = int(state[0:8].view(np.uint64)[0])
        self._is_fresh = left == 1 and position == 0
        has_spare = state[5040:5044].view(np.int32)[0]
        self._spare_normal = float(state[5024:5032].view(np.float64)[0]) if has_spare else None
        return self


    def _started(self):
        if self._twister is None:
            # Deferred: loading numpy.random takes longer than loading the rest of this package.
            from numpy.random import MT19937, RandomState
            self._twister = MT19937(0)
            RandomState(self._twister).seed(self._seed % 2**32)  # the seeding of 2002, which PyTorch uses too
        return self._twister

    # Raw draws

    def bits32(self, count):
        """The next `count` draws of 32 bits: a uint64 array (count,)."""
        if count == 0:
            return np.empty(0, np.uint64)
        twister = self._started()
        self._is_fresh = False
        return twister.random_raw(count)

    def bits64(self, count):
        """64 bits from each two draws, the first of which is the upper half: a uint64 array (count,)."""
        halves = self.bits32(2 * count)
        return halves[0::2] << np.uint64(32) | halves[1::2]

    def uniform32(self, count):
        """Numbers k / 2**24 in [0, 1), one draw each: a float32 array (count,)."""
        return (self.bits32(count) & np.uint64(2**24 - 1)).astype(np.float32) * np.float32(2.0**-24)

    def uniform64(self, count):
        """Numbers k / 2**53 in [0, 1), two draws each: a float64 array (count,)."""
        return (self.bits64(count) & np.uint64(2**53 - 1)).astype(np.float64) * 2.0**-53

    def normals_one_by_one(self, count):
        """Standard normal numbers by the recipe for few: a list of Python floats.

        They arise in pairs. The second of a pair waits, and is the first to be handed out by the next call.
        """
        values = [] if self._spare_normal is None or count == 0 else [self._spare_normal]
        missing = count - len(values)
        draws = self.uniform64(missing + missing % 2).tolist()
        for angle, radius in zip(draws[0::2], draws[1::2]):
            values += box_muller.pair(angle, radius)
        if count:
            self._spare_normal = values[count] if len(values) > count else None
        return values[:count]


Generator.__module__ = "torch._C"      # where PyTorch has it; the printed form shows it


# --- the default generator ----------------------------------------------------------------------------------

default_generator = Generator()
default_generator.seed()        # without manual_seed() every run is different


def manual_seed(seed) -> Generator:
    """Start the default generator's stream of this seed; anything int() takes is a seed."""
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Seed the default generator with a number nobody can foresee, and return it."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed of the default generator."""
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    """The state of the default generator: a uint8 tensor (5056,)."""
    return default_generator.get_state()


def set_rng_state(new_state) -> None:
    """Put the default generator back to a state that `get_rng_state` returned."""
    default_generator.set_state(new_state)


FUNCTIONS_ONLY = "Generator default_generator manual_seed seed initial_seed get_rng_state set_rng_state"
