"""Chapter 0, "Before you start": two questions and two exercises, to see how they work."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as torch

from ...classroom.deciding import numbers
from ...classroom.exercise import Exercise, Wrong
from ...classroom.points import points
from ...classroom.questions import Option, Question
from ...classroom.reading import as_lists

IDEAS = ("tensor", "graph", "leaf")
LEAVES = "leaves that require a gradient"


def way_of_the_loss(printed: str) -> str:
    """Return what 0.1 shows: what the losses of six long steps do."""
    losses = numbers(printed)
    if losses == sorted(losses):
        return "It grows in each step"
    if losses == sorted(losses, reverse=True):
        return "It falls in each step, and faster than before"
    return "It goes back and forth between two values" if losses[0] == losses[2] else printed


QUESTIONS = (
    Question("0.1", "The line starts again at `w` = 4 and `b` = 1. Now each step is 2 times the gradient, "
             "not half of it. What does the loss do in six steps?", (
        Option("It falls in each step, and faster than before", "M198",
               "A longer step goes further, but the slope is only that of the place where it starts."),
        Option("It falls at first, and then stays the same", "M198",
               "The first step already makes it larger: `b` goes from 1 to −1, and 0.5 is the best `b`."),
        Option("It grows in each step", None,
               "`b` goes from 1 to −1, past its best value, 0.5. There it is further away than "
               "before, so its gradient is larger, and the next step is longer still."),
        Option("It goes back and forth between two values", "M198",
               "With steps of 1 times the gradient, `b` would go back and forth between 1 and 0, which are "
               "equally far from 0.5. These steps are longer, and each ends further away."),
    ), told=r"grows in each|past its best", mark="5", decided=way_of_the_loss,
        paper="The line starts at `w` = 4 and `b` = 1, with a loss of 0.719. The gradient of `w` is 0.87, "
        "and that of `b` is 1. While `w` stays at 4, 0.5 is the best `b`. Steps of half the gradient bring "
        "the loss to about 0.01. Now each step is 2 times the gradient. What does the loss do in six steps?"),
    Question("0.2", "`total` is `u * k + c`, with 4, 5 and 6 in `u`, `k` and `c`. What "
             "does `print(u.grad, k.grad, c.grad)` show after `total.backward()`?", (
        Option("`tensor(4.) None tensor(6.)`", "M41",
               "These are the values of `u` and `c`. A slope says how `total` changes with them."),
        Option("`tensor(5.) tensor(4.) tensor(1.)`", "M03",
               "These are the three slopes. But a pass stores slopes only for what requires a gradient, "
               "and `k` doesn't."),
        Option("`tensor(20.) None tensor(6.)`", "M41",
               "4 · 5 = 20 is a part of the value of `total`, and not how fast it grows with `u`."),
        Option("`tensor(5.) None tensor(1.)`", None,
               "If `u` grows by 1, `total` grows by 5, the value of `k`; if `c` grows by 1, so does "
               "`total`."),
    ), told=r"the value of `k`; if|so does `total`|k\.grad is", mark="5",
        decided=lambda printed: printed.strip(),
        paper="`u`, `k` and `c` hold 4, 5 and 6. `u` and `c` require a gradient, `k` doesn't. Then "
        "`total = u * k + c` runs. What does `print(u.grad, k.grad, c.grad)` show after "
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


def after(steps: int, kept: float = 0, sign: int = 1) -> float:
    """Return the `w` of 0b after steps of half the slope, and what is kept of earlier slopes."""
    inputs, targets = points()
    w, slope = 4., 0.
    for _ in range(steps):
        slopes = (2 * (w * x + 0.5 - target) * x for x, target in zip(inputs, targets, strict=True))
        slope = kept * slope + sum(slopes) / len(inputs)
        w -= sign * 0.5 * slope
    return w


def is_after(steps: int, kept: float = 0, sign: int = 1) -> Callable[[Any], bool]:
    """Return a function that says whether an answer to 0b is where such steps arrive."""
    return lambda w: abs(as_lists(w) - after(steps, kept, sign)) < 1e-3


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
                          "`p` is used twice. What does the `+ p` add to the slope?"),
                    Wrong(lambda _: {"p.grad": 5}, None,
                          "`p` is used twice. What does the `p * k` add to the slope?"),
                    Wrong(lambda _: {"p.grad": 3}, None,
                          "That is the slope of the bracket. What does the `* m` do to it?"))),
    Exercise("0b", "Repair a loop", expected=lambda _: after(6),
             untouched=lambda w: as_lists(w) == 4,
             unchanged="`w` is 4, as it was before the loop: no step has changed it.",
             paper="The last line of the loop is `w = w - 0.5 * w.grad`, and the second step stops with an "
             "error. Which lines repair it? `w` is 4 before the loop. What is it after six steps?",
             hints=("`explain()` has printed the lines of each fix. Put them in the place of the comment.",
                    "In the first fix, the line with `-=` is indented below the line with `with`. "
                    "`w.grad = None` follows, in the loop."),
             why="After six steps, `w` is near its best value, 2.957. In chapter 4, a network is trained by "
             "the same: a loss, a backward pass, and a step.",
             wrong=(Wrong(lambda _: after(6, kept=1), "M02", "A pass adds to `w.grad`, as it added the "
                          "two messages of `a * a`. Here it holds the sum of the gradients of all steps so "
                          "far: empty it after each step.", fits=is_after(6, kept=1)),
                    Wrong(lambda _: after(1), None, "That is `w` after one step. If the loop stopped with an "
                          "error, the new `w` requires no gradient: `.requires_grad_()` asks for one. If it "
                          "didn't, all lines of a step belong in the loop.", fits=is_after(1)),
                    Wrong(lambda _: after(6, sign=-1), None, "These steps climb: the loss grows. Subtract "
                          "half of the gradient.", fits=is_after(6, sign=-1)))),
)
