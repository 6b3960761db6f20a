"""Normalization of groups of channels, and the gated linear unit (half of a tensor gates the rest)."""
from __future__ import annotations

import numpy as np

from ..autograd.differentiable import differentiable
from .activation import sigmoid
from .either import ndim_of
from .joining import _cat
from .normalization import _over_channels, along_channels, centered, through_standardized
from .operands import float_only
from .shape import _reshape
from .slicing import _slice


def _standardized(input, group, eps):
    """Each group of channels with mean 0 and variance 1, as (N, group, rest), and 1 / deviation."""
    return centered(_reshape(input, (input.shape[0], group, -1)), (-1,), eps)


def _group_input(grad, input, weight, group, eps):
    x_hat, rstd = _standardized(input, group, eps)
    if weight is not None:
        grad = grad * along_channels(weight, ndim_of(input))
    return _reshape(through_standardized(_reshape(grad, x_hat.shape), x_hat, rstd, (-1,)), input.shape)


def _group_weight(grad, input, group, eps):
    x_hat, _ = _standardized(input, group, eps)
    return _over_channels(grad * _reshape(x_hat, input.shape), ndim_of(input))


@differentiable("NativeGroupNormBackward0", input=_group_input, weight=_group_weight,
                bias=lambda grad: _over_channels(grad, ndim_of(grad)))
def _native_group_norm(input, weight, bias, group, eps):
    """Mean 0 and variance 1 over each of the groups of channels of input (N, C, ...)."""
    grouped = input.reshape(input.shape[0], group, -1)
    away = grouped - np.mean(grouped, -1, keepdims=True)
    deviation = np.sqrt(np.mean(away * away, -1, keepdims=True) + input.dtype.type(eps))
    result = (away / deviation).reshape(input.shape)
    if weight is not None:
        result *= along_channels(weight, input.ndim)
    if bias is not None:
        result += along_channels(bias, input.ndim)
    return result


def _halves(x, dim):
    half = x.shape[dim] // 2
    return _slice(x, dim, 0, half, 1), _slice(x, dim, half, 2 * half, 1)


def _glu_gradient(grad, self, dim):
    value, gate = _halves(self, dim)
    gate = sigmoid(gate)
    return _cat([grad * gate, grad * value * gate * (1 - gate)], dim)


@differentiable("GluBackward0", self=_glu_gradient)
def _glu(self, dim):
    """The first half along `dim` times the sigmoid of the second."""
    float_only(self, "glu_cpu")
    value, gate = np.split(self, 2, dim)
    return value / (1 + np.exp(-gate))
