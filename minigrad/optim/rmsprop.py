"""RMSprop: the gradient divided by the root of a running mean of its square."""
import numpy as np

from .optimizer import Optimizer, refuse_negative


class RMSprop(Optimizer):
    """Divide the gradient by the root of a running mean of its square (Hinton, lecture 6e).

        v = alpha * v + (1 - alpha) * grad ** 2
        param -= lr * grad / (sqrt(v) + eps)

    momentum: step against a running sum, buffer = momentum * buffer + grad / (sqrt(v) + eps).
    weight_decay, maximize: as in SGD.  Raises ValueError for a negative option.
    """
    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, *,
                 maximize=False):
        refuse_negative(lr=lr, eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": False,
            "weight_decay": weight_decay, "capturable": False, "foreach": None,
            "maximize": maximize, "differentiable": False})

    def update(self, group, param, w, grad):
        alpha, momentum = group["alpha"], group["momentum"]
        names = ["momentum_buffer"] if momentum > 0 else []
        _, v, *buffers = self.remembered(param, "square_avg", *names)
        v *= alpha
        v += (1 - alpha) * grad * grad
        step = grad / (np.sqrt(v) + group["eps"])
        for buffer in buffers:
            buffer *= momentum
            buffer += step
            step = buffer
        w -= group["lr"] * step
