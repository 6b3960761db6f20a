"""How far an answer is from the one wanted: the sums of squares, the logarithms, and their gradients.

``reduction`` is PyTorch's number for what happens to the losses of the single elements: 0 leaves them, 1
takes their mean, 2 their sum.  The names with a leading underscore are called by position; ``nn.functional``
has the public forms.
"""
from __future__ import annotations

import numpy as np

from .. import dtypes
from ..autograd.differentiable import differentiable
from ..memory import by_rows, elementwise_layout
from ..messages import short_name
from ..tensor import Tensor
from . import lanes, rounding
from .activation import _logit, logsigmoid, sigmoid
from .arithmetic import minus, refuse_bool, refuse_negation
from .either import ones_beside, shape_of, size_of
from .elementwise import abs, exp
from .operands import alike, float_only
from .summation import add_up

NONE, MEAN, SUM = 0, 1, 2


def reduced(losses, reduction, *operands):
    """The losses of all elements together, of an array; or each of them, laid out as the `operands` are."""
    if reduction == NONE:
        return elementwise_layout(losses, *operands) if operands else losses
    total = add_up(losses)
    if reduction == MEAN:
        return total / losses.dtype.type(losses.size)
    return total


def share(x, reduction):
    """What one element's loss counts in the result."""
    return 1.0 / size_of(x) if reduction == MEAN and size_of(x) else 1.0


def one_each(grad):
    """Ones in the shape of a gradient."""
    return ones_beside(grad, shape_of(grad))


def averaged(grad, reduction, x):
    """In a formula: divide by the number of elements if the loss was their mean."""
    return grad / size_of(x) if reduction == MEAN else grad


def summed(x):
    return x.sum() if isinstance(x, Tensor) else add_up(x)


def over(first, compute, second):
    """What PyTorch computes by writing it over the first operand: in the shape and dtype of that."""
    kind = dtypes.result_dtype(first, second)
    result = compute(first, second)
    if result.shape != first.shape:
        raise RuntimeError(f"output with shape {list(first.shape)} doesn't match the broadcast shape "
                           f"{list(result.shape)}")
    if not dtypes.can_cast(kind, first.dtype):
        raise RuntimeError(f"result type {short_name(kind)} can't be cast to the desired output type "
                           f"{short_name(first.dtype)}")
    return elementwise_layout(result.astype(first.dtype, copy=False), first, second)


# --- squares ------------------------------------------------------------------------------------------------

@differentiable("MseLossBackward0",
                self=lambda grad, self, target, reduction: mse_loss_backward(grad, self, target, reduction),
                target=lambda grad, self, target, reduction: mse_loss_backward(grad, target, self, reduction))
def _mse_loss(self, target, reduction):
    self, target = alike(self, target)
    float_only(self, "mse_cpu")
    distance = self - target
    return reduced(distance * distance, reduction, self, target)


def _mse_curvature(grad, grad_output, self, reduction):
    return averaged(grad * grad_output * 2, reduction, self)


@differentiable("MseLossBackwardBackward0",
                grad_output=lambda grad, self, target, reduction:
                mse_loss_backward(grad, self, target, reduction),
                self=_mse_curvature,
                target=lambda grad, grad_output, self, reduction:
                -_mse_curvature(grad, grad_output, self, reduction))
def mse_loss_backward(grad_output, self, target, reduction):
    """2 * (self - target) * grad, divided by the number of elements for a mean."""
    self, target = alike(self, target)
    distance = self - target
    distance *= distance.dtype.type(2 * share(distance, reduction))
    return by_rows(distance * grad_output)


# --- squares near, straight lines far -----------------------------------------------------------------------

@differentiable("SmoothL1LossBackward0",
                self=lambda grad, self, target, reduction, beta:
                smooth_l1_loss_backward(grad, self, target, reduction, beta),
                target=lambda grad, self, target, reduction, beta:
                smooth_l1_loss_backward(grad, target, self, reduction, beta))
def _smooth_l1_loss(self, target, reduction, beta):
    self, target = alike(self, target)
    float_only(self, "smooth_l1_cpu")
    number = self.dtype.type
    far = np.abs(self - target)
    return reduced(np.where(far < beta, number(0.5) * far * far / number(beta), far - number(0.5 * beta)),
                   reduction, self, target)


def _smooth_l1_curvature(grad, grad_output, self, target, reduction, beta):
    return averaged(grad * grad_output * (abs(self - target) < beta) / beta, reduction, self)


@differentiable("SmoothL1LossBackwardBackward0",
                grad_output=lambda grad, self, target, reduction, beta:
                smooth_l1_loss_backward(grad, self, target, reduction, beta),
                self=_smooth_l1_curvature,
                target=lambda grad, grad_output, self, target, reduction, beta:
                -_smooth_l1_curvature(grad, grad_output, self, target, reduction, beta))
def smooth_l1_loss_backward(grad_output, self, target, reduction, beta):
    self, target = alike(self, target)
    number, x = self.dtype.type, self - target
    norm = number(share(x, reduction))
    slope = np.where(x <= -beta, -norm, np.where(x >= beta, norm, norm * x / number(beta)))
    return by_rows(slope * grad_output)


@differentiable("HuberLossBackward0",
                self=lambda grad, self, target, reduction, delta:
                huber_loss_backward(grad, self, target, reduction, delta),
                target=lambda grad, self, target, reduction, delta:
                huber_loss_backward(grad, target, self, reduction, delta))
def _huber_loss(self, target, reduction, delta):
    given = self.dtype                  # that of the result, whatever the target's
    self, target = alike(self, target)
    if not dtypes.can_cast(self.dtype, given):
        raise RuntimeError(f"result type {dtypes.short_name(self.dtype)} can't be cast to the desired "
                           f"output type {dtypes.short_name(given)}")
    float_only(self, "huber_cpu")
    number, far = self.dtype.type, np.abs(self - target)
    return reduced(np.where(far <= delta, number(0.5) * far * far, number(delta)
                            * (far - number(0.5 * delta))).astype(given, copy=False),
                   reduction, self, target)


def _huber_curvature(grad, grad_output, self, target, reduction, delta):
    return averaged(grad * grad_output * (abs(self - target) < delta), reduction, self)


def _huber_grad_output(grad, grad_output, self, target, reduction, delta):
    if reduction == NONE:
        return huber_loss_backward(grad, self, target, reduction, delta)
    return summed(huber_loss_backward(one_each(grad_output), self, target, reduction, delta) * grad)


@differentiable("HuberLossBackwardBackward0",
                grad_output=_huber_grad_output,
                self=_huber_curvature,
                target=lambda grad, grad_output, self, target, reduction, delta:
                -_huber_curvature(grad, grad_output, self, target, reduction, delta))
def huber_loss_backward(grad_output, self, target, reduction, delta):
    self, target = alike(self, target)
    number, x = self.dtype.type, self - target
    norm = number(share(x, reduction))
    slope = np.where(x < -delta, -norm * number(delta), np.where(x > delta, norm * number(delta), norm * x))
    return by_rows(slope * grad_output)


# --- probabilities of yes and no ----------------------------------------------------------------------------

def _weighted(x, weight):
    return x if weight is None else x * weight


EPSILON = 1e-12     # added to a probability before dividing by it


@differentiable("BinaryCrossEntropyBackward0",
                self=lambda grad, self, target, weight, reduction:
                binary_cross_entropy_backward(grad, self, target, weight, reduction),
                target=lambda grad, self, target, weight, reduction:
                averaged(_weighted(-_logit(self, None) * grad, weight), reduction, target),
                weight=None)
def _binary_cross_entropy(self, target, weight, reduction):
    if self.dtype != target.dtype:
        raise RuntimeError(f"Found dtype {short_name(target.dtype)} but expected {short_name(self.dtype)}")
    for name, x in ("input", self), ("target", target):
        if x.size and not (np.minimum.reduce(x, axis=None) >= 0 and np.maximum.reduce(x, axis=None) <= 1):
            raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    no = np.maximum(rounding.log1p(-self), -100)      # the logarithm of 0, kept finite
    yes = np.maximum(rounding.log(self), -100)
    return reduced(_weighted((target - 1) * no - target * yes, weight), reduction, self, target)


def _bce_self(grad, grad_output, self, target, weight, reduction):
    up, down = self + EPSILON, minus(1, self) + EPSILON
    curve = (self * self - 2 * self * target + target) / (up * up * (down * down))
    return averaged(_weighted(curve * (grad * grad_output), weight), reduction, self)


def _bce_target(grad, grad_output, self, target, weight, reduction):
    return averaged(_weighted(-grad * grad_output, weight), reduction, target) / (self * minus(1, self))


def _bce_grad_output(grad, self, target, weight, reduction):
    slope = (self - target) / ((self + EPSILON) * (minus(1, self) + EPSILON))
    if reduction == NONE:
        return _weighted(slope * grad, weight)
    return summed(averaged(_weighted(slope * grad, weight), reduction, self))


@differentiable("BinaryCrossEntropyBackwardBackward0",
                grad_output=_bce_grad_output, self=_bce_self, target=_bce_target, weight=None)
def binary_cross_entropy_backward(grad_output, self, target, weight, reduction):
    """(self - target) / (self * (1 - self)) * grad."""
    number = self.dtype.type
    slope = grad_output * (self - target) / np.maximum((1 - self) * self, number(EPSILON))
    slope = _weighted(slope, weight)
    return elementwise_layout(slope / number(self.size) if reduction == MEAN else slope, self)


def _logits_gradient(grad, self, target, weight, pos_weight, reduction):
    if pos_weight is None:
        slope = sigmoid(self) - target
    else:
        of_yes = pos_weight * target
        slope = (of_yes + 1 - target) * sigmoid(self) - of_yes
    return averaged(_weighted(slope * grad, weight), reduction, self)


def _logits_target_gradient(grad, self, weight, pos_weight, reduction):
    if pos_weight is None:
        slope = -self * grad
    else:
        slope = (logsigmoid(-self) - logsigmoid(self) * pos_weight) * grad
    return averaged(_weighted(slope, weight), reduction, self)


@differentiable("BinaryCrossEntropyWithLogitsBackward0",
                self=_logits_gradient, target=_logits_target_gradient, weight=None, pos_weight=None)
def _binary_cross_entropy_with_logits(self, target, weight, pos_weight, reduction):
    float_only(self, "log_sigmoid_cpu")
    log_yes = np.minimum(self, 0) - lanes.log1p(lanes.exp(-np.abs(self)))
    if pos_weight is not None:
        refuse_bool(pos_weight, 1)
        log_yes *= (pos_weight - 1) * target + 1
    if target.dtype.kind == "b":
        refuse_bool(True, target)
    losses = over(over(1 - target, np.multiply, self), np.subtract, log_yes)
    return reduced(losses if weight is None else over(losses, np.multiply, weight), reduction)


# --- signs --------------------------------------------------------------------------------------------------

@differentiable("SoftMarginLossBackward0",
                self=lambda grad, self, target, reduction:
                soft_margin_loss_backward(grad, self, target, reduction),
                target=None)
def _soft_margin_loss(self, target, reduction):
    refuse_negation(self)
    product = over(-self, np.multiply, target)
    if self.dtype.kind != "f":
        kind = target.dtype if target.dtype.kind == "f" else dtypes.Default.numpy
        raise RuntimeError(f"result type {short_name(kind)} can't be cast to the desired output type "
                           f"{short_name(self.dtype)}")
    return reduced(rounding.log1p(rounding.exp(product)), reduction)


def _soft_margin_grad_output(grad, grad_output, self, target, reduction):
    if reduction == NONE:
        return soft_margin_loss_backward(grad, self, target, reduction)
    return summed(soft_margin_loss_backward(one_each(grad_output), self, target, reduction) * grad)


def _soft_margin_self(grad, grad_output, self, target, reduction):
    z = exp(self * -target)
    return averaged(grad * grad_output * (target * target) * z / ((z + 1) * (z + 1)), reduction, self)


@differentiable("SoftMarginLossBackwardBackward0",
                grad_output=_soft_margin_grad_output, self=_soft_margin_self, target=None)
def soft_margin_loss_backward(grad_output, self, target, reduction):
    refuse_negation(target)
    z = rounding.exp(-target * self)
    norm = self.dtype.type(share(self, reduction))
    return -norm * target * z / (1 + z) * grad_output
