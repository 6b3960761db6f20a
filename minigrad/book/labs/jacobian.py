"""The vector-Jacobian explorer: what does the argument of `backward` do?

The Jacobian J of a function has a row for each output and a column for each input. `y.backward(v)` gives each
row a weight, v, and adds the rows up: `v @ J`. Here the weights are sliders beside the rows. Dye them 1, 10
and 100, and the digits of the result tell which rows went in.
"""
from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ...viz.facts import number
from ..lab import Lab, Slider, State
from .jacobian_rows import TITLE, Rows, drawn

LOW, HIGH, STEP = -10, 100, 0.5
DYES = (1.0, 10.0, 100.0)
MOST_ROWS = 3  # sliders; a lab has at most four controls


def jacobian_explorer(function: Callable[[Any], Any], x: Any, *, rows: Sequence[str] = ()) -> Lab:
    """Weights on the rows of the Jacobian of `function` at `x`, and the vector-Jacobian product.

    Args:
        function: from a tensor of shape (n,) to one of shape (m,), with m at most 3.
        x: a floating-point tensor of shape (n,), of minigrad or of PyTorch.
        rows: what the outputs are called, such as "x0 * x1".

    Raises:
        ValueError: `x` or the result is not a vector, or the result has more than 3 elements.
    """
    jacobian, _ = by_rows(function, x)
    names = list(rows) or [f"y{at}" for at in range(len(jacobian))]
    zeros = [0.0] * len(jacobian)

    def weights(values: Sequence[float]) -> dict[str, float]:
        return {f"v{at}": float(value) for at, value in enumerate(values)}

    def one(at: int) -> list[float]:
        return [*zeros[:at], 1.0, *zeros[at + 1:]]

    def put(values: Sequence[float]) -> Callable[[State], dict[str, float]]:
        return lambda state: weights(values)

    count = len(jacobian)
    actions = {"sum": put([1.0] * count), "mean": put([1 / count] * count),
               **{f"row {at}": put(one(at)) for at in range(count)}, "dye": put(DYES[:count])}
    return Lab(
        "Weights on the rows of the Jacobian",
        lambda state: explored(function, x, [state[f"v{at}"] for at in range(count)], names),
        controls={f"v{at}": Slider(f"v[{at}] =", LOW, HIGH, STEP) for at in range(count)},
        start=weights(one(0)), actions=actions,
        fallback=(weights(one(count - 1)), weights([1.0] * count), weights(DYES[:count])))


def by_rows(function: Callable[[Any], Any], x: Any) -> tuple[list[list[float]], list[float]]:
    """(the Jacobian, one backward pass for each row; the outputs)."""
    x = x.detach().clone().requires_grad_()
    y = function(x)
    if x.dim() != 1 or y.dim() != 1 or not 1 <= len(y) <= MOST_ROWS:
        shapes = f"{tuple(x.shape)} and {tuple(y.shape)}"
        raise ValueError("the explorer takes a function from a vector to a vector of 1 to "
                         f"{MOST_ROWS} elements; these shapes are {shapes}")
    found = []
    for at in range(len(y)):
        x.grad = None
        y[at].backward(retain_graph=True)
        found.append([0.0] * len(x) if x.grad is None else x.grad.tolist())
    return found, y.tolist()


def product(function: Callable[[Any], Any], x: Any, v: Sequence[float]) -> list[float]:
    """What one real `y.backward(v)` puts into `x.grad`."""
    x = x.detach().clone().requires_grad_()
    y = function(x)
    weights = y.detach().clone()
    for i, weight in enumerate(v):
        weights[i] = weight
    y.backward(weights)
    return x.grad.tolist()


def explored(function: Callable[[Any], Any], x: Any, v: Sequence[float],
             names: Sequence[str]) -> tuple[str, str]:
    """(the picture as HTML, the same in words) for weights `v`."""
    picture = weighted(function, x, v, names)
    return picture.html, picture.text.partition("\n")[2]


def draw_rows(function: Callable[[Any], Any], x: Any, v: Any) -> Rows:
    """Draw the Jacobian of a function with a weight on each of its rows.

        draw_rows(f, x, torch.tensor([1., 10., 100.]))

    Args:
        function: from a tensor of shape (n,) to one of shape (m,), with m at most 3.
        x: a floating-point tensor of shape (n,), of minigrad or of PyTorch; its `.grad` is left as it is.
        v: the weights, m numbers.

    Raises:
        ValueError: `x` or the result is not a vector, or the result has more than 3 elements, or `v` doesn't
            have one weight for each of them.
    """
    count = len(by_rows(function, x)[1])
    weights = [float(weight) for weight in (v.tolist() if hasattr(v, "tolist") else v)]
    if len(weights) != count:
        raise ValueError(f"v needs one weight for each output: {count}, and it has {len(weights)}")
    return weighted(function, x, weights, [f"y[{at}]" for at in range(count)])


def weighted(function: Callable[[Any], Any], x: Any, v: Sequence[float], names: Sequence[str]) -> Rows:
    jacobian, _ = by_rows(function, x)
    result, name = product(function, x, v), next(iter(inspect.signature(function).parameters))
    text = f"{TITLE}.\n{in_words(jacobian, v, result, names, name)}"
    return Rows(drawn(jacobian, v, result, names, name, text), text)


def in_words(jacobian: list[list[float]], v: Sequence[float], result: Sequence[float],
             names: Sequence[str], name: str) -> str:
    lines = [f"v = [{', '.join(number(float(weight)) for weight in v)}]"]
    for weight, output, row in zip(v, names, jacobian, strict=True):
        numbers = ", ".join(number(float(value)) for value in row)
        out = "" if weight else "  (left out)"
        lines.append(f"{number(float(weight)):>6} × row {output}: [{numbers}]{out}")
    lines.append(f"{name}.grad after y.backward(v): [{', '.join(number(float(value)) for value in result)}]")
    return "\n".join(lines)
