"""The appendix about programs from before 2018: its question, note and exercises."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from traceback import extract_tb
from typing import Any

import minigrad as torch

from ...classroom.deciding import judged, numbers
from ...classroom.exercise import Exercise, Part, Wrong
from ...classroom.notes import Note
from ...classroom.points import points
from ...classroom.questions import Option, Question
from ...classroom.reading import Misread, as_lists, in_order, number, sequence
from ...classroom.saying import kind_of
from ..packages import package_of

IDEAS = ("Variable", "volatile")

def lists_of_different_numbers(printed: str) -> str:
    """Return what 16.1 claims: which of the two printed lists holds different numbers."""
    different = [name for name, line in zip(("totals", "weights"), printed.splitlines(), strict=True)
                 if len(set(numbers(line))) > 1]
    return {0: "each holds one number, three times", 2: "each holds three different numbers"}.get(
        len(different), f"only `{''.join(different)}` holds three different numbers")


QUESTIONS = (
    Question("16.1", "What do `totals` and `weights` hold after the loop?", (
        Option("only `weights` holds three different numbers: an index copies a number", "M181",
               "`w.data[0]` is a view of `w`, so the step at the end of the loop changes every entry."),
        Option("only `totals` holds three different numbers: `+=` makes a new tensor", "M230",
               "The first `+=` makes a tensor, because `total` is the number 0. The next two write to it: "
               "it is every entry of `totals`."),
        Option("each holds one number, three times: a later line changes the entries", None,
               "The first `+=` makes a tensor, and the next two write to it: it is every entry of `totals`. "
               "`w.data[0]` is a view of `w`, so each step changes all of `weights`."),
        Option("each holds three different numbers: an entry stays as it was", "M231",
               "An entry is a tensor, and two lines of the loop write to its memory: `total += ...`, and the "
               "step, since `w.data[0]` is a view of `w`."),
    ), paper="A program of 2017 makes `w = Variable(torch.ones(1), requires_grad=True)`, `total = 0`, and "
       "two empty lists. Each of three steps computes `error` from `w`, and runs the backward pass. Then "
       "come `total += (error.data ** 2).sum()`, `totals.append(total)`, `weights.append(w.data[0])`, and "
       "`w.data.sub_(0.05 * w.grad.data)`. What do the two lists hold today, after the loop?",
       told=r"(is|are) views?\b|every entry|one number, three times",
       explains="In 2017, the sum and the index of data gave Python numbers, which no later line changes.",
       decided=lists_of_different_numbers, mark="7"),
)

def variable_has_a_type_of_its_own() -> bool:
    """Return whether what `Variable` returns is no tensor, but an object of another type."""
    return type(torch.autograd.Variable(torch.ones(2))) is not torch.Tensor


NOTES = (
    Note("16.n7", "right in its time",
         says="It isn't right today: PyTorch 0.4, of April 2018, made one type of the two. It isn't wrong: "
         "before that, a Variable had a type of its own, and held its tensor as `v.data`. It isn't "
         "lucky: the sentence gives no result.",
         told=r"one type|type of its own", rows=("A4",),
         decided=lambda _: judged(variable_has_a_type_of_its_own(), held=True)),
)


# --- 16b: a program of 2017, written for today --------------------------------------------------------------

WANTED = {"weight": "the weight after two steps", "losses": "the two losses",
          "graph": "whether the loss has a graph", "write": "whether autograd counts the writes"}


def loss_of(w: Any, x: Any, target: Any) -> Any:
    return ((w * x + 0.5 - target) ** 2).mean()


def today(w: Any, x: Any, target: Any, empties: bool = True, records: bool = False) -> Any:
    """A right answer; the flags make two mistakes."""
    (loss_of(w, x, target) + 0.1 * w ** 2).backward()
    with torch.no_grad():
        w -= 0.5 * w.grad
    if empties:
        w.grad = None
    with torch.set_grad_enabled(records):
        return loss_of(w, x, target)


def uncounted(w: Any, x: Any, target: Any) -> Any:
    (loss_of(w, x, target) + 0.1 * w ** 2).backward()
    w.data.sub_(0.5 * w.grad)
    w.grad = None
    return loss_of(w, x, target).detach()


def as_it_was(w: Any, x: Any, target: Any) -> Any:
    """Return what the old program returns today: a write changes a tensor that `penalty` has saved."""
    loss, penalty = loss_of(w, x, target), 0.1 * w ** 2
    for part in loss, penalty:
        part.backward()
        w.data.sub_(0.5 * w.grad.data)
        w.grad.data.zero_()
    return loss_of(w, x, target)


def one_after_the_other(w: Any, x: Any, target: Any) -> Any:
    """Two counted writes, and the penalty computed between them: its gradient is that at the new weight."""
    for part in loss_of, lambda w, *_: 0.1 * w ** 2:
        part(w, x, target).backward()
        with torch.no_grad():
            w -= 0.5 * w.grad
        w.grad = None
    with torch.no_grad():
        return loss_of(w, x, target)


def two_steps(function: Callable, package: Any) -> tuple[list[Any], Any]:
    """Return what two calls return, and the weight after them."""
    inputs, targets = points()
    w = package.tensor(1., requires_grad=True)
    return [function(w, package.tensor(inputs), package.tensor(targets)) for _ in range(2)], w


def number_in(loss: Any) -> float:
    """Return a loss as a float. `float` alone warns of a loss with a graph, in the learner's notebook."""
    return float(loss.detach() if hasattr(loss, "detach") else loss)


def written_for_today(answer: Any, _: Any) -> Iterator[Part]:
    if not callable(answer):
        raise Misread(f"Your answer should be a function; it is {kind_of(answer)}. Change `step`, and write "
                      "`answer_16b = step`.")
    try:
        inspect.signature(answer).bind("w", "x", "target")
    except (TypeError, ValueError):
        raise Misread("Your function should take `w`, `x` and `target`.") from None
    found, w = two_steps(answer, package_of(answer))
    right, after = two_steps(today, torch)
    if any(one is None for one in found):
        raise Misread("Your function returned `None`. It should return the loss.")
    losses, wants = [*map(number_in, found)], [*map(number_in, right)]
    yield Part("weight", w.item(), after.item(), f"After two calls, `w` is {w.item():.4f}. It should be "
               f"{after.item():.4f}.")
    yield Part("losses", losses, wants, f"Two calls return the losses {losses[0]:.4f} and {losses[1]:.4f}. "
               f"They should be {wants[0]:.4f} and {wants[1]:.4f}.")
    yield Part("graph", any(getattr(one, "requires_grad", False) for one in found), False,
               "The loss that your function returns requires a gradient, and keeps its graph.")
    yield Part("write", w._version > 0, True, "The version of `w` is still 0: autograd hasn't counted your "
               "write.")


# --- 16c: an unseen program, sorted by its lines ------------------------------------------------------------

SORTED = {"error": "the lines that raise an error", "silent": "the lines that do harm"}
OLD = """\
w = torch.autograd.Variable(torch.ones(1), requires_grad=True)
x, y = torch.Tensor([1, 2, 2]), torch.Tensor([2, 4, 4])
start, counts = w.data[0], {}
for i in range(3):
    counts[x[i]] = counts.get(x[i], 0) + 1
    loss = ((w * x[i] - y[i]) ** 2).sum()
    loss.backward(retain_variables=True)
    print(loss.data[0])
    w.data.sub_(0.05 * w.grad.data)
    w.grad.data.zero_()
print(counts, w.data[0] - start)""".splitlines()
NEW = {1: "w = torch.ones(1, requires_grad=True)",
       2: "x, y = torch.tensor([1., 2., 2.]), torch.tensor([2., 4., 4.])",
       3: "start, counts = w.data[0].item(), {}",
       5: "    counts[x[i].item()] = counts.get(x[i].item(), 0) + 1",
       6: "    loss = ((w * x[i].item() - y[i].item()) ** 2).sum()",
       7: "    loss.backward(retain_graph=True)", 8: "    print(loss.item())",
       9: "    with torch.no_grad(): w.sub_(0.05 * w.grad)", 10: "    w.grad = None",
       11: "print(counts, (w.data[0] - start).item())"}


def run_with(new: Iterable[int]) -> tuple[list[float], int | None]:
    """Run the program with the new form of some lines; return the numbers it prints, and where it raised."""
    text = "\n".join(NEW[at] if at in new else line for at, line in enumerate(OLD, 1))
    printed: list[str] = []
    try:
        exec(compile(text, "<16c>", "exec"),
             {"torch": torch, "print": lambda *values: printed.extend(map(str, values))})
    except (AttributeError, IndexError, RuntimeError, TypeError) as error:
        return [], next(at.lineno for at in extract_tb(error.__traceback__) if at.filename == "<16c>")
    return [round(value, 3) for value in numbers(" ".join(printed))], None


@cache
def lines_with_an_error() -> list[int]:
    """Return the lines that raise an error: one after the other, each repaired before the next run."""
    found: list[int] = []
    while (at := run_with(found)[1]) is not None:
        found.append(at)
    return sorted(found)


@cache
def lines_that_do_harm() -> list[int]:
    """Return the lines whose new form changes what is printed, where all other lines are new."""
    errors, right = lines_with_an_error(), run_with(NEW)[0]
    return [at for at in NEW if at not in errors and run_with(NEW.keys() - {at})[0] != right]


def says_of(line: int, silent: bool) -> str:
    """Return what to say of a line that is in the wrong list."""
    if line not in range(1, len(OLD) + 1):
        return f"There is no line {line}."
    if not silent:
        return f"Line {line} raises no error."
    if line in lines_with_an_error():
        return f"Line {line} raises an error, so its harm isn't silent."
    why = ": its 0 is due to line 3, whose `start` changes with `w`" if line == len(OLD) else ""
    return f"With line {line} in its new form, the program prints the same numbers{why}."


def sorted_lines(answer: Any, _: Any) -> Iterator[Part]:
    given = in_order(answer, SORTED)
    for name, want in ("error", lines_with_an_error()), ("silent", lines_that_do_harm()):
        lines = sequence(as_lists(given[name]))
        told = [number(line) for line in (lines if isinstance(lines, (list, frozenset)) else [lines])]
        if lines is not None and None in told:
            raise Misread(f"In `{name}`, give the numbers of lines, such as `[1, 2]`.")
        got = [] if lines is None else sorted({int(line) for line in told})
        extra = next((line for line in got if line not in want), None)
        says = says_of(extra, name == "silent") if extra is not None else \
            f"One more line belongs in `{name}`." if len(got) == len(want) - 1 else ""
        yield Part(name, got or None, want, says)


EXERCISES = (
    Exercise("16b", "A program of 2017, written for today", WANTED, judge=written_for_today,
             example=lambda _: today,
             paper="A program of 2017 computes `loss` and `penalty = 0.1 * w ** 2`. Then it runs "
             "`loss.backward()`, `w.data.sub_(0.5 * w.grad.data)`, `w.grad.data.zero_()`, "
             "`penalty.backward()`, and the two lines with `.data` again. It returns the loss at the new "
             "`w`, computed from `torch.autograd.Variable(x, volatile=True)`. Write these lines for today, "
             "with both gradients at the first `w`. Autograd should count the writes to `w`, and the "
             "returned loss should have no graph.",
             hints=("What has `penalty` saved for its pass? Which line changes it without being counted?",
                    "Run both passes before you write to `w`, under `torch.no_grad()`. Under it, compute "
                    "the loss that you return."),
             why="A write through `.data` changed what `penalty` had saved, and the returned loss was "
             "recorded, because `volatile` has no effect. Neither raised an error. Under `no_grad`, "
             "autograd counts the write, so a pass that reads the changed tensor raises one.",
             wrong=(Wrong(lambda _: lambda *given: today(*given, empties=False), "M02", "The first gradient "
                          "is still in the drawer in the second step.",
                          paper="`(loss + penalty).backward()`, `w -= 0.5 * w.grad` under `no_grad`, "
                          "and no line that empties the drawer"),
                    Wrong(lambda _: as_it_was, "M81", "`penalty` had saved `w` for its pass, and a write "
                          "through `.data` changed it.", whole=True, paper="the lines as they were"),
                    Wrong(lambda _: one_after_the_other, None, "The second gradient is that at the new `w`. "
                          "Run both passes before you write to `w`.", whole=True,
                          paper="`penalty` computed and differentiated after the first write to `w`"),
                    Wrong(lambda _: lambda *given: today(*given, records=True), None, "`volatile` has no "
                          "effect today. Compute this loss under `no_grad`.", whole=True,
                          paper="a loss that is computed outside of `no_grad`"),
                    Wrong(lambda _: uncounted, None, "The weight and the losses are right, but "
                          "a write through `.data` doesn't raise the version.", whole=True,
                          paper="`w.data.sub_(0.5 * w.grad)`, once"))),
    Exercise("16c", "The lines of an unseen program, sorted", SORTED, judge=sorted_lines,
             example=lambda _: {"error": lines_with_an_error(), "silent": lines_that_do_harm()},
             paper="`old` is a program of 2017. Which of its lines raise an error today? Which do silent "
             "harm: with their new form, a printed number changes?",
             hints=("Repair one error after the other, and run the program each time. Then read each number "
                    "that it prints: can it be right?",
                    "Which line keeps a tensor that a later line changes? Which line uses one as a key?"),
             why="Line 3 keeps a view of `w`, and line 5 makes a new key of each `x[i]`.\n"
             "Line 9 does no harm here: each pass goes through a graph that was recorded after the last "
             "write.",
             wrong=(Wrong(lambda _: {"silent": [3, 5, 9]}, "M150", "Each pass goes through a graph that was "
                          "recorded after the last write to `w`."),
                    Wrong(lambda _: {"silent": [3, 5, 6]}, "M150", "Line 6 uses `x[i]` and `y[i]` at once, "
                          "and no line writes to `x` or `y`."),
                    Wrong(lambda _: {"silent": [5]}, "M181", "`w.data[0]` is a view of `w`."),
                    Wrong(lambda _: {"silent": [3]}, None, "How many keys does `counts` have?"),
                    Wrong(lambda _: {"error": [7]}, None, "Repair line 7, and run the program again."))),
)
