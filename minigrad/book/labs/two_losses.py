"""Chapter 6: two losses that share a trunk. Which calls work, what is in the drawer, what is still saved?"""
from __future__ import annotations

import minigrad as torch

from ...viz import draw
from ..lab import Choice, Lab, State, Switch

CALLS = ("p.backward()", "q.backward()", "(p + q).backward()")
NOTHING = "nothing"


def show(state: State):
    """Run the chosen calls on a new graph; return its picture, and what happened, line by line."""
    x = torch.tensor(3., requires_grad=True)
    y = x * x
    p, q = y * 5, y ** 2
    lines = []
    for at, call in enumerate((state["first"], state["then"])):
        if call == NOTHING:
            continue
        start = {"p": p, "q": q, "(p + q)": p + q}[call.partition(".")[0]]
        keep = state["keep"] and at == 0
        written = call.replace("()", "(retain_graph=True)") if keep else call
        try:
            start.backward(retain_graph=keep)
            lines.append(f"{written:36} x.grad = {x.grad.item():g}")
        except RuntimeError as error:
            lines.append(f"{written:36} RuntimeError: {str(error).partition('.')[0]}")
            break
    picture = draw([p, q], names={"x": x, "y": y, "p": p, "q": q})
    lines.append("Still saved: " + (still_saved(picture) or "nothing"))
    return picture, "\n".join(lines)


def still_saved(picture) -> str:
    return ", ".join(f"{saved.slot} of {box.title}" for box in picture.picture.boxes
                     for saved in box.saved if saved.state == "kept")


def solved(state: State, words: str) -> str:
    if "x.grad = 138" in words and "Error" not in words and not state["keep"]:
        return "x.grad is 138, without retain_graph."
    return ""


def open_lab() -> Lab:
    return Lab(
        "Two losses, one trunk", show,
        controls={"first": Choice("First:", CALLS), "keep": Switch("retain_graph=True in the first call"),
                  "then": Choice("then:", (NOTHING, *CALLS))},
        start={"first": CALLS[0], "keep": False, "then": NOTHING},
        fallback=({"first": CALLS[0], "keep": False, "then": CALLS[1]},
                  {"first": CALLS[0], "keep": True, "then": CALLS[1]}),
        solved=solved)
