"""Chapter 11: sentences of well-known material that are false, and programs that try to break its rules."""
import math
import random
import re
from types import SimpleNamespace

import pytest

import minigrad as torch
from minigrad.book.classroom.digits import digits
from minigrad.book.classroom.engine import source
from minigrad.book.classroom.judging import first_wrong
from minigrad.book.content.chapters import of, question
from minigrad.book.content.chapters.ch11 import MULTIPLIES, hidden, two_runs
from tests.helpers.sentences import Chapter
from tests.helpers.stored_chapters import load

CHAPTER = Chapter(11)


def leaf(*values):
    return torch.tensor(values[0] if len(values) == 1 else values, requires_grad=True)


def seen_by_a_hook(program, times=1):
    """Return what a hook of `y` saw while `program(x, y)` ran its passes."""
    x, seen = leaf(2.), []
    y = x ** 2
    for _ in range(times):
        y.register_hook(lambda g: seen.append(g.item()))
    program(x, y)
    return seen


def registered_after_the_forward_pass():
    x, seen = leaf(2.), []
    y = x ** 2
    z = 3 * y
    y.register_hook(lambda g: seen.append(g.item()))
    z.backward()
    return seen


def drawer_inside_a_leaf_s_hook():
    x, seen = leaf(2.), []
    x.register_hook(lambda g: seen.append(x.grad))
    (x * 3).backward()
    return seen


def retained_late():
    x = leaf(2.)
    y = x ** 2
    (3 * y).backward()
    y.retain_grad()
    return y.grad


def inside_no_pass():
    x = leaf(2.)
    y = x ** 2
    y.retain_grad()
    torch.autograd.grad(3 * y, x)
    return y.grad.item(), x.grad


def clipped_in_each_pass():
    x = leaf(1.)
    x.register_hook(lambda g: g.clamp(max=1))
    for _ in range(2):
        (5 * x).backward()
    return x.grad.item()


def changed_in_a_pre_hook():
    """What a pre-hook of the node returns reaches the node, and not the drawer of `retain_grad()`."""
    x = leaf(2.)
    y = x ** 2
    y.retain_grad()
    y.grad_fn.register_prehook(lambda grads: (grads[0] * 10,))
    (3 * y).backward()
    return y.grad.item(), x.grad.item()


def written_between_two_hooks():
    """A hook that was registered before a write in place stays at the old node, behind the new one."""
    x, seen = leaf(2.), []
    y = x * 1
    y.register_hook(lambda g: seen.append(("first", g.item(), y.grad is None)))
    y.retain_grad()
    y.mul_(3)
    y.register_hook(lambda g: seen.append(("second", g.item(), y.grad is None)))
    (5 * y).backward()
    return seen, y.grad.item()


def input_without_a_gradient():
    seen, layer = [], torch.nn.Linear(1, 2)
    layer.register_full_backward_hook(lambda layer, of_inputs, of_outputs: seen.append(of_inputs))
    with pytest.warns(UserWarning, match="no inputs require gradients"):
        layer(torch.ones(3, 1)).sum().backward()
    return seen


SENTENCES = [
    ("a hook runs for each use", lambda: seen_by_a_hook(lambda x, y: (3 * y + 4 * y).backward()), [7]),
    ("a hook runs when it is registered", lambda: seen_by_a_hook(lambda x, y: None), []),
    ("a hook must be registered before the forward pass", registered_after_the_forward_pass, [3]),
    ("a hook isn't called by autograd.grad",
     lambda: seen_by_a_hook(lambda x, y: torch.autograd.grad(3 * y, y)), [3]),
    ("the same function can't be registered twice",
     lambda: seen_by_a_hook(lambda x, y: (3 * y).backward(), times=2), [3, 3]),
    ("the gradient of a leaf is in its drawer when its hook runs", drawer_inside_a_leaf_s_hook, [None]),
    ("retain_grad() also works after the pass", retained_late, None),
    ("autograd.grad fills no drawer, not even that of retain_grad()", inside_no_pass, (3, None)),
    ("a clip hook on a leaf limits its gradient", clipped_in_each_pass, 2),
    ("retain_grad() stores what the node works with", changed_in_a_pre_hook, (3, 120)),
    ("Hooks that you register with t.register_hook run in the order of their registration, and the drawer "
     "of t is filled after the last one.", written_between_two_hooks,
     ([("second", 5, True), ("first", 15, False)], 5)),
    ("A hook of a layer receives the gradients of its inputs.", input_without_a_gradient, [(None,)]),
]


@pytest.mark.parametrize(("sentence", "program", "shows"), SENTENCES, ids=[row[0] for row in SENTENCES])
def test_a_sentence_is_refuted(sentence, program, shows):
    assert sentence not in CHAPTER
    assert program() == shows


# --- the rules ----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("seed", range(40))
def test_a_hook_is_called_at_most_once_with_the_sum(seed):
    """In random graphs, the hook of each tensor sees what retain_grad() keeps in an equal graph."""
    def graph():
        rng = random.Random(seed)
        results = [leaf(1.5), leaf(-0.5)]
        for _ in range(8):
            a, b = rng.choice(results), rng.choice(results[-3:])
            results.append(rng.choice((lambda a, b: a * b, lambda a, b: a + b, lambda a, b: a.sin()))(a, b))
        return results

    kept, hooked, seen = graph(), graph(), {}
    for one in kept[2:]:
        one.retain_grad()
    for at, one in enumerate(hooked):
        one.register_hook(lambda g, at=at: seen.setdefault(at, []).append(g.item()))
    kept[-1].backward()
    hooked[-1].backward()
    assert seen == {at: [one.grad.item()] for at, one in enumerate(kept) if one.grad is not None}


KINDS = ("hook 1", "hook 2", "retain_grad", "pre-hook 1", "pre-hook 2", "node hook 1", "node hook 2")


@pytest.mark.parametrize("seed", range(30))
def test_the_order_of_the_hooks_of_one_tensor(seed):
    """Whatever the order in which they are registered: only hooks of one kind keep that order."""
    x = leaf(2.)
    y = x ** 2
    z, log = 3 * y, []
    kinds = random.Random(seed).sample(KINDS, len(KINDS))
    for kind in kinds:
        def hook(*given, kind=kind):
            log.append((kind, y.grad if y.retains_grad else None))
        if kind == "retain_grad":
            y.retain_grad()
        else:
            register = {"hook": y.register_hook, "pre-": y.grad_fn.register_prehook,
                        "node": y.grad_fn.register_hook}[kind[:4].strip()]
            register(hook)
    z.backward()
    want = [kind for part in ("hook", "pre-hook", "node hook") for kind in kinds if kind[:-2] == part]
    assert [kind for kind, _ in log] == want
    assert [drawer is None for _, drawer in log] == [True, True, False, False, False, False]


def test_at_each_node_the_order_holds_when_a_result_is_written_in_place():
    x, log = leaf(2.), []
    y = x * 1
    for at in "old", "new":
        y.grad_fn.register_hook(lambda *given, at=at: log.append((at, "node hook")))
        y.grad_fn.register_prehook(lambda *given, at=at: log.append((at, "pre-hook")))
        y.register_hook(lambda g, at=at: log.append((at, "hook")))
        if at == "old":
            y.mul_(3)
    (5 * y).backward()
    assert log == [(at, kind) for at in ("new", "old") for kind in ("hook", "pre-hook", "node hook")]


@pytest.mark.parametrize("seed", range(20))
def test_each_hook_receives_what_the_one_before_it_returned(seed):
    rng = random.Random(seed)
    changes = [rng.choice((lambda g: g + 1, lambda g: g * 10, lambda g: None, lambda g: -g))
               for _ in range(4)]
    for middle in (True, False):
        x = leaf(2.)
        y = x ** 2 if middle else x
        for change in changes:
            y.register_hook(change)
        if middle:
            y.retain_grad()
        (3 * y).backward()
        want = 3.
        for change in changes:
            want = want if change(want) is None else change(want)
        assert y.grad.item() == want
        assert x.grad.item() == (4 * want if middle else want)


@CHAPTER.says("If it returns nothing and doesn't write into the gradient, the gradient stays as it is.")
@pytest.mark.parametrize(("hook", "drawer"), [(lambda g: None, 12), (lambda g: g.mul_(10) and None, 120)],
                         ids=["reads", "writes in place"])
def test_a_hook_that_returns_nothing_may_write_into_the_gradient(hook, drawer):
    a = leaf(2.)
    y = a ** 2
    y.register_hook(hook)
    (3 * y).backward()
    assert a.grad.item() == drawer


@CHAPTER.says("`backward` has those of the messages. `forward` has those of the differences between images: "
              "of each result minus its mean over all images.")
def test_measure_returns_the_norms_of_both_directions(here):
    """As hooks on the results see the messages, and the layers, called one by one, the results."""
    net = here["deep"](torch.nn.Tanh, 0.125)
    forward, backward = here["measure"](net)
    h, messages, norms = here["images"], {}, []
    for at, layer in enumerate(net):
        h = layer(h)
        if isinstance(layer, torch.nn.Linear):
            squares = [((column - column.mean()) ** 2).sum().item() for column in h.T]
            norms.append(sum(squares) ** 0.5)
            h.register_hook(lambda g, at=at: messages.update({at: g.norm().item()}))
    torch.nn.functional.cross_entropy(h, here["labels"]).backward()
    assert forward == pytest.approx(norms)
    assert backward == pytest.approx([messages[at] for at in range(1, 26, 2)])


@CHAPTER.says("It returns a **handle**, whose `remove()` removes the hook.")
def test_measure_removes_its_hooks(here):
    net = here["deep"](torch.nn.Tanh, 0.125)
    first, second = here["measure"](net)[0], here["measure"](net)[0]
    assert first == second and len(first) == 13
    assert not any(layer._forward_hooks for layer in net)


def test_a_hook_of_a_leaf_receives_what_one_pass_delivers():
    x, seen = leaf(1.), []
    x.register_hook(lambda g: seen.append(g.item()))
    for factor in (5, -3, 0.5):
        (factor * x).backward()
    assert seen == [5, -3, 0.5]
    assert x.grad.item() == 2.5


@pytest.mark.parametrize("middle", [False, True], ids=["a leaf", "a result"])
def test_a_handle_removes_its_hook_and_no_other(middle):
    x, seen = leaf(1.), []
    y = x ** 2 if middle else x
    handle, _ = (y.register_hook(lambda g, name=name: seen.append((name, g.item()))) for name in "ab")
    (2 * y).backward(retain_graph=True)
    handle.remove()
    (3 * y).backward()
    assert seen == [("a", 2), ("b", 2), ("b", 3)]


def test_a_hook_that_changes_the_drawer_runs_after_the_others_and_is_no_function_of_register_hook():
    x, seen = leaf(2.), []
    x.register_post_accumulate_grad_hook(lambda x: seen.append(x.grad.item()))
    x.register_hook(lambda g: seen.append(x.grad))
    (3 * x).backward()
    assert seen == [None, 3]


# --- what the chapter says of its networks ----------------------------------------------------------------

def names_of_the_chapter(library=torch):
    """Run the definitions of the chapter that its sentences are about."""
    names = {"torch": library, "digits": digits}
    for cell in load(11)["cells"]:
        text = "".join(cell["source"])
        for name in "digits()", "measure", "train", "report", "row", "Normalised":
            if cell["cell_type"] == "code" and (name if "(" in name else f"def {name}(") in text:
                exec(re.split("\n\n(?:for|print|row)", text)[0], names)
    return names


@pytest.fixture(scope="module")
def here():
    return names_of_the_chapter()


@pytest.fixture(scope="module", params=["minigrad", "torch"])
def in_each(request):
    """The definitions of the chapter in minigrad, and in PyTorch where it is installed."""
    return names_of_the_chapter(pytest.importorskip(request.param))


def trained(names, kind, spread, seed=0, **how):
    """Return a network of the chapter after its training, and the losses of its steps."""
    net = names["deep"](getattr(names["torch"].nn, kind) if isinstance(kind, str) else kind, spread, seed)
    return net, names["train"](net, **how)


def losses_of(*args, **how):
    return trained(*args, **how)[1]


def test_the_option_of_11_4_holds_for_every_seed(here):
    factors_of_small = []
    for seed in range(12):
        small, large = (here["measure"](here["deep"](torch.nn.Tanh, spread, seed))[1]
                        for spread in (0.05, 1.5))
        assert small[0] < small[12] / 3e4 and large[0] > 1e3 * large[12]
        factors_of_small.append((small[0] / small[11]) ** (1 / 11))
        assert large[0] > 1e4 * large[11] and abs((large[0] / large[11]) ** (1 / 11) - 2.65) < 0.2
        middle = here["measure"](here["deep"](torch.nn.Tanh, 0.125, seed))[1]
        assert all(norms[11] < norms[12] for norms in (small, middle, large))
    assert max(factors_of_small) < 0.42 and abs(sum(factors_of_small) / 12 - 0.39) < 0.01


@CHAPTER.says("With 1.5, the differences grow less than the messages, because `tanh` stays between "
              "-1 and 1.")
def test_forward_a_wrong_spread_of_tanh_shows_only_if_it_is_too_small(here):
    for seed in range(6):
        small, large = (here["measure"](here["deep"](torch.nn.Tanh, spread, seed)) for spread in (0.05, 1.5))
        assert abs((small[0][11] / small[0][0]) ** (1 / 11) - 0.4) < 0.02
        assert 3 < large[0][11] / large[0][0] < 3.7
        assert large[1][0] / large[1][11] > 5000 * large[0][11] / large[0][0]
        tiny_ones = nudged(here["deep"](torch.nn.Tanh, 1.5, seed), here["images"], 1e-9)
        assert 2.4 < tiny_ones ** (1 / 11) < 2.9        # as the rule says; large ones can't grow so
        assert nudged(here["deep"](torch.nn.Tanh, 1.5, seed), here["images"], 1.) ** (1 / 11) < 1.25


def nudged(net, images, size):
    """Return by how much the layers after the first, up to the twelfth, multiply small differences."""
    images = images.double().flatten(1)
    torch.manual_seed(1)
    h, other, norms = images, images + size * torch.randn(*images.shape).double(), []
    for layer in net.double()[1:24]:
        h, other = layer(h), layer(other)
        if isinstance(layer, torch.nn.Linear):
            norms.append((h - other).norm().item())
    assert len(norms) == 12
    return norms[11] / norms[0]


def root_mean_square(numbers):
    return (numbers ** 2).mean().item() ** 0.5


@pytest.mark.parametrize(("spread", "s", "factor"), [(0.05, 1, 0.4), (1.5, 0.22, 2.64)])
def test_the_numbers_in_11_4_are_those_of_its_networks(here, spread, s, factor):
    assert f"is about {'a fifth' if s == 0.22 else s}" in question("11.4").text
    for seed in range(6):
        h, found = here["images"].double().flatten(1), []
        for layer in here["deep"](torch.nn.Tanh, spread, seed).double()[1:25]:
            h = layer(h)
            if isinstance(layer, torch.nn.Tanh):
                found.append(root_mean_square(1 - h ** 2))
        assert all(abs(one - s) < 0.05 for one in found[1:]) and abs(8 * spread * s - factor) < 0.03


@CHAPTER.says("PyTorch's `Linear` chooses a spread of 1/√(3n), here 0.072.")
def test_the_rule_holds_for_the_first_network(here):
    for n in 16, 200:                   # PyTorch chooses 1/√(3n) for a linear layer with n inputs
        torch.manual_seed(0)
        weights = torch.nn.Linear(n, 1000).weight
        assert round((3 * 64) ** -0.5, 3) == 0.072
        assert weights.std().item() == pytest.approx((3 * n) ** -0.5, rel=0.02)
    for seed in range(5):
        net = here["deep"](torch.nn.Sigmoid, seed=seed)
        assert net[1].weight.std().item() == pytest.approx(192 ** -0.5, rel=0.02)
        expected = 8 * net[1].weight.std().item() / 4
        norms = here["measure"](net)[1]
        assert abs((norms[0] / norms[12]) ** (1 / 12) / expected - 1) < 0.05
        h = here["images"].double().flatten(1)
        for layer in net[1:25]:
            before, h = h, layer(h)
            if isinstance(layer, torch.nn.Sigmoid):
                assert root_mean_square(h * (1 - h)) > 0.23 and before.abs().mean().item() < 0.7


def test_the_first_network_starts_with_a_blind_guess_and_no_empty_drawer(here):
    net = here["deep"](torch.nn.Sigmoid)
    loss = here["loss_of"](net)
    loss.backward()
    assert abs(loss.item() - math.log(10)) < 0.2
    assert all(p.grad.any() for p in net.parameters())
    assert net[1].weight.grad.norm() < 1e-9 * net[25].weight.grad.norm()


@CHAPTER.says("If f is well below 1, messages **vanish**; if it is well above 1, they **explode**.")
def test_small_weights_and_sigmoids_vanish_and_large_ones_explode(here):
    norms = {(kind, spread): here["measure"](here["deep"](getattr(torch.nn, kind), spread))[1]
             for kind, spread in (("Tanh", 1.5), ("Tanh", 0.125), ("Tanh", 0.05), ("Sigmoid", None))}
    first = {key: values[0] for key, values in norms.items()}
    assert first["Tanh", 1.5] > 1000 * norms["Tanh", 1.5][-1]
    assert first["Tanh", 0.125] > norms["Tanh", 0.125][-1] / 10
    assert first["Tanh", 0.05] < 1e-4 * norms["Tanh", 0.05][-1]
    assert first["Sigmoid", None] < 1e-9 * norms["Sigmoid", None][-1]
    for key in ("Tanh", 0.05), ("Sigmoid", None):       # each layer makes the message smaller
        assert norms[key] == sorted(norms[key])


@CHAPTER.says("No single layer is to blame: every layer makes both norms smaller.")
def test_the_two_lines_of_the_first_picture_cross(here):
    forward, backward = here["measure"](here["deep"](torch.nn.Sigmoid))
    assert len(forward) == len(backward) == 13
    assert forward == sorted(forward, reverse=True) and backward == sorted(backward)
    assert forward[-1] < 1e-9 < backward[-1] and backward[0] < 1e-9 < forward[0]


@CHAPTER.says("Each row of the next output tests the rule. `s` is measured. `rule` is √64 · spread · s.",
              "If each pair multiplies its norm by f, all multiply it by f¹¹.",
              "For `messages`, the norm at layer 1 is divided by that at layer 12; the 11th root is the "
              "measured f.", "`differences` is computed likewise from the forward pass.")
def test_the_number_of_the_rule_and_the_measured_factors_of_tanh_are_in_one_table(here):
    """As the chapter prints them, and for other seeds: they differ by a few hundredths at most."""
    cell, = [cell for cell in load(11)["cells"] if "8 * spread * s" in "".join(cell["source"])]
    rows = [[float(number) for number in line.split()] for line in
            "".join(cell["outputs"][0]["text"]).splitlines()[1:]]
    assert rows == [[1.5, 0.22, 2.67, 2.56, 1.12], [0.25, 0.6, 1.21, 1.21, 1.09],
                    [0.125, 0.93, 0.93, 0.93, 0.93], [0.05, 0.99, 0.4, 0.4, 0.4]]
    for seed in range(5):
        for spread, differences in (1.5, 1.12), (0.25, 1.08), (0.125, 0.93), (0.05, 0.4):
            net, results = here["deep"](torch.nn.Tanh, spread, seed), []
            for layer in net[2:24:2]:
                layer.register_forward_hook(lambda _, x, h, results=results: results.append(h))
            forward, backward = here["measure"](net)
            assert len(results) == 11
            rule = 8 * spread * root_mean_square(1 - torch.stack(results) ** 2)
            assert (backward[0] / backward[11]) ** (1 / 11) == pytest.approx(rule, rel=0.05)
            assert (forward[11] / forward[0]) ** (1 / 11) == pytest.approx(differences, rel=0.04)


@CHAPTER.says("that of `tanh` at a result h is 1 − h².")
def test_the_local_derivative_of_tanh_follows_from_its_result():
    x = torch.tensor([-6., -2., -0.1, 0., 0.1, 0.7, 2., 6.], requires_grad=True)
    h = torch.tanh(x)
    h.sum().backward()
    assert x.grad.tolist() == pytest.approx((1 - h ** 2).tolist(), abs=1e-6)
    assert all((slope > 0.98) == (abs(at) < 0.11) and (slope < 0.1) == (abs(at) >= 2)
               for at, slope in zip(x.tolist(), x.grad.tolist()))


@CHAPTER.says("A layer has hooks, too. **`register_forward_hook`** registers a function that each forward "
              "pass calls with the layer, its inputs and its result.",
              "What a forward hook returns replaces the result:")
def test_a_forward_hook_is_called_in_each_pass_and_may_replace_the_result():
    layer, seen = torch.nn.Linear(2, 3), []
    x = torch.ones(1, 2)
    plain = layer(x)
    layer.register_forward_hook(lambda *given: seen.append(given))
    assert not seen
    for times in 1, 2:
        result = layer(x)
        assert len(seen) == times and seen[-1][0] is layer
        assert seen[-1][1][0] is x and seen[-1][2] is result
    result.sum().backward()
    assert len(seen) == 2                       # a backward pass doesn't call it
    layer.register_forward_hook(lambda layer, inputs, h: 3 * h)
    assert layer(x).tolist() == (3 * plain).tolist()


def test_the_nan_from_nowhere_is_an_infinite_message_times_a_derivative_of_0(here):
    """The root receives 0.01 and sends infinity, which passes the sum; the square, at 0, makes it nan."""
    net = here["deep"](torch.nn.Tanh, 0.125)
    p = net[1].weight
    distance, seen = p - p.detach().clone(), {}
    square = distance ** 2
    total = square.sum()
    root = total.sqrt()
    for name, one in (("root", root), ("total", total), ("square", square), ("distance", distance)):
        one.register_hook(lambda g, name=name: seen.update({name: g}))
    (here["loss_of"](net) + 0.01 * root).backward()
    assert seen["root"].item() == pytest.approx(0.01) and math.isinf(seen["total"].item())
    assert seen["square"].isinf().all() and not (2 * distance).any()
    assert not distance.any() and seen["distance"].isnan().all() and p.grad.isnan().all()


@CHAPTER.says("At this rate, none of them learns.")
def test_tanh_and_relu_learn_with_a_factor_near_1_at_the_rate_of_the_chapter(here):
    """For other seeds, too. Sigmoids whose factor is near 1 learn far more slowly."""
    for seed in range(3):
        for kind in "Sigmoid", "Tanh", "ReLU":
            net, losses = trained(here, kind, None, seed)
            assert min(losses) > 2.29
            assert factor_of(here, here["deep"](getattr(torch.nn, kind), None, seed)) < 0.6
        for kind, spread in ("Tanh", 0.125), ("ReLU", 0.177):
            assert min(losses_of(here, kind, spread, seed)) < 0.85
            assert 0.9 < factor_of(here, here["deep"](getattr(torch.nn, kind), spread, seed)) < 1.1
        assert 0.85 < factor_of(here, here["deep"](torch.nn.Sigmoid, 1.25, seed)) < 1.15
        assert min(losses_of(here, "Sigmoid", 1.25, seed)) > 2


@CHAPTER.says("Those of the sigmoid are at most 1/4",
              "A spread of 0.5 would make f 1 for the sigmoid, if s were 1/4. But larger weights make its "
              "inputs larger, and there it is flatter: f is 0.63, and the loss stays at 2.3.")
def test_a_spread_of_a_half_does_not_repair_the_sigmoids(here):
    """For other seeds, too, and neither in more steps nor at ten times the rate."""
    assert 8 * 0.5 / 4 == 1
    for seed in range(3):
        sizes = {}
        for spread in 0.125, 0.5:
            h, inputs, slopes = here["images"].flatten(1), [], []
            for layer in here["deep"](torch.nn.Sigmoid, spread, seed)[1:24]:
                before, h = h, layer(h)
                if isinstance(layer, torch.nn.Sigmoid):
                    inputs.append(before)
                    slopes.append(h * (1 - h))
            sizes[spread] = root_mean_square(torch.stack(inputs)), root_mean_square(torch.stack(slopes))
            assert max(slope.max().item() for slope in slopes) <= 0.25
        assert sizes[0.5][0] > 3 * sizes[0.125][0] and sizes[0.5][1] < 0.17 < 0.23 < sizes[0.125][1]
        factor = factor_of(here, here["deep"](torch.nn.Sigmoid, 0.5, seed))
        assert factor == pytest.approx(4 * sizes[0.5][1], rel=0.05) and abs(factor - 0.63) < 0.03
        assert 2.29 < min(losses_of(here, "Sigmoid", 0.5, seed)) < 2.31
        assert min(losses_of(here, "Sigmoid", 0.5, seed, lr=0.5)) > 2.29
    assert min(losses_of(here, "Sigmoid", 0.5, steps=300)) > 2.29


def factor_of(here, net):
    """Return by how much each layer multiplies the message, on the way from layer 12 to layer 1."""
    backward = here["measure"](net)[1]
    return (backward[0] / backward[11]) ** (1 / 11)


def test_a_network_with_the_wrong_spread_stays_flat_and_one_with_the_right_spread_learns(here):
    for kind, wrong, right in (("Tanh", 0.05, 0.125), ("ReLU", 0.125, 0.177)):
        for seed in range(3):
            assert min(losses_of(here, kind, wrong, seed)) > 2.29
            assert min(losses_of(here, kind, right, seed)) < 1


# --- what training does with the four spreads: in both libraries, and for ten seeds -------------------------

SEEDS = range(10)


def steps_until_below_1(losses):
    return next((step for step, loss in enumerate(losses) if loss < 1), math.inf)


@CHAPTER.says("So f needn't be exactly 1. But with 0.05 and with 1.5, the loss stays at 2.3.")
def test_the_option_of_11_5_holds_for_every_seed(in_each):
    """The first to fall below 1 is that with 0.25, then comes that with 0.125; the other two stay at 2.3."""
    for seed in SEEDS:
        first, second = (steps_until_below_1(losses_of(in_each, "Tanh", spread, seed, steps=steps))
                         for spread, steps in ((0.25, 35), (0.125, 85)))
        assert first <= 30 and 45 <= second < 85
        longer_steps = losses_of(in_each, "Tanh", 0.125, seed, lr=0.15, steps=45)
        assert steps_until_below_1(longer_steps) < second - 15
        for spread in 0.05, 1.5:
            losses = losses_of(in_each, "Tanh", spread, seed)
            assert min(losses) > 2.2 and 2.25 < losses[-1] < 2.35


def test_what_11_5_says_of_each_network(here):
    """Its factors, how much the messages grow, and that steps of all layers are longer with 1.2."""
    said = {0.05: 0.4, 0.125: 0.93, 0.25: 1.2, 1.5: 2.6}
    assert "f is 0.4, 0.93, 1.2 and 2.6" in question("11.5").text
    for seed in range(5):
        nets = {spread: here["deep"](torch.nn.Tanh, spread, seed) for spread in said}
        norms = {spread: here["measure"](net)[1] for spread, net in nets.items()}
        for spread, factor in said.items():
            found = (norms[spread][0] / norms[spread][11]) ** (1 / 11)
            assert abs(found - factor) < (0.03 if spread < 1 else 0.2)
        assert 7 < norms[0.25][0] / norms[0.25][11] < 9 and norms[1.5][0] / norms[1.5][11] > 1e4
        for some, fewer in zip(nets[0.25][1::2], nets[0.125][1::2]):
            assert some.weight.grad.norm() > 1.5 * fewer.weight.grad.norm()


def test_the_losses_that_stay_do_so_for_all_the_steps_of_the_picture(here):
    for seed in range(2):
        for spread in 0.05, 1.5:
            assert min(losses_of(here, "Tanh", spread, seed, steps=300)) > 2.2


@pytest.mark.parametrize("change", [0, 1e-15, 2e-15, 3e-15])
def test_rounding_errors_change_nothing_that_the_chapter_prints(here, change, capsys):
    """With 1.5, they grow: the picture's losses are printed with three digits, and reports for two steps."""
    net = here["deep"](torch.nn.Tanh, 1.5)
    with torch.no_grad():
        net[1].weight[:, 20] += change
    assert here["images"].flatten(1)[:, 20].any()
    here["report"](net, "step 0")
    losses = here["train"](net, steps=1)
    here["report"](net, "step 1")
    assert [line.split()[1:] for line in capsys.readouterr().out.splitlines() if line.startswith("   ")] == [
        ["9e+02", "72%", "5e-01"], ["2e+01", "85%", "8e-03"], ["7e-02", "85%", "4e-05"],
        ["7e+02", "90%", "3e-01"], ["2e+01", "85%", "8e-03"], ["6e-02", "85%", "3e-05"]]
    losses += here["train"](net, steps=299)
    assert [f"{losses[step]:.3g}" for step in (0, 60, 120, 179, 239, 299)] == ["2.42", *["2.3"] * 5]


def report_of(names, net, capsys):
    """Return what `report` prints of a network: for each layer, three numbers."""
    names["report"](net, "now")
    title, _, *rows = capsys.readouterr().out.splitlines()
    assert title == "now"
    return {int(row.split()[0]): [float(number.rstrip("%")) for number in row.split()[1:]] for row in rows}


@CHAPTER.says("For some layers, it prints the norm of the gradient of the weights, and the share of local "
              "derivatives after the layer that are below 0.05 (`flat`).",
              "`update` is the size of a step against that of the weights: the rate times the norm of the "
              "gradient, divided by the norm of the weights.")
@pytest.mark.parametrize("kind", ["Tanh", "ReLU", "Sigmoid"])
def test_report_prints_what_a_step_does(here, kind, capsys):
    local = {"Tanh": lambda h: 1 - h ** 2, "ReLU": lambda h: (h > 0).double(),
             "Sigmoid": lambda h: h * (1 - h)}
    net, _ = trained(here, kind, 0.3, steps=2, limit=1)
    found = report_of(here, net, capsys)
    assert [*found] == [1, 6, 12] and not any(layer._forward_hooks for layer in net)
    h, before = here["images"], [p.detach().clone() for p in net.parameters()]
    net.zero_grad()
    here["loss_of"](net).backward()
    torch.optim.SGD(net.parameters(), 0.05).step()
    moved = [(p.detach() - old).norm().item() / old.norm().item() for p, old in zip(net.parameters(), before)]
    for at, layer in enumerate(trained(here, kind, 0.3, steps=2, limit=1)[0][:25]):
        h = layer(h)
        if at / 2 in found:
            gradient, flat, update = found[at // 2]
            share = 100 * (local[kind](h) < 0.05).double().mean().item()
            assert abs(share - flat) <= 0.5
            assert gradient == pytest.approx(net[at - 1].weight.grad.norm().item(), rel=0.34)
            assert update == pytest.approx(moved[at - 2], rel=0.34)       # one digit is printed


@CHAPTER.says("With 0.05, layer 1 stands still: a step changes it by less than a millionth of its size, even "
              "after 100 steps.", "With 0.25, the updates are about as large as recommended.",
              "With 1.5, the first step changes layer 1 by half of its size, and layer 12 hardly at all. "
              "Then 90 % of the local derivatives after layer 1 are below 0.05. After 100 steps, layer 1 "
              "gets almost no gradient.")
def test_what_the_reports_show_of_three_networks_for_every_seed(in_each, capsys):
    for seed in SEEDS:
        small, _ = trained(in_each, "Tanh", 0.05, seed, steps=0)
        at_first = report_of(in_each, small, capsys)[1][2]
        in_each["train"](small, steps=100 if seed < 3 else 20)
        assert max(at_first, report_of(in_each, small, capsys)[1][2]) < 1e-6
        middle, _ = trained(in_each, "Tanh", 0.25, seed, steps=0)
        at_first = report_of(in_each, middle, capsys)
        in_each["train"](middle, steps=20)
        for found in at_first, report_of(in_each, middle, capsys):
            assert all(3e-4 < row[2] < 1e-2 for row in found.values())
        large, _ = trained(in_each, "Tanh", 1.5, seed, steps=0)
        at_first = report_of(in_each, large, capsys)
        assert at_first[1][2] > 0.4 and at_first[12][2] < 1e-4 and at_first[1][0] > 1000 * at_first[12][0]
        in_each["train"](large, steps=1)
        assert report_of(in_each, large, capsys)[1][1] >= 87 > 77 > at_first[1][1]
        in_each["train"](large, steps=99)
        assert large[1].weight.grad.norm().item() < 0.01


def test_the_networks_that_learn_have_the_updates_that_the_lecture_recommends(here, capsys):
    for kind, spread in ("Tanh", 0.125), ("ReLU", 0.177):
        net, _ = trained(here, kind, spread, steps=0)
        assert all(5e-4 < row[2] < 3e-3 for row in report_of(here, net, capsys).values())


@CHAPTER.says("With ReLU, results can grow from layer to layer, as messages do, so this loss starts far "
              "above 2.3:", "The first step changes each of these layers by about a tenth of its size, and "
              "the loss grows with each step.")
def test_relu_explodes_and_clipping_lets_it_learn_for_nearly_every_seed(in_each, capsys):
    """As 11.6 says: without a limit the loss becomes nan, and with one it falls below 1."""
    became_nan = 0
    for seed in SEEDS:
        net, losses = trained(in_each, "ReLU", 0.25, seed, steps=7)
        became_nan += math.isnan(losses[-1])
        clipped = losses_of(in_each, "ReLU", 0.25, seed, steps=45, limit=10)
        assert min(clipped) < 1 and all(map(math.isfinite, clipped))
        net, _ = trained(in_each, "ReLU", 0.25, seed, steps=0)
        updates = [row[2] for row in report_of(in_each, net, capsys).values()]
        assert max(updates) < 5 * min(updates)
        forward, backward = in_each["measure"](net)
        assert forward[11] > 10 * forward[0] and backward[0] > 10 * backward[11]
        assert 1.3 < (backward[0] / backward[11]) ** (1 / 11) < 1.6
    assert became_nan >= 8
    net, losses = trained(in_each, "ReLU", 0.25, steps=5)
    assert losses[:4] == sorted(losses[:4]) and losses[0] > 20 and math.isnan(losses[4])


@CHAPTER.says("In the fifth forward pass, numbers are too large for a float, so they become infinite. "
              "Infinity minus infinity is **`nan`**,")
def test_the_nan_of_the_fifth_pass_begins_with_an_infinite_result(here):
    net, _ = trained(here, "ReLU", 0.25, steps=4)
    assert all(p.isfinite().all() for p in net.parameters())
    h, kinds = here["images"], []
    for layer in net:
        h = layer(h)
        kinds.append("nan" if h.isnan().any() else "inf" if h.isinf().any() else "finite")
    assert kinds.index("inf") < kinds.index("nan") if "nan" in kinds else "inf" in kinds
    assert math.isnan(math.inf - math.inf) and here["loss_of"](net).isnan()


@CHAPTER.says("so one limit suits them. With `tanh` and 1.5, the gradient of layer 1 is thousands of times "
              "larger than that of layer 12.")
@pytest.mark.parametrize("limit", [10, 1, 0.1])
def test_no_limit_lets_tanh_with_1_5_learn(in_each, limit):
    """Not in the 300 steps of the chapter, either."""
    for seed in range(4):
        steps = 300 if seed == 0 else 100
        assert min(losses_of(in_each, "Tanh", 1.5, seed, limit=limit, steps=steps)) > 2.2


@CHAPTER.says("Each receives what the one before it returned, and the drawer is filled last:")
@pytest.mark.parametrize("seed", range(20))
def test_a_clipped_gradient_is_in_the_drawer_and_is_multiplied_behind_it(seed):
    rng = random.Random(seed)
    start, factor_of_z = rng.uniform(1, 3), rng.uniform(-5, 5)
    clip = [lambda g: g.clamp(-1, 1), print, lambda g: None]
    rng.shuffle(clip)
    a = leaf(start)
    y = a ** 2
    for hook in clip:
        y.register_hook(hook)
    y.retain_grad()
    (factor_of_z * y).backward()
    clipped = max(-1, min(1, factor_of_z))
    assert y.grad.item() == pytest.approx(clipped) and abs(y.grad.item()) <= 1
    assert a.grad.item() == pytest.approx(2 * start * clipped)
    if abs(factor_of_z) > 0.5:
        assert abs(a.grad.item()) >= 1


@CHAPTER.says("To **clip** gradients means to limit them: if the norm of all gradients together is larger "
              "than `limit`, `clip_grad_norm_` multiplies them by one number, so that it equals `limit`.")
@pytest.mark.parametrize(("limit", "norm"), [(1., 1), (50., 50), (60., 3400 ** 0.5), (math.inf, 3400 ** 0.5)])
def test_clip_grad_norm_scales_the_drawers_down_and_never_up(limit, norm):
    weights = [leaf(3., 0.), leaf(4.)]
    (weights[0].sum() * 30 + weights[1] * 40).backward()
    torch.nn.utils.clip_grad_norm_(weights, limit)
    assert sum(one.grad.square().sum().item() for one in weights) ** 0.5 == pytest.approx(norm, rel=1e-4)
    assert weights[1].grad.item() / weights[0].grad[0].item() == pytest.approx(4 / 3)


def factor(n, spread, activation):
    """Return by how much a layer of random weights and an activation multiply the norm of a message."""
    h = torch.randn(n, requires_grad=True)
    message = torch.randn(n)
    activation(spread * torch.randn(n, n) @ h).backward(message)
    return (h.grad.norm() / message.norm()).item()


def factor_forward(n, spread):
    """Return by how much a layer of random weights without an activation multiplies the norm of its input."""
    h = torch.randn(n)
    return ((spread * torch.randn(n, n) @ h).norm() / h.norm()).item()


ACTIVATIONS = {"none": lambda h: h, "tanh": torch.tanh, "sigmoid": torch.sigmoid, "relu": torch.relu,
               "sine": torch.sin}


def against_the_rule(n, activation, spread, weights, rows=1):
    """Return the factors of a layer and the activation before it, each divided by what the rule says.

    A message passes the weights, and then the activation; a difference passes them in the other order.
    """
    before = spread * n ** 0.5 * torch.randn(rows, n, dtype=torch.float64)
    before.requires_grad_()
    nudge = 1e-6 * torch.randn(rows, n, dtype=torch.float64)
    h = activation(before)
    slopes, = torch.autograd.grad(h.sum(), before, retain_graph=True)
    message = torch.randn(rows, n, dtype=torch.float64)
    sent, = torch.autograd.grad(h @ weights.T, before, message)
    with torch.no_grad():
        moved = (activation(before + nudge) - h) @ weights.T
    said = n ** 0.5 * spread * root_mean_square(slopes)
    return [(one.norm() / other.norm()).item() / said for one, other in ((sent, message), (moved, nudge))]


def mean_against_the_rule(n, activation, spread, make, rows=1):
    found = [against_the_rule(n, activation, spread, make(n), rows) for _ in range(12)]
    return [sum(one) / len(one) for one in zip(*found)]


@CHAPTER.says("Their signs are random, so the sum is about √n times as large as one product:")
@pytest.mark.parametrize("n", [4, 64, 400])
def test_a_sum_of_products_with_random_signs_grows_like_the_root_of_their_number(n):
    """Products of two random numbers, and equal products that differ in their signs alone."""
    torch.manual_seed(0)
    for products in (torch.randn(4000, n) * torch.randn(4000, n), torch.randn(4000, n).sign()):
        times = root_mean_square(products.sum(1)) / root_mean_square(products)
        assert times == pytest.approx(n ** 0.5, rel=0.1)
    assert torch.ones(n).sum().item() == n          # with equal signs, nothing cancels


@CHAPTER.says("If n is large, a layer with n inputs, n outputs and independent random weights of mean 0, "
              "together with the activation before it, multiplies the norm of a message by about √n · spread "
              "· s, where s is the root mean square of the local derivatives of this activation.")
@pytest.mark.parametrize("n", [64, 200])
@pytest.mark.parametrize("spread", [0.05, 0.125, 0.25, 1.5])
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_the_rule_of_the_chapter_holds_for_layers_of_many_kinds(n, spread, name):
    torch.manual_seed(0)
    for make in (lambda n: spread * torch.randn(n, n, dtype=torch.float64),
                 lambda n: spread * 12 ** 0.5 * (torch.rand(n, n, dtype=torch.float64) - 0.5)):
        found = mean_against_the_rule(n, ACTIVATIONS[name], spread, make, rows=50)
        assert found == pytest.approx([1, 1], abs=0.15)


def test_the_rule_needs_many_inputs():
    """With 4, the factors of single layers are far from the rule; with 400, all of them are close to it."""
    torch.manual_seed(0)
    off = {}
    for n in 4, 400:
        spread = n ** -0.5
        found = [against_the_rule(n, ACTIVATIONS["tanh"], spread,
                                  spread * torch.randn(n, n, dtype=torch.float64)) for _ in range(30)]
        off[n] = max(abs(one - 1) for both in found for one in both)
    assert off[4] > 0.5 and off[400] < 0.2


def test_the_rule_needs_weights_that_are_independent_and_have_the_mean_0():
    """Weights of another mean, or the same ones in each row, multiply a message or a difference otherwise."""
    torch.manual_seed(0)

    def of_mean_1(n):
        return 1 + 0.1 * torch.randn(n, n, dtype=torch.float64)

    def with_equal_rows(n):
        return 0.1 * torch.randn(1, n, dtype=torch.float64).expand(n, n)

    assert max(mean_against_the_rule(64, ACTIVATIONS["none"], 0.1, of_mean_1)) > 2
    assert min(mean_against_the_rule(64, ACTIVATIONS["none"], 0.1, with_equal_rows)) < 0.9


@CHAPTER.says("Solve √n · spread · s = 1 for the spread: if s is 1, it is 1/√n, here 0.125.",
              "After a ReLU, half of the local derivatives are 0, the others 1.",
              "The mean of their squares is ½, so s is √½, and the spread √(2/n), here 0.177.")
def test_random_weights_multiply_the_norm_by_the_root_of_their_number_times_their_spread():
    torch.manual_seed(0)

    def mean_factor(n, spread, activation):
        return sum(factor(n, spread, activation) for _ in range(40)) / 40

    for n in (64, 400):
        assert abs(mean_factor(n, 1 / n ** 0.5, lambda h: h) - 1) < 0.1
        assert abs(mean_factor(n, 2 / n ** 0.5, lambda h: h) - 2) < 0.2
        for times in 1, 2:
            forward = [factor_forward(n, times / n ** 0.5) for _ in range(40)]
            assert abs(sum(forward) / 40 - times) < 0.1 * times
        assert mean_factor(n, 1 / n ** 0.5, torch.tanh) < 0.9
        assert abs(mean_factor(n, 1 / n ** 0.5, torch.relu) - 0.5 ** 0.5) < 0.1
        assert abs(mean_factor(n, (2 / n) ** 0.5, torch.relu) - 1) < 0.1


@pytest.mark.parametrize(("name", "said", "squares"), [("xavier_normal_", "1/√n", 1),
                                                        ("kaiming_normal_", "√(2/n)", 2)])
@pytest.mark.parametrize("n", [64, 200])
def test_two_functions_of_pytorch_choose_the_spreads_as_the_answer_to_11d_says(name, said, squares, n):
    words = rf"for n inputs and n outputs: .*`{name}` (chooses )?{re.escape(said)} "
    assert re.search(words, asked("11d").why)
    torch.manual_seed(0)
    weights = torch.stack([getattr(torch.nn.init, name)(torch.empty(n, n)) for _ in range(20)])
    assert weights.std().item() == pytest.approx((squares / n) ** 0.5, rel=0.02)


def printed_by(words):
    """Return what the cell of the chapter that contains these words has printed."""
    cell, = [cell for cell in load(11)["cells"]
             if cell["cell_type"] == "code" and words in "".join(cell["source"])]
    return "".join(cell["outputs"][0]["text"])


def test_the_rows_of_the_first_weights_are_those_of_every_computer(here):
    """A change of 1e-15 to a weight that counts changes no digit of them."""
    rows = "".join(map(printed_by, ("def row(", 'row("Tanh, 0.125"', 'row("BatchNorm"')))
    assert [line.rsplit(maxsplit=2) for line in rows.splitlines()] == [
        ["Sigmoid", "0.14", "2.3"], ["Tanh", "0.58", "2.3"], ["ReLU", "0.41", "2.3"],
        ["Tanh, 0.125", "0.93", "0.5"], ["ReLU, 0.177", "1.03", "0.2"], ["Sigmoid, 0.5", "0.63", "2.3"],
        ["BatchNorm", "1.02", "0.8"]]
    for line in rows.splitlines():
        name, factor, loss = line.rsplit(maxsplit=2)
        kind, _, spread = name.partition(", ")
        kind = here["Normalised"] if kind == "BatchNorm" else getattr(torch.nn, kind)
        net = here["deep"](kind, float(spread) if spread else None)
        with torch.no_grad():
            net[1].weight[:, 20] += 1e-15
        assert f"{factor_of(here, net):.2f} {min(here['train'](net)):.1f}" == f"{factor} {loss}"


def residual(here, kind, seed):
    """Return the network of the chapter with residual connections, made by hooks."""
    net = here["deep"](kind, None, seed)
    for layer in net[1:25:2]:
        layer.register_forward_hook(lambda layer, inputs, h: inputs[0] + h)
    return net


@CHAPTER.says("With it before each sigmoid, the first network of this chapter learns:")
def test_batchnorm_lets_the_networks_learn_with_the_spread_of_pytorch(here):
    for seed in range(3):
        net = here["deep"](here["Normalised"], None, seed)
        assert 0.95 < factor_of(here, net) < 1.1 and min(here["train"](net)) < 0.9
        for kind in torch.nn.Tanh, torch.nn.ReLU:
            def normalised(kind=kind):
                return torch.nn.Sequential(torch.nn.BatchNorm1d(64).double(), kind())
            assert min(losses_of(here, normalised, None, seed)) < 0.1


@CHAPTER.says("A **residual connection** adds the input of a layer to its result.",
              "So a message also passes this sum, unchanged, around the weights.",
              "Here, with `tanh` and PyTorch's spread, hooks do it.")
def test_residual_connections_let_tanh_and_relu_learn_with_the_spread_of_pytorch(here):
    """And no network of sigmoids, so the chapter names its activation."""
    net, x = residual(here, torch.nn.Tanh, 0), torch.randn(5, 64).double()
    assert torch.allclose(net[3](x), x + x @ net[3].weight.T + net[3].bias)
    assert not net[25]._forward_hooks
    start = torch.zeros(5, 64).double().requires_grad_()
    message = torch.randn(5, 64).double()
    around, through = (torch.autograd.grad(make(start), start, message)[0]
                       for make in (net[3], lambda x: x @ net[3].weight.T))
    assert torch.allclose(around, message + through)
    assert printed_by("inputs[0] + h").split() == ["residual", "1.00", "0.2"]
    for seed in range(3):
        for kind in torch.nn.Tanh, torch.nn.ReLU:
            assert min(here["train"](residual(here, kind, seed))) < 0.25
            assert 0.95 < factor_of(here, residual(here, kind, seed)) < 1.1
        assert min(here["train"](residual(here, torch.nn.Sigmoid, seed))) > 2.29


@CHAPTER.says("It subtracts from each number its mean over the batch, here all 200 images, and divides by "
              "the standard deviation.",
              "So it enlarges small differences, and the messages likewise.")
def test_what_batchnorm_does_with_numbers_and_messages(here):
    assert len(here["images"]) == 200
    for size in 0.01, 0.3, 3:
        norm, h = torch.nn.BatchNorm1d(64).double(), size * torch.randn(200, 64).double() + 5
        norm.eps = 0.
        h.requires_grad_()
        deviations = h.std(0, unbiased=False)
        assert torch.allclose(norm(h), (h - h.mean(0)) / deviations, atol=1e-4)
        message = torch.randn(200, 64).double()
        sent, = torch.autograd.grad(norm(h), h, message)
        assert sent.norm().item() == pytest.approx((message / deviations).norm().item(), rel=0.02)
        norm.eval()
        assert norm.running_mean.any() and not torch.allclose(norm(h), (h - h.mean(0)) / deviations)
        assert torch.equal(norm(h)[:1], norm(h[:1]))         # whatever else is in the batch


@CHAPTER.says("If one term of a loss is the root of a sum that is 0, the loss is an ordinary number, but "
              "every gradient is `nan`.")
def test_a_root_of_a_sum_that_is_0_makes_every_gradient_nan(here):
    for spread, kind in (0.125, torch.nn.Tanh), (None, torch.nn.ReLU):
        net = here["deep"](kind, spread)
        squares = sum(((p - p.detach().clone()) ** 2).sum() for p in net.parameters())
        loss = here["loss_of"](net) + 0.01 * squares.sqrt()
        loss.backward()
        assert 2 < loss.item() < 3 and squares.item() == 0
        assert all(p.grad.isnan().all() for p in net.parameters())


def test_the_three_ways_of_the_note_differ_in_what_they_leave():
    """Its reply says so: no drawer is filled, a hook is called in each pass, and a drawer adds."""
    assert printed_by("torch.autograd.grad(z, y").split() == [
        "tensor(3.)", "None", "tensor(3.)", "tensor(3.)", "tensor(6.)", "tensor(24.)"]


# --- its exercises ------------------------------------------------------------------------------------------

def asked(key):
    return next(one for one in of(11).EXERCISES if one.id == key)


@pytest.mark.parametrize("seat", [None, *"ABCD"])
@pytest.mark.parametrize(("key", "right_of"), [("11a", two_runs), ("11d", hidden)])
def test_no_wrong_rule_gives_the_right_numbers(key, right_of, seat):
    one = asked(key)
    numbers = one.numbers(seat)
    right = right_of(numbers)
    for wrong in one.wrong:
        answer = wrong.answer(numbers)
        assert any(abs(a - b) > 1e-6 for a, b in zip(answer, right, strict=True))
        says = wrong.says.replace("`", "").rstrip(".")[1:]   # it may follow "but"
        assert says in first_wrong(one, answer, numbers).replace("`", "")


def with_a_hidden_hook(here, seed):
    """Return the network of 11d, as the chapter's own cell makes it."""
    stub, = [cell for cell in load(11)["cells"] if {"exercise", "11d"} <= {*cell["metadata"].get("tags", ())}]
    names = {**here, "ReLU": torch.nn.ReLU, "chapter": SimpleNamespace(numbers=lambda _: seed)}
    exec("".join(stub["source"]), names)
    return names["net"]


def test_hooks_find_the_layer_of_11d_in_both_directions_and_its_number_and_weights_do_not(here):
    """For every layer and every number that a seat can get. The message shows the layer one place earlier."""
    seeds = {}
    for seed in range(300):
        seeds.setdefault(tuple(hidden(seed)), seed)
    assert len(seeds) == 11 * len(MULTIPLIES)
    as_made = [p.tolist() for p in here["deep"](torch.nn.ReLU, 0.177).parameters()]
    for (layer, multiplied), seed in seeds.items():
        net = with_a_hidden_hook(here, seed)
        assert [p.tolist() for p in net.parameters()] == as_made
        forward, backward = here["measure"](net)
        for found in ([b / a for a, b in zip(forward, forward[1:12])],
                      [a / b for a, b in zip(backward, backward[1:12])]):
            oddest = max(found, key=lambda factor: abs(math.log(factor)))
            assert found.index(oddest) + 2 == layer
            assert min(MULTIPLIES, key=lambda number: abs(number - oddest)) == multiplied
            assert not first_wrong(asked("11d"), [layer, oddest], seed), (layer, multiplied, oddest)
            assert first_wrong(asked("11d"), [layer - 1, oddest], seed)
        shrinks = [a < b / 2 for a, b in zip(backward, backward[1:12])]
        assert shrinks == [at == layer - 2 and multiplied < 1 for at in range(11)]


@pytest.mark.parametrize("multiplied", MULTIPLIES)
def test_11d_takes_a_measured_number_and_no_other_one_for_right(multiplied):
    seed = next(seed for seed in range(300) if hidden(seed)[1] == multiplied)
    layer = hidden(seed)[0]
    for number in (multiplied, 0.85 * multiplied, 1.15 * multiplied, str(multiplied)):
        assert not first_wrong(asked("11d"), [layer, number], seed)
    for number in (1 / multiplied, 1, 0, -multiplied, None, "odd", *{*MULTIPLIES} - {multiplied}):
        assert first_wrong(asked("11d"), [layer, number], seed)


def test_the_engine_s_slice_adds_hooks():
    assert "register_hook" in source(11) and "register_hook" not in source(10)
