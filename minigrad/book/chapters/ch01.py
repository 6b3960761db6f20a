"""Chapter 1, "Nudge it": its questions and exercises."""
from __future__ import annotations

import math

import minigrad as torch

from ..exercises import Exercise, Part, Wrong
from ..questions import Option, Question
from ..reading import as_lists, number
from ..saying import kind_of

IDEAS = ("loss", "nudge", "forward difference", "slope", "central difference", "gradient", "evaluation",
         "backward pass")

QUESTIONS = (
    Question("1.1", "Nudging `w` by 0.1 changed the loss by −0.1586, so the forward difference is −1.5861. "
             "Now autograd does it: `loss.backward()`. What is in `w.grad`?", (
        Option("1.8522, the loss at `w` = 1", "M41",
               "`loss` holds the value; `w.grad` says how the value changes with `w`."),
        Option("−1.5861, the forward difference for 0.1", "M01",
               "The loss was computed only once, and a forward difference needs it twice."),
        Option("−0.1586, the change for a nudge of 0.1", "M90",
               "That is the change for a nudge of 0.1, and `w.grad` is a change per unit of nudge."),
        Option("−1.6278, the slope of the loss at `w` = 1", None,
               "A nudge of 0.1 gives this slope only roughly."),
    ), paper="The loss of a model is 1.8522. Nudging its weight `w` by 0.1 changes the loss by −0.1586, so "
             "the forward difference is −1.5861. What is in `w.grad` after `loss.backward()`?"),
    Question("1.2", "With h = 1e-5, the central difference is right to six decimals. Now take h = 1e-13. "
             "The result is …", (
        Option("further from 4.75, with fewer right digits", None,
               "The two values of `f` agree in almost all digits, so their difference is mostly rounding."),
        Option("closer to 4.75, with more right digits", "M38",
               "The two values of `f` agree in almost all digits, so their difference is mostly rounding."),
        Option("equally close to 4.75, with the same right digits", "M42",
               "With h = 1e-13 only a few of the 16 digits of the two values differ, so rounding shows."),
    ), paper="The slope of f(x) = x³ − 2x at 1.5 is 4.75. Python's numbers have about 16 digits. With "
             "h = 1e-5, the central difference `(f(1.5 + h) - f(1.5 - h)) / (2 * h)` is right to six "
             "decimals. Now take h = 1e-13. The result is …"),
    Question("1.3", "The tensor `w1` has two rows of three numbers. You call `w1[1].mean().backward()`. What "
             "is in `w1.grad`?", (
        Option("1/6 everywhere", "M31",
               "The mean was taken over three numbers, those of row 1."),
        Option("`None` in row 0, and 1/3 in row 1", "M04",
               "A gradient has a slope for every number, and a nudge in row 0 changes nothing: that is 0."),
        Option("0 in row 0, and 1/3 in row 1", None,
               "A nudge in row 0 changes nothing, and one in row 1 changes the mean by a third of it."),
    )),
    Question("1.4", "A model has a million weights. An evaluation and its backward pass, which computes a "
             "million slopes, take about as long as …", (
        Option("1 000 001 evaluations", "M01",
               "The backward pass goes through the operations once, and computes all slopes on the way."),
        Option("1 evaluation", "M91",
               "The slopes have to be computed, and each operation does that work in the backward pass."),
        Option("3 evaluations", None,
               "In the backward pass, each operation does about once or twice the work of the forward pass."),
    )),
)


def slope(x: float) -> float:
    t = torch.tensor(x, requires_grad=True)
    (t ** 3 - 2 * t).backward()
    return t.grad.item()


def small_enough(answer, _):
    h = number(as_lists(answer))
    if h is None or not 0 < h < 100:
        yield Part("h", False, True, f"`h` should be a small number above 0, and {kind_of(answer)} is none.")
        return
    off = abs((math.exp(1 + h) - math.exp(1 - h)) / (2 * h) - math.e)
    yield Part("h", off < 1e-8, True, f"With `h` = {h:g} the slope is off by {off:.0e}, and less than 1e-8 "
               "is asked for.")


EXERCISES = (
    Exercise("1a", "A slope, and what it promises",
             {"slope": "the slope", "f moves by": "the distance that `f` moves"},
             expected=lambda x: {"slope": slope(x), "f moves by": 0.002 * slope(x)}, standard=2.5,
             draw=lambda rng: rng.choice((2.0, 3.0, 3.5, 4.0, 4.5)), within=5e-3,  # as is a real nudge
             hints=("The slope of x³ is 3x², and that of 2x is 2.",
                    "A nudge of `h` moves `f` by `h` times the slope."),
             wrong=(Wrong(lambda x: {"slope": x ** 3 - 2 * x}, "M41",
                          "That is the value of `f`. How far does `f` move when `x` moves a little?"),
                    Wrong(lambda x: {"f moves by": slope(x)}, None,
                          "That would be a nudge of 1, and it is 0.002."),
                    Wrong(lambda x: {"f moves by": 0.002 * (x ** 3 - 2 * x)}, None,
                          "That is 0.002 times the value of `f`. Take 0.002 times the slope."))),
    Exercise("1b", "A nudge of the right size", {"h": "`h`"}, judge=small_enough,
             example=lambda _: 1e-5,
             paper="The slope of eˣ at 1 is e. Choose an `h` for which the central difference misses it by "
             "less than 1e-8, and say why it is small enough. (For an `h` of this size, it is off by "
             "about e · h²/6.)",
             hints=("Try powers of ten.", "The error is smallest for an `h` between 1e-4 and 1e-7."),
             wrong=(Wrong(lambda _: 1e-13, "M38",
                          "You subtract two numbers that differ only in their last digits, and those are "
                          "rounded.", fits=lambda answer: 0 < number(as_lists(answer)) < 1e-9),
                    Wrong(lambda _: 0.1, None, "Over so long a nudge, the curve bends.",
                          fits=lambda answer: number(as_lists(answer)) > 1e-4))),
    Exercise("1c", "The price of many slopes",
             {"evaluations": "the number of evaluations", "hours": "the number of hours"},
             expected=lambda n: {"evaluations": 2 * n, "hours": 2 * n * 0.002 / 3600},
             standard=900_000, draw=lambda rng: 450_000 * rng.choice((1, 3, 4, 5, 6)), within=1e-9,
             hints=("For each weight, nudge it up once and down once.",
                    "3600 seconds are an hour, and 1000 milliseconds are a second."),
             wrong=(Wrong(lambda n: {"evaluations": n + 1}, None,
                          "That would be forward differences. A central difference nudges both ways."),
                    Wrong(lambda n: {"evaluations": n, "hours": n * 0.002 / 3600}, None,
                          "That is one evaluation for each weight. A central difference needs two."),
                    Wrong(lambda n: {"evaluations": 2 * n + 1}, None,
                          "That counts an evaluation without a nudge, and a central difference needs none."),
                    Wrong(lambda n: {"hours": 2 * n * 2 / 3600}, None,
                          "That takes the milliseconds for seconds."))),
)
