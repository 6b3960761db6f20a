"""Activations that no chapter uses: softplus, leaky_relu, elu, gelu and silu.

PyTorch records the gradient of each, except that of silu, as one node.
"""
import math

import numpy as np

from ..autograd.inplace import in_place
from ..autograd.operation import differentiable
from ..nn import functional
from ..nn.modules.module import Module
from ..ops.declaring import check_dtype, declare, plus, times, zero_gradient
from ..ops.elementwise import exp, sigmoid, sigmoid_backward, tanh

NEGATIVE_IN_PLACE = (
    "In-place {} backward calculation is triggered with a negative slope which is not "
    "supported. This is caused by calling in-place forward function with a negative "
    "slope, please call out-of-place version instead.")
REPORT_LEAKY_RELU = (
    " File an issue at https://github.com/pytorch/pytorch if you do require supporting "
    "in-place leakRelu backward calculation with negative slope")

# --- softplus -------------------------------------------------------------------------

def _softplus_backward(grad_output, self, beta, threshold):
    scaled = self * beta
    slope = 1 / (1 + np.exp(-scaled))
    return np.where(scaled > threshold, grad_output, grad_output * slope)


def softplus_second(grad, grad_output, self, beta, threshold):
    """Return the second derivative of softplus times both gradients."""
    scaled = times(self, beta)
    slope = sigmoid_backward(grad * grad_output, sigmoid(scaled))
    return times(slope * (scaled < threshold), beta)


softplus_backward = declare(
    "SoftplusBackwardBackward0", _softplus_backward,
    grad_output=lambda grad, self, beta, threshold: (
        softplus_backward(grad, self, beta, threshold)),
    self=softplus_second)


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


# --- leaky_relu -----------------------------------------------------------------------

def _compute_leaky_relu(self, negative_slope):
    check_dtype(self, "biu", "leaky_relu_cpu")
    return np.where(self > 0, self, self * negative_slope)


def _leaky_relu_backward(grad_output, self, negative_slope):
    return np.where(self > 0, grad_output, grad_output * negative_slope)


def leaky_relu_from_result(grad, result, negative_slope):
    """Return the gradient of `leaky_relu` written in place; a result has x's sign."""
    if negative_slope < 0:
        raise RuntimeError(NEGATIVE_IN_PLACE.format("leakyReLu") + REPORT_LEAKY_RELU)
    return leaky_relu_backward(grad, result, negative_slope)


leaky_relu_backward = declare(
    "LeakyReluBackwardBackward0", _leaky_relu_backward,
    grad_output=lambda grad, self, negative_slope: (
        leaky_relu_backward(grad, self, negative_slope)),
    self=zero_gradient)
_leaky_relu = declare(
    "LeakyReluBackward0", _compute_leaky_relu,
    self=lambda grad, self, negative_slope: (
        leaky_relu_backward(grad, self, negative_slope)))
_leaky_relu_ = in_place(declare(
    "LeakyReluBackward1", _compute_leaky_relu, self=leaky_relu_from_result))


def leaky_relu(input, negative_slope=0.01, inplace=False):
    """Return x where x > 0, and negative_slope * x elsewhere.

        F.leaky_relu(torch.tensor([-1., 2.]))       # tensor([-0.0100,  2.0000])
    """
    return (_leaky_relu_ if inplace else _leaky_relu)(input, negative_slope)


# --- elu ------------------------------------------------------------------------------
# Its nodes have two settings more, which are 1 for elu and others for PyTorch's selu.

def _compute_elu(self, alpha, scale, input_scale):
    check_dtype(self, "biu", "elu_cpu")
    return np.where(self > 0, self, np.expm1(self) * alpha)


def _elu_backward(grad_output, alpha, scale, input_scale, is_result, self_or_result):
    if is_result:
        slope = self_or_result + alpha
    else:
        slope = np.exp(self_or_result) * alpha
    return np.where(self_or_result <= 0, grad_output * slope, grad_output)


def elu_second(
        grad, grad_output, alpha, scale, input_scale, is_result, self_or_result):
    """Return the derivative of `elu_backward` times both gradients."""
    both = grad * grad_output * (self_or_result < 0)
    return both if is_result else elu_backward(
        both, alpha, scale, input_scale, is_result, self_or_result)


def elu_from_result(grad, result, alpha, scale, input_scale):
    """Return the gradient of `elu` written in place."""
    if alpha < 0:
        raise RuntimeError(NEGATIVE_IN_PLACE.format("elu"))
    return elu_backward(grad, alpha, scale, input_scale, True, result)


elu_backward = declare(
    "EluBackwardBackward0", _elu_backward,
    grad_output=lambda grad, alpha, scale, input_scale, is_result, self_or_result: (
        elu_backward(grad, alpha, scale, input_scale, is_result, self_or_result)),
    self_or_result=elu_second)
_elu = declare(
    "EluBackward0", _compute_elu,
    self=lambda grad, self, alpha, scale, input_scale: (
        elu_backward(grad, alpha, scale, input_scale, False, self)))
_elu_ = in_place(declare("EluBackward1", _compute_elu, self=elu_from_result))


def elu(input, alpha=1.0, inplace=False):
    """Return x where x > 0, and alpha * (exp(x) - 1) elsewhere.

        F.elu(torch.tensor([-1., 2.]))              # tensor([-0.6321,  2.0000])
    """
    return (_elu_ if inplace else _elu)(input, alpha, 1, 1)


# --- gelu -----------------------------------------------------------------------------

ROOT = math.sqrt(2 / math.pi)
CUBE = 0.044715                     # of the approximation by tanh
error_function = np.frompyfunc(math.erf, 1, 1)      # NumPy has none


def below(x):
    """Return the probability that a standard normal number is below each x."""
    erf = np.asarray(error_function(x * math.sqrt(0.5)), x.dtype)
    return 0.5 * (1 + erf)


def density(x):
    """Return the density of the standard normal distribution at an array or tensor."""
    return times(exp(times(x * x, -0.5)), 1 / math.sqrt(2 * math.pi))


def tanh_and_slopes(x):
    """Return t = tanh(u) for gelu's u = ROOT * (x + CUBE * x ** 3), u' and u''."""
    square = x * x
    t = tanh(times(x * plus(times(square, CUBE), 1), ROOT))
    return t, times(plus(times(square, 3 * CUBE), 1), ROOT), times(x, 6 * CUBE * ROOT)


def _compute_gelu(self, approximate):
    check_dtype(self, "biu", "GeluKernelImpl")
    if approximate == "tanh":
        inner = ROOT * (self + CUBE * self * self * self)
        return 0.5 * self * (1 + np.tanh(inner))
    return self * below(self)


def _gelu_backward(grad_output, self, approximate):
    if approximate == "tanh":
        t, slope, _ = tanh_and_slopes(self)
        return grad_output * 0.5 * (1 + t + self * (1 - t * t) * slope)
    return grad_output * (below(self) + self * density(self))


def gelu_second(grad, grad_output, self, approximate):
    """Return the second derivative of gelu times both gradients."""
    if approximate == "tanh":
        t, slope, second = tanh_and_slopes(self)
        bent = times(self * (second - times(t * slope * slope, 2)), 0.5)
        return grad * grad_output * plus(-t * t, 1) * (slope + bent)
    return grad * grad_output * density(self) * plus(-self * self, 2)


gelu_backward = declare(
    "GeluBackwardBackward0", _gelu_backward,
    grad_output=lambda grad, self, approximate: gelu_backward(grad, self, approximate),
    self=gelu_second)
_gelu = declare(
    "GeluBackward0", _compute_gelu,
    self=lambda grad, self, approximate: gelu_backward(grad, self, approximate))


def gelu(input, *, approximate="none"):
    """Return x times the probability that a standard normal number is below x.

    approximate="tanh": computed from a hyperbolic tangent, which differs by at most
    0.0005.

        F.gelu(torch.tensor([-1., 2.]))             # tensor([-0.1587,  1.9545])
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return _gelu(input, approximate)


# --- silu -----------------------------------------------------------------------------

def silu_backward(grad, self):
    slope = sigmoid(self)
    return grad * slope * plus(self * plus(-slope, 1), 1)


@differentiable("SiluBackward0", self=silu_backward)
def _silu(self):
    check_dtype(self, "biu", "silu_cpu")
    return self / (1 + np.exp(-self))


def silu(input, inplace=False):
    """Return x * sigmoid(x).

        F.silu(torch.tensor([-1., 2.]))             # tensor([-0.2689,  1.7616])
    """
    return _silu_(input) if inplace else _silu(input)


_silu_ = in_place(_silu)


# --- layers ---------------------------------------------------------------------------

class LogSoftmax(Module):
    """See ``functional.log_softmax``."""
    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return functional.log_softmax(input, self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


class LeakyReLU(Module):
    """See ``functional.leaky_relu``; with `inplace`, over the input itself."""
    def __init__(self, negative_slope=1e-2, inplace=False):
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input):
        return functional.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self):
        inplace = ", inplace=True" if self.inplace else ""
        return f"negative_slope={self.negative_slope}{inplace}"


class ELU(Module):
    """See ``functional.elu``; with `inplace`, over the input itself."""
    def __init__(self, alpha=1.0, inplace=False):
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input):
        return functional.elu(input, self.alpha, self.inplace)

    def extra_repr(self):
        inplace = ", inplace=True" if self.inplace else ""
        return f"alpha={self.alpha}{inplace}"


class SiLU(Module):
    """See ``functional.silu``; with `inplace`, over the input itself."""
    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input):
        return functional.silu(input, self.inplace)

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""


class GELU(Module):
    """See ``functional.gelu``."""
    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input):
        return functional.gelu(input, approximate=self.approximate)

    def extra_repr(self):
        return f"approximate={self.approximate!r}"
