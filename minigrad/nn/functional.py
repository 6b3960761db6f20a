"""``torch.nn.functional``: what modules compute, as functions: first layers, then losses."""
import math
import warnings

from ..autograd.grad_mode import no_grad
from ..creation import empty_like
from ..errors import closed, short_name
from ..ops import layers, losses
from ..ops.arithmetic import _div
from ..ops.elementwise import softplus
from ..ops.expansion import broadcast_tensors
from ..ops.masks import _one_hot as one_hot
from ..ops.matmul import linear
from ..ops.softmax import log_softmax, softmax
from ..state import local
from ..tensor import Tensor

__all__ = ["batch_norm", "binary_cross_entropy", "binary_cross_entropy_with_logits",
           "cross_entropy", "dropout", "embedding", "l1_loss", "layer_norm", "linear",
           "log_softmax", "mse_loss", "nll_loss", "one_hot", "relu", "sigmoid", "softmax",
           "softplus", "tanh"]
__getattr__, __dir__ = closed(__name__, __all__)

sigmoid, tanh = Tensor.sigmoid, Tensor.tanh
NUMBERS = {"none": losses.NONE, "mean": losses.MEAN, "sum": losses.SUM}


def relu(input, inplace=False):
    """Return the larger of each number and 0."""
    return input.relu_() if inplace else input.relu()


def dropout(input, p=0.5, training=True, inplace=False):
    """In training, zero each number with probability `p` and divide the others by 1 - p."""
    if p == 0 or not training:
        return input
    with no_grad():
        noise = empty_like(input)
        noise = noise.zero_() if p == 1 else noise.bernoulli_(1 - p).div_(1 - p)
    return input.mul_(noise) if inplace else input * noise


def embedding(input, weight, padding_idx=None):
    """Return the rows of `weight` (rows, n) that the whole numbers in `input` name: (*input, n)."""
    row = -1 if padding_idx is None else padding_idx % len(weight)
    return layers.embedding(weight, input, row, False, False)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """Bring the last dimensions, `normalized_shape`, to mean 0 and variance 1; * weight + bias."""
    shape, size = tuple(normalized_shape), tuple(input.shape)
    if any([value is not None and value.dtype != input.dtype for value in (weight, bias)]):
        raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")
    for name, value in ("weight", weight), ("bias", bias):
        if value is not None and value.shape != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(value.shape)} and normalized_shape = {list(shape)}")
    if size[max(len(size) - len(shape), 0):] != shape:
        expected = ", ".join(["*", *map(str, shape)])
        raise RuntimeError(f"Given normalized_shape={list(shape)}, expected input with shape "
                           f"[{expected}], but got input of size{list(size)}")
    return layers.layer_norm(input, shape, weight, bias, eps)[0]


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False,
               momentum=0.1, eps=1e-5):
    """Bring each channel of (N, C) or (N, C, L) to mean 0 and variance 1; * weight + bias.

    In training, mean and variance are those of the batch, and the running ones (C,) move towards
    them, in place; else the running ones are used.
    """
    channels = input.shape[1]
    if training and input.numel() == channels:
        raise ValueError("Expected more than 1 value per channel when training, got input size "
                         f"{input.size()}")
    for name, value in (("running_mean", running_mean), ("running_var", running_var),
                        ("weight", weight), ("bias", bias)):
        if value is not None and value.numel() != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {value.numel()}")
    return layers.batch_norm(
        input, weight, bias, running_mean, running_var, training, momentum, eps)[0]


def mse_loss(input, target, reduction="mean"):
    """Return (input - target) ** 2: the mean, the "sum", or with "none" each of them."""
    return losses.mse_loss(*same_size(input, target), number_of(reduction))


def l1_loss(input, target, reduction="mean"):
    """Return abs(input - target): the mean, the "sum", or with "none" each of them."""
    number, (input, target) = number_of(reduction), same_size(input, target)
    distance = (input - target).abs()
    return distance if number == losses.NONE else getattr(distance, reduction)()


def number_of(reduction):
    """Return PyTorch's number for a reduction."""
    if reduction not in NUMBERS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return NUMBERS[reduction]


def same_size(input, target):
    """Return both tensors in one shape, with a warning if they had different ones."""
    if target.shape == input.shape:
        return input, target
    warnings.warn(f"Using a target size ({target.size()}) that is different to the input size "
                  f"({input.size()}). This will likely lead to incorrect results due to "
                  "broadcasting. Please ensure they have the same size.", UserWarning, stacklevel=3)
    return broadcast_tensors(input, target)


def binary_cross_entropy(input, target, weight=None, reduction="mean"):
    """Return -(target * log(input) + (1 - target) * log(1 - input)), each logarithm >= -100."""
    if target.shape != input.shape:
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size "
            f"({input.size()}) is deprecated. Please ensure they have the same size.")
    refuse_gradient("binary_cross_entropy", weight=weight)
    return losses.binary_cross_entropy(input, target, weight, number_of(reduction))


def binary_cross_entropy_with_logits(input, target, weight=None, reduction="mean", pos_weight=None):
    """Return the binary cross-entropy of sigmoid(input), where a 1 counts `pos_weight` times."""
    if target.shape != input.shape:
        raise ValueError(f"Target size ({target.size()}) must be the same as input size "
                         f"({input.size()})")
    refuse_gradient("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    number = number_of(reduction)
    return losses.binary_cross_entropy_with_logits(input, target, weight, pos_weight, number)


def cross_entropy(input, target, weight=None, ignore_index=-100, reduction="mean"):
    """Return minus the logarithm of softmax(input) at the class that `target` names.

    input: (C,), (N, C) or (N, C, ...).  target: int64 classes (), (N,) or (N, ...), of which
    `ignore_index` is left out; or probabilities in the shape of `input`.  weight: how much each
    class counts, (C,); the mean is over the weights of the classes.

    Raises IndexError for a class that does not exist, RuntimeError or ValueError for other shapes.
    """
    x, t = input._array, target._array
    dim = 0 if x.ndim == 1 else 1
    logarithms = log_softmax(input, dim)
    if x.shape != t.shape:
        return nll_loss(logarithms, target, weight, ignore_index, reduction)
    if t.dtype.kind != "f":
        raise RuntimeError("Expected floating point type for target with class probabilities, got "
                           f"{short_name(t.dtype)}")
    product = logarithms * target
    if weight is not None:
        product = product * weight.view(-1, *[1] * (x.ndim - dim - 1))
    if number_of(reduction) == losses.NONE:
        return -product.sum(dim)
    total = -product.sum()
    number = x.size // max(x.shape[dim], 1)
    return total if reduction == "sum" else _div.operation.with_number(total, number)


def nll_loss(input, target, weight=None, ignore_index=-100, reduction="mean"):
    """Return what `cross_entropy` does, for an `input` that log_softmax returned."""
    check_classes(input._array, target._array)
    refuse_gradient("nll_loss_forward", weight=weight)
    shape, loss = target.shape, losses.nll_loss
    if input.ndim > 2:
        loss = losses.nll_loss2d
    if input.ndim not in (1, 2, 4):         # pictures have 4 dimensions
        input = input.contiguous().view(*input.shape[:2], 1, math.prod(shape[1:]))
        target = target.reshape(len(target), 1, -1)
    result = loss(input, target, weight, number_of(reduction), ignore_index)[0]
    return result.view(shape) if len(target.shape) != len(shape) and result.ndim else result


def check_classes(x, t):
    """Raise, in PyTorch's words, if the shapes of scores and classes do not fit."""
    if x.ndim == t.ndim == 1 and t.size != 1:
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {t.size}")
    if x.ndim > 1 and t.shape[:1] != x.shape[:1]:
        raise ValueError(f"Expected input batch_size ({len(x)}) to match target batch_size "
                         f"({t.shape[0] if t.ndim else 0}).")
    if x.ndim <= 2 and t.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if x.ndim > 2 and x.shape[2:] != t.shape[1:]:
        raise RuntimeError(f"Expected target size {[len(x), *x.shape[2:]]}, got {list(t.shape)}")


def refuse_gradient(function, **tensors):
    """Raise for a tensor that requires a gradient where PyTorch has no formula for one."""
    for name, tensor in tensors.items():
        if tensor is not None and tensor.requires_grad and local.state.recording:
            raise RuntimeError(f"The function '{function}' is not differentiable with respect to "
                               f"argument '{name}'. This input cannot have requires_grad True.")
