"""Chapter 7, "Off the record": its questions, notes and exercises."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import minigrad as torch

from ...classroom.comparing import same
from ...classroom.deciding import judged, numbers
from ...classroom.exercise import Exercise, Part, Wrong
from ...classroom.labs.ways import FULL, answers
from ...classroom.notes import Note
from ...classroom.points import points
from ...classroom.questions import Option, Question
from ...classroom.reading import Misread, in_order, is_open
from ...classroom.saying import kind_of, their_line
from ..packages import package_of

IDEAS = ("`no_grad`", "`detach`", "share", "freeze", "layer", "evaluation mode", "inference tensor",
         "upstream")

def with_a_gradient(printed: str) -> str:
    """Return the layers of the last model that got a gradient, from what `draw_layers` says of them."""
    words = printed.split("\n")
    start = [at for at, line in enumerate(words) if line.endswith(":")][-1]
    found = sorted(line.split()[1].rstrip(":") for line in words[start:] if line.endswith(": a gradient"))
    return f"only {found[0]}" if len(found) == 1 else f"{', '.join(found[:-1])} and {found[-1]}"


QUESTIONS = (
    Question("7.1", "`guess` holds 1 and 2, and requires a gradient. A small step makes "
             "`(guess[0] - guess[1]) ** 2` smaller. Which of the two numbers does it move?", (
        Option("only the first, up: a step moves a guess to its target", "M170",
               "The target was computed from `guess`, too, so its number gets a gradient as well."),
        Option("both, towards each other: both of them get a gradient", None,
               "The loss also becomes smaller when the target moves down to the first guess."),
        Option("neither: their gradients are −2 and 2, and cancel out", "M171",
               "The gradients of two different numbers aren't added, so they can't cancel out."),
    ), told=r"towards each other|moves both|target has moved|\b1\.8\b",
             mark="2", decided=lambda printed: WHICH_MOVED[tuple(
                 at != start for at, start in zip(numbers(printed)[:2], (1, 2), strict=True))],
             explains="The later guess is spoiled: it knew more, and it was moved down to 1.8. After 50 "
             "steps, both guesses are 1.5. The target should count as a constant."),
    Question("7.2", "`u` is a leaf that requires a gradient. `y = u + 2` runs, and then "
             "`u.requires_grad_(False)`. What are `u.requires_grad` and `y.requires_grad` now?", (
        Option("`False` and `False`: `y` follows the flag of its input", "M40",
               "The addition was recorded when its line ran, and the flag of `u` doesn't change that."),
        Option("`True` and `True`: a leaf in a graph keeps its flag", "M71",
               "The flag of a leaf can be switched off at any time."),
        Option("`False` and `True`: `y` keeps what was recorded", None,
               "The addition was recorded when its line ran, because `u` required a gradient then."),
    ), told="keeps no gradient|when the gradient arrives|flag is read|looks at the flag|False` and `True",
        mark="2",
        decided=lambda printed: " and ".join(f"`{flag}`" for flag in printed.split()[:2]),
        explains="The note prints these two flags, and is right. The pass from `y` runs, too, and yet "
        "`u.grad` is `None`: before an `AccumulateGrad` adds, it looks at the flag of its leaf. A pass that "
        "reaches a leaf through a line adds to its `.grad` only if the flag was on when the line ran, and is "
        "on when the gradient arrives."),
    Question("7.3", "Four layers run one after the other. In the second model, layer 3 is frozen. Which "
             "layers of that model get a gradient?", (
        Option("1, 2 and 4: layer 3 passes the gradient on", None,
               "The gradient passes through the frozen layer, and only that layer's own weights get none."),
        Option("only 4: layer 3 lets no gradient through", "M72",
               "The node of layer 3 still sends a message to layer 2, which passes one on to layer 1."),
        Option("1, 2, 3 and 4: only the steps skip layer 3", "M73",
               "The weights of layer 3 require no gradient, so they get none."),
    ), mark="2", told="through a frozen|passes the gradient on|cut there is no edge|never through `detach`",
        decided=with_a_gradient,
        explains="A gradient can pass through a frozen layer to the layers before it, but never through "
        "`detach`.\n`detach` leaves no edge along which a message could go, so in the first model layers 1 "
        "and 2 get no gradient."),
    Question("7.4", "`x` requires a gradient, and `sealed` is an inference tensor. A program "
             "computes `sealed + x`, and then `sealed * x`. What happens?", (
        Option("the sum runs, and the product runs as well", "M74",
               "The backward pass of the product needs `sealed`, so its node would have to save it."),
        Option("the sum raises an error, so the product isn't reached", "M75",
               "The node of a sum saves nothing, so it is recorded, with `sealed` as a constant."),
        Option("the sum runs, and the product raises an error", None,
               "The node of a sum saves nothing. That of a product has to save `sealed`, and can't."),
    ), told="can read an inference|has to save `sealed`|annot be saved|can't be saved",
        decided=lambda printed: SUM_AND_PRODUCT[printed.startswith("True"), "Inference tensors" in printed]),
)

WHICH_MOVED = {  # did the first guess move, and did the second?
    (True, False): "only the first, up", (True, True): "both, towards each other", (False, False): "neither"}
SUM_AND_PRODUCT = {  # does the sum run, and does the product raise?
    (True, False): "the sum runs, and the product runs as well",
    (True, True): "the sum runs, and the product raises an error",
    (False, True): "the sum raises an error, so the product isn't reached"}


NOTES = (
    Note("7.n1", "right",
         says="`y2` is a constant, so only the derivative of x² remains: 2 at 1, and 8 at 4. The first "
         "sentence is lucky: the derivative of x² + x³ is 2x + 3x², which happens to be 5 at 1. At 4 it is "
         "56, and 5 times x is 20.",
         instead="check a formula for a derivative at a second point.", told=r"2x \+ 3x²|y2` is a constant",
         rows=("D6",), decided=lambda printed: judged(
             numbers(printed)[1] == 2 * 1 and numbers(printed)[3] == 2 * 4)),
    Note("7.n3", "wrong",
         says="A pass does free saved tensors. But `eval()` doesn't stop recording, so the result still has "
         "a graph. An evaluation needs `eval()` for another reason: it changes how layers such as `Dropout` "
         "compute.",
         instead="use both, `eval()` and `no_grad`.", told=r"doesn't stop recording|use both",
         rows=("A9",), decided=lambda printed: judged(printed.split()[0] == "False")),
)


# --- 7a: the table ------------------------------------------------------------------------------------------

LOOK = {  # how to find out
    "recorded?": "Print `p.grad_fn` if there is a `p`, and `t.grad_fn` otherwise.",
    "upstream gradient?": "Run the lines and `y.backward()`, then print `a.grad`.",
    "gradient of m?": "Run the lines and `y.backward()`, then print `m.grad`.",
}
ROWS = ("flag", "detach", "no_grad")


def row(way: str) -> list[bool]:
    return [answers(way)[column] for column in LOOK]


def table(_: Any = None) -> dict[str, list[bool]]:
    return {way: row(way) for way in ROWS}


def in_words(way: str) -> str:
    """Return a row of the table, as the check shows it beside its reason."""
    return f"`{way}`: {', '.join(map(str, row(way)))}."


def rows_of_table(answer: Any, _: Any) -> Iterator[Part]:
    """7a: name the first wrong value of a row, and say how to find it out."""
    for way, got in in_order(answer, ROWS, list(table().values())).items():
        want, says = row(way), ""
        if is_open(got):
            got = None
        elif not isinstance(got, list) or len(got) != len(want):
            says = f"The row `{way}` should hold three values, each `True` or `False`."
        else:
            wrong = [column for column, one, right in zip(LOOK, got, want, strict=True)
                     if not is_open(one) and not same(one, right, 0)]
            says = f'In the row `{way}`, the answer to "{wrong[0]}" is not right. {LOOK[wrong[0]]}' \
                if wrong else ""
            got = None if not wrong and any(map(is_open, got)) else got
        yield Part(way, got, want, says)


def instead(way: str, other: str) -> Callable[[Any], dict]:
    """The table of a learner who takes one way for another."""
    return lambda _: {**table(), way: row(other)}


# --- 7b: a program with a symptom ---------------------------------------------------------------------------

TRIED = ((1., 0.), (2.5, -0.75))  # w and b
NO_PATH = "`middle` depends on `b`, and the gradient has no path through it."


def nine_points() -> tuple[torch.Tensor, torch.Tensor]:
    inputs, targets = points()
    return torch.tensor(inputs), torch.tensor(targets)


def fixed(w, b):
    x, target = nine_points()
    p = w * x + b
    return ((p - p.mean() - target) ** 2).mean()


def given(w, b):
    x, target = nine_points()
    p = w * x + b
    return ((p - p.mean().item() - target) ** 2).mean()


def detached(w, b):
    x, target = nine_points()
    p = w * x + b
    return ((p - p.mean().detach() - target) ** 2).mean()


def without_middle(w, b):
    x, target = nine_points()
    return ((w * x + b - target) ** 2).mean()


def found_by(function: Callable, w: float, b: float, package: Any) -> tuple[float, list[float | None]]:
    """Return the loss, and the gradients of `w` and `b`; None where none arrives."""
    leaves = [package.tensor(value, requires_grad=True) for value in (w, b)]
    try:
        loss = function(*leaves)
    except Exception as error:
        if their_line(error) is None:  # it raised in its own code, such as `torch.mean`, or a class
            raise Misread(f"{name_of(function)} can't be called with `w` and `b`, two tensors of one number. "
                          "Change one line of `loss_of`, and write `answer_7b = loss_of`.") from None
        raise
    if not hasattr(loss, "backward"):
        raise Misread(f"Your function should return the loss as a tensor; it returned {kind_of(loss)}.")
    if loss.dim():
        raise Misread("Your function should return one number, the loss; it returned a tensor of shape "
                      f"{tuple(loss.shape)}. Does it end with `.mean()`?")
    if loss.requires_grad:
        loss.backward()
    return loss.item(), [None if leaf.grad is None else leaf.grad.item() for leaf in leaves]


def name_of(function: Callable) -> str:
    return f"`{function.__name__}`" if hasattr(function, "__name__") else "Your answer"


def stops_at_item(function: Callable) -> bool:
    """Whether a function calls `item()` and has the losses and gradients of the given program."""
    return "item" in getattr(getattr(function, "__code__", None), "co_names", ()) and all(
        same(outcome(function, w, b, package_of(function)), outcome(given, w, b, torch), 1e-3)
        for w, b in TRIED)


def outcome(function: Callable, w: float, b: float, package: Any) -> list[float | None]:
    loss, gradients = found_by(function, w, b, package)
    return [loss, *gradients]


def compared_with_nudging(answer: Any, _: Any) -> Iterator[Part]:
    if not callable(answer):
        raise Misread(f"Your answer should be a function; it is {kind_of(answer)}. Write "
                      "`answer_7b = loss_of`, without calling it.")
    try:
        inspect.signature(answer).bind("w", "b")
    except TypeError:
        raise Misread("Your function should take two arguments, `w` and `b`.") from None
    except ValueError:  # a function that isn't written in Python may have no signature
        pass
    for w, b in TRIED:
        where = f"At `w` = {w:g} and `b` = {b:g}"
        value, gradients = found_by(answer, w, b, package_of(answer))
        right, slopes = found_by(fixed, w, b, torch)
        yield Part("loss", value, right, f"{where}, your loss is {value:.4g}. It should be {right:.4g}, the "
                   "loss of the given program.")
        for name, got, want in zip(("w.grad", "b.grad"), gradients, slopes, strict=True):
            said, slope = "None" if got is None else f"{rounded(got):g}", rounded(want)
            why = f": no gradient reaches `{name[0]}`. Nudging" if got is None else ", and nudging"
            yield Part(name, said, slope, f"{where}, `{name}` is {said}{why} gives {slope:g}.")


def rounded(number: float) -> float:
    return round(number, 4) + 0.  # -0 becomes 0


EXERCISES = (
    Exercise("7a", "Fill in the table", {way: f"the row `{way}`" for way in ROWS}, expected=table,
             judge=rows_of_table,
             paper="`a`, `m` and `c` are leaves that require a gradient, and `h = a * a`. The line "
             "`t = m * h` runs in one of three ways, then `y = t + c` and `y.backward()`. **flag**: "
             "`m.requires_grad_(False)` comes first. **detach**: `p = m * h`, then `t = p.detach()`. "
             "**no_grad**: the line is in such a block. Write *true* or *false* three times: `m * h` is "
             "recorded; `a` gets a gradient; `m` gets one.",
             hints=("Change the line `t = m * h` in the program, run it, and look at `a.grad` and `m.grad`.",
                    "For (1), print the `grad_fn` of the product, which is `t` or `p`."),
             wrong=(Wrong(instead("detach", "no_grad"), "M15",
                          "`p = m * h` has already been recorded when `detach` runs."),
                    Wrong(instead("flag", "detach"), "M72",
                          "With `m` frozen, `h` still requires a gradient, and so does the product."),
                    Wrong(instead("flag", FULL), "M73", "A frozen `m` gets no gradient.")),
             why="The reason for each row:\n"
             f"{in_words('flag')} `h` requires a gradient, so the product is recorded, and a gradient goes "
             f"through it to `a`; the frozen `m` gets none.\n{in_words('detach')} The product was recorded "
             f"first, but no gradient passes back through `detach`.\n{in_words('no_grad')} The product has "
             "no node that could send a gradient to `a` or `m`."),
    Exercise("7b", "Fix the program", {"loss": "the loss", "w.grad": "`w.grad`", "b.grad": "`b.grad`"},
             judge=compared_with_nudging, example=lambda _: fixed,
             paper="`x` and `target` hold the nine points. This program runs without an error. If you nudge "
             "`b`, the loss doesn't change. Yet after `loss_of(w, b).backward()`, with `w` = 1 and `b` = 0, "
             "`b.grad` is −1. Which line is wrong? Write it correctly.",
             hints=("Which of the values in the `return` line depend on `b`, and through which of them does "
                    "a gradient reach `b`?",
                    "What type does `middle` have?"),
             why="`.item()` returns a Python number. It has no graph, so the pass took `middle` for a "
             "constant, and nothing warned you.",
             wrong=(Wrong(lambda _: given, "M76", NO_PATH, fits=stops_at_item,
                          paper="`middle = p.mean().item()`"),
                    Wrong(lambda _: detached, None, NO_PATH, paper="`middle = p.mean().detach()`"),
                    Wrong(lambda _: without_middle, None,
                          "The program should still subtract the mean of `p`.", paper="`middle = 0`"))),
)
