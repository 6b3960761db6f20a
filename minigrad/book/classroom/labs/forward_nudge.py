"""Chapter 4: nudge a leaf by a number that a slider sets, and follow the change to the result."""
from __future__ import annotations

from functools import cache

import minigrad as torch

from ....viz.drawing.drawing import Drawing
from ..lab import Choice, Lab, Slider, State
from ..nudges_and_messages import draw_nudges

START = {"a": 2., "b": 3.}
FAR = 1.   # a miss that the task asks for


def result_of(values: dict[str, float]) -> dict[str, torch.Tensor]:
    """The tensors of the chapter's five operations, by their names."""
    a, b = (torch.tensor(values[name], dtype=torch.float64, requires_grad=True) for name in "ab")
    c, d = a + b, a * b
    s, p = c + d, c * d
    return {"a": a, "b": b, "c": c, "d": d, "s": s, "p": p, "y": s + p}


@cache
def slope(leaf: str) -> float:
    """The change of y for each unit of the nudge, by the local derivatives."""
    named = result_of(START)
    return torch.autograd.grad(named["y"], [named[leaf]])[0].item()


def change(leaf: str, h: float) -> float:
    """The real change of y."""
    return (result_of({**START, leaf: START[leaf] + h})["y"] - result_of(START)["y"]).item()


def miss(state: State) -> float:
    return change(state["leaf"], state["h"]) - slope(state["leaf"]) * state["h"]


def show(state: State) -> tuple[Drawing, str]:
    """(the graph with the changes on its arrows, the change of y in words)."""
    leaf, h, named = state["leaf"], round(state["h"], 4), result_of(START)      # a slider adds steps of 0.1
    words = (f"the arrows say   {slope(leaf):g} · {short(h)} = {short(slope(leaf) * h)}\n"
             f"y changes by     {short(change(leaf, h))}, so they miss by {short(miss(state))}")
    return draw_nudges(named["y"], named[leaf], h=h, names=named), words


def short(value: float) -> str:
    return f"{round(value, 4) + 0.:g}".replace("-", "−")


def solved(state: State, words: str) -> str:
    if abs(miss(state)) <= FAR:
        return ""
    return "The arrows are right for small nudges only: the miss grows with the square of h."


def open_lab() -> Lab:
    return Lab("Follow a nudge", show,
               controls={"leaf": Choice("nudge", tuple(START)), "h": Slider("by h =", -1, 1, 0.1)},
               start={"leaf": "a", "h": 0.1},
               fallback=({"leaf": "a", "h": 0.1}, {"leaf": "a", "h": 0.5}),
               solved=solved)
