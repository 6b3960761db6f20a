"""The losses as modules; what they compute is in ``nn.functional``.

Each is called with (input, target) and returns the mean over all elements;
``reduction="sum"`` returns the sum, ``"none"`` the loss of each.
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

        loss_fn = nn.MSELoss()
        loss_fn(torch.tensor([1., 2.]), torch.tensor([0., 0.]))     # tensor(2.5000)
    """
    def __init__(self, reduction="mean"):
        super().__init__(reduction)

    def forward(self, input, target):
        return functional.mse_loss(input, target, self.reduction)


class CrossEntropyLoss(Loss):
    """Minus the logarithm of the softmax at the right class; see ``cross_entropy``.

        loss_fn = nn.CrossEntropyLoss()
        loss_fn(torch.tensor([[0., 0.]]), torch.tensor([1]))        # tensor(0.6931)
    """
    def __init__(self, weight=None, ignore_index=-100, reduction="mean",
                 label_smoothing=0.0):
        super().__init__(reduction, weight=weight)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input, target):
        return functional.cross_entropy(
            input, target, self.weight, self.ignore_index, self.reduction,
            self.label_smoothing)
