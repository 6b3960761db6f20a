"""Chapter 11: programs that try to break its rules, and numbers that it claims and no cell prints."""
import contextlib
import functools
import io
import math
import re
from types import SimpleNamespace

import pytest

import minigrad as torch
from minigrad.book.classroom.digits import digits
from minigrad.book.classroom.judging import first_wrong
from minigrad.book.content.chapters import of, question
from minigrad.book.content.chapters.ch11 import MULTIPLIES, hidden
from tests.helpers.sentences import Chapter
from tests.helpers.stored_chapters import load

CHAPTER = Chapter(11)
SEEDS = range(3)        # the chapter prints what happens with the seed 0


@functools.cache
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
def library(request):
    """minigrad, and PyTorch where it is installed."""
    return pytest.importorskip(request.param)


def report_of(names, net):
    """Return what `report` prints of a network: for each layer, three numbers."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        names["report"](net, "now")
    title, _, *rows = out.getvalue().splitlines()
    assert title == "now"
    return {int(row.split()[0]): [float(number.rstrip("%")) for number in row.split()[1:]] for row in rows}


@functools.cache
def trained(library, kind, spread, seed, *stops, lr=0.05, limit=None):
    """Train a network of the chapter; return its losses, and what `report` prints at each of these steps."""
    names = names_of_the_chapter(library)
    net, losses, reports = names["deep"](names[kind], spread, seed), [], []
    for stop in stops:
        losses += names["train"](net, lr, stop - len(losses), limit)
        reports.append(report_of(names, net))
    return losses, reports


def root_mean_square(numbers):
    return (numbers ** 2).mean().item() ** 0.5


def factor_of(here, net):
    """Return by how much each layer multiplies the message, on the way from layer 12 to layer 1."""
    backward = here["measure"](net)[1]
    return (backward[0] / backward[11]) ** (1 / 11)


# --- hooks --------------------------------------------------------------------------------------------------

@CHAPTER.says("If it returns nothing and doesn't write into the gradient, the gradient stays as it is.")
@pytest.mark.parametrize(("hook", "drawer"), [(lambda g: None, 12), (lambda g: g.mul_(10) and None, 120)],
                         ids=["reads", "writes in place"])
def test_a_hook_that_returns_nothing_may_write_into_the_gradient(hook, drawer):
    a = torch.tensor(2., requires_grad=True)
    y = a ** 2
    y.register_hook(hook)
    (3 * y).backward()
    assert a.grad.item() == drawer


@CHAPTER.says("`backward` has those of the messages. `forward` has those of the differences between images: "
              "of each result minus its mean over all images.",
              "It returns a **handle**, whose `remove()` removes the hook.")
def test_measure_returns_the_norms_of_both_directions(here):
    """As hooks on the results see the messages, and the layers, called one by one, the results."""
    net = here["deep"](torch.nn.Tanh, 0.125)
    forward, backward = here["measure"](net)
    assert not any(layer._forward_hooks for layer in net)
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


# --- by how much a layer multiplies -------------------------------------------------------------------------

@CHAPTER.says("No single layer is to blame: every layer makes both norms smaller.")
def test_the_two_lines_of_the_first_picture_cross(here):
    forward, backward = here["measure"](here["deep"](torch.nn.Sigmoid))
    assert forward == sorted(forward, reverse=True) and backward == sorted(backward)
    assert forward[-1] < 1e-9 < backward[-1] and backward[0] < 1e-9 < forward[0]


@CHAPTER.says("Each row of the next output tests the rule. `s` is measured. `rule` is √64 · spread · s.",
              "For `messages`, the norm at layer 1 is divided by that at layer 12; the 11th root is the "
              "measured f.", "`differences` is computed likewise from the forward pass.")
@pytest.mark.parametrize(("spread", "s", "f", "differences"), [
    (1.5, 0.22, 2.6, 1.12), (0.25, 0.6, 1.2, 1.08), (0.125, 0.93, 0.93, 0.93), (0.05, 1, 0.4, 0.4)])
def test_the_rule_and_the_measured_factors_of_tanh_agree(here, spread, s, f, differences):
    """These are the numbers in 11.4 and 11.5, and they hold for other seeds, too."""
    assert "is about 1. In the second, the spread is 1.5, and s is about a fifth" in question("11.4").text
    assert "0.05, 0.125, 0.25 and 1.5. Their f is 0.4, 0.93, 1.2 and 2.6" in question("11.5").text
    for seed in SEEDS:
        net, results = here["deep"](torch.nn.Tanh, spread, seed), []
        for layer in net[2:24:2]:
            layer.register_forward_hook(lambda _, x, h, results=results: results.append(h))
        forward, backward = here["measure"](net)
        assert len(results) == 11
        measured = root_mean_square(1 - torch.stack(results) ** 2)
        factor = (backward[0] / backward[11]) ** (1 / 11)
        assert measured == pytest.approx(s, abs=0.05)
        assert factor == pytest.approx(8 * spread * measured, rel=0.05)
        assert factor == pytest.approx(f, abs=0.03 if spread < 1 else 0.2)
        assert (forward[11] / forward[0]) ** (1 / 11) == pytest.approx(differences, rel=0.04)


def test_the_messages_of_11_5_grow_8_times_and_10000_times(here):
    """And with 0.25, the steps of all layers are longer than with 0.125."""
    for seed in SEEDS:
        nets = [here["deep"](torch.nn.Tanh, spread, seed) for spread in (0.125, 0.25, 1.5)]
        _, some, many = (backward[0] / backward[11] for _, backward in map(here["measure"], nets))
        assert 7 < some < 9 and many > 1e4
        for shorter, longer in zip(nets[0][1::2], nets[1][1::2]):
            assert longer.weight.grad.norm() > 1.5 * shorter.weight.grad.norm()


def nudged(net, images, size):
    """Return by how much the layers after the first, up to the twelfth, multiply small differences."""
    torch.manual_seed(1)
    h, norms = images.flatten(1), []
    other = h + size * torch.randn(*h.shape).double()
    for layer in net[1:24]:
        h, other = layer(h), layer(other)
        if isinstance(layer, torch.nn.Linear):
            norms.append((h - other).norm().item())
    return (norms[11] / norms[0]) ** (1 / 11)


@CHAPTER.says("With 1.5, the differences grow less than the messages, because `tanh` stays between "
              "-1 and 1.")
def test_only_tiny_differences_grow_as_messages_do(here):
    net = here["deep"](torch.nn.Tanh, 1.5)
    forward, backward = here["measure"](net)
    assert backward[0] / backward[11] > 5000 * forward[11] / forward[0]
    assert nudged(net, here["images"], 1.) < 1.25 < 2.4 < nudged(net, here["images"], 1e-9) < 2.9


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


@CHAPTER.says("If n is large, a layer with n inputs, n outputs and independent random weights of mean 0, "
              "together with the activation before it, multiplies the norm of a message by about √n · spread "
              "· s, where s is the root mean square of the local derivatives of this activation.")
@pytest.mark.parametrize("n", [64, 200])
@pytest.mark.parametrize("spread", [0.05, 0.25, 1.5])
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


@CHAPTER.says("Their signs are random, so the sum is about √n times as large as one product:")
def test_a_sum_of_products_with_random_signs_grows_like_the_root_of_their_number():
    torch.manual_seed(0)
    for n in 4, 64, 400:
        products = torch.randn(4000, n) * torch.randn(4000, n)
        times = root_mean_square(products.sum(1)) / root_mean_square(products)
        assert times == pytest.approx(n ** 0.5, rel=0.1)


# --- which network learns -----------------------------------------------------------------------------------

def steps_until_below_1(losses):
    return next((step for step, loss in enumerate(losses) if loss < 1), math.inf)


@CHAPTER.says("So f needn't be exactly 1. But with 0.05 and with 1.5, the loss stays at 2.3.")
@pytest.mark.parametrize("seed", SEEDS)
def test_the_option_of_11_5_holds_for_every_seed(library, seed):
    """The first to fall below 1 is that with 0.25, then comes that with 0.125; the other two stay at 2.3."""
    first = steps_until_below_1(trained(library, "Tanh", 0.25, seed, 0, 20, 35)[0])
    second = steps_until_below_1(trained(library, "Tanh", 0.125, seed, 85)[0])
    assert first <= 30 and 45 <= second < 85
    longer_steps = trained(library, "Tanh", 0.125, seed, 45, lr=0.15)[0]
    assert steps_until_below_1(longer_steps) < second - 15
    for losses, _ in (trained(library, "Tanh", 0.05, seed, 0, 100),
                      trained(library, "Tanh", 1.5, seed, 0, 1, 100)):
        assert min(losses) > 2.2 and 2.25 < losses[-1] < 2.35


@CHAPTER.says("With 0.05, layer 1 stands still: a step changes it by less than a millionth of its size, even "
              "after 100 steps.", "With 0.25, the updates are about as large as recommended.",
              "With 1.5, the first step changes layer 1 by half of its size, and layer 12 hardly at all. "
              "Then 90 % of the local derivatives after layer 1 are below 0.05. After 100 steps, layer 1 "
              "gets almost no gradient.",
              "With `tanh` and 1.5, the gradient of layer 1 is thousands of times larger than that of layer "
              "12.")
@pytest.mark.parametrize("seed", SEEDS)
def test_what_the_reports_show_of_three_networks_for_every_seed(library, seed):
    small = trained(library, "Tanh", 0.05, seed, 0, 100)[1]
    assert all(found[1][2] < 1e-6 for found in small)
    for found in trained(library, "Tanh", 0.25, seed, 0, 20, 35)[1][:2]:
        assert all(3e-4 < row[2] < 1e-2 for row in found.values())
    at_first, after_1, after_100 = trained(library, "Tanh", 1.5, seed, 0, 1, 100)[1]
    assert at_first[1][2] > 0.4 and at_first[12][2] < 1e-4 and at_first[1][0] > 1000 * at_first[12][0]
    assert after_1[1][1] >= 87 > 77 > at_first[1][1]
    assert after_100[1][0] < 0.01


@pytest.mark.parametrize("change", [1e-15, 3e-15])
def test_rounding_errors_change_nothing_that_the_chapter_prints(here, change):
    """With 1.5, they grow: the picture's losses are printed with three digits, and reports for two steps."""
    net = here["deep"](torch.nn.Tanh, 1.5)
    with torch.no_grad():
        net[1].weight[:, 20] += change
    assert here["images"].flatten(1)[:, 20].any()
    reports = [report_of(here, net)]
    losses = here["train"](net, steps=1)
    reports.append(report_of(here, net))
    assert [[*report.values()] for report in reports] == [
        [[9e+02, 72, 5e-01], [2e+01, 85, 8e-03], [7e-02, 85, 4e-05]],
        [[7e+02, 90, 3e-01], [2e+01, 85, 8e-03], [6e-02, 85, 3e-05]]]
    losses += here["train"](net, steps=299)
    assert [f"{losses[step]:.3g}" for step in (0, 60, 120, 179, 239, 299)] == ["2.42", *["2.3"] * 5]
    assert min(losses) > 2.2


@CHAPTER.says("For some layers, it prints the norm of the gradient of the weights, and the share of local "
              "derivatives after the layer that are below 0.05 (`flat`).",
              "`update` is the size of a step against that of the weights: the rate times the norm of the "
              "gradient, divided by the norm of the weights.")
@pytest.mark.parametrize(("kind", "local"), [
    ("Tanh", lambda h: 1 - h ** 2), ("ReLU", lambda h: (h > 0).double()), ("Sigmoid", lambda h: h * (1 - h))])
def test_report_prints_what_a_step_does(here, kind, local):
    net = here["deep"](here[kind], 0.3)
    here["train"](net, steps=2, limit=1)
    found = report_of(here, net)
    assert [*found] == [1, 6, 12] and not any(layer._forward_hooks for layer in net)
    h, results, before = here["images"], [], [p.detach().clone() for p in net.parameters()]
    for layer in net:
        h = layer(h)
        results.append(h)
    net.zero_grad()
    here["loss_of"](net).backward()
    torch.optim.SGD(net.parameters(), 0.05).step()
    moved = [(p.detach() - old).norm().item() / old.norm().item() for p, old in zip(net.parameters(), before)]
    for at, (gradient, flat, update) in found.items():
        share = 100 * (local(results[2 * at]) < 0.05).double().mean().item()
        assert abs(share - flat) <= 0.5
        assert gradient == pytest.approx(net[2 * at - 1].weight.grad.norm().item(), rel=0.34)
        assert update == pytest.approx(moved[2 * at - 2], rel=0.34)       # one digit is printed


# --- when numbers overflow ----------------------------------------------------------------------------------

@CHAPTER.says("With ReLU, results can grow from layer to layer, as messages do, so this loss starts far "
              "above 2.3:", "The first step changes each of these layers by about a tenth of its size, and "
              "the loss grows with each step.")
@pytest.mark.parametrize("seed", SEEDS)
def test_relu_explodes_and_clipping_lets_it_learn(library, seed):
    """As 11.6 says: without a limit the loss becomes nan, and with one it falls below 1."""
    losses, (at_first, _) = trained(library, "ReLU", 0.25, seed, 0, 7)
    assert math.isnan(losses[-1]) and losses[0] > 9 and losses[:4] == sorted(losses[:4])
    updates = [row[2] for row in at_first.values()]
    assert max(updates) < 5 * min(updates)
    clipped = trained(library, "ReLU", 0.25, seed, 45, limit=10)[0]
    assert min(clipped) < 1 and all(map(math.isfinite, clipped))
    names = names_of_the_chapter(library)
    forward, backward = names["measure"](names["deep"](names["ReLU"], 0.25, seed))
    assert forward[11] > 10 * forward[0] and backward[0] > 10 * backward[11]
    assert 1.3 < (backward[0] / backward[11]) ** (1 / 11) < 1.6


@CHAPTER.says("In the fifth forward pass, numbers are too large for a float, so they become infinite. "
              "Infinity minus infinity is **`nan`**,")
def test_the_nan_of_the_fifth_pass_begins_with_an_infinite_result(here):
    net = here["deep"](torch.nn.ReLU, 0.25)
    here["train"](net, steps=4)
    assert all(p.isfinite().all() for p in net.parameters())
    h, kinds = here["images"], []
    for layer in net:
        h = layer(h)
        kinds.append("nan" if h.isnan().any() else "inf" if h.isinf().any() else "finite")
    assert kinds.index("inf") < kinds.index("nan") if "nan" in kinds else "inf" in kinds
    assert here["loss_of"](net).isnan()


@CHAPTER.says("so one limit suits them.")
@pytest.mark.parametrize(("limit", "seed"), [(10, 1), (1, 0), (0.1, 0)])
def test_no_limit_lets_tanh_with_1_5_learn(library, limit, seed):
    assert min(trained(library, "Tanh", 1.5, seed, 100, limit=limit)[0]) > 2.2


@CHAPTER.says("If one term of a loss is the root of a sum that is 0, the loss is an ordinary number, but "
              "every gradient is `nan`.")
def test_a_root_of_a_sum_that_is_0_makes_every_gradient_nan(here):
    net = here["deep"](torch.nn.ReLU)
    squares = sum(((p - p.detach().clone()) ** 2).sum() for p in net.parameters())
    loss = here["loss_of"](net) + 0.01 * squares.sqrt()
    loss.backward()
    assert 2 < loss.item() < 3 and squares.item() == 0
    assert all(p.grad.isnan().all() for p in net.parameters())


# --- the first weights --------------------------------------------------------------------------------------

@CHAPTER.says("PyTorch's `Linear` chooses a spread of 1/√(3n), here 0.072.",
              "After a ReLU, half of the local derivatives are 0, the others 1.",
              "The mean of their squares is ½, so s is √½, and the spread √(2/n), here 0.177.")
def test_the_spreads_of_the_chapter():
    torch.manual_seed(0)
    assert round((3 * 64) ** -0.5, 3) == 0.072 and round((2 / 64) ** 0.5, 3) == 0.177
    for n in 16, 64, 200:
        assert torch.nn.Linear(n, 1000).weight.std().item() == pytest.approx((3 * n) ** -0.5, rel=0.02)
    x = torch.randn(10000, requires_grad=True)
    torch.relu(x).sum().backward()
    assert root_mean_square(x.grad) == pytest.approx(0.5 ** 0.5, rel=0.02)


@pytest.mark.parametrize(("name", "said", "squares"), [("xavier_normal_", "1/√n", 1),
                                                        ("kaiming_normal_", "√(2/n)", 2)])
def test_two_functions_of_pytorch_choose_the_spreads_as_the_answer_to_11d_says(name, said, squares):
    words = rf"for n inputs and n outputs: .*`{name}` (chooses )?{re.escape(said)} "
    assert re.search(words, asked("11d").why)
    torch.manual_seed(0)
    for n in 64, 200:
        weights = torch.stack([getattr(torch.nn.init, name)(torch.empty(n, n)) for _ in range(20)])
        assert weights.std().item() == pytest.approx((squares / n) ** 0.5, rel=0.02)


def network_of_a_row(here, kind, spread, seed):
    net = here["deep"](here["Tanh" if kind == "residual" else kind], spread, seed)
    for layer in net[1:25:2] if kind == "residual" else ():
        layer.register_forward_hook(lambda layer, inputs, h: inputs[0] + h)
    return net


@CHAPTER.says("At this rate, none of them learns.",
              "With it before each sigmoid, the first network of this chapter learns:",
              "Here, with `tanh` and PyTorch's spread, hooks do it.")
@pytest.mark.parametrize(("name", "kind", "spread", "learns"), [
    ("Sigmoid", "Sigmoid", None, False), ("Tanh", "Tanh", None, False), ("ReLU", "ReLU", None, False),
    ("Tanh, 0.125", "Tanh", 0.125, True), ("ReLU, 0.177", "ReLU", 0.177, True),
    ("Sigmoid, 0.5", "Sigmoid", 0.5, False), ("BatchNorm", "Normalised", None, True),
    ("residual", "residual", None, True)])
def test_the_rows_are_those_of_every_computer_and_of_another_seed(here, name, kind, spread, learns):
    """A change of 1e-15 to a weight that counts changes no digit. With another seed, the same learn."""
    printed = "".join("".join(output.get("text", "")) for cell in load(11)["cells"]
                      for output in cell.get("outputs", ()))
    (factor, loss), = re.findall(rf"^{name} +(\S+)  (\S+)$", printed, re.MULTILINE)
    net, other = (network_of_a_row(here, kind, spread, seed) for seed in (0, 1))
    with torch.no_grad():
        net[1].weight[:, 20] += 1e-15
    assert f"{factor_of(here, net):.2f} {min(here['train'](net)):.1f}" == f"{factor} {loss}"
    assert factor_of(here, other) == pytest.approx(float(factor), abs=0.08)
    lowest = min(here["train"](other))
    assert lowest < 0.9 if learns else 2.29 < lowest < 2.31


@CHAPTER.says("Those of the sigmoid are at most 1/4",
              "A spread of 0.5 would make f 1 for the sigmoid, if s were 1/4. But larger weights make its "
              "inputs larger, and there it is flatter")
def test_the_inputs_of_the_sigmoids_grow_with_the_spread_and_their_slopes_shrink(here):
    assert 8 * 0.5 / 4 == 1
    sizes = {}
    for spread in 0.125, 0.5:
        h, inputs, slopes = here["images"].flatten(1), [], []
        for layer in here["deep"](torch.nn.Sigmoid, spread)[1:24]:
            before, h = h, layer(h)
            if isinstance(layer, torch.nn.Sigmoid):
                inputs.append(before)
                slopes.append(h * (1 - h))
        sizes[spread] = root_mean_square(torch.stack(inputs)), root_mean_square(torch.stack(slopes))
        assert max(slope.max().item() for slope in slopes) <= 0.25
    assert sizes[0.5][0] > 3 * sizes[0.125][0] and sizes[0.5][1] < 0.17 < 0.23 < sizes[0.125][1]
    assert 4 * sizes[0.5][1] == pytest.approx(0.63, abs=0.03)


@CHAPTER.says("It subtracts from each number its mean over the batch, here all 200 images, and divides by "
              "the standard deviation.",
              "So it enlarges small differences, and the messages likewise.")
def test_what_batchnorm_does_with_numbers_and_messages(here):
    assert len(here["images"]) == 200
    for size in 0.01, 3:
        norm, h = torch.nn.BatchNorm1d(64).double(), size * torch.randn(200, 64).double() + 5
        norm.eps = 0.
        h.requires_grad_()
        deviations = h.std(0, unbiased=False)
        assert torch.allclose(norm(h), (h - h.mean(0)) / deviations, atol=1e-4)
        message = torch.randn(200, 64).double()
        sent, = torch.autograd.grad(norm(h), h, message)
        assert sent.norm().item() == pytest.approx((message / deviations).norm().item(), rel=0.02)


# --- its exercises ------------------------------------------------------------------------------------------

def asked(key):
    return next(one for one in of(11).EXERCISES if one.id == key)


def with_a_hidden_hook(here, seed):
    """Return the network of 11d, as the chapter's own cell makes it."""
    stub, = [cell for cell in load(11)["cells"] if {"exercise", "11d"} <= {*cell["metadata"].get("tags", ())}]
    names = {**here, "chapter": SimpleNamespace(numbers=lambda _: seed)}
    exec("".join(stub["source"]), names)
    return names["net"]


def test_hooks_find_the_layer_of_11d_in_both_directions(here):
    """For every layer and every number that a seat can get. The message shows the layer one place earlier."""
    seeds = {}
    for seed in range(300):
        seeds.setdefault(tuple(hidden(seed)), seed)
    assert len(seeds) == 11 * len(MULTIPLIES)
    for (layer, multiplied), seed in seeds.items():
        forward, backward = here["measure"](with_a_hidden_hook(here, seed))
        for found in ([b / a for a, b in zip(forward, forward[1:12])],
                      [a / b for a, b in zip(backward, backward[1:12])]):
            oddest = max(found, key=lambda factor: abs(math.log(factor)))
            assert found.index(oddest) + 2 == layer
            assert min(MULTIPLIES, key=lambda number: abs(number - oddest)) == multiplied
            assert not first_wrong(asked("11d"), [layer, oddest], seed), (layer, multiplied, oddest)
            assert first_wrong(asked("11d"), [layer - 1, oddest], seed)


@pytest.mark.parametrize("multiplied", MULTIPLIES)
def test_11d_takes_a_measured_number_and_no_other_one_for_right(multiplied):
    seed = next(seed for seed in range(300) if hidden(seed)[1] == multiplied)
    layer = hidden(seed)[0]
    for number in (multiplied, 0.85 * multiplied, 1.15 * multiplied, str(multiplied)):
        assert not first_wrong(asked("11d"), [layer, number], seed)
    for number in (1 / multiplied, 1, 0, -multiplied, None, "odd", *{*MULTIPLIES} - {multiplied}):
        assert first_wrong(asked("11d"), [layer, number], seed)
