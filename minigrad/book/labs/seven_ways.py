"""Chapter 7: ways of not being recorded, on one small graph. Which messages still arrive?"""
from __future__ import annotations

import minigrad as torch

from ...viz import draw
from ...viz.lab import Choice, Lab, State

WAYS = {
    "none": "d = x * x",
    "detach()": "d = (x * x).detach()",
    "no_grad()": "with torch.no_grad(): d = x * x",
    "set_grad_enabled(False)": "with torch.set_grad_enabled(False): d = x * x",
    "inference_mode()": "with torch.inference_mode(): d = x * x",
    "requires_grad_(False)": "d = x.requires_grad_(False) * x; x.requires_grad_()",
    ".data": "d = (x * x).data",
    "eval()": "d = torch.nn.Identity().eval()(x * x)",
}


def show(state: State):
    """(the graph behind z = x * d, the lines that ran and what came of them)."""
    x = torch.tensor(3., requires_grad=True)
    names = {"torch": torch, "x": x}
    exec(WAYS[state["way"]], names)
    d = names["d"]
    lines = ["x = torch.tensor(3., requires_grad=True)", WAYS[state["way"]], "z = x * d", "z.backward()", "",
             f"d.requires_grad is {d.requires_grad}, x.requires_grad is {x.requires_grad}"]
    try:
        z = x * d
    except RuntimeError as error:
        return draw([x, d], names={"x": x, "d": d}), "\n".join([*lines, f"RuntimeError: {error}"])
    picture = draw(z, names={"x": x, "d": d, "z": z})
    z.backward()
    meaning = "the slope of x * x * x" if x.grad.item() == 27 else "d counted as a constant"
    return picture, "\n".join([*lines, f"x.grad is {x.grad.item():g}: {meaning}"])


def solved(state: State, words: str) -> str:
    if "RuntimeError" in words:
        return "This is the way that ends in an error."
    if "x.grad is 9" in words and "detach" not in state["way"]:
        return "x.grad is 9, and nothing was cut by detach()."
    if "x.grad is 27" in words and state["way"] != "none":
        return "This is the way that changes nothing."
    return ""


def open_lab() -> Lab:
    return Lab("Ways of looking away", show, controls={"way": Choice("Way:", tuple(WAYS))},
               start={"way": "none"},
               fallback=({"way": "none"}, {"way": "no_grad()"}, {"way": "inference_mode()"}),
               solved=solved)
