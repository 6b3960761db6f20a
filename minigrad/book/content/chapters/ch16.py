"""The appendix, "From the notes": its questions and exercises."""
from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import minigrad as torch

from ...classroom.deciding import judged
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
    return f"lines {', '.join(found[:-1])} and {found[-1]}" if found[1:] else f"line {found[0]} alone"


def runs_until_the_gradient_of_the_note() -> str:
    """Return what 16.3 claims: how many passes of the cell leave the gradient of the note, or "none"."""
    x = torch.tensor([1., 2., 3., 4.], requires_grad=True)
    z = (2 * x).view(2, 2)
    for runs in range(1, 13):
        z.backward(torch.tensor([[2., 0.2], [0.01, 0.001]]), retain_graph=True)
        if torch.allclose(x.grad, torch.tensor([20., 2., 0.1, 0.01])):
            return {5: "five", 10: "ten"}.get(runs, str(runs))
    return "none"


def what_two_passes_do(printed: str) -> str:
    """Return what 16.4 claims: the gradient that each pass stores, or its error."""
    stored = re.findall(r"tensor\((\d+)\.", printed)
    if "RuntimeError: " not in printed:
        return " and ".join(stored)
    return f"{stored[0]}, then an error" if stored else "an error in the first pass"


QUESTIONS = (
    Question("16.1", "Today you run the nine lines in order, and go on after an error. `backward` "
             "refuses `retain_variables`, the old name of `retain_graph`. Which lines raise an error?", (
        Option("lines 5 and 6", "M13",
               "Line 5 raises its error before its pass begins. So the tensors that `p` has saved are still "
               "there in line 6."),
        Option("lines 5 and 9", None,
               "`loss` is a single number, which has no element 0. Line 5 raises its error before its pass "
               "begins, so nothing is freed, and line 6 runs."),
        Option("line 5 alone", "M206",
               "`loss` in line 9 is a single number, of the shape `()`, which has no element 0."),
        Option("lines 5, 7, 8 and 9", "M192",
               "`.data` still exists, and line 6 has filled `w.grad`, so lines 7 and 8 run. Line 9 fails "
               "at `[0]`."),
    ), paper="A program of 2017 has the lines 1 `w = Variable(torch.ones(3), requires_grad=True)`, "
       "2 `x = Variable(torch.Tensor([1, 2, 3]))`, 3 `p = w * x`, "
       "4 `loss, size = ((p - 5) ** 2).mean(), (p ** 2).mean()`, 5 `loss.backward(retain_variables=True)`, "
       "6 `size.backward()`, 7 `w.data.sub_(0.1 * w.grad.data)`, 8 `w.grad.data.zero_()`, and "
       "9 `print(loss.data[0])`. Today `backward` refuses `retain_variables`, the old name of "
       "`retain_graph`. You go on after an error. Which lines raise one?",
       told=r"lines? (6|9)\b|single number, which|before its pass|has no element",
       decided=lines_that_raise, mark="5"),
    Question("16.2", "`w` requires a gradient, and `x` was volatile in the old program. What are "
             "`y.requires_grad` and `z.requires_grad` today?", (
        Option("False False: both are computed from `x`", "M17",
               "`x` is a tensor like any other. `z` is computed below the block, from `w`, and is recorded."),
        Option("True True: both are computed from `w`", "M50",
               "In a `no_grad` block, nothing is recorded, whatever the inputs require."),
        Option("False True: `y` is made in the block", None,
               "`y` is computed in the block, and `z` below it. The old program recorded neither, because "
               "`x` was volatile. Today, `z` keeps a graph."),
    ), paper="In an old program, `x` was volatile. You write it for today: a `no_grad` block contains "
             "`x = torch.ones(1)` and `y = w * x`, and `z = w * x` is the first line after it. `w` "
             "requires a gradient. What are `y.requires_grad` and `z.requires_grad`?",
       told=r"(?<!False )False True\b(?! False| True)|\b(block|lines?) (counts|decides)|"
            r"belongs? to (a|the|its) (block|lines?)",
       explains="**Keep:** `volatile` belonged to a variable, and spread from it; `no_grad` belongs to a "
       "block. So put every line that computes from the old volatile variable into the block.",
       decided=lambda printed: printed.strip(), mark="3"),
    Question("16.3", "The note's second cell runs `z.backward(v, retain_graph=True)`, where `v` holds 2, "
             "0.2, 0.01 and 0.001, and prints `x.grad`. After how many runs of this cell does it print `[20, "
             "2, 0.1, 0.01]`?", (
        Option("none: each run replaces the gradient of the one before", "M02",
               "A pass adds to the drawer of a leaf. Every run prints another gradient."),
        Option("five: each run adds two times the argument to the drawer", None,
               "The first run prints 4, 0.4, 0.02 and 0.002. Each run adds as much again."),
        Option("ten: each run adds the argument itself to the drawer", "M09",
               "Each number in the argument is multiplied by the derivative of `z`, which is 2."),
    ), mark="3",
             paper="`x` holds 1, 2, 3 and 4, and requires a gradient; `z = (2 * x).view(2, 2)`. Two "
             "lines run again and again: `z.backward(v, retain_graph=True)`, where `v` holds 2, 0.2, 0.01 "
             "and 0.001, and `print(x.grad)`. After how many runs do they print `[20, 2, 0.1, 0.01]`?",
       told=r"five (times|passes|runs)|\b0\.02\b|\b11[04]\b|four more",
       explains="What the note says of the argument is right. Its first cell has the number 109, and its "
       "second has 114. Jupyter numbers the runs of all cells, so the second cell was probably run five "
       "times.\n"
       "**Keep:** empty the drawer before each pass, in the same cell.",
       decided=lambda _: runs_until_the_gradient_of_the_note()),
    Question("16.4", "`y` and `z` were computed at 3, where the derivative is 6. What do `y.backward()` and "
             "`z.backward()` do?", (
        Option("4, then an error: only the second write is counted", None,
               "Each square has saved its input, which now holds 2. The pass from `y` computes 2 · 2, "
               "without a warning."),
        Option("4 and 4: neither of the two writes is counted", "M207",
               "Under `no_grad`, autograd records nothing, and still counts each write."),
        Option("6, then an error: the first write can't affect a pass", "M81",
               "The square has saved `u` itself, and no copy. Through `.data`, it now holds 2."),
        Option("an error in the first pass: both writes are counted", "M19",
               "`u.detach()` shares the counter of `u`. `u.data` has a counter of its own."),
    ), paper="`u` and `w` are 3, and require a gradient. `y = u ** 2` and `z = w ** 2`. Then "
             "`u.data.sub_(1.)` runs, and `w.sub_(1.)` under `no_grad`. What do `y.backward()` and "
             "`z.backward()` do? The derivative at 3 is 6.",
       told=r"\b4, then|(is|are|be) counted|counts (it|each|the|both)|rises|doesn't count|counter",
       explains="**Keep:** write to a weight under `no_grad`. Autograd doesn't record this write, but counts "
       "it: the version rises.",
       decided=what_two_passes_do),
)

# What decides a verdict that is given before its cell: the program of the cell, run here.

def a_gradient_is_a_variable() -> bool:
    v = torch.autograd.Variable(torch.tensor([3., 5.]), requires_grad=True)
    (v * v).sum().backward()
    return isinstance(v.grad, torch.autograd.Variable)


def volatile_is_recorded() -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")     # "volatile was removed and now has no effect"
        v = torch.autograd.Variable(torch.ones(2), volatile=True)
    return (torch.ones(2, requires_grad=True) * v).requires_grad


def only_the_variable_is_remembered() -> bool:
    w = torch.tensor(1., requires_grad=True)
    return (w * 2).requires_grad and not (w.data * 2).requires_grad


NOTES = (
    Note("16.n8", "right",
         says="The note is from January 2017, when a Variable was a wrapper. PyTorch 0.4, of April 2018, "
         "made one type of the two: every tensor is a Variable, `v.grad` and `t` as well. So the error of "
         "chapter 1 says `a leaf Variable`.",
         told="one type|every tensor is|was a wrapper", rows=("A4",),
         decided=lambda _: judged(a_gradient_is_a_variable())),
    Note("16.n2", "right in its time",
         says="Until PyTorch 0.4, one volatile input kept a whole network from being recorded, whatever its "
         "weights required. Today the argument only gives a warning: the next cell records `w * x`, and the "
         "old program needs more memory. The note adds that `no_grad` replaces `volatile`.",
         told=r"only gives a warning|PyTorch 0\.4, one|records the product|kept a whole network",
         rows=("C5",), decided=lambda _: judged(not volatile_is_recorded(), held=True)),
    Note("16.n6", "right",
         says="In the next cell, autograd records `w * 2`, and not `w.data * 2`. A recorded write to a "
         "leaf that requires a gradient is refused: `w` would become the result of an operation, and no "
         "longer be a leaf.",
         told=r"no longer be a leaf|is refused", rows=("A4",),
         decided=lambda _: judged(only_the_variable_is_remembered())),
)


# --- 16b: a program of 2017, written for today --------------------------------------------------------------

WANTED = {"weight": "the weight after two steps", "losses": "the two losses",
          "graph": "whether the loss has a graph", "write": "whether autograd counts the writes"}


def loss_of(w: Any, x: Any, target: Any) -> Any:
    return ((w * x + 0.5 - target) ** 2).mean()


def today(w: Any, x: Any, target: Any, empties: bool = True, records: bool = False) -> Any:
    """A right answer; the flags make two mistakes."""
    (loss_of(w, x, target) + 0.1 * w ** 2).backward()
    with torch.no_grad():
        w -= 0.5 * w.grad
    if empties:
        w.grad = None
    with torch.set_grad_enabled(records):
        return loss_of(w, x, target)


def uncounted(w: Any, x: Any, target: Any) -> Any:
    (loss_of(w, x, target) + 0.1 * w ** 2).backward()
    w.data.sub_(0.5 * w.grad)
    w.grad = None
    return loss_of(w, x, target).detach()


def as_it_was(w: Any, x: Any, target: Any) -> Any:
    """Return what the old program returns today: a write changes a tensor that `size` has saved."""
    loss, size = loss_of(w, x, target), 0.1 * w ** 2
    for part in loss, size:
        part.backward()
        w.data.sub_(0.5 * w.grad.data)
        w.grad.data.zero_()
    return loss_of(w, x, target)


def one_after_the_other(w: Any, x: Any, target: Any) -> Any:
    """Two counted writes, and `size` computed between them: its gradient is that at the new weight."""
    for part in loss_of, lambda w, *_: 0.1 * w ** 2:
        part(w, x, target).backward()
        with torch.no_grad():
            w -= 0.5 * w.grad
        w.grad = None
    with torch.no_grad():
        return loss_of(w, x, target)


def two_steps(function: Callable, package: Any) -> tuple[list[Any], Any]:
    """Return what two calls return, and the weight after them."""
    inputs, targets = points()
    w = package.tensor(1., requires_grad=True)
    return [function(w, package.tensor(inputs), package.tensor(targets)) for _ in range(2)], w


def number_in(loss: Any) -> float:
    """Return a loss as a float. `float` alone warns of a loss with a graph, in the learner's notebook."""
    return float(loss.detach() if hasattr(loss, "detach") else loss)


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
    if any(one is None for one in found):
        raise Misread("Your function returned `None`. It should return the loss.")
    losses, wants = [*map(number_in, found)], [*map(number_in, right)]
    yield Part("weight", w.item(), after.item(), f"After two calls, `w` is {w.item():.4f}. It should be "
               f"{after.item():.4f}.")
    yield Part("losses", losses, wants, f"Two calls return the losses {losses[0]:.4f} and {losses[1]:.4f}. "
               f"They should be {wants[0]:.4f} and {wants[1]:.4f}.")
    yield Part("graph", any(getattr(one, "requires_grad", False) for one in found), False,
               "The loss that your function returns requires a gradient, and keeps its graph.")
    yield Part("write", w._version > 0, True, "The version of `w` is still 0: autograd hasn't counted your "
               "write.")


EXERCISES = (
    Exercise("16b", "A program of 2017, written for today", WANTED, judge=written_for_today,
             example=lambda _: today,
             paper="A program of 2017 computes `loss` and `size = 0.1 * w ** 2`. Then it runs "
             "`loss.backward()`, `w.data.sub_(0.5 * w.grad.data)`, `w.grad.data.zero_()`, "
             "`size.backward()`, and the two lines with `.data` again. It returns the loss at the new `w`, "
             "computed from `torch.autograd.Variable(x, volatile=True)`. Write these lines for today, with "
             "both gradients at the first `w`. Autograd should count the writes to `w`, and the returned "
             "loss should have no graph.",
             hints=("What has `size` saved for its pass? Which line changes it without being counted?",
                    "Run both passes before you write to `w`, under `torch.no_grad()`. Under it, compute "
                    "the loss that you return."),
             why="A write through `.data` changed what `size` had saved, and the returned loss was "
             "recorded, because `volatile` has no effect. Neither raised an error. Under `no_grad`, "
             "autograd counts the write, so a pass after it raises one.",
             wrong=(Wrong(lambda _: lambda *given: today(*given, empties=False), "M02", "The first gradient "
                          "is still in the drawer in the second step.", paper="`(loss + size).backward()`, "
                          "`w -= 0.5 * w.grad` under `no_grad`, and no line that empties the drawer"),
                    Wrong(lambda _: as_it_was, "M81", "`size` had saved `w` for its pass, and a write "
                          "through `.data` changed it.", whole=True, paper="the lines as they were"),
                    Wrong(lambda _: one_after_the_other, None, "The second gradient is that at the new `w`. "
                          "Run both passes before you write to `w`.", whole=True,
                          paper="`size` computed and differentiated after the first write to `w`"),
                    Wrong(lambda _: lambda *given: today(*given, records=True), None, "`volatile` has no "
                          "effect today. Compute this loss under `no_grad`.", whole=True,
                          paper="a loss that is computed outside of `no_grad`"),
                    Wrong(lambda _: uncounted, "M81", "a write through `.data` doesn't raise the version.",
                          whole=True, paper="`w.data.sub_(0.5 * w.grad)`, once"))),
)
