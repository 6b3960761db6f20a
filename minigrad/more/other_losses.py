"""Losses that no chapter uses: absolute differences, perhaps smooth at 0, and NLLLoss.

The function of the last, ``nll_loss``, is in the core: the cross-entropy calls it.
"""
import numpy as np

from ..dtypes import in_result_dtype, short_name
from ..nn.functional import nll_loss, same_size
from ..nn.modules.layers import Loss
from ..ops.declaring import check_dtype, declare, divided
from ..ops.losses import gradient_of_each, number_of, reduce_losses

# --- l1_loss --------------------------------------------------------------------------

def l1_loss(input, target, reduction="mean"):
    """Return abs(input - target): the mean, the "sum", or with "none" each."""
    number_of(reduction)                        # raises for any other word
    input, target = same_size(input, target)
    return reduced((input - target).abs(), reduction)


def reduced(losses, reduction):
    """Return a tensor of losses itself, its mean or its sum."""
    if reduction == "none":
        return losses
    return losses.mean() if reduction == "mean" else losses.sum()


# --- smooth_l1_loss -------------------------------------------------------------------

def _smooth_l1_loss(self, target, reduction, beta):
    self, target = in_result_dtype(self, target)
    check_dtype(self, "biu", "smooth_l1_cpu")
    distance = np.abs(self - target)
    losses = np.where(
        distance < beta, distance * distance * (0.5 / beta), distance - 0.5 * beta)
    return reduce_losses(losses, reduction)


def _smooth_l1_backward(grad_output, self, target, reduction, beta):
    self, target = in_result_dtype(self, target)
    slope = np.clip((self - target) / beta, -1, 1)
    return gradient_of_each(grad_output, reduction, self) * slope


def smooth_l1_second(grad, grad_output, self, target, reduction, beta):
    """Return the second derivative with respect to `self` times both gradients."""
    inside = (self - target) * (self - target) < beta * beta
    both = gradient_of_each(grad * grad_output, reduction, self)
    return divided(both * inside, beta)


smooth_l1_backward = declare(
    "SmoothL1LossBackwardBackward0", _smooth_l1_backward,
    grad_output=lambda grad, self, target, reduction, beta: (
        smooth_l1_backward(grad, self, target, reduction, beta)),
    self=smooth_l1_second,
    target=lambda grad, grad_output, self, target, reduction, beta: (
        -smooth_l1_second(grad, grad_output, self, target, reduction, beta)))
smooth_l1 = declare(
    "SmoothL1LossBackward0", _smooth_l1_loss,
    self=lambda grad, self, target, reduction, beta: (
        smooth_l1_backward(grad, self, target, reduction, beta)),
    target=lambda grad, self, target, reduction, beta: (
        smooth_l1_backward(grad, target, self, reduction, beta)))


def smooth_l1_loss(input, target, reduction="mean", beta=1.0):
    """Return abs(d) - beta / 2 of d = input - target; d * d / 2 / beta near 0.

    Near 0 means abs(d) < beta; with beta=0 this is `l1_loss`.
    """
    if beta == 0:
        return l1_loss(input, target, reduction)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    number = number_of(reduction)
    return smooth_l1(*same_size(input, target), number, beta)


# --- huber_loss -----------------------------------------------------------------------

def _huber_loss(self, target, reduction, delta):
    a, b = in_result_dtype(self, target)
    check_dtype(a, "biu", "huber_cpu")
    distance = np.abs(a - b)
    losses = np.where(
        distance < delta, 0.5 * distance * distance, delta * (distance - 0.5 * delta))
    return reduce_losses(losses.astype(self.dtype), reduction)


def _huber_backward(grad_output, self, target, reduction, delta):
    if self.dtype != target.dtype:
        raise RuntimeError(
            f"Found dtype {short_name(target.dtype)} but expected "
            f"{short_name(self.dtype)}")
    slope = np.clip(self - target, -delta, delta)
    return gradient_of_each(grad_output, reduction, self) * slope


def huber_second(grad, grad_output, self, target, reduction, delta):
    """Return the second derivative with respect to `self` times both gradients."""
    inside = (self - target) * (self - target) < delta * delta
    return gradient_of_each(grad * grad_output, reduction, self) * inside


huber_backward = declare(
    "HuberLossBackwardBackward0", _huber_backward,
    grad_output=lambda grad, self, target, reduction, delta: (
        huber_backward(grad, self, target, reduction, delta)),
    self=huber_second,
    target=lambda grad, grad_output, self, target, reduction, delta: (
        -huber_second(grad, grad_output, self, target, reduction, delta)))
huber = declare(
    "HuberLossBackward0", _huber_loss,
    self=lambda grad, self, target, reduction, delta: (
        huber_backward(grad, self, target, reduction, delta)),
    target=lambda grad, self, target, reduction, delta: (
        huber_backward(grad, target, self, reduction, delta)))


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """Return d * d / 2 of d = input - target; delta * (abs(d) - delta / 2) far from 0.

    Far from 0 means abs(d) >= delta.  weight: a factor for each element.
    """
    number = number_of(reduction)
    pair = same_size(input, target)
    if delta <= 0:
        raise RuntimeError(
            "huber_loss does not support non-positive values for delta.")
    if weight is None:
        return huber(*pair, number, delta)
    if weight.shape != input.shape:
        raise ValueError("Weights and input must have the same size.")
    return reduced(huber(*pair, number_of("none"), delta) * weight, reduction)


# --- the losses as modules ------------------------------------------------------------

class L1Loss(Loss):
    """The absolute differences abs(input - target)."""
    def __init__(self, reduction="mean"):
        super().__init__(reduction)

    def forward(self, input, target):
        return l1_loss(input, target, self.reduction)


class SmoothL1Loss(Loss):
    """See ``functional.smooth_l1_loss``."""
    def __init__(self, reduction="mean", beta=1.0):
        super().__init__(reduction)
        self.beta = beta

    def forward(self, input, target):
        return smooth_l1_loss(input, target, self.reduction, self.beta)


class HuberLoss(Loss):
    """See ``functional.huber_loss``."""
    def __init__(self, reduction="mean", delta=1.0):
        super().__init__(reduction)
        self.delta = delta

    def forward(self, input, target):
        return huber_loss(input, target, self.reduction, self.delta)


class NLLLoss(Loss):
    """Minus the entry at the right class, for logarithms of probabilities."""
    def __init__(self, weight=None, ignore_index=-100, reduction="mean"):
        super().__init__(reduction, weight=weight)
        self.ignore_index = ignore_index

    def forward(self, input, target):
        return nll_loss(
            input, target, self.weight, self.ignore_index, self.reduction)
