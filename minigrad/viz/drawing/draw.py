"""`draw()`: the graph behind a tensor as a picture."""
from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..graph.assign import assign
from ..graph.box_order import without_constants
from ..graph.facts import called, is_node, is_tensor, limit_of
from ..program.names import Names, find_names
from ..program.read import USUAL, read
from .compact import compact, is_network, with_shapes
from .direction import DIRECTIONS
from .drawing import Drawing
from .fold import around as near
from .fold import fold
from .forward import forward_view
from .graph_views import view_of

TAKES = "draw() takes a tensor, or a list, a dict or a dataclass of tensors"
# what a dict of results may hold beside tensors
BESIDE = (str, bool, int, float, complex, type(None))
EXTRA = ("versions", "memory", "places", "settings", "gradients", "shapes", "leaves")
NOT_WATCHED = ("No gradients were noted: run the backward pass inside `with "
               "minigrad.viz.watch():`, or with play(), and draw again.")


def draw(
    tensors: Any,
    *,
    view: str = "engine",
    show: str = "",
    names: Any = None,
    modules: Any = None,
    depth: int = 1,
    values: bool | int = True,
    around: Any = None,
    steps: int = 2,
    max_nodes: int | None = 40,
    direction: str = "auto",
    legend: bool = False,
    caption: str | None = "",
) -> Drawing:
    """Draw the graph behind a tensor, or behind several.

    Args:
        tensors: a tensor, a node (a `grad_fn`), or a list, a dict or a dataclass of them, as
            models return.
        view: "engine" shows the operations that backward will run; "maths" shows tensors and
            their links; "modules" shows the forward pass of a model, inside a `watch(model)`: its
            modules with their shapes, parameters, FLOPs and the bytes of their activations.
        show: words that add facts: "versions" (writes in place), "memory" (bytes that saved values
            hold), "places" (the line that recorded each operation, if a `watch()` or anomaly mode
            was there), "settings" (sizes and flags), "gradients" (what arrived at each operation
            in the last backward pass inside a `watch()` or a `play()`), "shapes" (of results; a
            network shows them anyway), "leaves" (parameters as boxes, also in a network). A minus
            takes away what is shown otherwise: "-saved", "-grads", "-cuts", "-constants";
            "-leaves" makes tabs of the parameters of a small model, too.
        names: a dict of name to tensor or model; None looks in the caller's variables; a model
            adds its parameters to these; False shows none.
        modules: the model whose modules get frames; None takes all models among the names, False
            none.
        depth: how deeply frames are nested: 0 draws none.
        values: write out tensors of up to 6 elements; or a number of elements; or False.
        around: a tensor, a node or a name; the picture then shows what lies up to `steps`
            operations from it.
        max_nodes: the most boxes that the picture may have, at least 1; None never folds. A larger
            graph shows modules as one box each and opens those for which there is room; it folds
            blocks that repeat, then its middle ("… 12 more"). Up to 40, no module is opened that
            would make a network wider than a notebook's page, or higher than fits on a printed one.
        direction: "right" (leaves left), "down" (leaves on top), or "auto": down, if right would
            be too wide.
        legend: explain the shapes and lines that occur, under the picture.
        caption: a sentence under the picture.

    Returns:
        A `Drawing`: it shows itself in a notebook, prints as text, and saves as .svg, .pdf, .html
        and more.

    Raises:
        TypeError: `tensors` holds no tensor, or something that is neither a tensor nor holds
            tensors; another argument is not of its type.
        ValueError: an unknown view, direction or word, a negative depth, `max_nodes` below 1, or
            `around` is not in the picture.
    """
    view_as = view_of(view)
    if direction not in DIRECTIONS:
        raise ValueError(f"unknown direction {direction!r}: choose 'auto', 'right' or 'down'")
    shown, hidden = _shown(show)
    if not isinstance(caption, (str, type(None))):
        raise TypeError(f"caption takes a sentence as a string, not {called(caption)}")
    _check_number("max_nodes", max_nodes, 1, "None shows all boxes")
    _check_number("depth", depth, 0, "0 draws no frames")
    targets, found = targets_of(tensors), find_names(names, modules)
    focus = None if around is None else _focus(around, found)
    if view == "modules":
        if show:
            raise ValueError("view='modules' shows facts of its own: leave out show")
        graph = read(targets, found, values=0, show=("constants", "memory"))
        picture = forward_view(graph, found.classes, depth)
        picture.direction, picture.legend = direction, legend
        picture.caption = " ".join((caption or "").split())
        return Drawing(fold(picture, max_nodes))
    compactly = False if "leaves" in shown else True if "leaves" in hidden else None
    graph = read(targets, found, values=limit_of(values), focus=focus, show=shown)
    picture = view_as(graph, saved="saved" in shown)
    picture = picture if "constants" in shown else without_constants(picture)
    picture.direction, picture.depth, picture.classes = direction, depth, dict(found.classes)
    assign(picture, graph)
    network = is_network(picture) if compactly is None else compactly and view == "engine"
    if "shapes" in shown or network and "shapes" not in hidden:
        picture = with_shapes(picture)
    picture = compact(picture) if network else picture
    picture.caption, picture.legend = " ".join((caption or "").split()), legend
    if "gradients" in shown and not any(op.gradient.lines for op in graph.ops):
        picture.notes.append(NOT_WATCHED)
    if around is not None and picture.focus is None:
        raise ValueError("around is no part of this graph")
    picture = picture if around is None else near(picture, steps)
    return Drawing(fold(picture, max_nodes))


def _check_number(name: str, number: Any, least: int, advice: str) -> None:
    if number is not None and (type(number) is not int or number < least):
        raise ValueError(f"{name} must be a whole number, {least} or more, not {number!r}; "
                         f"{advice}")


def _shown(words: str) -> tuple[set[str], set[str]]:
    """The facts to show, and those that a minus takes away."""
    if not isinstance(words, str):
        raise TypeError(f"show takes words in one string, such as 'versions memory', not "
                        f"{called(words)}")
    shown, hidden = set(USUAL), set[str]()
    for word in words.replace(",", " ").split():
        fact = word.lstrip("-")
        if fact not in (*USUAL, *EXTRA):
            raise ValueError(f"unknown word {word!r} in show: choose from "
                             f"{', '.join((*EXTRA, *USUAL))}")
        if word.startswith("-"):
            shown, hidden = shown - {fact}, hidden | {fact}
        else:
            shown, hidden = shown | {fact}, hidden - {fact}
    return shown, hidden


def _focus(around: Any, names: Names) -> Any:
    if isinstance(around, str):
        if around not in names.tensors:
            raise ValueError(f"around={around!r}: no tensor of this name was found")
        return names.tensors[around]
    if is_tensor(around) or is_node(around):
        return around
    raise TypeError(f"around takes a tensor, a node or a name, not {called(around)}")


def targets_of(value: Any) -> list[Any]:
    """The tensors and nodes in a value, each once."""
    found = list({id(item): item for item in _inside(value, ())}.values())
    if not found:
        raise TypeError(f"{TAKES}; this {type(value).__name__} is empty or holds none")
    return found


def _inside(value: Any, around: tuple[int, ...]) -> Iterator[Any]:
    if is_tensor(value) or is_node(value):
        yield value
        return
    if isinstance(value, Mapping):
        items: Sequence[Any] = [item for item in value.values() if not isinstance(item, BESIDE)]
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        items = [getattr(value, field.name) for field in dataclasses.fields(value)]
        items = [item for item in items if not isinstance(item, BESIDE)]
    elif isinstance(value, (list, tuple)):
        items = value
    else:
        raise TypeError(f"{TAKES}, not {called(value)}{_advice(value)}")
    for item in items if id(value) not in around else ():
        yield from _inside(item, (*around, id(value)))


def _advice(value: Any) -> str:
    if value is None:
        return ": does the function return its result? A leaf's .grad and .grad_fn may be None, too"
    if hasattr(type(value), "named_parameters"):
        return ": call it, and draw what it returns"
    if isinstance(value, (bool, int, float, complex)):
        return ": a Python number has no history; draw the tensor it came from"
    array = hasattr(type(value), "__array__")
    return ": an array has no history; draw the tensor it came from" if array else ""
