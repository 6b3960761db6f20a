"""The layers; what they compute is in ``nn.functional``."""
import math

from ...creation import empty
from .. import functional, init
from ..parameter import Parameter
from .module import Module


class Linear(Module):
    """Return input @ weight.T + bias, over the last dimension.

        layer = nn.Linear(3, 2)
        layer(torch.ones(5, 3)).shape       # torch.Size([5, 2])

    weight: (out_features, in_features); bias: (out_features,) or None.  Both are drawn
    uniformly between +-1 / sqrt(in_features).  Raises RuntimeError for an input of
    another size or dtype.
    """
    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        weight = empty(out_features, in_features, device=device, dtype=dtype)
        self.weight = Parameter(weight)
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw weight and bias anew."""
        bound = 1 / math.sqrt(self.in_features) if self.in_features else 0
        for param in self.parameters(recurse=False):
            init.uniform_(param, -bound, bound)

    def forward(self, input):
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return (f"in_features={self.in_features}, out_features={self.out_features}, "
                f"bias={self.bias is not None}")


class Flatten(Module):
    """Join the dimensions from `start_dim` on: (N, C, H, W) becomes (N, C * H * W)."""
    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self):
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Dropout(Module):
    """See ``functional.dropout``; it is active in training only."""
    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(
                f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def forward(self, input):
        return functional.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


class ReLU(Module):
    """Return the larger of each number and 0; with `inplace`, over the input itself."""
    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, input):
        return functional.relu(input, self.inplace)

    def extra_repr(self):
        return "inplace=True" if self.inplace else ""


class Tanh(Module):
    """Return the hyperbolic tangent of each number."""
    def forward(self, input):
        return functional.tanh(input)


class Sigmoid(Module):
    """Return 1 / (1 + exp(-x)) of each number x."""
    def forward(self, input):
        return functional.sigmoid(input)


class Softmax(Module):
    """See ``functional.softmax``."""
    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return functional.softmax(input, self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"
