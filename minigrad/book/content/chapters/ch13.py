"""Chapter 13, "Gradients of gradients": its questions and exercises."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import minigrad as torch

from ...classroom import deciding
from ...classroom.exercise import Exercise, Part, Wrong
from ...classroom.questions import Option, Question
from ...classroom.reading import Misread, as_lists
from ...classroom.saying import kind_of
from ..packages import package_of

IDEAS = ("gradient penalty", "second derivative", "`create_graph=True`", "Hessian", "Hessian-vector product",
         "curvature", "forward mode", "dual number")


def what_the_second_pass_does(printed: str) -> str:
    """Return what 13.2 claims, from the last line, which is the error or the gradient."""
    *_, last = printed.splitlines()
    return "it raises an error" if "Error: " in last else f"it returns {deciding.numbers(last)[-1]:.0f}"


def how_many_passes(printed: str) -> str:
    """Return what 13.6 claims, if both ways found the same derivatives, and one backward pass their sums."""
    forward, backward = deciding.numbers(printed.partition("passes:")[2])[:2]
    if "derivatives: True" not in printed:
        return "other derivatives"
    return f"{forward:.0f} in forward mode, or {backward:.0f} backward"


def where_training_ends_at_the_best_line(printed: str) -> str:
    """Return what 13.7 claims, from lines with a learning rate, and the w and b that training ends with."""
    found = deciding.numbers(printed)
    rates = [f"{lr:g}" for lr, w, b in zip(found[::3], found[1::3], found[2::3])
             if max(abs(w - 2.95), abs(b - 0.5)) < 0.02]
    return "with " + {1: f"{rates[0]} alone", 3: "all three"}.get(len(rates), " and ".join(rates))


def whole(found: list[float]) -> str:
    return f"[{', '.join(f'{one:.0f}' for one in found)}]"


QUESTIONS = (
    Question("13.1", "`w` is 1. The derivative of the error is −1.6278, and that of the penalty, w², is 2. "
             "What does `grad(loss_of(w, 1.), w)` do?", (
        Option("it returns 0.3722: the derivatives of both terms", "M29",
               "It returned the derivative of the error alone; the 2 is missing."),
        Option("it raises an error: not every term can be differentiated", "M83",
               "No error was raised, although the 2 is missing."),
        Option("it returns −1.6278: the derivative of the error alone", None,
               "The value of the penalty is right, but the 2 is missing."),
    ), told="2 is missing|first term alone|penalty is missing|[Nn]o error",
        explains="To find out why, take a smaller program.",
        decided=lambda printed: f"it returns {deciding.numbers(printed)[-1]}"),
    Question("13.2", "`x` is 10, `y = x ** 3`, and `g, = grad(y, x, retain_graph=True)` returns 300. What "
             "does `grad(g, x)` do?", (
        Option("it raises an error", None,
               "The pass that computed `g` wasn't recorded, so `g` has no graph."),
        Option("it returns 60", "M30",
               "That graph computes `y`. No graph says how `g` was computed from `x`."),
        Option("it returns 0", "M80",
               "A pass from a tensor without a graph raises an error; it doesn't return 0."),
    ), told="`g` has no graph|wasn't recorded|no graph says|isn't recorded",
        decided=what_the_second_pass_does),
    Question("13.4", "The formula of `g` is [2 · `x[0]` · `x[1]`, `x[0]`² + 3 · `x[1]`²] = [4, 13]. What "
             "does `grad(g, x, v)` return for `v` = [1, 0]?", (
        Option("[4, 2]: the derivatives of `g[0]` for both inputs", None,
               "`v` selects `g[0]`. Its derivatives are 2 · `x[1]` = 4 and 2 · `x[0]` = 2."),
        Option("[4, 0]: the derivative of `g[0]` for `x[0]`, and a 0", "M84",
               "`g[0]` was computed from both inputs, so it has a derivative for `x[1]`, too."),
        Option("[6, 14]: the derivatives of both entries, added up", "M09",
               "`v` is 0 for `g[1]`, so the derivatives of `g[1]` aren't added."),
    ), mark="2", told=r"\[4, 2|12\]|v @ H|row of H is",
        explains="Row i of H holds the derivatives of `g[i]`: H is the Jacobian of `g`. As in chapter 5, "
        "`grad(g, x, v)` returns `v @ H`: first a row of H, then the other, then 3 · [4, 2] − [2, 12]. All "
        "of H takes a pass for each row.",
        decided=lambda printed: whole(deciding.numbers(printed)[2:4])),
    Question("13.7", "20 steps of plain SGD start at `w` = 4 and `b` = 1. With which of the learning rates "
             "0.5, 0.9 and 1.1 do they end near the best line?", (
        Option("with 0.5 alone: the others take `b` past 0.5", "M199",
               "With 0.9, each step takes `b` past 0.5, but closer to it than before."),
        Option("with all three: each step goes against the gradient", "M198",
               "With 1.1, each step goes against the gradient, but takes `b` further away from 0.5."),
        Option("with 0.5 and 0.9: 1.1 takes `b` away from 0.5", None,
               "A step multiplies the distance of `b` from 0.5 by 1 − 2 · `lr`, which is 0, −0.8 or −1.2."),
    ), told=r"1 − 2 ·|−0\.8\b|−1\.2\b|less than 2 /|less than 1\b|further away",
        explains="The largest curvature sets the limit: `lr` must be less than 2 / 2 = 1. `w` alone would "
        "allow 2 / 0.833 = 2.4. In chapter 0, `b` was right after one step with 0.5 = 1 / 2, it "
        "jumped between 1 and 0 with 1, and the loss exploded with 2.",
        decided=where_training_ends_at_the_best_line),
    Question("13.6", "`results(a, b)` computes 100 numbers: a·b, a·b², …, a·b¹⁰⁰. You want the derivatives "
             "of each with respect to `a` and `b`. How many passes does this take?", (
        Option("1 in forward mode, or 100 backward", "M131",
               "If both inputs are nudged in one pass, their changes are added in each tangent."),
        Option("2 in forward mode, or 100 backward", None,
               "A forward pass finds how every result changes with one input. A backward pass finds how one "
               "result changes with every input."),
        Option("100 in forward mode, or 1 backward", "M11",
               "One backward pass from all results returns their derivatives added up."),
    ), mark="3", told="pass for each|takes 100|[Tt]wo passes|nudge at a time|added up|few inputs",
             explains="So forward mode is better for few inputs and many results. A loss is one number, "
             "computed from many weights, so training uses backward passes.",
             decided=how_many_passes),
)


# --- 13a: with a graph and without one ----------------------------------------------------------------------

NAMES = {"(1) second": "the result of (1)", "(2) with a graph": "the result of (2)",
         "(3) without one": "the result of (3)"}


def three_results(numbers: dict[str, float]) -> list[float]:
    x = torch.tensor(numbers["x"], requires_grad=True)
    y = x ** 3
    g, = torch.autograd.grad(y, x, create_graph=True)
    h, = torch.autograd.grad(g, x, retain_graph=True)
    with_graph, = torch.autograd.grad(y + numbers["c"] * g, x)
    y = x ** 3
    g, = torch.autograd.grad(y, x, retain_graph=True)
    without, = torch.autograd.grad(y + numbers["c"] * g, x)
    return [h.item(), with_graph.item(), without.item()]


def of_these(first: int, second: int, third: int) -> Callable[[dict[str, float]], list[float]]:
    """The answer of a learner who adds c times the second derivative so often to the first."""
    def answer(numbers: dict[str, float]) -> list[float]:
        first_derivative, more = 3 * numbers["x"] ** 2, 6 * numbers["x"]
        return [first * more, *(first_derivative + times * numbers["c"] * more for times in (second, third))]
    return answer


# --- 13b: the whole Hessian ---------------------------------------------------------------------------------

MATRIX = {"three": "the Hessian for three numbers", "two": "the Hessian for two numbers",
          "drawer": "the drawer of x"}
TRIED = ((lambda x: x[0] * x[1] * x[2] + x[0] ** 3, [2., 3., 5.]),
         (lambda x: (x ** 4).sum() - 5 * x[0] * x[1] ** 2, [2., -1.]))


def hessian(f: Callable, x: Any) -> Any:
    g, = torch.autograd.grad(f(x), x, create_graph=True)
    return torch.stack([torch.autograd.grad(g, x, v, retain_graph=True)[0] for v in torch.eye(len(x))])


def summed(f: Callable, x: Any) -> Any:
    """The mistake to start from all ones: the sum of the rows."""
    return hessian(f, x).sum(0)


def diagonal_only(f: Callable, x: Any) -> Any:
    """The mistake to take the derivative of each number of the gradient for its own input alone."""
    return torch.diag(torch.diagonal(hessian(f, x)))


def matrix_and_empty_drawer(answer: Any, _: Any) -> Iterator[Part]:
    if not callable(answer):
        raise Misread(f"Your answer should be a function; it is {kind_of(answer)}. Write "
                      "`answer_13b = hessian`.")
    try:
        inspect.signature(answer).bind("f", "x")
    except TypeError:
        raise Misread("Your function should take `f` and `x`.") from None
    package = package_of(answer)
    drawers = []
    for (f, numbers), name in zip(TRIED, MATRIX, strict=False):
        x = package.tensor(numbers, requires_grad=True)
        want = hessian(f, torch.tensor(numbers, requires_grad=True)).tolist()
        got = answer(f, x)
        drawers.append(x.grad)
        if got is None:
            raise Misread("Your function returned `None`. It should return the matrix.")
        got = as_lists(got)
        yield Part(name, got, want, f"For {len(numbers)} numbers, your function returned {said(got)}. "
                   f"The right matrix is {said(want)}.")
    yield Part("drawer", drawers == [None, None], True,
               "After your function, something is in the drawer of `x`. `backward()` adds to the drawer of a "
               "leaf; `grad` doesn't.")


def said(found: Any) -> str:
    """Numbers without their zeros after the point."""
    if isinstance(found, (list, tuple)):
        return f"[{', '.join(map(said, found))}]"
    return f"{found:g}" if isinstance(found, (int, float)) else str(found)


EXERCISES = (
    Exercise("13a", "With a graph and without one", NAMES, expected=three_results,
             standard={"x": 4., "c": 5.},
             draw=lambda rng: {"x": float(rng.choice((4, 7, 8))), "c": float(rng.choice((3, 5, 10)))},
             paper="`y` is `x ** 3`, and `g, = grad(y, x, create_graph=True)`. What do (1) "
             "`second, = grad(g, x, retain_graph=True)` and (2) `grad(y + c * g, x)` return? (3) What does "
             "`grad(y + c * g, x)` return if `g` is computed with `retain_graph=True`, and without "
             "`create_graph=True`?",
             hints=("Write `g` and `second` as formulas of `x`.",
                    "A tensor without a graph is a constant for the pass. What is its derivative?"),
             why="You can now say, before you train, whether a term that contains a gradient will change "
             "the weights.",
             wrong=(Wrong(of_these(1, 1, 1), "M29",
                          "`g` has no graph in (3), so `c * g` is a constant there."),
                    Wrong(of_these(1, 0, 0), None,
                          "`g` has a graph in (2), so `c * g` adds c times the second derivative."),
                    Wrong(lambda numbers: {"(1) second": "error"}, None,
                          "`g` was computed with `create_graph=True`, so it has a graph, and a pass can "
                          "start from it."),
                    Wrong(lambda numbers: {"(2) with a graph": "error"}, None,
                          "Nothing that (2) needs was freed: `create_graph=True` kept the graph of `y`, and "
                          "`retain_graph=True` kept that of `g`."),
                    Wrong(lambda numbers: {"(3) without one": "error"}, "M83",
                          "the pass can start from the sum, because `y` has a graph."),
                    Wrong(lambda numbers: {"(2) with a graph": numbers["c"] * 6 * numbers["x"]}, None,
                          "`c * g` adds this number, and `y` adds a derivative of its own."),
                    Wrong(lambda numbers: {"(3) without one": 0.}, None,
                          "`c * g` is a constant there, but `y` still has a derivative."))),
    Exercise("13b", "The whole Hessian", MATRIX, judge=matrix_and_empty_drawer, example=lambda _: hessian,
             paper="`f(x)` is one number, and `x` is a leaf. Write `hessian(f, x)`, which returns the matrix "
             "of all second derivatives of `f(x)`, and leaves the drawer of `x` empty.",
             hints=("One product with v = [1, 0, 0] gives the first row. `torch.eye(len(x))` holds such a "
                    "`v` for each row.",
                    "All products go through the graph of the same `g`, so it must be kept. `torch.stack` "
                    "makes a matrix of the rows."),
             why="You can now compute all second derivatives of a function with few inputs.",
             wrong=(Wrong(lambda _: diagonal_only, "M84",
                          "Each number of the gradient has a derivative for each input.",
                          paper="`torch.diag(torch.diagonal(torch.stack(rows)))`"),
                    Wrong(lambda _: summed, None,
                          "A pass from the sum of `g` adds all rows. Run a pass for each row.",
                          paper="`torch.autograd.grad(g.sum(), x)[0]`"))),
)
