"""RMSprop: the gradient divided by the root of a running mean of its square."""
from __future__ import annotations

import numpy as np

from ..creation import tensor, zeros_like
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
        state, alpha, momentum = self.state[param], group["alpha"], group["momentum"]
        if not state:
            state["step"], state["square_avg"] = tensor(0.0), zeros_like(param)
            if momentum > 0:
                state["momentum_buffer"] = zeros_like(param)
            if group["centered"]:
                state["grad_avg"] = zeros_like(param)
        w, v = param._array, state["square_avg"]._array
        if group["weight_decay"] != 0:
            grad = grad + group["weight_decay"] * w
        state["step"] += 1
        v *= alpha
        v += (1 - alpha) * grad * grad
        if group["centered"]:
            mean = state["grad_avg"]._array
            mean += (1 - alpha) * (grad - mean)
            v = v - mean * mean
        size = np.sqrt(v) + group["eps"]
        if momentum > 0:
            buffer = state["momentum_buffer"]._array
            buffer *= momentum
            buffer += grad / size
            w -= group["lr"] * buffer
        else:
            w -= group["lr"] * grad / size
