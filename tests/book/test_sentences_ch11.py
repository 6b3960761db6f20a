"""Chapter 11: sentences of well-known material that are false, and programs that try to break its rules."""
import gc
import random
import re
import weakref

import pytest

import minigrad as torch
from minigrad.book.chapters import of
from minigrad.book.chapters.ch11 import (
    data,
    hooks_left,
    last_layer_first,
    message_norms,
    small_net,
    two_runs,
)
from minigrad.book.digits import digits
from minigrad.book.engine import source
from minigrad.book.exercises import judged
from minigrad.book.hook_places import draw_hooks, places_of
from minigrad.book.judging import first_wrong
from minigrad.book.memory import saved_bytes
from minigrad.book.verdict import NOT_YET
from tests.helpers.sentences import Chapter
from tests.helpers.stored_chapters import load

CHAPTER = Chapter(11)
checkpoint = torch.utils.checkpoint.checkpoint


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


def checkpointed_in_another_order():
    """The function computes the same value in another order when it runs again; the gradient is wrong."""
    turns, h = iter((False, True)), leaf(1.)

    def block(h):
        a, b = h.sin(), h.cos()
        return b * a if next(turns) else a * b

    checkpoint(block, h, use_reentrant=False).backward()
    return round(h.grad.item(), 4), round(torch.cos(2 * h).item(), 4)


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
    ("If the function of a checkpoint computes the same values when it runs again, the gradients are the "
     "same as without a checkpoint.", checkpointed_in_another_order, (0, -0.4161)),
    ("A hook of a layer receives the gradients of its inputs.", input_without_a_gradient, [(None,)]),
]


@pytest.mark.parametrize(("sentence", "program", "shows"), SENTENCES, ids=[row[0] for row in SENTENCES])
def test_a_sentence_is_refuted(sentence, program, shows):
    assert sentence not in CHAPTER
    assert program() == shows


# --- the rules ----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("seed", range(40))
@CHAPTER.says("In a backward pass, a hook of a tensor is called at most once: when all messages to the "
              "tensor have been added.")
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
@CHAPTER.says("If no write in place changes a tensor, its hooks run in the order in which they were "
              "registered; then `backward()` fills its drawer.",
              "At each node, the hooks of its result run first. Then the node's pre-hooks, the node itself "
              "and the node's hooks run, in this order.")
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


@CHAPTER.says("A hook that you register with `leaf.register_hook` receives what one pass delivers, not the "
              "sum in the drawer.")
def test_a_hook_of_a_leaf_receives_what_one_pass_delivers():
    x, seen = leaf(1.), []
    x.register_hook(lambda g: seen.append(g.item()))
    for factor in (5, -3, 0.5):
        (factor * x).backward()
    assert seen == [5, -3, 0.5]
    assert x.grad.item() == 2.5


@pytest.mark.parametrize("limit", [1e-3, 1., 5., 1e6, float("inf")])
@CHAPTER.says("`clip_grad_norm_` multiplies finite gradients by one number, which is at most 1.")
def test_clipping_multiplies_all_gradients_by_one_number(limit):
    torch.manual_seed(3)
    leaves = [torch.randn(3, requires_grad=True), torch.randn(2, 2, requires_grad=True)]
    sum((one ** 3).sum() for one in leaves).backward()
    before = [one.grad.clone() for one in leaves]
    torch.nn.utils.clip_grad_norm_(leaves, limit)
    ratios = torch.cat([(one.grad / old).flatten() for one, old in zip(leaves, before, strict=True)])
    assert ratios.max() <= 1
    assert torch.allclose(ratios, ratios[0])


def sines(h):
    for _ in range(10):
        h = h.sin()
    return h


def dropped(h):
    return torch.nn.functional.dropout(h.sin(), 0.5) * h


@pytest.mark.parametrize("block", [sines, dropped])
@CHAPTER.says("A checkpoint gives the usual gradients if its function, run again, performs the same "
              "operations in the same order on the same numbers.")
def test_a_checkpointed_block_runs_again_and_gives_the_same_gradients(block):
    runs, found = [], []

    def counted(h):
        runs.append(1)
        return block(h)

    for run in (counted, lambda h: checkpoint(counted, h, use_reentrant=False)):
        torch.manual_seed(0)
        start = torch.linspace(-1, 1, 50, requires_grad=True)
        loss = run(run(start)).sum()
        found.append(saved_bytes(loss))
        loss.backward()
        found.append(start.grad)
    assert (len(runs), found[2]) == (2 + 4, 0)
    assert found[0] > 0
    assert torch.equal(found[1], found[3])


def test_a_block_runs_again_if_one_of_its_tensors_is_needed():
    runs, start = [], torch.linspace(-1, 1, 50, requires_grad=True)
    for operation in (torch.sin, torch.neg):
        def block(h, operation=operation):
            runs.append(operation.__name__)
            return operation(h)
        checkpoint(block, start, use_reentrant=False).sum().backward()
    assert runs == ["sin", "sin", "neg"]


def test_a_checkpoint_keeps_the_input_of_its_block_and_nothing_else():
    middle = []

    def block(h):
        result = sines(h)
        middle.append(weakref.ref(result))
        return result

    start = torch.linspace(-1, 1, 50, requires_grad=True)
    first = checkpoint(block, start, use_reentrant=False)
    second = checkpoint(block, first * 2, use_reentrant=False)
    kept = weakref.ref(first)
    loss = second.sum()
    del first
    gc.collect()
    assert kept() is None           # the product saved nothing of it
    first = sines(start)
    kept = weakref.ref(first)
    loss = checkpoint(block, first, use_reentrant=False).sum()
    del first
    gc.collect()
    assert kept() is not None       # the input of a block
    assert loss.requires_grad


def test_a_checkpointed_block_that_computes_other_values_gives_another_gradient():
    added = iter((2., 3.))

    def block(h):
        return (h + next(added)) ** 2

    x = leaf(5.)
    checkpoint(block, x, use_reentrant=False).backward()
    assert x.grad.item() == 16      # the value was 7 ** 2, whose slope is 14


# --- the picture of the eight places ------------------------------------------------------------------------

def test_the_picture_numbers_the_places_in_the_order_of_a_pass_and_leaves_nothing_behind():
    u, layer = leaf(0.5), torch.nn.Tanh()
    u.grad = torch.tensor(7.)
    picture = draw_hooks(layer, u)
    names = [place.name for place in places_of(layer, u)[0]]
    assert names == ["y.register_hook", "y.retain_grad()", "layer.register_full_backward_pre_hook",
                     "node.register_prehook", "node.register_hook", "layer.register_full_backward_hook",
                     "u.register_hook", "u.register_post_accumulate_grad_hook"]
    assert [line.split()[1][:-1] for line in picture.text.splitlines()[1:]] == names
    for at, name in enumerate(names, 1):
        assert f">{at}</text>" in picture.svg and f">{name}</text>" in picture.svg
    assert u.grad.item() == 7
    seen = []
    u.register_hook(seen.append)
    layer(u).backward()
    assert len(seen) == 1 and not layer._backward_hooks and not layer._backward_pre_hooks


def test_the_picture_fits_a_page():
    wide = float(re.search(r'width="(\d+)pt"', draw_hooks(torch.nn.Tanh(), leaf(0.5)).svg)[1])
    assert wide * 4 / 3 <= 715


@pytest.mark.parametrize("u", [torch.tensor(0.5), torch.tensor([0.5], requires_grad=True)])
def test_the_picture_needs_a_leaf_of_one_number(u):
    with pytest.raises(ValueError, match="a leaf of one number"):
        draw_hooks(torch.nn.Tanh(), u)


# --- what the chapter says of its networks ----------------------------------------------------------------

def names_of_the_chapter():
    """Run the definitions of the chapter that its sentences are about."""
    names = {"torch": torch, "digits": digits}
    for cell in load(11)["cells"]:
        text = "".join(cell["source"])
        for name in ("digits()", "def train(", "def bias_norms(", "def factor(", "def one_step("):
            if cell["cell_type"] == "code" and name in text:
                exec(re.split(r"\n\n(?:for|torch)", text)[0], names)
    return names


@pytest.fixture(scope="module")
def here():
    return names_of_the_chapter()


def test_the_option_of_11_4_holds_for_every_seed(here):
    question = next(one for one in of(11).QUESTIONS if one.id == "11.4")
    assert [option.text.split(",")[0] for option in question.options] == [
        "about 2.5", "about 30", "tens of thousands"]
    for seed in range(12):
        large, small = (here["bias_norms"](here["deep"](torch.nn.Tanh, spread, seed))[0]
                        for spread in (0.125, 0.05))
        assert 1e4 < large / small < 1e5


def test_the_first_network_is_the_one_that_ends_the_lessons_of_chapter_10(here):
    """Chapter 10 prints 0.23 for the last layer and 4e-11 for the first one, on 1,200 images."""
    images, labels = map(torch.tensor, digits())
    net = here["deep"](torch.nn.Sigmoid)
    torch.nn.functional.cross_entropy(net(images[:1200]), labels[:1200]).backward()
    assert (f"{net[25].weight.grad.norm():.2f}", f"{net[1].weight.grad.norm():.0e}") == ("0.23", "4e-11")
    told = "".join(line for cell in load(10)["cells"] for output in cell.get("outputs", ())
                   for line in output.get("text", ()))
    assert "tensor(0.23" in told and "e-11)" in told


def test_small_weights_and_sigmoids_vanish_and_large_ones_explode(here):
    norms = {(kind, spread): here["bias_norms"](here["deep"](getattr(torch.nn, kind), spread))
             for kind, spread in (("Tanh", 0.6), ("Tanh", 0.125), ("Tanh", 0.05), ("Sigmoid", None))}
    first = {key: values[0] for key, values in norms.items()}
    assert first["Tanh", 0.6] > 50 * norms["Tanh", 0.6][-1]
    assert first["Tanh", 0.125] > norms["Tanh", 0.125][-1] / 10
    assert first["Tanh", 0.05] < 1e-4 * norms["Tanh", 0.05][-1]
    assert first["Sigmoid", None] < 1e-9 * norms["Sigmoid", None][-1]
    for key in ("Tanh", 0.05), ("Sigmoid", None):       # each layer makes the message smaller
        assert norms[key] == sorted(norms[key])
    for values in norms.values():       # what is printed is the same on any processor
        for layer in (1, 3, 6, 8, 11, 13):
            value = values[layer - 1]
            assert f"{value * 0.999995:.3g}" == f"{value:.3g}" == f"{value * 1.000005:.3g}"


def test_a_network_with_the_wrong_spread_stays_flat_and_one_with_the_right_spread_learns(here):
    for activation, wrong, right in ((torch.nn.Tanh, 0.05, 0.125), (torch.nn.ReLU, 0.125, 0.177),
                                     (torch.nn.Sigmoid, None, None)):
        for seed in range(3):
            assert here["train"](here["deep"](activation, wrong, seed))[-1] == 2.3
            if right:
                assert here["train"](here["deep"](activation, right, seed))[-1] < 2


def test_pytorch_chooses_a_spread_of_0_07_for_64_inputs(here):
    net = here["deep"](torch.nn.Sigmoid)
    assert {f"{layer.weight.std().item():.2f}" for layer in net[1:24:2]} == {"0.07"}


@pytest.mark.parametrize("seed", range(3))
def test_one_long_step_makes_the_loss_larger_and_the_clipped_step_smaller(here, seed):
    length, before, after = here["one_step"](seed, float("inf"))
    assert length > 10 and after > before
    assert here["one_step"](seed, 1.)[2] < before


def test_random_weights_multiply_the_norm_by_the_root_of_their_number_times_their_spread(here):
    torch.manual_seed(0)

    def mean_factor(n, spread, activation):
        return sum(here["factor"](n, spread, activation) for _ in range(20)) / 20

    for n in (16, 100, 400):
        assert abs(mean_factor(n, 1 / n ** 0.5, lambda h: h) - 1) < 0.1
        assert abs(mean_factor(n, 2 / n ** 0.5, lambda h: h) - 2) < 0.2
        assert abs(mean_factor(n, 1 / n ** 0.5, torch.relu) - 0.5 ** 0.5) < 0.1
        assert abs(mean_factor(n, (2 / n) ** 0.5, torch.relu) - 1) < 0.1


def test_xavier_and_kaiming_choose_the_two_spreads():
    torch.manual_seed(0)
    weight = torch.empty(16, 16)
    sizes = torch.stack([torch.nn.init.xavier_normal_(weight).std() for _ in range(50)])
    assert abs(sizes.mean().item() - 0.25) < 0.01
    kaiming = torch.stack([torch.nn.init.kaiming_normal_(weight).std() for _ in range(50)])
    assert abs(kaiming.mean().item() - (2 / 16) ** 0.5) < 0.015


# --- its exercises ------------------------------------------------------------------------------------------

def asked(key):
    return next(one for one in of(11).EXERCISES if one.id == key)


@pytest.mark.parametrize("seat", [None, *"ABCD"])
def test_11a_has_numbers_that_no_wrong_rule_gives(seat):
    one = asked("11a")
    numbers = one.numbers(seat)
    right = two_runs(numbers)
    for wrong in one.wrong:
        answer = wrong.answer(numbers)
        assert any(abs(a - b) > 1e-6 for a, b in zip(answer, right, strict=True))
        says = wrong.says.replace("`", "").rstrip(".")[1:]   # it may follow "but"
        assert says in first_wrong(one, answer, numbers).replace("`", "")


def test_11b_takes_every_way_to_measure():
    def by_tensor_hooks(net, x):
        norms, h = [], x
        for layer in net:
            h = layer(h)
            h.register_hook(lambda g: norms.append(g.norm()))
        h.sum().backward()
        return norms[::-1]

    def by_retain_grad(net, x):
        results = [x]
        for layer in net:
            results.append(layer(results[-1]))
            results[-1].retain_grad()
        results[-1].sum().backward()
        return torch.stack([one.grad.norm() for one in results[1:]])

    def by_autograd_grad(net, x):
        results = [x]
        for layer in net:
            results.append(layer(results[-1]))
        return [grad.norm() for grad in torch.autograd.grad(results[-1].sum(), results[1:])]

    one = asked("11b")
    for way in (message_norms, by_tensor_hooks, by_retain_grad, by_autograd_grad):
        assert first_wrong(one, way, None) is None


def test_11b_says_what_is_wrong():
    def inputs(net, x):
        return message_norms(net, x)[:2]

    def changes(net, x):
        norms = message_norms(net, x)
        net[0].weight.grad *= 2
        return norms

    def of_inputs(net, x):
        norms = []
        for layer in net:
            layer.register_full_backward_hook(lambda layer, grads, _: norms.append(grads[0].norm().item()))
        net(x).sum().backward()
        return norms[::-1]

    one = asked("11b")
    for wrong, says in ((of_inputs, "Measure the gradients of its outputs"),
                        (last_layer_first, "last layer's is the first"), (hooks_left, "on the layers"),
                        (inputs, "one norm for each"), (changes, "aren't those of one backward pass"),
                        (lambda net, x: print(message_norms(net, x)), "should return the list of norms")):
        assert says in " ".join(judged(one, wrong))
    for broken in (3, lambda: 1, lambda net, x: None):
        kind, _, says, *_ = judged(one, broken)
        assert kind == NOT_YET and says


def test_11b_has_a_net_with_three_different_norms():
    norms = message_norms(small_net(torch), data(torch))
    assert len({round(norm, 3) for norm in norms}) == 3


def test_the_engine_s_slice_adds_hooks():
    assert "register_hook" in source(11) and "register_hook" not in source(10)
