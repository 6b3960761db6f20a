"""Sums of exponentials, computed without overflow: softmax, log_softmax and logsumexp."""
import numpy as np

from .. import dtypes
from ..errors import dim_range
from .elementwise import declare, exp, refuse
from .expansion import _sum_dim, add_reduce, dims_of
from .formulas import shape_of
from .reduction import keep_dims


def below_maximum(self, dim, name):
    """Return the numbers minus the largest along `dim`: their exponentials are at most 1."""
    last = "lastdim_" if dim in (-1, self.ndim - 1) or not self.ndim else ""
    refuse("biu", self, f"{name}_{last}kernel_impl")
    return self - np.maximum.reduce(self, dim, None, None, True, initial=-np.inf)


def sum_along(x, dim):
    return _sum_dim(x, (dim,) if shape_of(x) else (), True)


def _probabilities(self, dim):
    powers = np.exp(below_maximum(self, dim, "softmax"))
    return powers / add_reduce(powers, dim, None, None, True)


def _log_probabilities(self, dim):
    self = below_maximum(self, dim, "log_softmax")
    return self - np.log(add_reduce(np.exp(self), dim, None, None, True))


_softmax = declare("SoftmaxBackward0", _probabilities, self=lambda grad, result, dim: (
    softmax_backward(grad, result, dim)))
softmax_backward = declare(
    "SoftmaxBackwardDataBackward0", lambda grad_output, output, dim: (
        (grad_output - sum_along(grad_output * output, dim)) * output),
    grad_output=lambda grad, output, dim: softmax_backward(grad, output, dim),
    output=lambda grad, grad_output, output, dim: (
        grad_output * grad - sum_along(output * grad_output, dim) * grad
        - grad_output * sum_along(output * grad, dim)))
_log_softmax = declare("LogSoftmaxBackward0", _log_probabilities, self=lambda grad, result, dim: (
    log_softmax_backward(grad, result, dim)))
log_softmax_backward = declare(
    "LogSoftmaxBackwardDataBackward0", lambda grad_output, output, dim: (
        grad_output - np.exp(output) * sum_along(grad_output, dim)),
    grad_output=lambda grad, output, dim: grad - sum_along(grad * exp(output), dim),
    output=lambda grad, grad_output, output, dim: (
        -sum_along(grad_output, dim) * exp(output) * grad))
_logsumexp = declare("LogsumexpBackward0", lambda self, dim, keepdim: np.logaddexp.reduce(
        self, dim or None, np.float64, None, keepdim).astype(
            self.dtype if self.dtype.kind == "f" else dtypes.Default.numpy),
    self=lambda grad, self, result, dim, keepdim: (
        keep_dims(grad, dim, shape_of(self), keepdim)
        * exp(self - keep_dims(result, dim, shape_of(self), keepdim))))


def softmax(self, dim, dtype=None):
    """Return exp(x) / sum(exp(x)) along `dim`: positive numbers that add up to 1.

        torch.tensor([0., 0.]).softmax(0)       # tensor([0.5000, 0.5000])
    """
    dim_range(dim, self._array.ndim)
    return _softmax(self if dtype is None else self.to(dtype), dim)


def log_softmax(self, dim, dtype=None):
    """Return log(softmax(x)) along `dim`, without computing a probability that could round to 0."""
    dim_range(dim, self._array.ndim)
    return _log_softmax(self if dtype is None else self.to(dtype), dim)


def logsumexp(self, dim, keepdim=False):
    """Return log(sum(exp(x))) along dimension(s)."""
    return _logsumexp(self, dims_of(dim, self._array.ndim), keepdim)


METHODS = "softmax log_softmax logsumexp"
