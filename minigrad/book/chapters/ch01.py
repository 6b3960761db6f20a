"""Chapter 1, "Nudge it": its questions and exercises."""
from __future__ import annotations

import math

import minigrad as torch

from ..exercises import Exercise, Part, Wrong
from ..questions import Option, Question
from ..reading import as_lists, number
from ..saying import kind_of

QUESTIONS = (
    Question("1.1", "Nudging by 0.1 gave a slope of 5.21 at 1.5. You let autograd do it: "
             "`y = f(x)`, `y.backward()`. What is `x.grad`?", (
        Option("5.21: autograd nudges too", "M01", "It called `f` once; a nudge needs two calls."),
        Option("`3*x**2 - 2`: a formula", "M01", "A drawer holds numbers; nothing rearranged a formula."),
        Option("0.375: the value of `f` at 1.5", "M41", "The value is in `y`; the drawer holds a slope."),
        Option("4.75", None, "That is the slope itself, 3x² − 2 at 1.5, without a nudge."),
    )),
    Question("1.2", "The nudge to both sides, with h = 1e-13 in place of 1e-5. The slope becomes …", (
        Option("worse", None, "Rounding takes over when the nudge is tiny."),
        Option("better: the smaller the nudge, the better", "M38",
               "Two numbers that differ in their last digits only are subtracted; what is left is rounding."),
        Option("the same: from 1e-5 on, all digits are right", "M42",
               "With 1e-13, the two values agree in all but their last three digits."),
    ), paper="A nudge to both sides, `(f(x + h) - f(x - h)) / (2 * h)`, with h = 1e-13 in place of 1e-5. "
             "The slope becomes …"),
    Question("1.3", "`w1` has two rows of three. `w1[1].mean().backward()`: what is in `w1.grad`?", (
        Option("1/6 everywhere: six numbers", "M31",
               "The mean was taken over three numbers, those of row 1."),
        Option("`None` for row 0, 1/3 for row 1", "M04",
               "Row 0 was asked about: nudging it moves nothing, and that is a slope of zero."),
        Option("0 in row 0, and 1/3 in row 1", None,
               "A slope for every number, and 0 where it doesn't matter."),
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
             draw=lambda rng: rng.choice((0.5, 2.0, 3.0, 3.5, 4.0)), within=5e-3,  # as is a real nudge
             hints=("The slope of x³ is 3x², and that of 2x is 2.",
                    "A nudge of `h` moves `f` by `h` times the slope."),
             wrong=(Wrong(lambda x: {"slope": x ** 3 - 2 * x}, "M41",
                          "That is the value of `f`. How far does `f` move when `x` moves a little?"),
                    Wrong(lambda x: {"f moves by": slope(x)}, None,
                          "That would be a nudge of 1, and it is 0.002."),
                    Wrong(lambda x: {"f moves by": 0.002 * (x ** 3 - 2 * x)}, None,
                          "That is 0.002 times the value of `f`. Take 0.002 times the slope."))),
    Exercise("1b", "A nudge that is neither too large nor too small", {"h": "`h`"}, judge=small_enough,
             example=lambda _: 1e-5,
             paper="Choose an `h` for which the nudge to both sides of `exp(x)` at 1 is off by less than "
             "1e-8, and say why it is small enough.",
             hints=("Try powers of ten.", "The valley of the V lies between 1e-4 and 1e-7."),
             wrong=(Wrong(lambda _: 1e-13, "M38",
                          "You subtract two numbers that differ only in their last digits, and those are "
                          "rounded.", fits=lambda answer: 0 < number(as_lists(answer)) < 1e-9),
                    Wrong(lambda _: 0.1, None, "On so long a way the curve bends.",
                          fits=lambda answer: number(as_lists(answer)) > 1e-4))),
    Exercise("1c", "The price of a million slopes",
             {"losses, by nudging": "the number of losses",
              "backward passes": "the number of backward passes"},
             expected=lambda _: {"losses, by nudging": 1_000_001, "backward passes": 1}, within=1e-9,
             hints=("One loss without a nudge, and one for each weight.",
                    "How many calls gave six slopes above?"),
             wrong=(Wrong(lambda _: {"losses, by nudging": 1_000_000}, None,
                          "You also need one loss to compare with, in which no weight is nudged."),
                    Wrong(lambda _: {"losses, by nudging": 2_000_000}, None,
                          "You nudge ahead only, and one loss without a nudge serves all weights."),
                    Wrong(lambda _: {"backward passes": 1_000_000}, "M01",
                          "One backward pass computes the slopes of all weights."))),
)
