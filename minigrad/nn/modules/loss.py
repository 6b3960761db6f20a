"""The losses as modules; what they compute is in ``nn.functional``."""
from __future__ import annotations

from .. import functional
from ..functional.reduction import chosen
from .module import Module


class _Loss(Module):
    """A loss with the arguments `reduction`, and the two older ones that it replaced."""

    def __init__(self, size_average=None, reduce=None, reduction="mean"):
        super().__init__()
        self.reduction = chosen(size_average, reduce, reduction)


class _WeightedLoss(_Loss):
    """A loss with weights, which are a buffer."""

    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class MSELoss(_Loss):
    """The squared differences."""

    def forward(self, input, target):
        return functional.mse_loss(input, target, reduction=self.reduction)


class CrossEntropyLoss(_WeightedLoss):
    """Minus the logarithm of the softmax at the right class: takes the raw outputs of a network."""

    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean",
                 label_smoothing=0.0):
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input, target):
        return functional.cross_entropy(input, target, weight=self.weight, ignore_index=self.ignore_index,
                                        reduction=self.reduction, label_smoothing=self.label_smoothing)


