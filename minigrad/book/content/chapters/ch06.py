"""Chapter 6, "Why can't I go back twice?": its questions and exercises."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as torch

from ....viz.graph.facts import is_tensor
from ....viz.graph.kept import saved_by
from ...classroom.deciding import judged, numbers
from ...classroom.exercise import Exercise, Wrong
from ...classroom.notes import Note
from ...classroom.questions import Option, Question

IDEAS = ("saved tensor", "tab", "Saved Table", "freed", "trunk")

CHANGED = {  # w.grad, b.grad: did the failed pass of 6.2 change them?
    (False, False): "neither has changed", (True, False): "only `w.grad` has changed",
    (False, True): "only `b.grad` has changed", (True, True): "both have changed"}


def saved_name(result: str, line: Callable[[Any], Any]) -> str:
    """Return what the node of a line saved, by its name in 6.1: its input is `t`."""
    t = torch.tensor([3., 5., 7.], requires_grad=True)
    made = line(t)
    found = [row.value for row in saved_by(made.grad_fn) if is_tensor(row.value)]
    names = {t.data_ptr(): "`t`", made.data_ptr(): f"`{result}`"}
    return " and ".join(names[value.data_ptr()] for value in found) or "nothing"


QUESTIONS = (
    Question("6.1", "Two more lines: `e = t.tanh()`, whose derivative is `1 - tanh(t) ** 2`, and "
             "`f = t ** 3`, whose derivative is `3 * t ** 2`. What do their nodes save, so that each "
             "derivative is quick to compute?", (
        Option("the node of `e` saves `t`, and the node of `f` saves `t`", "M60",
               "`tanh(t)` is `e`, which is computed already, so the node of `e` doesn't need `t`."),
        Option("the node of `e` saves `e`, and the node of `f` saves `t`", None,
               "Each node saves the tensor from which its derivative is computed."),
        Option("the node of `e` saves `e`, and the node of `f` saves `f`", "M44",
               "The derivative of `f` is computed from `t`, so its node doesn't need `f`."),
        Option("the node of `e` saves nothing, and the node of `f` saves nothing", "M31",
               "Both derivatives depend on `t`, so each node must save a tensor to compute its own from."),
    ), told=r"save[sd] its result|the node of `f` saves",
        decided=lambda printed: f"the node of `e` saves {saved_name('e', lambda t: t.tanh())}, and the node "
                                f"of `f` saves {saved_name('f', lambda t: t ** 3)}"),
    Question("6.2", "`squared.backward()` has left -1.63 in `w.grad` and -1 in `b.grad`. Then "
             "`absolute.backward()` fails. Which of the two drawers has it changed? (If several nodes are "
             "ready, PyTorch 2.13 runs an `AccumulateGrad` first, the node that fills a drawer.)", (
        Option("neither has changed: the error came before anything was added", "M61",
               "The pass added to `b.grad` before it failed, and an error doesn't undo that."),
        Option("only `w.grad` has changed: the error came on the way to `b`", "M102",
               "The node of `w * x`, at which the pass failed, is on the way to `w`, not to `b`."),
        Option("only `b.grad` has changed: the error came on the way to `w`", None,
               "After the node of the addition, the `AccumulateGrad` of `b` ran; then the node of `w * x` "
               "failed."),
        Option("both have changed: the error came after everything was added", "M61",
               "The gradient of `w` goes through the node of `w * x`, and that node failed."),
    ), told=r"half-filled|1\.22",
             decided=lambda printed: CHANGED[numbers(printed)[0] != -1.6278, numbers(printed)[1] != -1],
             explains="A pass fails when it runs a node whose saved tensor is gone; by then it may have run "
             "other nodes. It left the drawers **half-filled**: `b.grad` holds the sum of both gradients, "
             "`w.grad` only the first. PyTorch's documentation doesn't promise the order of the nodes, so "
             "after a failed pass, empty all drawers before the next one."),
    Question("6.3", "The trunk is now `y = a + 4`, and the results are `p = (y * y).sum()` and "
             "`q = (y * 5).sum()`. You call `p.backward()`, then `q.backward()`, then `p.backward()` again. "
             "Which of the three calls raises an error?", (
        Option("the call of `q.backward()`", "M13",
               "The node of `a + 4` is still there, and it had saved nothing that could be freed."),
        Option("none of the three calls", "M35",
               "The first pass freed the `y` that `y * y` had saved, and the third pass needs it."),
        Option("the second call of `p.backward()`", None,
               "It runs the node of `y * y` again, and the first pass freed the `y` that this node had "
               "saved."),
    ), mark="2", told=r"\[19|nodes stay",
             decided=lambda printed: "none of the three calls" if "RuntimeError" not in printed else
             "the second call of `p.backward()`" if "tensor([19., 23.])" in printed else
             "the call of `q.backward()`",
             explains="The first two passes share only the node of `a + 4`, which had saved nothing. Their "
             "gradients are added: [19., 23.]."),
)

NOTES = (
    Note("6.n2", "wrong",
         says="With `a * a` both calls failed, but not because nodes were gone: what its node had saved was "
         "gone. Nodes stay. Both passes ran that of `a + 4`. The note's advice, `retain_graph=True`, is "
         "right.",
         instead="ask which nodes run twice, and what they had saved.",
         told=r"[Nn]odes stay|had saved was gone", rows=("B8",),
         decided=lambda printed: judged("tensor([19., 23.])" not in printed)),
    Note("6.n3", "wrong",
         says="It costs memory, 8000 bytes. But with a new graph in each turn, the next turn ends with no "
         "more: Python deletes a graph to which nothing refers. Memory grows where two things meet: "
         "`retain_graph=True`, and graphs that are **linked**. The sum of all losses refers to each earlier "
         "graph through its edges; without the argument, those graphs hold no saved tensors.",
         instead="add `loss.detach()`, which is only the number.",
         told=r"nothing refers|Memory grows", rows=("B8",), decided=lambda printed: judged(
             numbers(printed.split("\n")[2])[-1] > numbers(printed.split("\n")[2])[0])),
)

LINES = ("t + 4", "-t", "t.mean()", "t.reshape(3, 1)", "t * 5", "t * t", "t.exp()", "t / 2")


def save_nothing(_=None) -> set[str]:
    """The lines of 6a whose operation saves no tensor, found by asking its node."""
    t = torch.tensor([3., 5., 7.], requires_grad=True)
    nodes = {line: eval(line, {"t": t}).grad_fn for line in LINES}
    return {line for line, node in nodes.items() if not any(is_tensor(row[2]) for row in saved_by(node))}


def two_losses(start: float) -> list:
    """w.grad, or "error", after each line of 6b, for w = start."""
    found = []
    for plan in ("a b", "sum", "retain b"):
        w = torch.tensor(start, requires_grad=True)
        h = w * w
        a, b = 3 * h, h + 1
        first = {"a": a, "b": b, "sum": a + b, "retain": a}
        for step in plan.split():
            try:
                first[step].backward(retain_graph=step == "retain")
                found.append(w.grad.item())
            except RuntimeError:
                found.append("error")
    return found


def detached_steps(numbers) -> list[float]:
    w, h, found = torch.tensor(numbers["w"], requires_grad=True), torch.tensor(1.), []
    for _ in range(3):
        h = w * h.detach()
        ((h - 2) ** 2).backward()
        found.append(w.grad.item())
    return found


def retained_steps(numbers) -> list[float]:
    w, h, found = torch.tensor(numbers["w"], requires_grad=True), torch.tensor(1.), []
    for _ in range(3):
        h = w * h
        ((h - 2) ** 2).backward(retain_graph=True)
        found.append(w.grad.item())
    return found


def steps_alone(numbers) -> list[float]:
    seen = detached_steps(numbers)
    return [after - before for before, after in zip([0., *seen], seen, strict=False)]


def separate_passes(start: float) -> list:
    a, b = 6 * start, 2 * start
    return [a, b, a + b, a, b]


EXERCISES = (
    Exercise("6a", "Which of the eight lines save no tensor?", expected=save_nothing, choices=LINES,
             paper="`t` is a leaf with three numbers. Which of these eight lines save no tensor for the "
             "backward pass? (PyTorch turns the 4, the 5 and the 2 into tensors.) Tick them.",
             hints=("Write down the local derivative of each line. Which of them need a tensor?",
                    "Six lines have the same derivative for every `t`. Two of the six must save a constant."),
             wrong=(Wrong(lambda _: {*save_nothing(), "t * 5", "t / 2"}, None,
                          "A constant is saved, too, if it is a tensor and a local derivative needs it."),),
             why="You can now say what a line keeps in memory for the backward pass, before you run it."),
    Exercise("6b", "w.grad after each line, or \"error\"",
             {"(1) after a.backward()": "the result of (1)",
              "(2) after b.backward()": "the result of (2)",
              "(3) after (a + b).backward()": "the result of (3)",
              "(4) after a.backward(retain_graph=True)": "the result of (4)",
              "(5) after b.backward()": "the result of (5)"},
             expected=lambda numbers: two_losses(numbers["w"]), standard={"w": 5.},
             draw=lambda rng: {"w": float(rng.choice((1.5, 2.5, 3., 4., 6., 7.)))},
             hints=("The gradient of `a` with respect to `w` is 6w, that of `b` is 2w.",
                    "Both passes run the node of `w * w`. What had it saved, and which call frees that?"),
             wrong=(Wrong(lambda numbers: separate_passes(numbers["w"]), "M02",
                          "A pass adds to what is in `w.grad`. It fails if it needs a tensor that an "
                          "earlier pass has freed."),
                    Wrong(lambda numbers: [6 * numbers["w"], 8 * numbers["w"], 8 * numbers["w"],
                                           6 * numbers["w"], 8 * numbers["w"]], "M35",
                          "Without `retain_graph=True`, the first pass frees what `w * w` had saved."),
                    Wrong(lambda numbers: [6 * numbers["w"], *two_losses(numbers["w"])[:1],
                                           *two_losses(numbers["w"])[2:]], None,
                          "That is what `w.grad` still holds. But the call fails, so write `\"error\"`."),
                    Wrong(lambda numbers: [6 * numbers["w"], "error", 14 * numbers["w"],
                                           20 * numbers["w"], 22 * numbers["w"]], None,
                          "Each of the three graphs has a new `w`, and the drawer of a new `w` is empty."),
                    Wrong(lambda numbers: [*two_losses(numbers["w"])[:4], "error"], None,
                          "The first pass kept the graph, so the second one finds what `w * w` had saved. "
                          "Only the first call needs the argument.")),
             why="One pass from the sum left the same gradient as two passes, and kept nothing: with several "
             "losses, try the sum first."),
    Exercise("6c", "w.grad after each of the three steps, when one line is repaired",
             {f"w.grad after step {step}": f"`w.grad` after step {step}" for step in (1, 2, 3)},
             expected=detached_steps, standard={"w": 0.5},
             paper="A loop carries `h` from step to step. Its author says: \"Every step takes longer than "
             "the last.\" A step may treat the old `h` as a constant, which `h.detach()` returns. Change one "
             "line. What is `w.grad` after each of three steps?",
             draw=lambda rng: {"w": rng.choice((3., 4., 5., -2., -3., 1.5))},
             hints=("Draw `loss` after the first step, and after the third. What has grown?",
                    "`h.detach()` has the numbers of `h`, and no graph behind it."),
             wrong=(Wrong(retained_steps, "M12",
                          "Each step still goes back to the first one, through the old `h`."),
                    Wrong(steps_alone, "M02",
                          "That is the gradient of each step alone; nothing empties `w.grad`.")),
             why="Each pass now ends after one step. The price is another gradient: no step "
             "learns what it did to the later ones."),
)
