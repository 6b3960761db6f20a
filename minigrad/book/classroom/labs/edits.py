"""The edit explorer: what happens to a gradient when a number is changed behind autograd's back?

Choose an operation, which of its ends to edit, and how. The lines really run: the answer is "fine", the error
that came, or "silently wrong", which is told by comparing with the gradient of the same lines without the
edit. (An edit adds a constant, so it should never change a gradient.)
"""
from __future__ import annotations

from importlib import import_module
from typing import Any

from ....viz import draw
from ....viz.graph.facts import number
from ..lab import BAD, GOOD, LOUD, Choice, Lab, State

NUMBERS = [1.5, 2.0, 4.0]
OPERATIONS = ("t + 1", "t * 3", "t * t", "t ** 2", "t.exp()", "t.sqrt()", "t.sin()", "t.sigmoid()", "1 / t",
              "t.max()", "t.sum()", "t.clone()")
ENDS = {"the input, t": "t", "the output, y": "y"}
WAYS = {
    "in place": "{}.add_(5)",
    "in place, under no_grad": "with torch.no_grad(): {}.add_(5)",
    "through detach()": "{}.detach().add_(5)",
    "through .data": "{}.data.add_(5)",
}
FINE, ERROR, WRONG = "FINE", "ERROR", "SILENTLY WRONG"


def edit_explorer(torch: Any = None) -> Lab:
    """The lab; `torch` is the module to try it with: minigrad, unless PyTorch is given."""
    module = torch or import_module(__name__.partition(".")[0])
    return Lab(
        "Edit a number between forward and backward",
        lambda state: explored(module, state),
        controls={"operation": Choice("y =", OPERATIONS), "end": Choice("Edit:", tuple(ENDS)),
                  "way": Choice("How:", tuple(WAYS))},
        start={"operation": "t * t", "end": "the input, t", "way": "in place"},
        fallback=({"operation": "t * t", "end": "the input, t", "way": "in place"},
                  {"operation": "t.exp()", "end": "the input, t", "way": "in place"},
                  {"operation": "t.exp()", "end": "the output, y", "way": "through detach()"}),
        solved=solved, lines=9, verdicts={FINE: GOOD, ERROR: LOUD, WRONG: BAD},
        tallest={"operation": "1 / t", "end": "the output, y", "way": "in place"})


open_lab = edit_explorer


def solved(state: State, words: str) -> str:
    if f"\n{WRONG}" in words:
        return "This setting is silently wrong."
    if f"\n{FINE}" in words and state["way"] == "through .data":
        return "Here even .data does no harm: the backward pass does not need this number."
    return ""


def explored(torch: Any, state: State) -> tuple[Any, str]:
    """(the graph just before backward, the lines that ran and what came of them)."""
    edit = WAYS[state["way"]].format(ENDS[state["end"]])
    right, _, _ = attempt(torch, state["operation"], None)
    found, error, picture = attempt(torch, state["operation"], edit, ENDS[state["end"]])
    return picture, "\n".join([*program(state["operation"], edit), "", verdict(right, found, error)])


def program(operation: str, edit: str | None) -> list[str]:
    lines = [f"x = torch.tensor({NUMBERS}, requires_grad=True)", "t = x.clone()", f"y = {operation}"]
    return [*lines, *([edit] if edit else []), "y.sum().backward()"]


def attempt(torch: Any, operation: str, edit: str | None, edited: str = "t"
            ) -> tuple[list[float] | None, str, Any]:
    """(x.grad, the error, the picture before the last line, with the edited tensor) of the program."""
    *lines, last = program(operation, edit)
    names: dict[str, Any] = {"torch": torch}
    exec("\n".join(lines), names)
    names["loss"] = names["y"].sum()
    shown = {name: names[name] for name in ("x", "t", "y")}
    picture = draw([names["y"]] if edited == "y" else [names["y"], names[edited]], names=shown,
                   show="versions -constants", direction="down",   # fits a page's width
                   caption=f"Just before backward(): {edited} has been edited.") if edit else None
    try:
        names["loss"].backward()
    except RuntimeError as error:
        return None, f"{type(error).__name__}: {error}", picture
    return names["x"].grad.tolist(), "", picture


def verdict(right: list[float], found: list[float] | None, error: str) -> str:
    def written(values: list[float]) -> str:
        return "[" + ", ".join(map(number, values)) + "]"

    if found is None:
        return f"{ERROR}\n{error}"
    if all(abs(a - b) <= 1e-5 * max(1.0, abs(b)) for a, b in zip(found, right, strict=True)):
        return f"{FINE}: x.grad = {written(found)}"
    return f"{WRONG}: x.grad = {written(found)}, and no error. The right gradient is {written(right)}."
