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


def what_relu_returns(printed: str) -> str:
    """Return what 13.9 claims, from what was printed after the name of each activation."""
    _, _, printed = printed.partition("ReLU True")
    found = deciding.numbers(printed)
    return "it raises an error" if "Error: " in printed or len(found) != 3 else (
        "it returns numbers other than 0" if any(found) else "it returns 0 for each input")


def where_training_ends_at_the_best_line(printed: str) -> str:
    """Return what 13.7 claims, from lines with a learning rate, and the w and b that training ends with."""
    found = deciding.numbers(printed)
    rates = [f"{lr:g}" for lr, w, b in zip(found[::3], found[1::3], found[2::3])
             if max(abs(w - 2.95), abs(b + 2.45)) < 0.02]
    return "with " + {1: f"{rates[0]} alone", 3: "all three rates"}.get(len(rates), " and ".join(rates))


def where_the_second_derivative_is_found(printed: str) -> str:
    """Return what 13.8 claims, from a line with 60 for the graph that was kept, and one for each that wasn't.

    The cell tries `x ** 3` before `x * x * x`, and stops at the first error.
    """
    stopped = "Trying to backward through the graph a second time" in printed
    found = printed.partition("Error")[0].count("tensor(60.)")
    return {(3, False): "for both", (2, True): "for `x ** 3` alone"}.get(
        (found, stopped), "for no `y`, or for `x * x * x` alone")


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
    Question("13.7", "H is [[2.833, 2], [2, 2]]. Plain SGD takes 100 steps. With which of the learning rates "
             "0.2, 0.4 and 0.6 does it end near the best line?", (
        Option("with all three rates", "M84",
               "0.6 is short enough if only one weight is trained. Here both are, and along [1, 1], which "
               "has length √2, the curvature is (2.83 + 2 + 2 + 2) / 2 = 4.42."),
        Option("with 0.2 alone", "M200",
               "[1, 1] · H · [1, 1] is 8.83, but [1, 1] has length √2. No curvature is larger than 4.83, and "
               "0.4 is less than 2 / 4.83."),
        Option("with 0.2 and 0.4", None,
               "0.4 is less than 2 / 4.83 = 0.414. Along [1, 1] / √2, the curvature is "
               "(2.83 + 2 + 2 + 2) / 2 = 4.42, and 0.6 is more than 2 / 4.42 = 0.453."),
    ), mark="3", told=r"8\.83|\b2\.83 \+ 2|4\.4[0-9]|0\.4[145]|explode|both weights",
        explains="The next cell finds the largest curvature: 4.46. With 0.6, each step multiplies the "
        "difference by 1 − 0.6 · 4.46 = −1.68, and 1.68¹⁰⁰ is about 3 · 10²².",
        decided=where_training_ends_at_the_best_line),
    Question("13.8", "`x` is 10. With `create_graph=True, retain_graph=False`, a pass from `y` returns `g` = "
             "300, and frees what the graph of `y` has saved. For which of `x ** 3` and `x * x * x` as `y` "
             "does `grad(g, x)` then return 60?", (
        Option("for `x ** 3` alone: in the other, `g` was computed from `x * x`", None,
               "For `x ** 3`, the pass computed `g` from `x`, which it saved itself. For `x * x * x`, it "
               "also used the result of `x * x`, whose node has lost its factors."),
        Option("for neither: the pass freed both graphs", "M13",
               "The pass freed what the graph of `y` had saved, and nothing that it saved itself."),
        Option("for both: the pass recorded how `g` was computed", "M35",
               "The graph of `g` leads to the multiplication `x * x`, whose factors were freed."),
    ), told=r"lost its factors|factors were freed|computed from `x \* x`",
        explains="So leave `retain_graph` out.",
        decided=where_the_second_derivative_is_found),
    Question("13.9", "`g` holds the derivatives of a network's results with respect to its three inputs, and "
             "was computed with `create_graph=True`. With Tanh, `grad(g.sum(), x)` returns numbers "
             "other than 0. What does it do with ReLU?", (
        Option("it raises an error", "M77",
               "No error is raised: ReLU has a corner, but PyTorch chooses a slope there."),
        Option("it returns 0 for each input", None,
               "Between two corners, the result of a network with ReLU is a straight line. So `g` has a "
               "graph, but stays the same if the input moves a little."),
        Option("it returns numbers other than 0", "M202",
               "`g` has a graph, but it stays the same if the input moves a little."),
    ), told=r"straight|smooth act|\bcorner|with ReLU, it is 0|stays the same",
        explains="`requires_grad` doesn't warn you. If a loss contains a second derivative with respect to "
        "the input, choose a smooth activation.",
        decided=what_relu_returns),
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
