"""First values for parameters: written in place, without being recorded, from PyTorch's own draws.

Each function fills the tensor it is given and returns it.
"""
from __future__ import annotations

import math
import warnings

import numpy as np

from .. import sampling as draw
from ..autograd.grad_mode import no_grad
from ..messages import without
from ..random_ops import drawn_from
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


def eye_(tensor):
    """1 on the diagonal of a matrix, 0 elsewhere."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with no_grad():
        tensor.copy_(wrap(np.eye(*tensor._array.shape, dtype=tensor._array.dtype)))
    return tensor


def xavier_uniform_(tensor, gain=1.0, generator=None):
    """Uniform with the variance 2 / (fan_in + fan_out), times gain ** 2 (Glorot and Bengio, 2010)."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    bound = math.sqrt(3.0) * gain * math.sqrt(2.0 / float(fan_in + fan_out))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    """Normal with the variance 2 / (fan_in + fan_out), times gain ** 2 (Glorot and Bengio, 2010)."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(fan_in + fan_out)), generator)


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Uniform with the variance gain ** 2 / fan (He and others, 2015); `a` is leaky_relu's slope below 0."""
    if 0 in tensor._array.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", UserWarning, stacklevel=2)
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Normal with the variance gain ** 2 / fan (He and others, 2015); `a` is leaky_relu's slope below 0."""
    if 0 in tensor._array.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", UserWarning, stacklevel=2)
        return tensor
    return normal_(tensor, 0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def _kaiming_std(tensor, a, mode, nonlinearity):
    return calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode))


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    """The bell curve between a and b: what falls outside is drawn again."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn("mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of "
                      "values may be incorrect.", UserWarning, stacklevel=2)
    low, high = [(1.0 + math.erf((bound - mean) / std / math.sqrt(2.0))) / 2.0 for bound in (a, b)]
    with no_grad():
        if high - low > 0.3:
            values = _drawn_until_inside(tensor.normal_(mean, std, generator=generator), mean, std, a, b,
                                         generator)
        else:
            values = _drawn_until_under_curve(tensor.uniform_(a, b, generator=generator), mean, std, a, b,
                                              generator)
        if values is not tensor._array:
            tensor.copy_(wrap(values))
    return tensor


def _drawn_until_inside(tensor, mean, std, a, b, generator):
    """Normal numbers; those outside [a, b] are replaced by further ones until there are none."""
    values = tensor._array
    low, high = values.dtype.type(a), values.dtype.type(b)
    while True:
        outside = (values < low) | (values > high)
        if not outside.any():
            return values
        again = draw.normal(values.shape, values.dtype, mean, std, drawn_from(generator),
                            values.flags.c_contiguous)
        values = np.where(outside, again, values)


def _drawn_until_under_curve(tensor, mean, std, a, b, generator):
    """Even numbers, each kept with a probability in proportion to the bell curve there."""
    values, candidates, pending = tensor._array, tensor._array, None
    number = values.dtype.type
    highest = number(-0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2)
    while True:
        height = ((candidates - number(mean)) / number(std)) ** 2 * number(-0.5) - highest
        chance = draw.uniform(values.shape, values.dtype, generator=drawn_from(generator))
        with np.errstate(divide="ignore"):
            refused = np.log(chance) > height
        pending = refused if pending is None else pending & refused
        if not pending.any():
            return values
        candidates = draw.uniform(values.shape, values.dtype, a, b, drawn_from(generator))
        values = np.where(pending, candidates, values)


def orthogonal_(tensor, gain=1, generator=None):
    """A matrix (further dimensions count as columns) with orthonormal rows or columns, times gain."""
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    array = tensor._array
    if not array.size:
        return tensor
    rows, columns = len(array), array.size // len(array)
    flat = draw.normal((rows, columns), array.dtype, generator=drawn_from(generator))
    q, r = np.linalg.qr(flat.T if rows < columns else flat)
    q = q * np.sign(np.diagonal(r))         # makes the choice even among all such matrices
    with no_grad():
        return tensor.copy_(wrap((q.T if rows < columns else q).reshape(array.shape))).mul_(gain)


def sparse_(tensor, sparsity, std=0.01, generator=None):
    """Normal numbers, of which a share `sparsity` in each column is 0."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor._array.shape
    zeros = int(math.ceil(sparsity * rows))
    with no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor._array[draw.randperm(rows, generator=drawn_from(None))[:zeros], column] = 0
            tensor._get_counter().value += 1
    return tensor


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


uniform, normal, constant, eye = [_deprecated(f) for f in (uniform_, normal_, constant_, eye_)]
xavier_uniform, xavier_normal = _deprecated(xavier_uniform_), _deprecated(xavier_normal_)
kaiming_uniform, kaiming_normal = _deprecated(kaiming_uniform_), _deprecated(kaiming_normal_)
orthogonal, sparse = _deprecated(orthogonal_), _deprecated(sparse_)

__getattr__ = without(__name__)
