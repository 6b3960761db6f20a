"""Chapter 0, "Before you start": one question and one exercise, to see how they work."""
from __future__ import annotations

import minigrad as torch

from ...classroom.exercise import Exercise, Wrong
from ...classroom.questions import Option, Question

IDEAS = ("tensor", "graph", "leaf")
LEAVES = "leaves that require a gradient"

QUESTIONS = (
    Question("0.1", "`total` is (0.5 · 3 + 7) + (4 · 5 + 6), and `u` holds the 0.5 and the 4. What does "
             "`print(u.grad)` show after `total.backward()`?", (
        Option("`tensor([0.5, 4.])`: the numbers in `u`", "M41",
               "These are values. A slope says how `total` changes with them."),
        Option("`tensor([1.5, 20.])`: what `u * v` adds to `total`", "M41",
               "0.5 · 3 = 1.5 is a part of the value of `total`, and not how fast it grows with the 0.5."),
        Option("`tensor([3., 5.])`: what the numbers in `u` are multiplied by", None,
               "If the 0.5 grows by 1, `total` grows by 3; if the 4 grows by 1, it grows by 5."),
        Option("`tensor([1., 1.])`: each number in `u` is used once", "M49",
               "Each is used once, and multiplied. Slopes of 1 belong to `c`, which is only added."),
    ), told=r"grows by [35] |multiplied by|only added|u\.grad is", mark="3",
        explains="`c.grad` is `tensor([1., 1.])`: if the 7 grows by 1, so does `total`.",
        decided=lambda printed: printed.splitlines()[0],
        paper="`u` is a row of the numbers 0.5 and 4, and requires a gradient; `v` holds 3 and 5, `c` 7 and "
        "6. Then `total = (u * v + c).sum()` runs, which is (0.5 · 3 + 7) + (4 · 5 + 6). What does "
        "`print(u.grad)` show after `total.backward()`?"),
)


def counted(_=None) -> dict[str, int]:
    """Count the leaves, operations and constants behind the `s` of 0a, from the graph itself."""
    p = torch.tensor(3., requires_grad=True)
    s = (p * torch.tensor(2.) + p) * (torch.tensor(5.) * p)
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
                    "Each `*` and `+` is an operation. A leaf that requires a gradient has one box, "
                    "however often it is used."),
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
                          "Count the signs `*` and `+` to the right of the `=`; `s =` only gives the "
                          "result a name."),
                    Wrong(lambda _: {"constants": 0}, None,
                          "`k` and `m` require no gradient, so they are constants."),
                    Wrong(lambda _: {"constants": 1}, None,
                          "Both `k` and `m` are in the line of `s`, and neither requires a gradient."),
                    Wrong(lambda _: {"constants": 3}, None,
                          "`p` requires a gradient, so it isn't a constant."))),
)
