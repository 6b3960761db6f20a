"""Adam: steps alike in size in every direction, from running means of the gradient and its square."""
from __future__ import annotations

import numpy as np

from ..tensor import Tensor, wrap
from .kernels import add_product, add_quotient, lerp, sum_scaled
from .optimizer import Optimizer, array_of, check_options, count_step, first_state, number


class Adam(Optimizer):
    """param -= lr * mean / (sqrt(mean of squares) + eps), both means corrected for having started at 0.

    Args:
        betas: how much of the two running means stays at each step.
        weight_decay: add this multiple of the parameter to its gradient (decoupled: take it off the
            parameter).
        amsgrad: divide by the largest mean of squares so far.
        maximize: step along the gradient.
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, *,
                 foreach=None, maximize=False, capturable=False, differentiable=False, fused=None,
                 decoupled_weight_decay=False):
        check_options(lr, (betas[0], betas[1]), eps, weight_decay=weight_decay)
        are_floats = {isinstance(beta, float) for beta in betas}
        if len(are_floats) > 1 or not isinstance(betas[0], (float, Tensor)):
            raise ValueError("betas must be either both floats or both Tensors")
        super().__init__(params, {
            "lr": lr, "betas": tuple(map(number, betas)), "eps": eps, "weight_decay": weight_decay,
            "amsgrad": amsgrad, "maximize": maximize, "foreach": foreach, "capturable": capturable,
            "differentiable": differentiable, "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay})

    def update(self, group, param, grad, state):
        lr = number(group["lr"])
        beta1, beta2 = group["betas"]
        first_state(state, param, "exp_avg", "exp_avg_sq", *["max_exp_avg_sq"] * group["amsgrad"])
        step = count_step(state)
        grad, decays = decayed(group, param, grad)
        mean, square = running_means(state, grad, beta1, beta2)
        if group["amsgrad"]:
            largest = array_of(state, "max_exp_avg_sq")
            square = np.maximum(largest, square, out=largest)
        size = np.sqrt(square)
        size /= size.dtype.type((1 - beta2 ** step) ** 0.5)
        size += size.dtype.type(group["eps"])
        add_quotient(param, mean, size, -(lr / (1 - beta1 ** step)))
        return 1 + decays


def decayed(group, param, grad):
    """(gradient, writes): weight decay enters the gradient, or is decoupled and written to the parameter."""
    weight_decay = group["weight_decay"]
    if weight_decay == 0:
        return grad, 0
    if group["decoupled_weight_decay"]:
        param *= param.dtype.type(1 - number(group["lr"]) * weight_decay)
        return grad, 1
    return sum_scaled(grad, param, weight_decay), 0


def running_means(state, grad, beta1, beta2):
    """Move the running means of the gradient and of its square; return their arrays."""
    mean, square = array_of(state, "exp_avg"), array_of(state, "exp_avg_sq", 2)
    lerp(mean, grad, 1 - beta1)
    square *= square.dtype.type(beta2)
    add_product(square, grad, grad, 1 - beta2)
    return mean, square


class AdamW(Adam):
    """Adam whose weight decay is taken off the parameter, and does not enter the running means."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, *,
                 maximize=False, foreach=None, capturable=False, differentiable=False, fused=None):
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize,
                         capturable=capturable, differentiable=differentiable, fused=fused,
                         decoupled_weight_decay=True)

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True


