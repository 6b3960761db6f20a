"""Chapter 10, "It learns": its questions and exercises."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import minigrad as torch

from ..claims import package_of
from ..exercises import Exercise, Part, Wrong
from ..questions import Option, Question
from ..reading import Misread, compact
from ..saying import kind_of

IDEAS = ("test set", "cross-entropy", "epoch", "overfit", "dropout", "saliency", "Adam")

QUESTIONS = (
    Question("10.1", "The new network contains `Dropout`. The loop measures its accuracy three times, under "
             "`no_grad` and on the same images. What does it print?", (
        Option("one number three times, because `no_grad` switches `Dropout` off", "M65",
               "`no_grad` stops the recording, and changes nothing about what a layer computes."),
        Option("one number three times, because weights and images stay the same", "M66",
               "Weights and images stay the same, but `Dropout` draws new numbers in each forward pass."),
        Option("different numbers, because each measurement drops inputs at random", None,
               "`no_grad` stops the recording; `Dropout` still sets inputs to 0, different ones each time."),
        Option("different numbers, because each measurement removes more weights", "M100",
               "`Dropout` changes no weight: it sets inputs to 0 in one forward pass, and draws anew in the "
               "next."),
    ), paper="A new network contains `Dropout`, and is in training mode. Its accuracy is measured three "
             "times, under `no_grad` and on the same images. What is printed?",
             told=r"evaluation mode|other numbers|still (drops|sets)|eval\(\)` and"),
    Question("10.2", "`total` starts at 0. Each step of the loop runs `loss.backward()` and then "
             "`total += loss`. What does `total` keep from each step?", (
        Option("the nodes of the step, without their saved tensors", None,
               "The sum is recorded, so edges lead from it to the nodes; the passes have freed the saved "
               "tensors."),
        Option("the nodes of the step, and also their saved tensors", "M35",
               "Each backward pass frees the saved tensors of the nodes that it runs."),
        Option("the value of the loss, as the pass destroys the graph", "M13",
               "A pass frees saved tensors; the nodes stay as long as something refers to them."),
    ), told="keeps? the (nodes|graph)|adds its nodes|freed",
             explains="In the picture, the tabs of `abs` are dashed: each pass has freed the saved `w`. "
             "PyTorch's FAQ warns of such a sum, and adds up `float(loss)`; like `loss.item()`, it is a "
             "number without a graph."),
    Question("10.3", '`p` is a weight of the first layer. The loops "detached" and "cleared" have the same '
             "losses. Which measurement tells them apart?", (
        Option("`p.grad`, read right after `opt.step()`", "M67",
               "It is `None` in both loops: never filled in one, emptied before the step in the other."),
        Option("`p.grad`, read right after `loss.backward()`", None,
               'It is `None` in "detached", where no gradient arrives; in "cleared" it holds numbers.'),
        Option("the losses, with a smaller learning rate", "M33",
               "They stay flat and equal: `opt.step()` finds no gradient to multiply by the rate."),
        Option("the losses, after ten times as many steps", "M101",
               "Without a gradient no weight moves, however many steps follow, so both losses stay equal."),
    ), paper="The losses of two loops are flat, and the same. One loop cuts the scores off: `scores = "
             "scores.detach().requires_grad_()`. The other calls `opt.zero_grad()` between the backward pass "
             "and the step. `p` is a weight of the first layer. Which measurement tells the loops apart?",
             told=r"[Rr]ight after `?(loss\.)?backward"),
)


# --- 10a: a function that finds a pixel ---------------------------------------------------------------------

def network(package: ModuleType, width: int = 16, classes: int = 10) -> Any:
    """A small network in evaluation mode, the same in each package, as the random numbers are the same."""
    before = package.get_rng_state()
    package.manual_seed(3)
    nn = package.nn
    net = nn.Sequential(nn.Flatten(), nn.Linear(64, width), nn.Tanh(), nn.Dropout(),
                        nn.Linear(width, classes))
    package.set_rng_state(before)
    return net.eval()


def strongest(size: Callable[[Any, Any], Any] = lambda slopes, image: slopes.abs(),
              swapped: bool = False) -> Callable[..., tuple[int, int]]:
    """Return the function of 10a, or one with a mistake: another `size` of a slope, or the column first."""
    def strongest_pixel(net, image, digit):
        image = image.clone().requires_grad_()
        score = net(image.unsqueeze(0))[0, digit]
        slopes, = torch.autograd.grad(score, image)
        row, column = divmod(size(slopes, image).argmax().item(), 8)
        return (column, row) if swapped else (row, column)
    return strongest_pixel


def call(answer: Any, name: str, arguments: str) -> None:
    """Complain unless `answer` is a function of these arguments."""
    if not callable(answer):
        raise Misread(f"Your answer should be a function; it is {kind_of(answer)}. Write `{name}`, and then "
                      f"`answer_{'10a' if name == 'strongest_pixel' else '10c'} = {name}`.")
    try:
        inspect.signature(answer).bind(*arguments.split(", "))
    except TypeError:
        raise Misread(f"Your function should take {arguments}.") from None


PIXEL = {"row": "the row", "column": "the column", "drawers": "the drawers of the weights"}
ASKED_DIGIT = 2     # its largest slope is negative, so the sign matters
IMAGE_STEP = 0.57   # how much darker each pixel is than the one before, until 1 begins again at 0
HELD = 7.           # what each drawer holds before the call


def asked_image(package: ModuleType) -> Any:
    """An image for which each mistake that 10a knows finds another row and another column."""
    return (package.arange(64.) * IMAGE_STEP % 1).view(8, 8)


def the_strongest_pixel(answer: Any, _: Any) -> Iterator[Part]:
    call(answer, "strongest_pixel", "net, image, digit")
    package = package_of(answer)
    net = network(package)
    for p in net.parameters():
        p.grad = package.full_like(p, HELD)
    got = answer(net, asked_image(package), ASKED_DIGIT)
    try:
        row, column = (int(one) for one in got)
    except (TypeError, ValueError):
        raise Misread("Your function should return a row and a column; it returned "
                      f"{kind_of(got)}.") from None
    want = strongest()(network(torch), asked_image(torch), ASKED_DIGIT)
    wrong = (f"For one of our networks and images, your function returned ({row}, {column}). A small nudge "
             "of another pixel changes the score more.")
    yield Part(PIXEL["row"], row, want[0], wrong)
    yield Part(PIXEL["column"], column, want[1], wrong)
    changed = what_happened_to_the_drawers(net)
    yield Part(PIXEL["drawers"], bool(changed), False, changed)


def what_happened_to_the_drawers(net: Any) -> str:
    """Say how the drawers differ from what they held before the call; an empty text: they don't."""
    grads = [p.grad for p in net.parameters()]
    if any(grad is None or not grad.count_nonzero() for grad in grads):
        return ("The drawers of the weights held a gradient before the call. Your function emptied them, and "
                "with them what somebody else had stored there.")
    if any((grad != HELD).any() for grad in grads):
        return ("Your function added to the drawers of the weights. Which function returns a gradient, and "
                "adds nothing to a drawer?")
    return ""


# --- 10b: what was measured in five loops -------------------------------------------------------------------

MISTAKES = ("detached", "cleared", "zeros", "not held", "tiny rate")


def held(grad: Any) -> str:
    return "None" if grad is None else "numbers" if grad.count_nonzero() else "zeros"


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


# --- 10c: a program with a symptom --------------------------------------------------------------------------

def tuning(late: bool = True, frozen: bool = True) -> Callable[..., list[float]]:
    """Return the program of 10c, or one with a mistake: `late` makes the optimizer after the new layer."""
    def fine_tune(net, images, labels):
        losses = []
        sgd = torch.optim.SGD(net.parameters(), lr=0.5)
        net[1].requires_grad_(not frozen)
        net[4] = torch.nn.Linear(64, 2)
        if late:
            sgd = torch.optim.SGD(net.parameters(), lr=0.5)
        for _ in range(20):
            loss = torch.nn.functional.cross_entropy(net(images), labels)
            sgd.zero_grad()
            loss.backward()
            sgd.step()
            losses.append(loss.item())
        return losses
    return fine_tune


TUNED = {"falls": "whether the loss falls", "new": "whether the new layer has two outputs",
         "first": "whether the first layer stays as it is"}


def the_new_layer_learns(answer: Any, _: Any) -> Iterator[Part]:
    call(answer, "fine_tune", "net, images, labels")
    package = package_of(answer)
    net = network(package, width=64)
    first = net[1]
    before = first.weight.detach().clone()
    losses = answer(net, package.linspace(0, 1, 512).view(8, 8, 8), package.tensor([0] * 4 + [1] * 4))
    try:
        losses = [float(loss.detach() if hasattr(loss, "detach") else loss) for loss in losses]
        falls = len(losses) > 1 and losses[-1] < losses[0]
    except (TypeError, ValueError):
        raise Misread(f"Your function should return its losses; it returned {kind_of(losses)}.") from None
    yield Part(TUNED["falls"], falls, True, f"The first loss was {losses[0]:.4f} and the last one "
               f"{losses[-1]:.4f}." if losses else "Your function returned no losses.")
    yield Part(TUNED["new"], len(net[4].bias), 2, "The last layer of `net` should have two outputs.")
    yield Part(TUNED["first"], bool((first.weight == before).all()), True,
               "The first layer has moved. It should stay as it is.")


EXERCISES = (
    Exercise("10a", "The strongest pixel", PIXEL, judge=the_strongest_pixel, example=lambda _: strongest(),
             paper="Write a function `strongest_pixel(net, image, digit)`. It returns the row and the column "
             "of the pixel for which a small nudge, up or down, changes the score of `digit` most. Whatever "
             "is in the drawers of the weights stays there, unchanged. `net(image.unsqueeze(0))` is one row "
             "of ten scores, and `torch.autograd.grad(score, image)` returns a tuple with one gradient, and "
             "adds to no drawer.",
             hints=("Which function returns a gradient, and adds nothing to a drawer?",
                    "`argmax()` counts all 64 pixels, row by row. Divide its result by 8."),
             why="You can now ask any network which pixel's nudge changes a score most, even in the middle "
             "of training: no drawer changes.",
             wrong=(Wrong(lambda _: strongest(lambda slopes, image: slopes), None,
                          "A nudge down changes the score as much as a nudge up. Compare the gradient's "
                          "elements without their sign.", whole=True),
                    Wrong(lambda _: strongest(swapped=True), None,
                          "You returned the column first. The row comes first, as in `image[row, column]`.",
                          whole=True),
                    Wrong(lambda _: strongest(lambda slopes, image: (slopes * image).abs()), None,
                          "You multiplied the gradient by the image. The nudge is equally small for each "
                          "pixel, so the gradient alone says how much the score changes.", whole=True))),
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
    Exercise("10c", "Fix the program", TUNED, judge=the_new_layer_learns, example=lambda _: tuning(),
             paper="This function should train a new last layer, `net[4]`, and keep the first one, `net[1]`, "
             "as it is. The loss doesn't fall. Which line belongs elsewhere, and after which one?",
             hints=("Look at `net[4].weight.grad` right after `loss.backward()`.",
                    "Which tensors did `net.parameters()` give when `opt` was made?"),
             why="You trained 130 weights and kept 4,160: this is how people use a large network for a task "
             "of their own.",
             wrong=(Wrong(lambda _: tuning(late=False), None,
                          "The optimizer was made before the new layer, and holds the old one."),)),
)
