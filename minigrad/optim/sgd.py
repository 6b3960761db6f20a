"""Stochastic gradient descent: a step against the gradient, with or without momentum."""
from __future__ import annotations

from ..tensor import Tensor, wrap
from .kernels import add_scaled, sum_scaled
from .optimizer import Optimizer, array_of, number


class SGD(Optimizer):
    """param -= lr * grad.

    Args:
        momentum: keep a running sum, buffer = momentum * buffer + (1 - dampening) * grad, and step against
            that.
        weight_decay: add this multiple of the parameter to its gradient.
        nesterov: step against grad + momentum * buffer.
        maximize: step along the gradient.
    """

    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, *,
                 maximize=False, foreach=None, differentiable=False, fused=None):
        if isinstance(lr, Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        for name, value in (("learning rate", lr), ("momentum value", momentum),
                            ("weight_decay value", weight_decay)):
            if value < 0.0:         # unlike the other optimizers, which compare the other way: nan passes
                raise ValueError(f"Invalid {name}: {value}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
            "nesterov": nesterov, "maximize": maximize, "foreach": foreach, "differentiable": differentiable,
            "fused": fused})

    def update(self, group, param, grad, state):
        lr, momentum, weight_decay = number(group["lr"]), group["momentum"], number(group["weight_decay"])
        if weight_decay != 0:
            grad = sum_scaled(grad, param, weight_decay)
        if momentum != 0:
            grad = with_momentum(state, grad, momentum, group["dampening"], group["nesterov"])
        add_scaled(param, grad, -lr)
        return 1

    def state_of(self, param, group):
        """Without momentum there is none, not even an empty one."""
        return self.state[param] if group["momentum"] != 0 else None


def with_momentum(state, grad, momentum, dampening, nesterov):
    """The direction of the step: the running sum of gradients, or with nesterov one step ahead of it."""
    if state.get("momentum_buffer") is None:
        state["momentum_buffer"] = wrap(grad.copy())
        buffer = state["momentum_buffer"]._array
    else:
        buffer = array_of(state, "momentum_buffer", 2)
        buffer *= buffer.dtype.type(momentum)
        add_scaled(buffer, grad, 1 - dampening)
    return sum_scaled(grad, buffer, momentum) if nesterov else buffer
