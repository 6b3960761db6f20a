"""``torch.nn.functional``: what modules compute, as functions: layers, then losses."""
# Generated from the live objects: python -m tests.stubs --write
from collections.abc import Sequence
from minigrad import dtype
from minigrad.tensor import Tensor

def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-05,
) -> Tensor:
    """Bring each channel of (N, C) or (N, C, L) to mean 0 and variance 1."""

def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: str = 'mean',
) -> Tensor:
    """Return -(target * log(input) + (1 - target) * log(1 - input))."""

def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: str = 'mean',
    pos_weight: Tensor | None = None,
) -> Tensor:
    """Return the binary cross-entropy of sigmoid(input)."""

def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = 'mean',
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return minus the logarithm of softmax(input) at the class that `target` names."""

def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """In training, zero numbers with probability `p`; divide the others by 1 - p."""

def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Return x where x > 0, and alpha * (exp(x) - 1) elsewhere."""

def embedding(input: Tensor, weight: Tensor, padding_idx: int | None = None) -> Tensor:
    """Return the rows of `weight` that the integers in `input` name."""

def gelu(input: Tensor, *, approximate: str = 'none') -> Tensor:
    """Return x times the probability that a standard normal number is below x."""

def huber_loss(
    input: Tensor,
    target: Tensor,
    reduction: str = 'mean',
    delta: float = 1.0,
    weight: Tensor | None = None,
) -> Tensor:
    """Return d * d / 2 of d = input - target; delta * (abs(d) - delta / 2) far from 0."""

def l1_loss(input: Tensor, target: Tensor, reduction: str = 'mean') -> Tensor:
    """Return abs(input - target): the mean, the "sum", or with "none" each."""

def layer_norm(
    input: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-05,
) -> Tensor:
    """Bring the last dimensions, of `normalized_shape`, to mean 0 and variance 1."""

def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Return x where x > 0, and negative_slope * x elsewhere."""

def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return input @ weight.T + bias."""

def log_softmax(
    input: Tensor,
    dim: int | None = None,
    _stacklevel: int = 3,
    dtype: dtype | None = None,
) -> Tensor:
    """Return log(softmax(x)) along `dim`, without probabilities that round to 0."""

def mse_loss(input: Tensor, target: Tensor, reduction: str = 'mean') -> Tensor:
    """Return (input - target) ** 2: the mean, the "sum", or with "none" each."""

def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = 'mean',
) -> Tensor:
    """Return what `cross_entropy` does, for an `input` that log_softmax returned."""

def one_hot(input: Tensor, num_classes: int = -1) -> Tensor:
    """Return rows of zeros with a 1 at the place that the index names; int64."""

def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return the larger of each number and 0."""

def sigmoid(self: Tensor) -> Tensor:
    """Compute the function of this name for each number, as floats."""

def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """Return x * sigmoid(x)."""

def smooth_l1_loss(input: Tensor, target: Tensor, reduction: str = 'mean', beta: float = 1.0) -> Tensor:
    """Return abs(d) - beta / 2 of d = input - target; d * d / 2 / beta near 0."""

def softmax(
    input: Tensor,
    dim: int | None = None,
    _stacklevel: int = 3,
    dtype: dtype | None = None,
) -> Tensor:
    """Return exp(x) / sum(exp(x)) along `dim`: positive numbers that add up to 1."""

def softplus(input: Tensor, beta: float = 1, threshold: int | float = 20) -> Tensor:
    """Return log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold."""

def tanh(self: Tensor) -> Tensor:
    """Compute the function of this name for each number, as floats."""
