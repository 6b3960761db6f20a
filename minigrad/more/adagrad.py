"""Adagrad: the gradient divided by the root of the sum of all its squares so far."""
import numpy as np

from ..creation import full_like, tensor
from ..optim.optimizer import Optimizer, refuse_negative


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
