"""Chapter 1: nudge x by h, and compare the slope that this gives with the slope by autograd.

The left panel shows the curve, its tangent and the nudge as a triangle. The right panel shows the error of
the nudged slope for every size of nudge, on axes of powers of ten: the error has the shape of a V
(unless x and f(x) are 0, where the subtraction loses hardly any digits).
"""
from __future__ import annotations

import re
from html import escape

import minigrad as torch

from ..curves import as_html, as_png, new_figure
from ..lab import Choice, Lab, Slider, State
from ..showing import Shown

FUNCTIONS = {
    "x**3 - 2*x": lambda x: x ** 3 - 2 * x,
    "exp(x)": lambda x: x.exp(),
    "sin(3*x)": lambda x: (3 * x).sin(),
}
SIZES = [10 ** (-k / 2) for k in range(33)]  # of nudges, from 1 to 1e-16
INK, CURVE, NUDGE = "#1A1A1A", "#0072B2", "#D55E00"


def slope(function, x: float) -> float:
    t = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    function(t).backward()
    return t.grad.item()


def value(function, x: float) -> float:
    return function(torch.tensor(x, dtype=torch.float64)).item()


def forward_slope(function, x: float, h: float) -> float:
    return (value(function, x + h) - value(function, x)) / h


def central_slope(function, x: float, h: float) -> float:
    return (value(function, x + h) - value(function, x - h)) / (2 * h)


def show(state: State):
    """(both panels as an image, the three slopes in words)."""
    function, x, h = FUNCTIONS[state["function"]], state["x"], 10.0 ** state["h"]
    right = slope(function, x)
    forward, central = forward_slope(function, x, h), central_slope(function, x, h)
    words = [f"f(x) = {state['function']} at x = {x:g}, nudge h = 1e{state['h']:g}",
             f"slope by autograd        {right:.4f}",
             f"forward difference       {forward:.4f}   off by {abs(forward - right):.0e}",
             f"central difference       {central:.4f}   off by {abs(central - right):.0e}"]
    if x == value(function, x) == 0:
        words.append("f(0) is 0, so hardly any digits are lost to rounding, and the error forms no V.")
    return image(function, x, h, right), "\n".join(words)


def image(function, x: float, h: float, right: float) -> str:
    figure = new_figure(7.15, 3)  # as wide as the page of a notebook
    curve, errors = figure.subplots(1, 2)
    at = [x - 1.2 + 2.4 * k / 100 for k in range(101)]
    y = value(function, x)
    curve.plot(at, [value(function, one) for one in at], color=CURVE, label="f(x)")
    curve.plot(at, [y + right * (one - x) for one in at], color=INK, linestyle="--",
               label=f"tangent, slope {right:.4g}")
    width = min(h, 1.1)
    rise = value(function, x + width)
    curve.plot([x, x + width, x + width, x], [y, y, rise, y], color=NUDGE, linewidth=2,
               label=f"nudge, slope {(rise - y) / width:.4g}")
    curve.plot([x], [y], "o", color=INK)
    low, high = sorted((value(function, at[0]), value(function, at[-1])))
    curve.set_ylim(min(low, y) - 1, max(high, y) + 1)
    curve.set_xlabel("x")
    names = curve.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, frameon=False, fontsize=8,
                         borderaxespad=0, handlelength=1.3, handletextpad=0.4, columnspacing=1)
    names.set_in_layout(False)  # it hides no curve above the panel, where the right one needs room too
    for rule, style, name in ((forward_slope, "-", "forward"), (central_slope, ":", "central")):
        off = [max(abs(rule(function, x, size) - right), 1e-17) for size in SIZES]
        errors.loglog(SIZES, off, style, color=CURVE, label=name)
    errors.axvline(h, color=NUDGE, linewidth=2)
    errors.set_xticks([1e-15, 1e-11, 1e-7, 1e-3])
    errors.set_xlabel("size of the nudge, h")
    errors.set_ylabel("error of the slope")
    errors.text(0, 1.03, "← rounding", transform=errors.transAxes)  # above the panel, where no line goes
    errors.text(1, 1.03, "bend →", transform=errors.transAxes, ha="right")
    errors.legend(loc="upper center")
    words = f"The curve, its tangent and the nudge at x = {x:g}; the error for every size of nudge."
    return as_html(as_png(figure), words)


def solved(state: State, words: str) -> str:
    """Is this the best size of all on the slider? Does the curve fall here?"""
    function, x, size = FUNCTIONS[state["function"]], state["x"], state["h"]
    right, found = slope(function, x), []
    for rule, name in ((forward_slope, "forward"), (central_slope, "central")):
        off = {k: abs(rule(function, x, 10.0 ** k) - right) for k in range(-14, 1)}
        if off[size] == min(off.values()):
            found.append(f"No other size on the slider makes the {name} difference as exact.")
    if right < 0:
        found.append("The slope is negative, so the curve falls here.")
    return " ".join(found)


STILL = """Two panels.
Left: the curve f(x) = x**3 - 2*x and its tangent at x = 1.5, where the slope is 4.75.
  A nudge of h = 0.5 is drawn as a triangle: from x to x + h, and up to the curve.
  The curve bends away from the tangent, so the forward difference, 7.25, is too large.
Right: the error of the slope for h from 1 down to 1e-16, on axes of powers of ten.
  From right to left the error falls, because the curve bends less over a shorter nudge.
  Then it rises again, because of rounding: the two sides form a V.
  forward difference: the lowest error, below 1e-7, is near h = 1e-8.
  central difference: the lowest error, below 1e-10, is near h = 3e-6."""


def still() -> Shown:
    """The picture of the chapter: one state of the lab, with the triangle large enough to see."""
    picture = image(FUNCTIONS["x**3 - 2*x"], 1.5, 0.5, 4.75)
    alt = f'alt="{escape(" ".join(STILL.split()))}"'
    return Shown(STILL, re.sub('alt="[^"]*"', alt, picture))


def open_lab() -> Lab:
    return Lab("Nudge it", show,
               controls={"function": Choice("f(x):", tuple(FUNCTIONS)), "x": Slider("x:", -2, 2, 0.25),
                         "h": Slider("nudge, as a power of ten:", -14, 0, 1)},
               start={"function": "x**3 - 2*x", "x": 1.5, "h": -1},
               fallback=({"function": "x**3 - 2*x", "x": 1.5, "h": 0},
                         {"function": "exp(x)", "x": 1.5, "h": -3},
                         {"function": "sin(3*x)", "x": 0.25, "h": -13}),
               solved=solved, lines=5, pixels=True)

