"""The gradients that mended programs mean, computed by differences of NumPy functions, without autograd.

Each row names the programs and a part of the fix, and gives a function of the leaves: what the passes after
the fix add up to. A training loop is simulated, and the gradient is that of its last pass.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Values = dict[str, np.ndarray]
INTENDED: dict[tuple[str, str], Callable[[Any], Values]] = {}
SMALL = 1e-5
RATE = 0.1


def meant(*rows: tuple[str, str]) -> Callable:
    """Enter a function of the library, which returns the intended gradients by the names of the leaves."""
    def enter(function: Callable[[Any], Values]) -> Callable:
        INTENDED.update(dict.fromkeys(rows, function))
        return function
    return enter


def slopes(function: Callable[..., Any], **values: Any) -> Values:
    """Return the derivative of the sum of what a function returns, with respect to each of the values."""
    found = {}
    for name, value in values.items():
        value = np.asarray(value, dtype=float)
        found[name] = np.zeros_like(value)
        for at in np.ndindex(value.shape):
            step = np.zeros_like(value)
            step[at] = SMALL
            two = [np.sum(function(**{**values, name: value + sign * step})) for sign in (1, -1)]
            found[name][at] = (two[0] - two[1]) / (2 * SMALL)
    return found


def trained(rounds: int, loss: Callable[..., Any], **values: Any) -> Values:
    """Return the gradients of the last round of gradient descent; `loss` may keep a state between rounds."""
    for _ in range(rounds):
        gradients = slopes(loss, **values)
        loss(**values, last=True)
        values = {name: np.asarray(value) - RATE * gradients[name] for name, value in values.items()}
    return gradients


X = np.array([1.0, 2.0])


@meant(*(("shared_trunk", words) for words in ("compute h anew", "Add the results up", "retain_graph=True")))
def _(torch):
    return slopes(lambda x: 2 * np.exp(x) + np.exp(2 * x), x=X)


@meant(*(("asked_for_freed", words) for words in ("before backward()", "retain_graph=True")),
       *(("result_overwritten", words) for words in (
           "out of place", "`y = y.clone()`", "after the backward pass")))
def _(torch):
    return slopes(lambda x: np.exp(x), x=X)


@meant(*(("input_overwritten", words) for words in ("`h = h.clone()`", "after the backward pass")))
def _(torch):
    return slopes(lambda x: (2 * x) ** 2, x=np.ones((3, 2)))


@meant(("step_between", "Run every backward()"))
def _(torch):
    return slopes(lambda w: 2 * w ** 2, w=X)


@meant(("step_between", "Compute loss anew"))
def _(torch):
    return slopes(lambda w: w ** 2 + (w - 0.2 * X) ** 2, w=X)  # .grad adds up: nothing empties it


@meant(("gradient_of_another_shape", "`torch.ones_like(y)`"),
       ("gradient_of_another_shape", "`gradient.reshape(y.shape)`"),
       ("gradient_of_a_wrong_type", "`torch.full_like(y, ...)`"))
def _(torch):
    return slopes(lambda x: 2 * x, x=X)


@meant(("nan", "torch.where(ok, x, 1)"))
def _(torch):
    return {"x": np.array([0, 0.25])}  # 1 / (2 sqrt(4)) where x is above 0, and 0 elsewhere


@meant(("base_of_several_views", "Take the views again"))
def _(torch):
    return slopes(lambda w: w[0] * w[1], w=X - 0.1)


@meant(("base_of_several_views", "by index: `t[0]`"))
def _(torch):
    return slopes(lambda w: w[0] * w, w=X - 0.1)


@meant(*(("zeroed_too_early", words) for words in ("Ask first", "= None` instead")))
def _(torch):
    return slopes(lambda w: w ** 2, w=X)


# --- training loops

def data(torch):
    """Return the data and the weights of the linear programs, as NumPy arrays."""
    from tests.helpers import explained_programs
    (x, y), (w, _) = explained_programs.data(torch), explained_programs.linear(torch)
    return x.numpy(), y.numpy(), w.detach().numpy()


def hidden(torch):
    from tests.helpers import explained_programs
    (x, _), (u, v, _) = explained_programs.data(torch), explained_programs.cell(torch)
    return x.numpy(), u.detach().numpy(), v.detach().numpy()


@meant(("hidden_state_retained", "`h = h.detach()` at the end of each round"))
def _(torch):
    x, u, v = hidden(torch)
    state = [np.zeros((4, 2))]

    def loss(u, v, last=False):
        h = np.tanh(x @ u + state[0] @ v)
        state[:] = [h] if last else state
        return (h ** 2).mean()
    return trained(3, loss, u=u, v=v)


@meant(("hidden_state_in_a_helper", "Add the results up"),
       ("hidden_state_retained", "Add the results of all rounds up"))
def _(torch):
    x, u, v = hidden(torch)

    def loss(u, v):
        h, total = np.zeros((4, 2)), 0
        for _ in range(3):
            h = np.tanh(x @ u + h @ v)
            total = total + (h ** 2).mean()
        return total
    return slopes(loss, u=u, v=v)


def squares(torch, rounds, times=1, extra=lambda w: 0):
    x, y, w = data(torch)
    return trained(rounds, lambda w, last=False: times * ((x @ w - y) ** 2).mean() + extra(w), w=w)


@meant(("recording_switched_off", "`torch.set_grad_enabled(True)`"))
def _(torch):
    return squares(torch, 1)


@meant(("penalty_before_the_loop", "Compute penalty anew after the write to w"))
def _(torch):
    return squares(torch, 3, extra=lambda w: (w ** 2).sum())


@meant(("computed_before_the_loop", "`features.detach()`"))
def _(torch):
    x, y, w = data(torch)
    return trained(3, lambda w, last=False: ((np.exp(x) @ w - y) ** 2).mean(), w=w)


@meant(("computed_before_the_loop", "Add the results up"))
def _(torch):
    x, y, w = data(torch)
    return slopes(lambda w, scale: 3 * ((np.exp(x * scale) @ w - y) ** 2).mean(), w=w, scale=np.ones(3))


@meant(("function_in_place", "`inplace=False`"))
def _(torch):
    x, _, w = data(torch)
    return slopes(lambda w: np.maximum(np.tanh(x @ w), 0), w=w)


@meant(("mask_written", "`s = s.clone()`"))
def _(torch):
    x, _, w = data(torch)
    kept = x @ w >= 0
    return slopes(lambda w: kept / (1 + np.exp(-x @ w)), w=w)


@meant(("mask_written", "after the backward pass"))
def _(torch):
    x, _, w = data(torch)
    return slopes(lambda w: 1 / (1 + np.exp(-x @ w)), w=w)


def of_chances(scores, target):
    """The mean cross-entropy of yes and no."""
    return (np.log1p(np.exp(scores)) - target * scores).mean()


@meant(("target_without_a_column", "`target.view_as(scores)`"))
def _(torch):
    return slopes(lambda w: of_chances(w * 3, np.array([1, 0])), w=np.array([1, 2]))


@meant(("scores_for_probabilities", "with_logits"))
def _(torch):
    return slopes(lambda scores: of_chances(scores, np.array([1, 0])), scores=np.array([1, 2]))


@meant(("classes_for_probabilities", "Bring the targets"))
def _(torch):
    return slopes(lambda x: of_chances(x, np.array([0, 1])), x=np.array([1, 2]))
