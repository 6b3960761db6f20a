"""Chapter 0, "Before you start": one question and one exercise, to see how they work."""
from __future__ import annotations

import minigrad as torch

from ..exercises import Exercise, Wrong
from ..questions import Option, Question

IDEAS = ("tensor", "graph", "leaf")

QUESTIONS = (
    Question("0.1", "`x` is 3 and was made with `requires_grad=True`. Then `y = x * x` runs. "
             "What does `print(y)` show?", (
        Option("`tensor(9.)`: the value of `y`, and nothing else", "M07",
               "The line was recorded while it ran, and the output shows it."),
        Option("`tensor(6.)`: the slope of `y`, and nothing else", "M41",
               "6 is the slope, and you have not asked for it yet; `y` holds the value, 9."),
        Option("`tensor(9., grad_fn=<MulBackward0>)`: the value, and what made it", None,
               "Such records are the subject of this book."),
        Option("`x * x`: the formula of `y`, which is worked out when a number is needed", "M01",
               "The line ran at once, and 9 came out; no formula is kept."),
    )),
)


def counted(_=None) -> dict[str, int]:
    """Count the leaves, operations and constants in the chapter's picture, from the graph itself."""
    w, b = torch.tensor([0.5, 4.], requires_grad=True), torch.tensor([7., 6.], requires_grad=True)
    loss = (w * torch.tensor([3., 5.]) + b).sum()
    nodes, constants = [loss.grad_fn], 0
    for node in nodes:
        following = [after for after, _ in node.next_functions]
        nodes += [after for after in following if after is not None]
        constants += following.count(None)
    leaves = sum(node.name().endswith("AccumulateGrad") for node in nodes)
    return {"leaves": leaves, "operations": len(nodes) - leaves, "constants": constants}


EXERCISES = (
    Exercise("0a", "Count in the picture", {"leaves": "the number of leaves",
                                            "operations": "the number of operations",
                                            "constants": "the number of constants"}, expected=counted,
             paper="Count in the picture: how many leaves that require a gradient, how many operations "
             "(hexagons), how many constants (dashed)?",
             hints=("A leaf has a blue border, an operation is a hexagon, a constant has a dashed border.",
                    "One of the operations has a word in it, and only one tensor requires no gradient."),
             wrong=(Wrong(lambda _: {"leaves": 3}, None,
                          "`x` has a dashed border. It is a constant; count the blue borders."),
                    Wrong(lambda _: {"operations": 2}, None,
                          "`sum` is an operation as well, with one input."),
                    Wrong(lambda _: {"operations": 5}, None,
                          "A grey box is a tensor that an operation made; count only the hexagons."),
                    Wrong(lambda _: {"constants": 0}, None, "`x` requires no gradient."),
                    Wrong(lambda _: {"constants": 3}, None,
                          "A grey box is a tensor that an operation made; count only the dashed borders."))),
)
