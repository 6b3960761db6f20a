"""The modules, by kind."""
# Generated from the live objects: python -m tests.stubs --write
from builtins import float as _float
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from typing_extensions import Self
from minigrad import device, dtype
from minigrad.autograd.graph import RemovableHandle
from minigrad.nn.parameter import Parameter
from minigrad.tensor import Tensor

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

class Flatten(Module):
    """Join the dimensions from `start_dim` on: (N, C, H, W) becomes (N, C * H * W)."""
    end_dim: int
    start_dim: int
    training: bool
    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None: ...
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
    def named_buffers(self, prefix: str = '', recurse: bool = True) -> Iterator[tuple[str, Tensor]]:
        """Yield all buffers with their names."""
    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Yield the direct children with their names."""
    def named_modules(self, memo: Any = None, prefix: str = '') -> Iterator[tuple[str, Module]]:
        """Yield this module, under the empty name, and all inside, with their names."""
    def named_parameters(self, prefix: str = '', recurse: bool = True) -> Iterator[tuple[str, Parameter]]:
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

class Sigmoid(Module):
    """Return 1 / (1 + exp(-x)) of each number x."""
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...

class Softmax(Module):
    """See ``functional.softmax``."""
    def __init__(self, dim: int) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...

class Tanh(Module):
    """Return the hyperbolic tangent of each number."""
    def forward(self, input: Tensor) -> Tensor: ...
    def __call__(self, input: Tensor) -> Tensor: ...
