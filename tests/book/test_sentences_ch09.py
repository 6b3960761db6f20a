"""Chapter 9: sentences of well-known pages that are false, and programs that try to break its rules."""
import itertools
import random

import pytest

import minigrad as torch
from minigrad.book import same_steps
from minigrad.book.chapters import ch09
from minigrad.book.chapters.ch09 import decayed_last, halved, mended, my_adam, my_sgd, stepping_by_g, unmended
from minigrad.book.exercises import judged
from minigrad.book.judging import first_wrong
from minigrad.book.optimizers import NOISE, POINTS, Own, train
from minigrad.book.verdict import NOT_YET
from tests.helpers.sentences import Chapter
from tests.helpers.stored_chapters import code_cells, load, printed

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


def after_step(gradient, frozen=False, **options):
    p = leaf()
    p.grad = gradient
    p.requires_grad_(not frozen)
    torch.optim.SGD([p], lr=0.1, **options).step()
    return round(p.item(), 4)


def without_zero_grad():
    """Where 200 steps on p ** 2 / 2 go at most."""
    p, far = leaf(), 0
    sgd = torch.optim.SGD([p], lr=0.1)
    for _ in range(200):
        (p ** 2 / 2).backward()
        sgd.step()
        far = max(far, abs(p.item()))
    return far < 1.02


def gradients_after_zero_grad():
    p = leaf()
    (p * 3).backward()
    torch.optim.SGD([p], lr=0.1).zero_grad()
    return p.grad


def zero_grad_and_the_graph():
    p = leaf()
    y = p ** 2
    torch.optim.SGD([p], lr=0.1).zero_grad()
    y.backward()
    return p.item(), p.grad.item()


def two_optimizers():
    """By how much w moves for each unit of the gradient of loss1 alone."""
    w, b = leaf(), leaf()
    sgd = torch.optim.SGD([w], lr=1)
    loss1, loss2 = 2 * w * b, 5 * w + b
    loss1.backward(retain_graph=True)
    loss2.backward()
    sgd.step()
    return 1 - w.item()


SENTENCES = [
    ("a zero gradient leaves the weight alone", lambda: after_step(torch.tensor(0.), **DECAY), 0.99),
    ("None counts as zero", lambda: after_step(None, **DECAY), 1),
    ("the optimizer checks requires_grad", lambda: after_step(torch.tensor(2.), frozen=True), 0.8),
    ("training without zero_grad blows up", without_zero_grad, True),
    ("zero_grad sets gradients to zero", gradients_after_zero_grad, None),
    ("zero_grad resets weights or graphs", zero_grad_and_the_graph, (1, 2)),
    ("each optimizer follows its own loss", two_optimizers, 7),
]


@pytest.mark.parametrize(("sentence", "program", "shows"), SENTENCES, ids=[row[0] for row in SENTENCES])
def test_a_sentence_is_refuted(sentence, program, shows):
    assert sentence not in CHAPTER
    assert program() == shows


# --- the rules ----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("kind", OPTIMIZERS)
@pytest.mark.parametrize("decay", [{}, DECAY], ids=str)
@CHAPTER.says("`step()` reads the drawers. It computes no gradient, and empties no drawer.")
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
@CHAPTER.says("`step()` leaves out a parameter whose `.grad` is `None`. It uses every other gradient, even "
              "zero.")
def test_a_step_leaves_out_none_and_nothing_else(kind, decay):
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


@pytest.mark.parametrize("seed", range(20))
@CHAPTER.says("SGD without options and without `zero_grad()` moves `p` exactly as SGD with `momentum=1` and "
              "with `zero_grad()` does.")
def test_without_zero_grad_the_steps_are_those_of_momentum_1(seed):
    """To the last bit, for any loss whose pass sends one message to a leaf."""
    rng = random.Random(seed)
    a, c, lr = rng.uniform(0.2, 2), rng.uniform(-1, 1), rng.choice((0.01, 0.1, 0.5))
    loss = rng.choice([lambda p: a * (p - c) ** 2, lambda p: (a * p + c).sin(), lambda p: (p * a).exp() * c])

    def path(empty, momentum):
        p, found = leaf(), []
        sgd = torch.optim.SGD([p], lr=lr, momentum=momentum)
        for _ in range(25):
            if empty:
                sgd.zero_grad()
            loss(p).backward()
            sgd.step()
            found.append(p.item())
        return [one for one in found if abs(one) < 1e6]

    assert path(False, 0) == path(True, 1)


@pytest.mark.parametrize("seed", range(20))
@CHAPTER.says("`step()` uses what is in a drawer, whichever losses it came from.")
def test_a_step_uses_the_sum_of_all_passes_since_the_drawer_was_emptied(seed):
    rng = random.Random(seed)
    w, others = leaf(), [leaf(), leaf(2.)]
    mine, theirs = torch.optim.SGD([w], lr=1), torch.optim.SGD(others, lr=1)
    w.grad = torch.tensor(77.)
    rng.choice((mine.zero_grad, lambda: mine.zero_grad(set_to_none=False)))()
    total = 0
    for _ in range(rng.randint(1, 5)):
        factor = rng.randint(-3, 3)
        (w * factor + rng.choice(others) ** 2).backward()
        total += factor
        if rng.random() < 0.5:
            theirs.step()
    mine.step()
    assert w.item() == 1 - total


def test_losses_are_separated_by_filling_the_drawers():
    """What the box of E6 advises."""
    w, b = leaf(), leaf()
    y = w * 3 + b
    loss1, loss2 = y ** 2, y * 5
    w.grad, = torch.autograd.grad(loss1, [w], retain_graph=True)
    b.grad, = torch.autograd.grad(loss2, [b])
    assert (w.grad.item(), b.grad.item()) == (24, 5)


def test_the_box_of_the_four_ways_says_what_the_cell_printed():
    cell, = [one for one in code_cells(load(9)) if "E10" in one["metadata"].get("tags", ())]
    assert printed(cell).splitlines() == [
        "detach [None, None, tensor(4.)] [2.0, 2.0, 1.0]",
        "no_grad [None, None, tensor(4.)] [2.0, 2.0, 1.0]",
        "flag off [tensor(4.), None, tensor(4.)] [1.0, 2.0, 1.0]",
        "left out [tensor(4.), tensor(4.), tensor(4.)] [1.0, 2.0, 1.0]"]


# --- what the chapter calls, and its exercises --------------------------------------------------------------

@pytest.mark.parametrize("options", [
    {}, {"momentum": 0.9}, {"momentum": 0.9, "weight_decay": 0.1}, {"weight_decay": 0.2}], ids=str)
def test_the_sgd_of_the_chapter_and_ours_agree_to_the_last_bit(options, capsys):
    same_steps(my_sgd, torch.optim.SGD, lr=0.1, **options)
    assert capsys.readouterr().out == "After each of 50 steps, the weights are the same to the last bit.\n"


@pytest.mark.parametrize("options", [{"lr": 0.1}, {"lr": 0.1, "betas": (0.8, 0.95)}, {"eps": 0.1}], ids=str)
def test_the_adam_of_the_chapter_and_ours_agree_to_the_last_bit(options, capsys):
    same_steps(my_adam, torch.optim.Adam, **options)
    assert "the same to the last bit" in capsys.readouterr().out


def test_other_steps_are_told_and_no_function_is_no_error(capsys):
    same_steps(decayed_last, torch.optim.SGD, lr=0.1, momentum=0.9, weight_decay=0.1)
    same_steps(None, torch.optim.SGD, lr=0.1)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("The weights differ from step 2 on. There, the difference is 0.0")
    assert lines[1:] == ["There is no function to compare yet."]


@pytest.mark.parametrize("options", [
    {"momentum": 0.9, "weight_decay": 0.1}, {"momentum": 0.9, "maximize": True}], ids=str)
def test_momentum_remembers_for_a_parameter_without_dimensions(options):
    """Its buffer was a number of NumPy, which `*=` doesn't change in place."""
    def path(p):
        sgd, found = torch.optim.SGD([p], lr=0.1, **options), []
        for _ in range(4):
            sgd.zero_grad()
            (p.sum() * 2).backward()
            sgd.step()
            found.append(p.sum().item())
        return found

    assert path(leaf()) == path(leaf([1.]))


def test_own_leaves_out_parameters_without_a_gradient():
    p, q = leaf(), leaf()
    p.grad = torch.tensor(1.)
    Own(torch, [p, q], stepping_by_g, lr=0.5).step()
    assert (p.item(), q.item()) == (0.5, 1)
    assert len(train(torch, lambda params: Own(torch, params, stepping_by_g, lr=0.1), 3)) == 3


def asked(key):
    return next(one for one in ch09.EXERCISES if one.id == key)


def sgd_with_numbers(p, g, state, lr, momentum=0, weight_decay=0):
    """Another right way: textbook arithmetic, and `state` for another purpose as well."""
    state["steps"] = state.get("steps", 0) + 1
    step = g + weight_decay * p
    if momentum != 0:
        old = state.get("v")
        step = step.clone() if old is None else momentum * old + step
        state["v"] = step
    p -= lr * step


def textbook_adam(p, g, state, lr=0.001, betas=(0.9, 0.999), eps=1e-8):
    t = state["t"] = state.get("t", 0) + 1
    m = state["m"] = betas[0] * state.get("m", 0) + (1 - betas[0]) * g
    v = state["v"] = betas[1] * state.get("v", 0) + (1 - betas[1]) * g ** 2
    p -= lr * (m / (1 - betas[0] ** t)) / ((v / (1 - betas[1] ** t)).sqrt() + eps)


@pytest.mark.parametrize(("key", "answer"), [("9a", sgd_with_numbers), ("9c", textbook_adam)])
def test_other_right_ways_are_right(key, answer):
    assert first_wrong(asked(key), answer, None) is None


@pytest.mark.parametrize("key", ["9a", "9c"])
def test_functions_that_cannot_be_called_are_told_about(key):
    for broken in (3, lambda: 1, lambda p, g: None, lambda p, g, state, **options: 1 / 0):
        kind, _, says, *_ = judged(asked(key), broken)
        assert kind == NOT_YET and says


def test_9b_takes_every_repair():
    def summed(x, wanted, parts, steps):
        """Divide the sum of squares of each part by the number of all points."""
        w = torch.zeros(2, requires_grad=True)
        for _ in range(steps):
            w.grad = None
            for some, goal in zip(x.chunk(parts), wanted.chunk(parts), strict=True):
                (((w[0] * some + w[1] - goal) ** 2).sum() / len(x)).backward()
            with torch.no_grad():
                w -= 0.1 * w.grad
        return w

    assert first_wrong(asked("9b"), summed, None) is None
    assert "5 and 4 points" in first_wrong(asked("9b"), halved, None)
    for broken in (3, lambda: 1, lambda x, wanted, parts, steps: 3.):
        kind, _, says, *_ = judged(asked("9b"), broken)
        assert kind == NOT_YET and says


def test_9b_shows_the_numbers_of_the_text():
    x = torch.tensor(POINTS)
    wanted = 3 * x + 0.5 + torch.tensor(NOISE)
    shown = [[round(value, 4) for value in unmended(x, wanted, parts, 5).tolist()] for parts in (1, 2)]
    assert shown == [[1.0419, 0.3362], [1.7916, 0.5649]]
    assert torch.allclose(mended(x, wanted, 2, 5), mended(x, wanted, 1, 5), atol=1e-6)
