"""Chapter 6, "Why can't I go back twice?": its questions and exercises."""
from __future__ import annotations

import minigrad as torch

from ..exercises import Exercise, Wrong
from ..questions import Option, Question

QUESTIONS = (
    Question("6.1", "You call `p.backward()`, and then `q.backward()`. What happens?", (
        Option("both work, and `x.grad` ends at 138, the sum of 30 and 108", "M35",
               "The trunk was emptied by the first pass; only the drawer keeps what has arrived."),
        Option("the first works, the second raises an error", None,
               "The first pass used up what the trunk had saved."),
        Option("both work, and `x.grad` ends at 108, the slope of `q`", "M02",
               "A pass that works adds to the drawer; it never replaces what lies there."),
        Option("the first raises an error, because there are two losses", "M46",
               "Each loss is one number of its own, and a pass from one number needs no argument."),
    )),
    Question("6.2", "`p.backward()` ran **with** `retain_graph=True`, and `x.grad` is 30. "
             "Then `q.backward()`, whose slope is 108. What is in `x.grad`?", (
        Option("30: what was retained stays", "M14",
               "`retain_graph` keeps what operations saved; it does nothing to drawers."),
        Option("108: the second pass replaces the first", "M02", "A pass adds."),
        Option("138: the second message is added", None, "The drawer adds, with or without `retain_graph`."),
        Option("an error: somebody must empty the drawer first", "M43",
               "The graph was kept, and a full drawer is no obstacle."),
    )),
    Question("6.3", "`total` is the sum of `x + 4`. You call `total.backward()` twice, without "
             "`retain_graph`. What happens?", (
        Option("an error: the graph was destroyed by the first call", "M13",
               "A pass throws away saved tensors, and here nobody had saved one."),
        Option("no error, and each call puts ones into `x.grad`: it ends at ones", "M02",
               "The second message is added to the first."),
        Option("no error, and `x.grad` ends at twos", None,
               "Sums and additions save nothing, so nothing is missing the second time."),
        Option("an error, unless the first call says `retain_graph=True`", "M12",
               "There is nothing to retain: no operation here saved anything."),
    )),
)

LINES = ("t + 4", "-t", "t.mean()", "t.reshape(3, 1)", "t * 5", "t * t", "t.exp()", "t / 2")


def survivors(_=None) -> set[str]:
    """The lines of 6a that go back twice, found by trying."""
    kept = set()
    for line in LINES:
        t = torch.tensor([3., 5., 7.], requires_grad=True)
        total = eval(line, {"t": t}).sum()
        total.backward()
        try:
            total.backward()
        except RuntimeError:
            continue
        kept.add(line)
    return kept


def two_losses(start: float) -> list:
    """w.grad, or "error", after each line of 6b, for w = start."""
    found = []
    for plan in ("a b", "sum", "retain b"):
        w = torch.tensor(start, requires_grad=True)
        h = w * w
        a, b = 3 * h, h + 1
        first = {"a": a, "b": b, "sum": a + b, "retain": a}
        for step in plan.split():
            try:
                first[step].backward(retain_graph=step == "retain")
                found.append(w.grad.item())
            except RuntimeError:
                found.append("error")
    return found


def detached_steps(numbers) -> list[float]:
    w, h, wanted = torch.tensor(numbers["w"], requires_grad=True), torch.tensor(1.), []
    for _ in range(3):
        h = w * h.detach()
        ((h - 2) ** 2).backward()
        wanted.append(w.grad.item())
    return wanted


def retained_steps(numbers) -> list[float]:
    w, h, found = torch.tensor(numbers["w"], requires_grad=True), torch.tensor(1.), []
    for _ in range(3):
        h = w * h
        ((h - 2) ** 2).backward(retain_graph=True)
        found.append(w.grad.item())
    return found


def steps_alone(numbers) -> list[float]:
    seen = detached_steps(numbers)
    return [after - before for before, after in zip([0., *seen], seen, strict=False)]


def separate_passes(start: float) -> list:
    a, b = 6 * start, 2 * start
    return [a, b, a + b, a, b]


EXERCISES = (
    Exercise("6a", "Which of the eight lines survive a second backward?", expected=survivors, choices=LINES,
             paper="`t` is a leaf with three numbers. Which of these eight lines, each followed by a sum, "
             "survive a second pass back? Tick them.",
             hints=("Which of them need a number again, to say what their slope is?",
                    "Six of them have the same slope wherever `t` is; two of those six must keep a factor."),
             wrong=(Wrong(lambda _: set(LINES), "M35",
                          "Four of the lines saved something, and the first pass used it up."),
                    Wrong(lambda _: {*survivors(), "t * 5", "t / 2"}, None,
                          "A factor is saved, too, and the first pass frees it."))),
    Exercise("6b", "w.grad after each line, or \"error\"",
             {"w.grad after a.backward()": "`w.grad` after `a.backward()`",
              "what b.backward() does then": "the result of `b.backward()` after that",
              "w.grad after (a + b).backward()": "`w.grad` after `(a + b).backward()`",
              "w.grad after a.backward(retain_graph=True)": "`w.grad` after `a.backward(retain_graph=True)`",
              "w.grad after b.backward() then": "`w.grad` after `b.backward()` with the graph retained"},
             expected=lambda numbers: two_losses(numbers["w"]), standard={"w": 5.},
             draw=lambda rng: {"w": float(rng.choice((1.5, 2.5, 3., 4., 6., 7.)))},
             hints=("The slope of a is 6w, the slope of b is 2w.",
                    "The record of `h` is shared: what does the first pass leave of it, and the drawer?"),
             wrong=(Wrong(lambda numbers: separate_passes(numbers["w"]), "M02",
                          "A pass adds to what is in `w.grad`, and may need what an earlier pass has freed."),
                    Wrong(lambda numbers: [6 * numbers["w"], 8 * numbers["w"], 8 * numbers["w"],
                                           6 * numbers["w"], 8 * numbers["w"]], "M35",
                          "Without `retain_graph`, the first pass frees what `h` had saved."))),
    Exercise("6c", "w.grad after each of the three steps, with one detach()",
             {f"w.grad after step {step}": f"`w.grad` after step {step}" for step in (1, 2, 3)},
             expected=detached_steps, standard={"w": 0.5},
             paper="A state `h` is carried from step to step, as in a network that reads text. The second "
             "step fails: its record leads back through the first. Repair the lines with one `detach()`, so "
             "that each step learns from itself only. What is `w.grad` after each step then? (Nobody empties "
             "it.)",
             draw=lambda rng: {"w": rng.choice((3., 4., 5., -2., -3., 1.5))},
             hints=("Which tensor leads from one step's record into the next?",
                    "Detach the old `h` at the place where the new one is made from it."),
             wrong=(Wrong(retained_steps, "M12",
                          "With it, each step goes back to the start. One `detach()` ends that."),
                    Wrong(steps_alone, "M02",
                          "That is what each step sends. The drawer adds, and nobody empties it here."))),
)
