"""The layers; what they compute is in ``nn.functional``."""
import math

from ...creation import empty
from ...tensor import Tensor
from .. import functional, init
from ..parameter import Parameter
from .module import Module


class Linear(Module):
    """Return input @ weight.T + bias, over the last dimension.

        layer = nn.Linear(3, 2)
        layer(torch.ones(5, 3)).shape       # torch.Size([5, 2])

    weight: (out_features, in_features), bias: (out_features,) or None; both drawn uniformly between
    +-1 / sqrt(in_features).  Raises RuntimeError for an input of another size or dtype.
    """
    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(empty(out_features, in_features, dtype=dtype))
        bias = Parameter(empty(out_features, dtype=dtype)) if bias else None
        self.register_parameter("bias", bias)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw weight and bias anew."""
        bound = 1 / math.sqrt(self.in_features) if self.in_features else 0
        for param in self.parameters(recurse=False):
            init.uniform_(param, -bound, bound)

    def forward(self, input):
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self):
        sizes = f"in_features={self.in_features}, out_features={self.out_features}"
        return f"{sizes}, bias={self.bias is not None}"


class Embedding(Module):
    """A table with a row of `embedding_dim` numbers for each whole number below `num_embeddings`.

        nn.Embedding(10, 3)(torch.tensor([[1, 2, 4]])).shape        # torch.Size([1, 3, 3])

    The numbers come from the standard normal distribution; the row `padding_idx` takes no gradient.
    """
    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, device=None, dtype=None):
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        self.weight = init.normal_(Parameter(empty(num_embeddings, embedding_dim, dtype=dtype)))
        if padding_idx is not None:
            init.zeros_(self.weight.detach()[padding_idx])

    def forward(self, input):
        return functional.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self):
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"


class Flatten(Module):
    """Join the dimensions from `start_dim` to `end_dim`: (N, C, H, W) becomes (N, C * H * W)."""
    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self):
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Dropout(Module):
    """In training, zero each number with probability `p` and divide the others by 1 - p."""
    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input):
        return functional.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


class ReLU(Module):
    """Return the larger of each number and 0; with `inplace`, written over the input."""
    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input):
        return functional.relu(input, self.inplace)

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""


class Softmax(Module):
    """Return exp(x) / sum(exp(x)) along `dim`: positive numbers that add up to 1."""
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return input.softmax(self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


def layer_of(name, function):
    """Return the class of a layer without settings, which applies a function to its input."""
    return type(name, (Module,), {"forward": staticmethod(function), "__module__": __name__})


Identity = layer_of("Identity", lambda input: input)
Sigmoid = layer_of("Sigmoid", Tensor.sigmoid)
Tanh = layer_of("Tanh", Tensor.tanh)
