"""Chapter 15, "Ten broken loops": its questions and exercises."""
from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import minigrad as torch

from ..exercises import Exercise, Part, Wrong
from ..questions import Option, Question
from ..reading import Misread, as_lists, compact, in_order, number, sequence

NO_BREAK = "\u00a0"  # a space at which a line is not broken
IDEAS = ("silent bug", "symptom", "fresh gradient")

QUESTIONS = (
    Question("15.1", "The next loop prints the loss and `w.grad` in each of 12 steps. From step 8 on, the "
             "loss is 0.0124, and `w.grad` is `None` in every line. What is wrong with the loop?", (
        Option("the rate is too small, because the loss stays at 0.0124", "M33",
               "No rate brings the loss lower: no line passes through all nine points."),
        Option("the weights get no gradient, because `w.grad` is `None`", "M67",
               "The drawer is read after `zero_grad()`, which has emptied it."),
        Option("nothing is wrong, because no line fits the points exactly", None,
               "The loss has reached its lowest value, and the drawer is read after `zero_grad()`."),
    ), told="is healthy|no line"),
    Question("15.2", "Loop 1 and its twin have printed the same six numbers. In one of them the loss is "
             "wrong, in the other the rate. Which measurement tells them apart?", (
        Option("`b`, right before and right after each `step()`", "M88",
               "`b` takes the same steps in both, and a step is rate times gradient."),
        Option("`b.grad`, right after `backward()`, beside the fresh gradient", None,
               "In loop 1, `b.grad` is nine times the fresh gradient; in the twin, both are the same."),
        Option("`b` itself, over a hundred steps instead of six steps", "M93",
               "With the same steps, `b` stays the same in both loops."),
    ), paper="A loop should minimise the mean of nine squares. Loop 1 minimises their sum, with a rate of "
       "0.15. Its twin minimises the mean, with a rate of 1.35. Both give `b = 1.35` after step 1, "
       "and the same `b` after every step. The fresh gradient is the gradient of the mean, computed anew. "
       "Which "
       "measurement tells the loops apart?", told="nine times|too large"),
    Question("15.3", "In step 1 of loop 2, the graph of the loss has 9 nodes. How many nodes does it have in "
             "step 2, and how many in step 3?", (
        Option("14 and 19, because `smooth` belongs to the graph of the step before", None,
               "The new `smooth` is computed from the old one, so its graph contains all earlier steps."),
        Option("9 and 9, because the forward pass of each step records a new graph", "M89",
               "Each step records new nodes, and one of them has an edge to the old `smooth`."),
        Option("18 and 27, because every step records all of its 9 nodes in the same graph", "M48",
               "Each step adds 5 nodes: the leaves are there already, and the last three operations "
               "of the old loss are not needed."),
    ), paper="In each step, loop 2 computes `smooth = 0.5 * smooth + 0.5 * (w * x + b)` and the loss "
       "`((smooth - wanted) ** 2).mean()`; before step 1, `smooth` is zero. `backward()` is called with "
       "`retain_graph=True`. In step 1, the graph of the loss has 9 nodes. How many nodes does it have in "
       "step 2, and how many in step 3?", told=r"\b14\b|earlier steps|nodes more"),
)


# --- 15a: loops 3 to 6 --------------------------------------------------------------------------------------

MEASUREMENTS = ("before", "after", "step", "again")
LOOPS = {  # loop: (the lines that may be named, the measurements that show the bug)
    3: ((1,), ("after", "step")),
    4: ((2, 1), ("before", "after")),
    5: ((3,), ("after",)),
    6: ((4, 5), ("again",)),
}
FIELDS = {f"{what} {loop}": f"the {what} of loop {loop}" for loop in LOOPS
          for what in ("line", "measurement")}


def named(_: Any) -> list:
    """Return one answer to 15a that is right."""
    return [value for lines, measurements in LOOPS.values() for value in (lines[0], measurements[0])]


def lines_and_measurements(answer: Any, _: Any) -> Iterator[Part]:
    given = in_order(answer, FIELDS, named(None))
    for loop, (lines, measurements) in LOOPS.items():
        line, measurement = given[f"line {loop}"], given[f"measurement {loop}"]
        yield Part(f"line {loop}", line, line if number(line) in lines else lines[0],
                   f"In loop {loop}, the bug is not in line {line}.")
        word = compact(measurement)
        says = (f"In loop {loop}, the measurement \"{measurement}\" shows nothing unusual."
                if word in MEASUREMENTS else
                f'For loop {loop}, name "before", "after", "step" or "again".')
        yield Part(f"measurement {loop}", measurement, measurement if word in measurements
                   else measurements[0], says)


# --- 15b: loops 7 to 10, and what they print when they are mended -------------------------------------------

POINTS = [place / 4 - 1 for place in range(9)]
NOISE = [0.1, -0.1, 0.2, 0., -0.2, 0.1, 0., -0.1, 0.]


def start(rate: float) -> tuple:
    w = torch.tensor(1., requires_grad=True)
    b = torch.tensor(0., requires_grad=True)
    return w, b, torch.optim.SGD([w, b], lr=rate)


def the_points() -> tuple:
    x = torch.tensor(POINTS)
    return x, 3 * x + 0.5 + torch.tensor(NOISE)


def loop_7(rate: float = 0.4, steps: int = 7) -> float:
    x, wanted = the_points()
    w, b, sgd = start(rate)
    for _ in range(steps):
        loss = ((w * x + b - wanted) ** 2).mean()
        sgd.zero_grad()
        loss.backward()
        sgd.step()
    return loss.item()


def loop_8() -> float:
    """Two optimizers with the same rate do what one does."""
    return loop_7(rate=0.3, steps=5)


def loop_9(frozen: bool = True, emptied: bool = True) -> float:
    x, wanted = the_points()
    w, b, sgd = start(0.1)
    for step in range(10):
        if step == 3:
            b.requires_grad_(not frozen)
        for p in (w, b):
            if p.requires_grad or emptied:
                p.grad = None
        loss = ((w * x + b - wanted) ** 2).mean()
        loss.backward()
        sgd.step()
    return loss.item()


def loop_10(emptied: bool = True, refused: bool = True) -> float:
    x, wanted = the_points()
    spoiled = wanted + 30 * (x < -0.9)
    w, b, sgd = start(0.1)
    for at in 3 * [*range(9)]:
        loss = (w * x[at] + b - spoiled[at]) ** 2
        loss.backward()
        if refused and w.grad.abs() >= 20:
            w.grad = None                           # the hook raised an error before the drawer was filled
            b.grad = None if emptied else b.grad
            continue
        sgd.step()
        sgd.zero_grad()
    return b.item()


MENDED = {7: loop_7, 8: loop_8, 9: loop_9, 10: loop_10}
LINES = {7: (1,), 8: (5, 6), 9: (2, 1), 10: (4, 3, 6)}      # the lines that may be named
RESULTS = {f"{what} {loop}": f"the {what} of loop {loop}" for loop in LINES for what in ("line", "number")}


def mended(_: Any) -> list[float]:
    return [value for loop, lines in LINES.items() for value in (lines[0], MENDED[loop]())]


def lines_and_numbers(answer: Any, _: Any) -> Iterator[Part]:
    given = in_order(answer, RESULTS, mended(None))
    for loop, lines in LINES.items():
        line, printed = given[f"line {loop}"], given[f"number {loop}"]
        yield Part(f"line {loop}", line, line if number(line) in lines else lines[0],
                   f"In loop {loop}, the bug is not in line {line}.")
        close = number(printed) is not None and abs(number(printed) - MENDED[loop]()) < 6e-4
        yield Part(f"number {loop}", printed, printed if close else MENDED[loop](),
                   f"The mended loop {loop} doesn't end with {printed}.")


# --- 15c: four claims ---------------------------------------------------------------------------------------

CLAIMS = {str(at): f"your verdict on claim {at}" for at in range(1, 5)}


def verdicts(_: Any) -> list[bool]:
    """Try each of the four claims of the chapter."""
    w = torch.tensor(3., requires_grad=True)
    loss = w ** 2
    with torch.no_grad():
        loss.backward()
    paths = [steps_of_adam(times) for times in (1, 9)]
    return [w.grad is None, emptied_late() == emptied_early(), abs(paths[0] - paths[1]) < 1e-4,
            slope_at_zero() == 0]


def steps_of_adam(times: float) -> float:
    x, wanted = the_points()
    w, b, _ = start(0.1)
    adam = torch.optim.Adam([w, b], lr=0.05)
    for _ in range(5):
        adam.zero_grad()
        (times * ((w * x + b - wanted) ** 2).mean()).backward()
        adam.step()
    return w.item()


def emptied_early(late: bool = False) -> float:
    x, wanted = the_points()
    w, b, sgd = start(0.3)
    for _ in range(3):
        if not late:
            sgd.zero_grad()
        loss = ((w * x + b - wanted) ** 2).mean()
        if late:
            sgd.zero_grad()
        loss.backward()
        sgd.step()
    return w.item()


def emptied_late() -> float:
    return emptied_early(late=True)


def slope_at_zero() -> float:
    x, wanted = the_points()
    w = torch.tensor(0., requires_grad=True)
    ((w * x - wanted) ** 2).mean().backward()
    return w.grad.item()


# --- 15d: the last script -----------------------------------------------------------------------------------

BUGS = ((3, 4), (7, 12))                         # the lines that may be named for each of the two
FOUND = {"lines": "your pair of lines", "loss": "the training loss"}


def last_script(fills: bool = False, cached: bool = False) -> float:
    """Run the last script, mended or with one of its bugs, and return its training loss."""
    torch.manual_seed(0)
    points = torch.linspace(-1, 1, 40).view(40, 1)
    target = (4 * points).sin() + 0.1 * torch.randn(40, 1)
    order = torch.randperm(40)
    train, test = order[:30], order[30:]
    first = torch.nn.Sequential(torch.nn.Linear(1, 16), torch.nn.Tanh())
    last = torch.nn.Linear(16, 1)
    torch.nn.init.zeros_(last.bias)
    with torch.no_grad():
        kept = first(points)

    def loss_on(rows):
        hidden = kept[rows] if cached else first(points[rows])
        return ((last(hidden) - target[rows]) ** 2).mean()

    weights = [*first.parameters(), *last.parameters()]
    adam = torch.optim.Adam(weights, lr=0.05)
    best, smallest = [], float("inf")
    for _ in range(150):
        loss = loss_on(train)
        adam.zero_grad()
        loss.backward()
        if fills:
            last(first(points[test])).sum().backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.)
        adam.step()
        with torch.no_grad():
            now = loss_on(test).item()
        if now < smallest:
            best, smallest = [p.detach().clone() for p in weights], now
    with torch.no_grad():
        for p, value in zip(weights, best, strict=True):
            p.copy_(value)
        return loss_on(train).item()


def both_found(_: Any) -> dict[str, Any]:
    return {"lines": [bug[0] for bug in BUGS], "loss": last_script()}


def two_lines_and_a_loss(answer: Any, _: Any) -> Iterator[Part]:
    given = in_order(answer, FOUND)
    lines = sequence(as_lists(given["lines"]))
    lines = sorted(lines) if isinstance(lines, frozenset) else lines
    if lines is not None and not (isinstance(lines, list) and len(lines) == 2):
        raise Misread("Give two lines, such as `[1, 2]`.")
    told = [None if line is None else number(line) for line in lines or ()]
    hits = [[line for line in told if line in bug] for bug in BUGS]
    good = all(len(hit) == 1 for hit in hits)
    found = sum(bool(hit) for hit in hits)
    open_ = not told or None in told
    yield Part("lines", None if open_ else lines, lines if good else [bug[0] for bug in BUGS],
               f"{('None', 'One', 'One')[found]} of your lines has one of the two bugs.")
    loss = number(given["loss"])
    right = last_script()
    close = loss is not None and abs(loss - right) < 0.002
    yield Part("loss", given["loss"], given["loss"] if close else right,
               f"With both lines mended, the training loss is not {given['loss']}.")


def as_code(line: str) -> str:
    """A line of a loop as code, unless it is told in words."""
    return line if not line or line.startswith("the ") else f"`{line.replace(' ', NO_BREAK)}`"


def side_by_side(*loops: tuple[str, ...]) -> str:
    """Loops as a table on paper: their names, their numbered lines, and a row for the answers."""
    names, *lines = zip_longest(*loops, fillvalue="")
    rows = [("", *names), ("-", *["-" * 20] * len(loops)),
            *((str(at), *map(as_code, one)) for at, one in enumerate(lines, 1)), ("", *["bug:"] * len(loops))]
    return "\n\n" + "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


EXERCISES = (
    Exercise("15a", "Loops 3 to 6: which line, which measurement", FIELDS, judge=lines_and_measurements,
             example=named,
             why="Loop 3: `round()` is flat, so `w.grad` is 0.\n"
             "Loop 4: line 2 should empty the drawer of `b`, in which the gradients add up.\n"
             "Loop 5: `abs_()` writes into `error`, which the square saved.\n"
             "Loop 6: without `net.eval()`, Dropout changes the loss each time.",
             paper="Four loops train a line. In the last row, write the number of the line with the bug, and "
             "a measurement that shows it: *before*, *after*, *step* or *again*." + side_by_side(
                 ("loop 3", "guess=(w*x).round()+b", "the loss of the guess", "sgd.zero_grad()",
                  "loss.backward()", "sgd.step()"),
                 ("loop 4: two optimizers", "for_w.zero_grad()", "for_w.zero_grad()", "the loss",
                  "loss.backward()", "for_w.step()", "for_b.step()"),
                 ("loop 5", "the error", "the mean of its squares", "error.data.abs_().max()",
                  "sgd.zero_grad()", "loss.backward()", "sgd.step()"),
                 ("loop 6: with Dropout", "adam.zero_grad()", "loss_of(net).backward()", "adam.step()",
                  "with torch.no_grad():", "  test = loss_of(net)")),
             hints=("Copy a loop, and print `w.grad` and `b.grad` right before and right after `backward()`, "
                    "in step 2 as well.",
                    "If the drawers look right in loop 6, print `loss_of(net)` twice in line 5. In loop 5, "
                    "compare the drawers with the fresh gradient."),
             wrong=(Wrong(lambda _: [1, "before", 2, "before", 3, "before", 4, "before"], "M94",
                          "The drawers of this loop are empty right before the pass."),
                    Wrong(lambda _: [1, "after", 2, "before", 3, "after", 2, "again"], "M65",
                          "The loop measures while Dropout is still switched on."),
                    Wrong(lambda _: [1, "after", 2, "before", 2, "after", 4, "again"], "M20",
                          "The square saved `error`, and another line writes into it."))),
    Exercise("15b", "Loops 7 to 10: which line, which number", RESULTS, judge=lines_and_numbers,
             example=mended,
             why="Loop 7: `b.item()` is a constant, so no gradient reaches `b`.\n"
             "Loop 8: line 5 empties the drawer of `b` before line 6 reads it.\n"
             "Loop 9: the drawer of `b` keeps its last gradient, and each step uses it again.\n"
             "Loop 10: the failed pass has filled the drawer of `b`, and `continue` skips line 6.",
             paper="Write the number of the broken line in the last row, and its cure under the table."
             + side_by_side(
                 ("loop 7", "the loss, with `b.item()`", "sgd.zero_grad()", "loss.backward()", "sgd.step()"),
                 ("loop 8: two optimizers", "the loss", "for_w.zero_grad()", "loss.backward()",
                  "for_w.step()", "for_b.zero_grad()", "for_b.step()"),
                 ("loop 9: line 2 for each `p`", "the flag of `b` off in step 3",
                  "if p.requires_grad: p.grad = None", "the loss", "loss.backward()", "sgd.step()"),
                 ("loop 10: a hook of `w` raises", "the loss of one point", "try: loss.backward()",
                  "except AssertionError:", "    continue", "sgd.step()", "sgd.zero_grad()")),
             hints=("Print both drawers right before `backward()`. Where are they not empty?",
                    "Print both drawers right after `backward()`, too: when is that of `b` filled? In a pass "
                    "that fails, `b` receives its gradient before `w` does."),
             wrong=(Wrong(lambda _: [1, loop_7(), 5, loop_8(), 1, loop_9(frozen=False), 4, loop_10()], None,
                          "Without line 1, `b` is no longer frozen. It should stay frozen, and not move."),
                    Wrong(lambda _: [1, loop_7(), 5, loop_8(), 2, loop_9(), 4, loop_10(refused=False)], None,
                          "The spoiled point should still be skipped. What does the failed pass leave in the "
                          "drawers?"),
                    Wrong(lambda _: [2, loop_7(), 2, loop_8(), 2, loop_9(), 4, loop_10()], "M94",
                          "The drawers of both weights are empty right before each pass."))),
    Exercise("15c", "Four claims", CLAIMS, expected=verdicts,
             truths=("Claim {name} is not true: a program can show the opposite.",
                     "Claim {name} is not false."),
             paper="True or false? (1) Inside `no_grad()`, `backward()` computes no gradients. "
             "(2) `zero_grad()` may run between the forward pass and `backward()`. "
             "(3) With a loss nine times as large, Adam takes almost the same steps. (4) A weight that "
             "starts at 0 gets the gradient 0.",
             hints=("Print what each claim is about: a gradient, or a weight.",
                    "For claim 1, run the forward pass first. For claim 4, use the nine points."),
             why="A few lines of your own can settle what a page on the web claims; the next cell shows our "
             "witnesses.",
             wrong=(Wrong(lambda _: [True, True, True, False], "M07",
                          "The graph was recorded earlier, and `backward()` only reads it."),
                    Wrong(lambda _: [False, False, True, False], "M26",
                          "The forward pass doesn't read the drawers."),
                    Wrong(lambda _: [False, True, False, False], None,
                          "Adam divides by the size of the gradients, so a common factor has almost no "
                          "effect."),
                    Wrong(lambda _: [False, True, True, True], "M41",
                          "The slope is computed from `x` and the error, not from `w` alone."))),
    Exercise("15d", "Two silent bugs in 40 lines", FOUND, judge=two_lines_and_a_loss, example=both_found,
             paper="The last script of the chapter has two silent bugs. Its training loss ends at 1.0235; it "
             "should be less than 0.02. You get the script on paper, or on a screen. Name the two lines and, "
             "from a screen, the loss of the mended script. Which measurement proves each?",
             hints=("Print `p.grad` for every weight right after `loss.backward()`, and again right before "
                    "`adam.step()`.",
                    "A gradient that is `None` has no path to the loss. A gradient that changes between the "
                    "two lines was changed by another pass."),
             why="The same measurements find a silent bug in a script of your own, where nobody tells you "
             "how many bugs there are.",
             wrong=(Wrong(lambda _: {"lines": [3, 7], "loss": last_script(cached=True)}, None,
                          "That is the loss with line 7 mended, and not line 3."),
                    Wrong(lambda _: {"lines": [3, 7], "loss": last_script(fills=True)}, None,
                          "That is the loss with line 3 mended, and not line 7."))),
)
