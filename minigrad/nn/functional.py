"""``torch.nn.functional``: what modules compute, as functions of their inputs and parameters."""
from __future__ import annotations

import warnings

from ..autograd.grad_mode import no_grad
from ..creation import empty_like
from ..errors import short_name, without
from ..ops import layers, losses
from ..ops.elementwise import softplus
from ..ops.index_select import _one_hot as one_hot
from ..ops.expansion import broadcast_tensors
from ..ops.matmul import linear
from ..ops.losses import MEAN, NONE, SUM
from ..state import local

__getattr__ = without(__name__)


# --- activations --------------------------------------------------------------------------------

def relu(input, inplace=False):
    """Return the larger of each number and 0."""
    return input.relu_() if inplace else input.relu()


def tanh(input):
    """Return the hyperbolic tangent of each number."""
    return input.tanh()


def sigmoid(input):
    """Return 1 / (1 + exp(-x)) for each number x."""
    return input.sigmoid()


def softmax(input, dim=None, dtype=None):
    """Return exp(x) / sum(exp(x)) along `dim`: positive numbers that add up to 1."""
    return input.softmax(chosen_dim("softmax", input) if dim is None else dim, dtype)


def log_softmax(input, dim=None, dtype=None):
    """Return the logarithm of softmax along `dim`, exact also where softmax is nearly 0."""
    return input.log_softmax(chosen_dim("log_softmax", input) if dim is None else dim, dtype)


def chosen_dim(name, input):
    """Return the dimension that PyTorch takes, with a warning, if none is given."""
    warnings.warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to "
                  "include dim=X as an argument.", UserWarning, stacklevel=3)
    return 0 if input.dim() in (0, 1, 3) else 1


# --- layers -------------------------------------------------------------------------------------

def dropout(input, p=0.5, training=True, inplace=False):
    """In training, zero each number with probability `p` and divide the others by 1 - p.

    Raises ValueError if `p` is no probability.
    """
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if p == 0 or not training or not input.numel():
        return input
    with no_grad():
        noise = empty_like(input)
        noise = noise.zero_() if p == 1 else noise.bernoulli_(1 - p).div_(1 - p)
    return input.mul_(noise) if inplace else input * noise


def embedding(input, weight, padding_idx=None):
    """Return the rows of `weight` (rows, n) that the whole numbers in `input` name: (*input, n).

    The row `padding_idx` takes no gradient.  Raises IndexError if there is no such row.
    """
    if weight.dim() != 2:
        raise RuntimeError("'weight' must be 2-D")
    rows = weight.shape[0]
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    return layers.embedding(weight, input, -1 if padding_idx is None else padding_idx % rows)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """Return the input with mean 0 and variance 1 over its last dimensions, * weight + bias.

    `normalized_shape` is the shape of these dimensions, and of `weight` and `bias`.
    """
    shape, size = tuple(normalized_shape), tuple(input.shape)
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
    """Return the input with mean 0 and variance 1 in each channel, * weight + bias.

    input: (N, C) or (N, C, L).  In training, mean and variance are those of this batch, and the
    running ones (C,) move towards them, in place; else the running ones are used.
    """
    if training and input.numel() == input.shape[1]:
        raise ValueError("Expected more than 1 value per channel when training, got input size "
                         f"{input.size()}")
    for name, value in (("running_mean", running_mean), ("running_var", running_var),
                        ("weight", weight), ("bias", bias)):
        if value is None and name.startswith("running") and not training:
            raise RuntimeError(f"{name} must be defined in evaluation mode")
        if value is not None and value.numel() != input.shape[1]:
            raise RuntimeError(f"{name} should contain {input.shape[1]} elements not "
                               f"{value.numel()}")
    return layers.batch_norm(input, weight, bias, running_mean, running_var, training, momentum,
                             eps)[0]


# --- losses -------------------------------------------------------------------------------------

REDUCTIONS = {"none": NONE, "mean": MEAN, "sum": SUM}

SIZES_DIFFER = (
    "Using a target size ({}) that is different to the input size ({}). This will likely lead to "
    "incorrect results due to broadcasting. Please ensure they have the same size.")


def number_of(reduction):
    """Return PyTorch's number for a reduction; ValueError if there is no such reduction."""
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return REDUCTIONS[reduction]


def same_size(input, target):
    """Return both tensors in one shape, with a warning if they had different ones."""
    if target.shape == input.shape:
        return input, target
    warnings.warn(SIZES_DIFFER.format(target.size(), input.size()), UserWarning, stacklevel=3)
    return broadcast_tensors(input, target)


def refuse_gradient(function, **tensors):
    """Raise for a tensor that requires a gradient where PyTorch has no formula for one."""
    for name, tensor in tensors.items():
        if tensor is not None and tensor.requires_grad and local.state.recording:
            raise RuntimeError(f"The function '{function}' is not differentiable with respect to "
                               f"argument '{name}'. This input cannot have requires_grad True.")


def mse_loss(input, target, reduction="mean"):
    """Return (input - target) ** 2: the mean, the "sum", or with "none" each of them.

        mse_loss(torch.tensor([1., 2.]), torch.tensor([0., 0.]))        # tensor(2.5000)

    Warns if the shapes differ, for broadcasting then is rarely what was meant.
    """
    input, target = same_size(input, target)
    return losses.mse_loss(input, target, number_of(reduction))


def l1_loss(input, target, reduction="mean"):
    """Return abs(input - target): the mean, the "sum", or with "none" each of them."""
    number = number_of(reduction)
    input, target = same_size(input, target)
    distance = (input - target).abs()
    return distance if number == NONE else distance.mean() if number == MEAN else distance.sum()


def binary_cross_entropy(input, target, weight=None, reduction="mean"):
    """Return -(target * log(input) + (1 - target) * log(1 - input)) for probabilities `input`.

    Each logarithm is at least -100.  Raises RuntimeError outside of 0 ... 1.
    """
    number = number_of(reduction)
    if target.shape != input.shape:
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input size "
            f"({input.size()}) is deprecated. Please ensure they have the same size.")
    refuse_gradient("binary_cross_entropy", weight=weight)
    return losses.binary_cross_entropy(input, target, weight, number)


def binary_cross_entropy_with_logits(input, target, weight=None, reduction="mean",
                                     pos_weight=None):
    """Return the binary cross-entropy of sigmoid(input), which is exact also for large inputs.

    A target of 1 counts `pos_weight` times.
    """
    number = number_of(reduction)
    if target.shape != input.shape:
        raise ValueError(f"Target size ({target.size()}) must be the same as input size "
                         f"({input.size()})")
    refuse_gradient("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    return losses.binary_cross_entropy_with_logits(input, target, weight, pos_weight, number)


def cross_entropy(input, target, weight=None, ignore_index=-100, reduction="mean",
                  label_smoothing=0.0):
    """Return minus the logarithm of softmax(input) at the class that `target` names.

        cross_entropy(torch.tensor([[0., 0.]]), torch.tensor([1]))      # tensor(0.6931)

    input: (C,), (N, C) or (N, C, ...).  target: int64 classes (), (N,) or (N, ...), of which
    `ignore_index` is left out; or probabilities in the shape of `input`.  weight: how much each
    class counts, (C,); the mean is over the weights.  label_smoothing: the share of each target
    that is spread evenly over all classes.

    Raises IndexError for a class that does not exist, RuntimeError or ValueError for shapes and
    dtypes that do not fit.
    """
    number = number_of(reduction)
    if label_smoothing > 1:
        raise RuntimeError("label_smoothing must be between 0.0 and 1.0. Got: "
                           f"{label_smoothing:g}")
    class_dim = 0 if input.dim() == 1 else 1
    if input.shape == target.shape:
        if not target.is_floating_point():
            raise RuntimeError("Expected floating point type for target with class probabilities, "
                               f"got {short_name(target._array.dtype)}")
        return with_probabilities(input, target, weight, number, label_smoothing, class_dim)
    logarithms = input.log_softmax(class_dim)
    loss = nll_loss(logarithms, target, weight, ignore_index, reduction)
    if label_smoothing <= 0:
        return loss
    uniform = uniform_loss(logarithms, target, weight, number, ignore_index, class_dim)
    return loss * (1 - label_smoothing) + uniform * (label_smoothing / input.shape[class_dim])


def along_classes(weight, logarithms):
    """Return `weight` (C,) in a shape that broadcasts along the classes."""
    dims = logarithms.dim()
    return weight if dims <= 2 else weight.view(1, -1, *[1] * (dims - 2))


def with_probabilities(input, target, weight, reduction, label_smoothing, class_dim):
    """Return the cross-entropy for targets that are themselves probabilities."""
    classes = input.shape[class_dim]
    if label_smoothing > 0:
        target = target * (1 - label_smoothing) + label_smoothing / classes
    product = input.log_softmax(class_dim) * target
    if weight is not None:
        product = product * along_classes(weight, product)
    if reduction == NONE:
        return -product.sum(class_dim)
    total = -product.sum()
    return total / (input.numel() // classes) if reduction == MEAN else total


def uniform_loss(logarithms, target, weight, reduction, ignore_index, class_dim):
    """Return the loss if every class were equally right: the part that label smoothing adds."""
    if weight is not None:
        logarithms = logarithms * along_classes(weight, logarithms)
    ignored = target == ignore_index
    loss = (-logarithms.sum(class_dim)).masked_fill(ignored, 0.0)
    if reduction == NONE:
        return loss
    if reduction == SUM:
        return loss.sum()
    kept = target.masked_select(~ignored)
    return loss.sum() / (kept.numel() if weight is None else weight[kept].sum())


def nll_loss(input, target, weight=None, ignore_index=-100, reduction="mean"):
    """Return minus the entry of `input` at the class that `target` names.

    `input` holds logarithms of probabilities, such as log_softmax gives; see `cross_entropy`.
    """
    number = number_of(reduction)
    x, t = input._array, target._array
    refuse_classes(x, t)
    if t.dtype.name not in ("int64", "uint8"):
        raise RuntimeError("expected target dtype to be Long or Byte, but got "
                           f"{short_name(t.dtype)}")
    if weight is not None:
        refuse_gradient("nll_loss_forward", weight=weight)
        if weight.shape != x.shape[x.ndim > 1:][:1]:
            raise RuntimeError(
                f"weight tensor should be defined either for all {x.shape[x.ndim > 1]} classes or "
                f"no classes but got weight tensor of shape: {list(weight.shape)}")
    losses.check_floats(x, "nll_loss_out_frame")
    if x.ndim <= 2:
        return losses.nll_loss(input, target, weight, number, ignore_index)[0]
    if x.ndim == 4:
        return losses.nll_loss2d(input, target, weight, number, ignore_index)[0]
    input = input.contiguous().view(len(x), x.shape[1], 1, -1)
    target = target.contiguous().view(len(x), 1, -1)
    result = losses.nll_loss2d(input, target, weight, number, ignore_index)[0]
    return result.view(t.shape) if number == NONE else result


def refuse_classes(x, t):
    """Raise if the shape of the classes does not fit that of the input."""
    if x.ndim < 1:
        raise ValueError(f"Expected 1 or more dimensions (got {x.ndim})")
    if x.ndim == t.ndim == 1 and t.size != 1:
        raise ValueError("For 1D input, 1D target must have size 1, but got target size: "
                         f"{t.size}")
    if x.ndim > 1 and (not t.ndim or len(x) != len(t)):
        raise ValueError(f"Expected input batch_size ({len(x)}) to match target batch_size "
                         f"({len(t) if t.ndim else 0}).")
    if x.ndim <= 2 and t.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if x.ndim == 4 and t.ndim != 3:
        raise RuntimeError("only batches of spatial targets supported (3D tensors) but got "
                           f"targets of dimension: {t.ndim}")
    if x.ndim > 2 and x.shape[2:] != t.shape[1:]:
        if x.ndim == 4:
            raise RuntimeError(f"size mismatch (got input: {list(x.shape)} , target: "
                               f"{list(t.shape)}")
        raise RuntimeError(f"Expected target size {[len(x), *x.shape[2:]]}, got {list(t.shape)}")
