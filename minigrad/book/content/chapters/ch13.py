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


def terms_that_train_relu(printed: str) -> str:
    """Return what 13.4 claims, from the lines with ReLU: the norm of the gradient of each term."""
    first, second = (bool(deciding.numbers(line)[-1]) for line in printed.splitlines() if "ReLU" in line)
    return {(True, True): "both terms", (True, False): "the first term alone",
            (False, False): "neither term"}.get((first, second), "the second term alone")


def what_a_pass_from_a_tangent_does(printed: str) -> str:
    """Return what 13.5 claims, from the two gradients or the error."""
    if "Error: " in printed:
        return "it raises an error"
    return "it returns {:g} and {:g}".format(*deciding.numbers(printed))


def where_training_ends_at_the_best_line(printed: str) -> str:
    """Return what 13.6 claims, from lines with a learning rate, and the w and b that training ends with."""
    found = deciding.numbers(printed)
    rates = [f"{lr:g}" for lr, w, b in zip(found[::3], found[1::3], found[2::3])
             if max(abs(w - 2.95), abs(b + 2.45)) < 0.02]
    return "with " + {1: f"{rates[0]} alone", 3: "all three rates"}.get(len(rates), " and ".join(rates))


def where_the_second_derivative_is_found(printed: str) -> str:
    """Return what 13.3 claims, from a line with 60 for the graph that was kept, and one for each that wasn't.

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
    Question("13.3", "`x` is 10. With `create_graph=True, retain_graph=False`, a pass from `y` returns `g` = "
             "300, and frees what the graph of `y` has saved. For which of `x ** 3` and `x * x * x` as `y` "
             "does `grad(g, x)` then return 60?", (
        Option("for `x ** 3` alone: in the other, `g` was computed from `x * x`", None,
               "For `x ** 3`, the pass computed `g` from `x`, which it saved itself. For `x * x * x`, it "
               "also used the result of `x * x`, whose node has lost its factors."),
        Option("for neither: the pass freed both graphs", "M13",
               "The pass freed what the graph of `y` had saved, and nothing that it saved itself."),
        Option("for both: the pass recorded how `g` was computed", "M35",
               "The graph of `g` leads to the multiplication `x * x`, whose factors were freed."),
    ), mark="2", told=r"lost its factors|factors were freed|computed from `x \* x`",
        explains="So leave `retain_graph` out.",
        decided=where_the_second_derivative_is_found),
    Question("13.4", "`g` holds the derivatives of a network's results with respect to its inputs. `second` "
             "holds those of `g.sum()`. Both passes were recorded. The network has ReLU. Which terms have a "
             "gradient other than 0 for the weights of its first layer: `(g ** 2).mean()` or "
             "`(second ** 2).mean()`?", (
        Option("both terms", "M202",
               "`second` has a graph, but it is 0, whatever the weights are."),
        Option("the first term alone", None,
               "Between two corners, the result is a straight line. Its slope depends on the weights, but "
               "not on the input."),
        Option("neither term", "M203",
               "Between two corners, the result is a straight line, whose slope depends on the weights."),
    ), mark="3", told=r"straight|smooth act|\bcorner|ReLU, too|comparison|no path leads from `g`",
        explains="So the penalty of this chapter trains a network with ReLU, and a second derivative with "
        "respect to the input doesn't.\n"
        "The next cell computes the same results with `clamp(min=0)`, and `grad(g.sum(), x)` raises an "
        "error. The backward pass of `clamp` uses its input only in a comparison, so no path leads from `g` "
        "to `x`.",
        decided=terms_that_train_relu),
    Question("13.5", "The tangent of the result is 25. What does a backward pass from this tangent to "
             "both leaves do?", (
        Option("it raises an error: the tangent has no graph", "M204",
               "No backward pass computed the tangent, so `create_graph=True` wasn't needed to record it."),
        Option("it returns 6 and 11: a row of the Hessian", None,
               "The tangent was computed by ordinary operations, with recording on."),
        Option("it returns 0 and 0: the tangent is a constant", "M205",
               "The tangent was computed from `a` and `b`, and each operation was recorded."),
    ), mark="6", paper="Two dual numbers hold the leaves `a` = 2 and `b` = 3. They are added and "
             "multiplied, and the tangent of the result is 25. What does a backward pass from this tangent "
             "to both leaves do?",
        told=r"\b6\.\), tensor|6 and 11|ordinary operations|one backward pass",
        explains="Only what a backward pass computes needs `create_graph=True`. The tangent is v · g, where "
        "v is [1, 0] and g is the gradient of the result. So H · v takes one forward pass with v as "
        "tangents, and one backward pass.",
        decided=what_a_pass_from_a_tangent_does),
    Question("13.6", "The largest curvature is 4.46, and the smallest is 0.374. With which of the learning "
             "rates 0.2, 0.4 and 0.6 do 100 steps of plain SGD end near the best line?", (
        Option("with all three rates", "M84",
               "0.6 is short enough if only one weight is trained. Here both are, and along `v`, the factor "
               "is 1 − 0.6 · 4.46 = −1.68."),
        Option("with 0.2 alone", "M199",
               "With 0.4, the factor along `v` is 1 − 0.4 · 4.46 = −0.78. Each step ends on the other side, "
               "but closer."),
        Option("with 0.2 and 0.4", None,
               "Along `v`, the factors are 0.11, −0.78 and −1.68, and 1.68¹⁰⁰ is about 3 · 10²². Along the "
               "other direction, they are between 0 and 1."),
    ), mark="4", told=r"0\.78|1\.68|0\.4[45]|explode|both weights|2 / \(the largest",
        explains="If a loss is quadratic and has a lowest point, plain SGD approaches such a point from "
        "every start if, and only if, `lr` is between 0 and 2 / (the largest curvature): here, 0.448.",
        decided=where_training_ends_at_the_best_line),
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
             why="You can now say, before you train, whether a term that contains a gradient is a "
             "constant. If it isn't, its gradient may still be 0 (13.4).",
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
