"""RMSprop: the gradient divided by the root of a running mean of its square."""
import numpy as np

from ..optim.optimizer import Optimizer, refuse_negative
from ..vocabulary import absent_option


class RMSprop(Optimizer):
    """Divide the gradient by the root of a running mean of its square (Hinton, 2012).

        v = alpha * v + (1 - alpha) * grad ** 2
        param -= lr * grad / (sqrt(v) + eps)

    momentum: step against a running sum:
        buffer = momentum * buffer + grad / (sqrt(v) + eps)
    weight_decay, maximize: as in SGD.

    Raises ValueError for a negative option, TypeError for ``centered=True``.
    """
    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0,
                 momentum=0, centered=False, *, foreach=None, maximize=False):
        if centered:
            raise absent_option("RMSprop", "centered")
        refuse_negative(lr=lr, eps=eps, momentum=momentum, weight_decay=weight_decay,
                        alpha=alpha)
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps,
            "centered": False, "weight_decay": weight_decay, "capturable": False,
            "foreach": foreach, "maximize": maximize, "differentiable": False})

    def update(self, group, param, w, grad):
        self._count_step(param)
        alpha, momentum = group["alpha"], group["momentum"]
        v = self._state_array(param, "square_avg")
        v *= alpha
        v += (1 - alpha) * grad * grad
        step = grad / (np.sqrt(v) + group["eps"])
        if momentum > 0:
            buffer = self._state_array(param, "momentum_buffer")
            buffer *= momentum
            buffer += step
            step = buffer
        w -= group["lr"] * step
