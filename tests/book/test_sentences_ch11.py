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


@CHAPTER.says("`backward` has those of the messages, and `forward` those of the differences between images: "
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

def names_of_the_chapter():
    """Run the definitions of the chapter that its sentences are about."""
    names = {"torch": torch, "digits": digits}
    for cell in load(11)["cells"]:
        text = "".join(cell["source"])
        for name in "digits()", "measure", "train", "behind", "with_hooks", "row", "Normalised":
            if cell["cell_type"] == "code" and (name if "(" in name else f"def {name}(") in text:
                exec(re.split("\n\n(?:for|print|row)", text)[0], names)
    return names


@pytest.fixture(scope="module")
def here():
    return names_of_the_chapter()


def test_the_option_of_11_4_holds_for_every_seed(here):
    factors_of_small = []
    for seed in range(12):
        small, large = (here["measure"](here["deep"](torch.nn.Tanh, spread, seed))[1]
                        for spread in (0.05, 0.6))
        assert small[0] < small[12] / 3e4 and large[0] > 30 * large[12]
        factors_of_small.append((small[0] / small[11]) ** (1 / 11))
        assert abs((large[0] / large[11]) ** (1 / 11) - 1.7) < 0.1
        middle = here["measure"](here["deep"](torch.nn.Tanh, 0.125, seed))[1]
        assert all(norms[11] < norms[12] for norms in (small, middle, large))
    assert max(factors_of_small) < 0.42 and abs(sum(factors_of_small) / 12 - 0.39) < 0.01


@CHAPTER.says("With 0.6, the differences grow less than the messages, because `tanh` stays between "
              "-1 and 1.")
def test_forward_a_wrong_spread_of_tanh_shows_only_if_it_is_too_small(here):
    for seed in range(6):
        small, large = (here["measure"](here["deep"](torch.nn.Tanh, spread, seed)) for spread in (0.05, 0.6))
        assert abs((small[0][11] / small[0][0]) ** (1 / 11) - 0.4) < 0.02
        assert 3 < large[0][11] / large[0][0] < 3.6
        assert large[1][0] / large[1][11] > 50 * large[0][11] / large[0][0]
        for size in 1e-9, 1e-6:         # as the rule says; large ones grow as the images' own differences do
            tiny_ones = nudged(here["deep"](torch.nn.Tanh, 0.6, seed), here["images"], size)
            assert 1.6 < tiny_ones ** (1 / 11) < 1.9
        assert nudged(here["deep"](torch.nn.Tanh, 0.6, seed), here["images"], 1.) ** (1 / 11) < 1.25


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


@pytest.mark.parametrize(("spread", "s", "factor"), [(0.05, 1, 0.39), (0.6, 0.35, 1.7)])
def test_the_numbers_in_11_4_are_those_of_its_networks(here, spread, s, factor):
    assert f"is about {s}" in question("11.4").text
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


def test_small_weights_and_sigmoids_vanish_and_large_ones_explode(here):
    norms = {(kind, spread): here["measure"](here["deep"](getattr(torch.nn, kind), spread))[1]
             for kind, spread in (("Tanh", 0.6), ("Tanh", 0.125), ("Tanh", 0.05), ("Sigmoid", None))}
    first = {key: values[0] for key, values in norms.items()}
    assert first["Tanh", 0.6] > 50 * norms["Tanh", 0.6][-1]
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
              "If each multiplies its norm by f, all multiply it by f¹¹.",
              "For `messages`, the norm at layer 1 is divided by that at layer 12; the 11th root is the "
              "measured f.", "`differences` is computed likewise from the forward pass.")
def test_the_number_of_the_rule_and_the_measured_factors_of_tanh_are_in_one_table(here):
    """As the chapter prints them, and for other seeds: they differ by a few hundredths at most."""
    cell, = [cell for cell in load(11)["cells"] if "8 * spread * s" in "".join(cell["source"])]
    rows = [[float(number) for number in line.split()] for line in
            "".join(cell["outputs"][0]["text"]).splitlines()[1:]]
    assert rows == [[0.6, 0.36, 1.74, 1.73, 1.12], [0.125, 0.93, 0.93, 0.93, 0.93],
                    [0.05, 0.99, 0.4, 0.4, 0.4]]
    for seed in range(5):
        for spread, differences in (0.6, 1.12), (0.125, 0.93), (0.05, 0.4):
            net, results = here["deep"](torch.nn.Tanh, spread, seed), []
            for layer in net[2:24:2]:
                layer.register_forward_hook(lambda _, x, h, results=results: results.append(h))
            forward, backward = here["measure"](net)
            assert len(results) == 11
            rule = 8 * spread * root_mean_square(1 - torch.stack(results) ** 2)
            assert (backward[0] / backward[11]) ** (1 / 11) == pytest.approx(rule, rel=0.04)
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


@CHAPTER.says("None of the three learns.", "With f near 1, `tanh` and ReLU learn.")
def test_tanh_and_relu_need_a_factor_near_1_at_the_rate_of_the_chapter(here):
    """For other seeds, too. Sigmoids whose factor is near 1 don't learn, so it speaks of two kinds."""
    for seed in range(3):
        for kind in torch.nn.Sigmoid, torch.nn.Tanh, torch.nn.ReLU:
            assert here["train"](here["deep"](kind, None, seed)) > 2.29
            assert factor_of(here, here["deep"](kind, None, seed)) < 0.6
        for kind, spread in (torch.nn.Tanh, 0.125), (torch.nn.ReLU, 0.177):
            assert here["train"](here["deep"](kind, spread, seed)) < 0.85
            assert 0.9 < factor_of(here, here["deep"](kind, spread, seed)) < 1.1
        assert 0.85 < factor_of(here, here["deep"](torch.nn.Sigmoid, 1.25, seed)) < 1.15
        assert here["train"](here["deep"](torch.nn.Sigmoid, 1.25, seed)) > 2


@CHAPTER.says("those of the sigmoid are at most 1/4", "The results of a sigmoid are positive, about ½ on "
              "average, so the inputs of the next one typically have a size of √64 · 0.5 · ½ = 2 or more, "
              "where the sigmoid is flatter than at 0.",
              "That isn't enough at this rate; with ten times the rate, the network learns.")
def test_the_first_network_learns_with_a_larger_spread_and_a_larger_rate(here):
    """As 11.6 says, for other seeds, too; with 0.5, f is too small, and no larger rate helps."""
    for seed in range(3):
        h, slopes = here["images"].flatten(1), []
        for layer in here["deep"](torch.nn.Sigmoid, 0.5, seed)[1:24]:
            before, h = h, layer(h)
            if isinstance(layer, torch.nn.Sigmoid):
                slopes.append(h * (1 - h))
                assert (h > 0).all() and abs(h.mean().item() - 0.5) < 0.1
                assert 1.7 < root_mean_square(before) < 3.5
        assert max(slope.max().item() for slope in slopes) <= 0.25
        s = root_mean_square(torch.stack(slopes))
        assert abs(s - 0.16) < 0.01
        assert factor_of(here, here["deep"](torch.nn.Sigmoid, 0.5, seed)) == pytest.approx(4 * s, rel=0.05)
        assert factor_of(here, here["deep"](torch.nn.Sigmoid, 1.2, seed)) == pytest.approx(1, abs=0.06)
        assert here["train"](here["deep"](torch.nn.Sigmoid, 1.2, seed)) > 2
        assert here["train"](here["deep"](torch.nn.Sigmoid, 1.2, seed), lr=0.5) < 0.95
        for rate in 0.05, 0.5:
            assert here["train"](here["deep"](torch.nn.Sigmoid, 0.5, seed), lr=rate) > 2.29


def factor_of(here, net):
    """Return by how much each layer multiplies the message, on the way from layer 12 to layer 1."""
    backward = here["measure"](net)[1]
    return (backward[0] / backward[11]) ** (1 / 11)


def test_a_network_with_the_wrong_spread_stays_flat_and_one_with_the_right_spread_learns(here):
    for activation, wrong, right in ((torch.nn.Tanh, 0.05, 0.125), (torch.nn.ReLU, 0.125, 0.177),
                                     (torch.nn.Sigmoid, None, None), (torch.nn.Sigmoid, 0.5, None)):
        for seed in range(3):
            assert here["train"](here["deep"](activation, wrong, seed)) > 2.29
            if right:
                assert here["train"](here["deep"](activation, right, seed)) < 1


def with_and_without_the_first_layers(here, spread, seed):
    """Return the lowest loss if all layers are trained, and if the first six keep their weights."""
    return [here["train"](here["deep"](torch.nn.Tanh, spread, seed), first) for first in (1, 7)]


def test_clipping_lets_relu_learn_with_a_rate_that_is_too_large_without_it(here):
    """With several limits: the chapter's isn't the only one that helps."""
    for seed in range(3):
        def lowest(limit, seed=seed):
            return here["train"](here["deep"](torch.nn.ReLU, 0.177, seed), lr=0.5, limit=limit)

        assert lowest(math.inf) > 1.8
        assert all(lowest(limit) < 0.5 for limit in (0.3, 0.5, 1.))
        factor = here["measure"](here["deep"](torch.nn.ReLU, 0.177, seed))[1]
        assert abs((factor[0] / factor[11]) ** (1 / 11) - 1) < 0.1
        for limit in 0.03, 0.3, 1., 5.:         # 0.6: layers of another scale, which no limit repairs
            assert here["train"](here["deep"](torch.nn.Tanh, 0.6, seed), limit=limit) > 1.7
        assert here["train"](here["deep"](torch.nn.Tanh, 0.6, seed), 7) < 1


def test_clipped_steps_of_exploding_layers_go_to_the_first_layers(here):
    """As 11.5 says: in each of 100 steps, and the last layers move a tenth as far as alone, or less."""
    def moved(first, limit):
        net = here["deep"](torch.nn.Tanh, 0.6, seed)
        before = [p.detach().clone() for p in net.parameters()]
        assert (here["train"](net, first, limit=limit) > 1) == (first == 1)
        squares = [((p - old) ** 2).sum().item() for p, old in zip(net.parameters(), before)]
        return sum(squares[:12]), sum(squares[12:])

    for seed in range(3):
        net = here["deep"](torch.nn.Tanh, 0.6, seed)
        sgd = torch.optim.SGD(net.parameters(), 0.05)
        for _ in range(100):
            sgd.zero_grad()
            here["loss_of"](net).backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1)
            squares = [(p.grad ** 2).sum().item() for p in net.parameters()]
            assert sum(squares[:12]) > 0.98 * sum(squares)
            sgd.step()
        assert moved(1, 1)[1] < 0.1 ** 2 * moved(7, math.inf)[1]


@CHAPTER.says("The list shows the norms for layers 1 to 13 in the first step. Those of layers 7 to 13 are "
              "about 0.06 together. With this limit, these layers don't learn alone; with a limit of 1, they "
              "do.")
def test_the_share_of_the_last_layers_is_too_small_for_them_to_learn(here):
    """One of the two reasons of 11.5."""
    def learns(first, limit):
        return here["train"](here["deep"](torch.nn.Tanh, 0.6, seed), first, limit=limit) < 1

    for seed in range(3):
        net = here["deep"](torch.nn.Tanh, 0.6, seed)
        here["loss_of"](net).backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1)
        share = sum((p.grad ** 2).sum().item() for p in net[13:].parameters()) ** 0.5
        assert abs(share - 0.06) < (0.005 if seed == 0 else 0.02)
        assert [learns(7, 0.06), learns(7, 1), learns(1, 1)] == [False, True, False]


@CHAPTER.says("with hooks that give every gradient the norm 1, layers 7 to 13 learn alone, and all layers "
              "together don't. So the steps of the first layers do harm, too.")
def test_steps_of_the_first_layers_do_harm_even_if_all_gradients_have_one_norm(here):
    """The other reason. With a tenth of the norm, all layers and the last ones reach the same loss."""
    def lowest(first, size, seed):
        net = here["with_hooks"](here["deep"](torch.nn.Tanh, 0.6, seed))
        for p in net.parameters():
            p.register_hook(lambda g: size * g)
        return here["train"](net, first)

    for seed in range(3):
        assert lowest(1, 1, seed) > 1.2 and lowest(7, 1, seed) < 0.1
        assert lowest(1, 0.3, seed) > 1 and lowest(7, 0.3, seed) < 0.8
        assert abs(lowest(1, 0.1, seed) - lowest(7, 0.1, seed)) < 0.1
    net = here["with_hooks"](here["deep"](torch.nn.Tanh, 0.6))
    here["loss_of"](net).backward()
    assert all(p.grad.norm().item() == pytest.approx(1) for p in net.parameters())


@CHAPTER.says("With 0.05, they **vanish**.",
              "With the rate of 0.05, either part alone keeps the loss at 2.3: its six layers multiply the "
              "differences between images by about 0.4⁶, or 0.004.",
              "With a rate of 1, the others with 0.05 begin to repair themselves. The first six can't, "
              "because they aren't trained.")
def test_either_part_of_small_weights_keeps_a_network_from_learning(here):
    """In `behind`, only layers 7 to 13 are trained. The differences decide: enlarged again, they suffice."""
    def differences(h):
        return h - h.mean(0)

    def enlarged(net, at, good):
        """Return the net with a layer that makes the differences at this place as large as in a good one."""
        wanted, found = (differences(one[:at](here["images"])).norm().item() for one in (good, net))

        class Enlarge(torch.nn.Module):
            def forward(self, h):
                return wanted / found * differences(h)

        return torch.nn.Sequential(*net[:at], Enlarge(), *net[at:])

    for seed in range(3):
        def parts(first, others, seed=seed):
            front = here["deep"](torch.nn.Tanh, first, seed)[:13]
            return torch.nn.Sequential(*front, *here["deep"](torch.nn.Tanh, others, seed)[13:])

        def lowest(net, first):
            weights = list(net[first:].parameters())
            sgd, losses = torch.optim.SGD(weights, 0.05), []
            for _ in range(100):
                sgd.zero_grad()
                loss = here["loss_of"](net)
                loss.backward()
                sgd.step()
                losses.append(loss.item())
            return min(losses)

        assert abs(here["loss_of"](parts(0.125, 0.125)).item() - 2.3) < 0.06
        assert 0.9 < here["train"](parts(0.125, 0.125), 7) < 1.4
        small_first, small_last = parts(0.05, 0.125), parts(0.125, 0.05)
        for net, start in (small_first, 0), (small_last, 6):
            before, after = here["images"].flatten(1), None
            for at, layer in enumerate(net[1:start * 2 + 13], 1):
                after = layer(before if at == 1 else after)
                if at == 2 * start:
                    before = after
            factor_of_six = differences(after).norm().item() / differences(before).norm().item()
            assert factor_of_six == pytest.approx(0.4 ** 6, abs=0.001)
            assert here["train"](net, 7) > 2.29
        assert here["train"](parts(0.05, 0.125), 7, 1) > 2.29 > 2.25 > here["train"](parts(0.125, 0.05), 7, 1)
        good = parts(0.125, 0.125)
        assert lowest(enlarged(parts(0.05, 0.125), 13, good), 14) < 1.4
        assert lowest(enlarged(parts(0.125, 0.05), 25, good), 13) < 0.5


@CHAPTER.says("Only the others are trained, so the first six stay as they are.")
def test_behind_is_made_of_two_networks(here):
    net = here["behind"](0.05, 0.125)
    for layer, spread in zip(net[1::2], 6 * [0.05] + 6 * [0.125]):
        assert layer.weight.std().item() == pytest.approx(spread, rel=0.05)
    before = [layer.weight.detach().clone() for layer in net[1::2]]
    here["train"](net, 7)
    moved = [not torch.equal(*pair) for pair in zip((layer.weight for layer in net[1::2]), before)]
    assert moved == [False] * 6 + [True] * 7


def test_good_layers_behind_layers_with_small_weights_do_not_learn(here):
    """`mixed` and its control have the same layers 7 to 13; the first six, which differ, aren't trained."""
    small, right, vanished = ([here["deep"](torch.nn.Tanh, spread, seed) for seed in range(3)]
                              for spread in (0.05, 0.125, 0.05))
    for seed in range(3):
        mixed = torch.nn.Sequential(*small[seed][:13], *right[seed][13:])
        both = here["measure"](mixed)[0][5], here["measure"](right[seed])[0][5]
        assert both[0] < both[1] / 50
        assert here["train"](mixed, 7) > 2.29 and 0.9 < here["train"](right[seed], 7) < 1.4
        backward = here["measure"](vanished[seed])[1]
        assert backward[0] < 1e-4 * backward[11]


def test_gradients_of_weights_differ_less_than_the_messages(here):
    """So the chapter says that messages vanish: a weight's gradient is message times layer input."""
    net = here["deep"](torch.nn.Tanh, 0.05)
    backward = here["measure"](net)[1]
    weights = [layer.weight.grad.norm().item() for layer in net[1::2]]
    assert max(weights[:5]) < 1.5 * min(weights[:5]) and backward[4] > 30 * backward[0]
    assert "gradients of the first layers" not in CHAPTER


@CHAPTER.says("if its loss falls below 1 in 100 steps. The rate is 0.05.")
def test_learning_is_a_matter_of_steps_too(here):
    for seed in range(2):
        assert here["train"](here["deep"](torch.nn.ReLU, 0.125, seed), steps=1000) < 0.1


def test_first_layers_of_the_right_scale_help_and_those_of_small_weights_do_not(here):
    for seed in range(3):
        everything, last_ones = with_and_without_the_first_layers(here, 0.125, seed)
        assert everything < 0.8 and everything < last_ones - 0.3
        everything, last_ones = with_and_without_the_first_layers(here, 0.05, seed)
        assert abs(everything - last_ones) < 1e-5 and round(everything, 1) == 2.3
        differences = here["measure"](here["deep"](torch.nn.Tanh, 0.05, seed))[0]
        assert differences[6] < 1e-2 * differences[0] and differences[11] < 1e-4 * differences[0]


def test_first_layers_that_are_left_out_keep_their_weights(here):
    net = here["deep"](torch.nn.Tanh, 0.125)
    before = [layer.weight.detach().clone() for layer in net[1::2]]
    here["train"](net, 7)
    moved = [not torch.equal(*pair) for pair in zip((layer.weight for layer in net[1::2]), before)]
    assert moved == [False] * 6 + [True] * 7


def test_a_rate_that_is_small_enough_for_exploding_layers_is_too_small_for_the_others(here):
    """With five rates between the two and beyond, all layers together stay far above the last ones alone."""
    def lowest(seed, first, lr):
        return here["train"](here["deep"](torch.nn.Tanh, 0.6, seed), first, lr)

    for seed in range(3):
        start = here["loss_of"](here["deep"](torch.nn.Tanh, 0.6, seed)).item()
        everything, last_ones = (lowest(seed, first, 0.0002) for first in (1, 7))
        assert everything < last_ones - 0.4 and start - 0.1 < last_ones < start
        assert lowest(seed, 7, 0.05) < 0.9
        assert all(lowest(seed, 1, lr) > 1.4 for lr in (0.0001, 0.0005, 0.002, 0.01, 0.05))


@CHAPTER.says("(Rounding errors explode, too, so the loss differs from computer to computer.)")
def test_rounding_errors_change_only_digits_that_the_losses_do_not_show(here):
    """Changes of 1e-15 to weights that count: the first pixel of an image is always 0."""
    def lowest(change, activation=torch.nn.Tanh, spread=0.6, first=1, **how):
        net = here["deep"](activation, spread)
        with torch.no_grad():
            net[1].weight[:, 20] += change
            net[13].weight[:, 20] += change
        return here["train"](net, first, **how)

    changes = 0, 1e-15, 2e-15
    assert here["images"].flatten(1)[:, 20].any()
    for limit in 1, math.inf:
        losses = [lowest(change, limit=limit) for change in changes]
        assert all(1.5 < loss < 2.4 for loss in losses) and max(losses) - min(losses) > 1e-3
    for kind in ((torch.nn.Tanh, 0.6, 7), (torch.nn.Tanh, 0.125), (torch.nn.Tanh, 0.125, 7),
                 (torch.nn.Tanh, 0.2), (torch.nn.Tanh, 0.3), (torch.nn.ReLU, 0.177)):
        assert len({round(lowest(change, *kind), 1) for change in changes}) == 1
    for limit in 0.3, math.inf:
        losses = [lowest(change, torch.nn.ReLU, 0.177, lr=0.5, limit=limit) for change in changes]
        assert len({round(loss, 1) for loss in losses}) == 1


@CHAPTER.says("With 0.6, the messages **explode** on their way to layer 1.")
def test_a_network_whose_gradients_explode_learns_without_the_steps_of_its_first_layers(here):
    for seed in range(3):
        everything, last_ones = with_and_without_the_first_layers(here, 0.6, seed)
        assert last_ones < 0.9 < 1.4 < everything
        norms = here["measure"](here["deep"](torch.nn.Tanh, 0.6, seed))[1]
        assert norms[0] > 100 * norms[11]


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
              "than `limit`, `clip_grad_norm_` makes them smaller, until it equals `limit`.")
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


def against_the_rule(n, activation, spread, weights):
    """Return the factors of a layer, backward and forward, each divided by what the rule says."""
    h = torch.randn(n, dtype=torch.float64, requires_grad=True)
    before = weights @ h
    nudge = 1e-6 * torch.randn(n, dtype=torch.float64)
    after = activation(before)
    slopes, = torch.autograd.grad(after.sum(), before, retain_graph=True)
    message = torch.randn(n, dtype=torch.float64)
    sent, = torch.autograd.grad(after, h, message)
    with torch.no_grad():
        moved = activation(weights @ (h + nudge)) - after
    said = n ** 0.5 * spread * root_mean_square(slopes)
    return [(one.norm() / other.norm()).item() / said for one, other in ((sent, message), (moved, nudge))]


def mean_against_the_rule(n, activation, spread, make):
    found = [against_the_rule(n, activation, spread, make(n)) for _ in range(12)]
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


@CHAPTER.says("If n is large, a layer with n inputs, n outputs and independent random weights of mean 0 "
              "multiplies the norm of a message by about √n · spread · s, where s is the root mean square of "
              "the local derivatives of its activation.")
@pytest.mark.parametrize("n", [64, 200])
@pytest.mark.parametrize("spread", [0.05, 0.125, 0.6])
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_the_rule_of_the_chapter_holds_for_layers_of_many_kinds(n, spread, name):
    torch.manual_seed(0)
    for make in (lambda n: spread * torch.randn(n, n, dtype=torch.float64),
                 lambda n: spread * 12 ** 0.5 * (torch.rand(n, n, dtype=torch.float64) - 0.5)):
        assert mean_against_the_rule(n, ACTIVATIONS[name], spread, make) == pytest.approx([1, 1], abs=0.15)


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


def test_the_rows_of_the_first_weights_are_those_of_every_computer(here, capsys):
    """A change of 1e-15 to a weight that counts changes no digit of them."""
    rows = "".join(map(printed_by, ("def row(", "row(Tanh, 0.125)", "row(Normalised)")))
    assert [line.split() for line in rows.splitlines()] == [
        ["Sigmoid", "default", "0.14", "2.3"], ["Tanh", "default", "0.58", "2.3"],
        ["ReLU", "default", "0.41", "2.3"], ["Tanh", "0.125", "0.93", "0.5"],
        ["ReLU", "0.177", "1.03", "0.2"], ["Normalised", "default", "1.02", "0.8"]]
    for line in rows.splitlines():
        name, spread, factor, loss = line.split()
        kind = here["Normalised"] if name == "Normalised" else getattr(torch.nn, name)
        net = here["deep"](kind, None if spread == "default" else float(spread))
        with torch.no_grad():
            net[1].weight[:, 20] += 1e-15
        assert f"{factor_of(here, net):.2f} {here['train'](net):.1f}" == f"{factor} {loss}"
    sigmoids = [line.split() for line in printed_by("row(Sigmoid, 1.2)").splitlines()]
    assert [row[1:] for row in sigmoids] == [["1.2", "0.98", "2.2"], ["1.2", "0.98", "0.9"],
                                             ["0.5", "0.63", "2.3"]]
    for (_, spread, factor, loss), rate in zip(sigmoids, (0.05, 0.5, 0.5)):
        net = here["deep"](torch.nn.Sigmoid, float(spread))
        with torch.no_grad():
            net[1].weight[:, 20] += 1e-15
        assert f"{factor_of(here, net):.2f} {here['train'](net, lr=rate):.1f}" == f"{factor} {loss}"


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
        assert 0.95 < factor_of(here, net) < 1.1 and here["train"](net) < 0.9
        for kind in torch.nn.Tanh, torch.nn.ReLU:
            def normalised(kind=kind):
                return torch.nn.Sequential(torch.nn.BatchNorm1d(64).double(), kind())
            assert here["train"](here["deep"](normalised, None, seed)) < 0.1


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
    assert printed_by("inputs[0] + h") == "1.00  0.2\n"
    for seed in range(3):
        for kind in torch.nn.Tanh, torch.nn.ReLU:
            assert here["train"](residual(here, kind, seed)) < 0.25
            assert 0.95 < factor_of(here, residual(here, kind, seed)) < 1.1
        assert here["train"](residual(here, torch.nn.Sigmoid, seed)) > 2.29


@CHAPTER.says("**BatchNorm** subtracts from each number its mean over the batch, here all 200 images, and "
              "divides by the standard deviation. (With `eval()`, it uses stored numbers instead.)",
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


@CHAPTER.says("The loss is an ordinary number, but every gradient is `nan`.")
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
