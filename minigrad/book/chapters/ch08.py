"""Chapter 8, "Changed behind its back": its questions and exercises."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import minigrad as torch

from ..claims import package_of
from ..comparing import same
from ..exercises import Exercise, Part, Wrong
from ..questions import Option, Question
from ..reading import Misread, in_order
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
               "`y` was computed from 7, so 70 can't be its gradient."),
    ), told="changed since|whose version|saved at version"),
    Question("8.2", "`x` is 1, and `y = x ** 2`. Then `x.data.mul_(100)` runs. What is `x.grad` after "
             "`y.backward()`?", (
        Option("2, because `y` was computed before the edit", "M81",
               "The square saved `x` itself, and the memory of `x` holds 100 now."),
        Option("`None`, because the edit makes the pass fail", "M19",
               "The write through `.data` isn't counted, so nothing fails."),
        Option("200, because the pass reads `x` after the edit", None,
               "The pass computes 2 times `x`, and finds 100 in the memory of `x`."),
    ), told=r"\b200\b|was not counted|reads the edited"),
    Question("8.3", "`loss = ((w * x + b - wanted) ** 2).mean()` is computed with `w` = 1; `x` requires no "
             "gradient. Then `w.fill_(5.)` runs under `no_grad`, and the version of `w` goes up. What does "
             "`loss.backward()` do?", (
        Option("it stores the gradient for the new weight, 5", "M08",
               "The graph belongs to the forward pass that ran, and no operation reads `w` again."),
        Option("it stores the gradient for the old weight, 1", None,
               "The pass reads `x` and the differences that the square saved, and neither has changed."),
        Option("it stores no gradient, and raises an error", "M18",
               "Only the versions of saved tensors are compared, and `w` wasn't saved."),
    ), told="old weight|product saved|a saved value"),
)


# --- 8a: four more rows of the Saved Table ------------------------------------------------------------------

LINES = {  # which edit makes the backward pass fail: {line: its slope}
    "input": {"t.cos()": "-t.sin()", "t.square()": "2t", "t.log1p()": "1 / (1 + t)"},
    "none": {"3 - t": "-1", "t - 3": "1", "t.flip(0)": "0 or 1"},
    "output": {"t.tanh()": "1 - y²", "t.sigmoid()": "y - y²", "t.tan()": "1 + y²"},
    "both": {"t.norm()": "t / y", "t.prod()": "y / t", "t.logsumexp(0)": "(t - y).exp()"},
}
NAMES = {f"line {at}": f"your answer to line {at}" for at in (1, 2, 3, 4)}


def with_slope(edit: str, line: str) -> str:
    return f"{line}: slope {LINES[edit][line]}"


STANDARD = [with_slope(edit, next(iter(lines))) for edit, lines in LINES.items()]


def draw_lines(rng) -> list[str]:
    """One line of each kind, in any order."""
    edits = rng.sample(list(LINES), 4)
    return [with_slope(edit, rng.choice(list(LINES[edit]))) for edit in edits]


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


def edits_that_fail(lines: list[str]) -> list[str]:
    """For each line of 8a: the edit that makes the backward pass fail, found by trying."""
    words = {(True, False): "input", (False, True): "output", (True, True): "both", (False, False): "none"}
    codes = [line.partition(":")[0] for line in lines]
    return [words[fails(lambda t, code=code: eval(code, {"t": t}), True),
                  fails(lambda t, code=code: eval(code, {"t": t}), False)] for code in codes]


def edits_of_lines(answer: Any, lines: list[str]) -> Iterator[Part]:
    """8a: the parts of an answer; `t` and `y` are other names of the input and the output."""
    right = edits_that_fail(lines)
    for line, want, (name, got) in zip(lines, right, in_order(answer, NAMES, right).items(), strict=True):
        code = line.partition(":")[0]
        got = {"t": "input", "y": "output"}.get(got, got) if isinstance(got, str) else got
        says = f'For `{code}`, "{got}" is not right.'
        if not any(same(got, edit, 0) for edit in LINES):
            says = f'For `{code}`, answer with "input", "output", "both" or "none".'
        yield Part(name, got, want, says)


def taken_for(edit: str, other: str) -> Callable[[list[str]], list[str]]:
    """The answer of a learner who takes the lines of one kind for those of another."""
    return lambda lines: [other if right == edit else right for right in edits_that_fail(lines)]


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
        return float(found.detach() if hasattr(found, "detach") else found)
    except (RuntimeError, TypeError, ValueError):
        raise Misread(f"Your function should return a weight; it returned {kind_of(found)}.") from None


def the_best_of_each_run(answer: Any, _: Any) -> Iterator[Part]:
    if not callable(answer):
        raise Misread(f"Your answer should be a function; it is {kind_of(answer)}. Mend `best_weight`, "
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
        yield Part(name, got, want, f"With {steps} steps and a rate of {rate:g}, your function returned "
                   f"{got:.4f}. The loss is smallest at {want:.4f}.")


EXERCISES = (
    Exercise("8a", "Four new rows of the Saved Table", NAMES, expected=edits_that_fail, judge=edits_of_lines,
             standard=STANDARD, draw=draw_lines,
             paper="Four new rows for your Saved Table, given with their slopes. `t` is the input of a line "
             "and `y` its result; one of them is changed in place, and autograd counts the write. A change "
             "of which one makes the backward pass fail? Answer *input*, *output*, *both* or *none*.",
             hints=("Which of the two, `t` or `y`, does the slope contain?",
                    "Compute `loss = y.sum()`, edit `t` or `y` with `add_(5)` under `no_grad`, and then call "
                    "`loss.backward()`."),
             wrong=(Wrong(lambda lines: ["both"] * len(lines), "M18",
                          "An edit does no harm where the slope doesn't contain the edited tensor."),
                    Wrong(taken_for("output", "input"), None, "The slope is computed from the result, `y`."),
                    Wrong(taken_for("input", "output"), None, "The slope is computed from the input, `t`."),
                    Wrong(taken_for("both", "input"), None, "The slope contains `y`, too."),
                    Wrong(taken_for("both", "output"), None, "The slope contains `t`, too."),
                    Wrong(taken_for("none", "input"), None, "The slope contains neither `t` nor `y`."),
                    Wrong(taken_for("none", "output"), None, "The slope contains neither `t` nor `y`."))),
    Exercise("8b", "Mend the program", PARTS, judge=the_best_of_each_run, example=lambda _: mended,
             paper="`best_weight` should return the weight with the smallest loss. In one case the loss is "
             "smallest at the start, where `w` is 1, and it grows from step to step. Yet the function "
             "returns the weight at the end, and there is no error. Write the wrong line as it should be.",
             hints=("Print `best` and `w` at the end of each step.",
                    "Compare `best.data_ptr()` with `w.data_ptr()`."),
             wrong=(Wrong(lambda _: unmended, "M82",
                          "`best` and `w` share their memory, so each step changes both."),
                    Wrong(lambda _: first_weight, None,
                          "In this run the loss falls, so the first weight isn't the best one."))),
)
