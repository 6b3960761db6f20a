"""The page of measurements on paper: what to call and where, the code, and what each was measured to show.

What a measurement shows is read from the bugs' `measurements`, which a test compares with runs of patients.
The false alarms have programs, and a test runs them.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from ..classroom.measurements import MEASUREMENTS, code_of
from ..classroom.patients.bugs import BUGS
from .pdf import Form, Made, save_page
from .sheet_markdown import Page

CHAPTER = 15
TITLE = "The page of measurements"
INTRO = ("Take the measurements in this order, and write down what you expect before you look. Copy them "
         "into the script.")
TWIN_BUGS = (("dropout_always", "dropout_made_in_forward"), ("largest_score", "whole_share"))
MOST = 5  # bugs are named; docs/patients.md has them all
TWINS = "No measurement tells these apart: "


class Entry(NamedTuple):
    """What the page says about one measurement, beside its code."""

    call: str
    where: str
    blind: str      # what it can't show
    alarm: str      # what looks like a bug and is none
    program: str    # shows the false alarm: `alarm` is true after it


SETUP = """
torch.manual_seed(0)
x = torch.randn(12, 3)
y = x[:, 0] * x[:, 1]
Linear, Dropout, BatchNorm1d = torch.nn.Linear, torch.nn.Dropout, torch.nn.BatchNorm1d

def net(*middle):
    return torch.nn.Sequential(Linear(3, 8), *middle, torch.nn.Tanh(), Linear(8, 1))

def loss_of(x, y):
    return ((model(x)[:, 0] - y) ** 2).mean()

def weights():
    return {name: p.detach().clone() for name, p in model.named_parameters()}

model = net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
"""

ENTRIES = {
    "shapes": Entry(
        "shapes(model(x), y)",
        "before the loop, as `shapes(*locals().values())` before the `return` of `loss_of`, and in a "
        "forward hook of each layer; read every warning",
        "Wrong values with the right shape.",
        "Inside `no_grad()`, and for data, nothing is recorded; that is intended.",
        "with torch.no_grad():\n    alarm = not shapes(model(x))[0][2]"),
    "overfit": Entry(
        "overfit(loss_of, optimizer, x, y)",
        "in a run of its own, with the loss as the loop has it, in evaluation mode; once more with a fresh "
        "`Adam(model.parameters(), lr=0.02)`. Far below 0, the loss has no bound",
        "What is wrong in the loop, in the test, or in other rows.",
        "Dropout in training mode, a penalty, smoothed labels or a small rate keep it above 0.",
        "model = net(Dropout(0.5))\n"
        "alarm = overfit(loss_of, torch.optim.SGD(model.parameters(), lr=0.001), x, y) > 0.1"),
    "nudge": Entry(
        "nudge(lambda: loss_of(x, y), model[0].weight)",
        "after the pass; repeat the lines of the loss, and compare with `weight.grad.view(-1)[0]` "
        "(None: nothing reaches it); safer: all numbers, `at=...`, with `along=way` for `way = "
        "torch.randn(weight.numel())`, and `(weight.grad.view(-1) * way).sum()`",
        "A wrong loss; a cut elsewhere (take a first weight) or with the slope 0.",
        "Dropout draws again; a pixel that is always 0 has slope 0; rounding; near a kink, it shrinks "
        "with `by` (on the kink, add 0.1); random numbers: it grows.",
        "model = net(Dropout(0.5))\n"
        "slopes = {nudge(lambda: loss_of(x, y), model[0].weight) for _ in range(4)}\n"
        "alarm = len(slopes) > 1"),
    "drawers": Entry(
        "drawers(model)",
        "before the first pass after a step, where all are empty; after the pass; and before the step. "
        "`not frozen`: a module was given `requires_grad`, which has no effect",
        "A full drawer with a wrong number.",
        "Gradients of several small batches add up; a weight that no optimizer holds is never emptied.",
        "for rows in x.split(6):\n    before = drawers(model)\n    loss_of(rows, y[:6]).backward()\n"
        "alarm = before['0.weight'] is not None"),
    "moved": Entry(
        "moved(model, optimizer, old)",
        "around a step, and from a step to the next, where nothing may move; call it for each optimizer. "
        "Before the loop, fill the drawers with 0, 1 or 10 and take one step",
        "A wrong gradient.",
        "Momentum and Adam move a weight with a drawer of 0; a rate can be 0.",
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)\nloss_of(x, y).backward()\n"
        "optimizer.step()\nfor p in model.parameters():\n    p.grad.zero_()\nold = weights()\n"
        "optimizer.step()\nalarm = moved(model, optimizer, old)['0.weight'][0] > 0"),
    "again": Entry(
        "again(model, lambda: loss_of(test_x, test_y))",
        "before the test, with exactly what the last line prints, its loop included; print "
        "`model.training` before it; once more with the training rows",
        "What is wrong in both modes.",
        "Dropout, BatchNorm, random rows differ; an accuracy may be equal.",
        "model = net(BatchNorm1d(8), Dropout(0.5))\ntold = again(model, lambda: loss_of(x, y))\n"
        "alarm = told['train'][0] != told['train'][1] and told['eval'][0] != told['train'][0]"),
    "versions": Entry(
        "versions(x, *average, *model.parameters())",
        "for the data and all copies before the loop and after it; for the weights after a step and before "
        "the next: nothing is written in between",
        "A write through `.data`; PyTorch's fused steps; an old copy.",
        "A step raises versions by one, AdamW with decay by two; a slice can have its base's address.",
        "alarm = versions(x, x[:4])[0][1] == 2"),
    "distinct": Entry(
        "distinct(*model[0].weight)",
        "for the rows of each weight before the loop and after it, for some batches of an epoch, for the "
        "batches of two epochs, and for training and test rows together",
        "Two that differ too little.",
        "Zeros in a last layer at the start; rows that occur twice; full batches.",
        "torch.nn.init.zeros_(model[2].weight)\nalarm = distinct(*x.split(6), x[:6]) == (2, 3)"),
    "reaches": Entry(
        "reaches(loss_of, x, y)",
        "before the loop, in evaluation mode, and again after some steps",
        "Rows mixed in batches alone, or only added.",
        "BatchNorm in training mode, a root and a loss that compares rows mix them; dropout draws again.",
        "model = net(BatchNorm1d(8))\nalarm = min(reaches(loss_of, x, y)) > 0"),
    "picture": Entry(
        "picture(x, y)",
        "before the loop for the data and the test rows, for all rows of an epoch, and for a layer in a "
        "forward hook; expect as many different readings as rows, and 17 pixels from 0 to 16",
        "What happens to the rows after the first layer.",
        "Below 30 rows, skip the ratio; noise, useless columns and different sizes raise it.",
        "alarm = picture(x[:9], y[:9])[1] > 0.4"),
}


def shown_by(name: str) -> list[str]:
    """Return the bugs that a measurement was measured to show."""
    return [words_of(bug) for bug, one in BUGS.items() if name in one.measurements.split()]


def what_shows(name: str) -> str:
    """Return what the page says that a measurement shows."""
    told = shown_by(name) or ["no bug of the patients"]
    return ", ".join(told if len(told) <= MOST else [*told[:MOST], f"and {len(told) - MOST} more"])


def words_of(bug: str) -> str:
    return bug.replace("_", " ")


def unshown() -> list[str]:
    """Return the bugs that no measurement shows."""
    return [words_of(bug) for bug, one in BUGS.items() if not one.measurements]


def page_of_measurements(page: Page) -> Page:
    """The ten with their code, and the table of what was measured."""
    page.heading(TITLE, str(CHAPTER))
    page.add(INTRO)
    for at, function in enumerate(MEASUREMENTS, 1):
        one = ENTRIES[function.__name__]
        page.keep()
        page.add(f"**{at} {function.__name__}** `{one.call}`: {one.where}.")
        page.code(code_of(function))
        page.end()
    page.add("## What each shows, and what it doesn't")
    page.add("\n".join(f"- **{name}** shows: {what_shows(name)}. *It can't show:* "
                       f"{one.blind} *False alarms:* {one.alarm}" for name, one in ENTRIES.items()))
    if missing := unshown():
        page.add(f"**No measurement shows:** {', '.join(missing)}.")
    groups = "; ".join(" and ".join(map(words_of, group)) for group in TWIN_BUGS)
    page.add(f"{TWINS}{groups}. Read the lines.")
    return page


def measurements_on_paper(folder: Path, form: Form) -> Iterator[Made]:
    """Write the page as PDF: one sheet of paper, both sides; in large print as many as it takes."""
    page = page_of_measurements(form.page("measurements"))
    yield save_page(folder / f"{CHAPTER:02}-measurements{form.suffix}.pdf", page, TITLE,
                  form if form.large else replace(form, tight=True))
