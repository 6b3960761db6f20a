"""``torch.optim``: ways to change parameters by their gradients."""
# Generated from the live objects: python -m tests.stubs --write
from collections.abc import Callable, Iterable
from typing import Any
from minigrad.nn.parameter import Parameter
from minigrad.optim import lr_scheduler as lr_scheduler
from minigrad.tensor import Tensor

class Adagrad(Optimizer):
    """Divide the gradient by the root of the sum of its squares (Duchi, 2011)."""
    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[dict[str, Any]],
        lr: float = 0.01,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: Any = None,
        *,
        maximize: bool = False,
        fused: Any = None,
    ) -> None: ...
    def update(self, group: dict[str, Any], param: Parameter, w: Any, grad: Any) -> None: ...

class Adam(Optimizer):
    """Divide a running mean of the gradient by the root of one of its square."""
    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[dict[str, Any]],
        lr: float = 0.001,
        betas: tuple[float, float] = ...,
        eps: float = 1e-08,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: Any = None,
        maximize: bool = False,
        fused: Any = None,
    ) -> None: ...
    decoupled_weight_decay: bool
    def update(self, group: dict[str, Any], param: Parameter, w: Any, grad: Any) -> None: ...

class AdamW(Adam):
    """Adam whose weight decay is taken off the parameter, not added to its gradient."""
    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[dict[str, Any]],
        lr: float = 0.001,
        betas: tuple[float, float] = ...,
        eps: float = 1e-08,
        weight_decay: float = 0.01,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        foreach: Any = None,
        fused: Any = None,
    ) -> None: ...
    decoupled_weight_decay: bool

class Optimizer:
    """The base class of optimizers.  One of your own defines `step`."""
    param_groups: list[dict[str, Any]]
    state: dict[Tensor, Any]
    defaults: dict[str, Any]
    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[dict[str, Any]],
        defaults: dict[str, Any],
    ) -> None: ...
    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a dictionary with "params" and those options that differ."""
    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over the state and the options that `state_dict` returned."""
    def state_dict(self) -> dict[str, Any]:
        """Return the state and the groups, with numbers in place of parameters."""
    def step(self, closure: Callable[..., Any] | None = None) -> Any:
        """Change all parameters that have a gradient."""
    def zero_grad(self, set_to_none: bool = True) -> None:
        """Set ``.grad`` of all parameters to None, or to zeros if not `set_to_none`."""

class RMSprop(Optimizer):
    """Divide the gradient by the root of a running mean of its square (Hinton, 2012)."""
    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[dict[str, Any]],
        lr: float = 0.01,
        alpha: float = 0.99,
        eps: float = 1e-08,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        *,
        foreach: Any = None,
        maximize: bool = False,
    ) -> None: ...
    def update(self, group: dict[str, Any], param: Parameter, w: Any, grad: Any) -> None: ...

class SGD(Optimizer):
    """Step against the gradient: param = param - lr * grad."""
    def __init__(
        self,
        params: Iterable[Tensor] | Iterable[dict[str, Any]],
        lr: float = 0.001,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: Any = None,
        fused: Any = None,
    ) -> None: ...
    def update(self, group: dict[str, Any], param: Parameter, w: Any, grad: Any) -> None: ...
