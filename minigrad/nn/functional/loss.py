"""The losses as functions, with PyTorch's keywords, checks and words."""
from __future__ import annotations

import math
import warnings

from ...arguments import explain, handing_on
from ...autograd.grad_mode import no_grad
from ...messages import common_shape, short_name
from ...ops import losses as kernels
from ...ops import nll
from ...ops.activation import logsigmoid
from ...ops.arithmetic import _add_number, _div_number, _mul_number, _sub_number, minus, neg
from ...ops.comparison import where
from ...ops.elementwise import abs, exp, log, sqrt
from ...ops.joining import broadcast_tensors
from ...ops.operands import float_only
from ...ops.pairs import xlogy
from ...ops.softmax import log_softmax
from ...tensor import Tensor
from .distance import pairwise_distance
from .reduction import KL_MEAN, chosen, number_of, refuse_gradient, together

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


def check_weight(weight, input):
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")


def weighted(losses, weight, reduction):
    """Losses that count by their weights; the mean is over the sum of the weights."""
    losses = losses * weight
    return losses.sum() / weight.sum() if reduction == "mean" else together(losses, reduction)


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    """|input - target|: their mean, their sum, or each."""
    reduction = chosen(size_average, reduce, reduction)
    number_of(reduction)
    input, target = same_size(input, target)
    distances = abs(input - target)
    if weight is None:
        return together(distances, reduction)
    check_weight(weight, input)
    return weighted(distances, weight, reduction)


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """0.5 * x ** 2 / beta where |x| < beta, |x| - 0.5 * beta elsewhere, for x = input - target."""
    reduction = chosen(size_average, reduce, reduction)
    input, target = same_size(input, target)
    if beta == 0.0:
        return together(abs(input - target), reduction)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    return kernels._smooth_l1_loss(input, target, number_of(reduction), beta)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    """0.5 * x ** 2 where |x| <= delta, delta * (|x| - 0.5 * delta) elsewhere, for x = input - target."""
    input, target = same_size(input, target)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    if weight is None:
        return kernels._huber_loss(input, target, number_of(reduction), delta)
    check_weight(weight, input)
    return weighted(kernels._huber_loss(input, target, kernels.NONE, delta), weight, reduction)


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


def of_pictures(input, target, weight, reduction, ignore_index):
    x, t = input._array, target._array
    if t.ndim != 3:
        raise RuntimeError("only batches of spatial targets supported (3D tensors) but got targets of "
                           f"dimension: {t.ndim}")
    if x.shape[2:] != t.shape[1:]:
        raise RuntimeError(f"size mismatch (got input: {list(x.shape)} , target: {list(t.shape)}")
    nll.check_kinds(input, target, weight, x.shape[1])
    float_only(x, "nll_loss2d_forward_out_frame")
    return nll.nll_loss2d_forward(input, target, weight, reduction, ignore_index)[0]


def along_classes(weight, ndim):
    """The weights (C,) laid along the dimension of the classes."""
    return weight if ndim <= 2 else weight.view(1, -1, *[1] * (ndim - 2))


def of_probabilities(input, target, weight, reduction, label_smoothing, class_dim):
    """The loss for targets that are themselves probabilities."""
    classes = input._array.shape[class_dim]
    check_smoothing(label_smoothing)
    if label_smoothing > 0:
        target = _add_number(_mul_number(target, 1 - label_smoothing), label_smoothing / classes)
    product = log_softmax(input, class_dim) * target
    if weight is not None:
        product = product * along_classes(weight, input._array.ndim)
    if reduction == kernels.NONE:
        return neg(product.sum(class_dim))
    total = neg(product.sum())
    if reduction == kernels.MEAN:
        return _div_number(total, input._array.size // classes)
    return total


def smoothed(logarithms, target, weight, reduction, ignore_index, label_smoothing, class_dim):
    """The loss for class numbers, of which a share is spread over all classes."""
    loss = of_classes(logarithms, target, weight, reduction, ignore_index)
    weighted = logarithms if weight is None else logarithms * along_classes(weight, logarithms._array.ndim)
    ignored = target == ignore_index
    spread = neg(weighted.sum(class_dim)).masked_fill(ignored, 0.0)
    if reduction == kernels.MEAN:
        counted = target.masked_select(~ignored)
        spread = spread.sum() / (counted == counted if weight is None else weight[counted]).sum()
    elif reduction == kernels.SUM:
        spread = spread.sum()
    classes = logarithms._array.shape[class_dim]
    return _mul_number(loss, 1 - label_smoothing) + _mul_number(spread, label_smoothing / classes)


# --- yes or no ----------------------------------------------------------------------------------------------

def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """-(target * log(input) + (1 - target) * log(1 - input)), each logarithm at least -100."""
    number = number_of(chosen(size_average, reduce, reduction))
    if target.size() != input.size():
        raise ValueError(f"Using a target size ({target.size()}) that is different to the input size "
                         f"({input.size()}) is deprecated. Please ensure they have the same size.")
    if weight is not None:
        refuse_gradient("binary_cross_entropy", weight=weight)
        weight = weight.expand(input.size())
    float_only(input._array, "binary_cross_entropy")
    return kernels._binary_cross_entropy(input, target, weight, number)


def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None,
                                     reduction="mean", pos_weight=None):
    """The same for the sigmoid of `input`, without ever forming a probability that could round to 0 or 1.

    pos_weight: how much a target of 1 counts, in comparison with one of 0.
    """
    number = number_of(chosen(size_average, reduce, reduction))
    if target.size() != input.size():
        raise ValueError(f"Target size ({target.size()}) must be the same as input size ({input.size()})")
    refuse_gradient("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    if pos_weight is not None:
        common_shape(pos_weight._array.shape, target._array.shape)      # says what does not fit
    float_only(input._array, "log_sigmoid_cpu")
    return kernels._binary_cross_entropy_with_logits(input, target, weight, pos_weight, number)


# --- distributions ------------------------------------------------------------------------------------------


@handing_on("kl_div", "input target")
def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """target * (log(target) - input): how far `target` is from probabilities with logarithms `input`."""
    reduction = chosen(size_average, reduce, reduction)
    if reduction == "mean":
        warnings.warn(KL_MEAN, UserWarning, stacklevel=2)
    number = number_of("sum" if reduction == "batchmean" else reduction)
    if input._array.dtype.kind != "f" or target._array.dtype.kind != "f":
        raise RuntimeError("kl_div: Integral inputs not supported.")
    # the later operation first, as PyTorch does: this decides the order in which gradients are added up
    other = target - input if log_target else target * input
    losses = exp(target) * other if log_target else xlogy(target, target) - other
    total = together(losses, ("none", "mean", "sum")[number])
    return total / input.size()[0] if reduction == "batchmean" and input._array.ndim else total


@handing_on("poisson_nll_loss", "input target log_input full eps")
def poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None,
                     reduction="mean"):
    """exp(input) - target * input for counts `target`; with log_input=False, input - target * log(input)."""
    reduction = chosen(size_average, reduce, reduction)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if log_input:
        product = target.mul(input)
        losses = exp(input) - product
    else:
        losses = input - target.mul(log(_add_number(input, eps)))
    if full:
        half = _mul_number(log(_mul_number(target, 2 * math.pi)), 0.5)
        stirling = target * log(target) - target + half
        losses = losses + stirling.masked_fill(target <= 1, 0)
    return together(losses, reduction)


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    """0.5 * (log(var) + (input - target) ** 2 / var), for a variance that is at least `eps`."""
    if isinstance(var, Tensor):
        if var.size() != input.size():
            if input.size()[:-1] == var.size():
                var = var.unsqueeze(-1)
            elif not (input.size()[:-1] == var.size()[:-1] and var.size()[-1] == 1):
                raise ValueError("var is of incorrect size")
        if (var._array < 0).any():
            raise ValueError("var has negative entry/entries")
    elif var < 0:
        raise ValueError("var has negative entry/entries")
    else:
        var = input.detach().clone().fill_(var)
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not valid")
    var = var.clone()
    with no_grad():
        var.clamp_(min=eps)
    losses = (log(var) + (input - target) ** 2 / var) * 0.5
    if full:
        losses = losses + 0.5 * math.log(2 * math.pi)
    return together(losses, reduction)


# --- margins ------------------------------------------------------------------------------------------------

@handing_on("hinge_embedding_loss", "input target margin")
def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """input where `target` is 1, max(0, margin - input) where it is -1."""
    reduction = chosen(size_average, reduce, reduction)
    number_of(reduction)
    zero, _ = input.detach().clone().zero_(), target._array
    margin = input._array.dtype.type(margin).item()
    far = where(target != 1, minus(margin, input).clamp_min(0), zero)
    return together(far + where(target != -1, input, zero), reduction)


@handing_on("soft_margin_loss", "input target")
def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """log(1 + exp(-target * input)), for targets 1 and -1."""
    number = number_of(chosen(size_average, reduce, reduction))
    input.dim(), target.dim()
    refuse_gradient("soft_margin_loss", target=target)
    return kernels._soft_margin_loss(input, target, number)


def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """max(0, -target * (input1 - input2) + margin)."""
    reduction = chosen(size_average, reduce, reduction)
    number_of(reduction)
    if input1.dim() != input2.dim() or input1.dim() != target.dim():
        raise RuntimeError("margin_ranking_loss : All input tensors should have same dimension but got "
                           f"sizes: input1: {input1.size()}, input2: {input2.size()}, target: "
                           f"{target.size()} ")
    losses = -target * (input1 - input2)
    return together(_add_number(losses, float(margin)).clamp_min(0), reduction)


@handing_on("cosine_embedding_loss", "input1 input2 target margin")
def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """1 - cosine where `target` is 1, max(0, cosine - margin) where it is -1."""
    reduction = chosen(size_average, reduce, reduction)
    number_of(reduction)
    dim = target._array.ndim
    if dim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if not input1._array.ndim == input2._array.ndim == dim + 1:
        raise RuntimeError(f"{dim}D target tensor expects {dim + 1}D input tensors, but found inputs with "
                           f"sizes {list(input1.size())} and {list(input2.size())}.")
    product = (input1 * input2).sum(dim)
    square1 = _add_number((input1 * input1).sum(dim), kernels.EPSILON)
    square2 = _add_number((input2 * input2).sum(dim), kernels.EPSILON)
    cosine = product / sqrt(square1 * square2)
    zero = cosine.detach().clone().zero_()
    near = where(target == 1, minus(1, cosine), zero)
    far = where(target == -1, _sub_number(cosine, margin).clamp_min(0), zero)
    return together(near + far, reduction)


@handing_on("triplet_margin_loss", "anchor positive negative margin p eps swap")
def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None,
                        reduce=None, reduction="mean"):
    """max(0, distance(anchor, positive) - distance(anchor, negative) + margin)."""
    reduction = chosen(size_average, reduce, reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    dims = anchor.dim(), positive.dim(), negative.dim()
    if len(set(dims)) > 1:
        raise RuntimeError("The anchor, positive, and negative tensors are expected to have the same number "
                           "of dimensions, but got: anchor {}D, positive {}D, and negative {}D inputs"
                           .format(*dims))
    near, far = pairwise_distance(anchor, positive, p, eps), pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = far.minimum(pairwise_distance(positive, negative, p, eps))
    return together((_add_number(near, margin) - far).clamp_min(0), reduction)


def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """The binary cross-entropy of the sigmoids, averaged over the classes, the last dimension."""
    reduction = chosen(size_average, reduce, reduction)
    losses = neg(target * logsigmoid(input) + minus(1, target) * logsigmoid(neg(input)))
    if weight is not None:
        losses = losses * weight
    dim = input._array.ndim - 1
    return together(losses.sum(dim) / input.size()[dim], reduction)


__all__ = ["binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_embedding_loss",
           "cross_entropy", "gaussian_nll_loss", "hinge_embedding_loss", "huber_loss", "kl_div", "l1_loss",
           "margin_ranking_loss", "mse_loss", "multilabel_soft_margin_loss", "nll_loss", "poisson_nll_loss",
           "smooth_l1_loss", "soft_margin_loss", "triplet_margin_loss"]
