"""Chapter 9: its rules for several optimizers, its numbers, and other answers to its exercises."""
import itertools
import random

import pytest

import minigrad as torch
from minigrad.book import same_steps
from minigrad.book.classroom.judging import first_wrong
from minigrad.book.classroom.optimizers import Own
from minigrad.book.content.chapters import ch09, exercise, question
from minigrad.book.content.chapters.ch09 import decayed_last, my_sgd, one_pass, plain_sgd, whole_batch
from tests.helpers.sentences import Chapter
from tests.helpers.stored_chapters import code_cells, load, printed, source

CHAPTER = Chapter(9)
OPTIMIZERS = {
    "SGD": lambda params, **more: torch.optim.SGD(params, lr=0.1, momentum=0.9, **more),
    "Adam": lambda params, **more: torch.optim.Adam(params, lr=0.1, **more),
    "AdamW": lambda params, **more: torch.optim.AdamW(params, lr=0.1, **{"weight_decay": 0, **more}),
    "RMSprop": lambda params, **more: torch.optim.RMSprop(params, lr=0.1, **more),
    "Adagrad": lambda params, **more: torch.optim.Adagrad(params, lr=0.1, **more),
}
DECAY = {"weight_decay": 0.1}


def leaf(value=1.):
    return torch.tensor(value, requires_grad=True)


# --- the rules ----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("kind", OPTIMIZERS)
@pytest.mark.parametrize("decay", [{}, DECAY], ids=str)
@CHAPTER.says("`opt.step()` reads the drawers of its parameters, but computes no gradient and empties no "
              "drawer.")
def test_a_step_computes_no_gradient_and_empties_no_drawer(kind, decay):
    params = [leaf(), leaf(2.), leaf(3.)]
    (params[0] ** 2 * params[1]).backward()
    held = [one.grad for one in params]
    before = [one if one is None else one.clone() for one in held]
    OPTIMIZERS[kind](params, **decay).step()
    assert all(one.grad is was for one, was in zip(params, held, strict=True))
    assert held[2] is None
    assert [one.item() for one in held[:2]] == [one.item() for one in before[:2]]


@pytest.mark.parametrize("kind", OPTIMIZERS)
@pytest.mark.parametrize("decay", [{}, DECAY], ids=str)
@CHAPTER.says("`step()` of `SGD` skips a parameter whose `.grad` is `None`: it doesn't write to it. It uses "
              "every other gradient, even one of zeros.")
def test_a_step_skips_none_and_nothing_else(kind, decay):
    """After a step with a gradient, and without one; frozen or not; zero or another number."""
    for gradient, frozen, warm in itertools.product((None, 0., 0.5), (False, True), (False, True)):
        p = leaf(3.)
        opt = OPTIMIZERS[kind]([p], **decay)
        if warm:
            p.grad = torch.tensor(1.)
            opt.step()
        start, version, old = p.item(), p._version, len(opt.state)
        p.grad = None if gradient is None else torch.tensor(gradient)
        p.requires_grad_(not frozen)
        opt.step()
        if gradient is None:
            assert (p.item(), p._version, len(opt.state)) == (start, version, old)
        else:
            assert p._version > version and len(opt.state) == 1
            remembers = warm and kind in ("SGD", "Adam", "AdamW")
            assert (p.item() != start) == bool(gradient or decay or remembers)


def path(loss, empty, **options):
    """Return where SGD takes a parameter of 1 in 25 steps."""
    p, found = leaf(), []
    sgd = torch.optim.SGD([p], **options)
    for _ in range(25):
        if empty:
            sgd.zero_grad()
        loss(p).backward()
        sgd.step()
        found.append(p.item())
    return [one for one in found if abs(one) < 1e6]


@pytest.mark.parametrize("seed", range(20))
def test_without_zero_grad_the_steps_are_those_of_momentum_1(seed):
    """To the last bit, for any loss whose pass sends one message to a leaf: what 9.4 explains."""
    said = ("If the drawers start empty and one pass fills them before each step, plain SGD without "
            "`zero_grad()` takes the same steps as with `zero_grad()` and `momentum=1`.")
    assert said in question("9.4").explains
    rng = random.Random(seed)
    a, c, lr = rng.uniform(0.2, 2), rng.uniform(-1, 1), rng.choice((0.01, 0.1, 0.5))
    loss = rng.choice([lambda p: a * (p - c) ** 2, lambda p: (a * p + c).sin(), lambda p: (p * a).exp() * c])
    assert path(loss, False, lr=lr) == path(loss, True, lr=lr, momentum=1)


def test_a_momentum_of_a_half_comes_closer_to_0_in_10_steps_than_none():
    assert "`p` is at 0.07 after 10 steps, and without momentum at 0.35." in question("9.4").explains
    assert [round(path(lambda p: p ** 2 / 2, True, lr=0.1, momentum=one)[9], 2)
            for one in (0.5, 0)] == [0.07, 0.35]


@pytest.mark.parametrize(("gradient", "long"), [
    (2., True), (-1e-4, True), (1e-6, True), (1e-8, False), (0., False)])
@CHAPTER.says("Its first step moves a weight by about `lr` if the absolute value of its gradient is much "
              "larger than 1e-8.")
def test_the_first_step_of_adam_is_as_long_as_its_rate(gradient, long):
    """Adam adds 1e-8 to the root that it divides by, so a hundred times that is enough."""
    p = leaf()
    p.grad = torch.tensor(gradient)
    torch.optim.Adam([p], lr=0.1).step()
    moved = 1 - p.item()
    assert (abs(moved) == pytest.approx(0.1, rel=0.02)) == long
    assert moved * gradient >= 0


@CHAPTER.says("The first six losses are those of chapter 2.")
def test_the_first_six_losses_are_those_of_chapter_2():
    loop, = [cell for cell in code_cells(load(9)) if "range(8)" in source(cell)]
    losses = printed(loop).split()[:6]
    assert losses in [printed(cell).split() for cell in code_cells(load(2))]


# --- what the chapter calls, and its exercises --------------------------------------------------------------

def test_same_steps_says_from_which_step_on_the_weights_differ(capsys):
    for mine in my_sgd, decayed_last, None:
        same_steps(mine, torch.optim.SGD, lr=0.1, momentum=0.9, weight_decay=0.1)
    same, other, none = capsys.readouterr().out.splitlines()
    assert same == "After each of 50 steps, the weights are the same to the last bit."
    assert other.startswith("The weights differ from step 2 on. There, the difference is 0.0")
    assert none == "There is no function to compare yet."


def test_own_leaves_out_parameters_without_a_gradient():
    p, q = leaf(), leaf()
    p.grad = torch.tensor(1.)
    Own(torch, [p, q], plain_sgd, lr=0.5).step()
    assert (p.item(), q.item()) == (0.5, 1)


def sgd_with_numbers(p, g, state, lr, momentum=0, weight_decay=0):
    """Another right way: textbook arithmetic, and `state` for another purpose as well."""
    state["steps"] = state.get("steps", 0) + 1
    step = g + weight_decay * p
    if momentum != 0:
        old = state.get("v")
        step = step.clone() if old is None else momentum * old + step
        state["v"] = step
    p -= lr * step


def decayed_in_place(p, g, state, lr, momentum=0, weight_decay=0):
    g += weight_decay * p
    my_sgd(p, g, state, lr, momentum)


def buffer_not_stored(p, g, state, lr, momentum=0, weight_decay=0):
    p -= lr * (momentum * state.get("buffer", 0) + g + weight_decay * p)


def with_a_long_line(p, g, state, lr, momentum=0, weight_decay=0):
    p -= lr * state["the buffer"] * momentum + lr * weight_decay * p + lr * g


@pytest.mark.parametrize(("answer", "says"), [
    (sgd_with_numbers, None), (decayed_in_place, "Your function changes the tensor in the drawer"),
    (buffer_not_stored, "store it in state"), ("my_sgd", "leave out the quotes of my_sgd"),
    (with_a_long_line, "lr * weight_deca…, raised KeyError"),
    (lambda: 1, "should take p, g, state, lr, momentum, weight_decay")])
def test_9a_takes_another_way_and_says_what_is_wrong(answer, says):
    said = first_wrong(exercise("9a"), answer, None)
    assert said is None if says is None else says in said.replace("`", "")


def with_sums(x, target, parts, steps):
    """Divide the sum of squares of each part by the number of all points."""
    w = torch.zeros(2, requires_grad=True)
    for _ in range(steps):
        w.grad = None
        for some, goal in zip(x.chunk(parts), target.chunk(parts), strict=True):
            (((w[0] * some + w[1] - goal) ** 2).sum() / len(x)).backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
    return w


def with_scaled_drawers(x, target, parts, steps):
    """Divide the drawers once, before the step."""
    w = torch.zeros(2, requires_grad=True)
    sgd = torch.optim.SGD([w], lr=0.1)
    for _ in range(steps):
        sgd.zero_grad()
        for some, goal in zip(x.chunk(parts), target.chunk(parts), strict=True):
            ((w[0] * some + w[1] - goal) ** 2).sum().backward()
        w.grad /= len(x)
        sgd.step()
    return w.detach()


@pytest.mark.parametrize(("answer", "says"), [
    (with_sums, None), (with_scaled_drawers, None), (one_pass, "the memory of all of them at once"),
    (whole_batch, "still computes with all points at once"),
    (lambda x, target, parts, steps: ch09.fixed(x, target, parts, steps)[:1], "return the two weights"),
    (lambda x, target, parts, steps: torch.zeros(2), "your weights are 0.000 and 0.000 after 5 steps"),
    ("fit", "leave out the quotes of fit"), (lambda: 1, "should take x, target, parts and steps")])
def test_9b_takes_another_way_and_says_what_is_wrong(answer, says):
    said = first_wrong(exercise("9b"), answer, None)
    assert said is None if says is None else says in said.replace("`", "")
