"""RMSprop: the gradient divided by the root of a running mean of its square."""
import numpy as np

from ..creation import full_like, tensor
from ..optim.adam import Adam
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


# --- Adagrad --------------------------------------------------------------------------
# The gradient is divided by the root of the sum of all its squares so far.

class Adagrad(Optimizer):
    """Divide the gradient by the root of the sum of its squares (Duchi, 2011).

        total = total + grad ** 2
        param -= lr / (1 + (t - 1) * lr_decay) * grad / (sqrt(total) + eps)

    in step t.  initial_accumulator_value: the first value of the total.  weight_decay,
    maximize: as in SGD.  Raises ValueError for a negative option.
    """
    def __init__(self, params, lr=1e-2, lr_decay=0, weight_decay=0,
                 initial_accumulator_value=0, eps=1e-10, foreach=None, *,
                 maximize=False, fused=None):
        refuse_negative(lr=lr, lr_decay=lr_decay, weight_decay=weight_decay,
                        initial_accumulator_value=initial_accumulator_value, eps=eps)
        super().__init__(params, {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach,
            "maximize": maximize, "differentiable": False, "fused": fused})
        for group in self.param_groups:
            for param in group["params"]:
                total = full_like(param, initial_accumulator_value)
                self.state[param] = {"step": tensor(0.0), "sum": total}

    def update(self, group, param, w, grad):
        t = self._count_step(param)
        total = self._state_array(param, "sum")
        total += grad * grad
        lr = group["lr"] / (1 + (t - 1) * group["lr_decay"])
        w -= lr * grad / (np.sqrt(total) + group["eps"])


# --- AdamW ----------------------------------------------------------------------------
# Its running means do not see the weight decay.

class AdamW(Adam):
    """Adam whose weight decay is taken off the parameter, not added to its gradient.

    param = param * (1 - lr * weight_decay) before the step (Loshchilov, Hutter, 2019).
    """
    decoupled_weight_decay = True

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2,
                 amsgrad=False, *, maximize=False, foreach=None, fused=None):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad,
                         maximize=maximize, foreach=foreach, fused=fused)
