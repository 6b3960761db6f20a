"""Chapter 5, "When the answer isn't one number": its questions and exercises."""
from __future__ import annotations

from itertools import product

import minigrad as torch

from ..exercises import Exercise, Part, Wrong
from ..labs.weights_on_rows import function
from ..questions import Option, Question
from ..reading import as_lists, number, sequence
from ..saying import kind_of

QUESTIONS = (
    Question("5.1", "`x.grad` is empty. You call `f(x).backward(v)` with "
             "`v = torch.tensor([0., 1., 0.])`. What is in `x.grad`?", (
        Option("`[3, 2]`: the middle row of J", None,
               "Each weight multiplies its row, and the rows are added."),
        Option("`[0, 1, 0]`: `v` is the place where the result is put", "M09",
               "`v` is read, never written; and the drawer has the shape of `x`."),
        Option("all of J, with its middle row marked", "M11", "A drawer for two numbers can't hold six."),
        Option("nothing, but an error: `x` has two numbers, so `v` needs two", "M10",
               "`v` enters at `y`, and `y` has three."),
    ), paper="J is the grid of all slopes of `f`, a row for each output and a column for each input. "
             "`x.grad` is empty. You call `f(x).backward(v)` with "
             "`v = torch.tensor([0., 1., 0.])`. What is in `x.grad`?"),
    Question("5.2", "`loss` is one number. What is the difference between `loss.backward()` and "
             "`loss.backward(torch.tensor(1.))`?", (
        Option("the second starts from a guess, and is less exact", "M09", "1 is a weight, not a guess."),
        Option("the second is an error: one number can't be weighted", "M34",
               "One number has one weight; the rule is the same."),
        Option("none", None, "Where nothing is said, the weight of one number is 1."),
    )),
    Question("5.3", "The loop has doubled each number ten times, so it multiplied by 1024. You call "
             "`y.backward(v)` with `v = torch.tensor([0.1, 1.0, 0.0001])`. What is in `x.grad`?", (
        Option("`[0.1, 1.0, 0.0001]`: what was handed in", "M09",
               "Each weight is multiplied by its slope, 1024."),
        Option("`[102.4, 1024, 0.1024]`", None, "Each number's slope is 1024, times its weight."),
        Option("`[1024, 1024, 1024]`: the slopes", "M11", "That is what weights of 1 would give."),
        Option("an error: a loop can't be recorded", "M08", "What ran was recorded: ten multiplications."),
    )),
)


DYES = (0, 1, 10, 100)


def gradient(v) -> list[float]:
    x = torch.tensor([2., 3.], requires_grad=True)
    function(x).backward(torch.tensor([float(weight) for weight in v]))
    return x.grad.tolist()


def dyed(answer, numbers):
    """5b: any v made of dyes that gives this gradient is right."""
    answer = sequence(as_lists(answer))
    answer = answer[0] if isinstance(answer, list) and len(answer) == 1 else answer
    v = [number(weight) for weight in answer] if isinstance(answer, list) else []
    if len(v) != 3 or None in v:
        yield Part("v", False, True, "`v` has three numbers, one for each output; your answer is "
                   f"{kind_of(answer)}.")
        return
    yield Part("v", set(v) <= set(DYES), True, "The weights are dyes: each is 0, 1, 10 or 100.")
    got = gradient(v)
    yield Part("v", got, numbers, f"{kind_of(v)} gives the gradient {kind_of(got)}, and {kind_of(numbers)} "
               "is asked for.")


def draw_dye(rng) -> list[float]:
    while True:
        v = [rng.choice(DYES) for _ in range(3)]
        if sum(weight > 0 for weight in v) == 2 and v[0] != v[2]:
            return gradient(v)


def backwards(numbers) -> list[int]:
    """The right weights of 5b, in the wrong order."""
    return next([c, b, a] for a in DYES for b in DYES for c in DYES if gradient([a, b, c]) == numbers)


def jacobian(point) -> list[list[float]]:
    def h(x):
        return torch.stack([x[0] * x[1], x[0] - x[1] ** 2, x[0] ** 3])

    return torch.autograd.functional.jacobian(h, torch.tensor(point)).tolist()


EXERCISES = (
    Exercise("5a", "Two vectors of weights", {"third output": "the `v` for the third output",
                                              "mean": "the `v` for the mean"},
             paper="For `f` of prediction 5.1: which `v` gives the slopes of the third output alone? Which "
             "`v` gives the slopes of the mean of the three outputs?",
             expected=lambda _: {"third output": [0, 0, 1], "mean": [1 / 3] * 3}, within=0.02,
             hints=("`v` has three numbers, one for each output.",
                    "A mean counts each of three outputs a third."),
             wrong=(Wrong(lambda _: {"mean": [1, 1, 1]}, None,
                          "That is the `v` of the sum, and a mean is a third of the sum."),
                    Wrong(lambda _: {"third output": [0, 1, 0]}, None,
                          "That is the `v` of the second output: the outputs are in the order of `v`."),
                    Wrong(lambda _: {"third output": [0, 1], "mean": [1 / 2] * 2}, "M10",
                          "`v` has the shape of `y`, which has three numbers."))),
    Exercise("5b", "Which dyes went in?", judge=dyed,
             example=lambda numbers: next(list(v) for v in product(DYES, repeat=3) if gradient(v) == numbers),
             paper="Somebody weighted the outputs of `f` of prediction 5.1 at (2, 3) with a `v` made of the "
             "numbers 0, 1, 10 and 100, and got this gradient. Which `v` was it?",
             standard=[340., 227.], draw=draw_dye,
             hints=("The first number is 4 a + 3 b, the second is 2 b + 27 c.",
                    "Try each dye for `c`: what is left of the second number must be twice a dye."),
             wrong=(Wrong(backwards, None, "The first weight belongs to the first output."),
                    Wrong(list, "M09", "That is the result. Which weights gave it?"))),
    Exercise("5c", "A whole Jacobian", {name: name for name in ("row 0", "row 1", "row 2")},
             expected=jacobian,
             paper="Write down the whole Jacobian of `h` at your sheet's point: three rows of two numbers.",
             standard=[4., 0.5],
             draw=lambda rng: [float(rng.choice((2., 3., 5.))), float(rng.choice((0.5, 1.5, 2.5)))],
             hints=("A `v` with a single 1 reads one row.",
                    "Start each pass with an empty drawer, or a fresh `x`."),
             wrong=(Wrong(lambda point: [jacobian(point)[0],
                                         [sum(pair) for pair in zip(*jacobian(point)[:2], strict=True)],
                                         [sum(pair) for pair in zip(*jacobian(point), strict=True)]], "M02",
                          "The rows were added up in one drawer."),
                    Wrong(lambda point: [list(row) for row in zip(*jacobian(point), strict=True)], None,
                          "These are the columns. A row for each output is asked for."))),
)
