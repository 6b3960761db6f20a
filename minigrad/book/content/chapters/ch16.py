"""The appendix, "From the notes": its questions and exercises."""
from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any

import minigrad as torch

from ...classroom.deciding import judged, numbers
from ...classroom.exercise import Exercise, Part, Wrong
from ...classroom.notes import Note
from ...classroom.points import points
from ...classroom.questions import Option, Question
from ...classroom.reading import Misread
from ...classroom.saying import kind_of
from ..packages import package_of

IDEAS = ("Variable", "volatile")

def lines_that_raise(printed: str) -> str:
    """Return what 16.1 claims: the numbers of the lines that raised an error."""
    found = re.findall(r"^(\d+) \w+Error: ", printed, re.MULTILINE)
    return f"lines {', '.join(found[:-1])} and {found[-1]}"


def gradient_of_a_result(printed: str) -> str:
    """Return what 16.2 claims, from the first number of `c.grad`."""
    return f"{numbers(printed)[0]:.0f}" if printed.startswith("tensor") else "None"


QUESTIONS = (
    Question("16.1", "Today you run the ten lines one after the other, and go on after an error. Which lines "
             "raise one?", (
        Option("lines 1, 2 and 10", "M97",
               "`torch.autograd.Variable` still exists. Today it returns a tensor."),
        Option("lines 5 and 9", None,
               "The argument of line 5 has another name today, and `loss` in line 9 is a single number, "
               "which has no element 0."),
        Option("lines 9 and 10", "M97",
               "Line 10 gives a warning, and then the program goes on. Line 5 raises an error, too."),
        Option("lines 7, 8 and 9", "M192",
               "`.data` still exists, so lines 7 and 8 run. Line 9 fails at `[0]`."),
    ), paper="A program of 2017 makes two tensors with `torch.autograd.Variable(...)` (lines 1 and 2). Then "
       "it has the lines 5 `loss.backward(retain_variables=True)`, 7 `w.data.sub_(0.1 * w.grad.data)`, "
       "8 `w.grad.data.zero_()`, 9 `print(loss.data[0])`, and 10 `Variable(torch.ones(3), volatile=True)`. "
       "Today one of the two old arguments has another name, and the other is accepted, with a warning. "
       "Which lines raise an error today?",
       told=r"lines? (5|9|10)\b|single number, which",
        explains="Line 10 runs, but warns you.",
        decided=lines_that_raise, mark="3"),
    Question("16.2", "`c = a + 5` is a result. You put sevens into `c.grad`, and then run "
             "`c.sum().backward()`. The gradient of `c` is 1 in each place. What does `c.grad` hold then?", (
        Option("`None`: a pass clears the `.grad` of a result", "M191",
               "`c.grad` still holds the sevens."),
        Option("1: a pass replaces what is in a `.grad`", "M02",
               "A pass adds to the drawers of leaves, and replaces nothing."),
        Option("8: a pass adds to every `.grad` that it reaches", "M03",
               "It adds to the drawers of leaves. `c` is a result."),
        Option("7: a pass leaves the `.grad` of a result alone", None,
               "The pass uses the gradient of `c` for `a.grad`, and doesn't store it."),
    ), told="sevens are still|still holds the sevens|doesn't store|doesn't touch",
        explains="So there is nothing to clear. A comment in the note's program says it better: this "
        "gradient isn't kept. The rest of the box is right: `c.grad` is `None` unless you fill it, and "
        "`retain_grad()` keeps the gradient (chapter 11).",
        decided=gradient_of_a_result),
)


NOTES = (
    Note("16.n1", "right in its time",
         says="The note is from January 2017. Until PyTorch 0.4, of 2018, a Variable was a wrapper around a "
         "tensor. Today every tensor is a Variable, and every Variable is a tensor. `v` is a new tensor that "
         "shares its memory with `t`.",
         instead="write `torch.tensor([3., 5.], requires_grad=True)`; for a tensor that you have, "
         "see the table below.",
         told="every Variable is a tensor|no box", rows=("A4",),
         decided=lambda printed: judged("True True" not in printed, held=True)),
    Note("16.n2", "right in its time",
         says="Before PyTorch 0.4, of 2018, no result that depended on a volatile input was recorded. "
         "Today the argument only gives a warning: the line was recorded, because `w` requires a gradient. "
         "That is worse than an error, because the old program runs on and needs more memory than planned.",
         instead="put the lines that should not be recorded into a `with torch.no_grad():` block. The note, "
         "of November 2018, says itself that this replaced `volatile`, which has no effect any more; its "
         "program and output are older.",
         told="only gives a warning|right until 2018", rows=("C5",),
         decided=lambda printed: judged("False" in printed.split(), held=True)),
    Note("16.n6", "right",
         says="Autograd records `w * 2`, and not `w.data * 2`. A recorded write to a leaf is refused: `w` "
         "would become the result of an operation, and no longer be a leaf.",
         instead="as a recipe, take `no_grad`, which came in 2018. Under it, no operation is recorded, and "
         "autograd counts the write. It doesn't count a write to `w.data`.",
         told=r"no longer be a leaf|is refused", rows=("A4",),
         decided=lambda printed: judged("True False" in printed and "a leaf Variable" in printed)),
    Note("16.n4", "wrong",
         says="It does take a list, but of the tensors where the pass starts. Leaves are where it ends, and "
         "neither `losses` nor `penalty` is a leaf. The rest is right. The note itself says that gradients "
         "add up in leaves, and further on calls such a tensor the root.",
         instead="the tensors at which a pass starts are its **roots**.",
         told=r"\broots\b|where (a|the) pass (starts|ends)|pass ends at", rows=("C1",),
         decided=lambda printed: judged(re.findall("True|False", printed)[:2] == ["True", "True"])),
    Note("16.n5", "right",
         says="`z` has four elements, and each number in the argument is multiplied by the derivative 2. The "
         "printed gradient is five times as large. Probably five passes added up, and the cell was run as "
         "110, 111, 112, 113 and 114.",
         instead="empty the drawer before each pass, in the same cell.",
         told=r"five times|five passes|\b0\.02\b|110", rows=("D5",),
         decided=lambda printed: judged("tensor([4.0000, 0.4000, 0.0200, 0.0020])" in printed)),
)


# --- 16b: a program of 2017, written for today --------------------------------------------------------------

WANTED = {"losses": "the two losses", "weight": "the weight after two steps",
          "number": "whether the loss is a Python number", "write": "whether autograd counts the write"}


def today(w: Any, x: Any, target: Any) -> float:
    loss = ((w * x + 0.5 - target) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.5 * w.grad
    w.grad = None
    return loss.item()


def never_empty(w: Any, x: Any, target: Any) -> float:
    loss = ((w * x + 0.5 - target) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.5 * w.grad
    return loss.item()


def a_tensor(w: Any, x: Any, target: Any) -> Any:
    """The mistake to return a tensor that shares the memory of the loss."""
    loss = ((w * x + 0.5 - target) ** 2).mean()
    today(w, x, target)
    return loss.data


def uncounted(w: Any, x: Any, target: Any) -> float:
    loss = ((w * x + 0.5 - target) ** 2).mean()
    loss.backward()
    w.data.sub_(0.5 * w.grad)
    w.grad = None
    return loss.item()


def two_steps(function: Callable, package: Any) -> tuple[list[Any], Any]:
    """Return what two calls return, and the weight after them."""
    inputs, targets = points()
    w = package.tensor(1., requires_grad=True)
    return [function(w, package.tensor(inputs), package.tensor(targets)) for _ in range(2)], w


def written_for_today(answer: Any, _: Any) -> Iterator[Part]:
    if not callable(answer):
        raise Misread(f"Your answer should be a function; it is {kind_of(answer)}. Change `step`, and write "
                      "`answer_16b = step`.")
    try:
        inspect.signature(answer).bind("w", "x", "target")
    except (TypeError, ValueError):
        raise Misread("Your function should take `w`, `x` and `target`.") from None
    found, w = two_steps(answer, package_of(answer))
    right, after = two_steps(today, torch)
    if None in found:
        raise Misread("Your function returned `None`. It should return the loss.")
    losses = [float(one) for one in found]
    yield Part("losses", losses, right, f"Two calls return the losses {losses[0]:.4f} and {losses[1]:.4f}. "
               f"They should be {right[0]:.4f} and {right[1]:.4f}.")
    yield Part("weight", w.item(), after.item(), f"After two calls, `w` is {w.item():.4f}. It should be "
               f"{after.item():.4f}.")
    yield Part("number", all(isinstance(one, float) for one in found), True,
               f"Your function returns {kind_of(found[0])}, and not a Python number.")
    yield Part("write", w._version > 0, True, "The version of `w` is still 0: autograd hasn't counted your "
               "write.")


EXERCISES = (
    Exercise("16b", "A program of 2017, written for today", WANTED, judge=written_for_today,
             example=lambda _: today,
             paper="A program of 2017 computes `loss`, and then runs the lines "
             "`loss.backward(retain_variables=True)`, `w.data.sub_(0.5 * w.grad.data)`, "
             "`w.grad.data.zero_()` and `return loss.data[0]`. Write them for today. Autograd should count "
             "the write to `w`.",
             hints=("Run it, and read the error. The table of errors names the new argument; do "
                    "you need it here?",
                    "Write to `w` itself under `torch.no_grad()`. `.item()` returns a Python number."),
             why="`retain_variables` and `loss.data[0]` raise an error, which tells you so itself. The two "
             "lines between them still run, and the write through `data` isn't counted.",
             wrong=(Wrong(lambda _: never_empty, "M02", "The first gradient is still in the drawer in the "
                          "second step.", paper="`loss.backward()`, `w -= 0.5 * w.grad` under `no_grad`, and "
                          "`return loss.item()`"),
                    Wrong(lambda _: a_tensor, None, "`loss.data` and `loss.detach()` are tensors.",
                          paper="`return loss.data`"),
                    Wrong(lambda _: uncounted, "M81", "a write through `.data` doesn't raise the version.",
                          whole=True, paper="`w.data.sub_(0.5 * w.grad)`"))),
)
