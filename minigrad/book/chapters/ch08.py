"""Chapter 8, "Changed behind its back": its questions and exercises."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import minigrad as torch

from ..claims import package_of
from ..exercises import Exercise, Part, Wrong
from ..questions import Option, Question
from ..reading import Misread
from ..saying import kind_of

IDEAS = ("in place", "version", "view", "`t.data`", "anomaly mode")

QUESTIONS = (
    Question("8.1", "`t = x + 4` and `y = t ** 2`, with `x` = 3. Then `t.mul_(5)` changes `t` from 7 to 35. "
             "What does `y.backward()` do?", (
        Option("it uses the old value 7, and `x.grad` is 14", "M37",
               "The square saved `t` itself, and not a copy of its value."),
        Option("it raises an error, and `x.grad` is `None`", None,
               "The square saved `t`, and `t` has been changed since then."),
        Option("it uses the new value 35, and `x.grad` is 70", "M08",
               "`y` was computed from 7, so 70 would be no gradient of it."),
    )),
    Question("8.2", "`x` is 1, and `y = x ** 2`. Then `x.data.mul_(100)` runs. What is `x.grad` after "
             "`y.backward()`?", (
        Option("2, because the gradient belongs to the forward pass", "M81",
               "The square saved `x` itself, and the memory of `x` holds 100 now."),
        Option("`None`, because the edit makes the pass fail", "M19",
               "The write through `.data` isn't counted, so nothing fails."),
        Option("200, because the pass reads `x` after the edit", None,
               "The pass computes 2 times `x`, and finds 100 in the memory of `x`."),
    )),
    Question("8.3", "`loss` is computed with `w` = 1. Then `w.fill_(5.)` runs under `no_grad`, and the "
             "version of `w` goes up. What does `loss.backward()` do?", (
        Option("it computes the gradient for the new weight, 5", "M08",
               "The graph belongs to the forward pass that ran, and no operation reads `w` again."),
        Option("it computes the gradient for the old weight, 1", None,
               "The pass reads `x` and the nine differences, and they haven't changed."),
        Option("it raises an error, because the version changed", "M18",
               "Only the versions of saved tensors are compared, and `w` wasn't saved."),
    )),
)


# --- 8a: four more rows of the Saved Table ------------------------------------------------------------------

ROWS: dict[str, Callable[[Any], Any]] = {
    "t.cos()": lambda t: t.cos(), "t / 4": lambda t: t / 4, "t.tanh()": lambda t: t.tanh(),
    "t.norm()": lambda t: t.norm()}


def fails(line: Callable[[Any], Any], edit_input: bool) -> bool:
    t = torch.tensor([3., 5., 7.], requires_grad=True) + 4
    y = line(t)
    total = y.sum()
    (t if edit_input else y).add_(5)
    try:
        total.backward()
    except RuntimeError:
        return True
    return False


def edits_that_fail(_: Any = None) -> dict[str, str]:
    """For each row of 8a: the edit that makes the backward pass fail, found by trying."""
    words = {(True, False): "input", (False, True): "output", (True, True): "both", (False, False): "none"}
    return {name: words[fails(line, True), fails(line, False)] for name, line in ROWS.items()}


# --- 8b: a program with a symptom ---------------------------------------------------------------------------

POINTS = [place / 4 - 1 for place in range(9)]
NOISE = [0.1, -0.1, 0.2, 0., -0.2, 0.1, 0., -0.1, 0.]
PARTS = {"growing": "the weight for a loss that grows", "falling": "the weight for a loss that falls"}
TRIED = ((4, 3.), (5, 1.))  # steps and rate of the two runs


def searching(keep: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return the program of 8b; `keep` is what it does with the weight that is the best so far."""
    def best_weight(x, wanted, steps, rate):
        w = torch.tensor(1., requires_grad=True)
        best, smallest = None, float("inf")
        for _ in range(steps):
            loss = ((w * x - wanted) ** 2).mean()
            if loss.item() < smallest:
                best, smallest = keep(w), loss.item()
            w.grad = None
            loss.backward()
            with torch.no_grad():
                w -= rate * w.grad
        return best
    return best_weight


mended = searching(lambda w: w.detach().clone())
unmended = searching(lambda w: w.detach())


def first_weight(x, wanted, steps, rate):
    return torch.tensor(1.)


def number_from(found: Any) -> float:
    try:
        return float(found)
    except (TypeError, ValueError):
        raise Misread(f"Your function should return a weight; it returned {kind_of(found)}.") from None


def the_best_of_each_run(answer: Any, _: Any) -> Iterator[Part]:
    if not callable(answer):
        raise Misread(f"Your answer should be a function, and {kind_of(answer)} is none. Mend `best_weight`, "
                      "and then write `answer_8b = best_weight`.")
    try:
        inspect.signature(answer).bind("x", "wanted", "steps", "rate")
    except TypeError:
        raise Misread("Your function should take `x`, `wanted`, `steps` and `rate`.") from None
    package = package_of(answer)
    x = package.tensor(POINTS)
    wanted = 3 * x + 0.5 + package.tensor(NOISE)
    right_x = torch.tensor(POINTS)
    right_wanted = 3 * right_x + 0.5 + torch.tensor(NOISE)
    for (steps, rate), name in zip(TRIED, PARTS, strict=True):
        got = number_from(answer(x, wanted, steps, rate))
        want = mended(right_x, right_wanted, steps, rate).item()
        yield Part(name, got, want, f"With {steps} steps and the rate {rate:g}, your function returned "
                   f"{got:.4f}. The loss is smallest at {want:.4f}.")


EXERCISES = (
    Exercise("8a", "Four new rows of the Saved Table", {row: f"the edit for `{row}`" for row in ROWS},
             expected=edits_that_fail,
             paper="Four new rows for your Saved Table. `t` is the input of a line and `y` its result; one "
             "of them is changed in place, and autograd counts the write. Which edit makes the backward pass "
             "fail: that of the *input*, of the *output*, *both* or *none*? The slopes are: for `t.cos()`, "
             "`-t.sin()`; for `t / 4`, 1/4; for `t.tanh()`, 1 − `y`²; for `t.norm()`, `t / y`.",
             hints=("Which of the two, `t` or `y`, does the slope contain?",
                    "Run the line, then `y.sum()`, an edit with `add_(5)` and the backward pass."),
             wrong=(Wrong(lambda _: dict.fromkeys(ROWS, "both"), "M18",
                          "An edit does no harm where the slope doesn't contain the edited tensor."),
                    Wrong(lambda _: {"t.tanh()": "input"}, None,
                          "The slope of `t.tanh()` is computed from the result."),
                    Wrong(lambda _: {"t.norm()": "input"}, None,
                          "The slope of `t.norm()` is `t / y`, so it is computed from both."))),
    Exercise("8b", "Mend the program", PARTS, judge=the_best_of_each_run, example=lambda _: mended,
             paper="`best_weight` should return the weight with the smallest loss. In one case the loss is "
             "smallest at the start, where `w` is 1, and it grows from step to step. Yet the function "
             "returns the weight at the end, and there is no error. Write the wrong line as it should be.",
             hints=("Print `best` and `w` at the end of each step.",
                    "Compare `best.data_ptr()` with `w.data_ptr()`."),
             wrong=(Wrong(lambda _: unmended, "M82",
                          "`best` and `w` share their memory, so each step changes both."),
                    Wrong(lambda _: first_weight, None,
                          "In another run, the loss falls, and the first weight isn't the best one."))),
)
