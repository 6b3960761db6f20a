"""First values for parameters: written in place, without being recorded.

Each function fills the tensor it is given and returns it; the numbers are PyTorch's for the same
seed.  Xavier and Kaiming are two ways to keep the variance of a signal from layer to layer.
"""
import math

from ..autograd.grad_mode import no_grad
from ..errors import closed

__all__ = ["constant_", "kaiming_normal_", "kaiming_uniform_", "normal_", "ones_", "uniform_",
           "xavier_normal_", "xavier_uniform_", "zeros_"]
__getattr__, __dir__ = closed(__name__, __all__)


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


def ones_(tensor):
    """Set every number to 1."""
    return constant_(tensor, 1.0)


def zeros_(tensor):
    """Set every number to 0."""
    return constant_(tensor, 0.0)


def xavier_uniform_(tensor, gain=1.0, generator=None):
    """Draw uniformly with the variance 2 * gain ** 2 / (fan_in + fan_out) (Glorot, 2010)."""
    bound = math.sqrt(3.0) * xavier_std(tensor, gain)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    """Draw normally with the variance 2 * gain ** 2 / (fan_in + fan_out) (Glorot, 2010)."""
    return normal_(tensor, 0.0, xavier_std(tensor, gain), generator)


def xavier_std(tensor, gain):
    return gain * math.sqrt(2.0 / sum(fans(tensor)))


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Draw uniformly with the variance gain ** 2 / fan (He, 2015); `a` is leaky_relu's slope."""
    bound = math.sqrt(3.0) * kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Draw normally with the variance gain ** 2 / fan (He, 2015); `a` is leaky_relu's slope."""
    return normal_(tensor, 0.0, kaiming_std(tensor, a, mode, nonlinearity), generator)


def kaiming_std(tensor, a, mode, nonlinearity):
    gains = {"linear": 1, "sigmoid": 1, "tanh": 5 / 3, "relu": math.sqrt(2),
             "leaky_relu": math.sqrt(2 / (1 + a ** 2))}
    if nonlinearity not in gains:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return gains[nonlinearity] / math.sqrt(fans(tensor)[mode == "fan_out"])


def fans(tensor):
    """Return how many inputs an output has (fan_in), and how many outputs an input (fan_out)."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 "
                         "dimensions")
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field
