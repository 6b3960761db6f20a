"""Chapter 9, "The step": its questions, notes and exercises."""
from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import minigrad as torch

from ...classroom.deciding import judged, numbers
from ...classroom.exercise import Exercise, Part, Wrong
from ...classroom.notes import Note
from ...classroom.optimizers import Own
from ...classroom.points import points
from ...classroom.questions import Option, Question
from ...classroom.reading import Misread
from ...classroom.saying import kind_of
from ..packages import package_of


def where_it_grows(printed: str) -> str:
    """Return what 9.3 asks for: the learning rates with which each step ends further from 0."""
    paths = [numbers(line) for line in printed.splitlines()]
    grows = [f"{lr:g}" for lr, *path in paths
             if all(abs(after) > abs(before) for before, after in pairwise(path))]
    return f"with {' and '.join(grows) or 'none of them'}"


def whose_gradient(first: float, both: float, after: float) -> str:
    """Return the gradient by which a weight moved from 1, with a rate of 0.1, in the words of 9.6."""
    used = (1 - after) / 0.1
    named = {"that of loss1": first, "that of loss2": both - first, "that of loss1 + loss2": both}
    return next(name for name, gradient in named.items() if abs(used - gradient) < 1e-3)


def whose_gradients(printed: str) -> str:
    """Return what 9.6 asks for: the gradients of each loss alone, against the two weights after the steps."""
    x, target = map(torch.tensor, points())
    w, b = [torch.tensor(1., requires_grad=True) for _ in range(2)]
    y = w * x + b
    loss1 = torch.autograd.grad(((y - target) ** 2).mean(), (w, b), retain_graph=True)
    loss2 = torch.autograd.grad((y ** 2).mean(), (w, b))
    both = [one.item() + two.item() for one, two in zip(loss1, loss2, strict=True)]
    return "sgd_w {}, sgd_b {}".format(*map(whose_gradient, [one.item() for one in loss1], both,
                                            numbers(printed)[-2:]))


def same_calls(printed: str) -> bool:
    """Return whether `whole.zero_grad()` left in the drawers what `model.zero_grad()` did, in 9.n3."""
    part, model, whole = printed.splitlines()
    return whole == model != part


def row_of(way: str, printed: str) -> str:
    """Return what a line printed behind its name."""
    return next(line for line in printed.splitlines() if line.startswith(f"{way}: ")).partition(": ")[2]


IDEAS = ("parameter", "optimizer", "Weight decay", "momentum", "Adam", "stale", "mini-batch")

QUESTIONS = (
    Question("9.1", "`p` is 1. SGD with `lr` = 0.1 and `momentum` = 0.5 takes three steps. Its drawer holds "
             "the gradients 1, then 0, then 0. Where is `p` after each step?", (
        Option("0.9, 0.9, 0.9", "M24",
               "In step 2, the buffer is 0.5 · 1 + 0. The step uses the buffer, and moves `p` by 0.05."),
        Option("0.9, 0.85, 0.825", None,
               "The buffer is 1, then 0.5, then 0.25. Each step subtracts 0.1 times the buffer."),
        Option("0.9, 0.8, 0.7", "M193",
               "Each step multiplies the buffer by 0.5, so the first gradient counts less and less."),
    ), told=r"0\.85|0\.825|\b0\.25\b|0\.5 · 1|less and less",
             explains="This answers chapter 8's question: with momentum, `step()` can move a weight "
             "whose gradient is 0.", mark="2",
             decided=lambda printed: "{:g}, {:g}, {:g}".format(*numbers(printed)[1::2])),
    Question("9.2", "`p` is 1. SGD with `lr` = 0.1 and `weight_decay` = 0.1 takes one step. In run 1, "
             "`p.grad` is a tensor with the value 0; in run 2, it is `None`. Where is `p` after the step?", (
        Option("1 in run 1, and 1 in run 2", "M24",
               "With a gradient of 0, `g` is 0.1 times `p`, and `lr` times `g` is 0.01."),
        Option("0.99 in run 1, and 1 in run 2", None,
               "In run 1, `g` is 0 + 0.1. In run 2, there is nothing to compute with, and `p` stays."),
        Option("1 in run 1, and 0.99 in run 2", "M24",
               "It is the other way round: the step computes with a gradient of 0, and skips `None`."),
        Option("0.99 in run 1, and 0.99 in run 2", "M04",
               "`None` is not a gradient of 0: the step skips this parameter."),
    ), told=r"0\.99|skip", mark="2",
             decided=lambda printed: "{:g} in run 1, and {:g} in run 2".format(*numbers(printed))),
    Question("9.3", "`p` is 1, and the loss is `p ** 2 / 2`, whose slope is `p`. With which of the learning "
             "rates 0.5, 1.5 and 2.5 does each step of plain SGD take `p` further from 0?", (
        Option("with none of them: each step goes against the slope", "M198",
               "With 2.5, the first step also goes against the slope, from 1 to 1 - 2.5 = −1.5."),
        Option("with 2.5: the others take `p` closer to 0", None,
               "A step moves `p` to `p - lr * p`. With 2.5, that is −1.5 times `p`."),
        Option("with 1.5 and 2.5: each step goes past 0", "M199",
               "With 1.5, each step multiplies `p` by −0.5: it goes past 0, and comes closer to it."),
    ), told=r"multiplies `p`|by −1\.5|is −1\.5|past 0", mark="3",
             explains="If the loss grows from step to step, try a smaller learning rate.",
             decided=where_it_grows),
    Question("9.4", "`p` is 1, and the loss is `p ** 2 / 2`, whose slope is `p`. SGD with `lr` = 1 takes "
             "three steps, and `zero_grad()` is never called. Where is `p` after each step?", (
        Option("0, −1, −2", "M25",
               "At −1 the slope is −1, and the sum in the drawer is 0, so `p` stays."),
        Option("0, −1, −1", None,
               "The drawer holds 1, then 1 + 0, then 1 + 0 - 1. Each step subtracts that sum from `p`."),
        Option("0, 0, 0", "M63",
               "At 0 the slope is 0, but the drawer still holds 1, and the next step goes past 0."),
    ), told="goes past|to and fro|still holds 1|−1, −1", mark="3",
             explains="The drawer that is never emptied holds the sum of all gradients so far, and so does "
             "the buffer with `momentum=1`. If the drawers start empty and one pass fills them before each "
             "step, plain SGD without `zero_grad()` takes the same steps as with `zero_grad()` and "
             "`momentum=1`.\nIn the picture, `lr` is 0.1. With `momentum=0.5`, `p` is at 0.07 after 10 "
             "steps, and without momentum at 0.35.",
             decided=lambda printed: "{:g}, {:g}, {:g}".format(*numbers(printed)[2:5])),
    Question("9.5", "`b` is 5, and its drawer holds 10, from a pass. `sgd` holds `b`, with `lr` = 0.1. Now "
             "`b.requires_grad_(False)` runs, and then `sgd.step()`. Where is `b`?", (
        Option("at 5: `step()` skips parameters that are frozen", "M64",
               "It skips only parameters whose `.grad` is `None`, and that of `b` is 10."),
        Option("at 5: the drawer is emptied when `b` is frozen", "M64",
               "The drawer still holds 10, as the cell prints."),
        Option("at 4: `step()` uses what the drawer holds", None,
               "The step subtracts 0.1 times 10, a stale gradient from before the freezing."),
    ), told="doesn't read|moves the frozen|before the freezing", explains="`step()` doesn't read "
             "`requires_grad`. When you freeze a parameter, set its `.grad` to `None`.",
             decided=lambda printed: f"at {numbers(printed)[0]:g}"),
    Question("9.6", "`sgd_w` holds `w`, `sgd_b` holds `b`, and both losses use both. The lines are `loss1"
             ".backward(retain_graph=True)`, `sgd_b.zero_grad()`, `loss2.backward()`, `sgd_w.step()`, `sgd_b"
             ".step()`. Which gradients do the two steps use?", (
        Option("`sgd_w` that of `loss1`, and `sgd_b` that of `loss2`", "M62",
               "No line tells `sgd_w` about a loss. Both passes reach `w`, and nothing empties its drawer.",
               claims="sgd_w that of loss1, sgd_b that of loss2"),
        Option("`sgd_w` that of `loss1 + loss2`, and `sgd_b` the same", "M39",
               "The gradients aren't kept with the losses. `sgd_b.zero_grad()` empties the drawer of `b`, "
               "which held the gradient of `loss1`.",
               claims="sgd_w that of loss1 + loss2, sgd_b that of loss1 + loss2"),
        Option("`sgd_w` that of `loss1 + loss2`, and `sgd_b` that of `loss2`", None,
               "Both passes reach both weights, and `sgd_b.zero_grad()` empties that of `b` in between.",
               claims="sgd_w that of loss1 + loss2, sgd_b that of loss2"),
        Option("`sgd_w` that of `loss2`, and `sgd_b` the same", "M02",
               "The second pass doesn't replace what is in the drawer of `w`: it adds to it.",
               claims="sgd_w that of loss2, sgd_b that of loss2"),
    ), told=r"0\.7944|their sum|sum of both|whichever|in between",
             explains="`step()` uses what is in a drawer, whichever losses it came from, and `zero_grad()` "
             "empties the drawers of its own list.\nThe note is right about the order of passes and steps: "
             "no pass reads a weight that a step has changed.",
             decided=whose_gradients),
)

NOTES = (
    Note("9.n1", "right in its time",
         says="The note has no date. With zeros, the buffer of the momentum still moves `p`, as it did by "
         "default up to version 1.13. Since PyTorch 2.0, `zero_grad()` sets `None`, so the lines `default` "
         "and `None` coincide: `p` stays after the first step.",
         instead="keep the default.",
         told=r"still moves `p`|by default, so|1\.13|PyTorch 2\.0|coincide|no date", rows=("E9",),
         decided=lambda printed: judged(row_of("default", printed) == row_of("zeros", printed),
                                        held=row_of("None", printed) != row_of("zeros", printed))),
    Note("9.n3", "right",
         says="`whole` holds both parameters, and empties both drawers, as `model.zero_grad()` does. The "
         "condition matters: `part` leaves the gradient of the bias as it was. Today both set `None`.",
         told=r"empties both|leaves the gradient", rows=("E2",),
         decided=lambda printed: judged(same_calls(printed))),
)


# --- 9a: an optimizer of one's own --------------------------------------------------------------------------

GRADIENTS = ([0.5, -2.], [1.5, 1.], [-0.7, 3.])
SGD = {  # a part of the answer: the options of the run that shows it
    "plain": {"lr": 0.1},
    "weight decay": {"lr": 0.1, "weight_decay": 0.3},
    "momentum": {"lr": 0.1, "momentum": 0.8},
    "both": {"lr": 0.2, "momentum": 0.6, "weight_decay": 0.2},
}
SGD_WORDS = {"plain": "`p` without options", "weight decay": "`p` with weight decay",
             "momentum": "`p` with momentum", "both": "`p` with momentum and weight decay",
             "drawers": "the drawers after a step"}


def described(answer: Any) -> str:
    """What an answer is that should be a function."""
    return f"a text: leave out the quotes of `{answer}`" if isinstance(answer, str) else kind_of(answer)


def after_steps(package: Any, make: Callable[[list], Any]) -> tuple[list[float], bool]:
    """Where an optimizer leads two numbers by the gradients above, and whether it leaves these alone."""
    p = package.tensor([1., -2.], requires_grad=True)
    opt, held = make([p]), [package.tensor(gradient) for gradient in GRADIENTS]
    for gradient in held:
        p.grad = gradient
        opt.step()
    return p.tolist(), all(one.equal(package.tensor(was)) for one, was in zip(held, GRADIENTS, strict=True))


def compared_with(optimizer: str, settings: dict[str, dict], takes: tuple[str, ...]) -> Callable:
    """Return a judge: it compares a learner's update with an optimizer in several settings."""
    def judge(answer: Any, _: Any) -> Iterator[Part]:
        if not callable(answer):
            raise Misread(f"Your answer should be your function; it is {described(answer)}.")
        try:
            inspect.signature(answer).bind("p", "g", "state", **dict.fromkeys(takes, 1))
        except (TypeError, ValueError):
            raise Misread("Your function should take `p`, `g`, `state`, "
                          f"{', '.join(f'`{name}`' for name in takes)}.") from None
        package, theirs, untouched = package_of(answer), getattr(torch.optim, optimizer), True
        for name, options in settings.items():
            got, kept = after_steps(package, lambda params, o=options: Own(package, params, answer, **o))
            want, _ = after_steps(torch, lambda params, o=options: theirs(params, **o))
            untouched = untouched and kept
            told = ", ".join(f"{option} = {value}" for option, value in options.items())
            yield Part(name, got, want, f"With {told}, `p` is [{got[0]:.4f}, {got[1]:.4f}] after three "
                       f"steps; with `torch.optim.{optimizer}` it is [{want[0]:.4f}, {want[1]:.4f}].")
        yield Part("drawers", untouched, True, "Your function changes the tensor in the drawer in place, but "
                   "a step leaves the drawers as they are. Compute with a new tensor, as in `g = g + ...`.")
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


# --- 9b: a program with a symptom ---------------------------------------------------------------------------

def fitting(share: Callable[[Any, Any, int], float]) -> Callable[..., Any]:
    """Return the program of 9b; `share` is what the loss of a mini-batch is multiplied by."""
    def fit(x, target, parts, steps):
        w = torch.zeros(2, requires_grad=True)
        opt = torch.optim.SGD([w], lr=0.1)
        for _ in range(steps):
            opt.zero_grad()
            for some, goal in zip(x.chunk(parts), target.chunk(parts), strict=True):
                loss = ((w[0] * some + w[1] - goal) ** 2).mean()
                (loss * share(some, x, parts)).backward()
            opt.step()
        return w.detach()
    return fit


fixed = fitting(lambda some, x, parts: len(some) / len(x))
unfixed = fitting(lambda some, x, parts: 1)
halved = fitting(lambda some, x, parts: 1 / parts)
summed = fitting(lambda some, x, parts: len(some))
by_nine = fitting(lambda some, x, parts: len(some) / 9)
PARTS = {"1 part": "the weights for 1 part", "2 parts": "the weights for 2 parts",
         "3 parts": "the weights for 3 parts of seven points", "mini-batches": "the use of `parts`"}
TRIED = {"1 part": (1, 9), "2 parts": (2, 9), "3 parts": (3, 7)}  # parts, and points
LARGEST = 3  # points in a mini-batch, if there are 3 of them


def emptied_before_each_pass(step_after_each: bool) -> Callable[..., Any]:
    """Return a `fit` that takes a step after each pass, or only after the last."""
    def fit(x, target, parts, steps):
        w = torch.zeros(2, requires_grad=True)
        opt = torch.optim.SGD([w], lr=0.1)
        for _ in range(steps):
            for some, goal in zip(x.chunk(parts), target.chunk(parts), strict=True):
                opt.zero_grad()
                ((w[0] * some + w[1] - goal) ** 2).mean().backward()
                if step_after_each:
                    opt.step()
            if not step_after_each:
                opt.step()
        return w.detach()
    return fit


emptied_between = emptied_before_each_pass(step_after_each=False)
stepped_between = emptied_before_each_pass(step_after_each=True)


def whole_batch(x, target, parts, steps):
    return fixed(x, target, 1, steps)


def one_pass(x, target, parts, steps):
    w = torch.zeros(2, requires_grad=True)
    opt = torch.optim.SGD([w], lr=0.1)
    for _ in range(steps):
        opt.zero_grad()
        total = 0
        for some, goal in zip(x.chunk(parts), target.chunk(parts), strict=True):
            total = total + ((w[0] * some + w[1] - goal) ** 2).sum()
        (total / len(x)).backward()
        opt.step()
    return w.detach()


def the_same_weights(answer: Any, _: Any) -> Iterator[Part]:
    if not callable(answer):
        raise Misread(f"Your answer should be a function; it is {described(answer)}. Fix `fit`, and "
                      "then write `answer_9b = fit`.")
    try:
        inspect.signature(answer).bind("x", "target", "parts", "steps")
    except (TypeError, ValueError):
        raise Misread("Your function should take `x`, `target`, `parts` and `steps`.") from None
    package = package_of(answer)
    inputs, targets = points()
    for name, (parts, count) in TRIED.items():
        x, target, passes = inputs[:count], targets[:count], [[]]
        want = fixed(torch.tensor(x), torch.tensor(target), 1, 5).tolist()
        with saved_sizes(package, passes):
            found = answer(package.tensor(x), package.tensor(target), parts, 5)
        if not hasattr(found, "tolist") or tuple(found.shape) != (2,):
            raise Misread(f"Your function should return the two weights; it returned {kind_of(found)}.")
        got = found.tolist()
        of = "" if count == len(inputs) else " of the first seven points"
        yield Part(name, got, want, f"With {name}{of}, your weights are {got[0]:.3f} and {got[1]:.3f} after "
                   f"5 steps. They should be {want[0]:.3f} and {want[1]:.3f}.")
    said = about_passes(passes)
    yield Part("mini-batches", not said, True, said)


def about_passes(passes: list[list[int]]) -> str:
    """What to say of the tensors that were saved for each pass, with seven points in 3 parts."""
    if not any(passes):
        return "Your function runs no backward pass. Keep the loop over the parts, and its `backward()`."
    if max(max(sizes, default=0) for sizes in passes) > LARGEST:
        return ("With 3 parts, your function still computes with all points at once. Keep the loop over the "
                "parts, so that no operation needs more than one mini-batch.")
    if sum(map(bool, passes)) < LARGEST * 5:  # steps
        return ("With 3 parts, your function runs one pass for all of them, so it needs the memory of all of "
                "them at once. Call `backward()` for each mini-batch.")
    return ""


def saved_sizes(package: Any, passes: list[list[int]]) -> Any:
    """Note how many numbers each saved tensor has, in a list for each pass that reads some."""
    def pack(saved: Any) -> Any:
        if passes[-1] and passes[-1][-1] == 0:  # a pass has read the tensors before this one
            passes.append([])
        passes[-1].append(saved.numel())
        return saved

    def unpack(saved: Any) -> Any:
        passes[-1].append(0)
        return saved
    return package.autograd.graph.saved_tensors_hooks(pack, unpack)


def wrong(program: Callable[..., Any], belief: str | None, says: str, paper: str) -> Wrong:
    return Wrong(lambda _: program, belief, says, paper=paper)


EXERCISES = (
    Exercise("9a", "SGD, written by you", SGD_WORDS,
             judge=compared_with("SGD", SGD, ("lr", "momentum", "weight_decay")),
             example=lambda _: my_sgd, within=1e-5,
             paper="Write `my_sgd(p, g, state, lr, momentum=0, weight_decay=0)`: one step for "
             "the parameter `p` with the gradient `g`. First `g` becomes `g + weight_decay * p`. With "
             "momentum, `buffer` then becomes `momentum * buffer + g`, and the step uses it in place of `g`; "
             "before the first step, `buffer` is 0. `state` is a dictionary of `p`, empty before the first "
             "step. The function is called under `no_grad`, and leaves `g` as it is.",
             hints=("Keep the buffer of the last step in `state`.",
                    "Compute a new `g` from `g`, `p` and the buffer; the last line is the one given."),
             wrong=(wrong(plain_sgd, None, "Your function doesn't use `weight_decay` yet.",
                          "`p.add_(g, alpha=-lr)` alone"),
                    wrong(only_decayed, None, "The momentum has no effect yet. Compute "
                          "the new buffer from the last one, and store it in `state`.",
                          "`p -= lr * (g + weight_decay * p)` alone"),
                    wrong(decayed_last, None, "Weight decay changes `g` first, and so enters the buffer.",
                          "`p -= lr * weight_decay * p` after the momentum"),
                    wrong(not_in_place, None, "`p` hasn't moved: `p = p - ...` makes a new tensor. Change "
                          "`p` in place.", "`p = p - lr * g`"))),
    Exercise("9b", "Fix the program", PARTS, judge=the_same_weights, example=lambda _: fixed,
             paper="`fit` fits a line to the nine points. It divides the points into mini-batches, and runs "
             "a backward pass for the mean loss of each of them before each step. The weights shouldn't "
             "depend on the number of parts. With 2 parts (of 5 and 4 points) they differ from those with 1 "
             "part, and there is no error. Write the wrong line as it should be.",
             hints=("Print `w.grad` before the first step, for 1 part and for 2.",
                    "By which number is each point's loss multiplied with 1 part, and by which with 2?"),
             wrong=(wrong(unfixed, "M02", "Each pass adds to the drawer, which then holds a sum of means.",
                          "`loss.backward()`"),
                    wrong(halved, None, "The two parts have 5 and 4 points, so a point in one of them counts "
                          "more than a point in the other.", "`(loss / parts).backward()`"),
                    wrong(by_nine, None, "The mean of seven points is their sum divided by 7, not by 9: "
                          "use `len(x)`.", "`(loss * len(some) / 9).backward()`"),
                    wrong(stepped_between, None, "Your function takes a step after each mini-batch. Take one "
                          "step, after the last pass.",
                          "`opt.zero_grad()` and `opt.step()` in the inner loop"),
                    wrong(emptied_between, "M43", "Here, the step uses the last mini-batch alone, "
                          "because the drawers are emptied between two passes.",
                          "`opt.zero_grad()` in the inner loop"),
                    wrong(summed, None, "The loss of all points together is a mean, not a sum.",
                          "`(loss * len(some)).backward()`"))),
)
