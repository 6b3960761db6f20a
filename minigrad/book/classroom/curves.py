"""Curves over the steps of a training run, or any figure, as an image and in words."""
from __future__ import annotations

import base64
import io
import sys
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from .showing import Shown

STYLES = (("#0072B2", "-"), ("#D55E00", "--"), ("#1A1A1A", ":"), ("#009E73", "-."))  # told apart in grey, too
INSTALL = ("This picture needs the package matplotlib, which isn't installed. Run `pip install matplotlib`, "
           "restart the kernel, and run the cell again.")
IN_WORDS = 6  # so many values of a curve are read out


def curves(lines: Mapping[str, Sequence[Any]], x: str = "step", y: str = "", at: Sequence[Any] | None = None,
           log: bool = False, alt: str = "") -> Shown:
    """Draw one line for each name, and say some of its values in words.

        curves({"loss": losses}, y="loss")
        curves({"train": first, "test": second}, x="epoch", y="accuracy", alt="Both rise to 0.97.")

    Args:
        lines: up to four names, each with its numbers: floats, or tensors of one element.
        x: what the horizontal axis counts.
        y: what the vertical axis shows.
        at: where on the horizontal axis the numbers belong; without it: 0, 1, 2, ...
        log: whether each line of the vertical grid is ten times the one below.
        alt: what the curves show, in a sentence, for someone who doesn't see them.

    Raises:
        ValueError: there are no lines, more than four, or a line and `at` differ in length.
    """
    if not 1 <= len(lines) <= len(STYLES):
        raise ValueError(f"curves draws 1 to {len(STYLES)} lines, but was given {len(lines)}")
    found = {name: [float(value) for value in values] for name, values in lines.items()}
    places = {name: list(range(len(values)) if at is None else at) for name, values in found.items()}
    for name, values in found.items():
        if len(values) != len(places[name]):
            raise ValueError(f"the line {name!r} has {len(values)} numbers, but `at` has {len(places[name])}")
    words = "\n".join([*([alt] if alt else []), *(f"{name}: {read_out(places[name], values, x)}"
                                                  for name, values in found.items())])
    return picture_or_words(words, lambda: image(found, places, x, y, log))


def show_figure(figure: Any, alt: str) -> Shown:
    """Show a figure of matplotlib, with words for someone who doesn't see it.

        figure, axes = pyplot.subplots()
        axes.bar(["sum", "mean"], [4, 1])
        show_figure(figure, alt="The gradient of a sum is four times that of a mean.")

    Args:
        figure: a `matplotlib.figure.Figure`, drawn in its own size.
        alt: what the figure shows, in a sentence.

    Raises:
        ValueError: `alt` has no words.
    """
    if not alt.strip():
        raise ValueError("show_figure needs words for someone who doesn't see the figure: "
                         'alt="The loss falls."')
    shown = picture_or_words(alt, lambda: as_png(figure))
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close(figure)    # Jupyter would show it a second time, without its words
    return shown


def read_out(places: list, values: list[float], x: str) -> str:
    """The first value, the last one, and a few between them."""
    if not values:
        return "no values yet"
    last = len(values) - 1
    chosen = sorted({round(k * last / (IN_WORDS - 1)) for k in range(IN_WORDS)})
    return ", ".join(f"{values[k]:.3g} at {x} {places[k]:g}" for k in chosen)


def image(found: dict[str, list[float]], places: dict[str, list], x: str, y: str, log: bool) -> str:
    figure = new_figure()
    axes = figure.subplots()
    for (name, values), style in zip(found.items(), STYLES, strict=False):
        add_line(axes, name, places[name], values, style)
    if log:
        axes.set_yscale("log")
    label_axes(axes, x, y)
    if len(found) > 1 or y not in found:
        axes.legend(fontsize=11)
    return as_png(figure)


def panels_side_by_side(panels: Mapping[str, Mapping[str, tuple[list, list[float]]]], x: str) -> str:
    """Draw a panel for each name, with a line for each of its own names: their places and their values."""
    figure = new_figure()
    for axes, (name, lines) in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels.items(),
                                   strict=False):
        for (line, (places, values)), style in zip(lines.items(), STYLES, strict=False):
            add_line(axes, line, places, values, style)
        label_axes(axes, x, name)
        if len(lines) > 1:
            axes.legend(fontsize=11)
    return as_png(figure)


def new_figure(wide: float = 6.4, high: float = 3.2) -> Any:
    """Return an empty figure of this size, in hundreds of pixels.

    Raises:
        ModuleNotFoundError: matplotlib isn't installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(INSTALL, name=error.name) from None

    figure = Figure(figsize=(wide, high), dpi=100, facecolor="white", layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def add_line(axes: Any, name: str, places: Sequence[Any], values: list[float],
             style: tuple[str, str]) -> None:
    marks = {"marker": "o", "markersize": 4} if len(values) <= 20 else {}
    axes.plot(places, values, color=style[0], linestyle=style[1], linewidth=2, label=name, **marks)
    if all(float(place).is_integer() for place in places):
        axes.xaxis.get_major_locator().set_params(integer=True)  # there is no step 2.5


def label_axes(axes: Any, x: str, y: str) -> None:
    axes.set_xlabel(x, fontsize=12)
    axes.set_ylabel(y, fontsize=12)
    axes.tick_params(labelsize=11)
    axes.grid(color="#DDDDDD")


def picture_or_words(words: str, make: Callable[[], str]) -> Shown:
    """Return a picture with its words; without matplotlib, the words and what to install.

    Args:
        words: what the picture shows.
        make: makes the picture, as `as_png` returns it.
    """
    try:
        return Shown(words, as_html(make(), words))
    except ModuleNotFoundError as error:
        if str(error) != INSTALL:
            raise
        said = f"{words}\n{INSTALL}"
        return Shown(said, f'<pre style="white-space:pre-wrap">{escape(said)}</pre>')


def as_html(png: str, words: str, kind: str = "mgcurve") -> str:
    """A picture that is never wider than its page, with its words for someone who doesn't see it.

    `kind` is its class in a style sheet: in the dark, curves turn dark, and images don't.
    """
    return (f'<img class="{kind}" style="max-width:100%;height:auto" alt="{escape(words)}" '
            f'src="data:image/png;base64,{png}">')


def as_png(figure: Any) -> str:
    """The picture in base64, the same bytes in each run."""
    file = io.BytesIO()
    figure.savefig(file, format="png", metadata={"Software": None})
    return base64.b64encode(file.getvalue()).decode("ascii")
