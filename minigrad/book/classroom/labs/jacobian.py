"""The vector-Jacobian explorer: what does the argument of `backward` do?

The Jacobian J of a function has a row for each output and a column for each input. `y.backward(v)` multiplies
each row by a coefficient of v, and adds the rows up: `v @ J`. Here the coefficients are sliders beside the
rows. Set them to 1, 10 and 100, and the digits of the result tell which rows went in.
"""
from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from ....viz.graph.facts import number
from ..lab import Lab, Slider, State
from .jacobian_rows import TITLE, Rows, drawn

LOW, HIGH, STEP = -10, 100, 0.5
DYES = (1.0, 10.0, 100.0)
MOST_ROWS = 3  # sliders; a lab has at most four controls
MOST_DRAWN, MOST_COLUMNS = 12, 4  # rows and columns of a picture


def jacobian_explorer(function: Callable[[Any], Any], x: Any, *, rows: Sequence[str] = ()) -> Lab:
    """Coefficients on the rows of the Jacobian of `function` at `x`, and the vector-Jacobian product.

    Args:
        function: from a tensor of shape (n,) to one of shape (m,), with m at most 3.
        x: a floating-point tensor of shape (n,), of minigrad or of PyTorch.
        rows: what the outputs are called, such as "x0 * x1".

    Raises:
        ValueError: `x` or the result is not a vector, or the result has more than 3 elements.
    """
    jacobian = by_rows(function, x)[0]
    names = list(rows) or [f"y{at}" for at in range(len(jacobian))]
    zeros = [0.0] * len(jacobian)

    def coefficients(values: Sequence[float]) -> dict[str, float]:
        return {f"v{at}": float(value) for at, value in enumerate(values)}

    def one(at: int) -> list[float]:
        return [*zeros[:at], 1.0, *zeros[at + 1:]]

    def put(values: Sequence[float]) -> Callable[[State], dict[str, float]]:
        return lambda state: coefficients(values)

    count = len(jacobian)
    actions = {"sum": put([1.0] * count), "mean": put([1 / count] * count),
               **{f"row {at}": put(one(at)) for at in range(count)}, "dye": put(DYES[:count])}
    return Lab(
        "Coefficients on the rows of the Jacobian",
        lambda state: explored(function, x, [state[f"v{at}"] for at in range(count)], names),
        controls={f"v{at}": Slider(f"v[{at}] =", LOW, HIGH, STEP) for at in range(count)},
        start=coefficients(one(0)), actions=actions,
        fallback=(coefficients(one(count - 1)), coefficients([1.0] * count), coefficients(DYES[:count])))


def by_rows(function: Callable[[Any], Any], x: Any) -> tuple[list[list[float]], list[float]]:
    """(the Jacobian, one backward pass for each row; the outputs), for at most three outputs."""
    y = function(x.detach().clone().requires_grad_())
    if x.dim() != 1 or y.dim() != 1 or not 1 <= len(y) <= MOST_ROWS:
        shapes = f"{tuple(x.shape)} and {tuple(y.shape)}"
        raise ValueError("the explorer takes a function from a vector to a vector of 1 to "
                         f"{MOST_ROWS} elements; these shapes are {shapes}")
    return rows_of(function, x), y.tolist()


def rows_of(function: Callable[[Any], Any], x: Any) -> list[list[float]]:
    """The Jacobian, one backward pass for each row; of a scalar `x` it has one column."""
    x = x.detach().clone().requires_grad_()
    y = function(x)
    found = []
    for at in range(len(y)):
        x.grad = None
        y[at].backward(retain_graph=True)
        found.append([0.0] * x.numel() if x.grad is None else as_row(x.grad))
    return found


def as_row(gradient: Any) -> list[float]:
    return gradient.reshape(-1).tolist()


def product(function: Callable[[Any], Any], x: Any, v: Sequence[float]) -> list[float]:
    """What one real `y.backward(v)` puts into `x.grad`."""
    x = x.detach().clone().requires_grad_()
    y = function(x)
    coefficients = y.detach().clone()
    for i, coefficient in enumerate(v):
        coefficients[i] = coefficient
    y.backward(coefficients)
    return as_row(x.grad)


def explored(function: Callable[[Any], Any], x: Any, v: Sequence[float],
             names: Sequence[str]) -> tuple[str, str]:
    """(the picture as HTML, the same in words) for the coefficients `v`."""
    picture = with_coefficients(function, x, v, names)
    return picture.html, picture.text.partition("\n")[2]


def draw_rows(function: Callable[[Any], Any], x: Any, v: Any) -> Rows:
    """Draw the Jacobian of a function with a coefficient on each of its rows.

        draw_rows(f, x, torch.tensor([1., 10., 100.]))

    Args:
        function: from a tensor of shape (n,) or () to one of shape (m,), with n at most 4 and m at most 12.
        x: a floating-point tensor of shape (n,) or (), of minigrad or of PyTorch; its `.grad` is left as it
            is.
        v: the coefficients, m numbers.

    Raises:
        ValueError: `x` or the result has another shape, or `v` doesn't have one coefficient for each output.
    """
    y = function(x.detach())
    if x.dim() > 1 or y.dim() != 1 or not 1 <= len(y) <= MOST_DRAWN or not 1 <= x.numel() <= MOST_COLUMNS:
        shapes = f"{tuple(x.shape)} and {tuple(y.shape)}"
        raise ValueError(f"draw_rows takes a function from a vector of 1 to {MOST_COLUMNS} elements to one "
                         f"of 1 to {MOST_DRAWN}; these shapes are {shapes}")
    values = [float(coefficient) for coefficient in (v.tolist() if hasattr(v, "tolist") else v)]
    if len(values) != len(y):
        raise ValueError(f"v needs one coefficient for each output: {len(y)}, and it has {len(values)}")
    return with_coefficients(function, x, values, [f"y[{at}]" for at in range(len(y))])


def with_coefficients(function: Callable[[Any], Any], x: Any, v: Sequence[float], names: Sequence[str]
                      ) -> Rows:
    jacobian = rows_of(function, x)
    result, name = product(function, x, v), next(iter(inspect.signature(function).parameters))
    columns = [f"{name}[{at}]" for at in range(x.numel())] if x.dim() else [name]
    text = f"{TITLE}.\n{in_words(jacobian, v, result, names, name)}"
    return Rows(drawn(jacobian, v, result, names, columns, name, text), text)


def in_words(jacobian: list[list[float]], v: Sequence[float], result: Sequence[float],
             names: Sequence[str], name: str) -> str:
    lines = [f"v = [{', '.join(number(float(coefficient)) for coefficient in v)}]"]
    for coefficient, output, row in zip(v, names, jacobian, strict=True):
        numbers = ", ".join(number(float(value)) for value in row)
        out = "" if coefficient else "  (left out)"
        lines.append(f"{number(float(coefficient)):>6} × row {output}: [{numbers}]{out}")
    lines.append(f"{name}.grad after y.backward(v): [{', '.join(number(float(value)) for value in result)}]")
    return "\n".join(lines)
