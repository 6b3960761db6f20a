"""Data sets, and going through them in batches; with the same seed the order is PyTorch's."""
import math
from itertools import accumulate

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
    """The items of a data set at the places that a list names."""
    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index):
        return self.dataset[self.indices[index]]

    def __len__(self):
        return len(self.indices)


def random_split(dataset, lengths, generator=default_generator):
    """Divide a data set at random into parts of these lengths, or fractions that add up to 1."""
    total = len(dataset)
    if math.isclose(sum(lengths), 1):
        lengths = [math.floor(total * fraction) for fraction in lengths]
        for i in range(total - sum(lengths)):       # the first parts get what rounding left over
            lengths[i % len(lengths)] += 1
    if sum(lengths) != total:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = randperm(total, generator=generator).tolist()
    return [Subset(dataset, order[end - length:end])
            for end, length in zip(accumulate(lengths), lengths)]


class DataLoader:
    """Yields batches of a data set; with `shuffle` in a new order, with `drop_last` only full ones.

        for x, y in DataLoader(TensorDataset(xs, ys), batch_size=32, shuffle=True):
    """
    def __init__(self, dataset, batch_size=1, shuffle=False, *, drop_last=False, generator=None):
        if not isinstance(batch_size, int) or batch_size <= 0:
            raise ValueError("batch_size should be a positive integer value, but got "
                             f"batch_size={batch_size}")
        self.dataset, self.batch_size, self.shuffle = dataset, batch_size, shuffle
        self.drop_last, self.generator = drop_last, generator

    def __iter__(self):
        drawn_seed(self.generator)      # PyTorch draws one even if there are no worker processes
        order, generator = range(len(self.dataset)), self.generator
        if self.shuffle:                # without a generator: other draws leave the order alone
            generator = generator or Generator().manual_seed(drawn_seed())
            order = randperm(len(order), generator=generator).tolist()
        for start in range(0, len(self) * self.batch_size, self.batch_size):
            yield batch_of([self.dataset[i] for i in order[start:start + self.batch_size]])
        if self.shuffle:
            randperm(len(order), generator=generator)       # PyTorch draws once more at the end

    def __len__(self):
        batches = len(self.dataset) / self.batch_size
        return math.floor(batches) if self.drop_last else math.ceil(batches)


def drawn_seed(generator=None):
    """Return a seed, drawn as PyTorch draws it."""
    return int((generator or default_generator).bits64(1)[0] % 2 ** 63)


def batch_of(samples):
    """Return one batch: tensors are stacked, numbers become a tensor, tuples become lists."""
    first = samples[0]
    if isinstance(first, (Tensor, np.ndarray)):
        return stack([as_tensor(one) for one in samples])
    if isinstance(first, (int, float)):
        return tensor(samples, dtype=float64 if isinstance(first, float) else None)
    if isinstance(first, dict):
        return {name: batch_of([one[name] for one in samples]) for name in first}
    if isinstance(first, (list, tuple)):
        return [batch_of(column) for column in zip(*samples)]
    return samples
