"""Linear maps with weights that are learnt."""
from __future__ import annotations

import math

from ...creation import empty
from .. import functional, init
from ..parameter import Parameter
from .module import Module


class Linear(Module):
    """input @ weight.T + bias, over the last dimension.

    weight: (out_features, in_features), bias: (out_features,), both first drawn evenly from
        +-1 / sqrt(in_features).
    """

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(empty((out_features, in_features), device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_features, device=device, dtype=dtype))
                                if bias else None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw first values."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))      # which comes to +-1 / sqrt(in_features)
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input):
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return (f"in_features={self.in_features}, out_features={self.out_features}, "
                f"bias={self.bias is not None}")


