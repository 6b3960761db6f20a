"""``torch.nn``: modules, the parameters they train, and the functions they compute."""
# Generated from the live objects: python -m tests.stubs --write
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from typing_extensions import Self
from minigrad import device, dtype
from minigrad.nn import functional as functional
from minigrad.nn import init as init
from minigrad.nn import modules as modules
from minigrad.nn import parameter as parameter
from minigrad.nn import utils as utils
from minigrad.nn.modules import CrossEntropyLoss as CrossEntropyLoss
from minigrad.nn.modules import Dropout as Dropout
from minigrad.nn.modules import Flatten as Flatten
from minigrad.nn.modules import Linear as Linear
from minigrad.nn.modules import MSELoss as MSELoss
from minigrad.nn.modules import Module as Module
from minigrad.nn.modules import ReLU as ReLU
from minigrad.nn.modules import Sequential as Sequential
from minigrad.nn.modules import Sigmoid as Sigmoid
from minigrad.nn.modules import Softmax as Softmax
from minigrad.nn.modules import Tanh as Tanh
from minigrad.nn.parameter import Parameter as Parameter
from minigrad.tensor import Tensor

class BCELoss(Module):
    """The cross-entropy of yes and no, for probabilities of yes."""
    def __init__(self, weight: Tensor | None = None, reduction: str = 'mean') -> None: ...
    def forward(self, input: Tensor, target: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...

class BCEWithLogitsLoss(Module):
    """The cross-entropy of yes and no, for numbers before the sigmoid."""
    def __init__(
        self,
        weight: Tensor | None = None,
        reduction: str = 'mean',
        pos_weight: Tensor | None = None,
    ) -> None: ...
    def forward(self, input: Tensor, target: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...

class BatchNorm1d(Module):
    """Normalize each channel of (N, C) or (N, C, L) over the batch."""
    affine: bool
    bias: Parameter
    eps: float
    momentum: float
    num_batches_tracked: Tensor
    num_features: int
    running_mean: Tensor
    running_var: Tensor
    training: bool
    weight: Parameter
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float | None = 0.1,
        affine: bool = True,
        *,
        device: device | str | None = None,
        dtype: dtype | None = None,
    ) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def reset_parameters(self) -> None:
        """Set the weight to ones and the bias to zeros."""
    def reset_running_stats(self) -> None:
        """Forget all batches: mean 0 and variance 1."""
    def __call__(self, input: Tensor) -> Tensor: ...

class Embedding(Module):
    """A table of `num_embeddings` rows, each with `embedding_dim` numbers."""
    embedding_dim: int
    num_embeddings: int
    padding_idx: Any
    training: bool
    weight: Parameter
    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        device: device | str | None = None,
        dtype: dtype | None = None,
    ) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def reset_parameters(self) -> None:
        """Draw the table anew."""
    def __call__(self, input: Tensor) -> Tensor: ...

class L1Loss(Module):
    """The absolute differences abs(input - target)."""
    def __init__(self, reduction: str = 'mean') -> None: ...
    def forward(self, input: Tensor, target: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...

class LayerNorm(Module):
    """Normalize over the last dimensions, which are `normalized_shape`."""
    bias: Parameter
    elementwise_affine: bool
    eps: float
    normalized_shape: tuple[Any, ...]
    training: bool
    weight: Parameter
    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: float = 1e-05,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: device | str | None = None,
        dtype: dtype | None = None,
    ) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def reset_parameters(self) -> None:
        """Set the weight to ones and the bias to zeros."""
    def __call__(self, input: Tensor) -> Tensor: ...

class ModuleDict(Module):
    """A dictionary of modules whose parameters are found."""
    def __delitem__(self, key: str) -> None: ...
    __eq__: Any
    def __getitem__(self, key: str) -> Module: ...
    __hash__: Any
    def __init__(self, modules: Iterable[Module] = ...) -> None: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def __setitem__(self, key: str, module: Module) -> None: ...

class ModuleList(Module):
    """A list of modules whose parameters are found, unlike those in a Python list."""
    def __getitem__(self, idx: Any) -> Module: ...
    def __init__(self, modules: Iterable[Module] = ...) -> None: ...
    def __iter__(self) -> Iterator[Module]: ...
    def __len__(self) -> int: ...
    def __setitem__(self, idx: Any, module: Module) -> None: ...
    def append(self, module: Module) -> Self:
        """Add a module at the end."""
    def extend(self, modules: Iterable[Module]) -> Self:
        """Add several modules at the end."""

class NLLLoss(Module):
    """Minus the entry at the right class, for logarithms of probabilities."""
    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = 'mean',
    ) -> None: ...
    def forward(self, input: Tensor, target: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...

class ParameterList(Module):
    """A list of parameters that a module finds; tensors in it become parameters."""
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getitem__(self, idx: Any) -> Parameter: ...
    def __iadd__(self, values: Iterable[Tensor]) -> Self: ...
    def __init__(self, values: Iterable[Tensor] = ...) -> None: ...
    def __iter__(self) -> Iterator[Parameter]: ...
    def __len__(self) -> int: ...
    def __setitem__(self, idx: Any, param: Parameter) -> None: ...
    def append(self, value: Any) -> Self:
        """Add a parameter at the end."""
    def extend(self, values: Iterable[Tensor]) -> Self:
        """Add several parameters at the end."""
    def extra_repr(self) -> str: ...
