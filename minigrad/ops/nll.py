"""The negative log-likelihood: minus the logarithm of the probability that was given to the right class."""
from __future__ import annotations

import numpy as np

from ..autograd.differentiable import differentiable
from ..errors import short_name
from ..state import local
from .pointwise import zeros_like  # noqa
from .losses import MEAN, NONE

INT64, UNSIGNED = np.dtype("int64"), np.dtype("uint64")


@differentiable("NllLossBackward0", outputs=("output", "total_weight"),
                self=lambda grad, self, target, weight, reduction, ignore_index, total_weight:
                nll_loss_backward(grad, self, target, weight, reduction, ignore_index, total_weight),
                target=None, weight=None)
def nll_loss_forward(self, target, weight, reduction, ignore_index):
    """(loss, sum of the weights) for logarithms (C,) or (N, C) and class numbers () or (N,)."""
    x, t = (self[None], target.reshape(1)) if self.ndim == 1 else (self, target)
    if reduction == NONE and self.ndim == 2:
        losses, _ = of_classes(x, t, weight, ignore_index)
        return losses, np.zeros((), self.dtype)
    return together(x, t, weight, reduction, ignore_index)


def together(x, t, weight, reduction, ignore_index):
    """(sum or mean of the losses, sum of the weights)."""
    losses, weights = of_classes(x, t, weight, ignore_index)
    total = in_steps(losses) + 0        # which makes of -0. the 0 that adding up begins with
    total_weight = in_steps(weights) if weight is not None else counted(t, ignore_index, x.dtype)
    return total / total_weight if reduction == MEAN else total, total_weight


def of_classes(x, t, weight, ignore_index):
    """For rows x (N, C): the loss of each, and the weight of its class (None if all weigh the same)."""
    n, classes = x.shape
    ignored = None
    if not all_exist(t, classes):
        ignored = t == ignore_index
        t = np.where(ignored, 0, t)
        wrong = ((t < 0) | (t >= classes)) & ~ignored
        if wrong.any():
            raise IndexError(f"Target {t[wrong.argmax()]} is out of bounds.")
    elif 0 <= ignore_index < classes:
        ignored = t == ignore_index
    losses = -x[rows(n), t] if classes else np.zeros(n, x.dtype)     # all of them ignored
    weights = None
    if weight is not None:
        weights = weight[t]
        losses = losses * weights
    if ignored is not None:
        losses = np.where(ignored, x.dtype.type(0), losses)
        weights = weights if weights is None else np.where(ignored, x.dtype.type(0), weights)
    return losses, weights


def counted(t, ignore_index, dtype):
    """How many classes are not to be ignored, as a number of the losses' dtype."""
    return dtype.type(len(t) - np.count_nonzero(t == ignore_index))


_rows = np.arange(0)


def rows(n):
    """0, 1, ..., n - 1; kept from call to call."""
    global _rows
    if len(_rows) < n:
        _rows = np.arange(n)
    return _rows[:n]


def in_steps(values):
    """The sum in PyTorch's order, so that it is rounded alike: the first number aside, then runs of 16.

    A run's sum goes to the next level, where again 16 are added up, and so on; at the end the levels are
    added from the lowest.
    """
    if not len(values):
        return values.dtype.type(0)
    levels = []
    rest = values[1:]
    while len(rest):
        whole = len(rest) // 16 * 16
        left = rest[whole:]
        levels.append(np.add.accumulate(left)[-1] if len(left) else values.dtype.type(0))
        rest = np.add.accumulate(rest[:whole].reshape(-1, 16), axis=1)[:, -1]
    total = levels[0] if levels else values.dtype.type(0)
    for level in levels[1:]:
        total = total + level
    return total + values[0]


@differentiable("NllLossBackwardBackward0",
                grad_output=lambda grad, target, weight, reduction, ignore_index:
                nll_loss_forward(grad, target, weight, reduction, ignore_index)[0],
                self=lambda grad: zeros_like(grad),
                target=None, weight=None, total_weight=None)
def nll_loss_backward(grad_output, self, target, weight, reduction, ignore_index, total_weight):
    """Minus the gradient at each row's right class (times the weight), zero elsewhere."""
    if target.dtype.kind == "f":        # from a hook on the saved class numbers
        raise RuntimeError(f"expected scalar type Long but found {short_name(target.dtype)}")
    x, t = (self[None], target.reshape(1)) if self.ndim == 1 else (self, target)
    value = -grad_output
    if reduction == MEAN:
        value = value / total_weight
    spread = np.zeros(x.shape, x.dtype)
    if weight is None and not has_ignored(t, x.shape[1], ignore_index):
        spread[rows(len(t)), t] = value
    else:
        kept = t != ignore_index
        t = np.where(kept, t, 0)
        value = np.broadcast_to(value, t.shape)
        spread[rows(len(t)), t] = np.where(kept, value if weight is None else value * weight[t], 0)
    return spread.reshape(self.shape)


def has_ignored(t, classes, ignore_index):
    if 0 <= ignore_index < classes:
        return (t == ignore_index).any()
    return not all_exist(t, classes)


def all_exist(t, classes):
    """Whether all class numbers are in range: seen as unsigned, a negative one is huge."""
    return not len(t) or np.maximum.reduce(t.view(UNSIGNED) if t.dtype == INT64 else t) < classes


# --- the same for pictures: (N, C, H, W) and class numbers (N, H, W) ----------------------------------------


# --- checks -------------------------------------------------------------------------------------------------

def check_classes(self, target, weight):
    """What PyTorch refuses before it computes a loss from class numbers."""
    x, t = self._array, target._array
    if t.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if x.ndim == 2 and t.ndim == 0 or x.ndim and t.ndim and len(x) != len(t) and x.ndim == 2:
        raise RuntimeError(f"size mismatch (got input: {list(x.shape)}, target: {list(t.shape)})")
    check_kinds(self, target, weight, x.shape[-1])


CLASS_NUMBERS = np.dtype("int64"), np.dtype("uint8")


def check_kinds(self, target, weight, classes):
    if target._array.dtype not in CLASS_NUMBERS:
        raise RuntimeError("expected target dtype to be Long or Byte, but got "
                           f"{short_name(target._array.dtype)}")
    if weight is None:
        return
    if local.state.recording and weight.requires_grad:
        raise RuntimeError(not_differentiable("nll_loss_forward", "weight"))
    if weight._array.shape != (classes,):
        raise RuntimeError(f"weight tensor should be defined either for all {classes} classes or no classes "
                           f"but got weight tensor of shape: {list(weight._array.shape)}")
    if weight._array.dtype != self._array.dtype:
        raise RuntimeError(f"expected scalar type {short_name(self._array.dtype)} but found "
                           f"{short_name(weight._array.dtype)}")


def not_differentiable(function, argument):
    """What is said to an input that requires a gradient PyTorch has no formula for."""
    return (f"The function '{function}' is not differentiable with respect to argument '{argument}'. This "
            "input cannot have requires_grad True.")
