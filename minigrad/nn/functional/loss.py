"""The losses as functions, with PyTorch's keywords, checks and words."""
from __future__ import annotations

import math
import warnings

from ...arguments import explain, handing_on
from ...autograd.grad_mode import no_grad
from ...errors import common_shape, short_name
from ...ops import losses as kernels
from ...ops import nll
from ...ops.pointwise import neg  # noqa
from ...ops.pointwise import where  # noqa
from ...ops.pointwise import abs, exp, log, sqrt  # noqa
from ...ops.expansion import broadcast_tensors
from ...ops.pointwise import float_only  # noqa
from ...ops.reductions import log_softmax  # noqa
from ...tensor import Tensor
from .reduction import KL_MEAN, chosen, number_of, together

SIZES_DIFFER = (
    "Using a target size ({}) that is different to the input size ({}). This will likely lead to incorrect "
    "results due to broadcasting. Please ensure they have the same size.")


def same_size(input, target):
    """Both tensors in their common shape, with a warning if they had different ones."""
    if target.size() == input.size():
        return input, target
    warnings.warn(SIZES_DIFFER.format(target.size(), input.size()), UserWarning, stacklevel=3)
    return tuple(broadcast_tensors(input, target))


# --- distances ----------------------------------------------------------------------------------------------

def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """(input - target) ** 2: their mean, their sum, or each."""
    reduction = chosen(size_average, reduce, reduction)
    number = number_of(reduction)
    input, target = same_size(input, target)
    if weight is None:
        return kernels._mse_loss(input, target, number)
    check_weight(weight, input)
    return weighted((input - target) ** 2, weight, reduction)


def weighted(losses, weight, reduction):
    """Losses that count by their weights; the mean is over the sum of the weights."""
    losses = losses * weight
    return losses.sum() / weight.sum() if reduction == "mean" else together(losses, reduction)


# --- classes ------------------------------------------------------------------------------------------------

@handing_on("cross_entropy_loss", "input target weight")
def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None,
                  reduction="mean", label_smoothing=0.0):
    """Minus the logarithm of the softmax of `input` (C,), (N, C) or (N, C, ...) at the class that `target`
    names.

    Args:
        target: class numbers (N, ...), or probabilities in the shape of `input`.
        weight: how much each class counts, (C,).
        label_smoothing: the share of each target that is spread evenly over all classes.

    Raises:
        IndexError: a class number out of range.
        RuntimeError, ValueError: shapes or dtypes that do not fit.
    """
    number = number_of(chosen(size_average, reduce, reduction))
    x, t = input._array, target._array
    if type(ignore_index) is not int or type(label_smoothing) is not float:
        given = input, target, weight, number, ignore_index, label_smoothing
        refusal = explain("cross_entropy_loss", given, {})
        if refusal:
            raise refusal
    class_dim = 0 if x.ndim == 1 else 1
    if x.shape == t.shape:
        if t.dtype.kind != "f":
            raise RuntimeError("Expected floating point type for target with class probabilities, got "
                               f"{short_name(t.dtype)}")
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        return of_probabilities(input, target, weight, number, label_smoothing, class_dim)
    check_smoothing(label_smoothing)
    logarithms = log_softmax(input, class_dim)
    if label_smoothing <= 0:
        return of_classes(logarithms, target, weight, number, ignore_index)
    return smoothed(logarithms, target, weight, number, ignore_index, label_smoothing, class_dim)


def check_smoothing(share):
    if share > 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {share:g}")


@handing_on("nll_loss_nd", "input target weight")
def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    """Minus the entry of `input` (logarithms of probabilities) at the class that `target` names."""
    number = number_of(chosen(size_average, reduce, reduction))
    return of_classes(input, target, weight, number, ignore_index)


def of_classes(input, target, weight, reduction, ignore_index):
    """The loss for class numbers; more than two dimensions count as a picture."""
    x, t = input._array, target._array
    if x.ndim < 1:
        raise ValueError(f"Expected 1 or more dimensions (got {x.ndim})")
    if x.ndim == t.ndim == 1 and t.size != 1 and t.dtype.kind in "iu":
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {t.size}")
    if x.ndim != 1 and (not t.ndim or len(x) != len(t)):
        raise ValueError(f"Expected input batch_size ({len(x)}) to match target batch_size "
                         f"({len(t) if t.ndim else 0}).")
    if x.ndim <= 2:
        nll.check_classes(input, target, weight)
        float_only(x, "nll_loss_out_frame")
        return nll.nll_loss_forward(input, target, weight, reduction, ignore_index)[0]
    if x.ndim == 4:
        return of_pictures(input, target, weight, reduction, ignore_index)
    if t.shape[1:] != x.shape[2:]:
        raise RuntimeError(f"Expected target size {[len(x), *x.shape[2:]]}, got {list(t.shape)}")
    shape = (len(x), *x.shape[2:])
    flat = input.contiguous().view(len(x), x.shape[1], 1, -1)
    result = of_pictures(flat, target.contiguous().view(len(x), 1, -1), weight, reduction, ignore_index)
    return result.view(shape) if reduction == kernels.NONE else result


def of_probabilities(input, target, weight, reduction, label_smoothing, class_dim):
    """The loss for targets that are themselves probabilities."""
    classes = input._array.shape[class_dim]
    check_smoothing(label_smoothing)
    if label_smoothing > 0:
        target = target * (1 - label_smoothing) + label_smoothing / classes
    product = log_softmax(input, class_dim) * target
    if weight is not None:
        product = product * along_classes(weight, input._array.ndim)
    if reduction == kernels.NONE:
        return neg(product.sum(class_dim))
    total = neg(product.sum())
    if reduction == kernels.MEAN:
        return total / (input._array.size // classes)
    return total


# --- yes or no ----------------------------------------------------------------------------------------------


# --- distributions ------------------------------------------------------------------------------------------


# --- margins ------------------------------------------------------------------------------------------------


__all__ = ['cross_entropy', 'mse_loss', 'nll_loss']
