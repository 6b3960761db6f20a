"""Chapter 9, "Zero, None and the step": its questions and exercises."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import minigrad as torch

from ..claims import package_of
from ..exercises import Exercise, Part, Wrong
from ..optimizers import NOISE, POINTS, Own
from ..questions import Option, Question
from ..reading import Misread
from ..saying import kind_of

IDEAS = ("parameter", "optimizer", "Weight decay", "momentum", "stale", "Clipping")

QUESTIONS = (
    Question("9.1", "`p` is 1. SGD with `lr` = 0.1 and `weight_decay` = 0.1 takes one step. In run 1, "
             "`p.grad` is a tensor with the value 0; in run 2, it is `None`. Where is `p` after the step?", (
        Option("1 in run 1, and 1 in run 2", "M24",
               "With a gradient of 0, `g` is 0.1 times `p`, and `lr` times `g` is 0.01."),
        Option("0.99 in run 1, and 1 in run 2", None,
               "In run 1, `g` is 0 + 0.1. In run 2, there is nothing to compute with, and `p` is left out."),
        Option("0.99 in run 1, and 0.99 in run 2", "M04",
               "`None` is not a gradient of 0: the step leaves this parameter out."),
    ), told=r"0\.99|skips|left out|leaves out"),
    Question("9.2", "`p` is 1, and the loss is `p ** 2 / 2`, so that its slope is `p`. SGD with `lr` = 0.1 "
             "takes 45 steps, and `zero_grad()` is never called. What does `p` do?", (
        Option("it approaches 0, faster than with `zero_grad()`", "M63",
               "At 0, the drawer still holds the sum of all slopes so far, and the next step goes past 0."),
        Option("it goes to and fro between about −1 and 1", None,
               "At 0 the sum in the drawer is still positive, so `p` moves on. It turns when the sum is 0."),
        Option("it moves further from 0 with each step", "M25",
               "Beyond 0 the slopes have the other sign, so the sum in the drawer shrinks again."),
    ), told="to and fro|goes past|swing|spring|coincide"),
    Question("9.3", "`sgd_w` holds `w`, and `sgd_b` holds `b`. After `loss1.backward(retain_graph=True)` and "
             "`loss2.backward()`, the two optimizers take a step. By which gradient does `sgd_w` move `w`?", (
        Option("by that of `loss1`, because `sgd_w` was made first", "M62",
               "No line tells `sgd_w` about `loss1`: it holds `w`, and reads its drawer."),
        Option("by that of `loss2`, because its pass was the last", "M02",
               "The second pass doesn't replace what is in the drawer: it adds to it."),
        Option("by that of `loss1 + loss2`, because passes add", None,
               "Both passes reach `w`, and its drawer holds the sum of the two gradients."),
    ), told=r"0\.7944|their sum|sum of both"),
)


# --- 9a and 9c: an optimizer of one's own -------------------------------------------------------------------

GRADIENTS = ([0.5, -2.], [1.5, 1.], [-0.7, 3.])
SGD = {  # a part of the answer: the options of the run that shows it
    "plain": {"lr": 0.1},
    "weight decay": {"lr": 0.1, "weight_decay": 0.3},
    "momentum": {"lr": 0.1, "momentum": 0.8},
    "both": {"lr": 0.2, "momentum": 0.6, "weight_decay": 0.2},
}
ADAM = {
    "defaults": {"lr": 0.1},
    "betas": {"lr": 0.1, "betas": (0.8, 0.95)},
    "eps": {"lr": 0.2, "betas": (0.7, 0.9), "eps": 0.3},
}
SGD_WORDS = {"plain": "`p` without options", "weight decay": "`p` with weight decay",
             "momentum": "`p` with momentum", "both": "`p` with momentum and weight decay"}
ADAM_WORDS = {"defaults": "`p` with the usual options", "betas": "`p` with other betas",
              "eps": "`p` with a large `eps`"}


def after_steps(package: Any, make: Callable[[list], Any]) -> list[float]:
    """Where an optimizer leads two numbers by the gradients above."""
    p = package.tensor([1., -2.], requires_grad=True)
    opt = make([p])
    for gradient in GRADIENTS:
        p.grad = package.tensor(gradient)
        opt.step()
    return p.tolist()


def compared_with(optimizer: str, settings: dict[str, dict], takes: tuple[str, ...]) -> Callable:
    """Return a judge: it compares a learner's update with an optimizer in several settings."""
    def judge(answer: Any, _: Any) -> Iterator[Part]:
        if not callable(answer):
            raise Misread(f"Your answer should be your function; it is {kind_of(answer)}.")
        try:
            inspect.signature(answer).bind("p", "g", "state", **dict.fromkeys(takes, 1))
        except TypeError:
            raise Misread("Your function should take `p`, `g`, `state`, "
                          f"{', '.join(f'`{name}`' for name in takes)}.") from None
        package = package_of(answer)
        for name, options in settings.items():
            got = after_steps(package, lambda params, o=options: Own(package, params, answer, **o))
            want = after_steps(torch, lambda params, o=options: getattr(torch.optim, optimizer)(params, **o))
            told = ", ".join(f"{option} = {value}" for option, value in options.items())
            yield Part(name, got, want, f"With {told}, `p` is [{got[0]:.4f}, {got[1]:.4f}] after three "
                       f"steps; with `torch.optim.{optimizer}` it is [{want[0]:.4f}, {want[1]:.4f}].")
    return judge


def my_sgd(p, g, state, lr, momentum=0, weight_decay=0):
    g = g + weight_decay * p
    if momentum:
        g = state["buffer"] = momentum * state.get("buffer", 0) + g
    p.add_(g, alpha=-lr)


def decayed_last(p, g, state, lr, momentum=0, weight_decay=0):
    decay = weight_decay * p
    my_sgd(p, g, state, lr, momentum)
    p -= lr * decay


def only_decayed(p, g, state, lr, momentum=0, weight_decay=0):
    p -= lr * (g + weight_decay * p)


def plain_sgd(p, g, state, lr, momentum=0, weight_decay=0):
    p.add_(g, alpha=-lr)


def not_in_place(p, g, state, lr, momentum=0, weight_decay=0):
    p = p - lr * g


def my_adam(p, g, state, lr=0.001, betas=(0.9, 0.999), eps=1e-8):
    if not state:
        state.update(t=0, m=torch.zeros_like(p), v=torch.zeros_like(p))
    state["t"] += 1
    rest1, rest2 = (1 - beta ** state["t"] for beta in betas)
    m = state["m"].lerp_(g, 1 - betas[0])
    v = state["v"].mul_(betas[1]).addcmul_(g, g, value=1 - betas[1])
    p.addcdiv_(m, v.sqrt() / rest2 ** 0.5 + eps, value=-lr / rest1)


def stepping_by_g(p, g, state, lr=0.001, betas=(0.9, 0.999), eps=1e-8):
    p.add_(g, alpha=-lr)


def uncorrected(p, g, state, lr=0.001, betas=(0.9, 0.999), eps=1e-8):
    m = state["m"] = betas[0] * state.get("m", 0) + (1 - betas[0]) * g
    v = state["v"] = betas[1] * state.get("v", 0) + (1 - betas[1]) * g * g
    p -= lr * m / (v.sqrt() + eps)


def without_t(p, g, state, lr=0.001, betas=(0.9, 0.999), eps=1e-8):
    my_adam(p, g, state, lr, betas, eps)
    state["t"] = 0


# --- 9b: a program with a symptom ---------------------------------------------------------------------------

def fitting(share: Callable[[Any, Any, int], float]) -> Callable[..., Any]:
    """Return the program of 9b; `share` is what the loss of a part is multiplied by."""
    def fit(x, wanted, parts, steps):
        w = torch.zeros(2, requires_grad=True)
        opt = torch.optim.SGD([w], lr=0.1)
        for _ in range(steps):
            opt.zero_grad()
            for some, goal in zip(x.chunk(parts), wanted.chunk(parts), strict=True):
                loss = ((w[0] * some + w[1] - goal) ** 2).mean()
                (loss * share(some, x, parts)).backward()
            opt.step()
        return w.detach()
    return fit


mended = fitting(lambda some, x, parts: len(some) / len(x))
unmended = fitting(lambda some, x, parts: 1)
halved = fitting(lambda some, x, parts: 1 / parts)
summed = fitting(lambda some, x, parts: len(some))
PARTS = {"1 part": "the weights for 1 part", "2 parts": "the weights for 2 parts",
         "3 parts": "the weights for 3 parts"}


def the_same_weights(answer: Any, _: Any) -> Iterator[Part]:
    if not callable(answer):
        raise Misread(f"Your answer should be a function; it is {kind_of(answer)}. Mend `fit`, and then "
                      "write `answer_9b = fit`.")
    try:
        inspect.signature(answer).bind("x", "wanted", "parts", "steps")
    except TypeError:
        raise Misread("Your function should take `x`, `wanted`, `parts` and `steps`.") from None
    package = package_of(answer)
    x, right_x = package.tensor(POINTS), torch.tensor(POINTS)
    wanted = 3 * x + 0.5 + package.tensor(NOISE)
    right_wanted = 3 * right_x + 0.5 + torch.tensor(NOISE)
    for parts, name in enumerate(PARTS, 1):
        got, want = answer(x, wanted, parts, 5), mended(right_x, right_wanted, 1, 5).tolist()
        if not hasattr(got, "tolist") or got.shape != (2,):
            raise Misread(f"Your function should return the two weights; it returned {kind_of(got)}.")
        got = got.tolist()
        yield Part(name, got, want, f"With {name}, your weights are {got[0]:.3f} and {got[1]:.3f} after 5 "
                   f"steps. They should be {want[0]:.3f} and {want[1]:.3f}.")


def wrong(program: Callable[..., Any], belief: str | None, says: str) -> Wrong:
    return Wrong(lambda _: program, belief, says)


EXERCISES = (
    Exercise("9a", "SGD, written by you", SGD_WORDS,
             judge=compared_with("SGD", SGD, ("lr", "momentum", "weight_decay")),
             example=lambda _: my_sgd, within=1e-5,
             paper="Write `my_sgd(p, g, state, lr, momentum=0, weight_decay=0)`: one step for "
             "the parameter `p` with the gradient `g`. First `g` becomes `g + weight_decay * p`. With "
             "momentum, `buffer` then becomes `momentum * buffer + g`, and the step uses it in place of `g`; "
             "before the first step, `buffer` is 0. `state` is a dictionary of `p`, empty before the first "
             "step. The function is called under `no_grad`.",
             hints=("Keep the buffer of the last step in `state`.",
                    "Compute a new `g` from `g`, `p` and the buffer; the last line is the one given."),
             wrong=(wrong(plain_sgd, None, "Your function doesn't use its options yet."),
                    wrong(only_decayed, None, "Your function doesn't use momentum yet."),
                    wrong(decayed_last, None, "Weight decay changes `g` first, and so enters the buffer."),
                    wrong(not_in_place, None, "`p` hasn't moved: `p = p - ...` makes a new tensor. Change "
                          "`p` in place."))),
    Exercise("9b", "Mend the program", PARTS, judge=the_same_weights, example=lambda _: mended,
             paper="`fit` fits a line to the nine points. It divides the points into parts, and runs a "
             "backward pass for the mean loss of each part before each step. The weights shouldn't depend "
             "on the number of parts. With 2 parts (of 5 and 4 points) they differ from those with 1 part, "
             "and there is no error. Write the wrong line as it should be.",
             hints=("Print `w.grad` before the first step, for 1 part and for 2.",
                    "By which number is each point's loss multiplied with 1 part, and by which with 2?"),
             wrong=(wrong(unmended, "M02", "Each pass adds to the drawer, which then holds a sum of means."),
                    wrong(halved, None, "The two parts have 5 and 4 points, so a point in one of them counts "
                          "more than a point in the other."),
                    wrong(summed, None, "The loss of all points together is a mean, not a sum."))),
    Exercise("9c", "Adam, written by you", ADAM_WORDS,
             judge=compared_with("Adam", ADAM, ("lr", "betas", "eps")),
             example=lambda _: my_adam, within=1e-5,
             paper="Write `my_adam(p, g, state, lr=0.001, betas=(0.9, 0.999), eps=1e-8)`: one step of Adam "
             "for `p` with the gradient `g`. In step t = 1, 2, ... m becomes β₁ m + (1 − β₁) g, and v "
             "becomes β₂ v + (1 − β₂) g²; both begin at 0. With a = m / (1 − β₁ᵗ) and b = v / (1 − β₂ᵗ), `p` "
             "becomes p − lr · a / (√b + ε). `betas` is (β₁, β₂), and `eps` is ε. `state` is a dictionary "
             "of `p`, empty before the first step. The function is called under `no_grad`.",
             hints=("`state` must hold three things between the steps: `t`, `m` and `v`.",
                    "`state.get(\"m\", 0)` is 0 before the first step."),
             wrong=(wrong(uncorrected, None, "`m` and `v` begin at 0, so the first steps need the divisions "
                          "by `1 - beta ** t`."),
                    wrong(without_t, None, "`t` is the number of the step: 1, then 2, then 3."),
                    wrong(stepping_by_g, None, "This is a step of SGD."))),
)
