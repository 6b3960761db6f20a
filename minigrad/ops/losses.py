"""The cross-entropy between scores and classes, and its second half, the nll loss.

`cross_entropy` is `log_softmax` followed by `nll_loss`, which picks from each row the
logarithm of the right class's probability.  Scores have a row of C numbers for each
example; where they have more dimensions, as for each pixel of a picture, the classes
are along dimension 1.
"""
import math
from math import prod

import numpy as np

from ..autograd.operation import differentiable
from ..dtypes import INT64, in_result_dtype, short_name, uint8
from ..state import local
from ..vocabulary import absent_option
from .declaring import (
    check_dtype,
    divided,
    expect_tensors,
    shape_of,
    times,
    zero_gradient,
)
from .softmax import log_softmax

CLASS_DTYPES = INT64, uint8.numpy


def nll_loss_forward(self, target, weight, reduction, ignore_index):
    """Return the loss and the sum of the weights."""
    if target.dtype not in CLASS_DTYPES:
        raise RuntimeError(
            "expected target dtype to be Long or Byte, but got "
            + short_name(target.dtype))
    check_dtype(self, "biu", "nll_loss_out_frame")
    rows, counted, classes = right_classes(self, target, ignore_index)
    # Without a sign, a negative number is a large one.
    wrong = classes.view(f"u{classes.itemsize}") >= rows.shape[1]
    if wrong.any():
        raise IndexError(f"Target {classes[wrong][0]} is out of bounds.")
    weights = None if weight is None else weight[classes]
    losses = -weighted(rows[counted, classes], weights)
    if reduction == NONE and self.ndim > 1:
        result = np.zeros(len(rows), self.dtype)
        result[counted] = losses
        return result.reshape(target.shape), np.zeros((), self.dtype)
    total = np.add.reduce(losses)
    total_weight = self.dtype.type(len(counted))
    if weights is not None:
        total_weight = np.add.reduce(weights)
    if reduction == MEAN:
        total = total / total_weight
    return total, total_weight


def right_classes(self, target, ignore_index):
    """Return the scores as rows (n, C), which rows count, and their classes."""
    by_class = np.moveaxis(self, 1, -1) if self.ndim > 2 else self
    rows = by_class.reshape(target.size, by_class.shape[-1])
    classes = target.reshape(-1)
    counted, = (classes != ignore_index).nonzero()
    return rows, counted, classes[counted]


@differentiable(
    "NllLossBackwardBackward0",
    grad_output=lambda grad, target, weight, reduction, ignore_index: (
        nll_loss_of_rows(grad, target, weight, reduction, ignore_index)[0]),
    self=zero_gradient, target=None, weight=None, total_weight=None)
def nll_loss_backward(
        grad_output, self, target, weight, reduction, ignore_index, total_weight):
    """Return minus the gradient at each row's right class, elsewhere 0."""
    rows, counted, classes = right_classes(self, target, ignore_index)
    slope = -grad_output.reshape(-1)
    if len(slope) > 1:
        slope = slope[counted]
    if reduction == MEAN:
        slope = slope / total_weight
    if weight is not None:
        slope = slope * weight[classes]
    result = np.zeros(rows.shape, rows.dtype)
    result[counted, classes] = slope
    if self.ndim > 2:
        sizes = len(self), *self.shape[2:], self.shape[1]
        result = np.moveaxis(result.reshape(sizes), -1, 1)
    return result.reshape(self.shape)


def declare_nll_loss(node_name):
    return differentiable(
        node_name, outputs=("output", "total_weight"),
        self=lambda grad, self, target, weight, reduction, ignore_index, total_weight: (
            nll_loss_backward(
                grad, self, target, weight, reduction, ignore_index, total_weight)),
        target=None, weight=None,
    )(nll_loss_forward)


nll_loss_of_rows = declare_nll_loss("NllLossBackward0")
nll_loss_of_pictures = declare_nll_loss("NllLoss2DBackward0")


def cross_entropy(input, target, weight=None, ignore_index=-100, reduction="mean",
                  label_smoothing=0.0):
    """Return minus the logarithm of softmax(input) at the class that `target` names.

    input: (C,), (N, C) or (N, C, ...).  target: int64 classes (), (N,) or (N, ...), of
    which `ignore_index` is left out; or probabilities in the shape of `input`.  weight:
    how much each class counts, (C,); the mean is over the weights of the classes.

        F.cross_entropy(torch.tensor([[0., 0.]]), torch.tensor([1]))    # tensor(0.6931)

    Raises IndexError for a class that does not exist, RuntimeError or ValueError for
    other shapes, TypeError for `label_smoothing`.
    """
    if label_smoothing:
        raise absent_option("cross_entropy", "label_smoothing")
    expect_tensors("cross_entropy", input=input, target=target)
    x, t = input._array, target._array
    dim = 0 if x.ndim == 1 else 1
    logarithms = log_softmax(input, dim)
    if x.shape == t.shape:
        number = number_of(reduction)
        return cross_entropy_of_probabilities(logarithms, target, weight, number, dim)
    return nll_loss(logarithms, target, weight, ignore_index, reduction)


def nll_loss(input, target, weight=None, ignore_index=-100, reduction="mean"):
    """Return what `cross_entropy` does, for an `input` that log_softmax returned."""
    expect_tensors("nll_loss", input=input, target=target)
    x, t = input._array, target._array
    check_examples(x, t)
    if weight is not None:
        refuse_gradient("nll_loss_forward", weight=weight)
    number = number_of(reduction)
    if x.ndim <= 2:
        return nll_loss_of_rows(input, target, weight, number, ignore_index)[0]
    if x.ndim == 4:
        return nll_loss_of_pictures(input, target, weight, number, ignore_index)[0]
    # All other examples become pictures that are one pixel high.
    scores = input.contiguous().view(*x.shape[:2], 1, math.prod(t.shape[1:]))
    classes = target.reshape(len(t), 1, -1)
    result = nll_loss_of_pictures(scores, classes, weight, number, ignore_index)[0]
    return result.view(t.shape) if number == NONE else result


def check_examples(x, t):
    """Raise, in PyTorch's words, if the shapes of scores and classes do not fit."""
    if x.ndim == t.ndim == 1 and t.size != 1:
        raise ValueError(
            f"For 1D input, 1D target must have size 1, but got target size: {t.size}")
    if x.ndim > 1 and t.shape[:1] != x.shape[:1]:
        raise ValueError(
            f"Expected input batch_size ({len(x)}) to match target batch_size "
            f"({t.shape[0] if t.ndim else 0}).")
    if x.ndim <= 2 and t.ndim > 1:
        raise RuntimeError(
            "0D or 1D target tensor expected, multi-target not supported")
    if x.ndim == 4 and t.ndim != 3:
        raise RuntimeError(
            "only batches of spatial targets supported (3D tensors) but got targets of "
            f"dimension: {t.ndim}")
    if x.ndim > 2 and x.shape[2:] != t.shape[1:]:
        raise RuntimeError(
            f"Expected target size {[len(x), *x.shape[2:]]}, got {list(t.shape)}")


def cross_entropy_of_probabilities(logarithms, target, weight, reduction, dim):
    """Return minus the sums of target * logarithms along `dim`, reduced."""
    sizes, dtype = logarithms._array.shape, target._array.dtype
    if dtype.kind != "f":
        raise RuntimeError(
            "Expected floating point type for target with class probabilities, got "
            + short_name(dtype))
    products = logarithms * target
    if weight is not None:
        products = products * weight.view(-1, *[1] * (len(sizes) - dim - 1))
    if reduction == NONE:
        return -products.sum(dim)
    total = -products.sum()
    if reduction == SUM:
        return total
    examples = math.prod(sizes) // max(sizes[dim], 1)
    return divided(total, examples)


# --- what losses have in common, and the squared error --------------------------------
# `reduction` is PyTorch's number for what becomes of the losses of the single elements:
# NONE keeps them, MEAN and SUM make one number of them.

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
