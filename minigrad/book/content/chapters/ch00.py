"""Chapter 0, "Before you start": one question and one exercise, to see how they work."""
from __future__ import annotations

import minigrad as torch

from ...classroom.exercise import Exercise, Wrong
from ...classroom.questions import Option, Question

IDEAS = ("tensor", "graph", "leaf")
LEAVES = "leaves that require a gradient"

QUESTIONS = (
    Question("0.1", "`x` is 3 and was made with `requires_grad=True`. Then "
             "`y = x * x + 1` runs. What does `print(y)` show?", (
        Option("`tensor(10.)`: the value, and nothing else", "M07",
               "This is what you would see if `x` required no gradient."),
        Option("`tensor(10., grad=tensor(6.))`: the value, and the slope of `y`", "M03",
               "A slope is computed only when you ask for it, and is stored with `x`, not with `y`."),
        Option("`tensor(10., grad_fn=<AddBackward0>)`: the value, and what made it", None,
               "`grad_fn` is PyTorch's record of the operation that made `y`: the addition, which ran last."),
        Option("`tensor(10., grad_fn=<x * x + 1>)`: the value, and the formula", "M31",
               "PyTorch records each operation when the line runs, and keeps no formula."),
    ), told="grad_fn=|a note of how|recorded (the multiplication|both)|ran last|AddBackward0", mark="2",
        explains="PyTorch recorded both operations while the line ran, because `x` requires a gradient. The "
        "record of the addition leads to that of the multiplication.",
        decided=str.strip),
)


def counted(_=None) -> dict[str, int]:
    """Count the leaves, operations and constants behind the `s` of 0a, from the graph itself."""
    p = torch.tensor(3., requires_grad=True)
    s = (p * torch.tensor(2.) + p) * (torch.tensor(5.) - p)
    nodes, constants = [s.grad_fn], 0
    for node in nodes:
        following = [after for after, _ in node.next_functions]
        nodes += [after for after in following if after not in (None, *nodes)]
        constants += following.count(None)
    leaves = sum(node.name().endswith("AccumulateGrad") for node in nodes)
    return {LEAVES: leaves, "operations": len(nodes) - leaves, "constants": constants}


EXERCISES = (
    Exercise("0a", "Count before you draw", {LEAVES: "the number of leaves that require a gradient",
                                             "operations": "the number of operations",
                                             "constants": "the number of constants"}, expected=counted,
             paper="Imagine the picture of `s`. How many leaves that require a gradient, operations and "
             "constants does it have?",
             hints=("Which of the three tensors have `requires_grad=True`? The others are constants.",
                    "Each `*`, `+` and `-` is an operation, and a tensor that is used several times has one "
                    "box."),
             why="Run `draw(s, view=\"maths\")`, and compare. You can now read such a picture of your own "
             "programs, too.",
             wrong=(Wrong(lambda _: {LEAVES: 3}, None,
                          "Only `p` was made with `requires_grad=True`. It is used three times, and has one "
                          "box."),
                    Wrong(lambda _: {LEAVES: 2}, None,
                          "Only one of the three tensors was made with `requires_grad=True`."),
                    Wrong(lambda _: {"operations": 3}, None,
                          "Look at the two brackets, and at what joins them: each sign is an operation."),
                    Wrong(lambda _: {"operations": 5}, None,
                          "Count the signs `*`, `+` and `-` to the right of the `=`; `s =` only gives the "
                          "result a name."),
                    Wrong(lambda _: {"constants": 0}, None,
                          "`k` and `m` require no gradient, so they are constants."),
                    Wrong(lambda _: {"constants": 1}, None,
                          "Both `k` and `m` are in the line of `s`, and neither requires a gradient."),
                    Wrong(lambda _: {"constants": 3}, None,
                          "`p` requires a gradient, so it isn't a constant."))),
)
