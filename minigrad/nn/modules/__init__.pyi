"""The modules, by kind."""
# Generated from the live objects: python -m tests.stubs --write
from builtins import float as _float
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any
from numpy import ndarray
from typing_extensions import Self
from minigrad import device, dtype
from minigrad.autograd.graph import RemovableHandle
from minigrad.nn.parameter import Parameter
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
    eps: _float
    momentum: _float
    num_batches_tracked: Tensor
    num_features: int
    running_mean: Tensor
    running_var: Tensor
    training: bool
    weight: Parameter
    def __init__(
        self,
        num_features: int,
        eps: _float = 1e-05,
        momentum: _float | None = 0.1,
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

class CrossEntropyLoss(Module):
    """Minus the logarithm of the softmax at the right class; see ``cross_entropy``."""
    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = 'mean',
        label_smoothing: _float = 0.0,
    ) -> None: ...
    def forward(self, input: Tensor, target: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...

class Dropout(Module):
    """See ``functional.dropout``; it is active in training only."""
    inplace: bool
    p: _float
    training: bool
    def __init__(self, p: _float = 0.5, inplace: bool = False) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...

class ELU(Module):
    """See ``functional.elu``; with `inplace`, over the input itself."""
    def __init__(self, alpha: _float = 1.0, inplace: bool = False) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor) -> Tensor: ...
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

class Flatten(Module):
    """Join the dimensions from `start_dim` on: (N, C, H, W) becomes (N, C * H * W)."""
    end_dim: int
    start_dim: int
    training: bool
    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...

class GELU(Module):
    """See ``functional.gelu``."""
    def __init__(self, approximate: str = 'none') -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...

class HuberLoss(Module):
    """See ``functional.huber_loss``."""
    def __init__(self, reduction: str = 'mean', delta: _float = 1.0) -> None: ...
    def forward(self, input: Tensor, target: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...

class L1Loss(Module):
    """The absolute differences abs(input - target)."""
    def __init__(self, reduction: str = 'mean') -> None: ...
    def forward(self, input: Tensor, target: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...

class LayerNorm(Module):
    """Normalize over the last dimensions, which are `normalized_shape`."""
    bias: Parameter
    elementwise_affine: bool
    eps: _float
    normalized_shape: tuple[Any, ...]
    training: bool
    weight: Parameter
    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        eps: _float = 1e-05,
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

class LazyLinear(Linear):
    """A `Linear` that takes the number of its input features from its first input."""
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __init__(
        self,
        out_features: int,
        bias: bool = True,
        device: device | str | None = None,
        dtype: dtype | None = None,
    ) -> None: ...
    def has_uninitialized_params(self) -> Any:
        """Return whether a parameter has no numbers yet."""
    def reset_parameters(self) -> None:
        """Draw weight and bias anew, if they have numbers."""

class LeakyReLU(Module):
    """See ``functional.leaky_relu``; with `inplace`, over the input itself."""
    def __init__(self, negative_slope: _float = 0.01, inplace: bool = False) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...

class Linear(Module):
    """Return input @ weight.T + bias, over the last dimension."""
    bias: Parameter
    in_features: int
    out_features: int
    training: bool
    weight: Parameter
    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: device | str | None = None,
        dtype: dtype | None = None,
    ) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def reset_parameters(self) -> None:
        """Draw weight and bias anew."""
    def __call__(self, input: Tensor) -> Tensor: ...

class LogSoftmax(Module):
    """See ``functional.log_softmax``."""
    def __init__(self, dim: int | None = None) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...

class MSELoss(Module):
    """The squared differences (input - target) ** 2; warns if the shapes differ."""
    def __init__(self, reduction: str = 'mean') -> None: ...
    def forward(self, input: Tensor, target: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...

class Module:
    """The base class of networks: call ``super().__init__()``, define ``forward``."""
    training: bool
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __getattr__(self, name: str) -> Any: ...
    def __init__(self) -> None: ...
    def add_module(self, name: str, module: Module) -> None:
        """Make `module`, a Module or None, the child of this name."""
    def apply(self, fn: Callable[..., Any]) -> Self:
        """Call `fn(module)` for every child, innermost first, then for this module."""
    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Yield all buffers."""
    def children(self) -> Iterator[Module]:
        """Yield the direct children."""
    def cpu(self) -> Any:
        """Return the module itself: there is no other device."""
    def double(self) -> Self:
        """Convert floating-point parameters and buffers to float64."""
    def eval(self) -> Self:
        """Switch out of training: `train(False)`.  Gradients are recorded as before."""
    def extra_repr(self) -> str:
        """Return what the printed form shows of the module's own settings."""
    def float(self) -> Self:
        """Convert floating-point parameters and buffers to float32."""
    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the module's result; every subclass defines this."""
    def load_state_dict(self, state_dict: dict[str, Any], strict: bool = True) -> Any:
        """Copy the values of a dictionary that `state_dict` made into the module."""
    def modules(self) -> Iterator[Module]:
        """Yield this module, its children, their children and so on."""
    def named_buffers(
        self,
        prefix: str = '',
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Tensor]]:
        """Yield all buffers with their names."""
    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Yield the direct children with their names."""
    def named_modules(
        self,
        memo: Any = None,
        prefix: str = '',
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Module]]:
        """Yield this module, under the empty name, and all inside, with their names."""
    def named_parameters(
        self,
        prefix: str = '',
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Parameter]]:
        """Yield all parameters with their names, such as ``0.weight``."""
    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """Yield all parameters; those of the children are included."""
    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Make `tensor`, or None, part of the state; it is saved if `persistent`."""
    def register_forward_hook(self, hook: Callable[..., Any], *, prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, args, output)` after forward; it may return another."""
    def register_forward_pre_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
    ) -> RemovableHandle:
        """Call `hook(module, args)` before forward; it may return other arguments."""
    def register_full_backward_hook(
        self,
        hook: Callable[..., Any],
        prepend: bool = False,
    ) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)`, with tuples of gradients."""
    def register_full_backward_pre_hook(
        self,
        hook: Callable[..., Any],
        prepend: bool = False,
    ) -> RemovableHandle:
        """Call `hook(module, grad_output)`; it may return other gradients."""
    def register_parameter(self, name: str, param: Parameter) -> None:
        """Make `param`, a Parameter or None, the parameter of this name."""
    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set ``requires_grad`` of all parameters; False freezes them."""
    def state_dict(
        self,
        *,
        destination: dict[str, Any] | None = None,
        prefix: str = '',
        keep_vars: bool = False,
    ) -> dict[str, Any]:
        """Return all parameters and persistent buffers by name, in detached tensors."""
    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Convert parameters and buffers of floats: ``module.to(torch.float64)``."""
    def train(self, mode: bool = True) -> Self:
        """Switch this module and its children to training (dropout active), or out."""
    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set ``.grad`` of all parameters to None; see ``Optimizer.zero_grad``."""

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

class ParameterDict(Module):
    """A dictionary of parameters that a module finds; its keys are texts."""
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...
    def __contains__(self, key: str) -> bool: ...
    def __delitem__(self, key: str) -> None: ...
    def __getitem__(self, key: str) -> Any: ...
    def __init__(self, parameters: Iterable[Tensor] | None = None) -> None: ...
    def __ior__(self, other: Tensor | _float | ndarray) -> Any: ...
    def __iter__(self) -> Any: ...
    def __len__(self) -> int: ...
    def __or__(self, other: Tensor | _float | ndarray) -> Any: ...
    def __setitem__(self, key: str, value: Any) -> None: ...
    def clear(self) -> Any:
        """Remove all keys."""
    def copy(self) -> Any:
        """Return another dictionary with the same parameters."""
    def extra_repr(self) -> str: ...
    def get(self, key: str, default: Any = None) -> Any:
        """Return the parameter of a key, or `default`."""
    def items(self) -> Any:
        """Yield the keys with their parameters."""
    def keys(self) -> Any:
        """Return the keys."""
    def pop(self, key: str) -> Any:
        """Remove a key, and return its parameter."""
    def popitem(self) -> Any:
        """Remove the last key, and return it with its parameter."""
    def setdefault(self, key: str, default: Any = None) -> Any:
        """Return the parameter of a key, which becomes `default` if there is none."""
    def update(self, parameters: Iterable[Tensor]) -> None:
        """Add the parameters of a dictionary, or of pairs of a key and a parameter."""
    def values(self) -> Any:
        """Yield the parameters."""

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

class ReLU(Module):
    """Return the larger of each number and 0; with `inplace`, over the input itself."""
    def __init__(self, inplace: bool = False) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...

class Sequential(Module):
    """Modules in a row: the output of each is the input of the next."""
    def __getitem__(self, idx: Any) -> Module: ...
    def __init__(self, *args: Iterable[Module]) -> None: ...
    def __iter__(self) -> Iterator[Module]: ...
    def __len__(self) -> int: ...
    def __setitem__(self, idx: Any, module: Module) -> None: ...
    def append(self, module: Module) -> Self:
        """Add a module at the end."""
    def extend(self, modules: Iterable[Module]) -> Self:
        """Add several modules at the end."""
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...

class SiLU(Module):
    """See ``functional.silu``; with `inplace`, over the input itself."""
    def __init__(self, inplace: bool = False) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...

class Sigmoid(Module):
    """Return 1 / (1 + exp(-x)) of each number x."""
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...

class SmoothL1Loss(Module):
    """See ``functional.smooth_l1_loss``."""
    def __init__(self, reduction: str = 'mean', beta: _float = 1.0) -> None: ...
    def forward(self, input: Tensor, target: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor, target: Tensor) -> Tensor: ...

class Softmax(Module):
    """See ``functional.softmax``."""
    def __init__(self, dim: int | None = None) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...

class Tanh(Module):
    """Return the hyperbolic tangent of each number."""
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...
