"""The eight places where hooks sit around one node, numbered in the order of a backward pass.

The numbers come from a pass that runs: a function in each place writes down when it is called, and with which
gradient. So the picture shows what PyTorch does, too.
"""
from __future__ import annotations

from typing import Any, NamedTuple

from ..viz.drawing.style import DRAWER, FAINT, GRADIENT, GREY, INK, LEAF, LINE, PAPER, PLATE
from .labs.jacobian_rows import Rows, box, number, svg, words

MESSAGE = 3                         # what the result receives
WIDE, WIRE, TOP, ROW, BOX = 520, 84, 34, 27, 30      # points
TITLE = "The places of hooks around one node, in the order of a backward pass"
RETAINED = "y.retain_grad()"        # no hook: the gradient is stored
AFTER_NODE = "node.register_hook"   # the first place after the node has run
OF_Y, OF_LEAF = ("y.register_hook", RETAINED), ("u.register_hook", "u.register_post_accumulate_grad_hook")


class Place(NamedTuple):
    """Where a hook sits: what registers it, and the gradient that it meets."""

    name: str
    gradient: float


def draw_hooks(layer: Any, u: Any) -> Rows:
    """Draw where hooks sit around the one node of `y = layer(u)`, with the gradient 3 for `y`.

        draw_hooks(torch.nn.Tanh(), torch.tensor(0.5, requires_grad=True))

    The pass really runs. Afterwards no hook is left, and `u.grad` is what it was before.

    Args:
        layer: a module that records one operation.
        u: a leaf of one number that requires a gradient.

    Raises:
        ValueError: `u` is no such leaf.
    """
    if not (u.is_leaf and u.requires_grad and u.dim() == 0):
        raise ValueError("draw_hooks needs a leaf of one number that requires a gradient")
    places, node = places_of(layer, u)
    text = "\n".join([f"{TITLE}. {node} is the node of y = layer(u).", *(
        f"{at}. {place.name}: {number(place.gradient)}" + (" (the node has run)" * (place.name == AFTER_NODE))
        for at, place in enumerate(places, 1))])
    return Rows(drawn(places, node, text), text)


def places_of(layer: Any, u: Any) -> tuple[list[Place], str]:
    """Return the places in the order in which a pass meets them, and the name of the node."""
    found: list[Place] = []
    before, u.grad = u.grad, None

    def at(name: str, gradient: Any) -> Any:
        def hook(*given: Any) -> None:
            stored = y.grad if y.retains_grad else None
            if stored is not None and all(place.name != RETAINED for place in found):
                found.append(Place(RETAINED, stored.item()))
            found.append(Place(name, gradient(*given).item()))
        return hook

    handles = [layer.register_full_backward_pre_hook(
                   at("layer.register_full_backward_pre_hook", lambda layer, of_outputs: of_outputs[0])),
               layer.register_full_backward_hook(
                   at("layer.register_full_backward_hook", lambda layer, of_inputs, _: of_inputs[0])),
               u.register_hook(at("u.register_hook", lambda gradient: gradient)),
               u.register_post_accumulate_grad_hook(
                   at("u.register_post_accumulate_grad_hook", lambda leaf: leaf.grad))]
    y = layer(u)
    node = y.grad_fn.next_functions[0][0]   # y.grad_fn is a node that the hooks of the layer have added
    node.register_hook(at(AFTER_NODE, lambda sent, received: sent[0]))
    node.register_prehook(at("node.register_prehook", lambda received: received[0]))
    y.register_hook(at("y.register_hook", lambda gradient: gradient))
    y.retain_grad()
    try:
        y.backward(y.detach().clone().fill_(MESSAGE))
    finally:
        u.grad = before
        for handle in handles:
            handle.remove()
    return found, node.name()


def drawn(places: list[Place], node: str, text: str) -> str:
    """The picture as SVG, from top to bottom, as the gradient travels."""
    rows, frame = layout(places, node)
    bottom = rows[-1][0] + ROW
    parts = [box(0.5, 0.5, WIDE - 1, bottom + 5, PLATE, GREY, 1, 8),
             words(WIRE + 78, 20, "register with", 12, FAINT, anchor="start"),
             words(WIDE - 62, 20, "gradient there", 12, FAINT),
             box(10, frame[0], WIDE - 20, frame[1] - frame[0], "none", LINE, 1, 8),
             words(20, frame[0] + 19, "layer", 12, FAINT, anchor="start"),
             box(WIRE - 1.5, TOP - 6, 3, bottom - ROW / 2 - TOP + 6, GRADIENT, "none", 0)]
    at = 0
    for y, place in rows:
        if isinstance(place, str):
            parts += element(y, place)
            if place == node:
                parts.append(words(WIRE + 78, y + 16.5, "the node of layer(u) runs", 12, FAINT,
                                   anchor="start"))
            continue
        at += 1
        if place.name == RETAINED:
            parts.append(words(WIRE + 178, y + ROW / 2 + 4.5, "fills y.grad", 12, FAINT, anchor="start"))
        parts += [f'<ellipse cx="{WIRE}" cy="{y + ROW / 2:g}" rx="11" ry="11" fill="{PAPER}" stroke="{INK}" '
                  'stroke-width="1.6"/>',
                  words(WIRE, y + ROW / 2 + 4.5, str(at), 13, bold=True),
                  words(WIRE + 78, y + ROW / 2 + 4.5, place.name, 12.5, anchor="start"),
                  words(WIDE - 62, y + ROW / 2 + 4.5, number(place.gradient), 13, bold=True)]
    return svg(WIDE, bottom + 6, TITLE, text, parts)


def layout(places: list[Place], node: str) -> tuple[list[tuple[float, Place | str]], list[float]]:
    """Return each place and each box with its height on the page, and where the frame of the layer goes."""
    rows: list[tuple[float, Place | str]] = []
    y, frame = float(TOP), [0., 0.]
    above = ""
    for place in places:
        part = "y" if place.name in OF_Y else "u" if place.name in OF_LEAF else "layer"
        if part != above:
            if above == "layer":
                frame[1] = y + 2
            y += 8
            if part == "layer":
                frame[0] = y - 3
            else:
                rows.append((y, part))
                y += BOX
            above = part
        between = {AFTER_NODE: node, OF_LEAF[1]: "u.grad"}.get(place.name)
        if between:
            rows.append((y, between))
            y += BOX
        rows.append((y, place))
        y += ROW
    return rows, frame


def element(y: float, name: str) -> list[str]:
    """A tensor, the leaf, its drawer, or the node."""
    if name in ("y", "u", "u.grad"):
        line, width = {"y": (GREY, 1.2), "u": (LEAF, 2.4), "u.grad": (GRADIENT, 2)}[name]
        label = {"y": "tensor y", "u": "leaf u"}.get(name, name)
        return [box(WIRE - 36, y, 72, BOX - 6, DRAWER if name == "u.grad" else PAPER, line, width, 5),
                words(WIRE, y + 16.5, label)]
    points = [(WIRE - 62, y + 12), (WIRE - 52, y), (WIRE + 52, y), (WIRE + 62, y + 12), (WIRE + 52, y + 24),
              (WIRE - 52, y + 24)]
    path = " ".join(f"{x:g},{height:g}" for x, height in points)
    return [f'<polygon points="{path}" fill="{PAPER}" stroke="{GREY}" stroke-width="1.2"/>',
            words(WIRE, y + 16.5, name)]
