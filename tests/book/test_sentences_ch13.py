"""Chapter 13: sentences about second derivatives that are false, and programs that try to break its rules."""
import gc
import json
import random
import re
import weakref

import numpy as np
import pytest

import minigrad as torch
from minigrad.book import points
from minigrad.book.classroom.engine import source
from minigrad.book.classroom.engine.exercises import ENGINE_EXERCISES
from minigrad.book.classroom.judging import first_wrong
from minigrad.book.content.chapters import of
from minigrad.book.content.chapters.ch13 import (
    CASES,
    terms_that_train_relu,
    what_a_pass_from_a_tangent_does,
    what_the_second_pass_does,
    where_the_second_derivative_is_found,
)
from tests import ROOT
from tests.helpers.sentences import Chapter

CHAPTER = Chapter(13)
CELLS = json.loads((ROOT / "notebooks/13_gradients_of_gradients.ipynb").read_text(encoding="utf-8"))["cells"]
grad = torch.autograd.grad
NO_GRAPH = "element 0 of tensors does not require grad and does not have a grad_fn"
UNUSED = "The differentiated Tensor at index 0 appears to not have been used in the graph"
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


def hessian(f, x):
    g, = grad(f(x), x, create_graph=True)
    return torch.stack([grad(g, x, v, retain_graph=True)[0] for v in torch.eye(len(x))])


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
        for strength in (0., 0.09):
            names["train"](strength, names["repaired"])
    wrong = (torch.tensor(inputs) + 0.1).view(9, 1)
    none, weak = (((net(wrong).view(9) - torch.tensor(targets)) ** 2).mean().item() for net in nets)
    return none < weak


def nodes_of_another_input_that_were_freed():
    """The edges from gx also lead to the freed node of w * w, but no path to x goes through it."""
    x, w = leaf(3.), leaf(2.)

    def both():
        return grad(x ** 2 * (w * w), (x, w), create_graph=True, retain_graph=False)

    return grad(both()[0], x)[0].item(), error_of(grad, both()[0], w)


def both_tangents_in_one_pass():
    """With an array as tangent, one pass nudges both inputs, each on its own."""
    names = code("class Dual")
    start = names["Dual"](2., np.array([1., 0.])), names["Dual"](3., np.array([0., 1.]))
    return names["forward"](*start)[-1].tangent.tolist()


def step_of_1_along_v():
    """The gradient 3p² of p³ grows by 9 from 1 to 2, and H · v is 6."""
    p = leaf(1., 1.)
    g, = grad((p ** 3).sum(), p, create_graph=True)
    v = torch.tensor([1., 0.])
    after, = grad(((p + v) ** 3).sum(), p)
    return (after - g)[0].item(), grad(g, p, v)[0][0].item()


def tangent_with_recording():
    """Of leaves that require a gradient, forward mode keeps a graph, as any other program does."""
    names = code("class Dual")
    a, b = names["Dual"](leaf(2.), 1.), names["Dual"](leaf(3.), 0.)
    return all(one.tangent.grad_fn is not None for one in names["forward"](a, b)[1:])


def tangent_without_recording():
    """Under no_grad(), the operations of a dual number aren't recorded."""
    names = code("class Dual")
    a, b = leaf(2.), leaf(3.)
    with torch.no_grad():
        result = names["forward"](names["Dual"](a, 1.), names["Dual"](b, 0.))[-1]
    return error_of(grad, result.tangent, (a, b))


def half_recorded_term():
    """The term is w⁴, whose derivative at 1 is 4, but one of its factors wasn't recorded."""
    w = leaf(1.)
    found = []
    for record in (False, True):
        s, = grad(w ** 2 / 2, w, create_graph=record)
        term = (s * w) ** 2
        found.append(grad(term, w, retain_graph=True)[0].item())
    return term.requires_grad, *found


def largest_curvature_beside_a_negative_one():
    """The Hessian is [[1, 0], [0, -3]]: the products turn to the curvature with the largest size."""
    matrix = hessian(lambda p: (p[0] ** 2 - 3 * p[1] ** 2) / 2, leaf(1., 1.))
    v = torch.ones(2)
    for _ in range(50):
        v = matrix @ v / (matrix @ v).norm()
    return matrix.max().item(), round((v @ matrix @ v).item(), 4)


def second_derivative_with_relu_beside_x_squared():
    """A network with ReLU has a second derivative if its result is squared."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(1, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
    x = leaf([[-1.], [1.]])
    return bool((grad(grad((net(x) ** 2).sum(), x, create_graph=True)[0].sum(), x)[0] > 0).all())


def ones_at_a_right_angle_to_the_largest_curvature():
    """The Hessian is [[6, -4], [-4, 6]], with the curvatures 2 and 10: the products of ones stay ones."""
    def steep(p):
        return 3 * p[0] ** 2 + 3 * p[1] ** 2 - 4 * p[0] * p[1]

    found = []
    for start in (torch.ones(2), torch.tensor([1., 0.9])):
        v, product = repeated(right_products()[0], steep, leaf(1., 2.), start)
        found.append(round((v @ product).item(), 4))
    return found


def products_of_zeros():
    """If every curvature is 0, the first product is 0, and 0 divided by its length is NaN."""
    v, _ = repeated(right_products()[0], lambda p: (p * 0) @ p, leaf(1., 2.), torch.ones(2))
    return bool(v.isnan().all())


def rates_that_are_too_large_elsewhere():
    """sqrt(1 + p²) is flat far away and steep near its minimum 0: at 3, L is 0.0316, and 2 / L is 63.2."""
    def slope(p):
        return grad((1 + p ** 2).sqrt().sum(), p)[0]

    curvature = hessian(lambda p: (1 + p ** 2).sqrt().sum(), leaf([3.])).item()
    ends = []
    for lr in (50., 1.):
        p = leaf([3.])
        for _ in range(20):
            p = (p - lr * slope(p)).detach().requires_grad_()
        ends.append(abs(p.item()) < 1e-3)
    return round(2 / curvature, 1), *ends


def step_at_a_right_angle_to_the_largest_curvature():
    """From a point without a part in its direction, a rate above 2 / L leads to the minimum."""
    p = leaf(1., 1.)
    for _ in range(20):
        p = (p - 0.3 * grad(3 * p[0] ** 2 + 3 * p[1] ** 2 - 4 * p[0] * p[1], p)[0]).detach().requires_grad_()
    return p.abs().max().item() < 1e-6


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
    ("If the inputs are wrong, a strength of 0.09 is better", penalty_and_a_small_error, True),
    ("A backward pass from a gradient runs nodes that the first backward pass recorded, and all nodes of the "
     "forward pass to which these lead", nodes_of_another_input_that_were_freed, (8, FREED)),
    ("A forward pass finds how the results change with one input, and never with two",
     both_tangents_in_one_pass, [25, 19]),
    ("every loss with a network with ReLU has a second derivative of 0",
     second_derivative_with_relu_beside_x_squared, True),
    ("a smaller nudge gives a better second derivative", nudged_twice, True),
    ("the gradient of a linear f has no graph", gradient_that_was_not_computed_from_x,
     (True, "The differentiated Tensor at index 0 appears to not have been used in the graph")),
    ("A tangent can always be differentiated", tangent_without_recording, NO_GRAPH),
    ("how much the gradient changes, per unit, if `p` moves along `v`", step_of_1_along_v, (9, 6)),
    ("and it keeps nothing", tangent_with_recording, True),
    ("built-in operations don't record", recorded_by_an_operation_of_your_own, True),
    ("operations don't record their backward pass", recorded_by_an_operation_of_your_own, True),
    ("a term that requires a gradient has the right gradient", half_recorded_term, (True, 2, 4)),
    ("the repeated product always turns to the largest curvature", largest_curvature_beside_a_negative_one,
     (1, -3)),
    ("if `g` was computed with `create_graph=True`, it has a graph", straight_line, False),
    ("so `v` turns there, if no curvature is negative", ones_at_a_right_angle_to_the_largest_curvature,
     [2, 10]),
    ("if no curvature is negative, and `v` has a part", products_of_zeros, True),
    ("a learning rate that isn't too large | less than 2 divided by the largest curvature",
     rates_that_are_too_large_elsewhere, (63.2, False, True)),
    ("So a rate above 2 / L leads away from the minimum", step_at_a_right_angle_to_the_largest_curvature,
     True),
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
@CHAPTER.says("Without `create_graph=True`, autograd switches recording off during a backward pass.")
def test_only_create_graph_records_a_pass(seed):
    """Even with enable_grad around the call, and hooks that return another tensor."""
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


@pytest.mark.parametrize("around", [torch.enable_grad, torch.no_grad])
@pytest.mark.parametrize("record", [False, True])
def test_recording_is_on_during_a_pass_exactly_with_create_graph(record, around):
    """In an operation of one's own and in hooks, which may switch it on for their own lines."""
    seen = []

    class Looks(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, message):
            seen.append(torch.is_grad_enabled())
            return message

    x = leaf(3.)
    y = Looks.apply(x) ** 2
    y.register_hook(lambda g: seen.append(torch.is_grad_enabled()))
    y.grad_fn.register_prehook(lambda g: seen.append(torch.is_grad_enabled()))
    with around():
        grad(y, x, create_graph=record)
        assert torch.is_grad_enabled() is (around is torch.enable_grad)
    assert seen == [record] * 3


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
@CHAPTER.says("row i holds the derivatives of `g[i]`. So H is the Jacobian of `g`.",
              "H is symmetric: both numbers beside the diagonal are 2. So v · H equals H · v.",
              "As for every smooth function, H is symmetric, so `v @ H` is also H · v. If `p` moves by a "
              "tiny h · v, the gradient moves by about h · (H · v).")
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
        tiny = h / 100
        moved = gradient([value + tiny * step for value, step in zip(at, v.tolist(), strict=True)])[1]
        assert torch.allclose((moved - g).detach(), tiny * (matrix @ v), rtol=1e-2, atol=1e-10)
    assert torch.allclose(matrix, matrix.T, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("seed", range(20))
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
TWO_INPUTS = (
    lambda x, w: x ** 2 * (w * w), lambda x, w: w * x ** 3, lambda x, w: (x * w).sin() * w,
    lambda x, w: x.exp() * w.exp(), lambda x, w: x / (w * w + 1), lambda x, w: (x ** 2 + w ** 2).log(),
    lambda x, w: x.tanh() * w.sigmoid() + x * w, lambda x, w: (x * x * w) ** 2, lambda x, w: x * x + w ** 3,
    lambda x, w: (x + 1).sqrt() * (w * 2) ** 2)


def nodes_on_the_paths(start, leaf):
    """Return the nodes from which edges lead to a leaf, by their id, without that of the leaf itself."""
    reached, found = nodes_behind(start), {}

    def leads(node):
        return node is not None and (id(node) in found or getattr(node, "variable", None) is leaf)

    more = True
    while more:
        new = {key: node for key, node in reached.items() if key not in found
               and any(leads(behind) for behind, _ in node.next_functions)}
        found, more = found | new, bool(new)
    return found


def counted(nodes):
    """Return a set that gets the id of each of these nodes when it runs; grad() has no use for a leaf's."""
    ran = set()
    for key, node in nodes.items():
        if "AccumulateGrad" not in node.name():
            node.register_prehook(lambda _, key=key: ran.add(key))
    return ran


def runs_of_the_rule(result, number_of_inputs):
    """Yield a program of each kind: which gradient is differentiated, and with respect to which input."""
    for which in range(number_of_inputs):
        for wanted in range(number_of_inputs):
            for keep in (None, False):
                inputs = [leaf(value) for value in (0.7, 1.3)[:number_of_inputs]]
                y = result(*inputs)
                forward = nodes_behind(y)
                g = grad(y, inputs, create_graph=True, retain_graph=keep)[which]
                if g.requires_grad and (paths := nodes_on_the_paths(g, inputs[wanted])):
                    yield forward, g, inputs[wanted], paths


@pytest.mark.parametrize(("result", "inputs"), [
    *((result, 1) for result in ONE_INPUT), *((result, 2) for result in TWO_INPUTS)])
@CHAPTER.says("`grad(g, x)` runs the nodes on all paths from `g` to `x`, of forward and backward passes. "
              "Each reads what it saved.")
def test_a_pass_from_a_gradient_runs_the_nodes_on_the_paths_to_its_input(result, inputs):
    """Hooks count the nodes that run. The pass fails exactly if one of them has lost what it saved."""
    tried = 0
    for forward, g, x, paths in runs_of_the_rule(result, inputs):
        ran = counted({**forward, **nodes_behind(g)})
        freed = any(has_freed(node) for node in paths.values())
        said = error_of(grad, g, x)
        assert (said == FREED) is freed and said in ("", FREED)
        assert ran == paths.keys() if not freed else ran <= paths.keys()
        tried += not freed
    assert tried


@pytest.mark.parametrize(("result", "says"), [
    (lambda x, w: 3 * x, NO_GRAPH), (lambda x, w: x + w, NO_GRAPH), (lambda x, w: w * x, UNUSED),
    (lambda x, w: w ** 2 * x, UNUSED), (lambda x, w: x.relu(), "")])
def test_without_a_path_there_is_no_second_derivative(result, says):
    """The error differs; with a path, as for relu, a second derivative of 0 is returned."""
    x, w = leaf(0.7), leaf(1.3)
    g, = grad(result(x, w), x, create_graph=True)
    assert not g.requires_grad or bool(nodes_on_the_paths(g, x)) is (says == "")
    assert error_of(grad, g, x).partition(".")[0] == says
    if not says:
        g, = grad(result(x, w), x, create_graph=True)
        assert grad(g, x)[0].item() == 0


def test_paths_to_one_input_leave_out_freed_nodes_of_another():
    """Without this case, the rule would also hold for all nodes to which edges lead."""
    left_out = 0
    for result in TWO_INPUTS:
        for _, g, x, paths in runs_of_the_rule(result, 2):
            others = [node for key, node in nodes_behind(g).items() if key not in paths]
            left_out += any(map(has_freed, others)) and error_of(grad, g, x) == ""
    assert left_out > 2


@pytest.mark.parametrize("result", ONE_INPUT)
def test_a_third_derivative_runs_nodes_of_two_backward_passes(result):
    x = leaf(0.7)
    y = result(x)
    g, = grad(y, x, create_graph=True)
    first = nodes_behind(y).keys() | nodes_behind(g).keys()
    if g.requires_grad and nodes_on_the_paths(g, x):
        h, = grad(g, x, create_graph=True)
        if h.requires_grad and (paths := nodes_on_the_paths(h, x)):
            ran = counted(nodes_behind(h))
            grad(h, x)
            assert ran == paths.keys() and ran - first


NEITHER = (lambda x: 5 * x, lambda x: x * 5, lambda x: x + x, lambda x: x / 4 - 3, lambda x: -x)


@pytest.mark.parametrize("result", NEITHER)
@CHAPTER.says("`create_graph=True` switches recording on. As in a forward pass, an operation is then "
              "recorded if an input of it requires a gradient.")
def test_of_a_line_no_operation_of_the_pass_is_recorded(result):
    """The message requires no gradient. With one that does, it is recorded, and leads to the message."""
    x, message = leaf(10.), leaf(2.)
    g, = grad(result(x), x, create_graph=True)
    assert g.grad_fn is None and error_of(grad, g, x) == NO_GRAPH
    g, = grad(result(x), x, message, create_graph=True)
    assert g.requires_grad and error_of(grad, g, x).startswith(UNUSED)
    g, = grad(result(x), x, message, create_graph=True)
    assert grad(g, message)[0].item() == grad(result(x), x)[0].item()


@pytest.mark.parametrize(("last", "claims"), [
    ("RuntimeError: element 0 of tensors", "it raises an error"), ("(tensor(0.),)", "it returns 0"),
    ("(tensor(5.),)", "it returns 5")])
def test_13_2_is_decided_by_the_last_line(last, claims):
    assert what_the_second_pass_does(f"tensor(5.) None\n{last}") == claims


def test_the_error_of_the_chapter_is_raised_before_its_cure_is_shown_to_have_a_limit():
    """The table of the error says nothing of `x`: that would answer 13.2, which is asked below it."""
    sources = ["".join(cell["source"]) for cell in CELLS]
    table, = (one for one in sources if "does not have a grad_fn`" in one)
    assert "depends on" not in table
    assert sources.index(table) < sources.index('predict("13.2")') < sources.index('reveal("13.2")')


def test_the_functions_of_the_rule_are_of_both_kinds():
    def fails(result):
        x = torch.tensor(0.7, requires_grad=True)
        g, = grad(result(x), x, create_graph=True, retain_graph=False)
        return error_of(grad, g, x) == FREED

    assert [fails(one) for one in ONE_INPUT[:3]] == [False, True, True]
    assert 4 < sum(map(fails, ONE_INPUT)) < len(ONE_INPUT) - 4


def test_of_the_two_pictures_only_that_of_exp_has_a_node_of_the_forward_pass():
    """The graph of the gradient of x * x * x holds the node of x * x, and not that of its result."""
    def forward_nodes(result):
        x = leaf(1.)
        y = result(x)
        forward = nodes_on_the_paths(y, x)
        return [forward[key].name() for key in nodes_behind(grad(y, x, create_graph=True)[0])
                if key in forward]

    def squared(x):
        square = x * x
        kept.append(square.grad_fn)
        return square * x

    kept = []
    assert forward_nodes(lambda x: x ** 3) == []
    assert forward_nodes(lambda x: x.exp()) == ["ExpBackward0"]
    assert forward_nodes(squared) == [kept[0].name()] and len(kept) == 1


@pytest.mark.parametrize(("lines", "error", "claims"), [
    (4, "", "for both"), (3, FREED, "for `x ** 3` alone"), (2, FREED, "for neither, or for `x.exp()` alone")])
def test_13_4_is_decided_by_the_lines_before_the_error(lines, error, claims):
    printed = "".join(f"{keep} tensor(6.)\n" for keep in ("None", "None", "False", "False")[:lines])
    printed += f"RuntimeError: {error}" if error else ""
    assert where_the_second_derivative_is_found(printed) == claims


@pytest.mark.parametrize("result", [
    lambda x: (x[0] * x[1]).sin(), lambda x: (x ** 2).sum().exp().log(), lambda x: (x * x * x).prod()])
@CHAPTER.says("With `create_graph=True`, leave `retain_graph` out: `grad(g, x)` can run nodes of the graph "
              "of `y`, and they read what they saved.")
def test_a_recorded_gradient_needs_what_the_graph_of_its_result_has_saved(result):
    """And what it needs isn't freed by another pass that keeps it."""
    x, v = torch.tensor([1., 2.], requires_grad=True), torch.tensor([3., -1.])
    y = result(x)
    kept, = grad(y, x, create_graph=True)
    assert error_of(lambda: grad(kept, x, v, retain_graph=True)) == ""
    assert error_of(grad, kept, x, v) == "" and error_of(grad, kept, x, v) == FREED
    y = result(x)
    freed, = grad(y, x, create_graph=True, retain_graph=False)
    assert freed.grad_fn is not None and error_of(grad, freed, x, v) == FREED


# --- what the chapter says apart from its rules -------------------------------------------------------------

@WARNS
@pytest.mark.parametrize("emptied", [True, False])
@CHAPTER.says("Your engine has no `grad`, so add `create_graph` to `backward`. (PyTorch warns of this: "
              "`x.grad` then leads back to `x`.)")
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
    """Return the names of the chapter: `penalty_of` and `repaired` are its two penalties."""
    inputs, targets = points()
    return code("def penalty_of", "### BEGIN SOLUTION\ndef repaired", "def train",
                inputs=inputs, target=torch.tensor(targets).view(9, 1),
                x=torch.tensor(inputs).view(9, 1).requires_grad_())


@pytest.mark.parametrize("recorded", [False, True])
def test_only_a_recorded_penalty_changes_what_is_learned(recorded):
    names = penalties()
    penalty_of = names["repaired" if recorded else "penalty_of"]
    w, x = torch.tensor(1., requires_grad=True), names["x"]

    def loss_of(w):
        return names["error_of"](w * x) + penalty_of(w * x, x)

    h = 1e-3
    nudged = (loss_of(w + h) - loss_of(w - h)).item() / (2 * h)
    assert nudged == pytest.approx(0.3722, abs=1e-3)
    found = grad(loss_of(w), w)[0].item()
    assert found == pytest.approx(nudged if recorded else nudged - 2, abs=1e-3)
    alone = names["train"](0., penalty_of)
    assert (names["train"](0.3, penalty_of) == alone) is not recorded


@CHAPTER.says("Make each a `Tensor`, in messages, hooks and drawers.",
              "`fitted` adds zeros that are a `Tensor`",
              "A sum of messages can't begin with the number 0.",
              "The formulas of `@` need a transpose that is recorded", "`SGD.step` reads `p.grad.data`.")
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


@CHAPTER.says("Only the repaired penalty lowers the sensitivity. With wrong inputs, the error falls. The "
              "price: with right inputs, it rises.")
@pytest.mark.parametrize("seed", range(4))
def test_a_penalty_raises_the_error_and_lowers_the_error_with_wrong_inputs(seed, monkeypatch):
    """The chapter adds 0.3 to each input, or subtracts it; here, many are also wrong at random."""
    inputs, targets = points()
    names, nets = with_seed(seed, monkeypatch)
    found = [names["train"](strength, names["repaired"]) for strength in (0., 0.09)]
    penalty, error, shifted = zip(*found, strict=True)
    assert penalty[0] > penalty[1] and error[0] < error[1]
    noise = torch.randn(1000, 9, generator=torch.Generator().manual_seed(1))

    def errors(by):
        x = (torch.tensor(inputs) + by).view(-1, 1)
        return [((net(x).view(-1, 9) - torch.tensor(targets)) ** 2).mean().item() for net in nets]

    at_random, *each_way = (errors(by) for by in (0.3 * noise, 0.3, -0.3))
    for none, recorded in shifted, *each_way, at_random:
        assert recorded < none - 0.02
    assert shifted == pytest.approx([sum(both) / 2 for both in zip(*each_way, strict=True)], abs=0.006)


@CHAPTER.says("If a guess misses its target by r, and such an input changes it by c or −c, the mean of (r + "
              "c)² and (r − c)² is r² + c². Here c is about 0.3 times the sensitivity, so the mean of c² is "
              "0.09 times the penalty.")
@pytest.mark.parametrize("seed", range(3))
def test_the_strength_0_09_is_about_the_best_for_inputs_that_are_wrong_by_0_3(seed, monkeypatch):
    """Also compared with other strengths: much weaker and much stronger penalties end with larger errors."""
    inputs, _ = points()
    names, nets = with_seed(seed, monkeypatch)
    x = torch.tensor(inputs).view(9, 1)
    for strength in (0., 0.09):
        penalty, error, wrong = names["train"](strength, names["repaired"])
        changes = [(nets[-1](x + by) - nets[-1](x)).view(9) for by in (0.3, -0.3)]
        for changed in changes:
            assert (changed ** 2).mean().item() == pytest.approx(0.09 * penalty, rel=0.15)
        assert wrong - error == pytest.approx(0.09 * penalty, rel=0.1)
    best, *others = (names["train"](strength, names["repaired"])[2]
                     for strength in (0.09, 0., 0.02, 0.2, 0.5))
    assert min(others) > best + 0.02


@pytest.mark.parametrize(("r", "c"), [(0.5, 2.), (-3., 0.25), (0., 1.)])
def test_the_product_of_miss_and_change_cancels_out(r, c):
    """And it doesn't if all inputs are too large."""
    assert ((r + c) ** 2 + (r - c) ** 2) / 2 == r ** 2 + c ** 2
    assert ((r + c) ** 2 == r ** 2 + c ** 2) is (r * c == 0)


def test_the_loss_of_train_fills_the_drawer_of_the_inputs():
    """So the comment says that no line reads it."""
    names = penalties()
    for penalty in "penalty_of", "repaired":
        names["x"].grad = None
        names["train"](0.09, names[penalty])
        assert names["x"].grad is not None


@pytest.mark.parametrize("seed", range(5))
def test_a_recorded_penalty_makes_a_network_less_sensitive_to_a_nudge(seed, monkeypatch):
    """The chapter measures it by a pass; here each input is nudged."""
    inputs, _ = points()
    names, nets = with_seed(seed, monkeypatch)
    names["train"](0., names["penalty_of"])
    names["train"](0.3, names["penalty_of"])
    names["train"](0.3, names["repaired"])
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


@CHAPTER.says("A backward pass (**reverse mode**) finds how one result changes with every input, and "
              "needs a graph. In **forward mode**, a pass finds how every result changes along one direction "
              "of the inputs, and needs no graph.",
              "One pass found how five results change with `a`. For `b`, forward mode needs a second pass. "
              "Reverse mode takes five passes for both, one from each result. So forward mode is better for "
              "few inputs and many results.")
def test_forward_mode_takes_a_pass_for_each_input_and_reverse_mode_one_for_each_result():
    """Fewer passes don't find them: tangents of both inputs are added, and so are gradients of results."""
    Dual = code("class Dual")["Dual"]

    def results(a, b):
        for _ in range(100):
            a = a * b
            yield a

    by_a, by_b = ([one.tangent for one in results(*inputs)]
                  for inputs in ((Dual(1., 1.), Dual(1., 0.)), (Dual(1., 0.), Dual(1., 1.))))
    assert by_a == [1.] * 100 and by_b == [*map(float, range(1, 101))]
    h = 1e-6
    for power, one in enumerate(results(1., 1. + h), 1):
        assert (one - 1) / h == pytest.approx(power, rel=1e-3)
    together = [one.tangent for one in results(Dual(1., 1.), Dual(1., 1.))]
    assert together == [a + b for a, b in zip(by_a, by_b, strict=True)] != by_b
    a, b = leaf(1.), leaf(1.)
    each = [[one.item() for one in grad(result, (a, b), retain_graph=True)] for result in results(a, b)]
    assert each == [[*both] for both in zip(by_a, by_b, strict=True)]
    assert [one.item() for one in grad(sum(results(a, b)), (a, b))] == [sum(by_a), sum(by_b)]
    first = Dual(1., 1.)
    there = weakref.ref(first)
    last = first * Dual(1., 0.) * Dual(1., 0.)
    del first
    assert there() is None and last.tangent == 1        # nothing keeps a number that was used
    a = leaf(1.)
    with torch.no_grad():
        assert error_of(grad, a * a, a) == NO_GRAPH


# --- with ReLU ----------------------------------------------------------------------------------------------

def network(activation, seed, layers):
    torch.manual_seed(seed)
    hidden = [one for _ in range(layers - 1) for one in (torch.nn.Linear(8, 8), activation())]
    return torch.nn.Sequential(torch.nn.Linear(1, 8), activation(), *hidden, torch.nn.Linear(8, 1))


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("seed", range(5))
@CHAPTER.says("Of a network of Linear and ReLU, the second derivatives with respect to its inputs are 0, so "
              "a penalty on them can't train it.",
              "So a penalty on first derivatives, such as this chapter's, can train this network. A penalty "
              "on second derivatives can't.")
def test_a_network_with_relu_has_a_second_derivative_of_zero(seed, layers):
    """Also with more layers. Its gradient has a graph and depends on the weights; Tanh is the contrast."""
    for activation in (torch.nn.ReLU, torch.nn.LeakyReLU, torch.nn.Tanh, torch.nn.Sigmoid):
        net, x = network(activation, seed, layers), leaf([[-1.], [0.1], [1.]])
        g, = grad(net(x).sum(), x, create_graph=True)
        second, = grad(g.sum(), x, create_graph=True)
        smooth = activation in (torch.nn.Tanh, torch.nn.Sigmoid)
        assert g.requires_grad
        assert [bool((second != 0).all()), bool((second == 0).all())] == [smooth, not smooth]
        weight = net[-1].weight
        assert (grad((g ** 2).sum(), weight, retain_graph=True)[0] != 0).any()
        moved, = grad((second ** 2).sum(), weight, retain_graph=True, allow_unused=True)
        assert (moved is not None and bool((moved != 0).any())) is smooth   # ReLU learns nothing from it
        first, = grad((g ** 2).mean(), net[0].weight, retain_graph=True)
        again, = grad((second ** 2).mean(), net[0].weight)
        assert (first != 0).any() and bool((again != 0).any()) is smooth


def test_the_network_of_13_5_moves_along_straight_lines_between_its_corners():
    """Nudges of its gradient: it jumps at a corner, and stays the same between two."""
    net = network(torch.nn.ReLU, 0, 1)
    corners = sorted((-net[0].bias / net[0].weight[:, 0]).tolist())
    slopes = []
    for low, high in zip([corners[0] - 1, *corners], [*corners, corners[-1] + 1], strict=True):
        x = torch.tensor([[low + part * (high - low)] for part in (0.2, 0.5, 0.8)], requires_grad=True)
        g = grad(net(x).sum(), x)[0].view(3)
        assert (g - g[0]).abs().max().item() < 1e-5
        slopes.append(g[0].item())
    assert len(slopes) == 9 and len({round(slope, 4) for slope in slopes}) > 5
    assert all(abs(corner - at) > 1e-3 for corner in corners for at in (-1., 0., 1.))


@pytest.mark.parametrize(("relu", "claims"), [
    (("0.1", "0."), "the first term alone"), (("0.1", "0.2"), "both terms"), (("0.", "0."), "neither term"),
    (("0.", "0.1"), "the second term alone")])
def test_13_5_is_decided_by_what_relu_prints(relu, claims):
    printed = "Tanh tensor(0.3)\nTanh tensor(0.2)\n" + "".join(f"ReLU tensor({one})\n" for one in relu)
    assert terms_that_train_relu(printed) == claims


@pytest.mark.parametrize(("printed", "claims"), [
    ("(tensor(6.), tensor(11.))", "it returns second derivatives"),
    ("(tensor(25.), tensor(19.))", "it returns [25.0, 19.0]"),
    ("(tensor(0.), tensor(0.))", "it returns zeros"),
    ("RuntimeError: element 0 of tensors", "it raises an error")])
def test_13_6_is_decided_by_two_gradients_or_an_error(printed, claims):
    assert what_a_pass_from_a_tangent_does(printed) == claims


@pytest.mark.parametrize("seed", range(10))
@CHAPTER.says("Only what a backward pass computes needs `create_graph=True`. The tangent is v · g, where v "
              "is [1, 0] and g is the gradient of the result. So this backward pass found H · v.")
def test_a_backward_pass_from_a_tangent_gives_h_times_v(seed):
    """Of random sums and products, compared with the Hessian from two backward passes."""
    rng = random.Random(seed)
    Dual = code("class Dual")["Dual"]
    steps = [(rng.choice("+*"), rng.randrange(2 + k), rng.randrange(2 + k)) for k in range(7)]

    def last_of(found):
        for sign, a, b in steps:
            found.append(found[a] + found[b] if sign == "+" else found[a] * found[b])
        return found[-1] + found[0] * found[0] * found[1]

    at = torch.tensor([rng.uniform(-1, 1) for _ in range(2)], dtype=torch.float64)
    matrix = hessian(lambda x: last_of([x[0], x[1]]), at.clone().requires_grad_())
    v = torch.tensor([rng.uniform(-1, 1) for _ in range(2)], dtype=torch.float64)
    a, b = (one.clone().requires_grad_() for one in at.unbind())
    result = last_of([Dual(a, v[0].item()), Dual(b, v[1].item())])
    tangent = result.tangent
    gradient = torch.stack([*grad(result.value, (a, b), retain_graph=True)])
    assert not gradient.requires_grad and torch.allclose(tangent.detach(), v @ gradient)
    assert torch.allclose(torch.stack([*grad(tangent, (a, b))]), matrix @ v)


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


@pytest.mark.filterwarnings("ignore:.torch.jit")      # of PyTorch itself; 2.14 has another category
@pytest.mark.parametrize("library", ["minigrad", "torch"])
@CHAPTER.says("or `torch.autograd.functional.hvp(f, x, v)[1]`",
              "`torch.autograd.functional.hessian(f, x)`; in PyTorch, also `torch.func.hessian(f)(x)`")
def test_a_hessian_and_a_product_with_it_are_ready_made(library):
    it = pytest.importorskip(library)
    x, v = it.tensor([4., 1.]), it.tensor([1., -1.])
    assert it.autograd.functional.hvp(QUADRATIC, x, v)[1].tolist() == [4, -1]
    assert it.autograd.functional.hessian(QUADRATIC, x).tolist() == [[6, 2], [2, 3]]
    assert hasattr(it, "func") is (library == "torch")
    if library == "torch":
        assert it.func.hessian(QUADRATIC)(x).tolist() == [[6, 2], [2, 3]]


@pytest.mark.filterwarnings("ignore:.torch.jit")      # of PyTorch itself; 2.14 has another category
def test_jvp_in_pytorch_is_j_times_v():
    pytorch = pytest.importorskip("torch")
    x, v = pytorch.tensor([1., 2.]), pytorch.tensor([3., -1.])
    _, product = pytorch.func.jvp(lambda x: pytorch.stack([x[0] * x[1], x[0] ** 3]), (x,), (v,))
    assert product.tolist() == [5, 9]       # J is [[2, 1], [3, 0]]


def test_the_pictures_fit_the_page():
    pages = ["".join(output["data"]["text/html"])
             for cell in CELLS if {"viz", "aha"} & {*cell["metadata"].get("tags", ())}
             for output in cell["outputs"] if "text/html" in output.get("data", {})]
    graphs = [float(found[1]) for page in pages if (found := re.search(r"min-width:([\d.]+)px", page))]
    assert len(pages) == 3 and len(graphs) == 2 and max(graphs) <= 715
    assert sum("max-width:100%" in page for page in pages) == 1       # of the curves


# --- its exercises ------------------------------------------------------------------------------------------

def asked(key):
    return ENGINE_EXERCISES.get(key) or next(one for one in of(13).EXERCISES if one.id == key)


QUADRATIC = code("def f(p)")["f"]


STEEP, FLAT = torch.tensor([2., 1.]), torch.tensor([1., -2.])


@CHAPTER.says("The **curvature** along `v` is v · (H · v), divided by v · v, the square of the length of "
              "`v`.",
              "For `f`, they are [1, −2] and [2, 1]", "The curvatures are 2 and L = 7.")
def test_no_direction_of_the_chapter_s_f_has_a_larger_curvature_than_7():
    """The curvature of each of 180 directions is also found by nudges."""
    matrix = hessian(QUADRATIC, leaf(4., 1.))
    assert (matrix @ STEEP).tolist() == (7 * STEEP).tolist()
    assert (matrix @ FLAT).tolist() == (2 * FLAT).tolist() and STEEP @ FLAT == 0
    for angle in range(180):
        v = torch.tensor([np.cos(angle / 180 * np.pi), np.sin(angle / 180 * np.pi)], dtype=torch.float32)
        curvature = (v @ matrix @ v).item()
        assert 2 - 1e-5 < curvature < 7 + 1e-5
        up, here, down = (QUADRATIC(torch.tensor([4., 1.]) + h * v).item() for h in (1, 0, -1))
        assert up - 2 * here + down == pytest.approx(curvature, rel=1e-3)
    for v, curvature in (STEEP, 7), (FLAT, 2):
        assert (v @ matrix @ v / (v @ v)).item() == pytest.approx(curvature)
        v = v / v.norm()
        assert (v @ matrix @ v).item() == pytest.approx(curvature)


@pytest.mark.parametrize("seed", range(10))
@CHAPTER.says("In some directions, H · v is the curvature times `v`. Such a `v` is an **eigenvector** of H, "
              "and its curvature an **eigenvalue**. A symmetric H has n eigenvectors at right angles to "
              "each other. One of them has the largest curvature of all directions, L.")
def test_a_symmetric_matrix_has_directions_in_which_a_product_is_a_multiple(seed):
    """Random ones of 5 numbers have 5; of one that isn't symmetric, they need not be at right angles."""
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(5, 5))
    symmetric = matrix + matrix.T
    curvatures, directions = np.linalg.eigh(symmetric)
    assert np.allclose(directions.T @ directions, np.eye(5))
    for curvature, v in zip(curvatures, directions.T, strict=True):
        assert np.allclose(symmetric @ v, curvature * v) and v @ symmetric @ v == pytest.approx(curvature)
    for v in rng.normal(size=(1000, 5)):
        assert v @ symmetric @ v / (v @ v) <= curvatures[-1] + 1e-9


@CHAPTER.says("As `f` is quadratic, with its minimum at 0, its gradient at `q` is H · q.",
              "If `q` is d · `steep` + e · `flat`, this is 7d · `steep` + 2e · `flat`. So a step multiplies "
              "d by 1 − 7 · `lr`, and e by 1 − 2 · `lr`.",
              "`steep` and `flat` are at a right angle, and the square of each length is 5. So d is q · "
              "`steep` / 5, and e is q · `flat` / 5",
              "As d changes its sign, each step goes past the minimum. At 0.28, it multiplies d by −0.96, "
              "and at 0.3 by −1.1. At each rate above 2 / L, here 0.286, d grows in size.")
@pytest.mark.parametrize("lr", [0.05, 0.28, 0.285, 0.286, 0.3, 0.4])
def test_a_step_multiplies_each_part_of_the_distance_by_a_number_of_its_own(lr):
    matrix = hessian(QUADRATIC, leaf(4., 1.))
    assert torch.equal(matrix, hessian(QUADRATIC, leaf(-70., 0.5)))
    before = leaf(4., 1.)
    slope, = grad(QUADRATIC(before), before)
    assert torch.allclose(slope, matrix @ before.detach())
    after = before - lr * slope
    d, e = (before @ STEEP / 5).item(), (before @ FLAT / 5).item()
    assert torch.allclose(before, d * STEEP + e * FLAT)
    assert torch.allclose(slope, 7 * d * STEEP + 2 * e * FLAT)
    for v, curvature in (STEEP, 7), (FLAT, 2):
        assert (slope @ v).item() == pytest.approx(curvature * (before @ v).item(), rel=1e-5)
        factor = ((after @ v) / (before @ v)).item()
        assert factor == pytest.approx(1 - curvature * lr, abs=1e-5)
        assert (factor < -1) is (curvature == 7 and lr > 2 / 7)
        if lr in (0.28, 0.3):
            assert round(factor, 2) == {(7, 0.28): -0.96, (2, 0.28): 0.44, (7, 0.3): -1.1, (2, 0.3): 0.4}[
                curvature, lr]
    for _ in range(60):
        before = (before - lr * grad(QUADRATIC(before), before)[0]).detach().requires_grad_()
    assert (QUADRATIC(before).item() > 57.5) is (lr > 2 / 7)


def test_a_step_on_half_a_square_multiplies_p_by_1_minus_the_rate():
    """As in chapter 9."""
    for lr in (0.5, 1.5, 2.5):
        p = leaf(1.)
        assert (p - lr * grad(p ** 2 / 2, p)[0]).item() == 1 - lr
    assert hessian(lambda p: (p ** 2 / 2).sum(), leaf([1.])).item() == 1


def right_products():
    """Several ways to find H · v: two passes, a pass from a number, the rows of H, and a nudge of p."""
    def from_a_number(f, p, v):
        g, = grad(f(p), p, create_graph=True)
        return grad((g * v).sum(), p)[0]

    def through_the_drawer(f, p, v):
        p = p.detach().requires_grad_()
        g, = grad(f(p), p, create_graph=True)
        g.backward(v)
        return p.grad

    def nudged(f, p, v, h=0.01):
        return (grad(f(p + h * v), p)[0] - grad(f(p - h * v), p)[0]) / (2 * h)

    return [lambda f, p, v: grad(grad(f(p), p, create_graph=True)[0], p, v)[0], from_a_number,
            through_the_drawer, nudged, lambda f, p, v: hessian(f, p) @ v, lambda f, p, v: v @ hessian(f, p),
            lambda f, p, v: (hessian(f, p) @ v).tolist()]


def repeated(product, f, p, start, times=50):
    v = start
    for _ in range(times):
        v = product(f, p, v)
        v = v / v.norm()
    return v, product(f, p, v)


def curvature_from(start, f, p, times=50):
    v, product = repeated(right_products()[0], f, p, start, times)
    return v @ product


def right_curvatures():
    """Several ways: repeated products from several starts, the length of the last one, and all of H."""
    def random(seed, f, p):
        return torch.randn(len(p), generator=torch.Generator().manual_seed(seed))

    def by_length(f, p):
        return repeated(right_products()[0], f, p, random(2, f, p))[1].norm().item()

    return [*(lambda f, p, seed=seed: curvature_from(random(seed, f, p), f, p) for seed in range(8)),
            lambda f, p: curvature_from(torch.rand(len(p)), f, p),
            lambda f, p: curvature_from(torch.eye(len(p))[0], f, p),
            lambda f, p: curvature_from(p.detach(), f, p, 100), by_length,
            lambda f, p: max(np.linalg.eigvalsh(np.array(hessian(f, p).tolist())))]


@pytest.mark.parametrize("product", right_products())
@pytest.mark.parametrize("curvature", right_curvatures())
def test_13c_accepts_every_right_way(product, curvature):
    assert first_wrong(asked("13c"), (product, curvature), None) is None


@pytest.mark.parametrize(("answer", "says"), [
    (lambda f, p, v: v, "your two functions"),
    ([lambda f, p, v: grad(grad(f(p), p, create_graph=True)[0], p, v), lambda f, p: 1.],
     "Return the tensor in it"),
    ([lambda f, p, v: grad(grad(f(p), p, retain_graph=True)[0], p, v)[0], lambda f, p: 1.], "grad_fn"),
    ([lambda f, p, v: v, lambda f, p: 0.], "the Hessian-vector product is [15, -15], and yours is [1, -3]"),
    ([lambda f, p, v: grad(f(p + v), p)[0], lambda f, p: 0.],
     "the Hessian-vector product is [15, -15], and yours"),
    ([right_products()[0], lambda f, p: float("nan")], "the largest curvature is 8.162, and yours is nan"),
    ([right_products()[0], lambda f, p: curvature_from(torch.ones(len(p)), f, p)],
     "3p₀² − 4p₀p₁ + 3p₁² at p = [1, 2], the largest curvature is 10, and yours is 2")])
def test_13c_says_what_is_wrong(answer, says):
    assert says in first_wrong(asked("13c"), answer, None)


def test_the_cases_of_13c_have_no_negative_curvature_and_one_that_is_clearly_the_largest():
    for case in CASES:
        found = np.linalg.eigh(np.array(hessian(case.f, torch.tensor(case.p, requires_grad=True)).tolist()))
        assert found[0][0] > 0 and found[0][-2] < 0.8 * found[0][-1]
        at_a_right_angle = bool(abs(found[1][:, -1].sum()) < 1e-6)      # ones, to its direction
        assert at_a_right_angle is (case is CASES[-1])


@pytest.mark.parametrize("seed", range(5))
@CHAPTER.says("To find it, replace a random `v` 50 times by H · v divided by its length. For `f`, "
              "each product multiplies the part along `steep` by 7, and that along `flat` by 2. So `v` "
              "turns to `steep`. For each H, it turns to the direction of L if no negative curvature is as "
              "large in size.")
def test_repeated_products_turn_to_the_largest_curvature(seed):
    """Of random matrices, from random starts; a curvature of −6, larger in size, would win."""
    rng = np.random.default_rng(seed)
    turned, _ = np.linalg.qr(rng.normal(size=(4, 4)))
    for smallest, found in ((0.1, 5), (-2, 5), (-6, -6)):
        matrix, v = turned @ np.diag([smallest, 1., 3., 5.]) @ turned.T, rng.normal(size=4)
        for _ in range(150):
            v = matrix @ v / np.linalg.norm(matrix @ v)
        assert v @ matrix @ v == pytest.approx(found)


def network_of_the_chapter():
    """Return the names of the cell with a network whose 25 weights are in one tensor."""
    inputs, targets = points()
    target = torch.tensor(targets).view(9, 1)
    return code("x = torch.tensor(inputs).view(9, 1)\n", inputs=inputs,
                error_of=lambda guess: ((guess - target) ** 2).mean())


@CHAPTER.says("The loss of a network isn't quadratic, so L changes with its weights",
              "At 0.22, the rate times L begins above 2. So the distance from the minimum along the "
              "direction of L grows, as d did at 0.3. At first it is tiny, and the loss falls. Then the "
              "loss rises, and it falls again when L is smaller.")
def test_a_network_leaves_a_place_whose_largest_curvature_is_above_2_by_the_rate():
    """Measured in 100 steps, with L from all of H; the largest curvature has the largest size."""
    names = network_of_the_chapter()
    loss_of, after = names["loss_of"], names["after"]

    def curvatures(p):
        return np.linalg.eigvalsh(np.array(hessian(loss_of, p).tolist())).tolist()

    torch.manual_seed(0)
    start = after(300, 0.02, torch.randn(25).requires_grad_())
    found = curvatures(start)
    assert found[-1] > 0 and abs(found[0]) < 0.5 * found[-1]
    assert curvature_from(torch.randn(25), loss_of, start).item() == pytest.approx(found[-1], rel=1e-3)
    _, u = np.linalg.eigh(np.array(hessian(loss_of, start).tolist()))
    u = torch.tensor(u[:, -1].tolist(), dtype=torch.float32)
    for lr, below in ((0.12, True), (0.22, False)):
        assert (lr * found[-1] < 2) is below
        p, losses, times_l = start, [loss_of(start).item()], [lr * found[-1]]
        distance = []      # from the minimum along u: that part of the gradient, divided by the curvature
        for _ in range(100):
            distance.append((grad(loss_of(p), p)[0] @ u).item() / found[-1])
            p = after(1, lr, p)
            losses.append(loss_of(p).item())
            if len(losses) in (26, 40, 60, 80, 101):
                times_l.append(lr * curvatures(p)[-1])
        if below:
            assert max(map(abs, distance)) < 1e-3
            assert losses[25] < losses[0] and losses[100] < losses[25] and max(losses) == losses[0]
            continue
        assert abs(distance[0]) < 1e-4 and losses[11] < losses[0]
        assert all(new / old < -1.2 for old, new in zip(distance[6:18], distance[7:19], strict=True))
        top = losses.index(max(losses))
        assert losses[top] > 2 * losses[0] and losses[100] < losses[0] and top < 25
        assert max(times_l[1:]) < 2 and losses[25:] == sorted(losses[25:], reverse=True)


def penalty_by(change=lambda sensitivity: sensitivity, end=lambda square: square.mean(), **given):
    """Return a gradient penalty that calls `grad` with these arguments."""
    def penalty(guess, x):
        sensitivity, = grad(guess.sum(), x, **given)
        return end(change(sensitivity) ** 2)
    return penalty


def penalty_by_rows(guess, x):
    """Another right way: a pass for each guess."""
    rows = [grad(one, x, create_graph=True)[0][place] for place, one in enumerate(guess)]
    return (torch.stack(rows) ** 2).mean()


@pytest.mark.parametrize("penalty", [
    penalty_by(create_graph=True), penalty_by(create_graph=True, retain_graph=True), penalty_by_rows])
def test_13a_accepts_every_right_way(penalty):
    assert first_wrong(asked("13a"), penalty, None) is None


@pytest.mark.parametrize(("penalty", "says"), [
    (1., "your function"), (penalty_by(retain_graph=True), "your sensitivity has no graph."),
    (penalty_by(lambda one: one.requires_grad_(), retain_graph=True), "is a new leaf"),
    (penalty_by(lambda one: one.detach().requires_grad_(), create_graph=True), "is a new leaf"),
    (penalty_by(lambda one: one.detach(), create_graph=True),
     "the derivative of the penalty with respect to w is 3, and yours"),
    (penalty_by(end=lambda square: square.sum(), create_graph=True),
     "the penalty is 2.25, and yours is 6.75"),
    (penalty_by(create_graph=True, retain_graph=False), "a second time"), (penalty_by(), "a second time")])
def test_13a_says_what_is_wrong(penalty, says):
    assert says in first_wrong(asked("13a"), penalty, None)


def test_a_learner_finds_the_copy_of_13a_as_the_penalty_of_13_1():
    """Its body is the same, and what the check calls right is what the solution of the chapter returns."""
    sources = ["".join(cell["source"]) for cell in CELLS]
    stub, = (one for one in sources if one.startswith("def repaired"))
    first, = (one for one in sources if one.startswith("def penalty_of"))
    assert stub.splitlines()[1:3] == first.splitlines()[1:3]
    names = penalties()
    assert first_wrong(asked("13a"), names["repaired"], None) is None
    assert "no graph" in first_wrong(asked("13a"), names["penalty_of"], None)


@CHAPTER.says("To differentiate a derivative, keep the graph of its pass, and what the nodes on the paths to "
              "`x` saved.")
@pytest.mark.parametrize(("kept", "says"), [
    ({"retain_graph": True}, NO_GRAPH), ({"create_graph": True, "retain_graph": False}, FREED),
    ({"create_graph": True}, "")])
def test_both_must_be_kept(kept, says):
    x = leaf(0.7)
    g, = grad(x.exp(), x, **kept)
    assert error_of(grad, g, x) == says


def dual_with(tangent):
    class Dual:
        def __init__(self, value, tangent):
            self.value, self.tangent = value, tangent

        def __truediv__(self, other):
            return Dual(self.value / other.value, tangent(self, other))
    return Dual


@pytest.mark.parametrize(("tangent", "right"), [
    (lambda a, b: (a.tangent * b.value - a.value * b.tangent) / b.value ** 2, True),
    (lambda a, b: a.tangent / b.value - a.value * b.tangent / b.value ** 2, True),
    (lambda a, b: (a.tangent * b.value + a.value * b.tangent) / b.value ** 2, False),
    (lambda a, b: 0., False)])
def test_13d_compares_tangents_with_gradients(tangent, right):
    said = first_wrong(asked("13d"), dual_with(tangent), None)
    assert (said is None) is right
    assert right or "the tangent should be 1.625 and -0.25" in said


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


@CHAPTER.says("Then `x.grad.backward()` adds to `x.grad`: for `x * x * x` at 10, 300 becomes 360.")
def test_a_second_pass_of_the_engine_adds_to_the_drawer():
    names = {}
    exec(source(13), names)
    x = names["Tensor"](10., True)
    (x * x * x).backward(create_graph=True)
    first = x.grad
    assert first.data == 300
    first.backward()
    assert x.grad.data == 360


def test_the_engine_s_slice_adds_create_graph():
    assert "create_graph" in source(13) and "create_graph" not in source(11)
