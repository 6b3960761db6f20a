"""Data sets, and going through them in batches; with the same seed the order is PyTorch's."""
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate, islice

import numpy as np

from ..conversion import as_tensor
from ..creation import tensor
from ..dtypes import float64
from ..ops.joining import stack
from ..random.generator import Generator, default_generator
from ..random.sampling import randperm
from ..tensor import Tensor


class Dataset:
    """The base class of data sets: define ``__getitem__`` and ``__len__``."""

    def __getitem__(self, index):
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")


class TensorDataset(Dataset):
    """Tensors of the same length: item i is a tuple of their i-th rows."""

    def __init__(self, *tensors):
        if any(len(one) != len(tensors[0]) for one in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple([one[index] for one in self.tensors])

    def __len__(self):
        return len(self.tensors[0])


class Subset(Dataset):
    """The items of a data set that a list of numbers names."""

    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index):
        return self.dataset[self.indices[index]]

    def __len__(self):
        return len(self.indices)


def random_split(dataset, lengths, generator=default_generator):
    """Divide a data set at random into parts of these lengths, or fractions that add up to 1.

        train, test = random_split(dataset, [0.8, 0.2])
    """
    total = len(dataset)
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = [math.floor(total * fraction) for fraction in lengths]
        for i in range(total - sum(lengths)):       # what rounding down left over, one each
            lengths[i % len(lengths)] += 1
    if sum(lengths) != total:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = randperm(total, generator=generator).tolist()
    return [Subset(dataset, order[end - length:end])
            for end, length in zip(accumulate(lengths), lengths)]


class DataLoader:
    """An iterable of the batches of a data set.

        for x, y in DataLoader(TensorDataset(xs, ys), batch_size=32, shuffle=True):
            ...

    batch_size: how many samples a batch has; None gives single samples.
    shuffle: go through the samples in another order each time.
    drop_last: leave out a last batch that is not full.
    collate_fn: makes a batch of a list of samples; by default tensors are stacked.
    generator: draws the order.
    """

    def __init__(self, dataset, batch_size=1, shuffle=False, *, collate_fn=None, drop_last=False,
                 generator=None):
        if batch_size is not None and (not isinstance(batch_size, int) or batch_size <= 0):
            raise ValueError("batch_size should be a positive integer value, but got "
                             f"batch_size={batch_size}")
        self.dataset, self.batch_size, self.shuffle = dataset, batch_size, shuffle
        self.drop_last, self.generator = drop_last, generator
        self.collate_fn = collate_fn or (default_collate if batch_size else default_convert)

    def __iter__(self):
        drawn_seed(self.generator)      # PyTorch draws one for worker processes, also without any
        return self._batches()

    def _batches(self):
        numbers = self._order()
        if self.batch_size is None:
            for i in numbers:
                yield self.collate_fn(self.dataset[i])
            return
        while batch := list(islice(numbers, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield self.collate_fn([self.dataset[i] for i in batch])

    def _order(self):
        count = len(self.dataset)
        if not self.shuffle:
            yield from range(count)
            return
        generator = self.generator
        if generator is None:           # one of its own, so that other draws leave the order alone
            generator = Generator().manual_seed(drawn_seed())
        yield from randperm(count, generator=generator).tolist()
        randperm(count, generator=generator)        # PyTorch draws once more at the end

    def __len__(self):
        count = len(self.dataset)
        if self.batch_size is None:
            return count
        return count // self.batch_size if self.drop_last else math.ceil(count / self.batch_size)


def drawn_seed(generator=None):
    """Return a seed, drawn as PyTorch draws it."""
    return int((generator or default_generator).bits64(1)[0] % 2 ** 63)


def default_collate(batch):
    """Return one batch of a list of samples: tensors are stacked, numbers become a tensor.

    Tuples, lists and dictionaries of samples become those of batches.  Raises TypeError for
    anything else.
    """
    first = batch[0]
    if isinstance(first, (Tensor, np.ndarray, np.generic)):
        return stack([as_tensor(one) for one in batch])
    if isinstance(first, (float, int)):
        return tensor(batch, dtype=float64 if isinstance(first, float) else None)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return type(first)({name: default_collate([one[name] for one in batch]) for name in first})
    if not isinstance(first, Sequence):
        raise TypeError("default_collate: batch must contain tensors, numpy arrays, numbers, dicts "
                        f"or lists; found {type(first)}")
    if any(len(one) != len(first) for one in batch):
        raise RuntimeError("each element in list of batch should be of equal size")
    return [default_collate(column) for column in zip(*batch)]


def default_convert(sample):
    """Return a sample with tensors in place of arrays."""
    if isinstance(sample, (np.ndarray, np.generic)):
        return as_tensor(sample)
    if isinstance(sample, Mapping):
        return type(sample)({name: default_convert(one) for name, one in sample.items()})
    if isinstance(sample, (list, tuple)):
        return [default_convert(one) for one in sample]
    return sample
