"""First values for parameters: written in place, without being recorded.

Each function fills the tensor it is given and returns it; the numbers are PyTorch's for
the same seed.
"""
from ..autograd.grad_mode import no_grad
from ..vocabulary import offer_names

__all__ = ["constant_", "normal_", "uniform_", "zeros_"]
__getattr__, __dir__ = offer_names(__name__, __all__)


@no_grad()
def uniform_(tensor, a=0.0, b=1.0, generator=None):
    """Draw numbers uniformly from [a, b)."""
    return tensor.uniform_(a, b, generator=generator)


@no_grad()
def normal_(tensor, mean=0.0, std=1.0, generator=None):
    """Draw numbers from the normal distribution."""
    return tensor.normal_(mean, std, generator=generator)


@no_grad()
def constant_(tensor, val):
    """Set every number to `val`."""
    return tensor.fill_(val)


def zeros_(tensor):
    """Set every number to 0."""
    return constant_(tensor, 0.0)
