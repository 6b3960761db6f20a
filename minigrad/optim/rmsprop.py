"""RMSprop: the gradient divided by the root of a running mean of its square."""
from __future__ import annotations

import numpy as np

from .optimizer import Optimizer, refuse_negative


class RMSprop(Optimizer):
    """Divide the gradient by the root of a running mean of its square (Hinton, lecture 6e).

        v = alpha * v + (1 - alpha) * grad ** 2
        param -= lr * grad / (sqrt(v) + eps)

    momentum: step against a running sum, buffer = momentum * buffer + grad / (sqrt(v) + eps).
    centered: divide by the running standard deviation, sqrt(v - mean ** 2).
    weight_decay, maximize: as in SGD.  Raises ValueError for a negative option.
    """

    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0,
                 centered=False, *, maximize=False):
        refuse_negative(lr=lr, eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": False, "foreach": None,
            "maximize": maximize, "differentiable": False})

    def update(self, group, param, grad):
        self.count_step(param)
        w, (v,) = param._array, self.arrays_of(param, "square_avg")
        alpha, momentum = group["alpha"], group["momentum"]
        if group["weight_decay"] != 0:
            grad = grad + group["weight_decay"] * w
        v *= alpha
        v += (1 - alpha) * grad * grad
        if group["centered"]:
            mean, = self.arrays_of(param, "grad_avg")
            mean += (1 - alpha) * (grad - mean)
            v = v - mean * mean
        size = np.sqrt(v) + group["eps"]
        if momentum > 0:
            buffer, = self.arrays_of(param, "momentum_buffer")
            buffer *= momentum
            buffer += grad / size
            w -= group["lr"] * buffer
        else:
            w -= group["lr"] * grad / size
