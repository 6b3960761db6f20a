"""The losses that leave a node of their own: squared error, and the cross-entropies.

`reduction` is PyTorch's number for what becomes of the losses of the single elements: NONE keeps
them, MEAN and SUM reduce them to one number.  The public forms are in ``nn.functional``.
"""
from math import prod

import numpy as np

from ..autograd.operation import differentiable
from ..dtypes import promoted
from ..errors import short_name
from .elementwise import flat, log, log1p, refuse, sigmoid

NONE, MEAN, SUM = 0, 1, 2
CLASS_DTYPES = np.dtype("int64"), np.dtype("uint8")


def weighted(x, weight):
    """Return x * weight; without a weight, x."""
    return x if weight is None else x * weight


def reduced(losses, reduction):
    """Return the losses themselves, their mean or their sum."""
    if reduction == NONE:
        return losses
    total = np.add.reduce(losses, axis=None)
    return total / losses.dtype.type(losses.size) if reduction == MEAN else total


def through_reduced(grad, weight, reduction, x):
    """Return the gradient of the loss of each element of `x`."""
    return weighted(grad, weight) / prod(x.shape) if reduction == MEAN else weighted(grad, weight)


@differentiable(
    "MseLossBackward0",
    self=lambda grad, self, target, reduction: mse_loss_backward(grad, self, target, reduction),
    target=lambda grad, self, target, reduction: mse_loss_backward(grad, target, self, reduction))
def mse_loss(self, target, reduction):
    self, target = promoted(self, target)
    refuse("biu", self, "mse_cpu")
    distance = self - target
    return reduced(distance * distance, reduction)


@differentiable(
    "MseLossBackwardBackward0", grad_output=lambda grad, self, target, reduction: (
        mse_loss_backward(grad, self, target, reduction)),
    self=lambda grad, grad_output, self, reduction: (
        through_reduced(2 * grad * grad_output, None, reduction, self)),
    target=lambda grad, grad_output, self, reduction: (
        through_reduced(-2 * grad * grad_output, None, reduction, self)))
def mse_loss_backward(grad_output, self, target, reduction):
    self, target = promoted(self, target)
    return (self - target) * (2 * through_reduced(grad_output, None, reduction, self))


@differentiable(
    "BinaryCrossEntropyBackward0", weight=None,
    self=lambda grad, self, target, weight, reduction: through_reduced(
        grad * (self - target) / ((self + 1e-12) * (1 - self + 1e-12)),     # finite at 0 and 1
        weight, reduction, self),
    target=lambda grad, self, weight, reduction: through_reduced(
        grad * (log1p(-self) - log(self)), weight, reduction, self))
def binary_cross_entropy(self, target, weight=None, reduction=MEAN):
    refuse("biu", self, "binary_cross_entropy")
    if self.dtype != target.dtype:
        raise RuntimeError(f"Found dtype {short_name(target.dtype)} but expected "
                           f"{short_name(self.dtype)}")
    for name, x in ("input", self), ("target", target):
        if not ((x >= 0) & (x <= 1)).all():
            raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    yes, no = np.maximum(np.log(self), -100), np.maximum(np.log1p(-self), -100)
    return reduced(weighted((target - 1) * no - target * yes, weight), reduction)


@differentiable(
    "BinaryCrossEntropyWithLogitsBackward0", weight=None, pos_weight=None,
    self=lambda grad, self, target, weight, pos_weight, reduction: through_reduced(
        (sigmoid(self) - target if pos_weight is None else
         (1 - target + target * pos_weight) * sigmoid(self) - target * pos_weight) * grad,
        weight, reduction, self),
    target=lambda grad, self, weight, pos_weight, reduction: through_reduced(
        (-self if pos_weight is None else
         log(sigmoid(-self)) - log(sigmoid(self)) * pos_weight) * grad, weight, reduction, self))
def binary_cross_entropy_with_logits(self, target, weight=None, pos_weight=None, reduction=MEAN):
    refuse("biu", self, "log_sigmoid_cpu")
    log_yes = np.minimum(self, 0) - np.log1p(np.exp(-np.abs(self)))     # never overflows
    if pos_weight is not None:
        log_yes = log_yes * ((pos_weight - 1) * target + 1)
    return reduced(weighted((1 - target) * self - log_yes, weight), reduction)


def nll_loss_forward(self, target, weight=None, reduction=MEAN, ignore_index=-100):
    """Return minus the log-probability of the right class, and the sum of the weights."""
    if target.dtype not in CLASS_DTYPES:
        raise RuntimeError("expected target dtype to be Long or Byte, but got "
                           + short_name(target.dtype))
    refuse("biu", self, "nll_loss_out_frame")
    rows, kept, classes = right_classes(self, target, ignore_index)
    wrong = (classes < 0) | (classes >= rows.shape[1])
    if np.logical_or.reduce(wrong):
        raise IndexError(f"Target {classes[wrong][0]} is out of bounds.")
    weights = None if weight is None else weight[classes]
    losses = np.zeros(len(rows), self.dtype)
    losses[kept] = -weighted(rows[kept, classes], weights)
    if reduction == NONE and self.ndim > 1:
        return losses.reshape(target.shape), np.zeros((), self.dtype)
    total = np.add.reduce(losses)
    total_weight = self.dtype.type(len(kept)) if weights is None else np.add.reduce(weights)
    return total / total_weight if reduction == MEAN else total, total_weight


def right_classes(self, target, ignore_index):
    """Return self as rows (n, C), the numbers of the rows that count, and their classes."""
    by_class = np.moveaxis(self, 1, -1) if self.ndim > 2 else self
    rows, classes = by_class.reshape(target.size, by_class.shape[-1]), target.reshape(-1)
    kept, = (classes != ignore_index).nonzero()
    return rows, kept, classes[kept]


@differentiable(
    "NllLossBackwardBackward0", grad_output=lambda grad, target, weight, reduction, ignore_index: (
        nll_loss(grad, target, weight, reduction, ignore_index)[0]),
    self=flat, target=None, weight=None, total_weight=None)
def nll_loss_backward(grad_output, self, target, weight, reduction, ignore_index, total_weight):
    """Return minus the gradient at each row's right class, times its weight; elsewhere 0."""
    rows, kept, classes = right_classes(self, target, ignore_index)
    slope = -grad_output.reshape(-1)
    slope = slope[kept] if len(slope) > 1 else slope
    result = np.zeros(rows.shape, rows.dtype)
    slope = slope / total_weight if reduction == MEAN else slope
    result[kept, classes] = slope if weight is None else slope * weight[classes]
    if self.ndim > 2:
        result = np.moveaxis(result.reshape(len(self), *self.shape[2:], self.shape[1]), -1, 1)
    return result.reshape(self.shape)


nll_loss, nll_loss2d = [
    differentiable(
        name, outputs=("output", "total_weight"), target=None, weight=None,
        self=lambda grad, self, target, weight, reduction, ignore_index, total_weight: (
            nll_loss_backward(grad, self, target, weight, reduction, ignore_index, total_weight))
    )(nll_loss_forward) for name in ("NllLossBackward0", "NllLoss2DBackward0")]
