"""The losses as modules; what they compute is in ``nn.functional``.

Each is called with (input, target) and returns the mean over all elements; ``reduction="sum"``
returns the sum, ``"none"`` the loss of each.
"""
from .. import functional
from .module import Module


class Loss(Module):
    """A loss with a `reduction`, and perhaps with weights, which are buffers."""
    def __init__(self, reduction="mean", **weights):
        super().__init__()
        self.reduction = reduction
        for name, weight in weights.items():
            self.register_buffer(name, weight)


class MSELoss(Loss):
    """The squared differences (input - target) ** 2; warns if the shapes differ.

        nn.MSELoss()(torch.tensor([1., 2.]), torch.tensor([0., 0.]))        # tensor(2.5000)
    """
    def forward(self, input, target):
        return functional.mse_loss(input, target, self.reduction)


class L1Loss(Loss):
    """The absolute differences abs(input - target)."""
    def forward(self, input, target):
        return functional.l1_loss(input, target, self.reduction)


class NLLLoss(Loss):
    """Minus the entry at the right class, for logarithms of probabilities."""
    compute = staticmethod(functional.nll_loss)

    def __init__(self, weight=None, ignore_index=-100, reduction="mean"):
        super().__init__(reduction, weight=weight)
        self.ignore_index = ignore_index

    def forward(self, input, target):
        return self.compute(input, target, self.weight, self.ignore_index, self.reduction)


class CrossEntropyLoss(NLLLoss):
    """Minus the logarithm of the softmax at the right class; see ``nn.functional.cross_entropy``.

        nn.CrossEntropyLoss()(torch.tensor([[0., 0.]]), torch.tensor([1]))  # tensor(0.6931)
    """
    compute = staticmethod(functional.cross_entropy)


class BCELoss(Loss):
    """The cross-entropy of yes and no, for probabilities of yes."""
    def __init__(self, weight=None, reduction="mean"):
        super().__init__(reduction, weight=weight)

    def forward(self, input, target):
        return functional.binary_cross_entropy(input, target, self.weight, self.reduction)


class BCEWithLogitsLoss(Loss):
    """The cross-entropy of yes and no, for numbers whose sigmoid is the probability of yes."""
    def __init__(self, weight=None, reduction="mean", pos_weight=None):
        super().__init__(reduction, weight=weight, pos_weight=pos_weight)

    def forward(self, input, target):
        return functional.binary_cross_entropy_with_logits(
            input, target, self.weight, self.reduction, self.pos_weight)
