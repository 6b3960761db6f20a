"""The losses as modules; what they compute is in ``nn.functional``.

Each is called with (input, target) and returns their mean; ``reduction="sum"`` returns the sum,
``"none"`` the losses of all elements.
"""
from __future__ import annotations

from .. import functional
from .module import Module


class Loss(Module):
    """A loss with a `reduction`."""

    def __init__(self, reduction="mean"):
        super().__init__()
        self.reduction = reduction


class WeightedLoss(Loss):
    """A loss with weights, which are a buffer."""

    def __init__(self, weight=None, reduction="mean"):
        super().__init__(reduction)
        self.register_buffer("weight", weight)


class MSELoss(Loss):
    """The squared differences (input - target) ** 2.

        nn.MSELoss()(torch.tensor([1., 2.]), torch.tensor([0., 0.]))        # tensor(2.5000)
    """

    def forward(self, input, target):
        return functional.mse_loss(input, target, reduction=self.reduction)


class L1Loss(Loss):
    """The absolute differences abs(input - target)."""

    def forward(self, input, target):
        return functional.l1_loss(input, target, reduction=self.reduction)


class CrossEntropyLoss(WeightedLoss):
    """Minus the logarithm of the softmax at the right class, for raw outputs of a network.

        nn.CrossEntropyLoss()(torch.tensor([[0., 0.]]), torch.tensor([1]))  # tensor(0.6931)

    See ``nn.functional.cross_entropy`` for shapes, arguments and errors.
    """

    def __init__(self, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
        super().__init__(weight, reduction)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input, target):
        return functional.cross_entropy(input, target, self.weight, self.ignore_index,
                                        self.reduction, self.label_smoothing)


class NLLLoss(WeightedLoss):
    """Minus the entry at the right class, for logarithms of probabilities."""

    def __init__(self, weight=None, ignore_index=-100, reduction="mean"):
        super().__init__(weight, reduction)
        self.ignore_index = ignore_index

    def forward(self, input, target):
        return functional.nll_loss(input, target, self.weight, self.ignore_index, self.reduction)


class BCELoss(WeightedLoss):
    """The cross-entropy of yes and no, for probabilities of yes."""

    def forward(self, input, target):
        return functional.binary_cross_entropy(input, target, self.weight, self.reduction)


class BCEWithLogitsLoss(WeightedLoss):
    """The cross-entropy of yes and no, for numbers whose sigmoid is the probability of yes."""

    def __init__(self, weight=None, reduction="mean", pos_weight=None):
        super().__init__(weight, reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input, target):
        return functional.binary_cross_entropy_with_logits(
            input, target, self.weight, self.reduction, self.pos_weight)
