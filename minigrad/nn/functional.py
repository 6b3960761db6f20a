"""``torch.nn.functional``: what modules compute, as functions: layers, then losses."""
import warnings

from ..autograd.grad_mode import no_grad
from ..creation import empty_like
from ..ops import losses
from ..ops.cross_entropy import cross_entropy, nll_loss
from ..ops.elementwise import sigmoid, tanh
from ..ops.expansion import broadcast_tensors
from ..ops.losses import number_of
from ..ops.matmul import linear
from ..ops.softmax import log_softmax, softmax
from ..vocabulary import offer_names

__all__ = [
    "cross_entropy", "dropout", "l1_loss", "linear", "log_softmax", "mse_loss",
    "nll_loss", "relu", "sigmoid", "softmax", "tanh"]
__getattr__, __dir__ = offer_names(__name__, __all__)


# --- layers -------------------------------------------------------------------------

def relu(input, inplace=False):
    """Return the larger of each number and 0."""
    return input.relu_() if inplace else input.relu()


def dropout(input, p=0.5, training=True, inplace=False):
    """In training, zero numbers with probability `p`; divide the others by 1 - p."""
    if p == 0 or not training:
        return input
    with no_grad():
        noise = empty_like(input)
        if p == 1:
            noise.zero_()
        else:
            noise.bernoulli_(1 - p).div_(1 - p)
    return input.mul_(noise) if inplace else input * noise


# --- losses -------------------------------------------------------------------------

def mse_loss(input, target, reduction="mean"):
    """Return (input - target) ** 2: the mean, the "sum", or with "none" each."""
    input, target = same_size(input, target)
    return losses.mse_loss(input, target, number_of(reduction))


def l1_loss(input, target, reduction="mean"):
    """Return abs(input - target): the mean, the "sum", or with "none" each."""
    number_of(reduction)                        # raises for any other word
    input, target = same_size(input, target)
    distance = (input - target).abs()
    if reduction == "none":
        return distance
    return distance.mean() if reduction == "mean" else distance.sum()


def same_size(input, target):
    """Return both tensors in one shape; warn if they had different ones."""
    if target.shape == input.shape:
        return input, target
    warnings.warn(
        f"Using a target size ({target.size()}) that is different to the input size "
        f"({input.size()}). This will likely lead to incorrect results due to "
        "broadcasting. Please ensure they have the same size.",
        UserWarning, stacklevel=3)
    return broadcast_tensors(input, target)
