"""Losses that no chapter uses: the absolute difference, and that of log-probabilities.

The function of the second, ``nll_loss``, is in the core: the cross-entropy calls it.
"""
from ..nn.functional import nll_loss, same_size
from ..nn.modules.losses import Loss
from ..ops.losses import number_of


def l1_loss(input, target, reduction="mean"):
    """Return abs(input - target): the mean, the "sum", or with "none" each."""
    number_of(reduction)                        # raises for any other word
    input, target = same_size(input, target)
    distance = (input - target).abs()
    if reduction == "none":
        return distance
    return distance.mean() if reduction == "mean" else distance.sum()


class L1Loss(Loss):
    """The absolute differences abs(input - target)."""
    def __init__(self, reduction="mean"):
        super().__init__(reduction)

    def forward(self, input, target):
        return l1_loss(input, target, self.reduction)


class NLLLoss(Loss):
    """Minus the entry at the right class, for logarithms of probabilities."""
    def __init__(self, weight=None, ignore_index=-100, reduction="mean"):
        super().__init__(reduction, weight=weight)
        self.ignore_index = ignore_index

    def forward(self, input, target):
        return nll_loss(
            input, target, self.weight, self.ignore_index, self.reduction)
