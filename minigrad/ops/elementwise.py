"""Smooth functions of one number, computed for each element: exp, log, sin, tanh.

A line of the table holds all there is to know of a function: the node that it leaves in
the graph, what NumPy computes, and its gradient, which is `grad` times the derivative.
"""
import numpy as np

from .. import dtypes
from .declaring import declare
from .formulas import ONE, plus, times


def smooth(node_name, compute, gradient):
    """Declare a function whose values are floats, also those of integers and bools."""
    def forward(self):
        """Compute the function of this name for each number, as floats."""
        if self.dtype.kind != "f":
            self = self.astype(dtypes.Default.numpy)
        return compute(self)
    return declare(node_name, forward, self=gradient)


def _rsqrt(self):
    return 1 / np.sqrt(self)


def _sigmoid(self):
    one = ONE[self.dtype]
    return one / (one + np.exp(-self))


exp = smooth("ExpBackward0", np.exp, lambda grad, result: grad * result)
log = smooth("LogBackward0", np.log, lambda grad, self: grad / self)
log1p = smooth("Log1PBackward0", np.log1p, lambda grad, self: grad / plus(self, 1))
sqrt = smooth("SqrtBackward0", np.sqrt, lambda grad, result: grad / times(result, 2))
rsqrt = smooth(
    "RsqrtBackward0", _rsqrt, lambda grad, result: times(grad, -0.5) * result ** 3)
reciprocal = smooth(
    "ReciprocalBackward0", np.reciprocal,
    lambda grad, result: -grad * (result * result))
sin = smooth("SinBackward0", np.sin, lambda grad, self: grad * cos(self))
cos = smooth("CosBackward0", np.cos, lambda grad, self: grad * -sin(self))
tan = smooth("TanBackward0", np.tan, lambda grad, result: grad * plus(result ** 2, 1))
tanh = smooth(
    "TanhBackward0", np.tanh, lambda grad, result: tanh_backward(grad, result))
sigmoid = smooth(
    "SigmoidBackward0", _sigmoid, lambda grad, result: sigmoid_backward(grad, result))


# PyTorch records these two gradients as one node each.

def _tanh_backward(grad_output, output):
    return grad_output * (ONE[output.dtype] - output * output)


def _sigmoid_backward(grad_output, output):
    return grad_output * (ONE[output.dtype] - output) * output


tanh_backward = declare(
    "TanhBackwardBackward0", _tanh_backward,
    grad_output=lambda grad, output: tanh_backward(grad, output),
    output=lambda grad, grad_output, output: grad * (times(output, -2) * grad_output))
sigmoid_backward = declare(
    "SigmoidBackwardBackward0", _sigmoid_backward,
    grad_output=lambda grad, output: sigmoid_backward(grad, output),
    output=lambda grad, grad_output, output: (
        grad * grad_output * plus(times(output, -2), 1)))

IN_PLACE = METHODS = """
exp log log1p sqrt rsqrt reciprocal sin cos tan tanh sigmoid
"""
