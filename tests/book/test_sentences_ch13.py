"""Chapter 13: sentences about second derivatives that are false, and programs that try to break its rules."""
import gc
import json
import math
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
    ("plain SGD with a rate below 2 / (the largest number in H) approaches the lowest point",
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
@CHAPTER.says("row i holds the derivatives of `g[i]`. So H is the Jacobian of `g`, and `grad(g, p, v)` "
              "returns `v @ H` (chapter 5).",
              "As for every smooth function, H is symmetric: row i, column j is equal to row j, column i. So "
              "`grad(g, p, v)` is also H · v, a **Hessian-vector product**.")
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
def test_a_gradient_without_its_graph_or_what_it_saved_cannot_be_differentiated(seed):
    x = torch.tensor([0.5, -1.5], requires_grad=True, dtype=torch.float64)
    v = torch.ones(2, dtype=torch.float64)
    g, = grad(random_result(seed, x), x, create_graph=True)
    assert error_of(grad, g.detach(), x, v) == NO_GRAPH
    assert error_of(grad, g, x, v) == ""         # this pass frees what the graph of g has saved
    assert error_of(grad, g, x, v) == FREED


def nodes_behind(tensor):
    """Return the nodes to which edges lead from a tensor's own node, by their id; each stays alive."""
    found, waiting = {}, [tensor.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and id(node) not in found:
            found[id(node)] = node
            waiting += [behind for behind, _ in node.next_functions]
    return found


def has_freed(node):
    """Return whether a node has lost a tensor that it had saved: reading it raises PyTorch's error."""
    return any(error_of(getattr, node, name) == FREED for name in dir(node)
               if name.startswith("_saved"))


ONE_INPUT = (
    lambda x: x ** 3, lambda x: x * x * x, lambda x: x ** 2 * x, lambda x: x.sin(), lambda x: x.sin().sin(),
    lambda x: x.exp(), lambda x: x.tanh(), lambda x: x.sqrt(), lambda x: x.log(), lambda x: 1 / x,
    lambda x: (x * x).log(), lambda x: x.sigmoid() + x.cos(), lambda x: (x + 1) * (x + 2),
    lambda x: 2 * x * x, lambda x: (3 * x) ** 2, lambda x: (x - 1) ** 2 * 2, lambda x: x * x + x ** 3)


@pytest.mark.parametrize("result", ONE_INPUT)
@CHAPTER.says("A backward pass from a gradient runs nodes that the first backward pass recorded, and all "
              "nodes of the forward pass to which these lead. Each of them needs what it saved.")
def test_a_pass_from_a_gradient_runs_what_was_recorded_and_the_nodes_behind_it(result):
    """Hooks count the nodes that run. The pass fails exactly if one of them has lost what it saved."""
    x = torch.tensor(0.7, requires_grad=True)
    y = result(x)
    forward = nodes_behind(y)
    g, = grad(y, x, create_graph=True, retain_graph=False)
    reached = nodes_behind(g)
    freed = any(has_freed(forward[key]) for key in reached if key in forward)
    assert (error_of(grad, g, x) == FREED) is freed
    y = result(x)
    forward = nodes_behind(y)
    g, = grad(y, x, create_graph=True)
    reached, ran = nodes_behind(g), set()
    for key, node in {**forward, **reached}.items():
        if "AccumulateGrad" not in node.name():         # grad() has no use for it
            node.register_prehook(lambda _, key=key: ran.add(key))
    grad(g, x)
    assert ran == {key for key, node in reached.items() if "AccumulateGrad" not in node.name()}
    assert ran - forward.keys()


def test_the_functions_of_the_rule_are_of_both_kinds():
    def fails(result):
        x = torch.tensor(0.7, requires_grad=True)
        g, = grad(result(x), x, create_graph=True, retain_graph=False)
        return error_of(grad, g, x) == FREED

    assert [fails(one) for one in ONE_INPUT[:3]] == [False, True, True]
    assert 4 < sum(map(fails, ONE_INPUT)) < len(ONE_INPUT) - 4


@pytest.mark.parametrize("result", [
    lambda x: (x[0] * x[1]).sin(), lambda x: (x ** 2).sum().exp().log(), lambda x: (x * x * x).prod()])
@CHAPTER.says("So leave `retain_graph` out.")
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


@CHAPTER.says("It raises the error, but lowers the error with wrong inputs.")
@pytest.mark.parametrize("seed", range(4))
def test_a_penalty_raises_the_error_and_lowers_the_error_with_wrong_inputs(seed, monkeypatch):
    """The chapter adds 0.3 to each input; here, 0.3 is also subtracted, and many are wrong at random."""
    inputs, targets = points()
    names, nets = with_seed(seed, monkeypatch)
    found = [names["train"](strength, names["penalty_of"]) for strength in (0., 0.1)]
    penalty, error, shifted = zip(*found, strict=True)
    assert penalty[0] > penalty[1] and error[0] < error[1]
    noise = torch.randn(1000, 9, generator=torch.Generator().manual_seed(1))
    wrong = torch.tensor(inputs) + 0.3 * noise
    at_random = [((net(wrong.view(9000, 1)).view(1000, 9) - torch.tensor(targets)) ** 2).mean().item()
                 for net in nets]
    lower = (torch.tensor(inputs) - 0.3).view(9, 1)
    below = [((net(lower).view(9) - torch.tensor(targets)) ** 2).mean().item() for net in nets]
    for none, recorded in shifted, below, at_random:
        assert recorded < none - 0.02


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


def shifted_line(shift=1):
    """Return the loss of the nine points with shifted inputs, in float64, its H, and the best w and b."""
    inputs, targets = (torch.tensor(one, dtype=torch.float64) for one in points())
    x = inputs + shift

    def loss(p):
        return ((p[0] * x + p[1] - targets) ** 2).mean()

    matrix = hessian(loss, torch.tensor([4., 1.], dtype=torch.float64, requires_grad=True))
    w = ((inputs * targets).sum() / (inputs ** 2).sum()).item()
    best = [w, targets.mean().item() - shift * w]
    return loss, matrix, torch.tensor(best, dtype=torch.float64)


def descended(loss, start, lr, steps):
    """Return the weights after each step of plain SGD."""
    p, path = start, []
    for _ in range(steps):
        p = p.detach().requires_grad_()
        p = p - lr * grad(loss(p), p)[0]
        path.append(p.detach())
    return path


@pytest.mark.parametrize("seed", range(10))
@CHAPTER.says("If `v` has length 1, v · H · v is the **curvature** along `v`: 2.833 if only `w` changes, and "
              "2 if only `b` does.", "This loss is quadratic, so H is the same everywhere.")
def test_a_curvature_is_the_second_derivative_along_a_direction_of_length_1(seed):
    """Compared with nudges of the loss; a vector of another length gives another number."""
    loss, matrix, best = shifted_line()
    numbers = [[17 / 6, 2.], [2., 2.]]
    assert torch.allclose(matrix, torch.tensor(numbers, dtype=torch.float64), atol=1e-12)
    rng, h = random.Random(seed), 1e-3
    at, v = (torch.tensor([rng.uniform(-9, 9) for _ in range(2)], dtype=torch.float64) for _ in range(2))
    p = at.clone().requires_grad_()
    assert torch.allclose(hessian(loss, p), matrix)
    assert torch.allclose(grad(loss(p), p)[0], matrix @ (at - best))
    unit = v / v.norm()
    down, here, up = (loss(at + step * unit).item() for step in (-h, 0, h))
    assert (unit @ matrix @ unit).item() == pytest.approx((up - 2 * here + down) / h ** 2, rel=1e-4)
    assert (2 * unit @ matrix @ (2 * unit)).item() == pytest.approx(4 * (unit @ matrix @ unit).item())


def test_the_curvature_along_1_1_is_half_of_the_sum():
    _, matrix, _ = shifted_line()
    both = torch.ones(2, dtype=torch.float64)
    along = (both @ matrix @ both / (both @ both)).item()
    assert round(along, 2) == 4.42 and round(2 / along, 3) == 0.453 and matrix.sum().item() > 8.8


@pytest.mark.parametrize("lr", [0.2, 0.4, 0.44, 0.46, 0.6])
@CHAPTER.says("If `p` is the best line plus d, the gradient is H · d. If that is c · d, a step multiplies d "
              "by 1 − `lr` · c, as in 9.3.")
def test_a_step_multiplies_a_distance_along_such_a_direction(lr):
    loss, matrix, best = shifted_line()
    found = 0
    for start in ([1., 0.], [0., 1.]):
        v = torch.tensor(start, dtype=torch.float64)
        inverse = torch.stack([torch.stack([matrix[1, 1], -matrix[0, 1]]),
                               torch.stack([-matrix[1, 0], matrix[0, 0]])])
        for turned in (matrix, inverse):                # the largest and the smallest curvature
            for _ in range(300):
                v = turned @ v / (turned @ v).norm()
            c = (v @ matrix @ v).item()
            assert torch.allclose(matrix @ v, c * v)
            p = (best + 0.7 * v).requires_grad_()
            assert torch.allclose(grad(loss(p), p)[0], 0.7 * c * v)
            after, = descended(loss, best + 0.7 * v, lr, 1)
            assert torch.allclose(after - best, 0.7 * (1 - lr * c) * v)
            found += 1
    assert found == 4


@pytest.mark.parametrize("lr", [0.1, 0.2, 0.4, 0.44, 0.46, 0.6, 0.7])
def test_a_rate_that_is_short_enough_for_each_weight_alone_can_be_too_long_for_both(lr):
    """0.448 is the limit of both; w alone would allow 2 / 2.833 = 0.706, and b alone 2 / 2 = 1."""
    loss, _, best = shifted_line()
    w, b = best.unbind()
    one = torch.tensor(1., dtype=torch.float64)
    for alone, target in ((lambda w: loss(torch.stack([w, b])), w), (lambda b: loss(torch.stack([w, b])), b)):
        assert abs(descended(alone, one, lr, 700)[-1] - target).item() < 1e-3
    together = descended(loss, torch.tensor([4., 1.], dtype=torch.float64), lr, 700)
    assert ((together[-1] - best).abs().max().item() < 1e-3) is (lr < 0.448)


@CHAPTER.says("In chapter 0, H was [[0.833, 0], [0, 2]], so the limit was 2 / 2 = 1.")
@pytest.mark.parametrize("lr", [0.1, 0.5, 0.98, 1., 1.02, 2.])
def test_the_limit_of_chapter_0(lr):
    loss, matrix, best = shifted_line(0)
    assert torch.allclose(matrix, torch.tensor([[5 / 6, 0.], [0., 2.]], dtype=torch.float64), atol=1e-12)
    end = descended(loss, torch.tensor([4., 1.], dtype=torch.float64), lr, 400)[-1]
    assert ((end - best).abs().max().item() < 1e-3) is (lr < 1)


@pytest.mark.parametrize("start", [[1., 0.], [0., 1.], [-3., 1.], [0.63, -0.77]])
@CHAPTER.says("Each product multiplies the part of `v` along the direction of the largest curvature by the "
              "largest factor. So repeated products turn `v` towards this direction. Each takes one pass, "
              "and H is never built:")
def test_repeated_products_find_the_largest_curvature(start, capsys):
    """By the lines of the chapter, and from other starts; no direction on a fine circle has a larger one."""
    names = code("x = torch.tensor(inputs) + 1", "v = torch.tensor([1., 0.])", inputs=points()[0],
                 target=torch.tensor(points()[1]))
    assert capsys.readouterr().out.endswith("tensor([0.7759, 0.6309]) tensor(4.4596) tensor(0.4485)\n")
    g, p, v, passes = names["g"], names["p"], torch.tensor(start), 0
    for _ in range(40):
        product, = grad(g, p, v, retain_graph=True)
        v, passes = product / product.norm(), passes + 1
    assert product.norm().item() == pytest.approx(names["curvature"].item(), rel=1e-3) and passes == 40
    _, matrix, _ = shifted_line()
    circle = [torch.tensor([math.cos(k / 100), math.sin(k / 100)], dtype=torch.float64) for k in range(629)]
    largest = max((one @ matrix @ one).item() for one in circle)
    assert names["curvature"].item() == pytest.approx(largest, rel=1e-3)


@pytest.mark.parametrize("seed", range(10))
@CHAPTER.says("If a loss is quadratic and has a lowest point, plain SGD approaches such a point from every "
              "start if, and only if, `lr` is between 0 and 2 / (the largest curvature).")
def test_the_limit_of_a_rate_is_2_by_the_largest_curvature_of_any_direction(seed):
    """Also with a direction in which the loss is flat. The start that fails is along the largest one."""
    a = torch.randn(3, 3, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    if seed % 2:
        a = torch.stack([a[0], a[1], a[0] - a[1]])      # a @ a.T then has a curvature of 0
    matrix = a @ a.T
    v = torch.tensor([1., 2., -4.], dtype=torch.float64)
    for _ in range(3000):
        v = matrix @ v
        v = v / v.norm()
    limit = 2 / (v @ matrix @ v).item()
    assert limit < 2 / max(matrix[i, i].item() for i in range(3))

    def slope_at_the_end(start, lr, steps=400):
        p = start
        for _ in range(steps):
            p = p.detach().requires_grad_()
            g, = grad(p @ matrix @ p / 2, p)
            if g.norm() > 1e6:
                break
            p = p - lr * g
        return g.norm().item()

    for start in (v, torch.tensor([5., -3., 2.], dtype=torch.float64)):
        for part in (0.3, 0.95):
            first, last = (matrix @ start).norm().item(), slope_at_the_end(start, part * limit)
            assert last < 0.01 * first
    for lr in (limit, 1.05 * limit, 3 * limit, 0., -0.1 * limit):
        assert slope_at_the_end(v, lr) > 0.99 * (matrix @ v).norm().item()


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
