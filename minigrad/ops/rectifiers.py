"""relu and the other bends made of straight lines: leaky_relu, hardtanh, threshold, shrinking, hardswish.

Names with a leading underscore are called by position with all parameters; ``torch.nn.functional`` gives them
PyTorch's keywords and defaults.
"""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable, shared
from ..autograd.inplace import in_place
from ..memory import elementwise_layout
from ..messages import argument_must_be, counts_arguments, only_number
from ..tensor import Tensor
from .comparison import logical_and, where
from .elementwise import zeros_like
from .operands import float_only, not_bool, not_differentiable

GRADIENT_FIRST = True       # see Operation.gradient_first

ZERO = {dtype: np.zeros((), dtype) for dtype in dtypes.BY_NUMPY}


def zero(like):
    return ZERO[like.dtype]


@differentiable("ReluBackward0", self=lambda grad, result: threshold_backward(grad, result, 0))
def relu(self):
    """The larger of self and 0; its gradient at 0 is 0."""
    if self.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    return np.maximum(ZERO[self.dtype], self)       # in this order -0. stays, as in PyTorch


@differentiable("ThresholdBackwardBackward0",
                grad_output=lambda grad, self, threshold: threshold_backward(grad, self, threshold),
                self=lambda grad: zeros_like(grad))
def threshold_backward(grad_output, self, threshold):
    """The gradient where `self` is above the threshold (or nan), 0 elsewhere."""
    return elementwise_layout(np.where(self <= threshold, zero(grad_output), grad_output), self, grad_output)


@differentiable("ThresholdBackward0",
                self=lambda grad, self, threshold: threshold_backward(grad, self, threshold))
def _threshold(self, threshold, value):
    return _threshold_array(self, threshold, value)


@differentiable("ThresholdBackward1",
                self=lambda grad, self, threshold: threshold_backward(grad, self, threshold))
def _threshold_in_place(self, threshold, value):
    return _threshold_array(self, threshold, value)


def _threshold_array(self, threshold, value):
    not_bool(self, "threshold_cpu")
    return np.where(self <= threshold, np.asarray(value, self.dtype), self)


def threshold(self, threshold, value, inplace=False):
    """self where it is above `threshold`, `value` elsewhere."""
    only_number(threshold)
    only_number(value)
    return (_write_threshold if inplace else _threshold)(self, threshold, value)


@differentiable("LeakyReluBackward0",
                self=lambda grad, self, negative_slope: leaky_relu_backward(grad, self, negative_slope))
def _leaky_relu(self, negative_slope):
    float_only(self, "leaky_relu_cpu")
    return np.where(self > 0, self, self * self.dtype.type(negative_slope))


@differentiable("LeakyReluBackward1",
                self=lambda grad, result, negative_slope: leaky_relu_backward(grad, result, negative_slope))
def _leaky_relu_in_place(self, negative_slope):
    float_only(self, "leaky_relu_cpu")
    if negative_slope < 0:
        raise RuntimeError(negative_slope_refused("leakyReluBackward"))
    return np.where(self > 0, self, self * self.dtype.type(negative_slope))


def negative_slope_refused(name):
    return (f"In-place {name} calculation is triggered with a negative slope which is not supported. This is "
            "caused by calling in-place forward function with a negative slope, please call out-of-place "
            "version instead.")


@differentiable("LeakyReluBackwardBackward0",
                grad_output=lambda grad, self, negative_slope:
                leaky_relu_backward(grad, self, negative_slope),
                self=lambda grad: zeros_like(grad))
def leaky_relu_backward(grad_output, self, negative_slope):
    result = np.where(self > 0, grad_output, grad_output * grad_output.dtype.type(negative_slope))
    return elementwise_layout(result, self, grad_output)


@differentiable("HardtanhBackward0",
                self=lambda grad, self, min_val, max_val: hardtanh_backward(grad, self, min_val, max_val))
def _hardtanh(self, min_val, max_val):
    if self.dtype.kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    return np.minimum(np.maximum(self, np.asarray(min_val, self.dtype)), np.asarray(max_val, self.dtype))


@differentiable("HardtanhBackwardBackward0",
                grad_output=lambda grad, self, min_val, max_val:
                hardtanh_backward(grad, self, min_val, max_val),
                self=lambda grad: zeros_like(grad))
def hardtanh_backward(grad_output, self, min_val, max_val):
    """The gradient strictly between the bounds, 0 elsewhere."""
    return np.where((self <= min_val) | (self >= max_val), zero(grad_output), grad_output)


@differentiable("HardshrinkBackward0", self=lambda grad, self, lambd: hardshrink_backward(grad, self, lambd))
def _hardshrink(self, lambd):
    float_only(self, "hardshrink_cpu")
    return np.where((self >= -lambd) & (self <= lambd), zero(self), self)


@differentiable("HardshrinkBackwardBackward0",
                grad_out=lambda grad, self, lambd: hardshrink_backward(grad, self, lambd),
                self=lambda grad: zeros_like(grad))
def hardshrink_backward(grad_out, self, lambd):
    return np.where((self >= -lambd) & (self <= lambd), zero(grad_out), grad_out)


@differentiable("SoftshrinkBackward0", self=lambda grad, self, lambd: softshrink_backward(grad, self, lambd))
def _softshrink(self, lambd):
    float_only(self, "softshrink_check")
    if not 0 <= lambd <= np.finfo(self.dtype).max:
        raise RuntimeError(f"lambda must be in range [0, {np.finfo(self.dtype).max:g}] for input dtype "
                           f"{dtypes.short_name(self.dtype)}, but found {lambd:g}")
    lambd = self.dtype.type(lambd)
    return np.where(self > lambd, self - lambd, np.where(self < -lambd, self + lambd, self * 0))


@differentiable("SoftshrinkBackwardBackward0",
                grad_output=lambda grad, self, lambd: softshrink_backward(grad, self, lambd),
                self=lambda grad: zeros_like(grad))
def softshrink_backward(grad_output, self, lambd):
    return np.where((self >= -lambd) & (self <= lambd), zero(grad_output), grad_output)


@differentiable("HardsigmoidBackward0", self=lambda grad, self: hardsigmoid_backward(grad, self))
def hardsigmoid(self):
    """A straight line from 0 (at -3) to 1 (at 3)."""
    float_only(self, "hardsigmoid_cpu")
    return np.minimum(np.maximum(self + 3, 0), 6) / 6


SIXTH = np.float32(1 / 6)       # PyTorch has it in float32, whatever the dtype


@not_differentiable("hardsigmoid_backward", "grad_output", "self")
def hardsigmoid_backward(grad_output, self):
    return np.where((self > -3) & (self < 3), grad_output * grad_output.dtype.type(SIXTH), zero(grad_output))


@differentiable("HardswishBackward0", self=lambda grad, self: hardswish_backward(grad, self))
def hardswish(self):
    """self * hardsigmoid(self)."""
    float_only(self, "hardswish_cpu")
    return self * np.minimum(np.maximum(self + 3, 0), 6) / 6


@differentiable("HardswishBackwardBackward0",
                grad_output=lambda grad, self: hardswish_backward(grad, self),
                self=lambda grad, grad_output, self: where(logical_and(self > -3.0, self < 3.0),
                                                           grad * grad_output / 3.0, 0.0))
def hardswish_backward(grad_output, self):
    inside = np.where(self < 3, grad_output * (self / 3 + 0.5), grad_output)
    return np.where(self <= -3, zero(grad_output), inside)


@differentiable("PreluKernelBackward0",
                self=lambda grad, self, weight: prelu_gradients(grad, self, weight, 0),
                weight=lambda grad, self, weight: prelu_gradients(grad, self, weight, 1))    # both keep both
def _prelu(self, weight):
    return np.where(self > 0, self, weight * self)


def prelu_gradients(grad, self, weight, wanted):
    """The gradient of self (0) or of the weight (1)."""
    if isinstance(grad, Tensor):
        return _prelu_backward(grad, self, weight)[wanted]
    return np.where(self > 0, zero(grad), self * grad) if wanted else np.where(self > 0, grad, weight * grad)


def _through_prelu_backward(grads, self, weight):
    of_self, of_weight = grads
    if of_self is None:
        return where(self >= 0, 0.0, of_weight * self)
    below = of_self * weight
    return where(self >= 0, of_self, below if of_weight is None else below + of_weight * self)


@shared
@differentiable("PreluKernelBackwardBackward0", outputs=("result0", "result1"),
                grad_output=_through_prelu_backward,
                self=lambda grads, grad_output, self: through_other(grads[1], grad_output, self),
                weight=lambda grads, grad_output, self: through_other(grads[0], grad_output, self))
def _prelu_backward(grad_output, self, weight):
    return [prelu_gradients(grad_output, self, weight, wanted) for wanted in (0, 1)]


def through_other(grad, grad_output, self):
    return zeros_like(self) if grad is None else where(self >= 0, 0.0, grad_output * grad)


@counts_arguments
def prelu(self, weight):
    """self above 0, weight * self below; one weight for all or one for each channel (dimension 1)."""
    if not isinstance(weight, Tensor):
        raise argument_must_be("prelu", "weight", 1, weight)
    count, ndim = weight._array.size, self._array.ndim
    if count != 1:
        if ndim == 0:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = self._array.shape[1] if ndim > 1 else 1
        if channels != count:
            raise RuntimeError("Mismatch of parameter numbers and input channel size. Found parameter "
                               f"numbers = {count} and channel size = {channels}.")
    if weight._array.dtype != self._array.dtype:
        kinds = [dtypes.short_name(one._array.dtype) for one in (self, weight)]
        raise RuntimeError(f"prelu: Type promoting not supported. Got {kinds[0]} and {kinds[1]}")
    if weight._array.ndim > 1:
        raise RuntimeError("prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = "
                           f"{weight._array.ndim}")
    float_only(self._array, "prelu_cpu")
    if ndim > 1 or weight._array.ndim != ndim:
        weight = weight.view([count if i == 1 or ndim == 1 else 1 for i in range(ndim)] if ndim else [])
    return _prelu(self, weight)


_write_threshold, _write_hardtanh = in_place(_threshold_in_place, repeats=True), in_place(_hardtanh)
_write_leaky_relu, relu_ = in_place(_leaky_relu_in_place), in_place(relu)
_write_hardsigmoid, _write_hardswish = in_place(hardsigmoid), in_place(hardswish)


def threshold_(self, threshold, value):
    """`threshold`, written over self."""
    return _write_threshold(self, threshold, value)


def hardshrink(self, lambd=0.5):
    """self outside [-lambd, lambd], 0 inside."""
    return _hardshrink(self, lambd)


# What PyTorch's formulas of these read first is what they saved.
for _function in relu, _threshold, _threshold_in_place, _leaky_relu, _leaky_relu_in_place, _prelu:
    _function.operation.gradient_first = False

METHODS = "relu relu_ prelu hardshrink"
FUNCTIONS_ONLY = "threshold threshold_"
