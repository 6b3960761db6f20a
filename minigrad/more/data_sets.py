"""Data sets, and going through them in batches, in the order of PyTorch."""
import math
from itertools import accumulate

import numpy as np

from ..creation import tensor
from ..dtypes import float64
from ..ops.joining import stack
from ..random.generator import Generator, default_generator
from ..random.sampling import randperm
from ..tensor import Tensor
from .making import as_tensor


class Dataset:
    """The base class of data sets: define ``__getitem__`` and ``__len__``."""
    def __getitem__(self, index):
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")


class TensorDataset(Dataset):
    """Tensors of the same length: item i is a tuple of their i-th rows."""
    def __init__(self, *tensors):
        lengths = {len(one) for one in tensors}
        if len(lengths) > 1:
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple([one[index] for one in self.tensors])

    def __len__(self):
        return len(self.tensors[0])


class Subset(Dataset):
    """The items of a data set at the places that a list names."""
    def __init__(self, dataset, indices):
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index):
        return self.dataset[self.indices[index]]

    def __len__(self):
        return len(self.indices)


def random_split(dataset, lengths, generator=default_generator):
    """Divide a data set at random into parts of these lengths.

    lengths: numbers of items, or fractions that add up to 1.
    """
    total = len(dataset)
    if math.isclose(sum(lengths), 1):
        lengths = [math.floor(total * fraction) for fraction in lengths]
        for i in range(total - sum(lengths)):   # the first parts get what is left over
            lengths[i % len(lengths)] += 1
    if sum(lengths) != total:
        raise ValueError(
            "Sum of input lengths does not equal the length of the input dataset!")
    order = randperm(total, generator=generator).tolist()
    ends = accumulate(lengths)
    return [Subset(dataset, order[end - length:end])
            for end, length in zip(ends, lengths)]


class DataLoader:
    """Yields a data set in batches.

        for x, y in DataLoader(TensorDataset(xs, ys), batch_size=32, shuffle=True):

    shuffle: in a new order each time.  drop_last: leave out a last, smaller batch.
    num_workers: any number; this process loads them all, in the same order.
    pin_memory makes no difference here.
    """
    def __init__(self, dataset, batch_size=1, shuffle=False, *, num_workers=0,
                 pin_memory=False, drop_last=False, generator=None):
        if num_workers < 0:
            raise ValueError("num_workers option should be non-negative; use "
                             "num_workers=0 to disable multiprocessing.")
        if shuffle and not len(dataset):
            raise ValueError("num_samples should be a positive integer value, but got "
                             "num_samples=0")
        if not isinstance(batch_size, int) or batch_size <= 0:
            raise ValueError("batch_size should be a positive integer value, but got "
                             f"batch_size={batch_size}")
        self.dataset = dataset
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.num_workers = num_workers
        self.pin_memory = pin_memory
        self.drop_last = drop_last
        self.generator = generator

    def __iter__(self):
        count = len(self.dataset)
        order = range(count)
        generator = self.generator
        draw_seed(generator)        # PyTorch draws one even without workers
        if self.shuffle:
            if generator is None:   # with one of its own, other draws don't change it
                generator = Generator().manual_seed(draw_seed())
            order = randperm(count, generator=generator).tolist()
        for start in range(0, len(self) * self.batch_size, self.batch_size):
            places = order[start:start + self.batch_size]
            yield batch_of([self.dataset[i] for i in places])
        if self.shuffle:
            randperm(count, generator=generator)    # PyTorch draws once more at the end

    def __len__(self):
        batches = len(self.dataset) / self.batch_size
        return math.floor(batches) if self.drop_last else math.ceil(batches)


def draw_seed(generator=None):
    """Return a seed, drawn as PyTorch draws it."""
    generator = generator or default_generator
    return int(generator.bits64(1)[0] % 2**63)


def batch_of(samples):
    """Return one batch of samples of the same kind.

    Tensors are stacked, numbers become a tensor, tuples and lists a list of batches,
    dictionaries a dictionary of batches.
    """
    first = samples[0]
    if isinstance(first, (Tensor, np.ndarray)):
        return stack([as_tensor(one) for one in samples])
    if isinstance(first, float):
        return tensor(samples, dtype=float64)
    if isinstance(first, int):
        return tensor(samples)
    if isinstance(first, dict):
        return {key: batch_of([one[key] for one in samples]) for key in first}
    if isinstance(first, (list, tuple)):
        return [batch_of(column) for column in zip(*samples)]
    return samples
