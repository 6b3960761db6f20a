"""The cross-entropy of yes and no, for probabilities and for scores."""
import numpy as np

from ..autograd.operation import differentiable
from ..dtypes import short_name
from ..nn.modules.layers import Loss
from ..ops.arithmetic import TWO_BOOLS
from ..ops.declaring import check_dtype
from ..ops.elementwise import log, log1p, sigmoid
from ..ops.losses import (
    gradient_of_each,
    number_of,
    reduce_losses,
    refuse_gradient,
    weighted,
)

# --- for probabilities --------------------------------------------------------------


def gradient_of_probability(grad, self, target, weight, reduction):
    # The small number keeps it finite where a probability is exactly 0 or 1.
    variance = (self + 1e-12) * (1 - self + 1e-12)
    slope = (self - target) / variance
    return gradient_of_each(weighted(grad * slope, weight), reduction, self)


def gradient_of_answer(grad, self, target, weight, reduction):
    slope = log1p(-self) - log(self)
    return gradient_of_each(weighted(grad * slope, weight), reduction, self)


@differentiable(
    "BinaryCrossEntropyBackward0",
    self=gradient_of_probability, target=gradient_of_answer, weight=None)
def _binary_cross_entropy(self, target, weight, reduction):
    """Return minus the logarithm of the probability that was given to the answer."""
    check_dtype(self, "biu", "binary_cross_entropy")
    if self.dtype != target.dtype:
        raise RuntimeError(
            f"Found dtype {short_name(target.dtype)} but expected "
            f"{short_name(self.dtype)}")
    for name, x in (("input", self), ("target", target)):
        if not ((x >= 0) & (x <= 1)).all():
            raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    log_yes = np.maximum(np.log(self), -100)
    log_no = np.maximum(np.log1p(-self), -100)
    losses = (target - 1) * log_no - target * log_yes
    return reduce_losses(weighted(losses, weight), reduction)


def binary_cross_entropy(input, target, weight=None, reduction="mean"):
    """Return -(target * log(input) + (1 - target) * log(1 - input)).

    input, target: between 0 and 1, of one shape; weight: how much each element counts.
    Each logarithm is at least -100.

        F.binary_cross_entropy(torch.tensor([0.5]), torch.tensor([1.]))
        # tensor(0.6931)

    Raises ValueError for two shapes, RuntimeError for numbers outside of [0, 1].
    """
    if target.shape != input.shape:
        raise ValueError(
            f"Using a target size ({target.size()}) that is different to the input "
            f"size ({input.size()}) is deprecated. Please ensure they have the same "
            "size.")
    refuse_gradient("binary_cross_entropy", weight=weight)
    return _binary_cross_entropy(input, target, weight, number_of(reduction))


class BCELoss(Loss):
    """The cross-entropy of yes and no, for probabilities of yes."""
    def __init__(self, weight=None, reduction="mean"):
        super().__init__(reduction, weight=weight)

    def forward(self, input, target):
        return binary_cross_entropy(input, target, self.weight, self.reduction)


# --- for scores, of which sigmoid makes probabilities -------------------------------

def gradient_of_score(grad, self, target, weight, pos_weight, reduction):
    if pos_weight is None:
        slope = sigmoid(self) - target
    else:
        no_and_yes = 1 - target + target * pos_weight
        slope = no_and_yes * sigmoid(self) - target * pos_weight
    return gradient_of_each(weighted(slope * grad, weight), reduction, self)


def gradient_of_answer_to_score(grad, self, target, weight, pos_weight, reduction):
    if pos_weight is None:
        slope = -self
    else:
        slope = log(sigmoid(-self)) - log(sigmoid(self)) * pos_weight
    return gradient_of_each(weighted(slope * grad, weight), reduction, self)


@differentiable(
    "BinaryCrossEntropyWithLogitsBackward0",
    self=gradient_of_score, target=gradient_of_answer_to_score,
    weight=None, pos_weight=None)
def _with_logits(self, target, weight, pos_weight, reduction):
    check_dtype(self, "biu", "log_sigmoid_cpu")
    if target.dtype.kind == "b":
        raise RuntimeError(TWO_BOOLS)
    if target.dtype.kind != "f":        # PyTorch writes the losses over 1 - target
        raise RuntimeError(
            f"result type {short_name(self.dtype)} can't be cast to the desired output "
            f"type {short_name(target.dtype)}")
    # This form of log(sigmoid(self)) never overflows.
    log_yes = np.minimum(self, 0) - np.log1p(np.exp(-np.abs(self)))
    if pos_weight is not None:
        log_yes = log_yes * ((pos_weight - 1) * target + 1)
    losses = ((1 - target) * self - log_yes).astype(target.dtype)
    return reduce_losses(weighted(losses, weight), reduction)


def binary_cross_entropy_with_logits(
        input, target, weight=None, reduction="mean", pos_weight=None):
    """Return the binary cross-entropy of sigmoid(input).

    input, target: of one shape; weight: how much each element counts; pos_weight: how
    much a target of 1 counts.

        F.binary_cross_entropy_with_logits(torch.zeros(2), torch.ones(2))
        # tensor(0.6931)

    Raises ValueError for two shapes.
    """
    if target.shape != input.shape:
        raise ValueError(
            f"Target size ({target.size()}) must be the same as input size "
            f"({input.size()})")
    refuse_gradient(
        "binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    number = number_of(reduction)
    return _with_logits(input, target, weight, pos_weight, number)


class BCEWithLogitsLoss(Loss):
    """The cross-entropy of yes and no, for numbers before the sigmoid."""
    def __init__(self, weight=None, reduction="mean", pos_weight=None):
        super().__init__(reduction, weight=weight, pos_weight=pos_weight)

    def forward(self, input, target):
        return binary_cross_entropy_with_logits(
            input, target, self.weight, self.reduction, self.pos_weight)
