"""The squared error, and what losses have in common.

`reduction` is PyTorch's number for what becomes of the losses of the single elements:
NONE keeps them, MEAN and SUM make one number of them.
"""
from math import prod

import numpy as np

from ..autograd.operation import differentiable
from ..dtypes import in_result_dtype
from ..state import local
from .declaring import check_dtype
from .formulas import divided, shape_of, times

NONE, MEAN, SUM = 0, 1, 2
REDUCTIONS = {"none": NONE, "mean": MEAN, "sum": SUM}


def number_of(reduction):
    """Return PyTorch's number for a reduction, which users name by a word."""
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return REDUCTIONS[reduction]


def reduce_losses(losses, reduction):
    """Return an array of losses itself, its mean or its sum."""
    if reduction == NONE:
        return losses
    total = np.add.reduce(losses, axis=None)
    if reduction == SUM:
        return total
    return total / losses.dtype.type(losses.size)


def gradient_of_each(grad, reduction, x):
    """Return the gradient of the loss of each element of `x`, before it is reduced."""
    if reduction != MEAN:
        return grad
    return divided(grad, prod(shape_of(x)))


def weighted(x, weight):
    """Return x * weight; without a weight, x."""
    return x if weight is None else x * weight


def refuse_gradient(function, **tensors):
    """Raise for a tensor that requires a gradient where PyTorch has no formula."""
    if not local.state.recording:
        return
    for name, tensor in tensors.items():
        if tensor is not None and tensor.requires_grad:
            raise RuntimeError(
                f"The function '{function}' is not differentiable with respect to "
                f"argument '{name}'. This input cannot have requires_grad True.")


@differentiable(
    "MseLossBackward0",
    self=lambda grad, self, target, reduction: (
        mse_loss_backward(grad, self, target, reduction)),
    target=lambda grad, self, target, reduction: (
        mse_loss_backward(grad, target, self, reduction)))
def mse_loss(self, target, reduction):
    """Return (self - target) ** 2, reduced."""
    self, target = in_result_dtype(self, target)
    check_dtype(self, "biu", "mse_cpu")
    distance = self - target
    return reduce_losses(distance * distance, reduction)


@differentiable(
    "MseLossBackwardBackward0",
    grad_output=lambda grad, self, target, reduction: (
        mse_loss_backward(grad, self, target, reduction)),
    self=lambda grad, grad_output, self, reduction: (
        gradient_of_each(times(grad, 2) * grad_output, reduction, self)),
    target=lambda grad, grad_output, self, reduction: (
        gradient_of_each(times(grad, -2) * grad_output, reduction, self)))
def mse_loss_backward(grad_output, self, target, reduction):
    """Return the gradient of `mse_loss` with respect to `self`."""
    self, target = in_result_dtype(self, target)
    return (self - target) * (2 * gradient_of_each(grad_output, reduction, self))
