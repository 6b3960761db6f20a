"""Chapter 13, "Gradients of gradients": its questions and exercises."""
from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import minigrad as torch

from ...classroom import deciding
from ...classroom.comparing import same
from ...classroom.exercise import Exercise, Part, Wrong
from ...classroom.questions import Option, Question
from ...classroom.reading import Misread, as_lists
from ..packages import package_of

IDEAS = ("gradient penalty", "second derivative", "`create_graph=True`", "Hessian", "Hessian-vector product",
         "curvature", "forward mode", "dual number")


def what_the_second_pass_does(printed: str) -> str:
    """Return what 13.2 claims, from the last line, which is the error or the gradient."""
    *_, last = printed.splitlines()
    return "it raises an error" if "Error: " in last else f"it returns {deciding.numbers(last)[-1]:.0f}"


def what_a_pass_from_a_tangent_does(printed: str) -> str:
    """Return what 13.6 claims, from the first line, two gradients, or the error."""
    if "Error: " in printed:
        return "it raises an error"
    return "it returns " + " and ".join(f"{found:g}" for found in deciding.numbers(printed.splitlines()[0]))


def where_the_second_derivative_is_found(printed: str) -> str:
    """Return what 13.4 claims, from two lines for graphs that were kept, and one for each that wasn't.

    The cell tries `x ** 3` before `x.exp()`, and stops at the first error.
    """
    stopped = "Trying to backward through the graph a second time" in printed
    found = len(re.findall(r"^(?:None|False) tensor", printed, re.MULTILINE))
    return {(4, False): "for both", (3, True): "for `x ** 3` alone"}.get(
        (found, stopped), "for neither, or for `x.exp()` alone")


QUESTIONS = (
    Question("13.1", "`w` is 1. The derivative of `error` is −1.6278. That of `penalty`, which `penalty_of` "
             "computes as w², is 2. What does `grad(error + penalty, w)` do?", (
        Option("it returns 0.3722", "M29",
               "That is the derivative of the sum. But autograd takes the penalty as a constant, so the 2 is "
               "missing."),
        Option("it raises an error", "M83",
               "`error` has a graph, so the pass runs. Autograd takes the penalty as a constant, so the 2 is "
               "missing."),
        Option("it returns −1.6278", None,
               "The value of the penalty is right. But the pass that computed the sensitivity wasn't "
               "recorded: autograd takes the penalty as a constant, so the 2 is missing."),
    ), told="wasn't recorded|2 is missing|a constant|first term alone|penalty is missing|[Nn]o error",
        decided=lambda printed: f"it returns {deciding.numbers(printed)[-1]}"),
    Question("13.2", "`x` is 10, `y = 5 * x`, and `g, = grad(y, x, create_graph=True)` returns 5. What does "
             "`grad(g, x)` do?", (
        Option("it raises an error", None,
               "The pass multiplied its first message, 1, by 5. Neither requires a gradient, so `g` has no "
               "graph."),
        Option("it returns 0", "M80",
               "The second derivative is 0, but autograd doesn't return it: `g` has no graph from which a "
               "pass could start."),
        Option("it returns 5", "M240",
               "5 is the derivative of `y`, and `g` doesn't have the graph of `y`."),
    ), mark="10", paper="For `y = x ** 3` at `x` = 10, `g, = grad(y, x, create_graph=True)` returns 300, "
                        "and then `grad(g, x)` returns 60. Now `y` is `5 * x`, and the same two calls "
                        "follow. The first returns 5. What does the second one do?",
        told=r"[Nn]either requires|message, 1, by 5",
        explains="`create_graph=True` switches recording on. As in a forward pass, an operation is then "
        "recorded if an input of it requires a gradient. If a function may be linear, write "
        "`grad(g + 0 * x, x)`: here it returns 0.",
        decided=what_the_second_pass_does),
    Question("13.3", "The Hessian H is [[6, 2], [2, 3]], `p` is [4, 1], and `v` is [1, −1]. What does a pass "
             "from the gradient, `grad(g, p, v)`, return?", (
        Option("[6, −3]", "M84",
               "Each number of `g` depends on both of `p`, so the numbers beside the diagonal count, too."),
        Option("[4, −1]", None,
               "As in chapter 5, the pass returns `v @ J`, and here J is H."),
        Option("[30, 10]", "M220",
               "That is the gradient at `p + v`, and `v` moves nothing. It weights the rows of H."),
    ), mark="10", paper="The Hessian H of `f` is [[6, 2], [2, 3]], `p` is [4, 1], and `v` is [1, −1]. What "
             "does `grad(g, p, v)` return?", told=r"\[4, −1\]|v @ H|v · H|[Ww]eighted sum",
        explains="H is symmetric, so this is also H · v, in code `H @ v`.",
        decided=lambda printed: "[{:g}, {:g}]".format(*deciding.numbers(printed)[:2]).replace("-", "−")),
    Question("13.4", "`x` is 1. With `create_graph=True, retain_graph=False`, a pass from `y` returns `g`, "
             "and frees what the graph of `y` has saved. For which of `x ** 3` and `x.exp()` as `y` does "
             "`grad(g, x)` then return a number?", (
        Option("for `x ** 3` alone: the other `g` was computed from `y`", None,
               "For `x ** 3`, the pass computed `g` from `x`, and saved it itself. For `x.exp()`, it used "
               "`y`, whose node has lost what it saved."),
        Option("for neither: the graph of each `g` leads to the graph of `y`", "M13",
               "For `x ** 3`, the pass computed `g` from `x`, so its graph leads to `x` without the node of "
               "`y`."),
        Option("for both: `x` and `y` still have their values", "M221",
               "`y` has its value, but its node has lost it, and a pass reads what the node saved."),
    ), mark="9", told=r"has lost|computed from `y`",
        explains="`grad(g, x)` runs the nodes on all paths from `g` to `x`, of forward and backward passes.",
        decided=where_the_second_derivative_is_found),
    Question("13.6", "Now `a` = 2 and `b` = 3 are leaves. The tangent of `forward(Dual(a, 1.), Dual(b, 0.))"
             "[-1]` is 25. What does a backward pass from this tangent to both leaves do?", (
        Option("it raises an error", "M204",
               "No backward pass computed the tangent, so `create_graph=True` wasn't needed to record it."),
        Option("it returns 6 and 11", None,
               "The tangent was computed by ordinary operations, with recording on. 6 and 11 are a row of "
               "the Hessian."),
        Option("it returns 6 and 0", "M84",
               "The tangent of `b` is 0, but the value of `b` is a factor of other tangents, such as that of "
               "`a * b`."),
    ), mark="11", paper="`a` = 2 with the tangent 1 and `b` = 3 with the tangent 0 are leaves. From them, "
                        "forward mode computes a result whose tangent is 25. What does a backward pass from "
                        "this tangent to both leaves do?",
        told=r"\b6\.\), tensor|6 and 11|ordinary operations|one backward pass",
        explains="Only what a backward pass computes needs `create_graph=True`. The tangent is v · g, where "
        "v is [1, 0] and g is the gradient of the result. So this backward pass found H · v.",
        decided=what_a_pass_from_a_tangent_does),
)


# --- 13a: a penalty with a graph ----------------------------------------------------------------------------

WITHIN = 1e-3
OF_PENALTY = {"value": "the penalty", "derivative": "the derivative of the penalty with respect to `w`"}
X = [1., 2., 3.]
GUESSES = {"w * x": lambda w, x: w * x, "w * x ** 2": lambda w, x: w * x ** 2}


def penalty_with(recorded: bool = True, leaf: bool = False) -> Callable[[Any, Any], Any]:
    """Return a gradient penalty; `leaf`: its sensitivity is a new leaf, which requires a gradient."""
    def penalty_of(guess, x):
        sensitivity, = torch.autograd.grad(guess.sum(), x, retain_graph=True, create_graph=recorded)
        return ((sensitivity.requires_grad_() if leaf else sensitivity) ** 2).mean()
    return penalty_of


def penalty_from_the_drawer(guess, x):
    """Return a gradient penalty whose sensitivity is read from `x.grad`, to which each call adds."""
    guess.sum().backward(create_graph=True)
    return (x.grad ** 2).mean()


def leaves_of(package: Any) -> tuple[Any, Any]:
    """Return `w` and `x`, whose drawers are empty."""
    return package.tensor(1.5, requires_grad=True), package.tensor(X, requires_grad=True)


def value_and_derivative(penalty_of: Callable, package: Any, guess_of: Callable) -> tuple[Any, float]:
    """Return a penalty, and how much it adds to `w.grad` beside another term.

    It is the second of two for the same `w` and `x`, as in a loop: a drawer that the first call left full
    changes the value, or the derivative.
    """
    w, x = leaves_of(package)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")     # PyTorch's, about a drawer that is filled with create_graph=True
        penalty_of(guess_of(w, x), x)
        guess = guess_of(w, x)
        penalty = penalty_of(guess, x)
    if penalty is None or len(getattr(penalty, "shape", ())):
        raise Misread("Your function returns nothing. Return the penalty." if penalty is None else
                      f"Your function returns {len(penalty)} numbers. The penalty is their mean.")
    try:
        alone, = package.autograd.grad(guess.mean(), w, retain_graph=True)
        (guess.mean() + penalty).backward()
    except RuntimeError as error:
        if "a second time" not in str(error):
            raise
        raise Misread("Your call of `grad` freed what the graph of the guess had saved. The pass from the "
                      "loss needs it.") from error
    return as_lists(penalty), (w.grad - alone).item()


def fills_a_drawer(answer: Any) -> bool:
    """Whether a penalty leaves a gradient in the drawer of `w` or `x`."""
    w, x = leaves_of(package_of(answer))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        answer(GUESSES["w * x"](w, x), x)
    return w.grad is not None or x.grad is not None


def penalties(answer: Any, _: Any) -> Iterator[Part]:
    if not callable(answer):
        raise Misread("Your answer should be your function, as in `answer_13a = repaired`.")
    for at, name in enumerate(OF_PENALTY):
        for told, guess_of in GUESSES.items():
            got = value_and_derivative(answer, package_of(answer), guess_of)[at]
            want = value_and_derivative(penalty_with(), torch, guess_of)[at]
            yield Part(name, got, want, f"For the guess `{told}` at w = 1.5 and x = {rounded(X)}, "
                       f"{OF_PENALTY[name]} is {rounded(want)}, and yours is {rounded(got)}.")


def without_a_path(leaf: bool) -> Callable[[Any], bool]:
    """Return what finds a right penalty from which no path leads to `w`; `leaf`: it requires a gradient."""
    def fits(answer: Any) -> bool:
        package, guess_of = package_of(answer), GUESSES["w * x"]
        value, derivative = value_and_derivative(answer, package, guess_of)
        right, _ = value_and_derivative(penalty_with(), torch, guess_of)
        w, x = leaves_of(package)
        found = getattr(answer(guess_of(w, x), x), "requires_grad", False)
        return found is leaf and same(value, right, WITHIN) and derivative == 0
    return fits


# --- 13c: the largest curvature -----------------------------------------------------------------------------

OF_CURVATURE = {"product": "the Hessian-vector product", "curvature": "the largest curvature"}


class Case(NamedTuple):
    """A function of several numbers, in words, and where its second derivatives are asked for."""

    f: Callable[[Any], Any]
    told: str
    p: list[float]
    v: list[float]


# The Hessians are [[6, −3], [−3, 4]], [[4, 1, 0], [1, 3, 1], [0, 1, 6]], [[2, 2], [2, −6]], and [[6, −4],
# [−4, 6]]. In the last, ones are at a right angle to the direction of the largest curvature.
CASES = (
    Case(lambda p: p[0] ** 3 - 3 * p[0] * p[1] + 2 * p[1] ** 2, "p₀³ − 3p₀p₁ + 2p₁²", [1., 2.], [1., -3.]),
    Case(lambda p: 2 * p[0] ** 2 + p[0] * p[1] + 1.5 * p[1] ** 2 + p[1] * p[2] + p[2] ** 4 / 2,
         "2p₀² + p₀p₁ + 1.5p₁² + p₁p₂ + p₂⁴/2", [1., -1., 1.], [2., 1., -1.]),
    Case(lambda p: p[0] ** 2 + 2 * p[0] * p[1] - 3 * p[1] ** 2, "p₀² + 2p₀p₁ − 3p₁²", [1., 2.], [1., 1.]),
    Case(lambda p: 3 * p[0] ** 2 - 4 * p[0] * p[1] + 3 * p[1] ** 2, "3p₀² − 4p₀p₁ + 3p₁²", [1., 2.],
         [1., 2.]),
)


def hvp(f, p, v):
    g, = torch.autograd.grad(f(p), p, create_graph=True)
    return torch.autograd.grad(g, p, v)[0]


def largest(f, p, length=lambda v: v.norm(), times=50, start=lambda many: torch.arange(1., many + 1)):
    """Return v · (H · v) for the `v` to which repeated products lead; `length` is what divides each.

    The first `v` isn't random here, so that a check says the same each time.
    """
    matrix, v = rows_of_hessian(f, p), start(len(p))       # H stays the same: it is computed once
    for _ in range(times):
        v = matrix @ v
        v = v / length(v)
    return (v * (matrix @ v)).sum()


def rows_of_hessian(f, p):
    return torch.stack([hvp(f, p, row) for row in torch.eye(len(p))])


def overflows(answer: Any) -> bool:
    """Whether the largest curvature that an answer finds is NaN or infinite."""
    product, curvature = two_functions(answer)
    p = package_of(product).tensor(CASES[0].p, requires_grad=True)
    return not math.isfinite(float(as_lists(curvature(CASES[0].f, p))))


def two_functions(answer: Any) -> tuple[Callable, Callable]:
    if isinstance(answer, (list, tuple)) and len(answer) == 2 and all(map(callable, answer)):
        return tuple(answer)
    raise Misread("Your answer should be your two functions, as in `answer_13c = hvp, largest`.")


def rounded(value: Any) -> str:
    """Return numbers as a sentence names them, and anything else as it is."""
    if isinstance(value, list):
        return f"[{', '.join(map(rounded, value))}]"
    return f"{value:.4g}" if isinstance(value, (int, float)) else str(value)


def products_and_curvatures(answer: Any, _: Any) -> Iterator[Part]:
    product, curvature = two_functions(answer)
    found: dict[str, list] = {name: [] for name in OF_CURVATURE}
    for case in CASES:
        package = package_of(product)
        p, v = package.tensor(case.p, requires_grad=True), package.tensor(case.v)
        got = product(case.f, p, v)
        if isinstance(got, (list, tuple)) and len(got) == 1:
            raise Misread("`hvp` returns a tuple, as `grad` does. Return the tensor in it.")
        mine = torch.tensor(case.p, requires_grad=True)
        found["product"].append((as_lists(got), hvp(case.f, mine, torch.tensor(case.v)).tolist(), case))
        p = package.tensor(case.p, requires_grad=True)
        found["curvature"].append((as_lists(curvature(case.f, p)), largest(case.f, mine).item(), case))
    for name, results in found.items():
        # The sentence is about the first result that is wrong.
        got, want, case = next((one for one in results if not same(one[0], one[1], WITHIN)), results[0])
        at = f"p = {rounded(case.p)}" + (f" and v = {rounded(case.v)}" if name == "product" else "")
        yield Part(name, [one for one, _, _ in results], [one for _, one, _ in results],
                   f"For the function {case.told} at {at}, {OF_CURVATURE[name]} is {rounded(want)}, and "
                   f"yours is {rounded(got)}.")


# --- 13d: a quotient of dual numbers ------------------------------------------------------------------------

OF_QUOTIENT = {"value": "the value", "tangent": "the tangent"}
DIVIDED = ((6., 2., 4., -3.), (1., 0., 2., 1.))     # the value and the tangent of a, and of b


class Dual:
    """The dual numbers of the chapter, with a division; `tangent` computes that of the result."""

    def __init__(self, value, tangent):
        self.value, self.tangent = value, tangent

    def __truediv__(self, other):
        return type(self)(self.value / other.value, self.of_quotient(other))

    def of_quotient(self, other):
        return (self.tangent - self.value / other.value * other.tangent) / other.value


def with_tangent(of_quotient: Callable[[Any, Any], Any]) -> type:
    return type("Dual", (Dual,), {"of_quotient": of_quotient})


def quotients(answer: Any, _: Any) -> Iterator[Part]:
    if not isinstance(answer, type) or not hasattr(answer, "__truediv__"):
        raise Misread("Your answer should be the class with its division, as in `answer_13d = Dual`.")
    got = [answer(value, change) / answer(other, of_other) for value, change, other, of_other in DIVIDED]
    values, tangents = [], []
    for value, change, other, of_other in DIVIDED:
        a, b = (torch.tensor(number, requires_grad=True) for number in (value, other))
        result = a / b
        by_a, by_b = torch.autograd.grad(result, (a, b))
        values.append(result.item())
        tangents.append((by_a * change + by_b * of_other).item())
    for name, want in (("value", values), ("tangent", tangents)):
        yield Part(name, [as_lists(getattr(one, name, None)) for one in got], want,
                   f"For Dual(6, 2) / Dual(4, −3) and Dual(1, 0) / Dual(2, 1), {OF_QUOTIENT[name]} should be "
                   f"{rounded(want[0])} and {rounded(want[1])}, and yours is "
                   f"{' and '.join(rounded(getattr(one, name, None)) for one in got)}.")


EXERCISES = (
    Exercise("13a", "A penalty with a graph", OF_PENALTY, judge=penalties, example=lambda _: penalty_with(),
             paper="The sum in 13.1 should have the derivative of both terms. Write the line that you "
             "change, if any.",
             hints=("Which term has no graph, and by which call of `grad` was it computed?",
                    "For `x ** 3`, the second derivative needed another argument of `grad`. Which one?"),
             wrong=(Wrong(lambda _: penalty_from_the_drawer, None,
                          "`backward` fills the drawers of `w` and `x`, and a later pass adds to them. "
                          "`grad` returns the gradient, and fills no drawer.", fits=fills_a_drawer,
                          paper="`guess.sum().backward(create_graph=True)`, then `x.grad`"),
                    Wrong(lambda _: penalty_with(recorded=False, leaf=True), None,
                          "Your sensitivity is a new leaf: no path leads from it to `w`.",
                          fits=without_a_path(leaf=True),
                          paper="`requires_grad_()` after it, in place of `create_graph=True`"),
                    Wrong(lambda _: penalty_with(recorded=False), "M30",
                          "Your penalty has no graph. `retain_graph=True` keeps the graph of the guess, but "
                          "doesn't record the pass, and `detach()` or `item()` would take a graph away.",
                          fits=without_a_path(leaf=False),
                          paper="`retain_graph=True` alone")),
             why="`create_graph=True` also keeps the graph, so `retain_graph=True` may go. The sum has the "
             "derivative 0.3722, as the next cell shows."),
    Exercise("13c", "The largest curvature", OF_CURVATURE, judge=products_and_curvatures,
             example=lambda _: (hvp, largest), within=WITHIN,
             paper="`f(p)` returns one number. Write `hvp(f, p, v)`, which returns H · v at `p`. Then write "
             "`largest(f, p)`: begin with random numbers as `v`, replace `v` 50 times by H · v, scaled to "
             "length 1, and return the curvature along it, v · (H · v).",
             hints=("In `hvp`, two calls of `grad` are enough. What does the first one need?",
                    "The length of `v` is `v.norm()`. After the loop, compute v · (H · v) as "
                    "`(v * hvp(f, p, v)).sum()`."),
             wrong=(Wrong(lambda _: (lambda f, p, v: v * rows_of_hessian(f, p)[range(len(p)), range(len(p))],
                                     largest), "M84",
                          "The numbers beside the diagonal of H count, too.",
                          paper="`hvp` returns `v` times the diagonal of H"),
                    Wrong(lambda _: (hvp, lambda f, p: max(rows_of_hessian(f, p)[k, k] for k in
                                                           range(len(p)))), "M84",
                          "That is the largest number on the diagonal of H. A direction between the axes can "
                          "have a larger curvature.",
                          paper="`largest` returns the largest number on the diagonal of H"),
                    Wrong(lambda _: (hvp, lambda f, p: largest(f, p, lambda v: v.max())), "M200",
                          "Divide `v` by its length, so that its length is 1.",
                          paper="`largest` divides `v` by its largest number"),
                    Wrong(lambda _: (hvp, lambda f, p: largest(f, p, start=torch.ones)), None,
                          "Here, ones have no part in the direction of the largest curvature, so `v` can't "
                          "turn there. Begin with random numbers.", paper="`v` begins with ones"),
                    Wrong(lambda _: (hvp, lambda f, p: largest(f, p, lambda v: 1.)), None,
                          "Without a scale, `v` grows until it overflows. Divide it by its length in each "
                          "turn of the loop.", fits=overflows, paper="`v` is never scaled"),
                    Wrong(lambda _: (hvp, lambda f, p: largest(f, p, times=1)), None,
                          "After one product, `v` still points to other directions as well. Repeat it.",
                          paper="`largest` has no loop")),
             why="For the `f` of this chapter, it returns 7, and neither H nor a direction was given."),
    Exercise("13d", "A quotient of dual numbers", OF_QUOTIENT, judge=quotients, example=lambda _: Dual,
             paper="Write a division of two dual numbers, such as `Dual(value, tangent)`.",
             hints=("If only `a` moves, by its tangent, how does a / b move? And if only `b` moves?",
                    "The local derivatives of a / b are 1 / b and −a / b². Multiply each by a tangent, and "
                    "add."),
             wrong=(Wrong(lambda _: with_tangent(lambda a, b: a.tangent / b.tangent), None,
                          "Multiply each tangent by a local derivative, and add the two products.",
                          paper="the tangent of a, divided by that of b"),
                    Wrong(lambda _: with_tangent(lambda a, b: a.tangent / b.value), None,
                          "The result also moves with `b`.", paper="without the tangent of b"),
                    Wrong(lambda _: with_tangent(
                        lambda a, b: (a.tangent + a.value / b.value * b.tangent) / b.value), None,
                        "If `b` grows, a / b shrinks, so this local derivative is negative.",
                        paper="the two products are added with the same sign")),
             why="In this way, forward mode learns one operation after the other, as your engine did."),
)
