"""The bends of a network as functions with PyTorch's keywords: relu, sigmoid, softmax and relatives."""
from __future__ import annotations

import warnings

from ...arguments import function_form, handing_on
from ...messages import dim_range, only_number, refuse_unless_tensor
from ...ops import activation as kernels
from ...ops import rectifiers
from ...ops import softmax as probabilities
from ...ops.activation import celu, celu_, logsigmoid, selu, selu_
from ...ops.grouping import _glu
from ...ops.rectifiers import hardshrink, relu_, threshold, threshold_

prelu = function_form(rectifiers.prelu)


def relu(input, inplace=False):
    """The larger of each number and 0."""
    return rectifiers.relu_(input) if inplace else rectifiers.relu(input)


@handing_on("relu6", "input")
def relu6(input, inplace=False):
    """Each number, moved into [0, 6]."""
    refuse_unless_tensor(input, "relu6", inplace)
    return hardtanh(input, 0, 6, inplace)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    """Each number, moved into [min_val, max_val]."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return (rectifiers._write_hardtanh if inplace else rectifiers._hardtanh)(input, min_val, max_val)


def leaky_relu(input, negative_slope=0.01, inplace=False):
    """x above 0, negative_slope * x below."""
    return (rectifiers._write_leaky_relu if inplace else rectifiers._leaky_relu)(input, negative_slope)


def elu(input, alpha=1.0, inplace=False):
    """x above 0, alpha * (e ** x - 1) below."""
    return (kernels._write_elu if inplace else kernels._elu)(input, alpha, 1, 1)


def hardtanh_(input, min_val=-1.0, max_val=1.0):
    """`hardtanh`, written over its input."""
    return hardtanh(input, min_val, max_val, inplace=True)


def leaky_relu_(input, negative_slope=0.01):
    """`leaky_relu`, written over its input."""
    return leaky_relu(input, negative_slope, inplace=True)


def elu_(input, alpha=1.0):
    """`elu`, written over its input."""
    return elu(input, alpha, inplace=True)


def gelu(input, *, approximate="none"):
    """x times the share of a normal distribution that lies below x; ``approximate="tanh"`` is a short cut."""
    return kernels._gelu(input, approximate)


def silu(input, inplace=False):
    """x * sigmoid(x)."""
    return kernels._write_silu(input) if inplace else kernels.silu(input)


def mish(input, inplace=False):
    """x * tanh(softplus(x))."""
    return kernels._write_mish(input) if inplace else kernels.mish(input)


def hardsigmoid(input, inplace=False):
    """A straight line from 0 at -3 to 1 at 3."""
    return rectifiers._write_hardsigmoid(input) if inplace else rectifiers.hardsigmoid(input)


def hardswish(input, inplace=False):
    """x * hardsigmoid(x)."""
    return rectifiers._write_hardswish(input) if inplace else rectifiers.hardswish(input)


@function_form
def softplus(input, beta=1, threshold=20):
    """log(1 + e ** (beta * x)) / beta; x itself where beta * x is above `threshold`."""
    only_number(beta)
    only_number(threshold)
    return kernels._softplus(input, beta, threshold)


@function_form
def softshrink(input, lambd=0.5):
    """x moved towards 0 by `lambd`, at most to 0."""
    return rectifiers._softshrink(input, lambd)


def softsign(input):
    """x / (1 + |x|)."""
    return input / (input.abs() + 1)


def tanhshrink(input):
    """x - tanh(x)."""
    return input - input.tanh()


def tanh(input):
    """The hyperbolic tangent."""
    return input.tanh()


def sigmoid(input):
    """1 / (1 + e ** -x)."""
    return input.sigmoid()


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    """e ** x along `dim`, divided by its sum."""
    dim = chosen_dim("softmax", input, dim, _stacklevel)
    return input.softmax(dim, dtype)


def softmin(input, dim=None, _stacklevel=3, dtype=None):
    """softmax(-x)."""
    dim = chosen_dim("softmin", input, dim, _stacklevel)
    return (-input).softmax(dim, dtype)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    """The logarithm of softmax, exact also where softmax is nearly 0."""
    dim = chosen_dim("log_softmax", input, dim, _stacklevel)
    return input.log_softmax(dim, dtype)


def chosen_dim(name, input, dim, stacklevel):
    """The dimension that PyTorch picks, with a warning, if none is given."""
    if dim is not None:
        return dim
    ndim = input.dim()
    warnings.warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include "
                  "dim=X as an argument.", UserWarning, stacklevel=stacklevel)
    return 0 if ndim in (0, 1, 3) else 1


def glu(input, dim=-1):
    """The first half along `dim` times the sigmoid of the second."""
    if not input.dim():
        raise RuntimeError("glu does not support scalars because halving size must be even")
    shape = input._array.shape
    dim = dim_range(dim, len(shape))
    if shape[dim] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {shape[dim]}")
    return _glu(input, dim)


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    """A random choice according to softmax(logits), through which gradients flow.

    hard: exactly 0 or 1 forward, but the gradient of the soft choice.
    """
    noise = -logits.detach().clone().exponential_().log()
    soft = probabilities.softmax((logits + noise) / tau, dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    chosen = soft.detach().clone().zero_().scatter_(dim, index, 1.0)
    return chosen - soft.detach() + soft


__all__ = ["celu", "celu_", "elu", "elu_", "gelu", "glu", "gumbel_softmax", "hardshrink", "hardsigmoid",
           "hardswish", "hardtanh", "hardtanh_", "leaky_relu", "leaky_relu_", "log_softmax", "logsigmoid",
           "mish", "prelu", "relu", "relu6", "relu_", "selu", "selu_", "sigmoid", "silu", "softmax",
           "softmin", "softplus", "softshrink", "softsign", "tanh", "tanhshrink", "threshold", "threshold_"]
