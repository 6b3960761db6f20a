"""``torch.nn.functional``: what modules compute, as functions: layers, then losses."""
from ..autograd.grad_mode import no_grad
from ..creation import empty_like
from ..errors import warn
from ..ops import losses
from ..ops.elementwise import sigmoid, tanh
from ..ops.expansion import broadcast_tensors
from ..ops.losses import cross_entropy, nll_loss, number_of
from ..ops.matmul import linear
from ..ops.softmax import _log_softmax, _softmax, prepare
from ..vocabulary import offer_names

__all__ = [
    "cross_entropy", "dropout", "linear", "log_softmax", "mse_loss", "nll_loss", "relu",
    "sigmoid", "softmax", "tanh"]
__getattr__, __dir__ = offer_names(__name__, __all__)


def relu(input, inplace=False):
    """Return the larger of each number and 0."""
    return input.relu_() if inplace else input.relu()


def softmax(input, dim=None, _stacklevel=3, dtype=None):
    """Return exp(x) / sum(exp(x)) along `dim`: positive numbers that add up to 1."""
    if dim is None:
        dim = implicit_dim("softmax", input)
    return _softmax(prepare("softmax", input, dtype), dim)


def log_softmax(input, dim=None, _stacklevel=3, dtype=None):
    """Return log(softmax(x)) along `dim`, without probabilities that round to 0."""
    if dim is None:
        dim = implicit_dim("log_softmax", input)
    return _log_softmax(prepare("log_softmax", input, dtype), dim)


def implicit_dim(name, input):
    """Return the dimension that PyTorch chooses where none is given, and warn."""
    warn(f"Implicit dimension choice for {name} has been deprecated. Change the call "
         "to include dim=X as an argument.")
    return 0 if input.dim() in (0, 1, 3) else 1


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
