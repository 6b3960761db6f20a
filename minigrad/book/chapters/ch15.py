"""Chapter 15, "Patients": its questions and exercises."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import minigrad as torch

from ..exercises import Exercise, Part, Wrong
from ..patients import Patient, patient
from ..patients.checking import about_lines, about_number, named, read_lines, read_number
from ..patients.numbers_compared import is_same
from ..questions import Option, Question
from ..reading import Misread, as_lists, in_order, number, sequence

IDEAS = ("silent bug", "symptom", "BatchNorm")

QUESTIONS = (
    Question("15.1", "Nudging the first number of `body.weight` shows a slope of −0.381, and the backward "
             "pass raises no error. What is in the drawer of `body.weight` after the pass?", (
        Option("a gradient that begins with −0.381, because no error was raised", "M20",
               "The slope is −0.381, but no error doesn't mean that a gradient has arrived."),
        Option("`None`, because lines 1 and 2 leave no path to this weight", None,
               "Line 2 isn't recorded, so the pass has no path to the weights of the body."),
        Option("zeros, because `no_grad()` makes the gradients in its block 0", "M04",
               "Without a path, no gradient arrives at all, and the drawer stays empty."),
    ), paper="A net computes `h = torch.tanh(self.body(x))` inside `torch.no_grad()`, and returns "
       "`self.head(h)`. Nudging a number of `body.weight` shows that the loss has the slope −0.381 there. "
       "What is in the drawer of `body.weight` after a backward pass?",
       told="has no path|no gradient arrives",
       explains="The nudge shows the slope that should be there. It needs only the value of the loss, so it "
       "also finds a cut in a script whose formula you don't know. The other drawers are as they should be: "
       "empty before the pass, and the same after it and before the step."),
    Question("15.2", "The drawers of the body are `None` in every step. How far is `body.weight` from its "
             "copy after one round of the loop, `follow()` included?", (
        Option("0, because only the optimizer changes it, and it skips this weight", "M152",
               "The step left the weight where it was, but after `follow()` it has moved by 0.0176."),
        Option("about 0.019 per number, the rate 0.05 times the slope 0.381", "M62",
               "The step uses what is in the drawer, and the drawer is empty."),
        Option("more than 0, because a line outside the optimizer changes it", None,
               "The weight moves by 0.0176 without a gradient, so another line writes to it."),
    ), paper="A weight has an empty drawer in every step of a loop, though a nudge finds the slope 0.381. "
       "The rate is 0.05. Each round ends with a function that updates `average`, a list that was made with "
       "`[p.detach() for p in model.parameters()]`. How far does the weight move in one round?",
       told="after .follow.... it has moved|writes to it",
       explains="The optimizer holds the weight, with the rate 0.05, and leaves it where it was. `follow()` "
       "moves it by 0.0176. A step of SGD without momentum is the rate times the gradient: that of "
       "`head.weight` is 0.05 · 4.82064 = 0.24103, as it should be."),
    Question("15.3", "Which twin is ill, and which measurement proves it?", (
        Option("twin A, because `.item()` cuts a path to the loss: nudge and drawer differ", "M150",
               "The size of `x` depends on no weight, so nothing is lost when it becomes a number."),
        Option("twin B, because a weight changes the size: `nudge` shows another slope", None,
               "A nudge of the bias changes the size of `h` as well, and the backward pass can't know that."),
        Option("neither, because every weight gets a gradient: `drawers` shows them all", "M20",
               "Both drawers are full, and one of them holds a gradient that is wrong."),
    ), paper="Twin A computes `size = x.norm().item()` and `head(torch.tanh(body(x / size)))`. Twin B "
       "computes `h = torch.tanh(body(x))`, `size = h.norm().item()` and `head(h / size)`. Which twin is "
       "ill, and which measurement proves it?", told="0.017|depends on no weight",
       explains="The drawer says 0.087 and the nudge 0.017. One of the paths from the bias to the loss leads "
       "through the size. The fix is `size = h.norm()`. Twin A needs none."),
    Question("15.4", "Which twin is ill, and which measurement proves it?", (
        Option("twin B, because the slice `1:5` goes past the last index: `moved` shows no weight", "M150",
               "A slice leaves out its end, so `1:5` ends with `model[4]`, which is the last layer."),
        Option("neither, because each has two groups and a falling loss: `drawers` shows gradients", "M78",
               "Two layers are enough to lower the loss, and the third can stay as it is."),
        Option("twin A, because both slices leave out the last layer: `moved` shows no rate for it", None,
               "`2:4` ends before `model[4]`, so no group holds it, and it doesn't move."),
    ), paper="`model[0]`, `model[2]` and `model[4]` of a net are linear layers. The optimizer of twin A "
       "holds `model[0:2]` and `model[2:4]`, that of twin B `model[0:1]` and `model[1:5]`. Which twin is "
       "ill?",
       told="no group holds|ends before",
       explains="The doctor of chapter 12 says so in words. `drawers` shows the bug, too. "
       "`optimizer.zero_grad()` empties the drawers of the weights that the optimizer holds, so those of "
       "`model[4]` are still full before the next pass."),
    Question("15.5", "Which twin is ill, and which result of `again` proves it?", (
        Option("twin B, because both modes give its loss the same value", None,
               "Its loss switches back to training mode, so evaluation mode never has an effect."),
        Option("twin B, because evaluation mode gives its loss two values", "M151",
               "It gives the same wrong number twice: BatchNorm draws no random numbers."),
        Option("twin A, because the two modes give its loss different values", "M150",
               "BatchNorm computes something else in each mode, so a healthy loss differs, too."),
    ), paper="A net has a BatchNorm layer. Twin A tests with `net.eval()`, the loss, and `net.train()`. Twin "
       "B tests with `net.eval()` and a loss that begins with `net.train()`. Which twin is ill?",
       told="switches back|draws no random",
       explains="The tutorial is right that `eval()` is needed. But \"inconsistent\" doesn't mean that two "
       "runs differ: with BatchNorm they agree, and are wrong. So compare the two modes. In a net with "
       "dropout, two different numbers in training mode are healthy."),
    Question("15.6", "Which twin is ill, and which measurement proves it?", (
        Option("twin A, because a softmax over classes needs `dim=1`: its shape is wrong", "M150",
               "The scores are transposed first, so its `dim=0` runs over the classes."),
        Option("twin B, because one row's loss depends on other rows: `reaches` shows it", None,
               "Its softmax runs over the rows, so each row changes the probabilities of all others."),
        Option("neither, because each loss is one recorded number: `shapes` shows it", "M20",
               "The shapes are right in both. They don't say which numbers were added up."),
    ), paper="`scores` has a row for each example. Before the entry of each example's class is picked, twin "
       "A computes `scores.T.log_softmax(dim=0)`, and twin B `scores.log_softmax(dim=0)`. Which twin is ill?",
       told="transposed first|over the rows"),
    Question("15.7", "Which twin is ill, and which measurement proves it?", (
        Option("twin A, because its slices are views of the data: their versions grow", None,
               "The noise stays in the data and adds up: 300 writes in 100 epochs."),
        Option("both, because `+=` writes in place while a net is trained: both versions grow", "M18",
               "In twin B, the version of the data stays 0: an index with a tensor makes a copy."),
        Option("neither, because slices and indices return copies: no version grows", "M181",
               "A slice is a view: the version of the data grows with each `rows += ...`."),
    ), paper="Twin A takes batches `rows = x[start:start + 3]` of the inputs, and twin B "
       "`rows = x[order[start:start + 3]]`, where `order` is a tensor. Both run `rows += noise`. Which twin "
       "is ill?", told="300 writes|makes a copy",
       explains="The page is about saved tensors: it promises right gradients for the numbers that a pass "
       "was given. It says nothing about data that you change between two passes, and here no gradient is "
       "wrong."),
)


# --- 15a to 15c: patients -----------------------------------------------------------------------------------

SEEDS = {"15a": (7, 1), "15b": (60, 2), "15c": (70, 2)}     # seed and level
FOUND = {"lines": "your lines", "number": "the number"}


@cache
def patient_of(key: str) -> Patient:
    """Return the patient of an exercise."""
    return patient(*SEEDS[key])


def treated(key: str) -> Callable[[Any], dict[str, Any]]:
    """Return a function that gives the right answer to an exercise."""
    def answer(_: Any) -> dict[str, Any]:
        ill = patient_of(key)
        return {"lines": [ill.lines(bug)[0] for bug in ill.bugs], "number": ill.numbers["healthy"]}
    return answer


def lines_and_number(key: str) -> Callable[[Any, Any], Iterator[Part]]:
    """Return a judge of an answer with the lines and the number, in the sentences of `Patient.check`."""
    def judge(answer: Any, _: Any) -> Iterator[Part]:
        ill = patient_of(key)
        right = treated(key)(None)
        given = in_order(answer, FOUND, [*right.values()])
        lines = read_lines(given["lines"], len(ill.bugs), len(ill.script.numbered()))
        value, told = read_number(given["number"])
        found = named(ill, lines)
        says = " ".join(about_lines(ill, lines, found)) if lines else ""
        yield Part("lines", lines or None, lines if len(found) == len(ill.bugs) else right["lines"], says)
        fits = value is not None and is_same(value, right["number"])
        yield Part("number", value, value if fits else right["number"],
                   told or ("" if value is None else about_number(ill, value, found, fits)))
    return judge


def with_number(key: str, which: str) -> Callable[[Any], dict[str, Any]]:
    """Return the answer of a learner who found the lines, and gives the number of another version."""
    return lambda _: {**treated(key)(None), "number": patient_of(key).numbers[which]}


def innocent(key: str, line: int) -> Callable[[Any], dict[str, Any]]:
    """Return the answer of a learner who names a line that only looks wrong, and the number before."""
    return lambda _: {"lines": [line], "number": patient_of(key).numbers["ill"]}


# --- 15d: the last script -----------------------------------------------------------------------------------

BUGS = ((3, 4), (7, 12))                         # the lines that may be named for each of the two
ENDS = {"lines": "your pair of lines", "loss": "the test loss"}


def last_script(fills: bool = False, cached: bool = False) -> float:
    """Run the last script, repaired or with one of its bugs, and return its test loss."""
    torch.manual_seed(5)
    grid = torch.linspace(-1, 1, 50).view(50, 1)
    target = (4 * grid).sin() + 0.1 * torch.randn(50, 1)
    order = torch.randperm(50)
    train, held, test = order[:30], order[30:40], order[40:]
    first = torch.nn.Sequential(torch.nn.Linear(1, 16), torch.nn.Tanh())
    last = torch.nn.Linear(16, 1)
    torch.nn.init.zeros_(last.bias)
    with torch.no_grad():
        kept = first(grid)

    def loss_on(rows):
        hidden = kept[rows] if cached else first(grid[rows])
        return ((last(hidden) - target[rows]) ** 2).mean()

    weights = [*first.parameters(), *last.parameters()]
    adam = torch.optim.Adam(weights, lr=0.05)
    best, smallest = [], float("inf")
    for _ in range(150):
        loss = loss_on(train)
        adam.zero_grad()
        loss.backward()
        if fills:
            last(first(grid[held])).sum().backward()
        torch.nn.utils.clip_grad_norm_(weights, 1.)
        adam.step()
        with torch.no_grad():
            now = loss_on(held).item()
        if now < smallest:
            best, smallest = [p.detach().clone() for p in weights], now
    with torch.no_grad():
        for p, value in zip(weights, best, strict=True):
            p.copy_(value)
        return loss_on(test).item()


def both_found(_: Any) -> dict[str, Any]:
    return {"lines": [bug[0] for bug in BUGS], "loss": last_script()}


def two_lines_and_a_loss(answer: Any, _: Any) -> Iterator[Part]:
    given = in_order(answer, ENDS)
    lines = sequence(as_lists(given["lines"]))
    lines = sorted(lines) if isinstance(lines, frozenset) else lines
    if lines is not None and not (isinstance(lines, list) and len(lines) == 2):
        raise Misread("Give two lines, such as `[1, 2]`.")
    told = [None if line is None else number(line) for line in lines or ()]
    hits = [[line for line in told if line in bug] for bug in BUGS]
    good = all(len(hit) == 1 for hit in hits)
    found = sum(bool(hit) for hit in hits)
    unanswered = not told or None in told
    yield Part("lines", None if unanswered else lines, lines if good else [bug[0] for bug in BUGS],
               f"{('None', 'One', 'One')[found]} of your lines has one of the two bugs.")
    loss = number(given["loss"])
    right = last_script()
    close = loss is not None and abs(loss - right) < 0.002
    yield Part("loss", given["loss"], given["loss"] if close else right,
               f"With both lines repaired, the test loss is not {given['loss']}.")


EXERCISES = (
    Exercise("15a", "A patient with one bug", FOUND, judge=lines_and_number("15a"), example=treated("15a"),
             paper="Line 20 of a script makes `new_head`, line 21 fills its weight with 0, line 22 makes an "
             "optimizer for `model.parameters()`, and line 23 is `model[-1] = new_head`. After a step, "
             "`moved` returns `(0.0, None)` for the last layer. Which line is wrong, and why?",
             hints=("Take the measurements in their order. Run `moved` around the first step.",
                    "Which weights does the optimizer hold? Compare the order of the lines that make the "
                    "optimizer and the net."),
             why="`moved` shows it in one step: the last layer has no rate.\nAn optimizer holds tensors, and "
             "not names: it keeps the layer that was there when it was made.",
             wrong=(Wrong(innocent("15a", 21), None, "Weights of 0 move as soon as a gradient arrives."),
                    Wrong(innocent("15a", 28), "M150", "The write reaches a clone, so the data stay as they "
                          "are."))),
    Exercise("15b", "A patient with two bugs", FOUND, judge=lines_and_number("15b"), example=treated("15b"),
             paper="Line 26 of a script makes `torch.optim.Adam(model.parameters(), lr=0.005, eps=0.1)`, and "
             "line 32 is `loss = (near + far.item()) / 2`. Which measurement shows that each is wrong?",
             hints=("For the first bug, compare a nudge with the drawer. Use the loss of the script as a "
                    "function without arguments.",
                    "For the second, compare how far a weight moves with the rate. A step of Adam is about "
                    "as long as the rate for each number."),
             why="A nudge compares the gradient with the loss.\n`moved` compares the step with the rate. "
             "Neither of the two lines raises an error, and the loss falls.",
             wrong=(Wrong(with_number("15b", "epsilon"), None,
                          "Repair line 26 as well, and run the copy again."),
                    Wrong(with_number("15b", "half_without_graph"), None,
                          "Repair line 32 as well, and run the copy again."),
                    Wrong(innocent("15b", 33), "M150",
                          "The loss keeps its graph; only the log gets a number."))),
    Exercise("15c", "A patient that prints an accuracy", FOUND, judge=lines_and_number("15c"),
             example=treated("15c"),
             paper="For each batch, a script runs `buffer.copy_(x[rows])` and keeps `(buffer, y[rows])`. Its "
             "loop calls `loss.backward()` and `optimizer.step()`. Which measurements show the two bugs?",
             hints=("Run `versions` on the inputs of all batches.",
                    "Run `drawers` before the second backward pass."),
             why="`versions` shows one address for all batches.\n`drawers` shows old gradients before the "
             "second pass.",
             wrong=(Wrong(with_number("15c", "same_buffer"), None,
                          "The batches are repaired, and the loop isn't."),
                    Wrong(with_number("15c", "zero_forgotten"), None,
                          "The loop is repaired, and the batches aren't."),
                    Wrong(innocent("15c", 26), "M19",
                          "Each weight gets a copy of itself before training begins."))),
    Exercise("15d", "Two silent bugs in 40 lines", ENDS, judge=two_lines_and_a_loss, example=both_found,
             paper="The last script of the chapter has two silent bugs. Its test loss is 0.7232; it should "
             "be less than 0.02. You get the script on paper, or on a screen. Name the two lines and, from a "
             "screen, the loss of the repaired script.",
             hints=("Print `p.grad` for every weight right after `loss.backward()`, and again right before "
                    "`adam.step()`. A hook of `last.bias` that prints tells which line runs a pass.",
                    "A gradient that is `None` has no path to the loss. A gradient that changes between the "
                    "two lines was changed by another pass."),
             why="The same measurements find a silent bug in a script of your own, where nobody tells you "
             "how many bugs there are.",
             wrong=(Wrong(lambda _: {"lines": [3, 7], "loss": last_script(cached=True)}, None,
                          "That is the loss with line 7 repaired, and not line 3."),
                    Wrong(lambda _: {"lines": [3, 7], "loss": last_script(fills=True)}, None,
                          "That is the loss with line 3 repaired, and not line 7."))),
)
