"""Chapter 5, "When the answer isn't one number": its questions, notes and exercises."""
from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import permutations, product
from typing import Any

import minigrad as torch

from ...classroom.deciding import judged, numbers
from ...classroom.exercise import Exercise, Part, Wrong
from ...classroom.labs.coefficients_on_rows import function
from ...classroom.notes import Note
from ...classroom.points import points
from ...classroom.questions import Option, Question
from ...classroom.reading import Misread, as_lists, flat, in_order, number, sequence
from ...classroom.saying import kind_of

IDEAS = ("scalar", "Jacobian", "coefficients", "vector-Jacobian product", "dye", "diagonal", "broadcasts")

def gradients_of_losses() -> dict[tuple[float, int], str]:
    """Return what `w.grad` may hold in 5.2, as (its first number, how many there are), with its words."""
    inputs, targets = points()
    x, target = torch.tensor(inputs), torch.tensor(targets)
    w = torch.tensor(1., requires_grad=True)
    each = [torch.autograd.grad((w * at - goal) ** 2, w)[0].item()
            for at, goal in zip(x, target, strict=True)]
    return {(round(sum(each), 2), 1): "the gradient of `losses.sum()`: one number",
            (round(each[0], 2), 9): "the gradient of each loss: nine numbers",
            (round(sum(each) / 9, 2), 1): "the gradient of `losses.mean()`: one number",
            (round(each[-1], 2), 1): "the gradient of the last loss: one number"}


OF_THE_LOSSES = gradients_of_losses()


QUESTIONS = (
    Question("5.1", "`u.grad` is empty. You call `f(u).backward(v)` with "
             "`v = torch.tensor([0., 1., 0.])`. What is in `u.grad`?", (
        Option("`[0, 1, 0]`: a copy of `v`", "M09",
               "`v` isn't copied, and `u.grad` has two numbers, like `u`."),
        Option("`None`: there is an error", "M10",
               "There is no error: `v` has the shape of `f(u)`, three numbers."),
        Option("`[[6, 0], [2, 3], [0, 12]]`: all of J", "M11",
               "`u.grad` has the shape of `u`, two numbers; J has six."),
        Option("`[2, 3]`: a single row of J", None,
               "`v` has a 1 for the second output and 0 for the others, so only the second row is left."),
    ), paper="J is the Jacobian of `f`: each row is the gradient of one output, and each column belongs to "
             "one input. `u.grad` is empty. You call `f(u).backward(v)` with "
             "`v = torch.tensor([0., 1., 0.])`. What is in `u.grad`?", told=r"\[2, 3\]|second row is left",
             decided=lambda printed: str([round(one) for one in numbers(printed)]),
             explains="The argument isn't a starting value for `u`: it has the shape of the result, here "
             "three numbers. Two numbers would raise an error."),
    Question("5.2", "`losses` has nine elements, and `w.grad` is empty. You call "
             "`losses.backward(torch.ones(9))`. What is in `w.grad`?", (
        Option("the gradient of `losses.sum()`: one number", None,
               "Each loss has the coefficient 1, and the nine products are added."),
        Option("the gradient of each loss: nine numbers", "M11",
               "`w` is a single number, so `w.grad` is a single number."),
        Option("the gradient of `losses.mean()`: one number", "M34",
               "Each coefficient is 1, so nothing is divided by 9; coefficients of 1/9 would give the mean."),
        Option("the gradient of the last loss: one number", "M06",
               "Nothing replaces a message: the nine messages to `w` are added."),
    ), paper="`losses` has nine elements, all computed from the scalar leaf `w`; `w.grad` is empty. You call "
             "`losses.backward(torch.ones(9))`. What is in `w.grad`?", told=r"losses\.sum|14\.65",
             decided=lambda printed: OF_THE_LOSSES[round(numbers(printed)[0], 2), len(numbers(printed))],
             explains="`w` is one input, so the J of the nine losses is a column: nine rows, one entry each. "
             "`v @ J` is then a single number. From this number alone, you can't tell what each loss "
             "contributed."),
    Question("5.3", "`Y` has the shape (2, 3) and `c` the shape (2, 1); `c.grad` is empty. You call "
             "`(Y + c).backward(g)` with `g = torch.tensor([[1., 10., 100.], [1000., 1., 10.]])`. What is in "
             "`c.grad`?", (
        Option("`[[100], [10]]`: the last number of each row", "M06",
               "Nothing replaces a message: each number of `c` receives three of them."),
        Option("`[[111], [1011]]`: the sum of each row", None,
               "Each number of `c` is used three times in its row, and each use sends a message."),
        Option("`[1001, 11, 110]`: the sum of each column", "M34",
               "`c.grad` has the shape of `c`. The messages of one row go to the number that this row uses."),
        Option("`[[1, 10, 100], [1000, 1, 10]]`: all of `g`", "M11",
               "`c.grad` has the shape of `c`, which holds two numbers; `g` holds six."),
    ), mark="2", told=r"\b1011\b|sum of each row|adds up the messages|you add",
             decided=lambda printed: str([[round(one)] for one in numbers(printed)[:2]]),
             explains="If broadcasting repeats an element, the pass adds up the messages that its "
             "repetitions receive. The result has the shape of the tensor before broadcasting: the messages "
             "to `c` are added along each row, and those to a single number over all elements.\nJ says the "
             "same. If you number the six elements of the result, J has the row [1, 0] three times, and then "
             "[0, 1] three times."),
)

NOTES = (
    Note("5.n1", "wrong",
         says="The error asks for an argument; it doesn't say that there is no gradient. `f(u)` holds three "
         "numbers, and `f(u).backward(v)` gave the gradient of one of them. The note's next section finds "
         "this argument, too.",
         instead="pass a `v` that says how much each element counts.",
         told="doesn't say that there is no gradient|how much each element counts", rows=("B5",),
         decided=lambda printed: judged("tensor([2., 3.])" not in printed)),
    Note("5.n2", "right",
         says="Each number is the weight of one loss: the pass gives the gradient of the weighted sum. "
         "As printed, the note's call raises an error: the argument must have the shape of the losses. "
         "Before that, the note says that ones differentiate each loss separately. This is right only if "
         "each loss depends on its own element of the input, as in `r ** 2`. All nine losses use one "
         "`w`, so ones give one sum.",
         instead="to select the gradient of one loss, give it the coefficient 1 and all others 0.",
         told="is the weight of one loss|ones give one sum|differentiate each loss", rows=("B7",),
         decided=lambda printed: judged(len(set(re.findall(r"tensor\(.*?\)", printed)[-2:])) == 1)),
)


DYES = (0, 1, 10, 100)


def gradient(v) -> list[float]:
    u = torch.tensor([3., 2.], requires_grad=True)
    function(u).backward(torch.tensor([float(coefficient) for coefficient in v]))
    return u.grad.tolist()


def dyed(answer: Any, numbers: list[float]) -> Iterator[Part]:
    """5a: any v made of dyes that gives this gradient is right."""
    v = three_numbers(answer)
    if v is None:
        yield Part("v", kind_of(answer), None, "`v` is a list of three numbers, one for each output; your "
                   f"answer is {kind_of(answer)}.")
        return
    if not set(v) <= set(DYES):
        yield Part("v", kind_of(v), None, "Each coefficient is a dye: 0, 1, 10 or 100.")
        return
    got = gradient(v)
    yield Part("v", got, numbers, f"{kind_of(v)} gives the gradient {kind_of(got)}, and {kind_of(numbers)} "
               "is asked for.")


def three_numbers(answer: Any) -> list[float] | None:
    """The three coefficients of an answer, also of a text such as "10 100 1"; None: it has no three."""
    answer = sequence(as_lists(answer))
    if isinstance(answer, Mapping) and len(answer) == 1:
        answer = next(iter(answer.values()))
    if isinstance(answer, str):
        answer = re.split(r"[\s,;]+", answer.strip(" []()"))
    if isinstance(answer, list) and len(answer) == 1 and isinstance(answer[0], list):
        answer = answer[0]
    v = [number(coefficient) for coefficient in answer] if isinstance(answer, list) else []
    return v if len(v) == 3 and None not in v else None


def draw_dye(rng) -> list[float]:
    while True:
        v = [rng.choice(DYES) for _ in range(3)]
        if sum(coefficient > 0 for coefficient in v) == 2 and v[0] != v[2] and v[1] != 10 * v[2]:
            return gradient(v)


def backwards(numbers) -> list[int]:
    """The right coefficients of 5a, in the wrong order."""
    return next([c, b, a] for a in DYES for b in DYES for c in DYES if gradient([a, b, c]) == numbers)


ROWS = {f"row {at}": f"row {at}" for at in range(3)}
OUTPUTS_OF_H = ("u[0] * u[1]", "u[0] - u[1] ** 2", "u[0] ** 3")


def jacobian(point: list[float]) -> list[list[float]]:
    def h(u):
        return torch.stack([u[0] * u[1], u[0] - u[1] ** 2, u[0] ** 3])

    return torch.autograd.functional.jacobian(h, torch.tensor(point)).tolist()


def rows_of_h(answer: Any, point: list[float]) -> Iterator[Part]:
    """5b: a part for each row, which says what the row should hold."""
    want, answer = jacobian(point), sequence(as_lists(answer))
    of_six = isinstance(answer, list) and (len(answer) == len(ROWS) or len(flat(answer)) == 6)
    if not of_six and not isinstance(answer, Mapping):
        said = f'"{kind_of(answer)}"' if isinstance(answer, str) else kind_of(answer)
        raise Misread(f"Three rows of two numbers each are asked for; your answer is {said}.")
    given = in_order(answer, ROWS, want)
    two_of_three = isinstance(answer, list) and [len(flat(row)) for row in answer] == [3, 3]
    for (name, got), row, output in zip(given.items(), want, OUTPUTS_OF_H, strict=True):
        yield Part(name, got, row, "Three rows of two numbers are asked for; yours are two rows of three."
                   if two_of_three else f"{name.capitalize()} should hold the two derivatives of "
                   f"`{output}`; yours is {kind_of(got)}.")


def other_orders(point: list[float]) -> list[list[list[float]]]:
    """The right rows of 5b in each wrong order, the reverse one first."""
    first, *others = permutations(jacobian(point))
    return [list(rows) for rows in reversed(others)]


def sums(rows) -> list[float]:
    return [sum(column) for column in zip(*rows, strict=True)]


EXERCISES = (
    Exercise("5a", "Which dyes went in?", {"v": "`v`"}, judge=dyed,
             why="With a dye you can find out which outputs an input affects, and how strongly, from a "
             "single pass.",
             example=lambda numbers: next(list(v) for v in product(DYES, repeat=3) if gradient(v) == numbers),
             paper="With the `f` of prediction 5.1 at `u` = (3, 2), `f(u).backward(v)` gave this gradient. "
             "Each number in `v` is 0, 1, 10 or 100. Which `v` was it?",
             standard=[260., 312.], draw=draw_dye,
             hints=("With coefficients a, b and c, the first number is 6a + 2b, and the second is 3b + 12c.",
                    "Try each dye for `c`: what is left of the second number must be three times a dye."),
             wrong=(Wrong(backwards, None, "The first coefficient belongs to the first output."),
                    Wrong(list, "M09", "That is the gradient. Which coefficients gave it?"))),
    Exercise("5b", "Find the fault", ROWS, judge=rows_of_h, example=jacobian,
             why="Each row needs its own pass, from an empty drawer; `torch.autograd.functional.jacobian` "
             "returns all rows with one call.",
             paper="This program should collect the rows of the Jacobian of `h`. At its end, `rows` holds "
             "the same row three times, and the Jacobian has no such row. Which three rows should it hold?",
             standard=[4., 0.5],
             draw=lambda rng: [float(rng.choice((2., 3., 5.))), float(rng.choice((0.5, 1.5, 2.5)))],
             hints=("Print `point.grad` in each turn of the loop, and `rows` as well.",
                    "What was in `point.grad` before the pass, and how many different tensors are in "
                    "`rows`?"),
             wrong=(Wrong(lambda point: [sums(jacobian(point))] * 3, "M02",
                          "Each pass adds to `point.grad`, so each of your rows is the sum of all three.",
                          whole=True),
                    Wrong(lambda point: [sums(jacobian(point)[:at]) for at in (1, 2, 3)], "M02",
                          "Each pass adds to `point.grad`, so each of your rows contains the rows before it.",
                          whole=True),
                    Wrong(lambda point: [jacobian(point)[2]] * 3, None,
                          "All three entries show the last pass: the list holds one tensor three times.",
                          whole=True),
                    Wrong(lambda point: [list(row) for row in zip(*jacobian(point), strict=True)], None,
                          "These are the columns. A row for each output is asked for.", whole=True),
                    *(Wrong(lambda point, at=at: other_orders(point)[at], None,
                            f"These are the right rows in {order} order; row 0 belongs to the first output.",
                            whole=True)
                      for at, order in enumerate(("reverse", *["another"] * 4))))),
)
