"""The softplus, a smooth relu, and its gradient."""
import numpy as np

from ..autograd.operation import differentiable
from ..ops.declaring import check_dtype, declare
from ..ops.elementwise import sigmoid, sigmoid_backward
from ..ops.formulas import times


def _softplus_backward(grad_output, self, beta, threshold):
    scaled = self * beta
    slope = 1 / (1 + np.exp(-scaled))
    return np.where(scaled > threshold, grad_output, grad_output * slope)


def gradient_of_self(grad, grad_output, self, beta, threshold):
    """Return the second derivative of softplus times both gradients."""
    scaled = times(self, beta)
    slope = sigmoid_backward(grad * grad_output, sigmoid(scaled))
    return times(slope * (scaled < threshold), beta)


softplus_backward = declare(
    "SoftplusBackwardBackward0", _softplus_backward,
    grad_output=lambda grad, self, beta, threshold: (
        softplus_backward(grad, self, beta, threshold)),
    self=gradient_of_self)


@differentiable(
    "SoftplusBackward0",
    self=lambda grad, self, beta, threshold: (
        softplus_backward(grad, self, beta, threshold)))
def _softplus(self, beta, threshold):
    check_dtype(self, "biu", "softplus_cpu")
    scaled = self * beta
    return np.where(scaled > threshold, self, np.log1p(np.exp(scaled)) / beta)


def softplus(input, beta=1, threshold=20):
    """Return log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold.

        F.softplus(torch.tensor([0., 100.]))        # tensor([  0.6931, 100.0000])
    """
    return _softplus(input, beta, threshold)
