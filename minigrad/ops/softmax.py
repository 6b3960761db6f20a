"""Numbers turned into probabilities, without overflow: softmax, its logarithm, and logsumexp."""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from ..memory import by_rows
from ..messages import not_implemented_for, only_bool
from ..tensor import Tensor
from . import lanes
from .dims import dims_of, one_dim, unsqueezed
from .either import shape_of
from .elementwise import exp, floating, log
from .reduction import _sum_dim, cast
from .rounding import multiply_add
from .summation import add_up

exp_of, log_of = exp.operation.forward, log.operation.forward


# --- logsumexp ----------------------------------------------------------------------------------------------

def _logsumexp_gradient(grad, self, result, dim, keepdim):
    sizes = shape_of(self)
    if not keepdim and sizes and dim:
        grad, result = unsqueezed(grad, dim, len(sizes)), unsqueezed(result, dim, len(sizes))
    return grad * exp(self - result)


@differentiable("LogsumexpBackward0", self=_logsumexp_gradient)
def _logsumexp(self, dim, keepdim):
    self = floating(self)
    if not self.size:
        return log_of(add_up(exp_of(self), dim, keepdim))
    largest = np.maximum.reduce(self, axis=dim or None, keepdims=True)
    largest = np.where(np.isinf(largest), np.zeros((), self.dtype), largest)     # inf - inf would be nan
    total = add_up(exp_of(self - largest), dim, keepdim)
    return log_of(total) + largest.reshape(np.shape(total))


def logsumexp(self, dim, keepdim=False):
    """log(sum(exp(x))) along dimension(s), without overflow; -inf of nothing but -inf."""
    only_bool(keepdim)
    if dim is None:
        raise TypeError("dim is None")
    if isinstance(dim, (tuple, list)) and not dim and not keepdim and self._array.ndim and self._array.size:
        raise RuntimeError("output with shape [] doesn't match the broadcast shape "
                           f"{[1] * self._array.ndim}")
    return _logsumexp(self, dims_of(dim, self._array.ndim), keepdim)


def summed(x, dim):
    """The sum along `dim`, which stays as a dimension of size 1."""
    return _sum_dim(x, (dim,) if shape_of(x) else (), True)


# --- softmax ------------------------------------------------------------------------------------------------

def _softmax_second(grad, grad_output, output, dim):
    """The derivative of the gradient of softmax with respect to the probabilities it used."""
    return (grad_output * grad
            - summed(output * grad_output, dim) * grad
            - grad_output * summed(output * grad, dim))


@differentiable("SoftmaxBackwardDataBackward0",
                grad_output=lambda grad, output, dim: _softmax_backward_data(grad, output, dim),
                output=_softmax_second)
def _softmax_backward_data(grad_output, output, dim):
    if not output.ndim:
        return (grad_output - grad_output * output) * output
    if is_last(output, dim) or output.dtype != dtypes.FLOAT32:
        return (grad_output - in_turn(grad_output * output, dim)) * output
    grads, outputs = np.moveaxis(grad_output, dim, 0), np.moveaxis(output, dim, 0)
    total = grads[0] * outputs[0]
    for one_grad, one_output in zip(grads[1:], outputs[1:]):
        total = multiply_add(one_grad, one_output, total)
    return (grad_output - np.expand_dims(total, dim)) * output


@differentiable("SoftmaxBackward0", self=lambda grad, result, dim: _softmax_backward_data(grad, result, dim))
def _softmax(self, dim):
    if self.dtype.kind != "f" and self.size:
        raise not_implemented_for(f"softmax_{lastdim(self, dim)}kernel_impl", self.dtype)
    if not self.ndim:
        return np.ones_like(self) * (self - self + 1)
    if not self.size:
        return self.copy()
    self = by_rows(self)
    powers = powers_of(self - np.maximum.reduce(self, dim, None, None, True), dim)
    total = in_turn(powers, dim)
    return powers * (1 / total) if is_last(self, dim) else powers / total


# PyTorch takes the last dimension with vector instructions, whose exponential is another function than the
# one for single numbers, and whose sums are added up lane by lane; other dimensions it adds up row by row.

def is_last(x, dim):
    return dim % x.ndim == x.ndim - 1


def powers_of(x, dim):
    """exp(x)."""
    return lanes.exp(x) if is_last(x, dim) else exp_of(x)


def in_turn(x, dim):
    """The sum along a dimension, which stays."""
    count = x.shape[dim]
    if count < 8:
        return np.add.reduce(x, dim, None, None, True)      # NumPy adds so few one after the other
    if x.dtype == np.float16:
        return add_up(x, (dim,), True)
    width = 64 // x.itemsize
    if count < width or not is_last(x, dim):
        return np.add.accumulate(x, dim)[(slice(None),) * (dim % x.ndim) + (slice(-1, None),)]
    whole = count // width * width
    sums = np.add.reduce(x[..., :whole].reshape(*x.shape[:-1], -1, width), -2)
    sums[..., :count - whole] += x[..., whole:]
    while width > 1:
        width //= 2
        sums = sums[..., :width] + sums[..., width:]
    return sums


def softmax(self, dim, dtype=None):
    """exp(x) / sum(exp(x)) along `dim`: positive numbers that add up to 1."""
    return _softmax(cast(self, dtype), raw_dim(dim, self))


# --- its logarithm ------------------------------------------------------------------------------------------

@differentiable("LogSoftmaxBackwardDataBackward0",
                grad_output=lambda grad, output, dim: grad - summed(grad * exp(output), dim),
                output=lambda grad, grad_output, output, dim: -summed(grad_output, dim) * exp(output) * grad)
def _log_softmax_backward_data(grad_output, output, dim):
    total = in_turn(grad_output, dim) if output.ndim else grad_output
    powers = powers_of(output, dim) if output.ndim else exp_of(output)
    return multiply_add(powers, -total, grad_output)


@differentiable("LogSoftmaxBackward0",
                self=lambda grad, result, dim: _log_softmax_backward_data(grad, result, dim))
def _log_softmax(self, dim):
    if self.dtype.kind != "f" and self.size:
        raise not_implemented_for(f"log_softmax_{lastdim(self, dim)}kernel_impl", self.dtype)
    if not self.ndim:
        return self - self
    if not self.size:
        return self.copy()
    self = by_rows(self)
    lowered = self - np.maximum.reduce(self, dim, None, None, True)
    return lowered - lanes.log(in_turn(powers_of(lowered, dim), dim))


def log_softmax(self, dim, dtype=None):
    """log(softmax(x)) along `dim`, without ever forming a probability that could round to 0."""
    return _log_softmax(cast(self, dtype), raw_dim(dim, self))


def lastdim(self, dim):
    """How PyTorch names its function for the last dimension."""
    return "lastdim_" if not self.ndim or dim % self.ndim == self.ndim - 1 else ""


def raw_dim(dim, self):
    """The dimension as it was given, once it is known to exist."""
    if not isinstance(self, Tensor) or type(dim) is int and -self._array.ndim <= dim < self._array.ndim:
        return dim
    return one_dim(dim, self._array.ndim)


METHODS = "logsumexp softmax log_softmax"
