"""The layers; what they compute is in ``nn.functional``."""
from __future__ import annotations

import math

from ...creation import empty
from .. import functional, init
from ..parameter import Parameter
from .module import Module


class Linear(Module):
    """Return input @ weight.T + bias, over the last dimension.

        layer = nn.Linear(3, 2)
        layer(torch.ones(5, 3)).shape       # torch.Size([5, 2])

    weight: (out_features, in_features), bias: (out_features,) or None.  Both are drawn uniformly
    between -1 / sqrt(in_features) and 1 / sqrt(in_features).

    Raises RuntimeError if the last dimension of the input is not `in_features`, or if its dtype
    is not that of the weight.
    """

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(empty((out_features, in_features), device=device, dtype=dtype))
        self.register_parameter(
            "bias", Parameter(empty(out_features, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw weight and bias anew."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))  # the same as +-1 / sqrt(in_features)
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input):
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return (f"in_features={self.in_features}, out_features={self.out_features}, "
                f"bias={self.bias is not None}")


class Embedding(Module):
    """A table with a row of `embedding_dim` numbers for each whole number below `num_embeddings`.

        nn.Embedding(10, 3)(torch.tensor([[1, 2, 4]])).shape        # torch.Size([1, 3, 3])

    weight: (num_embeddings, embedding_dim), drawn from the standard normal distribution.  The row
    `padding_idx` is 0 at first and takes no gradient.  Raises IndexError for a row out of range.
    """

    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, device=None, dtype=None):
        super().__init__()
        if padding_idx is not None and not -num_embeddings <= padding_idx < num_embeddings:
            raise AssertionError("Padding_idx must be within num_embeddings")
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = None if padding_idx is None else padding_idx % num_embeddings
        self.weight = Parameter(empty((num_embeddings, embedding_dim), device=device, dtype=dtype))
        init.normal_(self.weight)
        if padding_idx is not None:
            init.zeros_(self.weight.detach()[self.padding_idx])

    def forward(self, input):
        return functional.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self):
        padding = "" if self.padding_idx is None else f", padding_idx={self.padding_idx}"
        return f"{self.num_embeddings}, {self.embedding_dim}{padding}"


class Identity(Module):
    """Return the input; all arguments are ignored."""

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input


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
    """In training, zero each number with probability `p` and divide the others by 1 - p.

    After ``eval()`` it returns its input.  Raises ValueError if `p` is no probability.
    """

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        if p < 0 or p > 1:
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


class Sigmoid(Module):
    """Return 1 / (1 + exp(-x)) for each number x."""

    def forward(self, input):
        return input.sigmoid()


class Tanh(Module):
    """Return the hyperbolic tangent of each number."""

    def forward(self, input):
        return input.tanh()


class Softmax(Module):
    """Return exp(x) / sum(exp(x)) along `dim`: positive numbers that add up to 1."""

    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return input.softmax(self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"
