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


FACTORS = {"0.05": "0.4", "0.125": "0.93", "0.25": "1.2", "1.5": "2.6"}     # of each spread, as in 11.5


def first_below_1(printed: str) -> str:
    """Return the factor of the network whose loss is below 1 at the second place that the picture tells."""
    below, = [spread for spread, second in re.findall(r"^tanh, (\S+): .*? at step 0, (\S+) at", printed,
                                                      re.MULTILINE) if float(second) < 1]
    return FACTORS[below]


def what_became_of(losses: list[str]) -> str:
    """Return what 11.6 claims of a run, given the losses that its cell printed."""
    return "nan" if "nan" in losses else "falls" if float(losses[-1]) < 1 else "stays"


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
             "In the second, the spread is 1.5, and s is about a fifth, as its inputs are "
             "larger. How does the message change on its way to layer 1?", (
        Option("it shrinks in the first, and in the second", "M190",
               "The local derivatives can't make it larger, but large weights can.",
               claims="shrinks in both"),
        Option("it hardly changes in the first, and shrinks in the second", "M190",
               "Each layer also multiplies it by weights: small ones make it shrink, and large ones make up "
               "for the small local derivatives, and more.", claims="hardly, shrinks"),
        Option("it shrinks in the first, and grows in the second", None,
               "8 · 0.05 · 1 is 0.4, so each layer makes it smaller; 8 · 1.5 · 0.22 is about 2.6, so each "
               "layer makes it larger.", claims="shrinks, grows"),
    ), mark="6",
             told=r"0\.4¹¹|each layer makes it|ones make|grows in the second",
             decided=lambda printed: how_it_changes(*(norms_of(name, printed)
                                                      for name in ("tanh, 0.05", "tanh, 1.5")))),
    Question("11.5", "Four networks with `Tanh` start with spreads of 0.05, 0.125, 0.25 and 1.5. Their f is "
             "0.4, 0.93, 1.2 and 2.6. Each is trained for 300 steps at a rate of 0.05. Whose loss is the "
             "first to fall under 1?", (
        Option("that of the network with f = 0.93", "M245",
               "It is the second. An f near 1 is good enough to learn, but longer steps make this faster.",
               claims="0.93"),
        Option("that of the network with f = 1.2", None,
               "Its messages grow only about 8 times, so its steps are longer than with f = 0.93, but not "
               "too long.", claims="1.2"),
        Option("that of the network with f = 2.6", "M246",
               "Its messages grow more than 10000 times, and its loss stays at 2.3.", claims="2.6"),
    ), mark="2",
             paper="Four networks have twelve hidden layers with 64 inputs, 64 outputs and `Tanh`. Each "
             "layer multiplies a message by f, which is 0.4, 0.93, 1.2 and 2.6. Each network is trained for "
             "300 steps at a rate of 0.05. Whose loss is the first to fall under 1?",
             told=r"needn't be exactly|longer steps|only about 8|grow only|10000 times",
             explains="So f needn't be exactly 1. But with 0.05 and with 1.5, the loss stays at 2.3.",
             decided=first_below_1),
    Question("11.6", "With ReLU and a spread of 0.25, f is above 1, and the loss becomes `nan` after four "
             "steps. Now you clip the gradients to a norm of 10 before each step. What does the loss do in "
             "100 steps?", (
        Option("it becomes `nan` later: each layer still multiplies messages by 1.4", "M247",
               "Layers that multiply by 1.4 can learn, if no step is too long.", claims="nan"),
        Option("it falls under 1: no step is longer than 10 times the rate", None,
               "The clipped gradients keep their direction, and the steps are short enough.", claims="falls"),
        Option("it stays above 1: the first layers still get nearly all of each step", "M248",
               "With ReLU, the gradients of the first layers aren't much larger than the others.",
               claims="stays"),
    ), mark="3",
             paper="A network has twelve hidden layers with 64 inputs, 64 outputs and ReLU. Each layer "
             "multiplies a message by more than 1. At a rate of 0.05, the loss becomes `nan` after four "
             "steps. Now you clip the gradients: if their norm together is above 10, you scale them down to "
             "it before the step. What does the loss do in 100 steps?",
             told=r"no step is|keeps? (its|their) direction|one limit suits",
             explains="In the report, the updates of all layers are about equally large, so one limit suits "
             "them. With `tanh` and 1.5, the gradient of layer 1 is thousands of times larger than that of "
             "layer 12. The next cell clips this network, too.",
             decided=lambda printed: what_became_of(printed.replace("...", " ").split())),
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
