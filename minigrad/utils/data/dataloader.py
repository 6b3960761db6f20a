"""Going through a data set in batches."""
from __future__ import annotations

import math
from itertools import islice

from .collate import default_collate, default_convert
from .dataset import IterableDataset
from .sampler import BatchSampler, RandomSampler, SequentialSampler, drawn_seed


class DataLoader:
    """An iterable of batches of a data set.

    Args:
        batch_size: how many samples to a batch; None: single samples.
        shuffle: another order each time.
        sampler, batch_sampler: what gives the numbers of the samples, or lists of them, instead.
        collate_fn: makes a batch of a list of samples.
        drop_last: leave out a last batch that is not full.
        generator: draws the order.
        num_workers and what belongs to it: accepted; the samples are fetched here and now, in the same order.
    """

    def __init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0,
                 collate_fn=None, pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None,
                 multiprocessing_context=None, generator=None, *, prefetch_factor=None,
                 persistent_workers=False, pin_memory_device="", in_order=True):
        if num_workers < 0:
            raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable "
                             "multiprocessing.")
        if timeout < 0:
            raise ValueError("timeout option should be non-negative")
        if num_workers == 0 and prefetch_factor is not None:
            raise ValueError("prefetch_factor option could only be specified in multiprocessing.let "
                             "num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to "
                             "None.")
        if persistent_workers and num_workers == 0:
            raise ValueError("persistent_workers option needs num_workers > 0")
        self.dataset, self.generator, self.num_workers = dataset, generator, num_workers
        self.pin_memory, self.timeout, self.worker_init_fn = pin_memory, timeout, worker_init_fn
        self.is_iterable = isinstance(dataset, IterableDataset)
        self.check_choices(batch_size, shuffle, sampler, batch_sampler, drop_last)
        if batch_sampler is not None:
            batch_size, drop_last = None, False
        if sampler is None and not self.is_iterable:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None and not self.is_iterable:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size, self.drop_last = batch_size, drop_last
        self.sampler, self.batch_sampler = sampler, batch_sampler
        in_batches = batch_size is not None or batch_sampler is not None
        self.collate_fn = collate_fn or (default_collate if in_batches else default_convert)

    def check_choices(self, batch_size, shuffle, sampler, batch_sampler, drop_last):
        """Refuse arguments that contradict each other."""
        if self.is_iterable:
            for name, value in (("shuffle", shuffle or None), ("sampler", sampler),
                                ("batch_sampler", batch_sampler)):
                if value is not None:
                    raise ValueError(f"DataLoader with IterableDataset: expected unspecified {name} option, "
                                     f"but got {name}={value}")
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, "
                                 "sampler, and drop_last")
        elif batch_size is None and drop_last:
            raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with "
                             "drop_last")

    def __iter__(self):
        drawn_seed(self.generator)      # PyTorch draws one for its workers, even where there are none
        return self.batches()

    def batches(self):
        if self.is_iterable:
            yield from self.batches_of_stream(iter(self.dataset))
        elif self.batch_sampler is None:
            for i in self.sampler:
                yield self.collate_fn(self.dataset[i])
        else:
            for numbers in self.batch_sampler:
                fetch_all = getattr(self.dataset, "__getitems__", None)
                samples = fetch_all(numbers) if callable(fetch_all) else [self.dataset[i] for i in numbers]
                yield self.collate_fn(samples)

    def batches_of_stream(self, samples):
        if self.batch_size is None:
            for sample in samples:
                yield self.collate_fn(sample)
            return
        while batch := list(islice(samples, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield self.collate_fn(batch)

    def __len__(self):
        if not self.is_iterable:
            return len(self.sampler if self.batch_sampler is None else self.batch_sampler)
        if self.batch_size is None:
            return len(self.dataset)
        count = len(self.dataset) / self.batch_size
        return math.floor(count) if self.drop_last else math.ceil(count)
