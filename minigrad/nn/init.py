"""First values for parameters: written in place, without being recorded, from PyTorch's own draws.

Each function fills the tensor it is given and returns it.
"""
from __future__ import annotations

import math
import warnings

import numpy as np

from ..random import sampling as draw
from ..autograd.grad_mode import no_grad
from ..errors import without
from ..random.tensors import drawn_from
from ..tensor import wrap


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    """Numbers spread evenly over [a, b)."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    """Numbers from the bell curve."""
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def constant_(tensor, val):
    """The same number everywhere."""
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor):
    """1 everywhere."""
    return constant_(tensor, 1.0)


def zeros_(tensor):
    """0 everywhere."""
    with no_grad():
        return tensor.zero_()


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Uniform with the variance gain ** 2 / fan (He and others, 2015); `a` is leaky_relu's slope below 0."""
    if 0 in tensor._array.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", UserWarning, stacklevel=2)
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def _kaiming_std(tensor, a, mode, nonlinearity):
    return calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode))


GAINS = {"linear": 1, "conv1d": 1, "conv2d": 1, "conv3d": 1, "conv_transpose1d": 1, "conv_transpose2d": 1,
         "conv_transpose3d": 1, "sigmoid": 1, "tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}


def calculate_gain(nonlinearity, param=None):
    """By how much the weights before this activation are to be larger, so that the variance stays."""
    if nonlinearity == "leaky_relu":
        if param is None:
            slope = 0.01
        elif isinstance(param, (int, float)) and not isinstance(param, bool):
            slope = param
        else:
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope ** 2))
    if nonlinearity not in GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return GAINS[nonlinearity]


def _calculate_fan_in_and_fan_out(tensor):
    """How many inputs and outputs each number of the tensor connects."""
    shape = tensor._array.shape
    if len(shape) < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


def _calculate_correct_fan(tensor, mode):
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _calculate_fan_in_and_fan_out(tensor)[mode == "fan_out"]


# --- the names without underscore, from before 2017 ---------------------------------------------------------

def _deprecated(function):
    old, new = function.__name__[:-1], function.__name__

    def alias(*args, **kwargs):
        warnings.warn(f"`nn.init.{old}` is now deprecated in favor of `nn.init.{new}`.", FutureWarning,
                      stacklevel=2)
        return function(*args, **kwargs)
    alias.__name__ = old
    alias.__doc__ = f"The old name of `{new}`."
    return alias


kaiming_uniform = _deprecated(kaiming_uniform_)

__getattr__ = without(__name__)
