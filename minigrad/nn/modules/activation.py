"""The bends of a network as modules; what they compute is in ``nn.functional``."""
from __future__ import annotations

from ...creation import empty
from ...ops.pointwise import sigmoid  # noqa
from ...ops.pointwise import tanh  # noqa
from .. import functional, init
from ..parameter import Parameter
from .module import Module


class _Bend(Module):
    """A function of every element, with a few settings that the printed form shows."""

    settings = ()

    def extra_repr(self):
        shown = [f"{name}={getattr(self, name)}" for name in self.settings]
        if getattr(self, "inplace", False):
            shown.append("inplace=True")
        return ", ".join(shown)


class _InPlaceBend(_Bend):
    """One that has no setting but whether to write over its input."""

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace


class ReLU(_InPlaceBend):
    """The larger of each number and 0."""

    def forward(self, input):
        return functional.relu(input, self.inplace)


class Sigmoid(Module):
    """1 / (1 + e ** -x)."""

    def forward(self, input):
        return sigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input):
        return tanh(input)


