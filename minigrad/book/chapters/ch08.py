"""Chapter 8, "Changed behind its back": its questions and exercises."""
from __future__ import annotations

from collections.abc import Iterator

import minigrad as torch

from ..claims import claim
from ..exercises import Exercise, Part, Wrong
from ..questions import Option, Question
from ..reading import as_lists
from ..saying import kind_of

QUESTIONS = (
    Question("8.1", "`t = x + 4`, then `y = (t * t).sum()`, then `t.add_(1)`. What will `y.backward()` do?", (
        Option("give the slopes for the new numbers in `t`", "M08",
               "`y` was computed with the old numbers; no slope of it belongs to the new ones."),
        Option("give the slopes for the old numbers: they were saved", "M37",
               "What is saved is the tensor, not a copy of it."),
        Option("put the slopes for the old numbers into `t`", "M36", "`t` has no drawer."),
        Option("raise an error", None, "`t` was saved, and has been written to since."),
    )),
    Question("8.2", "`x` is 1, `y = x ** 2`, then `x.data *= 100`, then `y.backward()`. "
             "What is `x.grad`?", (
        Option("2: the slope of x² at 1; an edit that did harm would raise an error", "M20",
               "The edit wasn't counted, so nobody noticed."),
        Option("an error, as with any write to a saved tensor", "M19",
               "A write through `.data` is not counted."),
        Option("200", None, "The pass computed 2 · x with the x that it found: 100."),
    )),
    Question("8.3", "`y = x ** 2`, then `y.add_(1)`, then `y.sum().backward()`. What happens?", (
        Option("the right gradient, `2 * x`", None,
               "What was saved, `x`, is as it was, and adding 1 has slope 1."),
        Option("an error: a result was changed in place", "M18",
               "The square saved its input; its result may change."),
        Option("a wrong gradient, and no error", "M18",
               "The write changed nothing that was saved; one that did would raise an error."),
    )),
)
ROWS = ("t.cos()", "t / 4", "t.sigmoid()", "t.norm()")


def edits_that_fail(_=None) -> dict[str, str]:
    """For each row of 8a: the edit that raises an error, found by trying."""
    found = {}
    for line in ROWS:
        failing = [edit for edit in ("input", "output") if fails(line, edit)]
        found[line] = "both" if len(failing) == 2 else (failing or ["none"])[0]
    return found


def fails(line: str, edit: str) -> bool:
    t = torch.tensor([3., 5., 7.], requires_grad=True) + 4
    y = eval(line, {"t": t})
    total = y.sum()
    (t if edit == "input" else y).add_(5)
    try:
        total.backward()
    except RuntimeError:
        return True
    return False


def harmless(numbers, start: list[float]) -> list[float]:
    """x.grad of 8b, for an x that starts with these numbers."""
    x = torch.tensor(start, requires_grad=True)
    y = x * numbers["factor"]
    x.data[0] = numbers["number"]
    y.sum().backward()
    return x.grad.tolist()


def scaled(numbers) -> list[float]:
    return harmless(numbers, [1., 1., 1.])


def silent(number: float, start: list[float]) -> list[float]:
    """x.grad of 8c, for an x that starts with these numbers."""
    x = torch.tensor(start, requires_grad=True)
    y = (x * x).sum()
    x.data[0] = number
    y.backward()
    return x.grad.tolist()


def edited(witness, numbers, torch, gradient) -> Iterator[Part]:
    """8b and 8c: the witness is given two leaves, edits each, and lets a pass run."""
    target = numbers["number"] if isinstance(numbers, dict) else numbers
    for start in ([1., 1., 1.], [4., 2., 3.]) if gradient is harmless else ([1., 2., 3.], [4., 5., 6.]):
        x = torch.tensor(start, requires_grad=True)
        found, want = as_lists(witness(x)), gradient(numbers, start)
        yield Part("witness", as_lists(x)[0], target, f"Your witness left {as_lists(x)[0]:g} in `x[0]`. It "
                   f"should write {target} there, in the `x` that it is given.")
        yield Part("witness", x.grad is not None, True, "Your witness let no backward pass run: the `grad` "
                   "of the `x` that it was given is still `None`.")
        yield Part("witness", x.grad, want, f"For `x` = {kind_of(start)} your lines leave {kind_of(x.grad)} "
                   "in `x.grad`. Edit `x` after `y` was computed, and go back once.")
        yield Part("witness", found, want, f"Your witness returned {kind_of(found)}. Let it return `x.grad`.")


EXERCISES = (
    Exercise("8a", "Four new rows of the Saved Table", {row: f"the edit for `{row}`" for row in ROWS},
             expected=edits_that_fail,
             paper="Four new rows for the Saved Table. `t` is changed in place after the line ran, or its "
             "result is; then comes the pass back. Which edit raises an error: that of the *input*, of the "
             "*output*, *both* or *none*? Think of the slope's formula first.",
             hints=("The slope of `cos` is `-sin` of the input; which end does it need?",
                    "A norm's slope is `t / norm`: it needs both ends."),
             wrong=(Wrong(lambda _: dict.fromkeys(ROWS, "both"), "M18",
                          "An edit is harmless where the slope doesn't need the edited number."),
                    Wrong(lambda _: {"t.sigmoid()": "input"}, None,
                          "The slope of a sigmoid s is s (1 - s): it is computed from the result."))),
    claim("8b", "After y = x * 2; x.data[0] = 999, y.backward() gives the right gradients", "x",
          lambda *given: edited(*given, harmless), scaled, verdict="true", belief="M18",
          paper="A textbook warns: \"DANGER: `y = x * 2; x.data[0] = 999; y.backward()` gives wrong "
          "gradients or crashes.\" A colleague says: \"Here the gradients are right.\" Is the colleague "
          "right? Your verdict, and a witness: what is `x.grad`, if `x` starts with three ones, `y.sum()` "
          "goes back, and your sheet's factor and number stand in place of 2 and 999?",
          standard={"factor": 5., "number": 700},
          draw=lambda rng: {"factor": float(rng.choice((3, 4, 6, 7, 8, 9))), "number": rng.randint(100, 998)},
          hints=("What does `x * 2` save?",
                 "Sum `y`, go back, and return `x.grad`: the slope of `x * 2` is 2.")),
    claim("8c", "No error means a right gradient", "x", lambda *given: edited(*given, silent),
          lambda number: silent(number, [1., 2., 3.]), belief="M20",
          paper="\"If you use in-place operations and see no errors, you can be sure that the gradients are "
          "correct.\" Your verdict, and a witness: `(x * x).sum()` has run for `[1, 2, 3]`. Write lines that "
          "change `x[0]` to your sheet's number and go back, and the `x.grad` that proves your verdict.",
          standard=999,
          draw=lambda rng: rng.randint(100, 998),
          hints=("Which way of writing isn't counted?", "Edit `x.data[0]` after `y` was computed.")),
)
