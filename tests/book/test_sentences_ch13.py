"""Chapter 13: programs that try to break its rules, and numbers that it claims and no cell prints."""
import gc
import json
import random
import re
import weakref
from types import FunctionType

import numpy as np
import pytest

import minigrad as torch
from minigrad.book import points
from minigrad.book.classroom.engine import source
from minigrad.book.classroom.engine.slice_exercises import ENGINE_EXERCISES
from minigrad.book.classroom.judging import first_wrong
from minigrad.book.content.chapters import of
from minigrad.book.content.chapters.ch13 import (
    CASES,
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


def code(*beginnings, **names):
    """Run the cells of the chapter that begin so, and return the names that they define."""
    names = {"torch": torch, "grad": grad, **names}
    for beginning in beginnings:
        found = ["".join(cell["source"]) for cell in CELLS
                 if cell["cell_type"] == "code" and "".join(cell["source"]).startswith(beginning)]
        assert len(found) == 1
        exec(found[0], names)
    return names


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


@pytest.mark.parametrize("seed", range(5))
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


@pytest.mark.parametrize("seed", range(5))
@CHAPTER.says("row i holds the derivatives of `g[i]`. So H is the Jacobian of `g`.",
              "If the second derivatives are continuous, H is symmetric: both numbers beside the diagonal "
              "are 2.",
              "H is symmetric, so this is also H · v, in code `H @ v`.")
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
    lambda x: x ** 3, lambda x: x * x * x, lambda x: x.sin().sin(), lambda x: x.exp(), lambda x: 1 / x,
    lambda x: (x * x).log(), lambda x: (x + 1) * (x + 2), lambda x: (3 * x) ** 2)
TWO_INPUTS = (
    lambda x, w: x ** 2 * (w * w), lambda x, w: (x * w).sin() * w, lambda x, w: x.exp() * w.exp(),
    lambda x, w: x / (w * w + 1), lambda x, w: x * x + w ** 3)


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
@CHAPTER.says("`grad(g, x)` runs the nodes on all paths from `g` to `x`, of forward and backward passes.")
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


def test_freed_nodes_that_are_on_no_path_do_no_harm():
    """The edges from `g` also lead to the freed node of `w * w`, but no path to `x` goes through it."""
    x, w = leaf(3.), leaf(2.)
    for one, says in (x, ""), (w, FREED):
        g, _ = grad(x ** 2 * (w * w), (x, w), create_graph=True, retain_graph=False)
        assert error_of(grad, g, one) == says


@pytest.mark.parametrize("library", ["minigrad", "torch"])
@CHAPTER.says("If a function may be linear, write `grad(g + 0 * x, x)`: here it returns 0.",
              "With neither, `g` doesn't depend on `x`. `0 * x` connects them: without it, `grad` would "
              "raise an error (`not have been used in the graph`).")
def test_a_sum_with_0_times_x_has_a_second_derivative(library):
    """`materialize_grads=True` is no other way: the gradient of 5x has no graph."""
    it = pytest.importorskip(library)
    x, w = it.tensor([1., 2.], requires_grad=True), it.tensor([3., 4.], requires_grad=True)
    for y, says, second in (5 * x, NO_GRAPH, 0.), (w * x, UNUSED, 0.), (x ** 2, "", 2.):
        g, = it.autograd.grad(y.sum(), x, create_graph=True)
        assert it.autograd.grad((g + 0 * x).sum(), x, retain_graph=True)[0].tolist() == [second] * 2
        assert error_of(it.autograd.grad, g.sum(), x).partition(".")[0] == says
    g, = it.autograd.grad((5 * x).sum(), x, create_graph=True)
    assert error_of(lambda: it.autograd.grad(g.sum(), x, materialize_grads=True)) == NO_GRAPH


@pytest.mark.parametrize("library", ["minigrad", "torch"])
@CHAPTER.says("Each guess depends on its own input alone, so the gradient of `guess.sum()` holds all nine.")
def test_sums_give_the_second_derivatives_of_results_that_do_not_mix(library):
    """The Recap says the same. Where results mix, the numbers are sums of the rows of H."""
    it = pytest.importorskip(library)
    assert "a second derivative, for one number `x`" in CHAPTER
    assert "several, if each result depends on its own input alone | the same, with `y.sum()` and " \
           "`g.sum()`" in CHAPTER
    for result, found in (lambda x: x ** 3, [6, 12]), (lambda x: x[0] * x[1], [1, 1]):
        x = it.tensor([1., 2.], requires_grad=True)
        g, = it.autograd.grad(result(x).sum(), x, create_graph=True)
        assert error_of(it.autograd.grad, g, x) == "grad can be implicitly created only for scalar outputs"
        assert it.autograd.grad(g.sum(), x)[0].tolist() == found


@CHAPTER.says("As H is symmetric, the pass returns H · v, a **Hessian-vector product**: the change of the "
              "gradient if `p` moves by `v`. For a quadratic `f`, this holds for every `v`, for others if "
              "`v` is tiny: for x³ at 10 and v = 1, H · v is 60, but the gradient grows from 300 to 363.")
def test_a_gradient_that_is_not_linear_grows_by_another_number_than_h_times_v():
    first, x, moved = leaf(10.), leaf(10.), leaf(11.)
    assert grad(first ** 3, first)[0] == 300 and grad(moved ** 3, moved)[0] == 363
    assert grad(grad(x ** 3, x, create_graph=True)[0], x)[0] == 60
    p, v = leaf(4., 1.), torch.tensor([-70., 30.])
    changed = grad(QUADRATIC(p + v), p)[0] - grad(QUADRATIC(p), p)[0]
    assert torch.allclose(changed, hessian(QUADRATIC, p) @ v)
    tiny = torch.tensor(10.01, requires_grad=True)
    assert ((grad(tiny ** 3, tiny)[0] - 300) / 0.01).item() == pytest.approx(60, rel=0.01)


@pytest.mark.parametrize("result", [lambda x: 5 * x, lambda x: x + x, lambda x: x / 4 - 3])
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


@pytest.mark.parametrize("result", [
    lambda x: (x[0] * x[1]).sin(), lambda x: (x ** 2).sum().exp().log(), lambda x: (x * x * x).prod()])
@CHAPTER.says("With `create_graph=True`, leave `retain_graph` out: a pass from `g` can need what the graph "
              "of `y` saved.")
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


def saved_result(ctx, x):
    y = x.exp()
    ctx.save_for_backward(y)
    return y


def saved_number(ctx, x):
    y = x.exp()
    ctx.save_for_backward(y)
    return y.clone()


def number_without_a_graph(ctx, x):
    ctx.y = x.detach().exp()
    return ctx.y.clone()


def saved_input(ctx, x):
    ctx.save_for_backward(x)
    return x.exp()


@pytest.mark.parametrize("library", ["minigrad", "torch"])
@pytest.mark.parametrize(("forward", "backward", "right"), [
    (saved_input, lambda ctx, g: g * ctx.saved_tensors[0].exp(), True),
    (saved_result, lambda ctx, g: g * ctx.saved_tensors[0], True),
    (saved_number, lambda ctx, g: g * ctx.saved_tensors[0], False),
    (number_without_a_graph, lambda ctx, g: g * ctx.y, False)])
@CHAPTER.says("In an operation of your own (chapter 14), save only inputs and results: other numbers have no "
              "graph, so second derivatives can be wrong, without an error.")
def test_an_operation_that_saves_other_numbers_has_a_wrong_second_derivative(library, forward, backward,
                                                                             right):
    """The first derivative of exp(x²) at 1, 2e, is right in each case; the second one is 6e."""
    it = pytest.importorskip(library)
    Exp = type("Exp", (it.autograd.Function,), {"forward": staticmethod(forward),
                                                "backward": staticmethod(backward)})
    x = it.tensor([1.], requires_grad=True)
    g, = it.autograd.grad(Exp.apply(x * x), x, it.ones(1), create_graph=True)
    assert g.item() == pytest.approx(2 * np.e)
    assert it.autograd.grad(g, x)[0].item() == pytest.approx((6 if right else 2) * np.e)


# --- what the chapter says apart from its rules -------------------------------------------------------------

def penalties():
    """Return the names of the chapter: `penalty_of` and `repaired` are its two penalties."""
    inputs, targets = points()
    return code("def penalty_of", "### BEGIN SOLUTION\ndef repaired", "def train",
                inputs=inputs, target=torch.tensor(targets).view(9, 1),
                x=torch.tensor(inputs).view(9, 1).requires_grad_())


@CHAPTER.says("Make them `Tensor`s in messages, hooks and drawers; `v` stays an array",
              "`+` needs a `Tensor` on both sides, so the zeros in `fitted` change, and a sum of messages "
              "can't begin with 0.",
              "`@` needs a transpose that is recorded",
              "`SGD.step` reads `p.grad.data`: `add_` takes an array.")
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


def test_a_recorded_pass_of_the_engine_begins_with_an_array_and_gives_hooks_a_tensor():
    names, seen = {}, []
    exec(source(13), names)
    x = names["Tensor"]([1., 2.], True)
    y = x * x
    y.register_hook(lambda message: seen.append(type(message)))
    y.backward(np.array([1., 10.]), create_graph=True)
    assert x.grad.data.tolist() == [2, 40] and seen == [names["Tensor"]] == [type(x.grad)]


@pytest.mark.filterwarnings("ignore:Using backward")
@CHAPTER.says("(PyTorch warns: `x` stays in memory until you empty its drawer.)")
def test_a_recorded_pass_that_fills_a_drawer_keeps_the_leaf_in_memory():
    """Even Python's garbage collector doesn't find it. In minigrad, it does."""
    pytorch = pytest.importorskip("torch")
    for emptied in False, True:
        x = pytorch.tensor(10., requires_grad=True)
        (x * x * x).backward(create_graph=True)
        if emptied:
            x.grad = None
        seen = weakref.ref(x)
        del x
        gc.collect()
        assert (seen() is None) is emptied


def with_seed(seed, monkeypatch):
    """Return the names of the chapter's penalties, and a list that gets each network that they train."""
    nets, sequential, start = [], torch.nn.Sequential, torch.manual_seed
    monkeypatch.setattr(torch.nn, "Sequential", lambda *layers: nets.append(sequential(*layers)) or nets[-1])
    monkeypatch.setattr(torch, "manual_seed", lambda _: start(seed))
    names = penalties()
    nets.clear()
    return names, nets


@CHAPTER.says("Only the repaired penalty makes the sensitivity smaller. With wrong inputs, the error falls. "
              "The price: with right inputs, it rises.")
@pytest.mark.parametrize("seed", range(2))
def test_a_penalty_raises_the_error_and_lowers_the_error_with_wrong_inputs(seed, monkeypatch):
    """The chapter adds 0.3 to each input, or subtracts it; here, many are also wrong at random."""
    inputs, targets = points()
    names, nets = with_seed(seed, monkeypatch)
    found = [names["train"](strength, names["repaired"]) for strength in (0., 0.09)]
    assert names["train"](0.09, names["penalty_of"]) == found[0]
    penalty, error, shifted = zip(*found, strict=True)
    assert penalty[0] > penalty[1] and error[0] < error[1]
    noise = torch.randn(1000, 9, generator=torch.Generator().manual_seed(1))

    def errors(by):
        x = (torch.tensor(inputs) + by).view(-1, 1)
        return [((net(x).view(-1, 9) - torch.tensor(targets)) ** 2).mean().item() for net in nets[:2]]

    at_random, *each_way = (errors(by) for by in (0.3 * noise, 0.3, -0.3))
    for none, recorded in shifted, *each_way, at_random:
        assert recorded < none - 0.02
    assert shifted == pytest.approx([sum(both) / 2 for both in zip(*each_way, strict=True)], abs=0.006)


@CHAPTER.says("If a guess misses its target by r, and an input that is 0.3 too large or too small changes it "
              "by c or −c, the mean of (r + c)² and (r − c)² is r² + c². Here c is about 0.3 times the "
              "sensitivity, so the mean of c² is 0.09 times the penalty.",
              "`wrong` is the mean error with such inputs")
@pytest.mark.parametrize("seed", range(2))
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


# --- with ReLU ----------------------------------------------------------------------------------------------

def network(activation, seed, layers):
    torch.manual_seed(seed)
    hidden = [one for _ in range(layers - 1) for one in (torch.nn.Linear(8, 8), activation())]
    return torch.nn.Sequential(torch.nn.Linear(1, 8), activation(), *hidden, torch.nn.Linear(8, 1))


@pytest.mark.parametrize(("seed", "layers"), [(0, 1), (1, 1), (2, 3)])
@CHAPTER.says("With ReLU, they are 0 (the curve consists of straight pieces), so a penalty on them can't "
              "train it; one on first derivatives, such as `repaired`, can.")
def test_a_network_with_relu_has_a_second_derivative_of_zero(seed, layers):
    """Also with more layers. Its gradient has a graph and depends on the weights; Tanh is the contrast."""
    for activation in (torch.nn.ReLU, torch.nn.LeakyReLU, torch.nn.Tanh, torch.nn.Sigmoid):
        net, x = network(activation, seed, layers), leaf([[-1.], [0.1], [1.]])
        g, = grad(net(x).sum(), x, create_graph=True)
        second, = grad(g.sum(), x, create_graph=True)
        smooth = activation in (torch.nn.Tanh, torch.nn.Sigmoid)
        assert g.requires_grad
        assert [bool((second != 0).all()), bool((second == 0).all())] == [smooth, not smooth]
        first, = grad((g ** 2).mean(), net[0].weight, retain_graph=True)
        again, = grad((second ** 2).mean(), net[0].weight)
        assert (first != 0).any() and bool((again != 0).any()) is smooth


@pytest.mark.parametrize("seed", range(3))
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


@pytest.mark.parametrize("seed", range(3))
@CHAPTER.says("A backward pass (**reverse mode**) finds how one result changes with every input, and "
              "needs a graph. In **forward mode**, a pass finds how every result changes along one direction "
              "`v` of the inputs (the **Jacobian-vector product** J · v), and needs no graph.",
              "One pass found how five results change with `a`. For `b`, forward mode needs a second pass. "
              "Reverse mode takes five passes for both, one from each result. So forward mode is better for "
              "few inputs and many results.")
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
    assert "torch.func.jvp(f, (x,), (v,))[1]" in CHAPTER


LINE_OF_13_4 = "None tensor(6.)\n"


@pytest.mark.parametrize(("decide", "printed", "claims"), [
    (what_the_second_pass_does, "tensor(5.) None\nRuntimeError: element 0", "it raises an error"),
    (what_the_second_pass_does, "tensor(5.) None\n(tensor(0.),)", "it returns 0"),
    (where_the_second_derivative_is_found, 4 * LINE_OF_13_4, "for both"),
    (where_the_second_derivative_is_found, 3 * LINE_OF_13_4 + FREED, "for `x ** 3` alone"),
    (where_the_second_derivative_is_found, 2 * LINE_OF_13_4 + FREED, "for neither, or for `x.exp()` alone"),
    (what_a_pass_from_a_tangent_does, "(tensor(6.), tensor(11.))", "it returns 6 and 11"),
    (what_a_pass_from_a_tangent_does, "(tensor(6.), tensor(0.))", "it returns 6 and 0"),
    (what_a_pass_from_a_tangent_does, "RuntimeError: element 0 of tensors", "it raises an error")])
def test_a_question_is_decided_by_what_its_cell_prints(decide, printed, claims):
    assert decide(printed) == claims


# --- its exercises ------------------------------------------------------------------------------------------

def asked(key):
    return ENGINE_EXERCISES.get(key) or next(one for one in of(13).EXERCISES if one.id == key)


QUADRATIC = code("def f(p)")["f"]
STEEP, FLAT = torch.tensor([2., 1.]), torch.tensor([1., -2.])


@CHAPTER.says("H · v is 7 · `steep` and 2 · `flat`, so both are **eigenvectors** of H. The factors "
              "(**eigenvalues**) are the **curvatures** along them. Other directions have curvatures between "
              "these. The largest, 7, is **L**.")
def test_no_direction_of_the_chapter_s_f_has_a_larger_curvature_than_7():
    matrix = hessian(QUADRATIC, leaf(4., 1.))
    assert (matrix @ STEEP).tolist() == (7 * STEEP).tolist()
    assert (matrix @ FLAT).tolist() == (2 * FLAT).tolist() and STEEP @ FLAT == 0
    for angle in range(180):
        v = torch.tensor([np.cos(angle / 180 * np.pi), np.sin(angle / 180 * np.pi)], dtype=torch.float32)
        curvature = (v @ matrix @ v).item()
        assert 2 - 1e-5 < curvature < 7 + 1e-5
        if angle % 90:
            mixed = angle / 180 * STEEP + (1 - angle / 90) * FLAT       # it has a part along each
            assert 2 < (mixed @ matrix @ mixed / (mixed @ mixed)).item() < 7
    for v, curvature in (STEEP, 7), (FLAT, 2):
        assert (v @ matrix @ v / (v @ v)).item() == pytest.approx(curvature)
    assert np.linalg.eigvalsh(np.array(matrix.tolist())).tolist() == pytest.approx([2, 7])


@CHAPTER.says("As `f` is quadratic, its gradient at `q` is H · q. So a step from `steep` leads to `steep` − "
              "`lr` · 7 · `steep`: this part is multiplied by 1 − 7 · `lr`, −0.75 or −1.1. Its sign changes "
              "each time: the zigzag. At rates above 2 / L, here 0.286, it grows. The part along `flat` "
              "shrinks at both.",
              "Both paths begin at `steep` + 2 · `flat`: these are their **parts** along the two.")
@pytest.mark.parametrize("lr", [0.05, 0.25, 0.285, 0.286, 0.3])
def test_a_step_multiplies_each_part_of_the_distance_by_a_number_of_its_own(lr):
    before = leaf(4., -3.)
    assert torch.equal(before, STEEP + 2 * FLAT)
    slope, = grad(QUADRATIC(before), before)
    assert torch.allclose(slope, hessian(QUADRATIC, before) @ before.detach())
    after = before - lr * slope
    d, e = (before @ STEEP / 5).item(), (before @ FLAT / 5).item()
    assert torch.allclose(before, d * STEEP + e * FLAT)
    assert torch.allclose(slope, 7 * d * STEEP + 2 * e * FLAT)
    for v, curvature in (STEEP, 7), (FLAT, 2):
        factor = ((after @ v) / (before @ v)).item()
        assert factor == pytest.approx(1 - curvature * lr, abs=1e-5)
        if v is STEEP and lr in (0.25, 0.3):
            assert factor == pytest.approx({0.25: -0.75, 0.3: -1.1}[lr], abs=1e-5)
        assert (factor < -1) is (curvature == 7 and lr > 2 / 7)
        assert lr not in (0.25, 0.3) or (factor < 0 if curvature == 7 else 0 < factor < 1)
    for _ in range(60):
        before = (before - lr * grad(QUADRATIC(before), before)[0]).detach().requires_grad_()
    assert (QUADRATIC(before).item() > 17.5) is (lr > 2 / 7)


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
    """Several ways: repeated products from several starts, and all of H."""
    def random(seed, f, p):
        return torch.randn(len(p), generator=torch.Generator().manual_seed(seed))

    return [*(lambda f, p, seed=seed: curvature_from(random(seed, f, p), f, p) for seed in range(8)),
            lambda f, p: curvature_from(torch.rand(len(p)), f, p),
            lambda f, p: curvature_from(torch.eye(len(p))[0], f, p),
            lambda f, p: curvature_from(p.detach(), f, p, 100),
            lambda f, p: max(np.linalg.eigvalsh(np.array(hessian(f, p).tolist())), key=abs)]


@pytest.mark.parametrize(("product", "curvature"), [
    *((product, right_curvatures()[0]) for product in right_products()),
    *((right_products()[0], curvature) for curvature in right_curvatures()[1:])])
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
    ([right_products()[0], lambda f, p: abs(right_curvatures()[0](f, p))],     # the length of H · v
     "p₀² + 2p₀p₁ − 3p₁² at p = [1, 2], the largest curvature is -6.472, and yours is 6.472"),
    ([right_products()[0], lambda f, p: float("nan")], "the largest curvature is 8.162, and yours is nan"),
    ([right_products()[0], lambda f, p: curvature_from(torch.ones(len(p)), f, p)],
     "3p₀² − 4p₀p₁ + 3p₁² at p = [1, 2], the largest curvature is 10, and yours is 2")])
def test_13c_says_what_is_wrong(answer, says):
    assert says in first_wrong(asked("13c"), answer, None)


def test_each_case_of_13c_has_one_curvature_that_is_clearly_the_largest_in_size():
    for case in CASES:
        found = np.linalg.eigh(np.array(hessian(case.f, torch.tensor(case.p, requires_grad=True)).tolist()))
        order = np.argsort(abs(found[0]))
        assert abs(found[0][order[-2]]) < 0.8 * abs(found[0][order[-1]])
        at_a_right_angle = bool(abs(found[1][:, order[-1]].sum()) < 1e-6)       # ones, to its direction
        assert at_a_right_angle is (case is CASES[-1])


@pytest.mark.parametrize("seed", range(2))
@CHAPTER.says("Along a `v` of length 1, the curvature is the dot product v · (H · v). To find `steep`, "
              "replace a random `v` 50 times by H · v, scaled to length 1. Each product multiplies its "
              "part along `steep` by 7, along `flat` by 2, so `v` turns to `steep`. This finds the "
              "curvature that is largest in size, if no other is nearly as large: −6 for p₀² − 3p₁², where "
              "almost every start leads away from [0, 0].")
def test_repeated_products_turn_to_the_curvature_that_is_largest_in_size(seed):
    """Of random matrices, from random starts, and of functions, with the solution of 13c."""
    rng = np.random.default_rng(seed)
    turned, _ = np.linalg.qr(rng.normal(size=(4, 4)))
    for smallest, found in ((0.1, 5), (-2, 5), (-6, -6), (-5, None), (4.98, None)):
        matrix, v = turned @ np.diag([smallest, 1., 3., 5.]) @ turned.T, rng.normal(size=4)
        for _ in range(150 if found else 50):
            v = matrix @ v / np.linalg.norm(matrix @ v)
        product = matrix @ v
        if found:
            assert v @ product == pytest.approx(found)
        else:               # another curvature is as large in size, or nearly: `v` is no eigenvector
            assert np.linalg.norm(product - (v @ product) * v) > 1e-3
    largest, p = code("### BEGIN SOLUTION\ndef hvp", f=QUADRATIC, p=leaf(4., 1.))["largest"], leaf(4., 1.)

    def saddle(p):
        return p[0] ** 2 - 3 * p[1] ** 2

    torch.manual_seed(seed)
    assert largest(QUADRATIC, p).item() == pytest.approx(7)
    assert largest(saddle, p).item() == pytest.approx(-6)
    assert hessian(saddle, p).tolist() == [[2, 0], [0, -6]]
    for lr in 0.01, 0.3, 1.:
        q = leaf(4., 0.1)
        for _ in range(5):
            before, q = q, (q - lr * grad(saddle(q), q)[0]).detach().requires_grad_()
            assert abs(q[1]) > abs(before[1])
    v, _ = repeated(right_products()[0], QUADRATIC, p, torch.randn(2))
    assert abs(v @ STEEP).item() == pytest.approx(5 ** 0.5)


def network_of_the_chapter(it=torch):
    """Return the names of the cell with a network whose 25 weights are in one tensor; `it` is a library."""
    inputs, targets = points()
    target = it.tensor(targets).view(9, 1)
    return code("x = torch.tensor(inputs).view(9, 1)\n", inputs=inputs, torch=it, grad=it.autograd.grad,
                error_of=lambda guess: ((guess - target) ** 2).mean())


@CHAPTER.says("The loss of a network isn't quadratic, so L changes with its weights",
              "The rate times L begins at 2.9, above 2. So the part along the direction of L grows, as that "
              "along `steep` did at 0.3. Still, the loss falls for 11 steps. Then it rises, from 0.033 to "
              "11, and falls again when L is smaller.")
def test_a_network_leaves_a_place_whose_largest_curvature_is_above_2_by_the_rate():
    """Measured in 100 steps, with L from all of H; the largest curvature has the largest size."""
    names = network_of_the_chapter()
    loss_of, after = names["loss_of"], names["after"]

    def curvatures(p):
        return np.linalg.eigvalsh(np.array(hessian(loss_of, p).tolist())).tolist()

    torch.manual_seed(0)
    start = after(300, 0.02, torch.randn(25).double().requires_grad_())
    found = curvatures(start)
    assert found[-1] > 0 and abs(found[0]) < 0.5 * found[-1]
    assert curvature_from(torch.randn(25), loss_of, start).item() == pytest.approx(found[-1], rel=1e-3)
    _, u = np.linalg.eigh(np.array(hessian(loss_of, start).tolist()))
    u = torch.tensor(u[:, -1].tolist(), dtype=torch.float64)
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
        assert abs(distance[0]) < 1e-4
        assert losses[:12] == sorted(losses[:12], reverse=True) and losses[12] > losses[11]
        assert all(new / old < -1.2 for old, new in zip(distance[6:18], distance[7:19], strict=True))
        top = losses.index(max(losses))
        assert [f"{number:.2g}" for number in (times_l[0], min(losses[:top]), losses[top])] == [
            "2.9", "0.033", "11"]
        assert losses[top] > 2 * losses[0] and losses[100] < losses[0] and top < 25
        assert max(times_l[1:]) < 2 and losses[25:] == sorted(losses[25:], reverse=True)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("library", ["minigrad", "torch"])
@CHAPTER.says("So a falling loss doesn't show that a rate is low enough; here, L shows it first.")
def test_a_loss_that_falls_at_first_rises_later_exactly_if_the_rate_times_l_is_above_2(library, seed):
    """For three starts of the network: 1.6 and 2.9, of which the loss falls for at least ten steps."""
    it = pytest.importorskip(library)
    names = network_of_the_chapter(it)
    loss_of, after = names["loss_of"], names["after"]
    it.manual_seed(seed)
    start = after(300, 0.02, it.randn(25).double().requires_grad_())
    g, = it.autograd.grad(loss_of(start), start, create_graph=True)
    rows = [it.autograd.grad(g, start, v, retain_graph=True)[0].tolist() for v in it.eye(25).double()]
    found = np.linalg.eigvalsh(np.array(rows))[-1]
    for times_l in 1.6, 2.9:
        p, losses = start, [loss_of(start).item()]
        for _ in range(40):
            p = after(1, times_l / found, p)
            losses.append(loss_of(p).item())
        assert losses[:11] == sorted(losses[:11], reverse=True)
        assert (max(losses) > 50 * losses[0]) is (times_l > 2)
        assert times_l > 2 or losses == sorted(losses, reverse=True)


def right_programs(it):
    """Programs for 13c that its check accepts: products, and ways to find the curvature with one."""
    grad = it.autograd.grad

    def hvp(f, p, v):
        return grad(grad(f(p), p, create_graph=True)[0], p, v)[0]

    def from_a_dot(f, p, v):
        return grad(grad(f(p), p, create_graph=True)[0] @ v, p)[0]

    def through_the_drawer(f, p, v):
        p.grad = None
        grad(f(p), p, create_graph=True)[0].backward(v)
        return p.grad.clone()

    def largest_with(product, start):
        def largest(f, p):
            v = start(p)
            for _ in range(50):
                v = product(f, p, v)
                v = v / v.norm()
            return v @ product(f, p, v)
        return product, largest

    return [largest_with(product, start) for product in (hvp, from_a_dot, through_the_drawer)
            for start in (lambda p: it.randn(p.shape), lambda p: it.randn(len(p)),
                          lambda p: it.rand(len(p), dtype=it.float32), lambda p: p.detach())]


@pytest.mark.parametrize("way", range(12))
@pytest.mark.parametrize("library", ["minigrad", "torch"])
def test_what_13c_accepts_runs_in_the_cell_that_uses_it(library, way, capsys):
    """Also a product that begins with `g @ v`, which needs two tensors of the same dtype."""
    it = pytest.importorskip(library)
    it.manual_seed(0)

    def in_a_notebook(function):        # whose `torch` is this library, as the check asks
        return FunctionType(function.__code__, {**function.__globals__, "torch": it},
                            closure=function.__closure__)

    answer = tuple(map(in_a_notebook, right_programs(it)[way]))
    assert first_wrong(asked("13c"), answer, None) is None
    capsys.readouterr()
    code("torch.manual_seed(0)\nstart = after", **network_of_the_chapter(it), largest=answer[1])
    found = [line.split()[-1] for line in capsys.readouterr().out.splitlines()]
    assert found == ["L", "2.9", "3.1", "3.1", "3.1", "2.1", "1.1", "1.4"]


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


def penalty_of_the_drawer(empty):
    """A wrong way: `backward` fills the drawers of all leaves; that of `x` may be emptied before it."""
    def penalty(guess, x):
        x.grad = None if empty else x.grad
        guess.sum().backward(create_graph=True)
        return (x.grad ** 2).mean()
    return penalty


@pytest.mark.parametrize("penalty", [
    penalty_by(create_graph=True), penalty_by(create_graph=True, retain_graph=True), penalty_by_rows])
def test_13a_accepts_every_right_way(penalty):
    assert first_wrong(asked("13a"), penalty, None) is None


@pytest.mark.parametrize(("penalty", "says"), [
    (1., "your function"), (penalty_by(retain_graph=True), "your penalty has no graph."),
    (penalty_by(end=lambda square: square, create_graph=True), "returns 3 numbers. The penalty is their"),
    (penalty_by(end=lambda square: None, create_graph=True), "returns nothing. Return the penalty."),
    (penalty_of_the_drawer(False), "fills the drawers"), (penalty_of_the_drawer(True), "fills the drawers"),
    (lambda guess, x: leaf(1.) ** 2, "the penalty is 2.25, and yours is 1."),
    (penalty_by(lambda one: one.requires_grad_(), retain_graph=True), "is a new leaf"),
    (penalty_by(lambda one: one.detach().requires_grad_(), create_graph=True), "is a new leaf"),
    (penalty_by(lambda one: one.detach(), create_graph=True),
     "the derivative of the penalty with respect to w is 3, and yours"),
    (penalty_by(end=lambda square: square.sum(), create_graph=True),
     "the penalty is 2.25, and yours is 6.75"),
    (penalty_by(create_graph=True, retain_graph=False), "freed what the graph of the guess had saved"),
    (penalty_by(), "freed what the graph of the guess had saved")])
def test_13a_says_what_is_wrong(penalty, says):
    said = first_wrong(asked("13a"), penalty, None)
    assert says in said
    assert "ensitivity" not in said or "the penalty is 2.25" not in said     # there may be none: `w ** 2`


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
    """An engine may raise an error there, as that of the book does, or have no such operation."""
    right = source(13)
    wrong = right.replace("Tensor(p / len(labels)), once)", "Tensor(p / len(labels)), times)")
    without = re.sub(r"    def cross_entropy.*?(?=    def detach)", "", right, flags=re.S)
    assert len({right, wrong, without}) == 3
    said = []
    for text in wrong, without:
        names = {}
        exec(text, names)
        said.append(first_wrong(asked("13e"), names["Tensor"], None))
    assert "no error is raised" in said[0] and said[1] is None


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
