"""In which order the items of a data set are visited; seeded as in PyTorch, the order is the same."""
from __future__ import annotations

from ...conversion import as_tensor
from ...creation import empty
from ...dtypes import PUBLIC
from ...generator import Generator
from ...random_ops import multinomial, randint, randperm


class Sampler:
    """Base class: define ``__iter__``, which gives the numbers of items."""

    def __class_getitem__(cls, item):
        return cls

    def __iter__(self):
        raise NotImplementedError


class SequentialSampler(Sampler):
    """All items, first to last."""

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(Sampler):
    """All items once in random order, or `num_samples` of them, perhaps with repetitions."""

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source, self.replacement = data_source, replacement
        self._num_samples, self.generator = num_samples, generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError("num_samples should be a positive integer value, but got "
                             f"num_samples={self.num_samples}")

    @property
    def num_samples(self):
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self):
        count, wanted = len(self.data_source), self.num_samples
        generator = self.generator
        if generator is None:
            generator = Generator()     # of its own, so that other draws do not disturb the order
            generator.manual_seed(drawn_seed())
        if self.replacement:
            for size in [32] * (wanted // 32) + [wanted % 32]:
                yield from randint(high=count, size=(size,), dtype=PUBLIC["int64"],
                                   generator=generator).tolist()
            return
        for _ in range(wanted // count):
            yield from randperm(count, generator=generator).tolist()
        yield from randperm(count, generator=generator).tolist()[:wanted % count]

    def __len__(self):
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """Chosen items once each, in random order."""

    def __init__(self, indices, generator=None):
        self.indices, self.generator = indices, generator

    def __iter__(self):
        for i in randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """`num_samples` items, item i with a probability in proportion to ``weights[i]``."""

    def __init__(self, weights, num_samples, replacement=True, generator=None):
        if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
            raise ValueError("num_samples should be a positive integer value, but got "
                             f"num_samples={num_samples}")
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = as_tensor(weights, dtype=PUBLIC["float64"])
        if self.weights.dim() != 1:
            raise ValueError("weights should be a 1d sequence but given weights have shape "
                             f"{tuple(self.weights.shape)}")
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self):
        yield from multinomial(self.weights, self.num_samples, self.replacement,
                               generator=self.generator).tolist()

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler):
    """Lists of `batch_size` numbers each from another sampler; the last may be shorter, or dropped."""

    def __init__(self, sampler, batch_size, drop_last):
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError("batch_size should be a positive integer value, but got "
                             f"batch_size={batch_size}")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self):
        batch = []
        for i in self.sampler:
            batch.append(i)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self):
        count, rest = divmod(len(self.sampler), self.batch_size)
        return count + (rest > 0 and not self.drop_last)


def drawn_seed(generator=None):
    """A seed drawn as PyTorch draws it, so that what is drawn afterwards stays the same too."""
    return int(empty((), dtype=PUBLIC["int64"]).random_(generator=generator).item())
