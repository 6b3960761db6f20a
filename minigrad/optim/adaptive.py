"""Each direction scaled by the size of its past gradients: RMSprop, Adagrad, Adadelta, Rprop; and ASGD."""
from __future__ import annotations

import numpy as np

from ..tensor import wrap
from .kernels import add_product, add_quotient, add_scaled, lerp, sum_scaled
from .optimizer import Optimizer, array_of, check_options, count_step, first_state, number


class RMSprop(Optimizer):
    """param -= lr * grad / (sqrt(running mean of squares) + eps).

    Args:
        alpha: how much of the running mean stays at each step.
        centered: take the square of the running mean of the gradient off the mean of squares.
        momentum: keep a running sum of the steps.
    """

    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False,
                 capturable=False, foreach=None, maximize=False, differentiable=False):
        check_options(lr, (), eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        super().__init__(params, {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable})

    def update(self, group, param, grad, state):
        lr, alpha, momentum = number(group["lr"]), group["alpha"], group["momentum"]
        first_state(state, param, "square_avg", *["momentum_buffer"] * (momentum > 0),
                    *["grad_avg"] * group["centered"])
        count_step(state)
        if group["weight_decay"] != 0:
            grad = sum_scaled(grad, param, group["weight_decay"])
        square = array_of(state, "square_avg", 2)
        square *= square.dtype.type(alpha)
        add_product(square, grad, grad, 1 - alpha)
        if group["centered"]:
            mean = array_of(state, "grad_avg")
            lerp(mean, grad, 1 - alpha)
            size = square.copy()
            add_product(size, mean, mean, -1)
            size = np.sqrt(size)
        else:
            size = np.sqrt(square)
        size += size.dtype.type(group["eps"])
        if momentum > 0:
            buffer = array_of(state, "momentum_buffer", 2)
            buffer *= buffer.dtype.type(momentum)
            add_quotient(buffer, grad, size, 1)
            add_scaled(param, buffer, -lr)
        else:
            add_quotient(param, grad, size, -lr)
        return 1


class Adagrad(Optimizer):
    """param -= lr * grad / (sqrt(sum of all squares) + eps)."""

    def __init__(self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10,
                 foreach=None, *, maximize=False, differentiable=False, fused=None):
        check_options(lr, (), None, lr_decay=lr_decay, weight_decay=weight_decay,
                      initial_accumulator_value=initial_accumulator_value, epsilon=eps)
        super().__init__(params, {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "fused": fused})
        for group in self.param_groups:
            for param in group["params"]:
                first_state(self.state[param], param._array, "sum")
                self.state[param]["sum"]._array.fill(initial_accumulator_value)

    def update(self, group, param, grad, state):
        step = count_step(state)
        if group["weight_decay"] != 0:
            grad = sum_scaled(grad, param, group["weight_decay"])
        rate = number(group["lr"]) / (1 + (step - 1) * group["lr_decay"])
        total = array_of(state, "sum")
        add_product(total, grad, grad, 1)
        size = np.sqrt(total)
        size += size.dtype.type(group["eps"])
        add_quotient(param, grad, size, -rate)
        return 1


class Adadelta(Optimizer):
    """Steps as large as the recent ones, in proportion to the gradient's size among the recent ones."""

    def __init__(self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, foreach=None, *, capturable=False,
                 maximize=False, differentiable=False):
        check_options(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check_options(lr, (), eps, weight_decay=weight_decay)
        super().__init__(params, {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "capturable": capturable, "foreach": foreach, "differentiable": differentiable})

    def update(self, group, param, grad, state):
        rho, kind = group["rho"], param.dtype.type
        first_state(state, param, "square_avg", "acc_delta")
        count_step(state)
        if group["weight_decay"] != 0:
            grad = sum_scaled(grad, param, group["weight_decay"])
        square, steps = array_of(state, "square_avg", 2), array_of(state, "acc_delta", 2)
        square *= kind(rho)
        add_product(square, grad, grad, 1 - rho)
        delta = np.sqrt(steps + kind(group["eps"]))
        delta /= np.sqrt(square + kind(group["eps"]))
        delta *= grad
        steps *= kind(rho)
        add_product(steps, delta, delta, 1 - rho)
        add_scaled(param, delta, -number(group["lr"]))
        return 1


class Rprop(Optimizer):
    """Steps that grow while the gradient keeps its sign and shrink when it changes; only the sign counts."""

    def __init__(self, params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), *, capturable=False,
                 foreach=None, maximize=False, differentiable=False):
        check_options(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, {
            "lr": lr, "etas": etas, "step_sizes": step_sizes, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "capturable": capturable})

    def update(self, group, param, grad, state):
        shrink, grow = group["etas"]
        kind = param.dtype.type
        if not state:
            first_state(state, param, "prev")
            state["step_size"] = wrap(np.full_like(grad, number(group["lr"])))
        count_step(state)
        before, sizes = array_of(state, "prev"), array_of(state, "step_size", 2)
        agreement = grad * before
        factor = np.where(agreement > 0, kind(grow), np.where(agreement < 0, kind(shrink), kind(1)))
        sizes *= factor
        np.clip(sizes, *group["step_sizes"], out=sizes)
        grad = np.where(factor == kind(shrink), kind(0), grad)
        param -= np.sign(grad) * sizes
        before[...] = grad
        return 1


class ASGD(Optimizer):
    """Stochastic gradient descent that also keeps the average of the parameters over the last steps."""

    def __init__(self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0, foreach=None,
                 maximize=False, differentiable=False, capturable=False):
        check_options(lr, weight_decay=weight_decay)
        super().__init__(params, {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay,
            "foreach": foreach, "maximize": maximize, "differentiable": differentiable,
            "capturable": capturable})

    def update(self, group, param, grad, state):
        lr, lambd, kind = number(group["lr"]), group["lambd"], param.dtype.type
        if not state:
            first_state(state, param)
            scalar = state["step"]._array
            state["eta"], state["mu"] = wrap(np.full_like(scalar, lr)), wrap(np.ones_like(scalar))
            state["ax"] = wrap(np.zeros_like(param))
        step = count_step(state)
        if group["weight_decay"] != 0:
            grad = sum_scaled(grad, param, group["weight_decay"])
        eta, mu, average = [array_of(state, name) for name in ("eta", "mu", "ax")]
        rate = eta.item()
        param *= kind(1 - lambd * rate)
        add_scaled(param, grad, -rate)
        if mu.item() != 1:
            average += (param - average) * kind(mu)
        else:
            average[...] = param
        eta[...] = lr / ((1 + lambd * lr * step) ** group["alpha"])
        mu[...] = 1 / max(1, step - group["t0"])
        return 2
