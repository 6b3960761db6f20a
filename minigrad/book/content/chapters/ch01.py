"""Chapter 1, "Nudge it": its questions and exercises."""
from __future__ import annotations

import re

import minigrad as torch

from ...classroom.deciding import numbers
from ...classroom.exercise import Exercise, Wrong
from ...classroom.points import points
from ...classroom.questions import Option, Question

IDEAS = ("residual", "loss", "nudge", "forward difference", "slope", "learning rate", "gradient",
         "evaluation")


def number_in_w_grad(printed: str) -> str:
    """Return how `w.grad` compares with the forward difference that 1.1 names, or which number it is."""
    found, = numbers(printed)
    if abs(found + 1.5861) > 0.1:
        return f"{found:.4f}"
    return {0: "−1.5861", 1: "a little higher than −1.5861", -1: "a little lower than −1.5861"}[
        round(found + 1.5861, 4) and (1 if found > -1.5861 else -1)]


def tiny_nudge(printed: str) -> str:
    """Return what 1.2 shows: how far the result of the smallest nudge is from −5, the slope."""
    large, *_, tiny = (abs(float(line.split()[1]) + 5) for line in printed.splitlines())
    if tiny == large:
        return "just as far from −5 as −4.99"
    return f"{'further from' if tiny > large else 'closer to'} −5 than −4.99"


def time_of_a_pass(printed: str) -> str:
    return f"as long as about {printed.split()[-1]} evaluations"


QUESTIONS = (
    Question("1.1", "The loss is 1.8522. Nudging `w` from 1 to 1.1 changed the loss by −0.1586, so the "
             "forward difference is −1.5861. Now `loss.backward()` puts the slope at `w` = 1 into `w.grad`. "
             "This number is …", (
        Option("1.8522: it is the loss at `w` = 1", "M41",
               "`loss` holds the value; `w.grad` says how the value changes with `w`."),
        Option("−1.5861: the loss falls evenly from 1 to 1.1", "M110",
               "Then every nudge would give the same number. But the loss falls fastest at 1."),
        Option("a little higher than −1.5861: the loss falls slowest at 1", "M110",
               "The further the model is from the best `w`, the faster the loss falls."),
        Option("a little lower than −1.5861: the loss falls fastest at 1", None,
               "−1.5861 is an average over the nudge, and the slope belongs to the place where it begins."),
    ), mark="2",
             paper="The loss of a model `w * x + b` is 1.8522; it is the mean of the squared residuals. "
             "Nudging `w` from 1 to 1.1 changes the loss by −0.1586, so the forward difference is "
             "−1.5861. `loss.backward()` puts the slope at `w` = 1 into `w.grad`. This number is …",
             told=r"1\.6278|falls fastest|as steep as|less steep|steeper",
             explains="`loss.backward()` ran a **backward pass**: autograd followed the record of the "
             "operations from the loss to `w`, and put −1.6278 into `w.grad`, without any nudge. The slope "
             "is lower than −1.5861 because the curve flattens to the right of `w` = 1.",
             decided=number_in_w_grad),
    Question("1.2", "The slope of (w − 3.5)² at `w` = 1 is −5. With h = 0.01, the forward difference is "
             "−4.99. Now take h = 1e-7. Compared with −4.99, this forward difference is …", (
        Option("further from −5 than −4.99: it has fewer correct digits", None,
               "Our tensors have PyTorch's usual type, **float32**, which keeps about 7 digits. The two "
               "squares agree in all of them, so no digit of their difference is correct."),
        Option("closer to −5 than −4.99: it has more correct digits", "M38",
               "Over a smaller nudge the curve bends less, but the error from rounding is larger."),
        Option("just as far from −5 as −4.99: it has as many correct digits", "M42",
               "Rounding changes the last digits of both squares, and dividing by `h` enlarges this error."),
    ), mark="2",
             paper="In PyTorch's tensors, the slope of (w − 3.5)² at `w` = 1 is −5. With h = 0.01, the "
             "forward difference that PyTorch computes is −4.99. Now take h = 1e-7. Compared with −4.99, "
             "this forward difference is …",
             told="takes over|fewer correct digits|[Tt]oo small|[Rr]ounding|agree in all|4\\.7684",
             explains="Near 2.5, two neighbouring float32 numbers differ by 0.00000024. A nudge of 1e-7 "
             "moves the residual by no more than half of that. The residual is rounded to −2.5 again, both "
             "squares are 6.25, and the forward difference is 0.\n"
             "The best nudge is neither large, where the curve bends, nor tiny, where rounding takes over.",
             decided=tiny_nudge),
    Question("1.3", "A model has a million weights. After an evaluation, the backward pass computes a "
             "million slopes. How long does the pass alone take? Choose the nearest.", (
        Option("as long as about 1 000 000 evaluations", "M01",
               "The backward pass goes through the operations once, and computes all slopes on the way."),
        Option("as long as about 0.01 evaluations", "M91",
               "The slopes have to be computed, and each operation does its part of that work in the "
               "backward pass."),
        Option("as long as about 2 evaluations", None,
               "For most operations, the backward pass does about as much work as the evaluation, or twice "
               "as much."),
        Option("as long as about 1000 evaluations", "M31",
               "The backward pass visits each operation once, however many weights there are."),
    ), mark="2", told="(two|2|few) evaluations|from 1 to 4",
             explains="The two times depend on the machine and on the model. The pass usually takes as long "
             "as from 1 to 4 evaluations.", decided=time_of_a_pass),
)

def slope(x: float) -> float:
    t = torch.tensor(x, requires_grad=True)
    (t ** 3 - 2 * t).backward()
    return t.grad.item()


def loss_at(w: float, b: float) -> float:
    return sum((w * x + b - target) ** 2 for x, target in zip(*points(), strict=True)) / 9


def slopes(w: float, b: float) -> tuple[float, float]:
    """Return the slopes of the loss with respect to w and b."""
    off = [(x, w * x + b - target) for x, target in zip(*points(), strict=True)]
    return sum(2 * x * one for x, one in off) / 9, sum(2 * one for _, one in off) / 9


def stepped(start: dict, sign: float = -1., rate: float | None = None) -> dict:
    """Return the weights after a step, and whether the loss is smaller there."""
    rate = start["rate"] if rate is None else rate
    w, b = (start[name] + sign * rate * one
            for name, one in zip("wb", slopes(start["w"], start["b"]), strict=True))
    return {"w": w, "b": b, "the loss falls": loss_at(w, b) < loss_at(start["w"], start["b"])}


def weights_of(step: dict) -> dict:
    return {name: step[name] for name in "wb"}


def only_slopes(start: dict) -> dict:
    return dict(zip("wb", slopes(start["w"], start["b"]), strict=True))


def moved(start: dict, **by: float) -> dict:
    """Return the weights, each moved against the slope that is given for it."""
    return {name: start[name] - start["rate"] * one for name, one in by.items()}


def with_the_slope_of_the_other(start: dict) -> dict:
    for_w, for_b = slopes(start["w"], start["b"])
    return moved(start, w=for_b, b=for_w)


def swapped(start: dict) -> dict:
    step = stepped(start)
    return {"w": step["b"], "b": step["w"]}


def is_formula(answer) -> bool:
    return any(isinstance(one, str) and re.search(r"\b[px]\b|\d[px]|²|³|\*\*", one)
               for one in dict(answer).values())


def in_words(answer) -> bool:
    return any(isinstance(one, str) and one and not re.search(r"\d", one) for one in dict(answer).values())


EXERCISES = (
    Exercise("1a", "A slope, and what it promises",
             {"slope": "the slope", "f moves by": "the distance that `f` moves"},
             paper="What is the slope of f(p) = p³ − 2p at the `p` of your sheet? According to this slope, "
             "how far does `f` move if you nudge `p` by 0.002?",
             expected=lambda x: {"slope": slope(x), "f moves by": 0.002 * slope(x)}, standard=2.5,
             draw=lambda rng: rng.choice((3.5, 4.0, 4.5, 5.0, 5.5)), within=5e-3,  # as is a real nudge
             hints=("The slope of p³ is 3p², and that of 2p is 2.",
                    "A nudge of `h` moves `f` by `h` times the slope."),
             why="A slope lets you predict what a small change does to `f` without computing `f` again; a "
             "training step relies on that.",
             wrong=(Wrong(lambda x: {"slope": "3p² − 2", "f moves by": x}, None,
                          "Your answer is a formula. Put the number `p` into it, and write the result.",
                          fits=is_formula),
                    Wrong(lambda x: {"slope": "sixteen", "f moves by": "a little"}, None,
                          "Write every number in digits.", fits=in_words),
                    Wrong(lambda x: {"slope": 4.75, "f moves by": 0.0095}, None,
                          "That belongs to 1.5, as in the lab. Take the `p` of this exercise."),
                    Wrong(lambda x: {"slope": x ** 3 - 2 * x}, "M41",
                          "That is the value of `f`. How far does `f` move when `p` moves a little?"),
                    Wrong(lambda x: {"slope": 3 * x ** 2}, None,
                          "That is the slope of p³. Subtract the slope of 2p."),
                    Wrong(lambda x: {"slope": -slope(x), "f moves by": -0.002 * slope(x)}, None,
                          "The size is right, but `f` rises when `p` grows here. Look at the sign."),
                    Wrong(lambda x: {"f moves by": round(0.002 * slope(x), 2)}, None,
                          "The result is rounded too much. Write at least three digits."),
                    Wrong(lambda x: {"slope": 0.002 * slope(x)}, "M90",
                          "That is how far `f` moves. The slope is the change per unit of nudge."),
                    Wrong(lambda x: {"f moves by": slope(x)}, None,
                          "That would be for a nudge of 1, and yours is 0.002."),
                    Wrong(lambda x: {"f moves by": 2 * slope(x)}, None,
                          "That would be for a nudge of 2, and yours is 0.002."),
                    Wrong(lambda x: {"f moves by": 0.002 * (x ** 3 - 2 * x)}, None,
                          "That is 0.002 times the value of `f`. Take 0.002 times the slope."))),
    Exercise("1b", "A step",
             {"w": "`w` after the step", "b": "`b` after the step",
              "the loss falls": "whether the loss falls"},
             paper="The loss of the model `w * x + b` on the nine points has the slope 5/6 · (w − 2.9533) "
             "with respect to `w`, and 2 · (b − 0.5) with respect to `b`. Take one step from the weights of "
             "your sheet, with its learning rate. What are `w` and `b` after the step, and does the loss "
             "fall?",
             expected=stepped, standard={"w": 4., "b": 2., "rate": 1.25},
             draw=lambda rng: {"w": rng.choice((0., 2., 4., 5.)), "b": rng.choice((-2., 2., 3.)),
                               "rate": rng.choice((0.25, 0.4, 1.25))},
             truths=("The loss doesn't fall. Compute it before and after the step.",
                     "The loss falls. Compute it before and after the step."),
             hints=("Run a backward pass from `loss_at(w, b)`, with both weights as tensors that require a "
                    "gradient.", "Subtract the learning rate times the slope from each weight."),
             why="Every training loop repeats this step; comparing the loss before and after tells you "
             "whether a step has helped.",
             wrong=(Wrong(lambda start: weights_of(stepped(start, 1.)), None,
                          "That is a step along the slope, where the loss rises at first. Move against it."),
                    Wrong(lambda start: weights_of(stepped(start, rate=1.)), None,
                          "That is a step with the rate 1. Multiply the slope by the learning rate."),
                    Wrong(lambda start: weights_of(stepped(start, rate=0.5)), None,
                          "That is a step with the rate 0.5. Take the rate that the cell prints."),
                    Wrong(lambda start: {"w": start["w"], "b": start["b"]}, None,
                          "That is the weight before the step. Subtract the learning rate times the slope."),
                    Wrong(swapped, None, "That is the result for the other weight."),
                    Wrong(with_the_slope_of_the_other, None,
                          "That is a step with the slope of the other weight. Each weight has its own."),
                    Wrong(only_slopes, None,
                          "That is the slope. Subtract the learning rate times the slope from the weight."))),
)
