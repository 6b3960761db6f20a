"""Learning rates that change as training goes on; loaded when they are first used."""
# Generated from the live objects: python -m tests.stubs --write
from collections.abc import Callable
from typing import Any
from minigrad.optim import Optimizer

class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the first rate to `eta_min` in `T_max` epochs, and back."""
    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None: ...
    def next_rate(self, rate: Any, base: Any) -> float: ...

class ExponentialLR(LRScheduler):
    """The rate times `gamma`, every epoch."""
    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None: ...
    def next_rate(self, rate: Any, base: Any) -> float: ...

class LRScheduler:
    """The base class of schedulers; one of your own defines `get_lr`."""
    optimizer: Optimizer
    last_epoch: int
    base_lrs: list[float]
    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None: ...
    def get_last_lr(self) -> list[float]:
        """Return the rates that are in force, one for each group."""
    def get_lr(self) -> list[float]:
        """Return the rates of this epoch, from those of the one before."""
    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what `state_dict` returned."""
    def next_rate(self, rate: Any, base: Any) -> float:
        """Return the rate that follows `rate`, in a group that began with `base`."""
    def state_dict(self) -> dict[str, Any]:
        """Return all that the scheduler remembers, except its optimizer."""
    def step(self) -> None:
        """Set the rates of the next epoch; call it after ``optimizer.step()``."""

class LambdaLR(LRScheduler):
    """The first rate times ``lr_lambda(epoch)``; a list has one function per group."""
    def __init__(self, optimizer: Optimizer, lr_lambda: Callable[..., Any], last_epoch: int = -1) -> None: ...
    def get_lr(self) -> list[float]: ...

class StepLR(ExponentialLR):
    """The rate times `gamma`, every `step_size` epochs."""
    optimizer: Optimizer
    last_epoch: int
    base_lrs: list[float]
    gamma: float
    step_size: int
    def __init__(
        self,
        optimizer: Optimizer,
        step_size: int,
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None: ...
    def next_rate(self, rate: Any, base: Any) -> float: ...
