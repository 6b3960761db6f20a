"""Chapter 0, "Before you start": one question and one exercise, to see how they work."""
from __future__ import annotations

import minigrad as torch

from ...classroom.exercises import Exercise, Wrong
from ...classroom.questions import Option, Question

IDEAS = ("tensor", "graph", "leaf")
LEAVES = "leaves that require a gradient"

QUESTIONS = (
    Question("0.1", "`x` is 3 and was made with `requires_grad=True`. Then `y = x * x` runs. "
             "What does `print(y)` show?", (
        Option("`tensor(9.)`: the value, and nothing else", "M07",
               "This is what you would see if `x` required no gradient."),
        Option("`tensor(9., grad=tensor(6.))`: the value, and the slope of `y`", "M03",
               "A slope is computed only when you ask for it, and is stored with `x`, not with `y`."),
        Option("`tensor(9., grad_fn=<MulBackward0>)`: the value, and what made it", None,
               "`grad_fn` is PyTorch's record of the operation that made `y`."),
        Option("`tensor(9., formula=<x * x>)`: the value, and the formula of `y`", "M31",
               "PyTorch records each operation when the line runs, and keeps no formula."),
    ), told="grad_fn=|a note of how|recorded the multiplication",
        explains="PyTorch recorded the multiplication while the line ran, because `x` requires a gradient.",
        decided=str.strip),
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
    return {LEAVES: leaves, "operations": len(nodes) - leaves, "constants": constants}


EXERCISES = (
    Exercise("0a", "Count in the picture", {LEAVES: "the number of leaves that require a gradient",
                                            "operations": "the number of operations",
                                            "constants": "the number of constants"}, expected=counted,
             paper="Count in the picture: the leaves that require a gradient, the operations, and the "
             "constants.",
             hints=("A leaf that requires a gradient has a thick blue border, an operation is a hexagon, and "
                    "a constant has a dashed border.",
                    "One of the operations has a word in it, and only one tensor requires no gradient."),
             why="You can now read any calculation that `draw(..., view=\"maths\")` shows, including those "
             "of your own programs.",
             wrong=(Wrong(lambda _: {LEAVES: 3}, None,
                          "`x` has a dashed border: it is a leaf that requires no gradient. Count the "
                          "blue borders."),
                    Wrong(lambda _: {"operations": 2}, None,
                          "`sum` is an operation as well, with one input."),
                    Wrong(lambda _: {"operations": 5}, None,
                          "A box with a thin border is a tensor; count only the hexagons."),
                    Wrong(lambda _: {"operations": 6}, None,
                          "A box is a tensor; count only the hexagons."),
                    Wrong(lambda _: {"constants": 0}, None,
                          "`x` requires no gradient, so it is a constant."),
                    Wrong(lambda _: {"constants": 3}, None,
                          "A tensor with a thin border was made by an operation; count only the "
                          "dashed borders."))),
)
