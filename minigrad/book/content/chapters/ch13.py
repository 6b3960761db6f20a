"""Chapter 13, "Gradients of gradients": its questions and exercises."""
from __future__ import annotations

import re
from collections.abc import Callable

import minigrad as torch

from ...classroom import deciding
from ...classroom.exercise import Exercise, Wrong
from ...classroom.questions import Option, Question

IDEAS = ("gradient penalty", "second derivative", "`create_graph=True`", "Hessian", "Hessian-vector product",
         "forward mode", "dual number")


def what_the_second_pass_does(printed: str) -> str:
    """Return what 13.2 claims, from the last line, which is the error or the gradient."""
    *_, last = printed.splitlines()
    return "it raises an error" if "Error: " in last else f"it returns {deciding.numbers(last)[-1]:.0f}"


def terms_that_train_relu(printed: str) -> str:
    """Return what 13.5 claims, from the lines with ReLU: the norm of the gradient of each term."""
    first, second = (bool(deciding.numbers(line)[-1]) for line in printed.splitlines() if "ReLU" in line)
    return {(True, True): "both terms", (True, False): "the first term alone",
            (False, False): "neither term"}.get((first, second), "the second term alone")


def what_a_pass_from_a_tangent_does(printed: str) -> str:
    """Return what 13.6 claims, from the first line, two gradients, or the error."""
    if "Error: " in printed:
        return "it raises an error"
    return "it returns {:g} and {:g}".format(*deciding.numbers(printed.splitlines()[0]))


def where_the_second_derivative_is_found(printed: str) -> str:
    """Return what 13.4 claims, from two lines for graphs that were kept, and one for each that wasn't.

    The cell tries `x ** 3` before `x.exp()`, and stops at the first error.
    """
    stopped = "Trying to backward through the graph a second time" in printed
    found = len(re.findall(r"^(?:None|False) tensor", printed, re.MULTILINE))
    return {(4, False): "for both", (3, True): "for `x ** 3` alone"}.get(
        (found, stopped), "for neither, or for `x.exp()` alone")


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
    Question("13.3", "The Hessian H is [[6, 2], [2, 2]], and `v` is [1, −2]. What does a pass from the "
             "gradient, `grad(g, p, v)`, return?", (
        Option("[6, −4]", "M84",
               "Each number of `g` depends on both of `p`, so the numbers beside the diagonal count, too."),
        Option("[[6, 2], [−4, −4]]", "M11",
               "A pass adds these two rows, because the result has the shape of `p`."),
        Option("[2, −2]", None,
               "As in chapter 5, the pass returns `v @ J`, and here J is H."),
    ), mark="8", told=r"\[2, −2\]|v @ H|symmetric|[Ww]eighted sum",
        explains="As for every smooth function, H is symmetric: `H[i, j]` is equal to `H[j, i]`. So `v @ H` "
        "is also H · v, and the nudge finds the same two numbers.\n"
        "For a million weights, H has 10¹² numbers, but H · v still takes one more pass.",
        decided=lambda printed: "[{:g}, {:g}]".format(*deciding.numbers(printed)[:2]).replace("-", "−")),
    Question("13.4", "`x` is 1. With `create_graph=True, retain_graph=False`, a pass from `y` returns `g`, "
             "and frees what the graph of `y` has saved. For which of `x ** 3` and `x.exp()` as `y` does "
             "`grad(g, x)` then return a number?", (
        Option("for `x ** 3` alone: the other `g` was computed from `y`", None,
               "For `x ** 3`, the pass computed `g` from `x`, and saved it itself. For `x.exp()`, it used "
               "`y`, whose node has lost what it saved."),
        Option("for neither: the pass freed both graphs", "M13",
               "The pass freed what the graph of `y` had saved, and nothing that it saved itself."),
        Option("for both: the pass recorded how `g` was computed", "M35",
               "The graph of `g` leads to the node of `x.exp()`, which has lost what it saved."),
    ), mark="7", told=r"has lost what|computed from `y`",
        explains="So leave `retain_graph` out.",
        decided=where_the_second_derivative_is_found),
    Question("13.5", "A network is Linear, ReLU, Linear. `g` holds the derivatives of its results with "
             "respect to its inputs, and `second` those of `g.sum()`. Both passes were recorded. Which terms "
             "have a gradient other than 0 for the weights of its first layer: `(g ** 2).mean()` or "
             "`(second ** 2).mean()`?", (
        Option("both terms", "M202",
               "`second` has a graph, but it is 0, whatever the weights are."),
        Option("the first term alone", None,
               "Between two corners, the result is a straight line. Its slope depends on the weights, but "
               "not on the input."),
        Option("neither term", "M203",
               "Between two corners, the result is a straight line, whose slope depends on the weights."),
    ), mark="7", told=r"straight|smooth act|\bcorner|ReLU, too",
        explains="So a penalty on first derivatives, such as this chapter's, can train this network. "
        "A penalty on second derivatives can't.",
        decided=terms_that_train_relu),
    Question("13.6", "The tangent of the result is 25. What does a backward pass from this tangent to "
             "both leaves do?", (
        Option("it raises an error: the tangent has no graph", "M204",
               "No backward pass computed the tangent, so `create_graph=True` wasn't needed to record it."),
        Option("it returns 6 and 11: a row of the Hessian", None,
               "The tangent was computed by ordinary operations, with recording on."),
        Option("it returns 0 and 0: the tangent is a constant", "M205",
               "The tangent was computed from `a` and `b`, and each operation was recorded."),
    ), mark="7", paper="Two dual numbers hold the leaves `a` = 2 and `b` = 3. They are added and "
             "multiplied, and the tangent of the result is 25. What does a backward pass from this tangent "
             "to both leaves do?",
        told=r"\b6\.\), tensor|6 and 11|ordinary operations|one backward pass",
        explains="Only what a backward pass computes needs `create_graph=True`. The tangent is v · g, where "
        "v is [1, 0] and g is the gradient of the result. So this backward pass found H · v, and the next "
        "line does so for [1, −2].",
        decided=what_a_pass_from_a_tangent_does),
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
             "constant.",
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
)
