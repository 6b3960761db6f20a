"""Chapter 6: two losses that share a trunk. Which calls work, what is in the drawer, what is still saved?"""
from __future__ import annotations

import minigrad as torch

from ....viz import draw
from ....viz.graph.facts import is_tensor
from ....viz.graph.kept import saved_by
from ..lab import Choice, Lab, State, Switch

CALLS = ("p.backward()", "q.backward()", "(p + q).backward()")
NOTHING = "nothing"


def show(state: State):
    """Run the chosen calls on a new graph; return its picture, and what happened, line by line."""
    x = torch.tensor(3., requires_grad=True)
    y = x * x
    p, q = y * 5, y ** 2
    lines = ["x = 3, y = x * x, p = y * 5, q = y ** 2"]
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
    lines.append("Still saved: " + (still_saved(y=y, p=p, q=q) or "nothing"))
    return draw([p, q], names={"x": x, "y": y, "p": p, "q": q}), "\n".join(lines)


def still_saved(**results) -> str:
    """The saved tensors that are left, as in "other (node of p)": two of the nodes have the same type."""
    kept = {name: [row.slot for row in saved_by(result.grad_fn) if is_tensor(row.value)]
            for name, result in results.items()}
    return ", ".join(f"{' and '.join(slots)} (node of {name})" for name, slots in kept.items() if slots)


def solved(state: State, words: str) -> str:
    if "x.grad = 246" in words and words.endswith("Still saved: nothing"):
        return "x.grad is 246, and nothing is still saved."
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
