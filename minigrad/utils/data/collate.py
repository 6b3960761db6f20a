"""From a list of samples to one batch: tensors are stacked, numbers become tensors, containers stay."""
from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...conversion import as_tensor
from ...creation import tensor
from ...dtypes import PUBLIC
from ...ops.joining import stack
from ...tensor import Tensor


def default_collate(batch):
    """One batch of a list of samples that have the same form.

    Raises:
        RuntimeError: sequences of different lengths.
        TypeError: samples of a type that has no place in a batch.
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(list(batch), 0)
    if isinstance(first, (np.ndarray, np.generic)):
        return stack([as_tensor(one) for one in batch], 0)
    if isinstance(first, float):
        return tensor(list(batch), dtype=PUBLIC["float64"])
    if isinstance(first, int):
        return tensor(list(batch))
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return type(first)({name: default_collate([one[name] for one in batch]) for name in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*[default_collate(column) for column in zip(*batch)])
    if isinstance(first, Sequence):
        if any([len(one) != len(first) for one in batch]):
            raise RuntimeError("each element in list of batch should be of equal size")
        return [default_collate(column) for column in zip(*batch)]
    raise TypeError("default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
                    f"found {type(first)}")


def default_convert(data):
    """Arrays inside a sample become tensors; all else stays."""
    if isinstance(data, (np.ndarray, np.generic)) and data.dtype.kind not in "SUO":
        return as_tensor(data)
    if isinstance(data, Mapping):
        return type(data)({name: default_convert(one) for name, one in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*[default_convert(one) for one in data])
    if isinstance(data, tuple):
        return [default_convert(one) for one in data]
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return [default_convert(one) for one in data]
    return data
