"""Chapter 0, "Before you start": two questions and two exercises, to see how they work."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as torch

from ...classroom.deciding import numbers
from ...classroom.exercise import Exercise, Wrong
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


# The learning rates that learners try in 0b: with the first ones `a` runs away, with `LONG` it swings, and
# with `SHORT` it is still on its way after 20 steps.
LONG, SHORT = (0.05, 0.04), (0.005, 0.004, 0.003, 0.002, 0.001)
RATES = (1., 0.5, 0.2, 0.1, *LONG, 0.03, 0.02, 0.01, *SHORT)


def after(steps: int, rate: float, kept: float = 0) -> float:
    """Return the `a` of 0b after steps against the slope 4a(a² - 6), and what is kept of earlier ones."""
    a, slope = 1., 0.
    for _ in range(steps):
        slope = kept * slope + 4 * a * (a * a - 6)
        a -= rate * slope
    return a


def arrives(steps: int = 20, kept: float = 0, sign: int = 1,
            rates: tuple[float, ...] = RATES) -> Callable[[Any], bool]:
    """Return a function that says whether an answer to 0b is where such steps arrive, at any of the rates."""
    found = [after(steps, sign * rate, kept) for rate in rates]
    return lambda a: any(abs(as_lists(a) - one) < 1e-3 for one in found)


is_first, is_short, is_long = arrives(steps=1), arrives(rates=SHORT), arrives(rates=LONG)


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
    Exercise("0b", "Your own steps", expected=lambda _: 6 ** 0.5, untouched=lambda a: as_lists(a) == 1,
             unchanged="`a` is 1, as it was before the loop: no step has changed it.",
             paper="The loss is (a · a − 6)², and its slope is 4a(a² − 6). Start at `a` = 1. In each step, "
             "`a` becomes smaller by 0.02 times the slope. Where does `a` arrive after many steps?",
             hints=("The first fix of `explain()` says how to change `a`, and what to do before the next "
                    "pass.",
                    "Print each loss, as the other loops do. If it grows, the learning rate is too large. If "
                    "it still falls in the last steps, the rate is too small."),
             why="`a * a` is 6. In chapter 4, a network is trained by the same: a loss, a backward pass, and "
             "a step.",
             wrong=(Wrong(lambda _: torch.tensor(after(1, 0.02), requires_grad=True) * 1, "M36",
                          "A recorded operation made this `a`, so a pass stores no gradient in it. Change "
                          "it in place, under `torch.no_grad()`.",
                          fits=lambda a: not getattr(a, "is_leaf", True), paper="`a = a - 0.02 * a.grad`"),
                    Wrong(lambda _: after(1, 0.02), None, "The new `a` requires no gradient, so the next "
                          "step stops. Make it with `torch.tensor(..., requires_grad=True)`.",
                          fits=lambda a: is_first(a) and not getattr(a, "requires_grad", False),
                          paper="`a = torch.tensor(a.item() - 0.02 * a.grad.item())`"),
                    Wrong(lambda _: torch.tensor(after(1, 0.02), requires_grad=True), None,
                          "That is `a` after one step. All the lines of a step belong in the loop.",
                          fits=is_first),
                    Wrong(lambda _: after(20, 0.02, kept=1), "M02", "`a.grad` holds the sum of the gradients "
                          "of all steps so far. Empty it after each step.", fits=arrives(kept=1)),
                    Wrong(lambda _: after(20, -0.02), None, "These steps climb: the loss grows. Subtract the "
                          "gradient, times the learning rate.", fits=arrives(sign=-1)),
                    Wrong(lambda _: after(20, 0.002), None, "These steps are too short: after 20 of them, "
                          "`a` is still on its way. Take a larger learning rate.", fits=is_short),
                    Wrong(lambda _: after(20, 0.1), None, "These steps are too long: `a` jumps past the "
                          "place. Take a smaller learning rate.",
                          fits=lambda a: not 0 <= as_lists(a) <= 6 ** 0.5 or is_long(a)))),
)
