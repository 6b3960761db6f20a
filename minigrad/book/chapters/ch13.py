"""Chapter 13, "Gradients of gradients": its questions and exercises."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import minigrad as torch

from ..claims import package_of
from ..exercises import Exercise, Part, Wrong
from ..questions import Option, Question
from ..reading import Misread, as_lists
from ..saying import kind_of

IDEAS = ("second derivative", "`create_graph=True`", "Newton's method", "Hessian", "Hessian-vector product",
         "gradient penalty", "unrolled", "forward mode")

QUESTIONS = (
    Question("13.1", "`grad` is `torch.autograd.grad`, `x` is 10, and `y = x ** 3`. "
             "`g, = grad(y, x, retain_graph=True)` returns 300. What does `grad(g, x)` do?", (
        Option("it returns 60, because the graph of `y` was kept", "M30",
               "That graph computes `y`. No graph says how `g` was computed from `x`."),
        Option("it raises an error, because `g` has no graph", None,
               "The pass that computed `g` wasn't recorded, so there is nothing to go back through."),
        Option("it returns 0, because `g` is a constant now", "M80",
               "A pass from a tensor without a graph raises an error; it doesn't return 0."),
    ), told="no graph|n.t recorded|element 0"),
    Question("13.2", "`x` is 10, its drawer is empty, and `y = x ** 3`. `y.backward(create_graph=True)` "
             "stores 300 in `x.grad`. What is `x.grad` after `x.grad.backward()`?", (
        Option("60, because the second pass replaces the 300", "M02",
               "A pass replaces nothing. It adds the 60 to what is in the drawer."),
        Option("300, because the second pass fills `x.grad.grad`", "M03",
               "The pass ends at the leaf `x`, as the first one did, and adds to the drawer of `x`."),
        Option("360, because the second pass adds 60 to the 300", None,
               "Both passes end at the leaf `x`, and both add to its drawer."),
    ), told=r"\b360\b|to the same drawer"),
    Question("13.3", "`x` is [1, 2], and `g`, computed with `create_graph=True`, is "
             "[2 · `x[0]` · `x[1]`, `x[0]`² + 3 · `x[1]`²] = [4, 13]. What does `grad(g, x, v)` return for "
             "`v` = [1, 0]?", (
        Option("[4, 2], the slopes of `g[0]` for both inputs", None,
               "`v` picks `g[0]`. Its slopes are 2 · `x[1]` = 4 and 2 · `x[0]` = 2."),
        Option("[4, 0], the slope of `g[0]` for `x[0]`, and a 0", "M84",
               "`g[0]` was computed from both inputs, so it has a slope for `x[1]`, too."),
        Option("[[4, 2], [2, 12]], the slopes of `g[0]` and `g[1]`", "M11",
               "One pass returns a weighted sum of the rows, and not the matrix."),
    ), told=r"\[4, 2|v @ H|12\]"),
    Question("13.4", "`guess` is `w * x`, `w` is 1, and `error` is a loss computed from `guess`. "
             "`slopes, = grad(guess.sum(), x, retain_graph=True)` holds `w` for each point, so "
             "`penalty = (slopes ** 2).mean()` is w². For `w`, the slope of `error` is −1.6278, and the "
             "slope of w² is 2. What does `grad(error + penalty, w)` do?", (
        Option("it returns 0.3722, the gradient of the sum", "M29",
               "`slopes` has no graph, so no message finds a way from `penalty` to `w`."),
        Option("it returns −1.6278, the gradient of `error`", None,
               "`penalty` has no graph, so for the pass it is a constant that is added to `error`."),
        Option("it raises an error, as `penalty` has no graph", "M83",
               "The sum has a graph, because `error` has one, so the pass finds a place to start."),
    ), told="counts as a constant|no error is raised"),
)


# --- 13a: with a graph and without one ----------------------------------------------------------------------

NAMES = {"(1) h": "the result of (1)", "(2) with a graph": "the result of (2)",
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
        slope, more = 3 * numbers["x"] ** 2, 6 * numbers["x"]
        return [first * more, *(slope + times * numbers["c"] * more for times in (second, third))]
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


def own_slopes(f: Callable, x: Any) -> Any:
    """The mistake to take the slope of each number of the gradient for its own input alone."""
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
             "`h, = grad(g, x, retain_graph=True)` and (2) `grad(y + c * g, x)` return? (3) What does "
             "`grad(y + c * g, x)` return if `g` is computed with `retain_graph=True`, and without "
             "`create_graph=True`?",
             hints=("Write `g` and `h` as formulas of `x`.",
                    "A tensor without a graph is a constant for the pass. What is its slope?"),
             wrong=(Wrong(of_these(1, 1, 1), "M29",
                          "`g` has no graph in (3), so `c * g` is a constant there."),
                    Wrong(of_these(1, 0, 0), None,
                          "`g` has a graph in (2), so `c * g` adds c times the second derivative."))),
    Exercise("13b", "The whole Hessian", MATRIX, judge=matrix_and_empty_drawer, example=lambda _: hessian,
             paper="`f(x)` is one number, and `x` is a leaf. Write `hessian(f, x)`, which returns the matrix "
             "of all second derivatives of `f(x)`, and leaves the drawer of `x` empty.",
             hints=("One product with v = [1, 0, 0] gives the first row. `torch.eye(len(x))` holds such a "
                    "`v` for each row.",
                    "All products go through the graph of the same `g`, so it must be kept. `torch.stack` "
                    "makes a matrix of the rows."),
             wrong=(Wrong(lambda _: own_slopes, "M84",
                          "Each number of the gradient has a slope for each input."),
                    Wrong(lambda _: summed, None,
                          "A pass from the sum of `g` adds all rows. Run a pass for each row."))),
)
