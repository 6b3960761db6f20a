"""The appendix, "From the notes": its questions and exercises."""
from __future__ import annotations

import re
import warnings
from typing import Any

import minigrad as torch

from ..deciding import judged, numbers
from ..exercises import Exercise, Wrong
from ..notes import Note
from ..questions import Option, Question

IDEAS = ("Variable", "volatile", "stochastic node")

def what_volatile_does(printed: str) -> str:
    """Return what 16.1 claims: whether the product is recorded, if making `v` gave a warning."""
    recorded = "True" in printed.split()
    if "Error: " in printed:
        return "raises"
    return "yes" if recorded and "UserWarning" in printed else "yes, without a warning" if recorded else "no"


QUESTIONS = (
    Question("16.1", "`v` is made with `volatile=True`, and `w` requires a gradient. Is `w * v` recorded "
             "today?", (
        Option("no: `v` still keeps the line from being recorded", "M96",
               "The argument has had no effect since 2018, so `v` is a constant like any other."),
        Option("no: the argument was removed, so it raises an error", "M97",
               "Making `v` gives a warning, and then the program goes on.", claims="raises"),
        Option("yes: the argument gives a warning, and nothing else", None,
               "The line is recorded, because `w` requires a gradient."),
    ), told="since 2018|no effect|records everything",
        explains="An argument that has lost its effect is worse than one that raises an error: the old "
        "program runs, records everything, and needs more memory than its author planned.",
        decided=what_volatile_does),
)


def both_gradients_agree(printed: str) -> str:
    found = numbers(printed)
    return judged(len(found) == 12 and found[:6] == found[6:])


def gradient_of_a_result_is_not_stored(printed: str) -> str:
    """Return the verdict on the note: used, not stored, and kept by retain_grad()."""
    sevens, a_first, ones, a_second = (numbers(line) for line in re.findall(r"tensor\((.*?)\)", printed))
    return judged(sevens == [7.] * 4 and a_first == ones == [1.] * 4 and a_second == [2.] * 4)


def kinds_in(printed: str) -> set[str]:
    """Return the kinds of elements in a picture's words, where leaves and constants are tensors.

    Raises:
        ValueError: no element is in the words.
    """
    found = re.findall(r"^n\d+ (\w+)", printed, re.MULTILINE)
    if not found:
        raise ValueError("no picture was shown")
    return {"tensor" if kind in ("leaf", "constant") else kind for kind in found}


NOTES = (
    Note("16.n1", "right in its time",
         says="Until PyTorch 0.4, of 2018, a Variable was a wrapper around a tensor. Today every tensor is a "
         "Variable, and every Variable is a tensor. `v` is a new tensor that shares its memory with `t`.",
         instead="write `torch.tensor([3., 5.], requires_grad=True)`.",
         told="every Variable is a tensor|no box", rows=("A4",),
         decided=lambda printed: judged("True True" not in printed, held=True)),
    Note("16.n2", "right in its time",
         says="Before PyTorch 0.4, of 2018, no result that depended on a volatile input was recorded, and "
         "the note's output is from that time. Today the argument only gives a warning, which the note "
         "quotes: the line was recorded, because `w` requires a gradient.",
         instead="put the lines that should not be recorded into a `with torch.no_grad():` block. The note, "
         "of 2018, adds that `no_grad` has taken the place of `volatile`.",
         told="only gives a warning|right until 2018", rows=("C5",),
         decided=lambda printed: judged("False" in printed.split(), held=True)),
    Note("16.n3", "right in its time",
         says="Until 2017, this was how you trained such a model. The note is a year younger, so the "
         "sentence was right in the time of the source that it translates. The method is gone, and its error "
         "message shows what to write instead: a loss of your own.",
         instead="`-p[action].log() * reward`. Averaged over the draws, its gradient is minus that of the "
         "expected reward.", told="method is gone|loss of your own",
         rows=("C10",), decided=lambda printed: judged("Error" not in printed, held=True)),
    Note("16.n4", "right in its time",
         says="In 2017, this was the way to update a weight, and it still gives the right numbers. The guess "
         "is wrong. The picture shows no cycle: an edge leads from the node of the write to the node of the "
         "product, and none leads back. `w.sub_` is refused because `w` would become the result of an "
         "operation, and no longer be a leaf.",
         instead="write to weights under `no_grad`. Writes to `w.data` are not counted.",
         told=r"shows no cycle|none leads\s+back|no longer be a leaf|was the way", rows=("A4",),
         decided=lambda printed: judged("a leaf Variable" not in printed,
         held=numbers(printed)[0] > numbers(printed)[3])),
    Note("16.n5", "right",
         says="`z` has four elements, and each number in the argument is multiplied by the derivative 2. The "
         "printed gradient is five times as large. Probably five passes added up, and the cell was run as "
         "110, 111, 112, 113 and 114. `retain_graph=True` kept these runs from failing.",
         instead="empty the drawer before each pass, in the same cell.",
         told=r"five times|five passes|\b0\.02\b|110", rows=("D5",),
         decided=lambda printed: judged("tensor([4.0000, 0.4000, 0.0200, 0.0020])" in printed)),
    Note("16.n6", "right",
         says="The note derives the gradient by hand, and `backward()` prints the same six numbers. With "
         "y = t + 1, the slope of 2y² is 4y, and the mean divides it by 6: that is 2/3 · (t + 1).",
         told=r"same six|4y|divides it by 6", rows=("B4",), decided=both_gradients_agree),
    Note("16.n7", "wrong",
         says="It does take a list, but of the tensors where the pass starts. Leaves are where it ends, and "
         "neither `losses` nor `penalty` is a leaf. The rest is right. Further on, the note calls such a "
         "tensor the root.",
         instead="the tensors at which a pass starts are its **roots**.",
         told=r"\broots\b|where (a|the) pass (starts|ends)|pass ends at", rows=("C1",),
         decided=lambda printed: judged(re.findall("True|False", printed)[:2] == ["True", "True"])),
    Note("16.n8", "right",
         says="The first run freed the factors that the product had saved, so the same line fails when it is "
         "run again.",
         instead="use one cell that you can rerun: empty the drawers, compute the loss, and run the backward "
         "pass.", told=r"fails when it is run again|freed the factors",
         rows=("B9",), decided=lambda printed: judged("RuntimeError" in printed)),
    Note("16.n9", "right",
         says="Integers and booleans can't require gradients. With this sentence the note corrects its "
              "first section, which speaks of every tensor. Its line with the slip has never run as printed.",
         instead="Every tensor of floating-point (or complex) numbers can require gradients.",
         told="corrects it|too general|can't require", rows=("B3",),
         decided=lambda printed: judged("can require gradients" in printed or "RuntimeError" in printed)),
    Note("16.n10", "right",
         says="In this picture of the calculation, each element is a tensor or an operation. What PyTorch "
              "records for a backward pass is another graph; chapter 3 shows it.",
         instead="Say which of the two graphs you mean.",
         told="no tensor is a node|consists of nodes|is right about the mathematics", rows=("E11",),
         decided=lambda printed: judged(kinds_in(printed) <= {"tensor", "operation"})),
    Note("16.n11", "right",
         says="The gradient of `c` is computed and used, `c.grad` is `None` after the pass, and "
         "`retain_grad` keeps the gradient. Only the word \"cleared\" is loose: a pass doesn't touch "
         "`c.grad`, so the sevens were still there.",
         instead="Say that the gradient of `c` isn't stored, unless you ask for it.",
         told="sevens were still|is loose|doesn't touch", rows=("C3",),
         decided=gradient_of_a_result_is_not_stored),
    Note("16.n12", "wrong",
         says="The second assignment replaced 2 by 7. The third failed because of its shape, and the fourth "
         "because of its dtype: `torch.tensor(7)` holds an integer. `p.grad` takes `None`, or a tensor with "
         "the shape and the dtype of `p`. In early 2017, no assignment to `.grad` was possible. The source "
         "that the note translates is newer, and the sentence was out of date in it.",
         instead="write `torch.tensor(7.)`, with a decimal point.", told="because of its|holds an integer",
         rows=("C11",), decided=lambda printed: judged("tensor(7.)" not in printed)),
    Note("16.n13", "right",
         says="The hook doubles what each pass delivers, and after `remove()` it is no longer called. What "
         "was already in the drawer is not doubled: 2 and 2 are 4, and the third pass adds 1.",
         told="what each pass delivers, and after|is not doubled", rows=("C6",),
         decided=lambda printed: judged(numbers(printed) == [2] * 3 + [4] * 3 + [5] * 3)),
)


SETUP = """
w = torch.ones(3, requires_grad=True)
v = torch.autograd.Variable(torch.ones(3), requires_grad=True)
y = (w * v).sum()
y.backward(retain_graph=True)
"""
LINES = ("y.data[0]", "y.creator", "v.volatile", "w.grad.data.zero_()", "v.data.sum()",
         "torch.autograd.backward([y], [torch.ones(())])")


def still_run(_=None) -> set[str]:
    """The old lines of 16a that raise no error, found by running each."""
    return {line for line in LINES if runs(line)}


def runs(line: str) -> bool:
    names: dict[str, Any] = {"torch": torch}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(SETUP, names)
        try:
            exec(line, names)
        except (AttributeError, IndexError):
            return False
    return True


EXERCISES = (
    Exercise("16a", "Which of the six old lines still run?", expected=still_run, choices=LINES,
             paper="`w` and `v` require a gradient, `y = (w * v).sum()`, and "
             "`y.backward(retain_graph=True)` has run. Which of these old lines run today without an error? "
             "Tick them.",
             hints=("Two lines use something that is gone. Look for what the tables on this page replace.",
                    "`y` is a single number: it has no dimension to index."),
             wrong=(Wrong(lambda _: still_run() | {"y.creator"}, None,
                          "Today, the node of a result is in `y.grad_fn`."),
                    Wrong(lambda _: still_run() | {"y.data[0]"}, None,
                          "`y` has no dimension, so there is nothing to index; `y.item()` gives its value."),
                    Wrong(lambda _: still_run() - {"v.volatile"}, "M97",
                          "One of these lines only warns.")),
             why="A line that fails tells you so itself; in an old program, look longer at the lines that "
             "still run."),
)
