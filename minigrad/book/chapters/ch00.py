"""Chapter 0, "Before you start": one question and one exercise, to see how they work."""
from __future__ import annotations

import minigrad as torch

from ..exercises import Exercise, Wrong
from ..questions import Option, Question

QUESTIONS = (
    Question("0.1", "`x` is 3 and was made with `requires_grad=True`. Then `y = x * x` runs. "
             "What does `print(y)` show?", (
        Option("`tensor(9.)`: there is nothing more to say before somebody asks for slopes", "M07",
               "The line left its record at once, and the print says so."),
        Option("`tensor(6.)`: the slope, because `requires_grad=True` asked for it", "M41",
               "`y` is a value; slopes are asked for separately, and they lie with `x`."),
        Option("`tensor(9., grad_fn=<MulBackward0>)`: the value, and a note of how it was made", None,
               "The note is what this book is about."),
        Option("`x * x`: a formula, until numbers are put in", "M01",
               "Nothing here is a formula: the line ran, and 9 came out."),
    )),
)


def counted(_=None) -> dict[str, int]:
    """What there is to count in the chapter's picture, from the graph itself."""
    w, b = torch.tensor([0.5, 4.], requires_grad=True), torch.tensor([7., 6.], requires_grad=True)
    loss = (w * torch.tensor([3., 5.]) + b).sum()
    nodes, kept = [loss.grad_fn], 0
    for node in nodes:
        nodes += [after for after, _ in node.next_functions if after is not None]
        kept += sum(isinstance(getattr(node, name), torch.Tensor) for name in dir(node)
                    if name.startswith("_saved_"))
    leaves = sum(node.name().endswith("AccumulateGrad") for node in nodes)
    return {"leaves": leaves, "operations": len(nodes) - leaves, "saved": kept}


EXERCISES = (
    Exercise("0a", "Count in the picture", {"leaves": "the number of leaves",
                                            "operations": "the number of operations",
                                            "saved": "the number of saved tensors"}, expected=counted,
             paper="Count in the picture: how many leaves, how many operations (hexagons), how many saved "
             "tensors (tabs)?",
             hints=("A leaf is rounded and has a drawer; an operation is a hexagon; a saved tensor is a tab.",
                    "`x` is a constant (dashed), and `AccumulateGrad` is not counted as an operation here."),
             wrong=(Wrong(lambda _: {"leaves": 3}, None,
                          "`x` takes no gradient: it is a constant, and has no drawer."),
                    Wrong(lambda _: {"operations": 5}, None,
                          "The two `AccumulateGrad` fill drawers; count only the hexagons."),
                    Wrong(lambda _: {"saved": 0}, None, "One hexagon has a tab."))),
)
