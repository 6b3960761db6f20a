"""Chapter 2: call `backward()` again and again. What does `.grad` hold, and what if every tensor kept one?

The second engine is a few lines below: it has a mistake that a simple engine falls into, and its first answer
is right.
"""
from __future__ import annotations

import minigrad as torch

from ....viz import draw
from ..lab import Choice, Lab, Slider, State

TORCH, STICKY = "torch", "sticky: the middle passes on its sum"
BETWEEN = ("nothing", "w.grad = None", "w.grad.zero_()")


class Box:
    """A number in the sticky engine, made from the one before with slope 1."""

    def __init__(self, made_from: Box | None = None) -> None:
        self.grad, self.made_from = 0.0, made_from


def sticky_backward(box: Box) -> None:
    box.grad = 1.0
    while box.made_from is not None:
        box.made_from.grad += box.grad  # a box keeps what it got, adds to it, sends the sum on
        box = box.made_from


def show(state: State):
    """(the graph with its drawer, the drawer after each call)."""
    w = torch.tensor(5., requires_grad=True)
    middle = w + 0.5
    loss = middle + 4
    w_box = Box()
    middle_box = Box(w_box)
    loss_box = Box(middle_box)
    seen = []
    for call in range(int(state["calls"])):
        if call and state["between"] != BETWEEN[0]:
            w_box.grad = 0.0
            exec(state["between"], {"w": w})
        loss.backward()
        sticky_backward(loss_box)
        seen.append(w.grad.item() if state["engine"] == TORCH else w_box.grad)
    words = [", ".join(f"call {at}: w.grad = {value:g}" for at, value in enumerate(seen, 1))] if seen else []
    if state["engine"] != TORCH and seen:
        words.append("(it should be: " + ", ".join(f"{value:g}" for value in drawer(state)) + ")")
        words.append(f"middle.grad = {middle_box.grad:g}: the middle keeps every gradient")
        w.grad = torch.tensor(seen[-1])
        middle.retain_grad()  # so that the picture shows what the sticky engine keeps there
        middle.grad = torch.tensor(middle_box.grad)
    return (draw(loss, view="maths", names={"w": w, "middle": middle, "loss": loss}),
            "\n".join(words) or "no call yet: the drawer is empty")


def drawer(state: State) -> list[float]:
    """What torch would show: one slope of 1 after the other, from the last emptying on."""
    calls = int(state["calls"])
    return [1.0] * calls if state["between"] != BETWEEN[0] else [float(at) for at in range(1, calls + 1)]


def solved(state: State, words: str) -> str:
    if state["engine"] == TORCH or "w.grad = 6" not in words or drawer(state)[-1] != 3:
        return ""
    return "It shows 6 where 3 is right. Now find the first call whose answer is wrong."


def open_lab() -> Lab:
    return Lab(
        "Call loss.backward() again and again", show,
        controls={"calls": Slider("Calls:", 0, 4), "between": Choice("Between two calls:", BETWEEN),
                  "engine": Choice("Engine:", (TORCH, STICKY))},
        start={"calls": 0, "between": BETWEEN[0], "engine": TORCH},
        fallback=({"calls": 0, "between": BETWEEN[0], "engine": TORCH},
                  {"calls": 3, "between": BETWEEN[0], "engine": TORCH},
                  {"calls": 2, "between": BETWEEN[0], "engine": STICKY}),
        solved=solved, lines=3)
