"""First values for parameters: written in place, without being recorded."""
# Generated from the live objects: python -m tests.stubs --write
from minigrad import Generator
from minigrad.tensor import Tensor

def constant_(tensor: Tensor, val: float) -> Tensor:
    """Set every number to `val`."""

def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = 'fan_in',
    nonlinearity: str = 'leaky_relu',
    generator: Generator | None = None,
) -> Tensor:
    """Draw normally, with the variance gain ** 2 / fan."""

def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = 'fan_in',
    nonlinearity: str = 'leaky_relu',
    generator: Generator | None = None,
) -> Tensor:
    """Draw uniformly, with the variance gain ** 2 / fan."""

def normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    generator: Generator | None = None,
) -> Tensor:
    """Draw numbers from the normal distribution."""

def ones_(tensor: Tensor) -> Tensor:
    """Set every number to 1."""

def uniform_(
    tensor: Tensor,
    a: float = 0.0,
    b: float = 1.0,
    generator: Generator | None = None,
) -> Tensor:
    """Draw numbers uniformly from [a, b)."""

def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Draw normally, with the variance 2 * gain ** 2 / (fan_in + fan_out)."""

def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Draw uniformly, with the variance 2 * gain ** 2 / (fan_in + fan_out)."""

def zeros_(tensor: Tensor) -> Tensor:
    """Set every number to 0."""
