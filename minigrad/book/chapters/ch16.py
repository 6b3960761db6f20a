"""The appendix, "From the notes": its questions and exercises."""
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
from ..reading import Misread
from ..saying import kind_of

IDEAS = ("Variable", "volatile", "expected reward", "stochastic node")

QUESTIONS = (
    Question("16.1", "`v` is made with `volatile=True`, and `w` requires a gradient. Is `w * v` recorded "
             "today?", (
        Option("no: `v` still keeps the line from being recorded", "M96",
               "The argument has had no effect since 2018, so `v` is a constant like any other."),
        Option("no: the argument was removed, so it raises an error", "M97",
               "Making `v` gives a warning, and then the program goes on."),
        Option("yes: the argument gives a warning, and nothing else", None,
               "The line is recorded, because `w` requires a gradient."),
    ), told="since 2018|no effect"),
    Question("16.2", "Action 2 was drawn, and the reward is 6. You compute `loss = -p[2].log() * 6` and take "
             "a small step of gradient descent. Which probabilities rise?", (
        Option("only `p[2]`, because its action was drawn", None,
               "The step makes the drawn action more likely, and the probabilities still add up to 1."),
        Option("only `p[0]`, because its reward is the largest", "M95",
               "The loss contains one reward, that of the action that was drawn."),
        Option("`p[0]` and `p[1]`, because a step makes `p[2]` smaller", "M160",
               "The loss contains minus the logarithm of `p[2]`, so the loss falls when `p[2]` rises."),
    ), told="favours|add up to 1",
             explains="One draw favours the action that was drawn. Over many draws, good actions win: they "
             "bring more reward each time."),
)

NOTES = (
    Note("16.n1", "right in its time",
         says="Until PyTorch 0.4, of 2018, a Variable was a wrapper around a tensor. Today every tensor is a "
         "Variable, and every Variable is a tensor. `v` is a new tensor that shares its memory with `t`.",
         instead="write `torch.tensor([3., 5.], requires_grad=True)`.",
         told="every Variable is a tensor|no box", rows=("A4",)),
    Note("16.n2", "right in its time",
         says="Before PyTorch 0.4, of 2018, no result that depended on a volatile input was recorded, and "
         "the note's output is from that time. Today the argument only gives a warning, which the note "
         "quotes: the line was recorded, because `w` requires a gradient.",
         instead="use `torch.no_grad()`, as the note adds. It works on lines instead of inputs.",
         told="only gives a warning|right until 2018", rows=("C5",)),
    Note("16.n3", "right in its time",
         says="Until 2017, this was how you trained such a model, and the source that the note translates is "
         "that old. The method is gone, and its error message shows what to write instead: a loss of your "
         "own.",
         instead="the loss at the end of this section.", told="method is gone|loss of your own",
         rows=("C10",)),
    Note("16.n4", "right",
         says="`z` has four elements, and each number in the argument is multiplied by the derivative 2. The "
         "printed gradient is five times as large. Probably five passes added up, and the cell was run as "
         "110, 111, 112, 113 and 114. `retain_graph=True` kept these runs from failing.",
         instead="empty the drawer before each pass, in the same cell.",
         told=r"five times|five passes|\b0\.02\b|110", rows=("D5",)),
)


SETUP = """
w = torch.ones(3, requires_grad=True)
v = torch.autograd.Variable(torch.ones(3), requires_grad=True)
y = (w * v).sum()
y.backward(retain_graph=True)
"""
LINES = ("y.data[0]", "y.creator", "v.volatile", "w.grad.data.zero_()", "v.data.sum()",
         "torch.autograd.backward([y], [torch.ones(())])")


def still_run(_=None) -> set[str]:
    """The old lines of 16a that raise no error, found by running each."""
    return {line for line in LINES if runs(line)}


def runs(line: str) -> bool:
    names: dict[str, Any] = {"torch": torch}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(SETUP, names)
        try:
            exec(line, names)
        except (AttributeError, IndexError):
            return False
    return True


SCORES, COSTS = (0.2, -0.3, 0.5), (10., 4., 6.)


def by_log(p: Any, action: int, cost: float) -> Any:
    return p[action].log() * cost


def as_a_reward(p: Any, action: int, cost: float) -> Any:
    return -p[action].log() * cost


def without_log(p: Any, action: int, cost: float) -> Any:
    return p[action] * cost


def over_all(p: Any, action: int, cost: float) -> Any:
    return (p * cost).sum()


def all_actions(p: Any, action: int, cost: float) -> Any:
    return (p.log() * cost).sum()


def gradient(function: Callable, action: int, package: Any) -> list[float]:
    """The gradient of the scores, when this action was drawn."""
    scores = package.tensor(SCORES, requires_grad=True)
    loss = function(scores.softmax(0), action, COSTS[action])
    if not hasattr(loss, "backward"):
        raise Misread(f"Your function should return the loss as a tensor; it returned {kind_of(loss)}.")
    if not loss.requires_grad:
        raise Misread("The loss that your function returns requires no gradient: it wasn't computed from "
                      "`p` by operations that are recorded.")
    loss.backward()
    return [round(value, 4) for value in scores.grad.tolist()]


def one_draw_at_a_time(answer: Any, _: Any) -> Iterator[Part]:
    if not callable(answer):
        raise Misread(f"Your answer should be a function; it is {kind_of(answer)}. Write "
                      "`answer_16b = loss_of`, without calling it.")
    try:
        inspect.signature(answer).bind("p", "action", "cost")
    except TypeError:
        raise Misread("Your function should take `p, action, cost`.") from None
    for action in range(3):
        got, want = gradient(answer, action, package_of(answer)), gradient(by_log, action, torch)
        yield Part("loss_of", got, want, f"When action {action} was drawn, the gradient of the scores should "
                   f"be {want}, and is {got}.")


EXERCISES = (
    Exercise("16a", "Which of the six old lines still run?", expected=still_run, choices=LINES,
             paper="`w` and `v` require a gradient, `y = (w * v).sum()`, and "
             "`y.backward(retain_graph=True)` has run. Which of these old lines run today without an error? "
             "Tick them.",
             hints=("Two lines use something that is gone. Look for what the tables on this page replace.",
                    "`y` is a single number: it has no dimension to index."),
             wrong=(Wrong(lambda _: still_run() | {"y.creator"}, None,
                          "Today, the node of a result is in `y.grad_fn`."),
                    Wrong(lambda _: still_run() | {"y.data[0]"}, None,
                          "`y` has no dimension, so there is nothing to index; `y.item()` gives its value."),
                    Wrong(lambda _: still_run() - {"v.volatile"}, "M97",
                          "One of these lines only warns.")),
             why="A line that fails tells you so itself; in an old program, look longer at the lines that "
             "still run."),
    Exercise("16b", "A loss for an action that was drawn", judge=one_draw_at_a_time,
             example=lambda _: by_log,
             paper="A model gives the probabilities `p` of three actions. One action is drawn and has a "
             "cost. Write the loss whose gradient, averaged over many draws, is the gradient of the expected "
             "cost.",
             hints=("The expected cost is a sum of products. A draw already happens with probability "
                    "`p[action]`, so that factor must not be there twice.",
                    "The slope of `log(u)` is `1 / u`. A step of gradient descent makes the loss smaller. "
                    "What should it do to `p[action]`?"),
             wrong=(Wrong(lambda _: as_a_reward, None, "With this sign, a step makes an expensive action "
                          "more likely.", fits=lambda answer: like(answer, as_a_reward)),
                    Wrong(lambda _: without_log, None, "Actions that are drawn often would count twice: once "
                          "because they are drawn often, once because of the factor `p[action]`.",
                          fits=lambda answer: like(answer, without_log)),
                    Wrong(lambda _: all_actions, "M95", "Only the action that was drawn had this cost.",
                          fits=lambda answer: like(answer, all_actions)),
                    Wrong(lambda _: over_all, None, "The probabilities always add up to 1, so this sum is "
                          "the cost itself, and its gradient is 0.",
                          fits=lambda answer: like(answer, over_all))),
             why="With this one line, a model can learn from single draws, although no gradient passes "
             "through a draw."),
)


def like(answer: Any, function: Callable) -> bool:
    """Whether an answer has the gradients of this function."""
    if not callable(answer):
        return False
    return all(gradient(answer, action, package_of(answer)) == gradient(function, action, torch)
               for action in range(3))
