"""Chapter 13: sentences about second derivatives that are false, and programs that try to break its rules."""
import gc
import json
import random
import re
import weakref

import pytest

import minigrad as torch
from minigrad.book import points
from minigrad.book.classroom.engine import source
from minigrad.book.classroom.engine.exercises import ENGINE_EXERCISES
from minigrad.book.classroom.exercises import judged
from minigrad.book.classroom.judging import first_wrong
from minigrad.book.classroom.verdict import NOT_YET
from minigrad.book.content.chapters import of
from minigrad.book.content.chapters.ch13 import (
    NAMES,
    diagonal_only,
    hessian,
    summed,
    three_results,
)
from tests import ROOT
from tests.helpers.sentences import Chapter

CHAPTER = Chapter(13)
CELLS = json.loads((ROOT / "notebooks/13_gradients_of_gradients.ipynb").read_text(encoding="utf-8"))["cells"]
grad = torch.autograd.grad
NO_GRAPH = "element 0 of tensors does not require grad and does not have a grad_fn"
FREED = "Trying to backward through the graph a second time"
WARNS = pytest.mark.filterwarnings("ignore:Using backward")


def leaf(*values):
    return torch.tensor(values[0] if len(values) == 1 else values, requires_grad=True)


def error_of(function, *given):
    """Return the error that a call raises, or nothing."""
    try:
        function(*given)
    except RuntimeError as error:
        return str(error).partition(" (")[0]
    return ""


def cube():
    x = leaf(5.)
    return x, x ** 3


def code(*beginnings, **names):
    """Run the cells of the chapter that begin so, and return the names that they define."""
    names |= {"torch": torch, "grad": grad}
    for beginning in beginnings:
        found = ["".join(cell["source"]) for cell in CELLS
                 if cell["cell_type"] == "code" and "".join(cell["source"]).startswith(beginning)]
        assert len(found) == 1
        exec(found[0], names)
    return names


def again_without_asking(**kept):
    x, y = cube()
    g, = grad(y, x, **kept)
    return error_of(grad, g, x)


def again_after_create_graph():
    """The first pass keeps what y has saved, so a second one through it works."""
    x, y = cube()
    grad(y, x, create_graph=True)
    return grad(y, x)[0].item()


def create_graph_that_frees():
    x, y = cube()
    g, = grad(y, x, create_graph=True, retain_graph=False)
    return grad(g, x)[0].item(), error_of(grad, y, x)


def straight_line():
    """Nothing in the gradient of 3x was computed from x."""
    x = leaf(5.)
    g, = grad(3 * x, x, create_graph=True)
    return g.requires_grad


def under_no_grad():
    x, y = cube()
    with torch.no_grad():
        g, = grad(y, x, create_graph=True)
    return g.requires_grad


def through_one_drawer():
    x, y = cube()
    y.backward(create_graph=True)
    x.grad.backward()
    return x.grad.item()


def replaced_drawer():
    """With create_graph=True, what is in the drawer is replaced by a sum that is a new tensor."""
    x, y = cube()
    y.backward(create_graph=True)
    first = x.grad
    (x ** 3).backward(create_graph=True)
    return first.item(), x.grad.item()


def higher_orders():
    x, y = cube()
    found = []
    for _ in range(3):
        y, = grad(y, x, create_graph=True)
        found.append(y.item())
    return found


def recorded_by_an_operation_of_your_own():
    """Its backward pass switches recording on, so its gradient has a graph without create_graph=True."""
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, message):
            x, = ctx.saved_tensors
            with torch.enable_grad():
                return 2 * x * message

    x = leaf(5.)
    return grad(Square.apply(x), x)[0].requires_grad


def recorded_by_a_hook():
    x, w = leaf(5.), leaf(2.)

    def scaled(g):
        with torch.enable_grad():
            return g * w

    x.register_hook(scaled)
    return grad(x ** 3, x)[0].requires_grad


def filled_by_an_operation_of_your_own():
    """Its backward pass runs another one, which adds to the drawer of another leaf."""
    w = leaf(5.)

    class Sneaky(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, message):
            with torch.enable_grad():
                (w * w).backward()
            return message

    x = leaf(3.)
    grad(Sneaky.apply(x), x)
    return w.grad.item()


def hessian_with_a_hook():
    """The hook doubles the first gradient, and what the second pass delivers as well."""
    x = leaf(1., 2.)
    x.register_hook(lambda g: 2 * g)
    g, = grad((x ** 3).sum(), x, create_graph=True)
    return grad(g, x, torch.tensor([1., 0.]))[0].tolist()


def hessian_of_a_line_with_detach():
    """The function is x³, whose second derivative at 1 is 6, but a part of it was cut off."""
    x = leaf(1., 2.)
    g, = grad((x.detach() * x ** 2).sum(), x, create_graph=True)
    return grad(g, x, torch.tensor([1., 0.]))[0].tolist()


def gradient_that_was_not_computed_from_x():
    x, a = leaf(1., 2.), leaf(3., 4.)
    g, = grad((a * x).sum(), x, create_graph=True)
    return g.requires_grad, error_of(grad, g, x, torch.ones(2)).partition(".")[0]


def constant_term_with_the_weight():
    """The weight was used in the constant term alone, so `backward()` is silent, and `grad` isn't."""
    w, b = leaf(2.), leaf(5.)
    sensitivity, = grad(w * w, w)
    loss = (b - 3) ** 2 + sensitivity ** 2
    said = error_of(grad, loss, w)
    loss = (b - 3) ** 2 + sensitivity ** 2
    loss.backward()
    return w.grad is None and b.grad.item() == 4, re.search("appears to not have been used|$", said)[0]


def penalty_and_a_small_error():
    """If each input is wrong by 0.1, the network that was trained without a penalty is the best."""
    inputs, targets = points()
    nets, sequential = [], torch.nn.Sequential
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.nn, "Sequential", lambda *layers: nets.append(sequential(*layers)) or nets[-1])
        names = penalties()
        nets.clear()
        for strength in (0., 0.1):
            names["train"](strength, names["penalty_of"])
    wrong = (torch.tensor(inputs) + 0.1).view(9, 1)
    none, weak = (((net(wrong).view(9) - torch.tensor(targets)) ** 2).mean().item() for net in nets)
    return none < weak


def steps_where_no_number_of_h_is_as_large_as_its_curvature():
    """H is [[1, 0.9], [0.9, 1]]. Its largest curvature is 1.9, along [1, 1], so 1.5 is too long a step."""
    p = leaf(1., 1.)
    for _ in range(20):
        g, = grad((p[0] ** 2 + p[1] ** 2) / 2 + 0.9 * p[0] * p[1], p)
        p = (p - 1.5 * g).detach().requires_grad_()
    return bool((p.abs() > 1000).all())


def nudged_twice():
    """The third opinion: three numbers near 1000, rounded, and divided by a tiny number."""
    def f(x):
        return x * x * x

    x, h = torch.tensor(10.), 0.0001
    return ((f(x + h) - 2 * f(x) + f(x - h)) / h ** 2).item() > 1000


SENTENCES = [
    ("a gradient can be differentiated without asking", again_without_asking, NO_GRAPH),
    ("retain_graph=True is enough", lambda: again_without_asking(retain_graph=True), NO_GRAPH),
    ("after create_graph=True the graph of y is gone", again_after_create_graph, 75),
    ("create_graph=True always keeps the graph of y", create_graph_that_frees,
     (30, FREED)),
    ("with create_graph=True every gradient has a graph", straight_line, False),
    ("no_grad() around a pass keeps create_graph=True from recording", under_no_grad, True),
    ("x.grad.backward() gives the second derivative", through_one_drawer, 105),
    ("a pass always adds to the tensor in the drawer", replaced_drawer, (75, 150)),
    ("two derivatives are the most", higher_orders, [75, 30, 6]),
    ("A backward pass records its own operations only if it is called with `create_graph=True`",
     recorded_by_an_operation_of_your_own, True),
    ("a pass is recorded only with create_graph=True", recorded_by_a_hook, True),
    ("> `torch.autograd.grad` adds nothing to the drawer of a leaf, with or without `create_graph=True`",
     filled_by_an_operation_of_your_own, 10),
    ("If `g` is the gradient of one number and has a graph, `grad(g, x, v)` returns `v @ H`",
     hessian_with_a_hook, [24, 0]),
    ("If `g` is the gradient of one number, and was computed from `x` in a recorded pass without hooks, "
     "`grad(g, x, v)` returns `v @ H`", hessian_of_a_line_with_detach, [2, 0]),
    ("a gradient that has a graph can be differentiated with respect to x",
     gradient_that_was_not_computed_from_x,
     (True, "The differentiated Tensor at index 0 appears to not have been used in the graph")),
    ("No error is raised if another term requires a gradient", constant_term_with_the_weight,
     (True, "appears to not have been used")),
    ("If the inputs are wrong, a strength of 0.1 is better", penalty_and_a_small_error, True),
    ("> A learning rate for a quadratic loss is less than 2 / (the largest number in its Hessian)",
     steps_where_no_number_of_h_is_as_large_as_its_curvature, True),
    ("a smaller nudge gives a better second derivative", nudged_twice, True),
]


@WARNS
@pytest.mark.parametrize(("sentence", "program", "shows"), SENTENCES, ids=[row[0] for row in SENTENCES])
def test_a_sentence_is_refuted(sentence, program, shows):
    assert sentence not in CHAPTER
    assert program() == shows


# --- the rules ----------------------------------------------------------------------------------------------

LINES = (lambda a, b: a * b, lambda a, b: a + b, lambda a, b: a.sin() * 2, lambda a, b: a / (b * b + 1),
         lambda a, b: a.tanh(), lambda a, b: (a - b) ** 2, lambda a, b: a.exp() * 0.1)


def random_result(seed, x):
    """Return one number, computed by some random lines from the numbers of `x`."""
    rng = random.Random(seed)
    results = [x[0], x[1]]
    for _ in range(6):
        results.append(rng.choice(LINES)(rng.choice(results[-3:]), rng.choice(results)))
    return sum(results[2:]) + x[0] * x[0] * x[1]


@pytest.mark.parametrize("seed", range(40))
@CHAPTER.says("Without `create_graph=True`, a backward pass doesn't record what the nodes of built-in "
              "operations compute.")
def test_only_create_graph_records_a_pass(seed):
    """Even with enable_grad around the call, and hooks that record what they return."""
    x = torch.tensor([0.5, -1.5], requires_grad=True, dtype=torch.float64)
    y = random_result(seed, x) + torch.utils.checkpoint.checkpoint(torch.sin, x, use_reentrant=False).sum()
    x.register_hook(lambda g: g * 1)
    with torch.enable_grad():
        without, = grad(y, x, retain_graph=True)
    assert without.grad_fn is None and not without.requires_grad
    for around in (torch.enable_grad, torch.no_grad):
        with around():
            g, = grad(y, x, create_graph=True)
        assert g.grad_fn is not None
        assert torch.equal(g, without)


@WARNS
@pytest.mark.parametrize("seed", range(20))
def test_grad_adds_nothing_to_the_drawer_of_a_leaf(seed):
    x = torch.tensor([0.5, -1.5], requires_grad=True, dtype=torch.float64)
    other = torch.tensor(2., requires_grad=True, dtype=torch.float64)
    y = random_result(seed, x) * other
    g, = grad(y, x, create_graph=True)
    grad(g, x, torch.ones(2, dtype=torch.float64), retain_graph=True)
    grad(g.sum(), [x, other], retain_graph=True)
    assert x.grad is None and other.grad is None
    g.sum().backward()
    assert x.grad is not None and other.grad is not None


@pytest.mark.parametrize("seed", range(40))
@CHAPTER.says("As for every smooth function, H is symmetric: row i, column j is equal to row j, column i. So "
              "each `product` of 13.4 is also H · v, a **Hessian-vector product**.")
def test_one_pass_from_a_gradient_returns_v_times_the_hessian(seed):
    """Compared with nudges of the gradient, one input at a time; H is symmetric."""
    def gradient(values):
        x = torch.tensor(values, requires_grad=True, dtype=torch.float64)
        return x, grad(random_result(seed, x), x, create_graph=True)[0]

    at, h = [0.5, -1.5], 1e-5
    columns = []
    for k in range(2):
        up, down = ([value + sign * h * (i == k) for i, value in enumerate(at)] for sign in (1, -1))
        columns.append((gradient(up)[1] - gradient(down)[1]).detach() / (2 * h))
    matrix = torch.stack(columns, 1)
    x, g = gradient(at)
    for v in ([1., 0.], [0., 1.], [3., -1.]):
        v = torch.tensor(v, dtype=torch.float64)
        product, = grad(g, x, v, retain_graph=True)
        assert torch.allclose(product, v @ matrix, rtol=1e-4, atol=1e-6)
        assert torch.allclose(product, matrix @ v, rtol=1e-4, atol=1e-6)
    assert torch.allclose(matrix, matrix.T, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("seed", range(20))
@CHAPTER.says("In a loss, a term whose `requires_grad` is `False` counts as a constant. `backward()` raises "
              "no error about it as long as another term requires a gradient.")
def test_a_term_that_requires_no_gradient_is_a_constant(seed):
    """A leaf has no graph behind it, but as a term it isn't a constant; nor is it if it is the other term."""
    leaf_term, number = torch.tensor(2., requires_grad=True), torch.tensor(3.)
    assert leaf_term.grad_fn is None and grad(number + leaf_term, leaf_term)[0].item() == 1
    x = torch.tensor([0.5, -1.5], requires_grad=True, dtype=torch.float64)
    y = random_result(seed, x)
    alone, = grad(y, x, retain_graph=True)
    penalty = (grad(y, x, retain_graph=True)[0] ** 2).sum()
    assert not penalty.requires_grad
    assert torch.equal(grad(y + penalty, x, retain_graph=True)[0], alone)
    assert torch.allclose(grad(y * penalty, x, retain_graph=True)[0], alone * penalty)
    assert error_of(grad, penalty, x) == NO_GRAPH
    (y + penalty).backward(retain_graph=True)
    assert torch.equal(x.grad, alone)
    recorded = (grad(y, x, create_graph=True)[0] ** 2).sum()
    assert not torch.allclose(grad(y + recorded, x)[0], alone)


@pytest.mark.parametrize("seed", range(20))
@CHAPTER.says("To differentiate a gradient by a backward pass, autograd needs the graph of the pass that "
              "computed it, the graph of the result into which it leads, and the tensors that both have "
              "saved.")
def test_a_gradient_without_its_graph_or_what_it_saved_cannot_be_differentiated(seed):
    x = torch.tensor([0.5, -1.5], requires_grad=True, dtype=torch.float64)
    v = torch.ones(2, dtype=torch.float64)
    g, = grad(random_result(seed, x), x, create_graph=True)
    assert error_of(grad, g.detach(), x, v) == NO_GRAPH
    assert error_of(grad, g, x, v) == ""         # this pass frees what the graph of g has saved
    assert error_of(grad, g, x, v) == FREED


@pytest.mark.parametrize("result", [
    lambda x: (x[0] * x[1]).sin(), lambda x: (x ** 2).sum().exp().log(), lambda x: (x * x * x).prod()])
def test_a_recorded_gradient_needs_what_the_graph_of_its_result_has_saved(result):
    """And what it needs isn't freed by another pass that keeps it."""
    x, v = torch.tensor([1., 2.], requires_grad=True), torch.tensor([3., -1.])
    y = result(x)
    kept, = grad(y, x, create_graph=True)
    assert error_of(grad, kept, x, v) == ""
    y = result(x)
    freed, = grad(y, x, create_graph=True, retain_graph=False)
    assert freed.grad_fn is not None and error_of(grad, freed, x, v) == FREED


# --- what the chapter says apart from its rules -------------------------------------------------------------

@WARNS
@pytest.mark.parametrize("emptied", [True, False])
def test_a_gradient_with_a_graph_in_a_drawer_is_a_cycle(emptied):
    gc.disable()
    try:
        x, y = cube()
        y.backward(create_graph=True)
        there = weakref.ref(x)
        if emptied:
            x.grad = None
        del x, y
        assert (there() is None) is emptied
    finally:
        gc.enable()
    gc.collect()
    assert there() is None


def penalties():
    """Return the names of the chapter: `unrecorded` and `penalty_of` are its two penalties."""
    inputs, targets = points()
    return code("def penalty_of", "unrecorded =", "def train", inputs=inputs, target=torch.tensor(targets),
                x=torch.tensor(inputs, requires_grad=True))


@pytest.mark.parametrize("recorded", [False, True])
def test_only_a_recorded_penalty_changes_what_is_learned(recorded):
    names = penalties()
    if not recorded:
        names["penalty_of"] = names["unrecorded"]
    w, loss_of = torch.tensor(1., requires_grad=True), names["loss_of"]
    h = 1e-3
    nudged = (loss_of(w + h, 1.) - loss_of(w - h, 1.)).item() / (2 * h)
    assert nudged == pytest.approx(0.3722, abs=1e-3)
    found = grad(loss_of(w, 1.), w)[0].item()
    assert found == pytest.approx(nudged if recorded else nudged - 2, abs=1e-3)
    alone = names["train"](0., names["penalty_of"])
    assert (names["train"](0.3, names["penalty_of"]) == alone) is not recorded


@CHAPTER.says("Other places must change, too. The first message and the zeros that `fitted` adds must be "
              "Tensors, and a sum of messages can't begin with the number 0. `SGD.step` must read "
              "`p.grad.data`, and the formulas of `@` need a transpose that is recorded.")
@pytest.mark.parametrize(("new", "old"), [
    ("{self.node: Tensor(self.first_message(v))}", "{self.node: self.first_message(v)}"),
    ("grad + Tensor(np.zeros(shape))", "grad + np.zeros(shape)"),
    ("arrived[child] + grad if child in arrived else grad", "arrived.get(child, 0) + grad"),
    ("self.lr * p.grad.data", "self.lr * p.grad"), ("g @ w.T", "g @ w.data.T")])
def test_an_engine_whose_gradients_are_tensors_needs_each_change(new, old):
    right = source(13)
    assert new in right
    for text, works in ((right, True), (right.replace(new, old), False)):
        names = {}
        exec(text, names)
        w = names["Tensor"]([[2.]], True)
        try:
            (w @ names["Tensor"]([[3.]])).sum().backward()
            names["SGD"]([w], 0.1).step()
        except (TypeError, AttributeError, ValueError):
            assert not works
        else:
            assert works and w.data.tolist() == [[pytest.approx(1.7)]]


def with_seed(seed, monkeypatch):
    """Return the names of the chapter's penalties, and a list that gets each network that they train."""
    nets, sequential, start = [], torch.nn.Sequential, torch.manual_seed
    monkeypatch.setattr(torch.nn, "Sequential", lambda *layers: nets.append(sequential(*layers)) or nets[-1])
    monkeypatch.setattr(torch, "manual_seed", lambda _: start(seed))
    names = penalties()
    nets.clear()
    return names, nets


@CHAPTER.says("If each input is wrong by 0.3, a strength of 0.1 is better than no penalty and than a "
              "strength of 0.3.")
@pytest.mark.parametrize("seed", range(4))
def test_for_wrong_inputs_a_penalty_can_be_too_weak_and_too_strong(seed, monkeypatch):
    """The chapter adds 0.3 to each input; here, 0.3 is also subtracted, and many are wrong at random."""
    inputs, targets = points()
    names, nets = with_seed(seed, monkeypatch)
    found = [names["train"](strength, names["penalty_of"]) for strength in (0., 0.03, 0.1, 0.3)]
    penalty, error, shifted = zip(*found, strict=True)
    assert [*penalty] == sorted(penalty, reverse=True) and [*error] == sorted(error)
    noise = torch.randn(1000, 9, generator=torch.Generator().manual_seed(1))
    wrong = torch.tensor(inputs) + 0.3 * noise
    at_random = [((net(wrong.view(9000, 1)).view(1000, 9) - torch.tensor(targets)) ** 2).mean().item()
                 for net in nets]
    lower = (torch.tensor(inputs) - 0.3).view(9, 1)
    below = [((net(lower).view(9) - torch.tensor(targets)) ** 2).mean().item() for net in nets]
    for none, weak, right, strong in shifted, below, at_random:
        assert right < weak < none - 0.02 and right < none < strong - 0.1


@CHAPTER.says("Such inputs add about 0.3² · penalty to the error: 0.03 + 0.09 · 7.49 = 0.70.")
@pytest.mark.parametrize("seed", range(4))
def test_the_penalty_says_what_wrong_inputs_add_to_the_error(seed, monkeypatch):
    """With both signs together, what is linear in the shift cancels; what bends remains."""
    inputs, targets = points()
    names, nets = with_seed(seed, monkeypatch)
    lower = (torch.tensor(inputs) - 0.3).view(9, 1)
    for strength in (0., 0.1):
        penalty, error, above = names["train"](strength, names["penalty_of"])
        below = ((nets[-1](lower).view(9) - torch.tensor(targets)) ** 2).mean().item()
        assert 0.7 < ((above + below) / 2 - error) / (0.09 * penalty) < 1.3


@CHAPTER.says("Only the recorded penalty lowers the sensitivity.")
@pytest.mark.parametrize("seed", range(5))
def test_a_recorded_penalty_makes_a_network_less_sensitive_to_a_nudge(seed, monkeypatch):
    """The chapter measures it by a pass; here each input is nudged."""
    inputs, _ = points()
    names, nets = with_seed(seed, monkeypatch)
    names["train"](0., names["penalty_of"])
    names["train"](0.3, names["unrecorded"])
    names["train"](0.3, names["penalty_of"])
    x, h = torch.tensor(inputs).view(9, 1), 0.01
    plain, unrecorded, recorded = [(((net(x + h) - net(x - h)) / (2 * h)) ** 2).mean().item() for net in nets]
    assert plain == unrecorded and recorded < 0.5 * plain


def test_a_dual_number_carries_what_a_nudge_of_chapter_4_does():
    names = code("class Dual")
    Dual, forward = names["Dual"], names["forward"]
    h = 1e-6
    for by_a, by_b in ((1., 0.), (0., 1.), (2., -3.)):
        found = forward(Dual(2., by_a), Dual(3., by_b))
        up, down = (forward(2. + sign * h * by_a, 3. + sign * h * by_b) for sign in (1, -1))
        assert [one.tangent for one in found] == pytest.approx(
            [(a - b) / (2 * h) for a, b in zip(up, down, strict=True)], rel=1e-6)


def test_forward_mode_takes_a_pass_for_each_input_and_reverse_mode_one_for_each_result(capsys):
    """Fewer passes don't find them: tangents of both inputs are added, and so are gradients of results."""
    names = code("class Dual", "def results(")
    assert capsys.readouterr().out.endswith("passes: 2 forward or 100 backward\nthe same derivatives: True\n")
    Dual, results = names["Dual"], names["results"]
    by_a, by_b = names["tangents"]
    assert by_a == [1.] * 100 and by_b == [*map(float, range(1, 101))]
    h = 1e-6
    for power, one in enumerate(results(1., 1. + h), 1):
        assert (one - 1) / h == pytest.approx(power, rel=1e-3)
    together = [one.tangent for one in results(Dual(1., 1.), Dual(1., 1.))]
    assert together == [a + b for a, b in zip(by_a, by_b, strict=True)] != by_b
    a, b = leaf(1.), leaf(1.)
    assert [one.item() for one in grad(sum(results(a, b)), (a, b))] == [sum(by_a), sum(by_b)]


@pytest.mark.parametrize("seed", range(20))
def test_a_product_times_v_is_the_second_derivative_along_v(seed):
    rng, h = random.Random(seed), 1e-3
    at, v = (torch.tensor([rng.uniform(-1, 1) for _ in range(2)], dtype=torch.float64) for _ in range(2))
    down, here, up = (random_result(seed, at + step * v).item() for step in (-h, 0, h))
    x = at.clone().requires_grad_()
    product, = grad(grad(random_result(seed, x), x, create_graph=True)[0], x, v)
    assert (product @ v).item() == pytest.approx((up - 2 * here + down) / h ** 2, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("seed", range(10))
def test_a_pass_forward_gives_j_times_v_and_a_pass_backward_v_times_j(seed):
    rng = random.Random(seed)
    Dual, at = code("class Dual")["Dual"], [rng.uniform(-1, 1) for _ in range(3)]
    steps = [(rng.choice("+*"), rng.randrange(3 + k), rng.randrange(3 + k)) for k in range(8)]

    def outputs(xs):
        found = list(xs)
        for sign, a, b in steps:
            found.append(found[a] + found[b] if sign == "+" else found[a] * found[b])
        return found[-4:]

    def stacked(x):
        return torch.stack(outputs([x[0], x[1], x[2]]))

    matrix = torch.autograd.functional.jacobian(stacked, torch.tensor(at, dtype=torch.float64))
    v = torch.tensor([rng.uniform(-1, 1) for _ in range(3)], dtype=torch.float64)
    tangents = [one.tangent for one in outputs([Dual(a, b) for a, b in zip(at, v.tolist(), strict=True)])]
    assert tangents == pytest.approx((matrix @ v).tolist())
    assert not hasattr(torch, "func")
    x = torch.tensor(at, dtype=torch.float64, requires_grad=True)
    u = torch.tensor([rng.uniform(-1, 1) for _ in range(4)], dtype=torch.float64)
    assert torch.allclose(grad(stacked(x), x, u)[0], u @ matrix)


def line_of_chapter_0():
    """Return the loss of the nine points in double precision, its Hessian, and the best w and b."""
    inputs, targets = (torch.tensor(one, dtype=torch.float64) for one in points())

    def loss(p):
        return ((p[0] * inputs + p[1] - targets) ** 2).mean()

    matrix = hessian(loss, torch.tensor([4., 1.], dtype=torch.float64, requires_grad=True))
    best = [((inputs * targets).sum() / (inputs ** 2).sum()).item(), targets.mean().item()]
    return loss, matrix, torch.tensor(best, dtype=torch.float64)


@pytest.mark.parametrize("seed", range(10))
@CHAPTER.says("H is diagonal, and its numbers are **curvatures**: if `b` grows by 1, its gradient grows "
              "by 2. The zeros say that `w` doesn't change it. The loss is quadratic, so H is the same "
              "everywhere. At the best line, [2.95, 0.5], both gradients are 0. Elsewhere they are "
              "0.833 · (w − 2.95) and 2 · (b − 0.5).")
def test_the_gradients_of_the_line_are_its_curvatures_times_the_distances(seed):
    loss, matrix, best = line_of_chapter_0()
    assert torch.allclose(matrix, torch.tensor([[5 / 6, 0.], [0., 2.]], dtype=torch.float64), atol=1e-12)
    assert [round(one, 2) for one in best.tolist()] == [2.95, 0.5]
    rng = random.Random(seed)
    p = torch.tensor([rng.uniform(-9, 9), rng.uniform(-9, 9)], dtype=torch.float64, requires_grad=True)
    assert torch.allclose(hessian(loss, p), matrix)
    assert torch.allclose(grad(loss(p), p)[0], matrix @ (p.detach() - best))
    steeper = (p.detach() + torch.tensor([0., 1.], dtype=torch.float64)).requires_grad_()
    w, b = (grad(loss(steeper), steeper)[0] - grad(loss(p), p)[0]).tolist()
    assert (w, b) == (pytest.approx(0, abs=1e-12), pytest.approx(2))


@pytest.mark.parametrize("lr", [0.1, 0.5, 0.7, 0.9, 0.98, 1., 1.02, 1.1, 2., 2.3, 2.5])
@CHAPTER.says("The largest curvature sets the limit: `lr` must be less than 2 / 2 = 1. `w` alone would allow "
              "2 / 0.833 = 2.4. In chapter 0, `b` was right after one step with 0.5 = 1 / 2, it jumped "
              "between 1 and 0 with 1, and the loss exploded with 2.")
def test_training_ends_at_the_best_line_if_the_rate_is_below_the_limit_of_each_weight(lr):
    """Each weight is also trained alone, since rounding of one that explodes reaches the other."""
    loss, _, best = line_of_chapter_0()

    def trained(loss, p, steps=300):
        path = []
        for _ in range(steps):
            p = p.detach().requires_grad_()
            p = p - lr * grad(loss(p), p)[0]
            path.append(p.detach())
        return path

    w, b = best.unbind()
    start = torch.tensor([4., 1.], dtype=torch.float64)
    w_ends = abs(trained(lambda w: loss(torch.stack([w, b])), start[0])[-1] - w).item() < 1e-3
    b_ends = abs(trained(lambda b: loss(torch.stack([w, b])), start[1])[-1] - b).item() < 1e-3
    assert w_ends is (lr < 2.4) and b_ends is (lr < 1)
    together = trained(loss, start)
    assert ((together[-1] - best).abs().max().item() < 1e-3) is (lr < 1)
    first = [one[1].item() for one in together[:6]]
    if lr == 0.5:
        assert first == pytest.approx([0.5] * 6)
    if lr == 1:
        assert first == pytest.approx([0, 1, 0, 1, 0, 1])
    if lr == 2:
        assert loss(together[5]).item() > 1000 * loss(start).item()


@pytest.mark.parametrize("seed", range(10))
@CHAPTER.says("if the loss is quadratic and H diagonal | less than 2 / (the largest curvature)")
def test_the_limit_of_a_rate_is_2_by_the_largest_curvature_of_any_direction(seed):
    """Repeated products turn v into that direction; if H isn't diagonal, its diagonal has no such number."""
    a = torch.randn(3, 3, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    matrix = a @ a.T + 2 * torch.eye(3, dtype=torch.float64)
    v = torch.ones(3, dtype=torch.float64)
    for _ in range(500):
        v = matrix @ v
        v = v / (v @ v).sqrt()
    limit = 2 / (v @ matrix @ v).item()
    assert limit < 2 / max(matrix[i, i].item() for i in range(3))
    for lr, ends in ((0.3 * limit, True), (0.95 * limit, True), (1.05 * limit, False)):
        p = v + 0.1
        for _ in range(200):
            p = p.detach().requires_grad_()
            p = p - lr * grad(p @ matrix @ p / 2, p)[0]
        assert bool((p.abs() < 1e-3).all()) is ends


@pytest.mark.filterwarnings("ignore::DeprecationWarning")      # PyTorch's own, of torch.jit
def test_hessian_of_torch_func_is_the_hessian():
    pytorch = pytest.importorskip("torch")
    found = pytorch.func.hessian(lambda x: x[0] ** 2 * x[1] + x[1] ** 3)(pytorch.tensor([1., 2.]))
    assert found.tolist() == [[4, 2], [2, 12]] and not hasattr(torch, "func")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")      # PyTorch's own, of torch.jit
def test_jvp_in_pytorch_is_j_times_v():
    pytorch = pytest.importorskip("torch")
    x, v = pytorch.tensor([1., 2.]), pytorch.tensor([3., -1.])
    _, product = pytorch.func.jvp(lambda x: pytorch.stack([x[0] * x[1], x[0] ** 3]), (x,), (v,))
    assert product.tolist() == [5, 9]       # J is [[2, 1], [3, 0]]


def test_the_pictures_fit_the_page():
    shown = [re.search(r"min-width:([\d.]+)px", "".join(output["data"]["text/html"]))
             for cell in CELLS if {"viz", "aha"} & {*cell["metadata"].get("tags", ())}
             for output in cell["outputs"] if "text/html" in output.get("data", {})]
    assert len(shown) == 1 and all(float(found[1]) <= 715 for found in shown)


# --- its exercises ------------------------------------------------------------------------------------------

def asked(key):
    return ENGINE_EXERCISES.get(key) or next(one for one in of(13).EXERCISES if one.id == key)


@pytest.mark.parametrize("seat", [None, *"ABCD"])
def test_13a_has_numbers_that_no_wrong_rule_gives(seat):
    one = asked("13a")
    numbers = one.numbers(seat)
    right = three_results(numbers)
    x, c = numbers["x"], numbers["c"]
    assert right == [6 * x, 3 * x ** 2 + c * 6 * x, 3 * x ** 2]
    assert len({*right, x ** 3, c * 6 * x, c * x ** 3}) == 6
    for wrong in one.wrong:
        answer = wrong.answer(numbers)
        answer = [*map(answer.get, NAMES, right)] if isinstance(answer, dict) else answer
        assert answer != right
        assert wrong.says.replace("`", "").rstrip(".") in first_wrong(one, answer, numbers).replace("`", "")


def test_13a_differs_between_the_sheets():
    one = asked("13a")
    assert len({tuple(three_results(one.numbers(seat))) for seat in "ABCD"}) == 4


def test_13b_takes_every_way():
    def as_a_list(f, x):
        g = grad(f(x), x, create_graph=True)[0]
        return [[grad(g[i], x, retain_graph=True)[0][j].item() for j in range(len(x))] for i in range(len(x))]

    def with_new_graphs(f, x):
        rows = []
        for v in torch.eye(len(x)):
            g, = grad(f(x), x, create_graph=True)
            rows.append(grad(g @ v, x)[0])
        return rows

    def on_a_copy(f, x):
        return torch.autograd.functional.hessian(f, x.detach())

    for way in (hessian, as_a_list, with_new_graphs, on_a_copy):
        assert first_wrong(asked("13b"), way, None) is None


def test_13b_says_what_is_wrong():
    def frees(f, x):
        g, = grad(f(x), x, create_graph=True)
        return torch.stack([grad(g, x, v)[0] for v in torch.eye(len(x))])

    def forgets(f, x):
        g, = grad(f(x), x)
        return torch.stack([grad(g, x, v)[0] for v in torch.eye(len(x))])

    def through_the_drawer(f, x):
        f(x).backward(create_graph=True)
        return torch.stack([grad(one, x, retain_graph=True)[0] for one in x.grad])

    for wrong, says in ((diagonal_only, "derivative for each input"), (summed, "adds all rows"),
                        (through_the_drawer, "adds to the drawer"), (frees, "a second time"),
                        (forgets, "element 0"), (lambda f, x: f(x), "The right matrix is")):
        assert says in first_wrong(asked("13b"), wrong, None)
    for broken in (3, lambda: 1, lambda f, x: None):
        kind, _, says, *_ = judged(asked("13b"), broken)
        assert kind == NOT_YET and says


def test_13e_notices_a_wrong_gradient_of_a_gradient_through_the_cross_entropy():
    """An engine may raise an error there, have no such operation, or find the right number."""
    right = source(13)
    wrong = right.replace("Tensor(p / len(labels)), once)", "Tensor(p / len(labels)), times)")
    without = re.sub(r"    def cross_entropy.*?(?=    def detach)", "", right, flags=re.S)
    assert len({right, wrong, without}) == 3
    for text, passes in ((right, True), (wrong, False), (without, True)):
        names = {}
        exec(text, names)
        said = first_wrong(asked("13e"), names["Tensor"], None)
        assert (said is None) is passes
    names = {}
    exec(wrong, names)
    assert "no error is raised" in first_wrong(asked("13e"), names["Tensor"], None)


def test_the_engine_s_slice_adds_create_graph():
    assert "create_graph" in source(13) and "create_graph" not in source(11)
