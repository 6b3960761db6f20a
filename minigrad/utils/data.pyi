"""Data sets, and going through them in batches; loaded when a name is first used."""
# Generated from the live objects: python -m tests.stubs --write
from collections.abc import Iterator, Sequence
from typing import Any
from minigrad import Generator
from minigrad.tensor import Tensor

class DataLoader:
    """Yields a data set in batches."""
    dataset: Dataset
    generator: Generator | None
    batch_size: int
    drop_last: bool
    num_workers: int
    pin_memory: bool
    shuffle: bool
    def __init__(
        self,
        dataset: Dataset,
        batch_size: int = 1,
        shuffle: bool = False,
        *,
        num_workers: int = 0,
        pin_memory: bool = False,
        drop_last: bool = False,
        generator: Generator | None = None,
    ) -> None: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...

class Dataset:
    """The base class of data sets: define ``__getitem__`` and ``__len__``."""
    def __getitem__(self, index: Any) -> Any: ...

class Subset(Dataset):
    """The items of a data set at the places that a list names."""
    def __getitem__(self, index: Any) -> Any: ...
    def __init__(self, dataset: Dataset, indices: Sequence[int]) -> None: ...
    def __len__(self) -> int: ...

class TensorDataset(Dataset):
    """Tensors of the same length: item i is a tuple of their i-th rows."""
    tensors: tuple[Any, ...]
    def __getitem__(self, index: Any) -> Any: ...
    def __init__(self, *tensors: Tensor) -> None: ...
    def __len__(self) -> int: ...

def random_split(dataset: Dataset, lengths: Sequence[float], generator: Generator = ...) -> list[Subset]:
    """Divide a data set at random into parts of these lengths."""
