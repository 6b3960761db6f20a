"""A stream of random bits that a seed determines, the same stream as PyTorch's.

The source is the Mersenne Twister, a machine with a memory of 624 numbers that hands
out 32 bits at a time.  NumPy has it, too; here it is seeded, and its bits are asked
for, in PyTorch's way.
"""
import math
import os

import numpy as np

from ..tensor import Tensor, wrap

FIRST_SEED = 67280421310721     # of a generator that was never seeded
STATE_WORDS = 632               # a state is as long as PyTorch's: 5056 bytes


class Generator:
    """A stream of random bits, and how much of it has been drawn.

    >>> torch.rand(2, generator=torch.Generator().manual_seed(5))
    tensor([0.8303, 0.1261])
    """
    __module__ = "torch._C"     # where PyTorch has it, as is printed

    def __init__(self):
        self._start(FIRST_SEED)

    def manual_seed(self, seed):
        """Start the stream of a seed, whose lower 32 bits choose it."""
        self._start(int(seed) % 2**64)
        return self

    def initial_seed(self) -> int:
        """Return the seed of the stream."""
        return self._seed

    def _start(self, seed):
        self._seed = seed
        self._spare_normal = math.nan
        self._twister = None        # made when needed: numpy.random is slow to load

    def _get_twister(self):
        if self._twister is None:
            self._twister = np.random.MT19937(0)
            np.random.RandomState(self._twister).seed(self._seed % 2**32)
        return self._twister

    # A state holds the seed, the position, the twister's numbers and the spare normal.

    def get_state(self) -> Tensor:
        """Return the position in the stream: a uint8 tensor (5056,)."""
        twister = self._get_twister().state["state"]
        words = np.zeros(STATE_WORDS, np.uint64)
        words[0] = self._seed
        words[1] = twister["pos"]
        words[2:626] = twister["key"]
        words[626:627].view(np.float64)[0] = self._spare_normal
        return wrap(words.view(np.uint8))

    def set_state(self, new_state):
        """Go to a position that `get_state` returned."""
        if new_state._array.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        words = np.ascontiguousarray(new_state._array).view(np.uint64)
        self._start(int(words[0]))
        position = {"pos": int(words[1]), "key": words[2:626].astype(np.uint32)}
        self._get_twister().state = {"bit_generator": "MT19937", "state": position}
        self._spare_normal = float(words[626:627].view(np.float64)[0])
        return self

    def bits32(self, count):
        """Return 32 random bits for each of `count` numbers, as a uint64 array."""
        if not count:
            return np.empty(0, np.uint64)
        return self._get_twister().random_raw(count)

    def bits64(self, count):
        """Return 64 random bits for each of `count` numbers, from two draws each."""
        halves = self.bits32(2 * count)
        return halves[0::2] << np.uint64(32) | halves[1::2]

    def uniform(self, count, dtype):
        """Return numbers in [0, 1): k / 2**53 for float64, else float32s k / 2**24."""
        if dtype == np.float64:
            whole = self.bits64(count) & np.uint64(2**53 - 1)
            return whole.astype(np.float64) * 2.0**-53
        whole = self.bits32(count) & np.uint64(2**24 - 1)
        return whole.astype(np.float32) * np.float32(2.0**-24)

    def normals(self, count):
        """Return a list of normal numbers.

        They are made in pairs, as in `box_muller`: one may be left for the next call.
        """
        if not count:
            return []
        values = []
        if not math.isnan(self._spare_normal):
            values.append(self._spare_normal)
        missing = count - len(values)
        draws = self.uniform(missing + missing % 2, np.float64).tolist()
        for v, u in zip(draws[0::2], draws[1::2]):
            radius = math.sqrt(-2 * math.log1p(-u))
            angle = 2 * math.pi * v
            values += [radius * math.cos(angle), radius * math.sin(angle)]
        self._spare_normal = values[count] if len(values) > count else math.nan
        return values[:count]


default_generator = Generator()
default_generator.manual_seed(int.from_bytes(os.urandom(8), "little"))

manual_seed = default_generator.manual_seed
initial_seed = default_generator.initial_seed
get_rng_state = default_generator.get_state
set_rng_state = default_generator.set_state

FUNCTIONS_ONLY = "Generator manual_seed initial_seed get_rng_state set_rng_state"
