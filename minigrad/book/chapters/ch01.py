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
    Question("1.1", "The loss is 1.8522. Nudging `w` by 0.1 changed the loss by −0.1586, so the forward "
             "difference is −1.5861. Now you call `loss.backward()`. The number in `w.grad` is …", (
        Option("equal to the loss, 1.8522", "M41",
               "`loss` holds the value; `w.grad` says how the value changes with `w`."),
        Option("equal to the forward difference, −1.5861", "M01",
               "`loss.backward()` starts from one value of the loss, and a forward difference needs two."),
        Option("close to the change in the loss, −0.1586", "M90",
               "That is the change for a nudge of 0.1, and `w.grad` is a change per unit of nudge."),
        Option("close to the forward difference, −1.5861", None,
               "`w.grad` is the slope itself; a nudge of 0.1 only approximates it."),
    ), paper="The loss of a model is 1.8522. Nudging its weight `w` by 0.1 changes the loss by −0.1586, so "
             "the forward difference is −1.5861. After `loss.backward()`, the number in `w.grad` is …",
             told=r"1\.6278|a number close"),
    Question("1.2", "With h = 1e-5, the central difference is correct to six decimals. Now take h = 1e-13. "
             "The result is …", (
        Option("further from 4.75, with fewer correct digits", None,
               "The two values of `f` agree in about 12 of 16 digits, so few digits of their difference are "
               "correct."),
        Option("closer to 4.75, with more correct digits", "M38",
               "Over a shorter nudge the curve bends less, but the error from rounding is larger."),
        Option("just as close to 4.75, with as many correct digits", "M42",
               "Rounding changes the last digits of both values of `f`, and dividing by `h` enlarges this "
               "error."),
    ), paper="The slope of f(x) = x³ − 2x at 1.5 is 4.75. A Python float has about 16 digits. With "
             "h = 1e-5, the central difference `(f(1.5 + h) - f(1.5 - h)) / (2 * h)` is correct to six "
             "decimals. Now take h = 1e-13. The result is …",
             told="takes over|fewer correct digits|[Tt]oo small"),
    Question("1.3", "The tensor `w1` has two rows of three numbers. You call `w1[1].mean().backward()`. What "
             "is in `w1.grad`?", (
        Option("1/6 in row 0, and 1/6 in row 1", "M92",
               "The mean was taken over three numbers, those of row 1."),
        Option("`None` in row 0, and 1/3 in row 1", "M04",
               "A gradient has a slope for every number, and in row 0 it is 0, because a nudge there changes "
               "nothing."),
        Option("0 in row 0, and 1/3 in row 1", None,
               "A nudge in row 0 changes nothing. A nudge in row 1 changes the mean by a third of its size."),
    ), told="0 in row 0|changes nothing"),
    Question("1.4", "A model has a million weights. An evaluation and its backward pass, which computes a "
             "million slopes, take about as long as …", (
        Option("1 000 001 evaluations", "M01",
               "The backward pass goes through the operations once, and computes all slopes on the way."),
        Option("1 evaluation", "M91",
               "The slopes have to be computed, and each operation does its part of that work in the "
               "backward pass."),
        Option("3 evaluations", None,
               "For most operations, the backward pass does about as much work as the evaluation, or twice "
               "as much."),
    ), told="(three|3|few) evaluations|between 2 and 3"),
)


def slope(x: float) -> float:
    t = torch.tensor(x, requires_grad=True)
    (t ** 3 - 2 * t).backward()
    return t.grad.item()


def small_enough(answer, _):
    h = number(as_lists(answer))
    if h is None:
        yield Part("h", False, True, f"`h` should be a number, but your answer is {kind_of(answer)}.")
    elif not 0 < h < 1:
        yield Part("h", False, True, f"`h` should be a small positive number, but yours is {h:g}.")
    else:
        off = abs((math.exp(100 * h) - math.exp(-100 * h)) / (2 * h) - 100)
        yield Part("h", off < 2e-6, True, f"With `h` = {h:g}, the central difference is off by "
                   f"{off:.0e}. The error should be less than 2e-6.")


EXERCISES = (
    Exercise("1a", "A slope, and what it promises",
             {"slope": "the slope", "f moves by": "the distance that `f` moves"},
             paper="What is the slope of f(x) = x³ − 2x at the `x` of your sheet? According to this slope, "
             "how far does `f` move if you nudge `x` by 0.002?",
             expected=lambda x: {"slope": slope(x), "f moves by": 0.002 * slope(x)}, standard=2.5,
             draw=lambda rng: rng.choice((2.0, 3.0, 3.5, 4.0, 4.5)), within=5e-3,  # as is a real nudge
             hints=("The slope of x³ is 3x², and that of 2x is 2.",
                    "A nudge of `h` moves `f` by `h` times the slope."),
             wrong=(Wrong(lambda x: {"slope": x ** 3 - 2 * x}, "M41",
                          "That is the value of `f`. How far does `f` move when `x` moves a little?"),
                    Wrong(lambda x: {"slope": 3 * x ** 2}, None,
                          "That is the slope of x³. Subtract the slope of 2x."),
                    Wrong(lambda x: {"f moves by": slope(x)}, None,
                          "That would be for a nudge of 1, and yours is 0.002."),
                    Wrong(lambda x: {"f moves by": 0.002 * (x ** 3 - 2 * x)}, None,
                          "That is 0.002 times the value of `f`. Take 0.002 times the slope."))),
    Exercise("1b", "A nudge of the right size", {"h": "`h`"}, judge=small_enough,
             example=lambda _: 1e-7,
             paper="The slope of e¹⁰⁰ˣ at 0 is 100. For a small `h`, the central difference misses it by "
             "about 100³ · h²/6. Choose an `h` for which this error is less than 2e-6, and show that it is.",
             hints=("Try powers of ten.",
                    "This curve bends more than x³ − 2x, so it needs a shorter nudge than 1e-5."),
             wrong=(Wrong(lambda _: 1e-13, "M38",
                          "You subtract two numbers that are so close to each other that rounding spoils "
                          "their difference.", fits=lambda answer: 0 < number(as_lists(answer)) < 1e-8),
                    Wrong(lambda _: 0.1, None, "Over a nudge this long, the curve bends too much.",
                          fits=lambda answer: number(as_lists(answer)) > 1e-6))),
    Exercise("1c", "The price of many slopes",
             {"evaluations": "the number of evaluations", "hours": "the number of hours"},
             expected=lambda n: {"evaluations": 2 * n, "hours": 2 * n * 0.002 / 3600},
             standard=900_000, draw=lambda rng: 450_000 * rng.choice((1, 3, 4, 5, 6)), within=1e-9,
             hints=("For each weight, nudge it up once and down once.",
                    "An hour has 3600 seconds, and a second has 1000 milliseconds."),
             wrong=(Wrong(lambda n: {"evaluations": n + 1}, None,
                          "That is the number for forward differences. A central difference nudges both "
                          "ways."),
                    Wrong(lambda n: {"evaluations": n, "hours": n * 0.002 / 3600}, None,
                          "That counts one evaluation for each weight. A central difference needs two."),
                    Wrong(lambda n: {"evaluations": 2 * n + 1}, None,
                          "That counts an evaluation without a nudge, and a central difference needs none."),
                    Wrong(lambda n: {"hours": 2 * n * 2 / 3600}, None,
                          "That treats milliseconds as seconds."),
                    Wrong(lambda n: {"hours": 2 * n * 0.002}, None, "That is the number of seconds."))),
)
