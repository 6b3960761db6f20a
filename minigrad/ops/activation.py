"""The smooth bends of neural networks: sigmoid, softplus, elu, gelu and their relatives.

Names with a leading underscore are called by position with all parameters; ``torch.nn.functional`` gives them
PyTorch's keywords and defaults.
"""
from __future__ import annotations

import math

import numpy as np

from ..autograd.differentiable import differentiable
from ..autograd.inplace import in_place
from ..memory import by_rows, elementwise_layout
from ..messages import refuse_unless_tensor
from ..tensor import Tensor
from . import lanes, rounding
from .arithmetic import minus
from .comparison import logical_and, where
from .elementwise import ONE, exp, floating, log1p, tanh
from .lanes import exp_in_loop
from .operands import float_only
from .rounding import multiply_add, one_minus_square
from .special import erf_array

GRADIENT_FIRST = True       # see Operation.gradient_first

# --- sigmoid and what is made of it -------------------------------------------------------------------------

@differentiable("SigmoidBackward0", self=lambda grad, result: sigmoid_backward(grad, result))
def sigmoid(self):
    """1 / (1 + e ** -self)."""
    self = floating(self)
    return np.reciprocal(exp_in_loop(-self) + ONE[self.dtype])


@differentiable("SigmoidBackwardBackward0",
                grad_output=lambda grad, output: sigmoid_backward(grad, output),
                output=lambda grad, grad_output, output: grad * grad_output * (-2 * output + 1))
def sigmoid_backward(grad_output, output):
    """The gradient of sigmoid from its result."""
    return elementwise_layout(grad_output * (ONE[output.dtype] - output) * output, grad_output)


@differentiable("LogSigmoidBackward0", outputs=("output", "buffer"),
                self=lambda grad, self, buffer: log_sigmoid_backward(grad, self, buffer))
def _log_sigmoid(self):
    float_only(self, "log_sigmoid_cpu")
    self = by_rows(self)
    small = lanes.exp(-np.abs(self))
    return np.minimum(self, 0) - lanes.log1p(small), small


def logsigmoid(self):
    """log(sigmoid(self)), exact far below 0."""
    return _log_sigmoid(self)[0]


logsigmoid.__name__ = logsigmoid.__qualname__ = "log_sigmoid"       # as PyTorch calls it


def _log_sigmoid_curvature(grad, grad_output, self):
    slope = sigmoid(self)
    return grad * grad_output * (slope - 1) * slope


@differentiable("LogSigmoidBackwardBackward0",
                grad_output=lambda grad, self, buffer: log_sigmoid_backward(grad, self, buffer),
                self=_log_sigmoid_curvature,
                buffer=None)
def log_sigmoid_backward(grad_output, self, buffer):
    """`buffer` is e ** -abs(self)."""
    share = buffer / (1 + buffer)
    return grad_output * np.where(self < 0, 1 - share, share)


@differentiable("LogitBackward0", self=lambda grad, self, eps: _logit_gradient(grad, self, eps))
def _logit(self, eps):
    x = floating(self)
    if eps is not None:
        x = np.minimum(np.maximum(x, x.dtype.type(eps)), x.dtype.type(1 - eps))
    return rounding.log(x / (1 - x))


def _logit_gradient(grad, self, eps):
    outside, low = (math.nan, 0.0) if eps is None else (0.0, eps)
    inside = logical_and(self >= low, self <= 1 - low)
    return where(inside, grad / (self * minus(1, self)), outside)


def logit(self, eps=None):
    """log(self / (1 - self)), with self moved into [eps, 1 - eps] before if `eps` is given."""
    return _logit(self, eps)


def logit_(self, eps=None):
    """`logit`, written over self."""
    return _write_logit(self, eps)


def _silu_gradient(grad, self):
    slope = sigmoid(self)
    return grad * slope * multiply_add(self, minus(1, slope), 1)


@differentiable("SiluBackward0", self=_silu_gradient)
def silu(self):
    """self * sigmoid(self)."""
    float_only(self, "silu_cpu")
    return self / (1 + exp_in_loop(-self))


def _mish_gradient(grad, self):
    slope, curve = sigmoid(self), tanh(log1p(exp(self)))
    if isinstance(self, Tensor):        # PyTorch has one formula for derivatives, and one for numbers alone
        falling = minus(1, curve * curve)
        return grad * (curve + self * slope * falling)
    return grad * multiply_add(self * slope, one_minus_square(curve), curve)


@differentiable("MishBackward0", self=_mish_gradient)
def mish(self):
    """self * tanh(softplus(self))."""
    float_only(self, "mish_cpu")
    return self * rounding.tanh(rounding.log1p(rounding.exp(self)))


@differentiable("SoftplusBackward0",
                self=lambda grad, self, beta, threshold: softplus_backward(grad, self, beta, threshold))
def _softplus(self, beta, threshold):
    float_only(self, "softplus_cpu")
    scaled = self * self.dtype.type(beta)
    return np.where(scaled > threshold, self, rounding.log1p(rounding.exp(scaled)) / self.dtype.type(beta))


def _softplus_curvature(grad, grad_output, self, beta, threshold):
    scaled = self * beta
    return sigmoid_backward(grad * grad_output, sigmoid(scaled)) * (scaled < threshold) * beta


@differentiable("SoftplusBackwardBackward0",
                grad_output=lambda grad, self, beta, threshold:
                softplus_backward(grad, self, beta, threshold),
                self=_softplus_curvature)
def softplus_backward(grad_output, self, beta, threshold):
    scaled = self * self.dtype.type(beta)
    power = rounding.exp(scaled)
    return np.where(scaled > threshold, grad_output, grad_output * power / (power + 1))


# --- elu ----------------------------------------------------------------------------------------------------

def _elu_array(self, alpha, scale, input_scale):
    float_only(self, "elu_cpu")
    number = self.dtype.type
    return np.where(self > 0, self * number(scale),
                    rounding.expm1(self * number(input_scale)) * number(alpha * scale))


@differentiable("EluBackward0", self=lambda grad, alpha, scale, input_scale, self:
                elu_backward(grad, alpha, scale, input_scale, False, self))
def _elu(self, alpha, scale, input_scale):
    return _elu_array(self, alpha, scale, input_scale)


@differentiable("EluBackward1", self=lambda grad, alpha, scale, input_scale, result:
                elu_backward(grad, alpha, scale, input_scale, True, result))
def _elu_in_place(self, alpha, scale, input_scale):
    return _elu_array(self, alpha, scale, input_scale)


@differentiable("CeluBackward0", self=lambda grad, alpha, self:
                elu_backward(grad, alpha, 1, 1 / alpha, False, self))
def _celu(self, alpha):
    return _elu_array(self, alpha, 1, 1 / check_celu_alpha(alpha))


@differentiable("CeluBackward1", self=lambda grad, alpha, result:
                elu_backward(grad, alpha, 1, 1 / alpha, True, result))
def _celu_in_place(self, alpha):
    return _elu_array(self, alpha, 1, 1 / check_celu_alpha(alpha))


def check_celu_alpha(alpha):
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return alpha


def _elu_curvature(grad, grad_output, alpha, scale, input_scale, is_result, self_or_result):
    below = self_or_result < 0
    if is_result:
        return where(below, grad * grad_output * input_scale, 0.0)
    slope = exp(self_or_result * input_scale) * (input_scale * scale * alpha * input_scale)
    return where(below, grad * grad_output * slope, 0.0)


@differentiable("EluBackwardBackward0",
                grad_output=lambda grad, alpha, scale, input_scale, is_result, self_or_result:
                elu_backward(grad, alpha, scale, input_scale, is_result, self_or_result),
                self_or_result=_elu_curvature)
def _elu_backward(grad_output, self_or_result, alpha, scale, input_scale, is_result):
    number = grad_output.dtype.type
    below = grad_output * number(input_scale)
    if is_result:
        below = below * (self_or_result + number(alpha * scale))
    else:
        below = below * number(alpha * scale) * exp_in_loop(self_or_result * number(input_scale))
    return np.where(self_or_result <= 0, below, grad_output * number(scale))


def elu_backward(grad_output, alpha, scale, input_scale, is_result, self_or_result):
    """The gradient of elu, from its input or its result."""
    return _elu_backward(grad_output, self_or_result, alpha, scale, input_scale, is_result)


SELU_ALPHA, SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


def celu(self, alpha=1.0, inplace=False):
    """self above 0, alpha * (e ** (self / alpha) - 1) below."""
    return (_write_celu if inplace else _celu)(self, alpha)


def selu(self, inplace=False):
    """elu, scaled so that the activations of a deep network keep mean 0 and variance 1."""
    refuse_unless_tensor(self, "selu", inplace)
    return (_write_elu if inplace else _elu)(self, SELU_ALPHA, SELU_SCALE, 1)


# --- gelu ---------------------------------------------------------------------------------------------------

TANH_FACTOR, TANH_CUBIC = math.sqrt(2 / math.pi), 0.044715


def _gelu_parts(self, approximate):
    """(the share of self that passes, the slope of gelu)."""
    if approximate == "tanh":
        t = _gelu_tanh(self)
        share, number = 0.5 * (1 + t), self.dtype.type
        inner = number(TANH_FACTOR) * multiply_add(self * self, 3 * number(TANH_CUBIC), 1)
        return share, share + 0.5 * self * one_minus_square(t) * inner
    share = 0.5 * (1 + erf_array(self * math.sqrt(0.5)))
    return share, share + self * rounding.exp(-0.5 * self * self) * (1 / math.sqrt(2 * math.pi))


def _gelu_tanh(self):
    number = self.dtype.type
    return rounding.tanh(number(TANH_FACTOR) * multiply_add(self * self * self, number(TANH_CUBIC), self))


@differentiable("GeluBackward0", self=lambda grad, self, approximate: gelu_backward(grad, self, approximate))
def _gelu(self, approximate):
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    float_only(self, "GeluKernelImpl")
    if approximate == "tanh":
        return 0.5 * self * (1 + _gelu_tanh(self))
    share = 1 + erf_array(self * math.sqrt(0.5))
    if self.dtype != np.float32 or self.size < 2 or not self.flags.c_contiguous:
        return self * 0.5 * share
    # here PyTorch asks another library, whose error function ends before infinity
    return np.where(np.isinf(self), np.float32(math.nan), self * share * 0.5)


def _gelu_curvature(grad, grad_output, self, approximate):
    if approximate == "none":
        density = exp(self * self * -0.5) * (1 / math.sqrt(2 * math.pi))
        return grad * grad_output * density * minus(2, self * self)
    t = tanh((self + self * self * self * TANH_CUBIC) * TANH_FACTOR)
    inner = (self * self * (3 * TANH_CUBIC) + 1) * TANH_FACTOR
    bend = self * (6 * TANH_CUBIC * TANH_FACTOR)
    slope = minus(1, t * t)
    return grad * grad_output * slope * (inner + self * 0.5 * (bend - t * inner * inner * 2))


@differentiable("GeluBackwardBackward0",
                grad_output=lambda grad, self, approximate: gelu_backward(grad, self, approximate),
                self=_gelu_curvature)
def gelu_backward(grad_output, self, approximate):
    return grad_output * _gelu_parts(self, approximate)[1]


# --- in place -----------------------------------------------------------------------------------------------

_write_elu, _write_celu, _write_logit = in_place(_elu_in_place), in_place(_celu_in_place), in_place(_logit)
_write_silu, _write_mish, sigmoid_ = in_place(silu), in_place(mish), in_place(sigmoid)


def celu_(self, alpha=1.0):
    """`celu`, written over self."""
    return _write_celu(self, alpha)


def selu_(self):
    """`selu`, written over self."""
    return selu(self, inplace=True)


METHODS = "sigmoid sigmoid_ logit logit_"
FUNCTIONS_ONLY = "celu celu_ selu selu_"
