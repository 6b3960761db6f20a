"""Stochastic gradient descent: a step against the gradient, perhaps with momentum."""
from ..tensor import wrap
from .optimizer import Optimizer, refuse_negative


class SGD(Optimizer):
    """Step against the gradient: param = param - lr * grad.

        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    momentum: step against a running sum, whose first value is the gradient:
        buffer = momentum * buffer + (1 - dampening) * grad
    weight_decay: add this multiple of the parameter to its gradient.
    nesterov: step against grad + momentum * buffer (Sutskever and others, 2013).
    maximize: step along the gradient.

    Raises ValueError for a negative option, or for nesterov without momentum or with
    dampening.
    """
    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0,
                 nesterov=False, *, maximize=False, foreach=None, fused=None):
        refuse_negative(lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        # The last three change nothing: PyTorch's `state_dict` has them.
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "dampening": dampening,
            "weight_decay": weight_decay, "nesterov": nesterov, "maximize": maximize,
            "foreach": foreach, "differentiable": False, "fused": fused})

    def update(self, group, param, w, grad):
        momentum = group["momentum"]
        step = grad
        if momentum != 0:
            state = self.state[param]
            if "momentum_buffer" in state:
                buffer = state["momentum_buffer"]._array
                buffer *= momentum
                kept = 1 - group["dampening"]
                buffer += grad if kept == 1 else kept * grad
            else:
                buffer = grad.copy()    # it must not change when `.grad` does
                state["momentum_buffer"] = wrap(buffer)
            step = grad + momentum * buffer if group["nesterov"] else buffer
        w -= group["lr"] * step
