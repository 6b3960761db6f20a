"""Chapter 8, "Changed behind its back": its questions and exercises."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import minigrad as torch

from ...classroom.comparing import same
from ...classroom.deciding import Contrast, judged, numbers
from ...classroom.exercise import Exercise, Part, Wrong
from ...classroom.notes import Note
from ...classroom.questions import Option, Question
from ...classroom.reading import Misread, in_order
from ...classroom.saying import kind_of
from ..packages import package_of

IDEAS = ("in place", "version", "view", "`.data`", "false alarm", "anomaly mode")


def writes_beside(part_of: Callable[[Any], Any]) -> None:
    """Run the program of 8.4; `part_of` takes a part of the buffer, as a view or as a copy."""
    w = torch.tensor([1., 2.], requires_grad=True)
    buffer = torch.arange(4.)
    loss = (w * part_of(buffer)).sum()
    buffer[3] = 9.
    loss.backward()


A_VIEW = Contrast("it raises an error, because `part` is a view of `buffer`",
                  lambda: writes_beside(lambda buffer: buffer[:2]),
                  lambda: writes_beside(lambda buffer: buffer[:2].clone()))


def gradient_after_a_hidden_write() -> float:
    """Return the gradient of a square at 3 whose input was multiplied by 100 through `.data`."""
    x = torch.tensor(3., requires_grad=True)
    y = x ** 2
    x.data.mul_(100)
    y.backward()
    return x.grad.item()


def what_the_other_counter_does(printed: str) -> str:
    """Return what 8.3 asks for: the gradient that `loss.backward()` stored, if it raised no error."""
    if "RuntimeError" in printed:
        return "it raises an error"
    return "it stores `[{:g}., {:g}.]`".format(*numbers(printed))


QUESTIONS = (
    Question("8.1", "What does `y.backward()` do?", (
        Option("it uses the old value, 7, and `x.grad` is -14", "M37",
               "The square saved `t` itself, and not a copy of its value."),
        Option("it raises an error, and it uses neither value", None,
               "The square saved `t`, and `t` has been changed since then."),
        Option("it uses the new value, 35, and `x.grad` is -70", "M08",
               "The pass noticed the write, and computed nothing with 35."),
    ), told="changed since|whose version|saved at version|modified by an inplace|is at version|"
             "message names",
             decided=lambda printed: "it raises an error, and it uses neither value"
             if "modified by an inplace operation" in printed else "no error",
             explains="The message names two versions, and a version counts the writes to a tensor."),
    Question("8.2", "`t` is a tensor, and seven writes change its memory: three through `t`, of which one is "
             "in a `no_grad` block, and one each through `t.view(3, 1)`, `t.detach()`, `t.data` and "
             "`t.numpy()`. What is `t._version` afterwards?", (
        Option("4: all but those through `t.detach()`, `t.data` and NumPy", "M82",
               "`t.detach()` is no copy: it shares the memory of `t`, and also its counter."),
        Option("5: all but those through `t.data` and NumPy", None,
               "`t`, its view and `t.detach()` share a counter, which counted five writes."),
        Option("7: all, because they change the same memory", "M19",
               "`t.data` shares the memory of `t`, but it has a counter of its own."),
    ), told="all but|share a counter|counted five|counter of its own", mark="2",
             decided=lambda printed: f"{numbers(printed.splitlines()[-1])[0]:g}",
             explains="`no_grad` stops the recording, and not the counting. `t.data` has a counter of its "
             "own, which counted one write. The NumPy array has no counter."),
    Question("8.3", "`x` holds 1 and 2, and requires no gradient. `w` holds 3 and 5, and does. `d = x.data` "
             "and `loss = (w * d).sum()`. Then `x.mul_(2)` runs. What does `loss.backward()` do?", (
        Option("it stores `[1., 2.]`: the product saved these numbers", "M37",
               "The product saved `d` itself, and `d` uses the memory of `x`, which now holds 2 and 4."),
        Option("it stores `[2., 4.]`: the version of `d` is still 0", None,
               "The write raised the version of `x`. The product saved `d`, which has a counter of its own."),
        Option("it raises an error: the version of `x` is now 1", "M18",
               "No node saved `x`. The product saved `d`, which has a counter of its own."),
    ), told=r"\[2\., 4\.\]|still 0|product saved `d`", mark="2",
             decided=what_the_other_counter_does,
             explains="`[1., 2.]` would be right. `backward()` compares the version of the saved tensor, and "
             "not that of another tensor with the same memory. So a sentence that PyTorch's documentation "
             "has had since 1.3.1 (2019) isn't always true: \"if you're using in-place functions and not "
             "seeing any errors, you can be sure that the computed gradients are correct\"."),
    Question("8.4", "`w` holds 1 and 2, and requires a gradient; `buffer` holds 0, 1, 2, 3. `part = "
             "buffer[:2]` and `loss = (w * part).sum()`. Then `buffer[3] = 9.` runs. What does "
             "`loss.backward()` do?", (
        Option("it stores `[0., 1.]`, because `part` is unchanged", "M180",
               "The numbers are not compared. The version of `part` has gone up, and that is enough."),
        Option("it stores `[0., 1.]`, because slicing made a copy", "M181",
               "A slice is a view: `part` uses the memory of `buffer`."),
        Option("it raises an error, because `part` is a view of `buffer`", None,
               "`buffer[3] = 9.` raised the version of `part` from 0 to 1, and the product had saved `part` "
               "at version 0."),
    ), told="same counter|one counter|go(es|ne) up, and|false alarm",
             decided=lambda printed: A_VIEW(printed) if "RuntimeError" in printed else "no error",
             explains="The gradient would have been right, so this error is a false alarm: `backward()` "
             "compares versions, and not numbers. To compare numbers, it would need a copy of each saved "
             "tensor.\nThe product saved `part`, which uses elements 0 and 1 "
             "of the memory. The write changed element 3, but `buffer` and `part` share one counter. With "
             "`part = buffer[:2].clone()`, there would be no error: a copy has a memory and a counter of its "
             "own."),
    Question("8.5", "`w` and `v` require a gradient; `x` doesn't. What happens in these five lines?", (
        Option("no error: the second pass uses the old weights", "M37",
               "The product saved `v` itself, and not a copy, so the old value is gone."),
        Option("the second pass raises an error: the step moved `v`", None,
               "The product `v * (w * x)` saved `v`, because `w * x` requires a gradient. The step wrote "
               "to `v`."),
        Option("the step raises an error: the second pass needs `v`", "M18",
               "The step may write to a saved tensor; only a pass that reads this tensor fails."),
        Option("no error: the second pass uses the new weights", "M08",
               "The pass compares versions first, and computes nothing with the new `v`."),
    ), paper="`w` is 1, `v` is 2, and both require a gradient; `x` doesn't. `y = v * (w * x)`, "
             "`first = (y ** 2).mean()`, and `second = ((y - target) ** 2).mean()`. "
             "`first.backward(retain_graph=True)` runs, then `sgd.step()`, and then `second.backward()`. "
             "What happens?",
        told=r"has moved `v`|saved `v`|belong to the new",
        decided=lambda printed: "the step raises an error" if "v is" not in printed else
        "the second pass raises an error" if "RuntimeError" in printed else "no error",
        explains="One way out is a second forward pass, as in the next cell: its loss and its gradient "
        "belong to the new weights. If both gradients should belong to the same weights, take the step "
        "after both backward passes."),
)

NOTES = (
    Note("8.n1", "lucky",
         says="The result is right, because `2 * x` had saved the 2 and nothing else. In the first "
         "program, `w * x` had saved `x`. A square saves its input, so with `x ** 2` the same write makes "
         "the gradient wrong, as `a ** 2` showed. Another of the notes advises against such writes, because "
         "autograd can't see them, and is right.",
         instead="before you write to a tensor, ask which node has saved it.",
         told=r"saved the 2 and nothing|had saved\s+`x`", rows=("D7",),
         decided=lambda printed: judged(gradient_after_a_hidden_write() == 6,
                                        result=numbers(printed)[-2:] == [100., 2.])),
)


# --- 8a: four more rows of the Saved Table ------------------------------------------------------------------

LINES = {  # which edit makes the backward pass fail
    "input": ("t.cos()", "t.square()", "t.log1p()"),
    "none": ("3 - t", "t - 3", "t.flip(0)"),
    "output": ("t.tanh()", "t.sigmoid()", "t.tan()"),
    "both": ("t.norm()", "t.prod()", "t.logsumexp(0)"),
}
NAMES = {f"line {at}": f"your answer to line {at}" for at in (1, 2, 3, 4)}


STANDARD = [lines[0] for lines in LINES.values()]


def draw_lines(rng) -> list[str]:
    """One line of each kind, in any order."""
    return [rng.choice(LINES[edit]) for edit in rng.sample(list(LINES), 4)]


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
    return [words[fails(lambda t, code=code: eval(code, {"t": t}), True),
                  fails(lambda t, code=code: eval(code, {"t": t}), False)] for code in lines]


def edits_of_lines(answer: Any, lines: list[str]) -> Iterator[Part]:
    """8a: the parts of an answer; `t` and `y` are other names of the input and the output."""
    right = edits_that_fail(lines)
    for line, want, (name, got) in zip(lines, right, in_order(answer, NAMES, right).items(), strict=True):
        got = {"t": "input", "y": "output"}.get(got, got) if isinstance(got, str) else got
        says = f'For `{line}`, "{got}" is not right.'
        if not any(same(got, edit, 0) for edit in LINES):
            says = f'For `{line}`, answer with "input", "output", "both" or "none".'
        yield Part(name, got, want, says)


def taken_for(edit: str, other: str) -> Callable[[list[str]], list[str]]:
    """The answer of a learner who takes the lines of one kind for those of another."""
    return lambda lines: [other if right == edit else right for right in edits_that_fail(lines)]


# --- 8b: a program with a symptom ---------------------------------------------------------------------------

POINTS = [place / 4 - 1 for place in range(9)]
NOISE = [0.1, -0.1, 0.2, 0., -0.2, 0.1, 0., -0.1, 0.]
PARTS = {"growing": "the weight of the run in which the loss grows",
         "falling": "the weight of the run in which the loss falls"}
TRIED = ((4, 3.), (5, 1.))  # steps and rate of the two runs


def searching(keep: Callable[[Any], Any]) -> Callable[..., Any]:
    """Return the program of 8b; `keep` is what it does with the weight that is the best so far."""
    def best_weight(x, target, steps, rate):
        w = torch.tensor(1., requires_grad=True)
        best, smallest = None, float("inf")
        for _ in range(steps):
            loss = ((w * x - target) ** 2).mean()
            if loss.item() < smallest:
                best, smallest = keep(w), loss.item()
            w.grad = None
            loss.backward()
            with torch.no_grad():
                w -= rate * w.grad
        return best
    return best_weight


fixed = searching(lambda w: w.detach().clone())
broken = searching(lambda w: w.detach())


def first_weight(x, target, steps, rate):
    return torch.tensor(1.)


def number_from(found: Any) -> float:
    try:
        return float(found.detach() if hasattr(found, "detach") else found)
    except (RuntimeError, TypeError, ValueError):
        raise Misread(f"Your function should return a weight; it returned {kind_of(found)}.") from None


def the_best_of_each_run(answer: Any, _: Any) -> Iterator[Part]:
    if not callable(answer):
        raise Misread(f"Your answer should be a function; it is {kind_of(answer)}. Fix `best_weight`, "
                      "and then write `answer_8b = best_weight`.")
    try:
        inspect.signature(answer).bind("x", "target", "steps", "rate")
    except (TypeError, ValueError):
        raise Misread("Your function should take `x`, `target`, `steps` and `rate`.") from None
    package = package_of(answer)
    x = package.tensor(POINTS)
    target = 3 * x + 0.5 + package.tensor(NOISE)
    right_x = torch.tensor(POINTS)
    right_target = 3 * right_x + 0.5 + torch.tensor(NOISE)
    for (steps, rate), name in zip(TRIED, PARTS, strict=True):
        found = answer(x, target, steps, rate)
        got, want = number_from(found), fixed(right_x, right_target, steps, rate).item()
        if got != want and getattr(found, "is_leaf", False) and found.requires_grad:
            raise Misread("Your function returned `w` itself, and each step changes `w`. Return a copy of "
                          "the best weight.")
        yield Part(name, got, want, f"With {steps} steps and a rate of {rate:g}, your function returned "
                   f"{got:.4f}. The loss is smallest at {want:.4f}.")


EXERCISES = (
    Exercise("8a", "Four new rows of the Saved Table", NAMES, expected=edits_that_fail, judge=edits_of_lines,
             standard=STANDARD, draw=draw_lines,
             paper="Four new rows for your Saved Table: `t` is the input of a line, `y` its result. Which "
             "counted write before the backward pass, to `t` or to `y`, makes the pass fail? Answer *input*, "
             "*output*, *both* or *none*.",
             hints=("Work out the local derivative: is it quicker to compute from `t`, or from `y`?",
                    "Compute `loss = y.sum()`, write to `t` or `y` with `add_(5)` under `no_grad`, and then "
                    "call `loss.backward()`."),
             wrong=(Wrong(lambda lines: ["both"] * len(lines), "M18",
                          "A write does no harm where the derivative doesn't contain the tensor."),
                    Wrong(taken_for("output", "input"), None, "The derivative is computed from the result, "
                          "`y`."),
                    Wrong(taken_for("input", "output"), None, "The derivative is computed from the input, "
                          "`t`."),
                    Wrong(taken_for("both", "input"), None, "The derivative also contains `y`."),
                    Wrong(taken_for("both", "output"), None, "The derivative also contains `t`."),
                    Wrong(taken_for("none", "input"), None, "The derivative contains neither `t` nor `y`."),
                    Wrong(taken_for("none", "output"), None, "The derivative contains neither `t` nor `y`."),
                    Wrong(taken_for("input", "none"), None, "The derivative contains `t`, so the node saves "
                          "`t`."),
                    Wrong(taken_for("output", "none"), None, "The derivative contains `y`, so the node saves "
                          "`y`."),
                    Wrong(taken_for("both", "none"), None, "The derivative contains `t` and `y`, so the node "
                          "saves both.")),
             why="A write to what the derivative contains makes the pass fail: `-sin(t)` for `cos` contains "
             "the input, `1 - y ** 2` for `tanh` the output, `t / y` for `norm` both, and -1 for `3 - t` "
             "neither."),
    Exercise("8b", "Fix the program", PARTS, judge=the_best_of_each_run, example=lambda _: fixed,
             paper="`best_weight` should return the weight with the smallest loss. In one case the loss is "
             "smallest at the start, where `w` is 1, and it grows from step to step. Yet the function "
             "returns the weight at the end, and there is no error. Write the wrong line as it should be.",
             hints=("Print `best` and `w` at the end of each step.",
                    "Compare `best.data_ptr()` with `w.data_ptr()`."),
             wrong=(Wrong(lambda _: broken, "M82",
                          "what your function returns uses the memory of `w`, so each step changes it.",
                          paper="`w.detach()`"),
                    Wrong(lambda _: first_weight, None,
                          "In this run the loss falls, so the first weight isn't the best one.",
                          paper="`torch.tensor(1.)`")),
             why="`w.detach()` shares its memory with `w`, so each later step also changed `best`. A copy, "
             "or a number, has a memory of its own."),
)
