"""Chapter 5, "When the answer isn't one number": its questions and exercises."""
from __future__ import annotations

from itertools import product

import minigrad as torch

from ..exercises import Exercise, Part, Wrong
from ..labs.weights_on_rows import function
from ..questions import Option, Question
from ..reading import as_lists, number, sequence
from ..saying import kind_of

IDEAS = ("scalar", "Jacobian", "weights", "vector-Jacobian product", "dye", "roots")

QUESTIONS = (
    Question("5.1", "`u.grad` is empty. You call `f(u).backward(v)` with "
             "`v = torch.tensor([0., 1., 0.])`. What is in `u.grad`?", (
        Option("`[0, 1, 0]`: a copy of `v`", "M09",
               "`v` isn't copied, and `u.grad` has two numbers, like `u`."),
        Option("`None`: there is an error", "M10",
               "There is no error: `v` has the shape of `f(u)`, three numbers."),
        Option("`[[6, 0], [2, 3], [0, 12]]`: all of J", "M11",
               "`u.grad` has the shape of `u`, two numbers; J has six."),
        Option("`[2, 3]`: a single row of J", None,
               "`v` has a 1 for the second output and 0 for the others, so only the second row is left."),
    ), paper="J is the Jacobian of `f`: each row is the gradient of one output, and each column belongs to "
             "one input. `u.grad` is empty. You call `f(u).backward(v)` with "
             "`v = torch.tensor([0., 1., 0.])`. What is in `u.grad`?", told=r"\[2, 3\]|second row is left"),
    Question("5.2", "`losses` has nine elements, and `w.grad` is empty. You call "
             "`losses.backward(torch.ones(9))`. What is in `w.grad`?", (
        Option("the gradient of `losses.sum()`", None,
               "Each loss has the weight 1, and the weighted gradients are added."),
        Option("nine numbers, one for each loss", "M11",
               "`w` is a single number, so `w.grad` is a single number."),
        Option("the gradient of `losses.mean()`", "M34",
               "Each weight is 1, so nothing is divided by 9; weights of 1/9 would give the mean."),
        Option("the number 1, copied from the ones", "M09",
               "The ones multiply gradients; they are not stored anywhere."),
    ), paper="`losses` has nine elements, all computed from the scalar leaf `w`; `w.grad` is empty. You call "
             "`losses.backward(torch.ones(9))`. What is in `w.grad`?", told=r"losses\.sum|14\.65"),
    Question("5.3", "`p` holds 1, 2, 3 and 4, and `z = (2 * p).view(2, 2)`. You call `z.backward(v)` with "
             "`v = torch.tensor([[2., 0.2], [0.01, 0.001]])`. What is in `p.grad`?", (
        Option("`[[2, 0.2], [0.01, 0.001]]`", "M09",
               "`v` isn't copied: each weight is multiplied by the slope of its element, 2."),
        Option("`[20, 2, 0.1, 0.01]`", "M02",
               "Five passes would leave these numbers, because `backward()` adds; here only one runs."),
        Option("`[[4, 0.4], [0.02, 0.002]]`", "M10",
               "`v` has the shape of `z`; the gradient has the shape of `p`."),
        Option("`[4, 0.4, 0.02, 0.002]`", None,
               "Each weight is multiplied by 2, and the gradient has the shape of `p`."),
    ), told=r"\[4, 0\.4|0\.02\b"),
)


DYES = (0, 1, 10, 100)


def gradient(v) -> list[float]:
    u = torch.tensor([3., 2.], requires_grad=True)
    function(u).backward(torch.tensor([float(weight) for weight in v]))
    return u.grad.tolist()


def dyed(answer, numbers):
    """5a: any v made of dyes that gives this gradient is right."""
    answer = sequence(as_lists(answer))
    answer = answer[0] if isinstance(answer, list) and len(answer) == 1 else answer
    v = [number(weight) for weight in answer] if isinstance(answer, list) else []
    if len(v) != 3 or None in v:
        yield Part("v", kind_of(answer), None, "`v` has three numbers, one for each output; your answer is "
                   f"{kind_of(answer)}.")
        return
    if not set(v) <= set(DYES):
        yield Part("v", kind_of(v), None, "The weights are dyes: each is 0, 1, 10 or 100.")
        return
    got = gradient(v)
    yield Part("v", got, numbers, f"{kind_of(v)} gives the gradient {kind_of(got)}, and {kind_of(numbers)} "
               "is asked for.")


def draw_dye(rng) -> list[float]:
    while True:
        v = [rng.choice(DYES) for _ in range(3)]
        if sum(weight > 0 for weight in v) == 2 and v[0] != v[2]:
            return gradient(v)


def backwards(numbers) -> list[int]:
    """The right weights of 5a, in the wrong order."""
    return next([c, b, a] for a in DYES for b in DYES for c in DYES if gradient([a, b, c]) == numbers)


def jacobian(point) -> list[list[float]]:
    def h(u):
        return torch.stack([u[0] * u[1], u[0] - u[1] ** 2, u[0] ** 3])

    return torch.autograd.functional.jacobian(h, torch.tensor(point)).tolist()


def sums(rows) -> list[float]:
    return [sum(column) for column in zip(*rows, strict=True)]


EXERCISES = (
    Exercise("5a", "Which dyes went in?", {"v": "`v`"}, judge=dyed,
             example=lambda numbers: next(list(v) for v in product(DYES, repeat=3) if gradient(v) == numbers),
             paper="With the `f` of prediction 5.1 at `u` = (3, 2), `f(u).backward(v)` gave this gradient. "
             "Each weight in `v` is 0, 1, 10 or 100. Which `v` was it?",
             standard=[260., 312.], draw=draw_dye,
             hints=("With weights a, b and c, the first number is 6a + 2b, and the second is 3b + 12c.",
                    "Try each dye for `c`: what is left of the second number must be three times a dye."),
             wrong=(Wrong(backwards, None, "The first weight belongs to the first output."),
                    Wrong(list, "M09", "That is the gradient. Which weights gave it?"))),
    Exercise("5b", "Find the fault", {name: name for name in ("row 0", "row 1", "row 2")},
             expected=jacobian,
             paper="This program should collect the rows of the Jacobian of `h`. At its end, `rows` holds "
             "the same row three times, and the Jacobian has no such row. Which three rows should it hold?",
             standard=[4., 0.5],
             draw=lambda rng: [float(rng.choice((2., 3., 5.))), float(rng.choice((0.5, 1.5, 2.5)))],
             hints=("Print `u.grad` in each turn of the loop, and `rows` as well.",
                    "What was in `u.grad` before the pass, and how many different tensors are in `rows`?"),
             wrong=(Wrong(lambda point: [sums(jacobian(point))] * 3, "M02",
                          "Each pass adds to `u.grad`, so each of your rows is the sum of all three."),
                    Wrong(lambda point: [sums(jacobian(point)[:at]) for at in (1, 2, 3)], "M02",
                          "Each pass adds to `u.grad`, so each of your rows contains the rows before it."),
                    Wrong(lambda point: [jacobian(point)[2]] * 3, None,
                          "The list holds one tensor three times, so each entry shows the last pass."),
                    Wrong(lambda point: [list(row) for row in zip(*jacobian(point), strict=True)], None,
                          "These are the columns. A row for each output is asked for."))),
)
