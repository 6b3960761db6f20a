"""Chapter 0, "Before you start": one question and one exercise, to see how they work."""
from __future__ import annotations

import minigrad as torch

from ...classroom.exercise import Exercise, Wrong
from ...classroom.questions import Option, Question

IDEAS = ("tensor", "graph", "leaf")
LEAVES = "leaves that require a gradient"

QUESTIONS = (
    Question("0.1", "`total` is `u * v + c`, with 4, 5 and 6 in `u`, `v` and `c`. What "
             "does `print(u.grad, v.grad, c.grad)` show after `total.backward()`?", (
        Option("`tensor(4.) None tensor(6.)`", "M41",
               "These are the values of `u` and `c`. A slope says how `total` changes with them."),
        Option("`tensor(5.) tensor(4.) tensor(1.)`", "M03",
               "These are the three slopes. But a pass stores slopes only for what requires a gradient, "
               "and `v` doesn't."),
        Option("`tensor(5.) None tensor(1.)`", None,
               "If `u` grows by 1, `total` grows by 5, the value of `v`; if `c` grows by 1, so does "
               "`total`."),
        Option("`tensor(20.) None tensor(6.)`", "M41",
               "4 · 5 = 20 is a part of the value of `total`, and not how fast it grows with `u`."),
    ), told=r"the value of `v`; if|so does `total`|v\.grad is", mark="4",
        decided=lambda printed: printed.strip(),
        paper="`u`, `v` and `c` hold 4, 5 and 6. `u` and `c` require a gradient, `v` doesn't. Then "
        "`total = u * v + c` runs. What does `print(u.grad, v.grad, c.grad)` show after "
        "`total.backward()`?"),
)


def drawn(_=None) -> dict[str, float]:
    """Count leaves and operations behind the `s` of 0a in the graph itself, and run the pass."""
    p = torch.tensor(3., requires_grad=True)
    s = (p * torch.tensor(2.) + p) * torch.tensor(5.)
    nodes = [s.grad_fn]
    for node in nodes:
        nodes += [after for after, _ in node.next_functions if after not in (None, *nodes)]
    leaves = sum(node.name().endswith("AccumulateGrad") for node in nodes)
    s.backward()
    return {LEAVES: leaves, "operations": len(nodes) - leaves, "p.grad": p.grad.item()}


EXERCISES = (
    Exercise("0a", "Read before you run", {LEAVES: "the number of leaves that require a gradient",
                                           "operations": "the number of operations",
                                           "p.grad": "the gradient of `p`"}, expected=drawn,
             paper="Imagine the picture of `s`. How many leaves that require a gradient and how many "
             "operations does it have? And what does `s.backward()` store in `p.grad`?",
             hints=("Which of the three tensors have `requires_grad=True`? Each `*` and `+` is an operation.",
                    "With 2 and 5 in place of `k` and `m`, `s` is a number times `p`. By how much does it "
                    "grow, if `p` grows by 1?"),
             why="`draw(s, view=\"maths\")` shows the same, and `s.backward()` stores this number. Both "
             "paths from `p` count: 2 · 5 through `p * k`, and 5 through `+ p`.",
             wrong=(Wrong(lambda _: {LEAVES: 3}, None,
                          "Only `p` was made with `requires_grad=True`. It is used twice, and has one box."),
                    Wrong(lambda _: {LEAVES: 2}, None,
                          "Only one of the three tensors was made with `requires_grad=True`."),
                    Wrong(lambda _: {"operations": 2}, None,
                          "Look at the bracket, and at what follows it: each sign is an operation."),
                    Wrong(lambda _: {"operations": 4}, None,
                          "Count the signs `*` and `+` to the right of the `=`; `s =` only gives the "
                          "result a name."),
                    Wrong(lambda _: {"p.grad": 45}, "M41", "That is the value of `s`. How fast does it grow "
                          "with `p`?"),
                    Wrong(lambda _: {"p.grad": 10}, None,
                          "`p` is used twice. What does the `+ p` add to the slope?"))),
)
