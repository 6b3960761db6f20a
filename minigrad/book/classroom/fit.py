"""How well a line w * x + b, or a sum of tanh units, fits nine points, as pictures and in words."""
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from .curves import as_png, label_axes, new_figure, picture_or_words
from .points import bent_points, points
from .showing import Shown

INK, LINE, RESIDUAL = "#1A1A1A", "#0072B2", "#D55E00"
PALEST, DARKEST = 0.72, 0.45  # the greys of the earlier lines, from the first to the last
LOWEST, HIGHEST = -8., 9.  # a line that leaves the points far behind is cut off here
APART = 0.35  # lines that end closer together than this share one number, the last one's
SHAPES = "such as `draw_points((1., 0.))` or `draw_points((w, b))`"


def draw_points(*pairs: Any, residuals: bool = True) -> Shown:
    """Draw the nine points and a line w * x + b for each pair, with the loss of each line.

        draw_points()                               the points alone
        draw_points((1., 0.))                       one line, and its distance from each point
        draw_points((1., 0.), (w, b))               an earlier line, pale and dashed, and the last one

    The loss is the mean of the squared residuals. `print(draw_points((1., 0.)))` says it all in words.

    Args:
        pairs: `(w, b)`: floats, tensors of one element, or objects whose `.data` is one of these.
        residuals: whether a segment joins the last line to each point.

    Raises:
        TypeError: an argument is not a pair, or an element of a pair is not a number.
        ValueError: an element of a pair is infinite or nan.
    """
    lines = [as_pair(pair) for pair in pairs]
    words = "\n".join(points_in_words(lines, residuals))
    return picture_or_words(words, lambda: points_image(lines, residuals))


def draw_bend(fits: Mapping[str, Sequence[Any]]) -> Shown:
    """Draw the nine bent points, and for each name the sum of `v * tanh(w * x + b)` over its units.

        draw_bend({"start": [(1., 1., 1.), (-1., 1., 1.)]})

    Args:
        fits: for each name, the triples `(v, w, b)`: floats, tensors of one element, or objects whose `.data`
            is one of these. The last one is drawn in colour, the earlier ones in grey.

    Raises:
        TypeError: a part of a triple is not a number.
        ValueError: there is nothing to draw, or a number is infinite or nan.
    """
    if not fits:
        raise ValueError("draw_bend draws at least one curve; it was given none")
    found = {name: [tuple(as_number(one, part, "draw_bend") for one, part in zip(unit, "vwb", strict=True))
                    for unit in units] for name, units in fits.items()}
    said = [in_words(*bent_points())]
    for name, units in found.items():
        heights = ", ".join(short(round(height_of(units, x), 2)) for x in bent_points()[0][::2])
        said.append(f"{name}: loss {exact(bend_loss_of(units))}; at x = −1, −0.5, 0, 0.5 and 1 the curve is "
                    f"at {heights}.")
    return picture_or_words("\n".join(said), lambda: bend_image(found))


def draw_loss(w: Any, b: Any, h: float = 0.5) -> Shown:
    """Draw the loss as a curve over w, with its tangent at `w` and a nudge by `h` as a triangle.

        draw_loss(1., 0.)
        draw_loss(w, b, h=0.1)

    `b` stays the same along the curve. The legend names the slope of the tangent and the forward difference.

    Args:
        w, b: floats, tensors of one element, or objects whose `.data` is one of these.
        h: how far `w` is nudged; negative for a nudge to the left.

    Raises:
        TypeError: an argument is not a number.
        ValueError: an argument is infinite or nan, or `h` is 0.
    """
    w, b, h = (as_number(value, name, "draw_loss") for value, name in ((w, "w"), (b, "b"), (h, "h")))
    if h == 0:
        raise ValueError("draw_loss divides by the nudge h, so h can't be 0; try h=0.5")
    words = "\n".join(loss_in_words(w, b, h))
    return picture_or_words(words, lambda: loss_image(w, b, h))


def as_number(value: Any, name: str, caller: str) -> float:
    """Return a float, from a number, a tensor of one element, or an object that keeps one in `.data`."""
    for found in (value, getattr(value, "data", None)):
        if found is None or isinstance(found, (str, bytes, memoryview)):
            continue
        try:
            result = float(found.item() if hasattr(found, "item") else found)  # float(w) warns of a leaf
        except (TypeError, ValueError, RuntimeError, AttributeError):
            continue
        if math.isfinite(result):
            return result
        raise ValueError(f"{caller} can't draw {name} = {result}; {name} should be a finite number")
    given = type(value).__name__ if value is not None else "None"
    raise TypeError(f"{caller} needs a number for {name}, but was given {describe(value, given)}")


def describe(value: Any, given: str) -> str:
    return f"the text {value!r}" if isinstance(value, str) else given if value is None else f"a {given}"


def as_pair(pair: Any) -> tuple[float, float]:
    try:
        w, b = () if isinstance(pair, (str, bytes, dict)) else pair
    except (TypeError, ValueError, RuntimeError, IndexError):
        given = repr(pair) if isinstance(pair, (str, int, float)) else describe(pair, type(pair).__name__)
        raise TypeError(f"draw_points takes pairs of two numbers, {SHAPES}, but was given "
                        f"{'None' if pair is None else given}") from None
    return as_number(w, "w", "draw_points"), as_number(b, "b", "draw_points")


def residuals_of(w: float, b: float) -> list[float]:
    """Return the target minus the line's value at each of the nine inputs."""
    return [target - (w * x + b) for x, target in zip(*points(), strict=True)]


def loss_of(w: float, b: float) -> float:
    return mean_square(residuals_of(w, b))


def mean_square(residuals: list[float]) -> float:
    return sum(one * one for one in residuals) / len(residuals)


def slope_of(w: float, b: float) -> float:
    """Return the slope of the loss with respect to w."""
    inputs, _ = points()
    return sum(-2 * one * x for one, x in zip(residuals_of(w, b), inputs, strict=True)) / len(inputs)


def short(value: float) -> str:
    """Four digits, and the minus sign of the prose."""
    return f"{value + 0.:.4g}".replace("-", "\u2212")


def exact(value: float) -> str:
    """Four decimals, as a printed tensor has them, and never a zero with a minus sign."""
    return f"{round(value, 4) + 0.:.4f}".replace("-", "\u2212")


def signed(value: float) -> str:
    """Two decimals, with a sign unless all of them are 0."""
    value = round(value, 2)
    return f"{value:+.2f}".replace("-", "\u2212") if value else "0.00"


def height_of(units: Sequence[tuple[float, ...]], x: float) -> float:
    """Return the sum of v * tanh(w * x + b)."""
    return sum(v * math.tanh(w * x + b) for v, w, b in units)


def bend_loss_of(units: Sequence[tuple[float, ...]]) -> float:
    inputs, targets = bent_points()
    return mean_square([target - height_of(units, x) for x, target in zip(inputs, targets, strict=True)])


def in_words(inputs: Sequence[float], targets: Sequence[float]) -> str:
    return "Nine points (input, target): " + ", ".join(
        f"({short(x)}, {short(target)})" for x, target in zip(inputs, targets, strict=True)) + "."


def line_in_words(w: float, b: float) -> str:
    return f"w = {short(w)}, b = {short(b)}, loss {exact(loss_of(w, b))}"


def points_in_words(lines: list[tuple[float, float]], residuals: bool) -> list[str]:
    said = [in_words(*points())]
    for number, line in enumerate(lines, 1):
        name = "The line" if len(lines) == 1 else f"Line {number} (solid)"
        said.append(f"{name if number == len(lines) else f'Line {number} (dashed)'}: {line_in_words(*line)}.")
    if lines and residuals:
        which = "Its residuals" if len(lines) == 1 else f"The residuals of line {len(lines)}"
        said.append(f"{which}, from left to right (+ means that the point is above the line): " +
                    ", ".join(signed(one) for one in residuals_of(*lines[-1])) + ".")
    return said


def loss_in_words(w: float, b: float, h: float) -> list[str]:
    here, there = loss_of(w, b), loss_of(w + h, b)
    lowest = w - slope_of(w, b) / curvature()
    return [f"The loss as a curve over w, with b = {short(b)}: a parabola, lowest at w = {short(lowest)}, "
            f"where the loss is {exact(loss_of(lowest, b))}.",
            f"The point: w = {short(w)}, loss {exact(here)}.",
            f"The tangent there: slope {exact(slope_of(w, b))}.",
            f"The nudge: h = {short(h)} changes the loss by {exact(there - here)}, to {exact(there)}; "
            f"forward difference {exact((there - here) / h)}."]


def curvature() -> float:
    """Return how fast the slope of the loss grows with w."""
    inputs, _ = points()
    return 2 * sum(x * x for x in inputs) / len(inputs)


def points_image(lines: list[tuple[float, float]], residuals: bool) -> str:
    figure = new_figure(6.8, 3.9)
    axes = figure.subplots()
    inputs, targets = points()
    ends = (-1.15, 1.15)
    for number, (w, b) in enumerate(lines, 1):
        heights = [w * x + b for x in ends]
        name = line_in_words(w, b) if len(lines) == 1 else f"{number}: {line_in_words(w, b)}"
        if number == len(lines):
            axes.plot(ends, heights, color=LINE, linewidth=2.5, label=name)
        else:
            axes.plot(ends, heights, color=grey(number, len(lines)), linewidth=1.6, linestyle="--",
                      label=name)
        clear = all(abs(heights[1] - later * ends[1] - b_later) > APART for later, b_later in lines[number:])
        if len(lines) > 1 and clear:
            axes.annotate(str(number), (ends[1], heights[1]), xytext=(3, 0), textcoords="offset points",
                          va="center", fontsize=11, color=INK if number == len(lines) else "0.35")
    if lines and residuals:
        found = [w * x + b for x in inputs]  # of the last line
        axes.vlines(inputs, found, targets, color=RESIDUAL, linewidth=1.8, linestyle=":", label="residuals")
    axes.plot(inputs, targets, "o", color=INK, markersize=6, label="points" if lines else None)
    label_axes(axes, "x", "target and w * x + b" if lines else "target")
    axes.set_ylim(*limits(lines, ends))
    if lines:
        axes.legend(fontsize=10, loc="upper left")
    return as_png(figure)


def grey(number: int, lines: int) -> str:
    """Return the colour of an earlier line, of which there are `lines` with the last."""
    return str(PALEST - (PALEST - DARKEST) * (number - 1) / max(lines - 2, 1))


def bend_image(fits: Mapping[str, list[tuple[float, ...]]]) -> str:
    figure = new_figure(6.8, 3.9)
    axes = figure.subplots()
    at = [-1.15 + 2.3 * k / 100 for k in range(101)]
    for number, (name, units) in enumerate(fits.items(), 1):
        heights = [height_of(units, x) for x in at]
        label = f"{name}: loss {exact(bend_loss_of(units))}"
        if number == len(fits):
            axes.plot(at, heights, color=LINE, linewidth=2.5, label=label)
        else:
            style = ("--", ":", "-.")[(number - 1) % 3]
            axes.plot(at, heights, color=grey(number, len(fits)), linewidth=1.8, linestyle=style, label=label)
    axes.plot(*bent_points(), "o", color=INK, markersize=6, label="points")
    label_axes(axes, "x", "target and curve")
    axes.legend(fontsize=10, loc="lower right")
    return as_png(figure)


def limits(lines: list[tuple[float, float]], ends: Sequence[float]) -> tuple[float, float]:
    """Return the lowest and the highest place of the picture, with room for the legend."""
    _, targets = points()
    heights = [*targets, *(w * x + b for w, b in lines for x in ends)]
    low, high = max(min(heights), LOWEST), min(max(heights), HIGHEST)
    return low - 0.5, high + 0.5 + 0.2 * max(len(lines) - 2, 0)


def loss_image(w: float, b: float, h: float) -> str:
    figure = new_figure(6.8, 3.9)
    axes = figure.subplots()
    here, there, slope = loss_of(w, b), loss_of(w + h, b), slope_of(w, b)
    lowest = w - slope / curvature()
    left, right = min(w, w + h, lowest) - 1, max(w, w + h, lowest) + 1
    at = [left + (right - left) * k / 200 for k in range(201)]
    curve = [loss_of(one, b) for one in at]
    axes.plot(at, curve, color=LINE, linewidth=2, label=f"loss, with b = {short(b)}")
    axes.plot(at, [here + slope * (one - w) for one in at], color=INK, linewidth=1.5, linestyle="--",
              label=f"tangent, slope {exact(slope)}")
    axes.plot([w, w + h, w + h, w], [here, here, there, here], color=RESIDUAL, linewidth=2,
              label=f"nudge h = {short(h)}: change {exact(there - here)},\n"
                    f"forward difference {exact((there - here) / h)}")
    axes.plot([w], [here], "o", color=INK, markersize=7, label=f"w = {short(w)}, loss {exact(here)}")
    label_axes(axes, "w", "loss")
    room = max(curve) - min(curve)
    axes.set_ylim(min(curve) - 0.15 * room, max(curve) + 0.1 * room)
    axes.set_xlim(left, right)
    axes.legend(fontsize=10, loc="upper center")
    return as_png(figure)
