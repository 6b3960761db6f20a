"""Chapter 11, "Instruments": its questions and exercises."""
from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import minigrad as torch

from ..claims import package_of
from ..exercises import Exercise, Part, Wrong
from ..notes import Note
from ..questions import Option, Question
from ..reading import Misread, as_lists, sequence
from ..saying import kind_of

IDEAS = ("hook", "handle", "`retain_grad()`", "vanish", "explode", "Initialising", "Clipping", "checkpoint")

QUESTIONS = (
    Question("11.1", "How often does `z.backward()` call `print`, and with what?", (
        Option("twice, first with 3 and then with 4", "M22",
               "The hook waits, as the node does, until both messages have been added."),
        Option("once, with 4, which is the last message", "M06",
               "No message is lost: 3 and 4 are added before the hook is called."),
        Option("once, with 7, which is the sum of both", None,
               "The hook is called when both messages have arrived and have been added."),
    ), paper="`a` is 2. After `y = a ** 2` and `y.register_hook(print)`, two products use `y`: "
             "`z = 3 * y + 4 * y`. How often does `z.backward()` call `print`, and with what?",
             told=r"at most once|have been added|\b7\b",
             explains="`print` returned nothing, so the node of `y` received 7. It multiplied 7 by its local "
             "derivative, 4, and `a.grad` is 28."),
    Question("11.2", "What is `y.grad` after this pass?", (
        Option("3, because the drawer is filled before the hooks run", "M69",
               "The hooks run first, no matter when `retain_grad()` was called."),
        Option("40, because both hooks run before the drawer is filled", None,
               "The first hook turns 3 into 4, the second turns 4 into 40, and then the gradient is stored."),
        Option("31, because the newest hook runs first, and the oldest last", "M68",
               "The hook that was registered first runs first: 3 + 1 is 4, and 10 times 4 is 40."),
    ), paper="`a` is 2, and `y = a ** 2`. `y.retain_grad()` is called first. Then two hooks are registered: "
             "one that adds 1, and one that multiplies by 10. After `z = 3 * y` and `z.backward()`, what is "
             "`y.grad`?",
             told=r"order in which they were registered|\b40\b|\b160\b",
             explains="The node of `y` received 40, too. Its local derivative is 4, so `a.grad` is 160."),
    Question("11.3", "What is `u.grad` after both passes?", (
        Option("1, because the hook limits what is in the drawer", "M23",
               "The hook sees 5 in each pass and returns 1. The drawer then adds 1 and 1."),
        Option("2, because the hook limits what each pass delivers", None,
               "In each pass the hook turns 5 into 1, and the drawer adds 1 and 1."),
        Option("6, because the hook limits only what is delivered first", "M22",
               "The hook runs in every pass, until it is removed."),
    ), paper="`u` is a leaf with the hook `lambda g: g.clamp(max=1)`, which turns every gradient above 1 "
             "into 1. `(5 * u).backward()` runs twice. What is `u.grad`?",
             told="one pass delivers|each pass delivers|not the sum",
             explains="To limit the sum, change `u.grad` yourself, after the last pass."),
    Question("11.4", "How many times smaller is the gradient of the bias of layer 1 in the second network?", (
        Option("about 2.5, because only the spread of its own layer counts", "M49",
               "The message passes through all other layers, and each of them makes it smaller."),
        Option("about 30, because the effects of twelve layers are added", "M70",
               "Each layer multiplies the message, so the factors of the layers are multiplied, too."),
        Option("tens of thousands, because the factors are multiplied", None,
               "Each hidden layer after the first makes the message about 2.5 times smaller."),
    ), paper="A network has twelve hidden layers with `Tanh`; their weights are random, with a standard "
             "deviation of 0.125. In a second network, these weights are 2.5 times smaller. How many times "
             "smaller is the gradient of the bias of layer 1?",
             told=r"vanish\*\*|explode|[Ff]actors? of|\bpasses through all",
             explains="Eleven hidden layers with random weights are between layer 1 and the last layer, and "
             "2.5¹¹ is about 24 000. The weights are random, so the factor differs from seed to seed."),
)

NOTES = (
    Note("11.n1", "right",
         says="The hook doubles what each pass delivers, and after `remove()` it is no longer called. What "
         "was already in the drawer is not doubled: 2 and 2 are 4, and the third pass adds 1.",
         told="what each pass delivers, and after|is not doubled", rows=("C6",)),
    Note("11.n2", "right",
         says="All three show the same gradient. They differ in when you write them, in where you find the "
         "gradient, and in what else they do: a hook can also replace the gradient, and `autograd.grad` "
         "fills no drawer of a leaf.",
         told="show the same gradient", rows=("C7", "E5")),
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


# --- 11b: a function that measures messages -----------------------------------------------------------------

WEIGHTS = ([[0.5], [-1.], [2.]], [[1., -0.5, 0.25], [0.5, 2., -1.]])
SIZES = {"norms": "the norms", "gradients": "the gradients after the pass",
         "hooks": "the hooks that are left"}


def small_net(package: Any) -> Any:
    """Return a net of three layers with these weights: Linear, Tanh, Linear."""
    nn = package.nn
    net = nn.Sequential(nn.Linear(1, 3), nn.Tanh(), nn.Linear(3, 2))
    with package.no_grad():
        for layer, weight in zip((net[0], net[2]), WEIGHTS, strict=True):
            layer.weight.copy_(package.tensor(weight))
            layer.bias.zero_()
    return net


def data(package: Any) -> Any:
    return package.tensor([[-1.], [0.5], [2.]])


def message_norms(net: Any, data: Any) -> list[float]:
    found: list[float] = []
    h = data
    for layer in net:
        h = layer(h)
        h.register_hook(lambda grad: found.append(grad.norm().item()))
    h.sum().backward()
    return found[::-1]


def last_layer_first(net: Any, data: Any) -> list[float]:
    return message_norms(net, data)[::-1]


def hooks_left(net: Any, data: Any) -> list[float]:
    found: list[float] = []
    for layer in net:
        layer.register_full_backward_pre_hook(lambda layer, grads: found.append(grads[0].norm().item()))
    net(data).sum().backward()
    return found[::-1]


def hooks_of(net: Any) -> int:
    kept = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    return sum(len(getattr(layer, name, ())) for layer in (net, *net) for name in kept)


def undisturbed(net: Any, right: Any) -> bool:
    """Return whether the weights have the gradients of one pass, or none, as after `autograd.grad`."""
    found = [one.grad for one in net.parameters()]
    if all(grad is None for grad in found):
        return True
    return all(grad is not None and torch.allclose(torch.tensor(as_lists(grad)), one.grad, atol=1e-4)
               for grad, one in zip(found, right.parameters(), strict=True))


def as_numbers(found: Any) -> Any:
    """The answer of a function of 11b as a list of numbers, whatever the norms are."""
    found = sequence(found)
    if not isinstance(found, (list, tuple)):
        return as_lists(found)
    return [as_lists(one) for one in found]


def takes(answer: Any, names: str, call: str) -> None:
    """Raise Misread unless an answer is a function with these arguments."""
    if not callable(answer):
        raise Misread(f"Your answer should be a function; it is {kind_of(answer)}. Write `{call}`.")
    try:
        inspect.signature(answer).bind(*names.split())
    except TypeError:
        told = ", ".join(f"`{name}`" for name in names.split()[:-1])
        raise Misread(f"Your function should take {told} and `{names.split()[-1]}`.") from None


def measured(answer: Any, net: Any, data: Any) -> Any:
    """Return what an answer returns; its layer hooks may warn that the data require no gradient."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Full backward hook is firing", UserWarning)
        try:
            return answer(net, data)
        except AttributeError as error:
            if "'NoneType' object has no attribute 'norm'" not in str(error):
                raise
            raise Misread("A gradient is `None` here. The data require no gradient, so the first layer has "
                          "no gradient of its inputs. Measure the gradients of its outputs.") from None


def norms_and_nothing_else(answer: Any, _: Any) -> Iterator[Part]:
    takes(answer, "net data", "answer_11b = message_norms")
    package = package_of(answer)
    net, right = small_net(package), small_net(torch)
    want = message_norms(right, data(torch))
    got = measured(answer, net, data(package))
    if got is None:
        raise Misread("Your function returned `None`. It should return the list of norms.")
    got = as_numbers(got)
    says = "Your function should return one norm for each of the three layers, as a list."
    if isinstance(got, list) and len(got) == len(want):
        says = (f"For a net of three layers, the norms should be "
                f"{', '.join(f'{norm:.4f}' for norm in want)}.")
    yield Part("norms", got, want, says)
    yield Part("gradients", undisturbed(net, right), True,
               "After your function, the gradients of the weights aren't those of one backward pass. "
               "A hook that measures should return nothing.")
    yield Part("hooks", hooks_of(net), 0, "After your function has returned, hooks are left on the layers. "
               "Remove each of them by its handle.")


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
             "the drawer and the hooks.",
             wrong=(Wrong(runs(1, 1, lambda k: 1 + k), "M69",
                          "`retain_grad()` stores the gradient after the hooks of `y` have run."),
                    Wrong(runs(2, 2, lambda k: k), "M02",
                          "The second pass adds to what the first one left."),
                    Wrong(lambda numbers: without_a_hook(numbers, 2), None,
                          "The hook of `x` multiplies what `x` receives, too."),
                    Wrong(lambda numbers: without_a_hook(numbers, numbers["k"]), None,
                          "The hook of `y` runs before the node of `y`, so this node receives the double."),
                    Wrong(runs(2, 2, lambda k: 2), None,
                          "The hook of the first run is still registered on `x`, so `x` has two hooks."),
                    Wrong(runs(2, 4, lambda k: 1 + k), None,
                          "The second run makes a new `y`, with one hook and an empty drawer."))),
    Exercise("11b", "Measure the messages", SIZES, judge=norms_and_nothing_else,
             example=lambda _: message_norms,
             paper="Write `message_norms(net, data)`: it runs a backward pass from `net(data).sum()`, and "
             "returns the norms of the gradients of the outputs of all layers in `net`, the first layer "
             "first. Afterwards no hook is left. (`data` requires no gradient.)",
             hints=("Call the layers one after another, `h = layer(h)`, and register a hook on each `h`.",
                    "Each hook appends a norm to a list. In which order do the hooks run?"),
             why="With this function you can find the layer where the messages of your own network become "
             "too small or too large.",
             wrong=(Wrong(lambda _: last_layer_first, None,
                          "The hooks run in the order of the backward pass: the last layer's is the "
                          "first."),)),
)
