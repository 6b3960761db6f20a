"""Chapter 9: sentences of well-known pages that are false, and programs that try to break its rules."""
import itertools
import random
import re

import pytest

import minigrad as torch
from minigrad.book import same_steps
from minigrad.book.classroom import judging
from minigrad.book.classroom.exercises import judged
from minigrad.book.classroom.judging import first_wrong
from minigrad.book.classroom.optimizers import Own, train
from minigrad.book.classroom.points import points
from minigrad.book.classroom.verdict import NOT_YET
from minigrad.book.content.chapters import ch09, question
from minigrad.book.content.chapters.ch09 import (
    by_nine,
    decayed_last,
    emptied_between,
    fixed,
    halved,
    my_sgd,
    one_pass,
    only_decayed,
    plain_sgd,
    stepped_between,
    unfixed,
    whole_batch,
)
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


def a_step_with_a_function():
    """Where p is after a step whose argument empties its drawer and runs a pass."""
    p = leaf()
    sgd = torch.optim.SGD([p], lr=0.1)

    def closure():
        sgd.zero_grad()
        loss = 2 * p
        loss.backward()
        return loss

    sgd.step(closure)
    return round(p.item(), 4), p.grad.item()


def from_a_full_drawer(empty, momentum, passes=1, renew_at=None):
    """Where p is after each of some steps: from a drawer that holds 2, or with a new optimizer half-way."""
    p, path = leaf(), []
    p.grad = torch.tensor(2.) if renew_at is None and passes == 1 else None
    sgd = torch.optim.SGD([p], lr=0.1, momentum=momentum)
    for step in range(20):
        if step == renew_at:
            sgd = torch.optim.SGD([p], lr=0.1, momentum=momentum)
        if empty:
            sgd.zero_grad()
        for _ in range(passes):
            (p ** 2 / 2).backward()
        sgd.step()
        path.append(p.item())
    return path


def same_as_momentum_1(**how):
    return from_a_full_drawer(False, 0, **how) == from_a_full_drawer(True, 1, **how)


def what_moves_although_it_is_skipped():
    """Two parameters that share their memory; the drawer of the second one holds None."""
    p = leaf()
    q = torch.nn.Parameter(p.detach())
    sgd = torch.optim.SGD([p, q], lr=0.1)
    p.grad = torch.tensor(2.)
    sgd.step()
    assert q.grad is None
    return [round(one.item(), 4) for one in (p, q)]


def first_step_of_adam(gradient=0.):
    p = leaf()
    p.grad = torch.tensor(gradient)
    torch.optim.Adam([p], lr=0.1).step()
    return p.item()


SENTENCES = [
    ("Its first step moves each weight by about `lr`.", first_step_of_adam, 1),
    ("Its first step moves each weight whose gradient isn't 0 by about `lr`.",
     lambda: round(first_step_of_adam(1e-8), 4), 0.95),
    ("a zero gradient leaves the weight alone", lambda: after_step(torch.tensor(0.), **DECAY), 0.99),
    ("None counts as zero", lambda: after_step(None, **DECAY), 1),
    ("the optimizer checks requires_grad", lambda: after_step(torch.tensor(2.), frozen=True), 0.8),
    ("training without zero_grad blows up", without_zero_grad, True),
    ("zero_grad sets gradients to zero", gradients_after_zero_grad, None),
    ("zero_grad resets weights or graphs", zero_grad_and_the_graph, (1, 2)),
    ("each optimizer follows its own loss", two_optimizers, 7),
    ("`step()` reads the drawers. It computes no gradient, and empties no drawer.", a_step_with_a_function,
     (0.8, 2)),
    ("If every loss uses `p`, SGD without options and without `zero_grad()` moves `p` exactly as SGD with "
     "`momentum=1` and with `zero_grad()` does.", same_as_momentum_1, False),
    ("moves `p` exactly as", lambda: same_as_momentum_1(renew_at=10), False),
    ("whenever every loss uses `p`", lambda: same_as_momentum_1(passes=2), False),
    ("`step()` skips a parameter whose `.grad` is `None`, and uses every other gradient",
     what_moves_although_it_is_skipped, [0.8, 0.8]),
]


@pytest.mark.parametrize(("sentence", "program", "shows"), SENTENCES, ids=[row[0] for row in SENTENCES])
def test_a_sentence_is_refuted(sentence, program, shows):
    assert sentence not in CHAPTER
    assert program() == shows


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


@pytest.mark.parametrize("seed", range(20))
def test_without_zero_grad_the_steps_are_those_of_momentum_1(seed):
    """To the last bit, for any loss whose pass sends one message to a leaf: what 9.4 explains."""
    said = ("If the drawers start empty and one pass fills them before each step, plain SGD without "
            "`zero_grad()` takes the same steps as with `zero_grad()` and `momentum=1`.")
    assert said in question("9.4").explains
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


def test_a_momentum_of_a_half_comes_closer_to_0_in_10_steps_than_none():
    """The picture of 9.4, and what its answer says of two of the lines."""
    assert "`p` is at 0.07 after 10 steps, and without momentum at 0.35." in question("9.4").explains
    found = []
    for momentum in (0.5, 0):
        p = leaf()
        sgd = torch.optim.SGD([p], lr=0.1, momentum=momentum)
        for _ in range(10):
            sgd.zero_grad()
            (p ** 2 / 2).backward()
            sgd.step()
        found.append(round(p.item(), 2))
    assert found == [0.07, 0.35]


@pytest.mark.parametrize("seed", range(20))
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


def test_the_answer_to_9_6_says_whose_gradients_a_step_uses():
    assert question("9.6").explains.startswith(
        "`step()` uses what is in a drawer, whichever losses it came from, and `zero_grad()` empties the "
        "drawers of its own list.")


@pytest.mark.parametrize("seed", range(20))
def test_an_optimizer_empties_the_drawers_of_its_own_list_and_no_other(seed):
    """What 9.6 explains."""
    rng = random.Random(seed)
    weights = [leaf(value) for value in (1., 2., 3., 4.)]
    mine = rng.sample(range(4), rng.randint(1, 3))
    sum(one ** 2 for one in weights).backward()
    torch.optim.SGD([weights[at] for at in mine], lr=0.1).zero_grad()
    assert [at for at in range(4) if weights[at].grad is None] == sorted(mine)


def test_a_gradient_of_zeros_moves_a_frozen_parameter_with_an_option_only():
    """The exit ticket, and the second row of the recap."""
    for options, moves in (({}, False), ({"momentum": 0.9}, False), (DECAY, True)):
        assert (after_step(torch.tensor(0.), frozen=True, **options) != 1) == moves


def test_a_step_moves_a_weight_whose_gradient_is_zero_by_its_buffer():
    """The question that chapter 8 ends with: in the second and third step, the gradient is 0."""
    assert "can it move a weight whose gradient is 0?" in Chapter(8)
    assert "can step() move a weight whose gradient is 0?" in CHAPTER
    solved, = [cell for cell in code_cells(load(9)) if "momentum_buffer" in "".join(cell["source"])]
    assert "for gradient in (1., 0., 0.):" in "".join(solved["source"])
    buffers, places = zip(*(line.split(" ", 1) for line in printed(solved).splitlines()), strict=True)
    assert list(places) == [f"tensor({place}, requires_grad=True)"
                            for place in ("0.9000", "0.8500", "0.8250")]
    assert buffers == ("tensor(1.)", "tensor(0.5000)", "tensor(0.2500)")
    assert question("9.1").explains.startswith(
        "This answers chapter 8's question: with momentum, `step()` can move a weight whose gradient is 0.")


def test_pytorch_s_loop_and_the_learner_s_print_the_same_eight_losses():
    """The first six are those of the loop in chapter 2, as the chapter says."""
    cells = [one for one in code_cells(load(9))
             if re.search(r"range\(8\)|train_points\(8\)", "".join(one["source"]))]
    first, mine, kept = [line.split() for one in cells for line in printed(one).splitlines()
                         if not line.startswith("tensor")]
    assert first == mine == kept and len(first) == 8
    assert first[:6] in [printed(one).split() for one in code_cells(load(2))]


def test_the_five_rows_print_which_weights_get_a_gradient_and_which_move():
    cells = [one for one in code_cells(load(9)) if "E10" in one["metadata"].get("tags", ())]
    assert [line.partition(": ")[2] for cell in cells for line in printed(cell).splitlines()[1:]] == [
        "None None tensor(15.) 3.0 5.0 -8.0", "None None tensor(15.) 3.0 5.0 -8.0",
        "tensor(35.) None tensor(15.) -32.0 5.0 -8.0", "tensor(35.) tensor(21.) tensor(15.) -32.0 5.0 -8.0",
        "tensor(35.) tensor(21.) tensor(15.) -32.0 -16.0 -8.0"]


def after_steps(lr, steps, empty=True):
    """Return where plain SGD takes `p` on p ** 2 / 2, step by step."""
    p, path = leaf(), []
    sgd = torch.optim.SGD([p], lr=lr)
    for _ in range(steps):
        if empty:
            sgd.zero_grad()
        (p ** 2 / 2).backward()
        sgd.step()
        path.append(p.item())
    return path


@pytest.mark.parametrize(("lr", "grows"), [(0.5, False), (1., False), (1.5, False), (2.5, True), (3., True)])
def test_a_step_on_a_parabola_multiplies_p_by_1_minus_lr(lr, grows):
    """What 9.3 says of its options: beyond a rate of 2, each step ends further from 0."""
    assert "A step moves `p` to `p - lr * p`." in question("9.3").option("B").says
    path = [1., *after_steps(lr, 5)]
    assert all(after == (1 - lr) * before for before, after in itertools.pairwise(path))
    assert all(abs(after) > abs(before) for before, after in itertools.pairwise(path)) == grows


@pytest.mark.parametrize(("printed", "says"), [
    ("lr 0.5: 1 0.5 0.25\nlr 2.5: 1 -1.5 2.25", "with 2.5"), ("lr 0.5: 1 0.5 0.25", "with none of them"),
    ("lr 1.5: 1 -2 3\nlr 2.5: 1 -1.5 2.25", "with 1.5 and 2.5"),
    ("lr 2.5: 1 -1.5 1.25", "with none of them")])
def test_9_3_is_decided_by_the_distance_after_each_step(printed, says):
    assert ch09.where_it_grows(printed) == says


def test_9_4_is_worked_out_with_a_sum_for_each_step():
    """With a rate of 1 the places are whole numbers, and come back after six steps."""
    assert after_steps(1., 8, empty=False) == [0, -1, -1, 0, 1, 1, 0, -1]
    assert after_steps(1., 3) == [0, 0, 0]


def test_freezing_empties_no_drawer_and_none_closes_the_trap():
    """9.5, with each optimizer: `step()` doesn't read `requires_grad`."""
    assert "`step()` doesn't read `requires_grad`." in question("9.5").explains
    for make, emptied in itertools.product(OPTIMIZERS.values(), (False, True)):
        b = leaf(5.)
        opt = make([b])
        (b * 10).backward()
        b.requires_grad_(False)
        assert b.grad.item() == 10
        if emptied:
            b.grad = None
        opt.step()
        assert (b.item() == 5) == emptied


def test_9_6_is_decided_by_how_far_a_weight_moves():
    assert [ch09.whose_gradient(-1.5, -0.5, after) for after in (1.15, 0.9, 1.05)] == [
        "that of loss1", "that of loss2", "that of loss1 + loss2"]


@pytest.mark.parametrize(("b", "says"), [("0.7", "loss1 + loss2"), ("0.8", "loss2"), ("0.9", "loss1")])
def test_9_6_compares_the_two_weights_with_the_gradient_of_each_loss(b, says):
    assert ch09.whose_gradients(f"(tensor(1.0794), tensor({b}))") == (
        f"sgd_w that of loss1 + loss2, sgd_b that of {says}")


# --- what the chapter calls, and its exercises --------------------------------------------------------------

@pytest.mark.parametrize("options", [
    {}, {"momentum": 0.9}, {"momentum": 0.9, "weight_decay": 0.1}, {"weight_decay": 0.2}], ids=str)
def test_the_sgd_of_the_chapter_and_ours_agree_to_the_last_bit(options, capsys):
    same_steps(my_sgd, torch.optim.SGD, lr=0.1, **options)
    assert capsys.readouterr().out == "After each of 50 steps, the weights are the same to the last bit.\n"


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


@pytest.mark.parametrize(("gradient", "long"), [
    (2., True), (0.02, True), (-1e-4, True), (100., True), (1e-6, True), (-1e-6, True), (1e-8, False),
    (-1e-8, False), (1e-10, False), (0., False)])
@CHAPTER.says("Its first step moves a weight by about `lr` if the absolute value of its gradient is much "
              "larger than 1e-8.")
def test_the_first_step_of_adam_is_as_long_as_its_rate(gradient, long):
    """Adam adds 1e-8 to the root that it divides by, so a hundred times that is enough."""
    moved = 1 - first_step_of_adam(gradient)
    assert (abs(moved) == pytest.approx(0.1, rel=0.02)) == long
    assert moved * gradient >= 0


def test_own_leaves_out_parameters_without_a_gradient():
    p, q = leaf(), leaf()
    p.grad = torch.tensor(1.)
    Own(torch, [p, q], plain_sgd, lr=0.5).step()
    assert (p.item(), q.item()) == (0.5, 1)
    assert len(train(torch, lambda params: Own(torch, params, plain_sgd, lr=0.1), 3)) == 3


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


def test_another_right_way_is_right():
    assert first_wrong(asked("9a"), sgd_with_numbers, None) is None


def decayed_in_place(p, g, state, lr, momentum=0, weight_decay=0):
    g += weight_decay * p
    my_sgd(p, g, state, lr, momentum)


def gradient_as_buffer(p, g, state, lr, momentum=0, weight_decay=0):
    if weight_decay:
        g = g + weight_decay * p
    if momentum and "buffer" in state:
        g = state["buffer"].mul_(momentum).add_(g)
    state["buffer"] = g
    p -= lr * g


@pytest.mark.parametrize("changes", [decayed_in_place, gradient_as_buffer])
def test_9a_says_if_a_step_changes_a_drawer(changes):
    """The weights are right, but the chapter's first rule isn't kept."""
    said = first_wrong(asked("9a"), changes, None)
    assert said.startswith("Your function changes the tensor in the drawer")


def buffer_not_stored(p, g, state, lr, momentum=0, weight_decay=0):
    p -= lr * (momentum * state.get("buffer", 0) + g + weight_decay * p)


@pytest.mark.parametrize("without", [buffer_not_stored, only_decayed])
def test_9a_says_if_the_momentum_has_no_effect(without):
    assert "store it in state" in first_wrong(asked("9a"), without, None)


def endless(*_, **__):
    while True:
        pass


@pytest.mark.parametrize("broken", [
    3, "my_sgd", print, dict, lambda: 1, lambda p, g: None, lambda p, g, state, **options: 1 / 0, endless])
def test_9a_answers_strange_functions_with_a_sentence(broken, monkeypatch):
    monkeypatch.setattr(judging, "SECONDS", 0.5)
    kind, _, says, *_ = judged(asked("9a"), broken)
    assert kind == NOT_YET and says.endswith((".", "?"))


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


@pytest.mark.parametrize("right", [fixed, with_sums, with_scaled_drawers])
def test_9b_takes_every_repair(right):
    assert first_wrong(asked("9b"), right, None) is None


@pytest.mark.parametrize(("wrong", "says"), [
    (unfixed, "which then holds a sum of means"), (halved, "5 and 4 points"),
    (emptied_between, "the last mini-batch alone"),
    (stepped_between, "a step after each mini-batch"),
    (by_nine, "divided by 7, not by 9"),
    (one_pass, "the memory of all of them at once"),
    (whole_batch, "still computes with all points at once")])
def test_9b_says_what_is_wrong(wrong, says):
    assert says in first_wrong(asked("9b"), wrong, None)


@pytest.mark.parametrize("broken", [
    3, "fit", print, dict, lambda: 1, lambda x, target, parts, steps: 3.,
    lambda x, target, parts, steps: None, endless])
def test_9b_answers_strange_functions_with_a_sentence(broken, monkeypatch):
    monkeypatch.setattr(judging, "SECONDS", 0.5)
    kind, _, says, *_ = judged(asked("9b"), broken)
    assert kind == NOT_YET and says.endswith((".", "?"))


def test_9b_begins_with_different_weights_and_ends_with_the_same():
    x, target = map(torch.tensor, points())
    assert not torch.allclose(unfixed(x, target, 1, 5), unfixed(x, target, 2, 5), atol=0.1)
    assert torch.allclose(fixed(x, target, 2, 5), fixed(x, target, 1, 5), atol=1e-6)
