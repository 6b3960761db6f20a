"""Smooth functions of one number, computed for each element: exp, log, sin, tanh.

A line of the table holds all there is to know of a function: the node that it leaves in
the graph, what NumPy computes, and its gradient, which is `grad` times the derivative.
"""
import numpy as np

from .. import dtypes
from ..autograd.operation import differentiable
from ..dtypes import NUMBERS, in_result_dtype
from ..tensor import Tensor
from .choosing import choose_where
from .declaring import (
    ONE,
    check_dtype,
    declare,
    declining,
    minus,
    plus,
    times,
    with_in_place_form,
    wrong_type,
    zero_gradient,
)


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


# --- powers ---------------------------------------------------------------------------

def gradient_of_base(grad, self, exponent):
    """Return grad * exponent * self ** (exponent - 1), which for exponent 0 is 0."""
    if exponent == 0:
        return zero_gradient(grad)      # even where self is 0: no 0 * inf
    exponent = float(exponent)
    return grad * times(self ** (exponent - 1), exponent)


@differentiable("PowBackward0", self=gradient_of_base)
def _power_of_number(self, exponent):
    if self.dtype.kind != "f" or type(exponent) not in (int, float):
        self, exponent = in_result_dtype(self, exponent)
        check_dtype(self, "b", "pow")
    return self ** exponent


def compute_power(self, exponent):
    self, exponent = in_result_dtype(self, exponent)
    if self.dtype.kind == "f":
        return self ** exponent
    check_dtype(self, "b", "pow")
    # To a negative power only 1 and -1 give integers; PyTorch returns 0 for others.
    has_power = (exponent >= 0) | (np.abs(self) == 1)
    return self ** np.abs(exponent) * has_power


def gradient_of_tensor_base(grad, self, exponent, result):
    slope = exponent * self ** minus(exponent, 1)
    return choose_where(exponent == 0, 0.0, grad * slope)


def gradient_of_exponent(grad, self, exponent, result):
    # 0 ** y is 0 for every positive y, and does not change with it.
    constant = (self == 0) & (exponent >= 0)
    return grad * choose_where(constant, 0.0, result * log(self))


def gradient_of_exponent_of_number(grad, self, exponent, result):
    slope = times(result, float(np.log(self)))
    if self == 0:
        slope = choose_where(exponent >= 0, 0.0, slope)
    return grad * slope


_power = differentiable(
    "PowBackward1",
    self=gradient_of_tensor_base, exponent=gradient_of_exponent,
)(compute_power)
_number_to_power = differentiable(
    "PowBackward2", exponent=gradient_of_exponent_of_number,
)(compute_power)


@with_in_place_form
def power(self, exponent):
    """Return self ** exponent; one of the two may be a number.

        torch.pow(torch.tensor([1., 2., 3.]), 2)        # tensor([1., 4., 9.])

    Raises NotImplementedError for bools.
    """
    base_is_tensor = isinstance(self, Tensor)
    if base_is_tensor and isinstance(exponent, NUMBERS):
        return _power_of_number, self, exponent
    if base_is_tensor and isinstance(exponent, Tensor):
        return _power, self, exponent
    if isinstance(self, NUMBERS) and isinstance(exponent, Tensor):
        return _number_to_power, self, exponent
    wrong = exponent if base_is_tensor else self
    raise wrong_type("pow", "exponent" if base_is_tensor else "input", wrong)


@with_in_place_form
def square(self):
    """Return self ** 2."""
    return _power_of_number, self, 2


IN_PLACE = METHODS = {
    "exp": exp, "log": log, "log1p": log1p, "sqrt": sqrt, "rsqrt": rsqrt,
    "reciprocal": reciprocal, "sin": sin, "cos": cos, "tan": tan, "tanh": tanh,
    "sigmoid": sigmoid, "pow": power, "square": square}
ATTRIBUTES = {
    "__pow__": declining(power),
    "__rpow__": declining(lambda self, number: power(number, self)),
    "__ipow__": declining(power.in_place),
}
