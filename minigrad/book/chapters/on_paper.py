"""What is printed on paper alone: exit tickets and drawings, and the words that a key expects for an answer.

A learner sees a whole sheet at once, so nothing on it may answer its own predictions; where a chapter's exit
ticket or picture would, the sheet has another.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..judging import first_wrong
from .ch01 import EXERCISES as IN_CHAPTER_1
from .ch04 import order_behind
from .ch05 import DYES, gradient

Rows = Callable[[Any], list[tuple[str, str]]]  # the numbers of a sheet -> (what, the answer) for each row


@dataclass(frozen=True)
class OnPaper:
    ticket: str  # the question at the end
    answer: str  # to the ticket
    caption: str  # one that says what a caption has to say
    code: str = ""  # the lines of the picture, where those of the chapter tell too much or are too wide
    reading: tuple[tuple[str, str], ...] = ()  # how a picture is read: (what you see, what it is)
    drawing: str = ""  # a picture to draw
    drawn: str = ""  # the lines whose picture that is
    picture_first: bool = False  # the exercises are about the picture
    lines: dict[str, int] = field(default_factory=dict)  # to write on, where an answer needs more or fewer
    keys: dict[str, Rows] = field(default_factory=dict)  # what is right, where several answers are


def good_nudges(_: Any) -> list[tuple[str, str]]:
    """The nudges that 1b accepts: from the smallest to three times the largest power of ten that is right."""
    one = next(exercise for exercise in IN_CHAPTER_1 if exercise.id == "1b")
    good = [power for power in range(1, 16) if first_wrong(one, 10. ** -power, one.standard) is None]
    return [("`h`", f"any from 1e-{good[-1]} to 3e-{good[0]}"),
            ("why", f"100³ · h²/6 is 1.5e-6 for `h` = 3e-{good[0]}, and less for a smaller `h`. "
             f"(Below 1e-{good[-1]}, rounding takes over.)")]


def good_orders(numbers: dict[str, Any]) -> list[tuple[str, str]]:
    first, second = numbers["wrong"]
    return [("the order", f"any that ends with {first:g} and {second:g}, such as "
             f"`{order_behind(numbers)}`")]


def good_weights(numbers: list[float]) -> list[tuple[str, str]]:
    found = [[a, b, c] for a in DYES for b in DYES for c in DYES if gradient([a, b, c]) == numbers]
    return [("`v`", " or ".join(map(str, found)))]


ON_PAPER = {
    0: OnPaper(
        "`x` is 3. After `y = x * x` and `y.backward()`, `x.grad` is 6. How do you find this number without "
        "PyTorch?",
        "With the slope from school: the slope of x² is 2x, and 2 · 3 is 6.",
        "`w` is multiplied by the constant `x`, `b` is added, and the numbers of the result are added up to "
        "`loss`.",
        picture_first=True,
        reading=(  # rows of the chapter's table
            ("box with a thick blue border",
             "a leaf that requires a gradient; no recorded operation made it"),
            ("`.grad` in a box",
             "the leaf's drawer: the place for slopes with respect to it; `None` says that it is empty"),
            ("dashed box", "a constant: a tensor that requires no gradient"),
            ("hexagon", "an operation; the sign or word in it says which"),
            ("box with a thin grey border",
             "a tensor that a recorded operation made; without a name if no variable holds it"),
            ("arrow", "a value that goes into an operation, or comes out"),
            ("`(2,)`, `()`", "a shape: a row of two numbers, or one number")),
        drawing="Draw the picture of `s` after `t = p + q` and `s = t * p`, where `p` = 3 and `q` = 5 are "
                "leaves that require a gradient.",
        drawn="p = torch.tensor(3., requires_grad=True)\nq = torch.tensor(5., requires_grad=True)\n"
              "t = p + q\ns = t * p"),
    1: OnPaper(
        "`x.grad` is −2. You nudge `x` by 0.01. By how much does the result change, and in which direction?",
        "It becomes smaller by about 0.02: the slope times the nudge.",
        "`backward()` goes back through the operations that ran, from `loss` to `w` and `b`, and uses the "
        "slope of each.",
        code="w = torch.tensor(2., requires_grad=True)\nb = torch.tensor(5., requires_grad=True)\n"
             "loss = (w * 3 + b - 4) ** 2\nloss.backward()",
        lines={"1a": 2, "1b": 2, "1c": 2}, keys={"1b": good_nudges}),
    2: OnPaper(
        "In your own words: which tensors have a drawer, and what does `backward()` do with one?",
        "A leaf that requires a gradient has one. `backward()` adds to what is in it.",
        "The blue box is a leaf and has a drawer; the grey one is the result of an operation and has none.",
        code="w1 = torch.tensor([5., 9.], requires_grad=True)\nd = w1.mean()\nd.backward()"),
    3: OnPaper(
        "A function contains an `if` with two branches. Which of them does the graph contain, and why?",
        "Only the branch that ran, because a line is recorded when it runs.",
        "`w` is multiplied by the constant `x`, and `b` is added; the graph of `guess` leads back to `w` and "
        "`b`, and not to `x`.",
        code="w = torch.tensor(0.5, requires_grad=True)\nb = torch.tensor(2.5, requires_grad=True)\n"
             "x = torch.tensor(3.)\nscaled = w * x\nguess = scaled + b",
        lines={"3a": 2, "3b": 1, "3c": 3}),
    4: OnPaper(
        "A loss depends on five operations, each using `h` once. When does the node of `h` run, and what "
        "does it send?",
        "It runs once, after five messages, and sends their sum times its own slopes.",
        "The addition of `c` and the multiplication of `d` each receive a message from `s` and one from `p`.",
        lines={"4a": 1, "4b": 1, "4c": 2}, keys={"4b": good_orders}),
    5: OnPaper(
        "`y` has five elements. Which `v` makes `y.backward(v)` give the gradient of `y[0] - 2 * y[4]`?",
        "`torch.tensor([1., 0., 0., 0., -2.])`",
        "`v` enters at `y` and has the shape of `y`; the gradient arrives at `u` and has the shape of `u`.",
        code="v = torch.tensor([1., 2., 1.])\nu = torch.tensor([3., 2.], requires_grad=True)\n"
             "y = torch.stack([u[0] ** 2, u[0] * u[1], u[1] ** 3])\ny.backward(v)",
        lines={"5a": 2, "5b": 1}, keys={"5a": good_weights}),
    6: OnPaper(
        "Every `backward()` in a program is called with `retain_graph=True`. What does that cost?",
        "Memory, as long as the graph exists. And a second pass by mistake raises no error.",
        "`p.backward()` freed what the node of `y = x * x` had saved, so `q.backward()` fails there.",
        code="x = torch.tensor(3., requires_grad=True)\ny = x * x\np, q = y * 5, y ** 2\np.backward()",
        lines={"6c": 1}),
    7: OnPaper(
        "You measure the loss of a trained model that contains `Dropout`. Which two calls do you need, and "
        "why?",
        "`model.eval()` switches `Dropout` off, and `torch.no_grad()` stops recording.",
        "One path is left from `z` to `x`. The path through `y` is cut at `d`, so `x.grad` will be the value "
        "of `d`."),
    8: OnPaper(
        "At what point in a training step may you change the weights, and why?",
        "After the last backward pass, because a pass reads the weights that were saved.",
        "The version of `a` has changed since `a` was saved, so the pass from `p` raises an error. That "
        "of `b` has not, so the pass from `q` computes with the new value.",
        lines={"8b": 2}, keys={
            "8b": lambda _: [("the line", "`best, smallest = w.detach().clone(), loss.item()`")]}),
}
