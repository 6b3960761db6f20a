"""Chapter 8, "Changed behind its back": its questions and exercises."""
from __future__ import annotations

import minigrad as torch

from ..claims import claim
from ..exercises import Exercise, Wrong
from ..questions import Option, Question

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


def doubled(number: float) -> list[float]:
    x = torch.ones(3, requires_grad=True)
    y = x * 2
    x.data[0] = number
    y.sum().backward()
    return x.grad.tolist()


def squared(number: float) -> list[float]:
    x = torch.tensor([1., 2., 3.], requires_grad=True)
    y = (x * x).sum()
    x.data[0] = number
    y.backward()
    return x.grad.tolist()


EXERCISES = (
    Exercise("8a", "Four new rows of the Saved Table", ROWS, expected=edits_that_fail,
             paper="Four new rows for the Saved Table. `t` is changed in place after the line ran, or its "
             "result is; then comes the pass back. Which edit raises an error: that of the *input*, of the "
             "*output*, *both* or *none*? Think of the slope's formula first.",
             hints=("The slope of cos is -sin of the input; which end does it need?",
                    "A norm's slope is t / norm: it needs both ends."),
             wrong=(Wrong(lambda _: dict.fromkeys(ROWS, "both"), "M18", "Which of them needs which number?"),
                    Wrong(lambda _: {**edits_that_fail(), "t.sigmoid()": "input"}, None,
                          "The slope of a sigmoid s is s (1 - s): it is made from the result."))),
    claim("8b", "y = x * 2; x.data[0] = 999; y.backward() gives wrong gradients or crashes", "x.grad",
          doubled, belief="M18",
          paper="A textbook's \"DANGER\": \"`y = x * 2; x.data[0] = 999; y.backward()` gives wrong gradients "
          "or crashes.\" Your verdict, and a witness: what is `x.grad`, if `x` starts with three ones, "
          "`y.sum()` goes back, and your sheet's number stands in place of 999?",
          standard=999, draw=lambda rng: rng.randint(100, 998),
          hints=("What does x * 2 save?", "Sum y, go back, and return x.grad: the slope of x * 2 is 2.")),
    claim("8c", "No error means a right gradient", "x.grad", squared, belief="M20",
          paper="\"If you use in-place operations and see no errors, you can be sure that the gradients are "
          "correct.\" Your verdict, and a witness: lines that change `x[0]` from 1 to your sheet's number so "
          "that nobody notices, and the gradient of `(x * x).sum()` for `[1, 2, 3]` after that.",
          standard=999,
          draw=lambda rng: rng.randint(100, 998),
          hints=("Which way of writing isn't counted?", "Edit x.data[0] after y was computed.")),
)
