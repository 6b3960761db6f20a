"""Chapter 11, "Instruments": its questions and exercises."""
from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import minigrad as torch

from ...classroom.deciding import judged, numbers
from ...classroom.exercise import Exercise, Part, Wrong
from ...classroom.notes import Note
from ...classroom.questions import Option, Question
from ...classroom.reading import in_order, number

IDEAS = ("hook", "`retain_grad()`", "vanish", "explode", "Initialising")


def as_list(found: list[float]) -> str:
    return ", ".join(f"{number:g}" for number in found)


def norms_of(name: str, printed: str) -> tuple[float, float]:
    """Return the first and the last norm of a line of the picture, from its words."""
    found, = re.findall(rf"^{re.escape(name)}: (\S+) at .* (\S+) at layer 12$", printed, re.MULTILINE)
    return float(found[0]), float(found[1])


def how_it_changes(*lines: tuple[float, float]) -> str:
    """Return what 11.4 claims of messages, given where each arrives and where it starts."""
    words = ["shrinks" if arrives < starts / 3 else "grows" if arrives > starts * 3 else "hardly"
             for arrives, starts in lines]
    return ", ".join(words) if len({*words}) > 1 else words[0].replace("shrinks", "shrinks in both")


def factor_and_loss(factor: float, loss: float) -> str:
    """Return what 11.6 claims of a row, given its last two numbers."""
    size = "about 1" if 0.9 < factor < 1.1 else "below 0.8" if factor < 0.8 else "otherwise"
    return f"{size}, {'learns' if loss < 1 else 'flat' if round(loss, 1) == 2.3 else 'otherwise'}"


QUESTIONS = (
    Question("11.1", "`a` is 2. After `y = a ** 2` and `y.register_hook(print)`, two products use `y`: "
             "`z = 3 * y + 4 * y`. How often does `z.backward()` call `print`, and with what?", (
        Option("twice, first with 3 and then with 4", "M22",
               "The hook waits, as the node does, until both messages have been added.", claims="3, 4"),
        Option("once, with 4, which is the last message", "M06",
               "No message is lost: 3 and 4 are added before the hook is called.", claims="4"),
        Option("once, with 7, which is the sum of both", None,
               "The hook is called when both messages have arrived and have been added.", claims="7"),
    ), told=r"at most once|have been added|sum of all messages|\b7\b",
             explains="The node of `y` multiplied 7 by its local derivative, 4, so `a.grad` is 28.",
             decided=lambda printed: as_list(numbers(printed)[:-1])),     # the last number is `a.grad`
    Question("11.4", "Two networks have twelve hidden layers with 64 inputs, 64 outputs and `Tanh`. In the "
             "first, the spread is 0.05, and s, the root mean square of the local derivatives, is about 1. "
             "In the second, the spread is 0.6, and s is about 0.35, because the inputs of `tanh` are "
             "larger. How does the message change on its way to layer 1?", (
        Option("it shrinks in the first, and in the second", "M190",
               "The local derivatives can't make it larger, but large weights can.",
               claims="shrinks in both"),
        Option("it hardly changes in the first, and shrinks in the second", "M190",
               "Each layer also multiplies it by weights: small ones make it shrink, and large ones make up "
               "for the small local derivatives, and more.", claims="hardly, shrinks"),
        Option("it shrinks in the first, and grows in the second", None,
               "8 · 0.05 · 1 is 0.4, so each layer makes it smaller; 8 · 0.6 · 0.35 is about 1.7, so each "
               "layer makes it larger.", claims="shrinks, grows"),
    ), mark="5",
             told=r"0\.4¹¹|\b1\.7\b|[Ff]actors of the|ones make|grows in the second",
             decided=lambda printed: how_it_changes(*(norms_of(name, printed)
                                                      for name in ("tanh, 0.05", "tanh, 0.6")))),
    Question("11.5", "With `Tanh` and a spread of 0.6, the loss doesn't fall below 1 in 100 steps at a "
             "rate of 0.05. Now you clip the gradients to a norm of 1 before each step. Does it now fall "
             "below 1?", (
        Option("yes, because no step is too long any more", "M33",
               "One number scales all gradients, so the steps of the last layers become too short.",
               claims="yes"),
        Option("no, because the first layers still get nearly all of each step", None,
               "One number scales all gradients, so the last layers hardly move.", claims="no"),
        Option("yes, because all layers now get gradients of the same size", "M201",
               "One number scales all gradients, so those of the first layers are still the largest.",
               claims="yes"),
    ), paper="In a network with twelve hidden layers, `Tanh` and a spread of 0.6, the loss doesn't fall "
             "under 1 in 100 steps at a rate of 0.05. Now you clip the gradients: if their norm together is "
             "above 1, you scale them down to it before the step. Does the loss fall under 1 now?",
             told=r"one number|nearly all|hardly move|wrong scale",
             explains="The list shows the norms for layers 1 to 13 in the first step. Those of layers 7 to "
             "13 are about 0.06 together. With this limit, these layers don't learn alone; with a limit of "
             "1, they do. There is a second reason: with hooks that give every gradient the norm 1, layers "
             "7 to 13 learn alone, and all layers together don't. So the steps of the first layers do harm, "
             "too.",
             decided=lambda printed: "no" if "clipped, 0.6 learns: False" in printed else "yes"),
    Question("11.6", "Which f and which lowest loss does `row(Sigmoid, 0.5)` print?", (
        Option("f is about 1 and the loss is under 1, because each layer now keeps the size of a message",
               "M205", "That needs an s of 1/4. But s depends on the inputs of the sigmoid.",
               claims="about 1, learns"),
        Option("f is under 0.8 and the loss about 2.3, because s is smaller than 1/4 with these weights",
               None, "Large weights make the inputs of the sigmoid larger, and there it is flatter.",
               claims="below 0.8, flat"),
        Option("f is about 1 and the loss about 2.3, because steps with this rate are now too short",
               "M205", "That needs an s of 1/4. But s depends on the inputs of the sigmoid.",
               claims="about 1, flat"),
    ), mark="2",
             paper="A network has twelve hidden layers with 64 inputs, 64 outputs and sigmoids. The local "
             "derivatives of a sigmoid are at most 1/4. If s is 1/4, each layer multiplies a message by "
             "f = √64 · spread · s = 1 with a spread of 0.5. With this spread, what are f and the lowest "
             "loss of 100 steps at a rate of 0.05?",
             told=r"s is smaller|flatter|\b0\.16\b|under 0\.8|positive",
             explains="By the rule, s is 0.63 / (√64 · 0.5), or 0.16. The results of a sigmoid are positive, "
             "about ½ on average, so the inputs of the next one typically have a size of √64 · 0.5 · ½ = 2 "
             "or more, where the sigmoid is flatter than at 0. In the next cell, a spread of 1.2 makes f "
             "about 1. That isn't enough at this rate; with ten times the rate, the network learns.",
             decided=lambda printed: factor_and_loss(*numbers(printed)[-2:])),
)


def three_ways() -> list[float]:
    """Return the gradient of a result: of autograd.grad, of a hook, and of the drawer of retain_grad()."""
    a = torch.tensor(2., requires_grad=True)
    y = a ** 2
    z = 3 * y
    found = [one.item() for one in torch.autograd.grad(z, [y], retain_graph=True)]
    y.register_hook(lambda g: found.append(g.item()))
    y.retain_grad()
    z.backward()
    return [*found, y.grad.item()]


NOTES = (
    Note("11.n2", "right",
         says="All three show the same gradient, 3. In the next cell, `autograd.grad` fills no drawer, the "
         "hook is called in each of two passes, and the drawer of `y` adds them up. Another note says that "
         "you need `retain_grad()`. Only `y.grad` needs it.",
         told="show the same gradient", rows=("C7", "E5"),
         decided=lambda _: judged(len({*three_ways()}) == 1)),
)


# --- 11a: the numbers in two drawers, after each run of a cell ----------------------------------------------

NAMES = {"(1) y.grad": "the result of (1)", "(2) x.grad": "the result of (2)",
         "(3) y.grad": "the result of (3)", "(4) x.grad": "the result of (4)"}


def two_runs(numbers: dict[str, float]) -> list[float]:
    x = torch.tensor(numbers["x"], requires_grad=True)
    found = []
    for _ in range(2):
        y = x ** 2
        y.retain_grad()
        y.register_hook(lambda g: 2 * g)
        x.register_hook(lambda g: numbers["k"] * g)
        z = numbers["c"] * y
        z.backward()
        found += [y.grad.item(), x.grad.item()]
    return found


def runs(first: float, second: float, again: Callable[[float], float]) -> Callable[[dict[str, float]], list]:
    """Return an answer: `y.grad` as multiples of c; `again(k)` times the first `x.grad` is the second one."""
    def answer(numbers: dict[str, float]) -> list[float]:
        once = 4 * numbers["c"] * numbers["x"] * numbers["k"]
        return [first * numbers["c"], once, second * numbers["c"], again(numbers["k"]) * once]
    return answer


def without_a_hook(numbers: dict[str, float], factor: float) -> list[float]:
    """Return an answer in which `x.grad` shows one of the two hooks only, the one with this factor."""
    once = 2 * numbers["c"] * numbers["x"] * factor
    return [2 * numbers["c"], once, 2 * numbers["c"], 2 * once]


# --- 11d: which layer has a hidden hook ---------------------------------------------------------------------

FOUND = {"(1) the layer": "the result of (1)", "(2) the number": "the result of (2)"}
MULTIPLIES = 0.1, 0.3, 3.
CLOSE = 0.25      # a measured number differs from the one of the hook by less, and from the other two by more


def hidden(seed: int) -> list[float]:
    """Return which layer the chapter's cell gives a hook, and by what this hook multiplies its result."""
    rng = random.Random(seed)
    return [rng.randint(2, 12), rng.choice(MULTIPLIES)]


def measured(answer: Any, seed: int) -> Iterator[Part]:
    """Judge 11d: a number as the learner measured it is right, too."""
    want = dict(zip(FOUND, hidden(seed)))
    given = in_order(answer, FOUND, [*want.values()])
    about, right = number(given["(2) the number"]), want["(2) the number"]
    if about is not None and abs(about / right - 1) < CLOSE:
        given["(2) the number"] = right
    for name, got in given.items():
        yield Part(name, got, want[name])


EXERCISES = (
    Exercise("11a", "Two drawers after each of two runs", NAMES, expected=two_runs,
             standard={"x": 3., "c": 5., "k": 10.},
             draw=lambda rng: {"x": float(rng.choice((2, 3, 4, 5))), "c": float(rng.choice((2, 3, 4, 7))),
                               "k": float(rng.choice((3, 5, 10)))},
             paper="`x` is a leaf. These lines run twice, with the same `x`: `y = x ** 2`, "
             "`y.retain_grad()`, `y.register_hook(lambda g: 2 * g)`, `x.register_hook(lambda g: k * g)`, "
             "`z = c * y`, `z.backward()`. What do `y.grad` and `x.grad` hold after the first run, (1) and "
             "(2), and after the second, (3) and (4)?",
             hints=("Which of the two tensors does the second run make anew?",
                    "What does the first run leave behind on `x`, and in its drawer?"),
             why="When a gradient is too large after you ran a cell twice, you now know two places to look: "
             "the drawer and the hooks. A layer has hooks, too, such as "
             "`layer.register_full_backward_hook(f)`.",
             wrong=(Wrong(runs(1, 1, lambda k: 1 + k), "M69",
                          "`retain_grad()` stores the gradient after the hooks of `y` have run."),
                    Wrong(runs(2, 2, lambda k: k), "M02",
                          "The second pass adds to what the first one left."),
                    Wrong(lambda numbers: without_a_hook(numbers, 2), None,
                          "The hook of `x` multiplies what `x` receives, too."),
                    Wrong(lambda numbers: without_a_hook(numbers, numbers["k"]), "M196",
                          "The hook of `y` runs before the node of `y`, so this node receives the double."),
                    Wrong(runs(2, 2, lambda k: 2), None,
                          "The hook of the first run is still registered on `x`, so `x` has two hooks."),
                    Wrong(runs(2, 4, lambda k: 1 + k), None,
                          "The second run makes a new `y`, with one hook and an empty drawer."))),
    Exercise("11d", "A layer with a hidden hook", FOUND, judge=measured, example=hidden,
             standard=2026, draw=lambda rng: rng.randrange(10000),
             paper="The linear layers of this network are `net[1]`, `net[3]` and so on. A hook of one of "
             "them multiplies its result by 0.1, 0.3 or 3: what a forward hook returns replaces the result. "
             "No weight shows it. Write lines that print numbers from which you can read the layer.",
             hints=("`measure(net)` returns the norms of both directions. By how much does each norm differ "
                    "from its neighbour?",
                    "Divide each norm of the forward pass by the one before it. The first of these numbers "
                    "belongs to layer 2."),
             why="No parameter shows this fault, but both passes do. If a layer's weights have the wrong "
             "spread, its factor shows it in the same way. "
             "`torch.nn.init` has functions that choose the spreads of this chapter for n inputs and n "
             "outputs: `xavier_normal_` chooses 1/√n (Glorot and Bengio, 2010), and `kaiming_normal_` √(2/n) "
             "(He and others, 2015).",
             wrong=(Wrong(lambda seed: [hidden(seed)[0] - 1, hidden(seed)[1]], None,
                          "The message shows the fault at the result of the layer before it, because it has "
                          "passed through the layer by then.", paper="the layer whose message is odd"),
                    Wrong(lambda seed: [2 * hidden(seed)[0] - 1, hidden(seed)[1]], None,
                          "Layer 1 is `net[1]`, and layer 2 is `net[3]`: the activations lie between them.",
                          paper="the index in `net`"),
                    Wrong(lambda seed: [hidden(seed)[0], 1 / hidden(seed)[1]], None,
                          "With this number you could repair the network; the hook multiplies by its "
                          "reciprocal.", paper="each norm divided by the next one"))),
)
