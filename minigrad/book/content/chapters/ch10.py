"""Chapter 10, "It learns": its questions and its exercise."""
from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

import minigrad as torch

from ...classroom.deciding import numbers
from ...classroom.exercise import Exercise, Wrong
from ...classroom.questions import Option, Question
from ...classroom.reading import compact

IDEAS = ("validation set", "test set", "mini-batch", "cross-entropy", "epoch", "overfit")


def gradient_of_scores(printed: str) -> str:
    """Return, in the words of an option of 10.1, the gradient that was printed after three probabilities."""
    return f"`[{', '.join(f'{number:g}' for number in numbers(printed)[3:])}]`"


def drawers_of(printed: str) -> str:
    """Return what 10.3 asks for: `p.grad` of each loop after `backward()`, and after `step()`."""
    found = {line.split()[0]: line.split()[1:] for line in printed.splitlines() if len(line.split()) == 3}
    held = {mistake: " and ".join("None" if empty == "True" else "numbers" for empty in measured)
            for mistake, measured in found.items()}
    return f"{held['detached']}; {held['cleared']}"


def after_shuffling(printed: str) -> str:
    """Return what 10.2 asks for, from the three accuracies of each of the networks."""
    tests = numbers(printed)[2::3]
    return "over 0.95 each time" if min(tests) > 0.95 else "again" if max(tests) < 0.95 else "some of each"


LINEAR = ("`x.T @ g`", "`g.T @ x`", "`x.sum(0)`, in each row")     # what the cell of 10.5 tries, in its order


QUESTIONS = (
    Question("10.1", "The softmax of three scores is 0.7, 0.2 and 0.1. The right label is that of the second "
             "score. After `loss_of(scores, label).backward()`, what does `scores.grad` hold?", (
        Option("`[0.7, -0.8, 0.1]`", None,
               "The first term gives the probabilities; the second gives -1 for the second score."),
        Option("`[0, -0.8, 0]`", "M195",
               "The sum in the third formula contains all scores, so each has a derivative."),
        Option("`[-0.7, 0.8, -0.1]`", "M197",
               "The loss falls if the label's score grows, so this derivative is negative."),
    ), paper="The softmax of three scores is 0.7, 0.2 and 0.1. The right label is that of the second score. "
             "The loss is the cross-entropy. After `loss.backward()`, what does `scores.grad` hold?",
             told=r"minus 1 for (the|its) label|-0\.8|[Pp]robability, minus 1", mark="2",
             explains="By the third formula, the derivative of the loss with respect to a score is its "
             "probability, minus 1 for the label. A step on the scores would raise the label's, and lower "
             "all others.",
             decided=gradient_of_scores),
    Question("10.2", "What is the accuracy of each of the three networks on its own 597 test images?", (
        Option("about 0.93, because the network has overfitted", "M103",
               "The same network, trained in the same way, reads over 95 % of test images that are drawn at "
               "random.", claims="again"),
        Option("about 0.93, because the order of the images doesn't matter", "M104",
               "In this file it matters: the last images differ from the first 1,000.",
               claims="again, in any order"),
        Option("over 0.95, because the last images are different", None,
               "The order of the file made most of the gap.", claims="over 0.95 each time"),
    ), paper="A network was trained on the first 1,000 of 1,797 images. It reads 93 % of the last 597, which "
             "are its test images. Now the images are shuffled, divided anew, and a new network is "
             "trained, three times. What is the accuracy of each on its own 597 test images?",
             told=r"0\.9[678]\b|drawn at random|by the same person|like those", mark="2",
             explains="In the file, the validation set comes right after the training set. By its "
             "description, the file holds the digits of 13 people, and neighbours may be by the same "
             "person.\nIt does a little better on its training images: "
             "these three read 1.00 of their training images, and 0.97 or 0.98 of new ones. The rest of the "
             "gap comes from the last images: an accuracy tells about images like those that were measured.",
             decided=after_shuffling),
    Question("10.3", '`p` is a weight of the first layer. What does `p.grad` hold in the loops "detached" '
             'and "cleared", after `loss.backward()` and after `opt.step()`?', (
        Option("in both loops `None`, as nothing reaches `p`", "M67",
               'In "cleared", a gradient reaches `p`, and `zero_grad()` removes it before the step.',
               claims="None and None; None and None"),
        Option('in "detached" `None`; in "cleared" numbers, and then `None`', None,
               'In "detached", no gradient reaches `p`. In "cleared" it arrives, and is removed before the '
               "step.", claims="None and None; numbers and None"),
        Option("in both loops numbers, but the learning rate is wrong", "M33",
               "`opt.step()` finds no gradient to multiply by the rate, so no rate would help.",
               claims="numbers and numbers; numbers and numbers"),
        Option("in both loops numbers, but 30 steps are too few", "M101",
               "Without a gradient no weight moves, however many steps follow.",
               claims="numbers and numbers; numbers and numbers"),
    ), paper="The losses of two loops are flat, and the same. One loop, \"detached\", cuts the scores off: "
             "`scores = scores.detach().requires_grad_()`. The other, \"cleared\", calls `opt.zero_grad()` "
             "between the backward pass and the step. `p` is a weight of the first layer. What does `p.grad` "
             "hold in each loop, after `loss.backward()` and after `opt.step()`?",
             told=r"[Rr]ight after `?(loss\.)?backward", mark="2",
             explains="A flat loss doesn't show that the learning rate is wrong. Read `p.grad` first, right "
             "after `backward()`.",
             decided=drawers_of),
    Question("10.4", "`Y.backward(g)` starts a pass with `g`, which holds a message for each number of "
             "`Y`. What does `W[1, 0]` receive?", (
        Option("8", "M11",
               "2 and 6 are entries of the Jacobian. Each is multiplied by its message, 1 or 1000, and then "
               "they are added."),
        Option("1001", "M49",
               "Each message is multiplied by its factor, 2 or 6, on the way to `W[1, 0]`."),
        Option("6002", None,
               "`Y[0, 0]` contains `W[1, 0]` times 2, and `Y[1, 0]` contains it times 6. Each sends its "
               "message times this factor, and the two are added: 1 · 2 + 1000 · 6."),
        Option("6000", "M06",
               "`Y[0, 0]` uses `W[1, 0]`, too, and the two messages are added."),
    ), paper="`X` is [[1, 2, 3], [5, 6, 7]], `W` is [[1, 2], [4, 5], [7, 8]], and `Y = X @ W`. A pass "
             "starts with `g`, [[1, 10], [1000, 1]], which holds a message for each number of `Y`. What does "
             "`W[1, 0]` receive?",
             told=r"6002|sends `g @ W|`X\.T @ g` to|entry \(1, 0\)", mark="2",
             explains="2 and 6 are column 1 of `X`, and 1 and 1000 are column 0 of `g`. So this is entry "
             "(1, 0) of `X.T @ g`. In the same way, `X` receives `g @ W.T`.",
             decided=lambda printed: f"{numbers(printed)[0]:g}"),
    Question("10.5", "The last layer of the trained network computes `scores = x @ W.T + b`. `x` has a row "
             "for each of 50 images, and `W` a row for each of ten digits. The node of `scores` receives "
             "`g`. What is `W.grad`?", (
        Option("`x.T @ g`", "M194",
               "This would be right for `x @ W`. Here the second factor is `W.T`, so this is what `W.T` "
               "receives."),
        Option("`g.T @ x`", None,
               "The second factor is `W.T`. It receives `x.T @ g`, so `W` receives the transpose of that."),
        Option("`x.sum(0)`, in each row", "M11",
               "This would be right if each number of `g` were 1."),
    ), paper="`Linear(64, 10)` computes `scores = x @ W.T + b`. `x` has a row for each of 50 images, and `W` "
             "a row for each of ten digits. In a backward pass, the node of `scores` receives `g`. What is "
             "`W.grad`?",
             told=r"transpose of|shape of `W`", mark="3",
             explains="The shapes remind you: a gradient has the shape of its tensor.",
             decided=lambda printed: LINEAR[printed.split().index("True")]
             if printed.split().count("True") == 1 else "several"),
)


# --- 10b: what was measured in five loops -------------------------------------------------------------------

def network(package: ModuleType) -> Any:
    """A small network in evaluation mode, the same in each package, as the random numbers are the same."""
    before = package.get_rng_state()
    package.manual_seed(3)
    nn = package.nn
    net = nn.Sequential(nn.Flatten(), nn.Linear(64, 16), nn.Tanh(), nn.Dropout(), nn.Linear(16, 10))
    package.set_rng_state(before)
    return net.eval()


MISTAKES = ("detached", "cleared", "zeros", "not held", "tiny rate")


def held(grad: Any) -> str:
    return "None" if grad is None else "numbers" if grad.count_nonzero() else "zeros"


@functools.cache
def measured(mistake: str) -> str:
    """Run one step with a mistake, and say what is in the drawer of a weight, and whether it moves."""
    net = network(torch)
    weight = net[1].weight
    if mistake == "zeros":
        for one in net.parameters():
            torch.nn.init.zeros_(one)
    before = weight.detach().clone()
    sgd = torch.optim.SGD((net[4] if mistake == "not held" else net).parameters(),
                          lr=1e-4 if mistake == "tiny rate" else 0.5)
    scores = net(torch.linspace(0, 1, 256).view(4, 8, 8))
    if mistake == "detached":
        scores = scores.detach().requires_grad_()
    torch.nn.functional.cross_entropy(scores, torch.tensor([1, 2, 3, 4])).backward()
    first = held(weight.grad)
    if mistake == "cleared":
        sgd.zero_grad()
    last = held(weight.grad)
    sgd.step()
    moves = "p stays" if torch.equal(weight, before) else "p moves a little"
    return f"{first}; {last}; {moves}"


def mistakes_of(rows: list[str]) -> list[str]:
    """For each row of 10b: the mistake that is measured so, found by trying all of them."""
    found = {measured(mistake): mistake for mistake in MISTAKES}
    return [found[row] for row in rows]


def taken_for(mistake: str, other: str) -> Callable[[list[str]], list[str]]:
    """The answer of a learner who takes one mistake for another."""
    return lambda rows: [other if right == mistake else right for right in mistakes_of(rows)]


LOOPS = {f"loop {at}": f"your answer to loop {at}" for at in (1, 2, 3, 4, 5)}


EXERCISES = (
    Exercise("10b", "Name the mistake", LOOPS, expected=mistakes_of, standard=[
             measured(mistake) for mistake in ("zeros", "not held", "detached", "tiny rate", "cleared")],
             draw=lambda rng: [measured(mistake) for mistake in rng.sample(MISTAKES, 5)],
             paper="The losses of five loops hardly fall. Here is what was measured at a weight `p` of the "
             "first layer: `p.grad` after `backward()`, `p.grad` before `step()`, and what `p` does. Name "
             "each mistake: *detached* (`scores.detach().requires_grad_()` before the loss), *cleared* (a "
             "`zero_grad()` between `backward()` and `step()`), *zeros* (all weights start at 0), *not held* "
             "(the optimizer doesn't hold `p`) or *tiny rate* (`lr` is 0.0001).",
             hints=("Did a gradient arrive? Was it still there before the step?",
                    "With the gradient in the drawer, `opt.step()` moves each weight that it holds."),
             why="Two readings of one drawer and a look at the weight tell five mistakes apart; in chapter "
             "15 you do this with whole programs.",
             wrong=(Wrong(taken_for("zeros", "zero"), None, "Each answer is one of the five names above.",
                          fits=lambda answer: isinstance(answer, (list, tuple)) and any(
                              isinstance(one, str) and compact(one) not in map(compact, MISTAKES)
                              for one in answer)),
                    Wrong(taken_for("cleared", "detached"), None,
                          "After `backward()` the drawer held numbers, so the loss isn't cut off."),
                    Wrong(taken_for("detached", "cleared"), None,
                          "The drawer was `None` right after `backward()`: there was nothing to clear."),
                    Wrong(taken_for("zeros", "detached"), "M04",
                          "Zeros are a gradient that arrived; `None` means that no gradient arrived."),
                    Wrong(taken_for("detached", "zeros"), "M04",
                          "`None` means that no gradient arrived; zeros would be a gradient that arrived."),
                    Wrong(taken_for("not held", "cleared"), None,
                          "Before `step()`, the drawer still held numbers, so nothing emptied it."),
                    Wrong(taken_for("cleared", "not held"), None,
                          "Before `step()`, the drawer was `None`: it had been emptied."),
                    Wrong(taken_for("cleared", "zeros"), "M04",
                          "`None` means that no gradient is there; zeros would be a gradient."),
                    Wrong(taken_for("not held", "tiny rate"), None,
                          "With an `lr` of 0.0001, `p` would still move a little."),
                    Wrong(taken_for("tiny rate", "not held"), None,
                          "`p` moved a little, so the optimizer holds it."))),
)
