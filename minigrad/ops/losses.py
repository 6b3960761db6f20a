"""The losses that leave a node of their own: squared error, and the cross-entropies.

`reduction` is PyTorch's number for what becomes of the losses of the single elements: NONE keeps
them, MEAN and SUM reduce them to one number.  The public forms are in ``nn.functional``.
"""
from __future__ import annotations

from math import prod

import numpy as np

from ..autograd.operation import differentiable
from ..dtypes import promoted
from ..errors import not_implemented_for, short_name
from .elementwise import flat, log, log1p, sigmoid

NONE, MEAN, SUM = 0, 1, 2


def reduced(losses, weight, reduction):
    """Return the losses, times their weights: each of them, their mean or their sum."""
    losses = losses if weight is None else losses * weight
    if reduction == NONE:
        return losses
    total = np.add.reduce(losses, axis=None)
    return total / losses.dtype.type(losses.size) if reduction == MEAN else total


def through_reduced(grad, weight, reduction, x):
    """Return the gradient of the loss of each element of `x`."""
    grad = grad if weight is None else grad * weight
    return grad / prod(x.shape) if reduction == MEAN else grad


def check_floats(array, kernel):
    if array.dtype.kind != "f":
        raise not_implemented_for(kernel, array.dtype)


# --- squared error ----------------------------------------------------------------------------

@differentiable(
    "MseLossBackward0",
    self=lambda grad, self, target, reduction: mse_loss_backward(grad, self, target, reduction),
    target=lambda grad, self, target, reduction: mse_loss_backward(grad, target, self, reduction))
def mse_loss(self, target, reduction):
    self, target = promoted(self, target)
    check_floats(self, "mse_cpu")
    distance = self - target
    return reduced(distance * distance, None, reduction)


@differentiable(
    "MseLossBackwardBackward0",
    grad_output=lambda grad, self, target, reduction:
        mse_loss_backward(grad, self, target, reduction),
    self=lambda grad, grad_output, self, reduction:
        through_reduced(2 * grad * grad_output, None, reduction, self),
    target=lambda grad, grad_output, self, reduction:
        through_reduced(-2 * grad * grad_output, None, reduction, self))
def mse_loss_backward(grad_output, self, target, reduction):
    self, target = promoted(self, target)
    return (self - target) * (2 * through_reduced(grad_output, None, reduction, self))


# --- yes or no --------------------------------------------------------------------------------

EPSILON = 1e-12     # keeps the gradient finite where a probability is 0 or 1


@differentiable(
    "BinaryCrossEntropyBackward0", weight=None,
    self=lambda grad, self, target, weight, reduction: through_reduced(
        grad * (self - target) / ((self + EPSILON) * (1 - self + EPSILON)),
        weight, reduction, self),
    target=lambda grad, self, weight, reduction: through_reduced(
        grad * (log1p(-self) - log(self)), weight, reduction, self))
def binary_cross_entropy(self, target, weight=None, reduction=MEAN):
    check_floats(self, "binary_cross_entropy")
    if self.dtype != target.dtype:
        raise RuntimeError(f"Found dtype {short_name(target.dtype)} but expected "
                           f"{short_name(self.dtype)}")
    for name, x in ("input", self), ("target", target):
        if not ((x >= 0) & (x <= 1)).all():
            raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    yes, no = np.maximum(np.log(self), -100), np.maximum(np.log1p(-self), -100)
    return reduced((target - 1) * no - target * yes, weight, reduction)


def logits_target_gradient(grad, self, weight, pos_weight, reduction):
    slope = -self if pos_weight is None else log(sigmoid(-self)) - log(sigmoid(self)) * pos_weight
    return through_reduced(grad * slope, weight, reduction, self)


def logits_gradient(grad, self, target, weight, pos_weight, reduction):
    yes = target if pos_weight is None else target * pos_weight
    slope = (1 - target + yes) * sigmoid(self) - yes
    return through_reduced(grad * slope, weight, reduction, self)


@differentiable(
    "BinaryCrossEntropyWithLogitsBackward0",
    self=logits_gradient, target=logits_target_gradient, weight=None, pos_weight=None)
def binary_cross_entropy_with_logits(self, target, weight=None, pos_weight=None, reduction=MEAN):
    check_floats(self, "log_sigmoid_cpu")
    log_yes = np.minimum(self, 0) - np.log1p(np.exp(-np.abs(self)))     # never overflows
    if pos_weight is not None:
        log_yes = log_yes * ((pos_weight - 1) * target + 1)
    return reduced((1 - target) * self - log_yes, weight, reduction)


# --- classes: minus the logarithm of the probability that the right class was given -----------

def nll_loss_forward(self, target, weight=None, reduction=MEAN, ignore_index=-100):
    """Return (loss, sum of the weights) of log-probabilities (C,) or (N, C, ...)."""
    rows, classes, weights = right_classes(self, target, weight, ignore_index)
    losses = -rows[np.arange(len(classes)), classes]
    if weights is not None:
        losses = np.where(weights == 0, weights, losses * weights)
    if reduction == NONE and self.ndim > 1:
        return losses.reshape(target.shape), np.zeros((), self.dtype)
    total = np.add.reduce(losses)
    total_weight = self.dtype.type(len(losses)) if weights is None else np.add.reduce(weights)
    return total / total_weight if reduction == MEAN else total, total_weight


def right_classes(self, target, weight, ignore_index):
    """Return self as rows (n, C), the classes (n,), and how much each row counts (None: 1)."""
    rows = np.atleast_2d(self)
    if self.ndim > 2:
        rows = np.moveaxis(self, 1, -1).reshape(-1, self.shape[1])
    classes, count, weights = target.reshape(-1).astype(np.int64, copy=False), rows.shape[1], None
    largest = np.maximum.reduce(classes.view(np.uint64), initial=0)     # a negative one is huge
    if largest >= count or 0 <= ignore_index < count:
        ignored = classes == ignore_index
        weights = (~ignored).astype(self.dtype)
        classes = np.where(ignored, 0, classes)
        wrong = (classes < 0) | (classes >= count)
        if wrong.any():
            raise IndexError(f"Target {classes[wrong.argmax()]} is out of bounds.")
    if weight is not None:
        weights = weight[classes] if weights is None else weight[classes] * weights
    return rows, classes, weights


@differentiable(
    "NllLossBackwardBackward0",
    grad_output=lambda grad, target, weight, reduction, ignore_index:
        nll_loss(grad, target, weight, reduction, ignore_index)[0],
    self=lambda grad: flat(grad), target=None, weight=None, total_weight=None)
def nll_loss_backward(grad_output, self, target, weight, reduction, ignore_index, total_weight):
    """Return minus the gradient at each row's right class, times its weight; elsewhere 0."""
    rows, classes, weights = right_classes(self, target, weight, ignore_index)
    slope = -grad_output.reshape(-1)
    if reduction == MEAN:
        slope = slope / total_weight
    if weights is not None:
        slope = np.where(weights == 0, weights, slope * weights)
    result = np.zeros(rows.shape, rows.dtype)
    result[np.arange(len(classes)), classes] = slope
    if self.ndim > 2:
        result = np.moveaxis(result.reshape(len(self), *self.shape[2:], -1), -1, 1)
    return result.reshape(self.shape)


nll_loss, nll_loss2d = [
    differentiable(
        node_name, outputs=("output", "total_weight"), target=None, weight=None,
        self=lambda grad, self, target, weight, reduction, ignore_index, total_weight:
            nll_loss_backward(grad, self, target, weight, reduction, ignore_index, total_weight)
    )(nll_loss_forward) for node_name in ("NllLossBackward0", "NllLoss2DBackward0")]
