"""First values: ones, and values that keep the variance of a signal between layers.

Xavier's are for layers with tanh, Kaiming's for layers with relu.  The numbers are
PyTorch's for the same seed.
"""
import math

from ..nn.init import constant_, normal_, uniform_


def ones_(tensor):
    """Set every number to 1."""
    return constant_(tensor, 1.0)


def xavier_uniform_(tensor, gain=1.0, generator=None):
    """Draw uniformly, with the variance 2 * gain ** 2 / (fan_in + fan_out).

    By Glorot and Bengio, 2010.
    """
    bound = math.sqrt(3.0) * xavier_std(tensor, gain)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    """Draw normally, with the variance 2 * gain ** 2 / (fan_in + fan_out)."""
    return normal_(tensor, 0.0, xavier_std(tensor, gain), generator)


def xavier_std(tensor, gain):
    return gain * math.sqrt(2.0 / sum(fans(tensor)))


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu",
                     generator=None):
    """Draw uniformly, with the variance gain ** 2 / fan.

    By He and others, 2015; `a` is the slope of leaky_relu below 0.
    """
    bound = math.sqrt(3.0) * kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu",
                    generator=None):
    """Draw normally, with the variance gain ** 2 / fan."""
    std = kaiming_std(tensor, a, mode, nonlinearity)
    return normal_(tensor, 0.0, std, generator)


def kaiming_std(tensor, a, mode, nonlinearity):
    gains = {
        "linear": 1,
        "sigmoid": 1,
        "tanh": 5 / 3,
        "relu": math.sqrt(2),
        "leaky_relu": math.sqrt(2 / (1 + a ** 2)),
    }
    if nonlinearity not in gains:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of "
                         "['fan_in', 'fan_out']")
    fan_in, fan_out = fans(tensor)
    fan = fan_in if mode == "fan_in" else fan_out
    return gains[nonlinearity] / math.sqrt(fan)


def fans(tensor):
    """Return how many inputs an output has, and how many outputs an input has."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer "
                         "than 2 dimensions")
    outputs, inputs, *field = tensor.shape
    size = math.prod(field)
    return inputs * size, outputs * size
