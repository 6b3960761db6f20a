"""An optimizer made of a learner's update, and its comparison with one of `torch.optim`."""
from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from .points import points

ROUNDING = 1e-5  # how far the weights of two ways to compute the same steps may be apart


class Own:
    """An optimizer that calls `update` for each parameter whose `.grad` is not None.

    `update(p, g, state, **options)` changes the parameter `p` in place; `g` is its gradient, and `state` a
    dictionary of this parameter, which is empty before the first step.
    """

    def __init__(self, package: Any, params: Iterable[Any], update: Callable[..., Any],
                 **options: Any) -> None:
        self.package, self.params, self.update, self.options = package, list(params), update, options
        self.states: list[dict] = [{} for _ in self.params]

    def zero_grad(self) -> None:
        for p in self.params:
            p.grad = None

    def step(self) -> None:
        with self.package.no_grad():
            for p, state in zip(self.params, self.states, strict=True):
                if p.grad is not None:
                    self.update(p, p.grad, state, **self.options)


def train(package: Any, make: Callable[[list], Any], steps: int) -> list[list[float]]:
    """Train the model of the nine points with an optimizer; return both weights after each step."""
    x, target = map(package.tensor, points())
    w = package.tensor([1., 0.], requires_grad=True)
    opt, found = make([w]), []
    for _ in range(steps):
        opt.zero_grad()
        ((w[0] * x + w[1] - target) ** 2).mean().backward()
        opt.step()
        found.append(w.tolist())
    return found


def same_steps(update: Callable[..., Any] | None, optimizer: type, steps: int = 50, **options: Any) -> None:
    """Print whether `update` and an optimizer give the same weights, step by step.

        same_steps(my_sgd, torch.optim.SGD, lr=0.1, momentum=0.9)

    Both train the model of the nine points. `update` None, a function that isn't written yet, is no error.
    """
    if update is None:
        print("There is no function to compare yet.")
        return
    package = sys.modules[optimizer.__module__.partition(".")[0]]
    mine = train(package, lambda params: Own(package, params, update, **options), steps)
    theirs = train(package, lambda params: optimizer(params, **options), steps)
    same = "to the last bit"
    for step, (a, b) in enumerate(zip(mine, theirs, strict=True), 1):
        if a != b:
            off = max(abs(one - other) for one, other in zip(a, b, strict=True))
            if off > ROUNDING:
                print(f"The weights differ from step {step} on. There, the difference is {off:.1g}.")
                return
            same = "up to rounding"
    print(f"After each of {steps} steps, the weights are the same {same}.")
