"""``torch.nn.functional``: what modules compute, as functions: layers, then losses."""
from ..autograd.grad_mode import no_grad
from ..creation import empty_like
from ..errors import warn
from ..ops import losses
from ..ops.cross_entropy import cross_entropy, nll_loss
from ..ops.elementwise import sigmoid, tanh
from ..ops.expansion import broadcast_tensors
from ..ops.losses import number_of
from ..ops.matmul import linear
from ..ops.softmax import log_softmax, softmax
from ..vocabulary import offer_names

__all__ = [
    "cross_entropy", "dropout", "linear", "log_softmax", "mse_loss", "nll_loss", "relu",
    "sigmoid", "softmax", "tanh"]
__getattr__, __dir__ = offer_names(__name__, __all__)


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


def mse_loss(input, target, reduction="mean"):
    """Return (input - target) ** 2: the mean, the "sum", or with "none" each."""
    input, target = same_size(input, target)
    return losses.mse_loss(input, target, number_of(reduction))


def same_size(input, target):
    """Return both tensors in one shape; warn if they had different ones."""
    if target.shape == input.shape:
        return input, target
    warn(f"Using a target size ({target.size()}) that is different to the input size "
         f"({input.size()}). This will likely lead to incorrect results due to "
         "broadcasting. Please ensure they have the same size.")
    return broadcast_tensors(input, target)
