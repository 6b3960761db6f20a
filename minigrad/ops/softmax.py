"""Numbers turned into probabilities: softmax, its logarithm, and logsumexp, computed so that nothing
overflows."""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from ..memory import by_rows
from ..messages import not_implemented_for
from ..tensor import Tensor
from .dims import dims_of, one_dim, unsqueezed
from .elementwise import exp, floating, log
from .reduction import _sum_dim, cast, shape_of
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
    weighted = grad_output * output
    return (grad_output - (in_turn(weighted, dim) if output.ndim else weighted)) * output


@differentiable("SoftmaxBackward0", self=lambda grad, result, dim: _softmax_backward_data(grad, result, dim))
def _softmax(self, dim):
    if self.dtype.kind != "f":
        raise not_implemented_for(f"softmax_{lastdim(self, dim)}kernel_impl", self.dtype)
    if not self.ndim:
        return np.ones_like(self) * (self - self + 1)
    if not self.size:
        return self.copy()
    self = by_rows(self)
    powers = powers_of(self - np.maximum.reduce(self, dim, None, None, True))
    return powers * (1 / in_turn(powers, dim))


def powers_of(x):
    """exp(x); of a few float32 numbers rounded correctly, as PyTorch's nearly always is."""
    if x.dtype == dtypes.FLOAT32 and x.size < 4096:
        return np.exp(x, dtype=dtypes.FLOAT64).astype(dtypes.FLOAT32)
    return exp_of(x)


def in_turn(x, dim):
    """The sum along a dimension, one number after the other if there are fewer than 16, as PyTorch's softmax
    does."""
    if x.shape[dim] < 8:
        return np.add.reduce(x, dim, None, None, True)
    if x.shape[dim] < 16 and x.dtype != np.float16:
        return np.add.accumulate(x, dim)[(slice(None),) * (dim % x.ndim) + (slice(-1, None),)]
    return add_up(x, (dim,), True)


def softmax(self, dim, dtype=None):
    """exp(x) / sum(exp(x)) along `dim`: positive numbers that add up to 1."""
    return _softmax(cast(self, dtype), raw_dim(dim, self))


# --- its logarithm ------------------------------------------------------------------------------------------

@differentiable("LogSoftmaxBackwardDataBackward0",
                grad_output=lambda grad, output, dim: grad - summed(grad * exp(output), dim),
                output=lambda grad, grad_output, output, dim: -summed(grad_output, dim) * exp(output) * grad)
def _log_softmax_backward_data(grad_output, output, dim):
    total = in_turn(grad_output, dim) if output.ndim else grad_output
    if output.dtype != dtypes.FLOAT32:
        return grad_output - exp_of(output) * total
    # multiplied and subtracted in one step, as PyTorch does: without rounding the product
    product = powers_of(output).astype(dtypes.FLOAT64) * total
    return (grad_output - product).astype(dtypes.FLOAT32)


@differentiable("LogSoftmaxBackward0",
                self=lambda grad, result, dim: _log_softmax_backward_data(grad, result, dim))
def _log_softmax(self, dim):
    if self.dtype.kind != "f":
        raise not_implemented_for(f"log_softmax_{lastdim(self, dim)}kernel_impl", self.dtype)
    if not self.ndim:
        return self - self
    if not self.size:
        return self.copy()
    self = by_rows(self)
    lowered = self - np.maximum.reduce(self, dim, None, None, True)
    return lowered - log_of(in_turn(powers_of(lowered), dim))


def log_softmax(self, dim, dtype=None):
    """log(softmax(x)) along `dim`, without ever forming a probability that could round to 0."""
    return _log_softmax(cast(self, dtype), raw_dim(dim, self))


def lastdim(self, dim):
    """How PyTorch names its function for the last dimension."""
    return "lastdim_" if self.ndim and dim % self.ndim == self.ndim - 1 else ""


def raw_dim(dim, self):
    """The dimension as it was given, once it is known to exist."""
    if not isinstance(self, Tensor) or -self._array.ndim <= dim < self._array.ndim:
        return dim
    return one_dim(dim, self._array.ndim)


METHODS = "logsumexp softmax log_softmax"
