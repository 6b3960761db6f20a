"""Chapter 15: its claims about measurements, its patients, the replies to answers, and its last script."""
import ast
import contextlib
import importlib
import io
import re
import sys
from functools import cache
from importlib.util import find_spec

import pytest

import minigrad as torch
import minigrad.book
from minigrad.book.build.counting import A_BUG, patient_minutes, read
from minigrad.book.build.counting import BUGS as COUNTED
from minigrad.book.classroom import deciding, measurements
from minigrad.book.classroom.exercise import Exercise
from minigrad.book.classroom.exercises import judged
from minigrad.book.classroom.judging import first_wrong
from minigrad.book.classroom.measurements import MEASUREMENTS, code_of
from minigrad.book.classroom.patients import copying, patient
from minigrad.book.classroom.patients.bugs import BUGS as PATIENT_BUGS
from minigrad.book.classroom.patients.numbers_compared import is_same
from minigrad.book.classroom.saying import is_plural, so_far
from minigrad.book.classroom.verdict import NOT_YET, RIGHT
from minigrad.book.content.chapters import ch15
from minigrad.book.content.chapters.ch15 import (
    all_numbers,
    is_shown,
    patient_of,
    signs_in_the_last_script,
    signs_of,
    treated,
)
from tests.helpers.patients_overfitted import HIGH
from tests.helpers.patients_overfitted import stored as stored_losses
from tests.helpers.sentences import Chapter
from tests.helpers.stored_chapters import load, printed

CHAPTER = Chapter(15)
LIBRARIES = ["minigrad", *(["torch"] if find_spec("torch") else [])]


@pytest.fixture(params=LIBRARIES)
def library(request):
    return request.param


@pytest.fixture(autouse=True, scope="module")
def last_script_once():
    """Run the last script once for each bug: an answer to 15d is compared with three of its losses."""
    run, once = ch15.last_script, cache(ch15.last_script)

    def known(fills=False, equal=False, norms=None, slopes=None):
        return once(fills, equal) if norms is slopes is None else run(fills, equal, norms, slopes)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ch15, "last_script", known)
        yield


def sources():
    return ["".join(cell["source"]) for cell in load(15)["cells"] if cell["cell_type"] == "code"]


def one_with(*words_in_it):
    """Return the only cell of code that has these words."""
    found, = [text for text in sources() if all(word in text for word in words_in_it)
              and "BEGIN SOLUTION" not in text]
    return found


def one_text(words_in_it):
    """Return the only cell of text that has these words."""
    found, = [text for cell in load(15)["cells"] if cell["cell_type"] == "markdown"
              and words_in_it in (text := "".join(cell["source"]))]
    return found


def replaced(text, *pairs):
    for old, new in pairs:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def lines_printed(text):
    """Run a patient's script in this process, and return the numbers in each line that it prints."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(copying.for_minigrad(text), {})
    return [deciding.numbers(line) for line in said.getvalue().splitlines()]


# --- the measurements ---------------------------------------------------------------------------------------

def function(text, name):
    """Return the function of this name in a text as a tree, without its docstring."""
    found, = [node for node in ast.parse(text).body if getattr(node, "name", "") == name]
    return ast.dump(found)


PRINTED = [one for one in MEASUREMENTS if f"def {one.__name__}(" in "\n".join(sources())]


# What the chapter leaves out of a function of the page, because no cell and no patient uses it.
LEFT_OUT = {"nudge": [
    ("by=0.01, at=0, along=1", "by=0.01, at=0"), ("    numbers = weight", "    number = weight"),
    ("    step = by / numbers.numel() ** 0.5  # shorter for many numbers\n", ""),
    ("[numbers + change * along for", "[number + change for"), ("(step, -step, 0)", "(by, -by, 0)"),
    ("(numbers.copy_(value)", "(number.copy_(value)"), ("(2 * step)", "(2 * by)")],
    "drawers": [
    ("    found = {name", "    return {name"),
    ('    odd = [n for n, m in model.named_modules() if "requires_grad" in vars(m)]\n', ""),
    ('    return found | dict.fromkeys(odd, "not frozen")\n', "")]}


@pytest.mark.parametrize("measurement", PRINTED, ids=lambda one: one.__name__)
def test_a_measurement_of_the_chapter_is_that_of_the_page(measurement):
    name = measurement.__name__
    page = function(replaced(code_of(measurement), *LEFT_OUT.get(name, ())), name)
    assert page == function(one_with(f"def {name}("), name)


def healthy(package, *middle):
    """Return a model, a loss of rows, 12 rows and their targets."""
    package.manual_seed(0)
    layers = package.nn
    model = layers.Sequential(layers.Linear(3, 8), layers.Tanh(), *middle, layers.Linear(8, 1))
    x = package.randn(12, 3)
    return model, lambda x, y: ((model(x)[:, 0] - y) ** 2).mean(), x, x[:, 0] * x[:, 1]


@CHAPTER.says("A nudge tests only the paths from its own number. Nudge several numbers")
def test_a_nudge_of_one_number_misses_a_cut_that_a_random_direction_shows(library):
    """The numbers 1 to 7 of a weight are cut from the loss's graph, and the first one isn't."""
    package = importlib.import_module(library)
    package.manual_seed(3)
    weight, x = package.randn(8, requires_grad=True), package.randn(5, 8)

    def loss_of():
        return ((x[:, :1] * weight[:1] + x[:, 1:] @ weight[1:].detach().view(7, 1)) ** 2).mean()

    loss_of().backward()
    first, kept = measurements.nudge(loss_of, weight), weight.detach().clone()
    assert first == pytest.approx(weight.grad[0].item(), abs=0.002)
    for seed in range(5):
        package.manual_seed(seed)
        way = package.randn(weight.numel())
        slope = measurements.nudge(loss_of, weight, at=..., along=way)
        assert abs(slope - (weight.grad.view(-1) * way).sum().item()) > 0.1
    others = [measurements.nudge(loss_of, weight, at=at) for at in range(1, 8)]
    assert weight.grad.tolist()[1:] == [0.] * 7 and max(map(abs, others)) > 0.1
    assert weight.tolist() == kept.tolist()


def read_digits(package, cut=False):
    """Return the first weight of a net with ReLU that reads 200 digits, and its loss; a path may be cut."""
    images, labels = minigrad.book.digits()
    x = package.tensor(images[:200].tolist()).view(200, -1)
    y = package.tensor([int(label) for label in labels[:200]])
    package.manual_seed(0)
    first, last = package.nn.Linear(64, 32), package.nn.Linear(32, 10)

    def loss_of():
        h = first(x)
        h = (h / h.norm(dim=1, keepdim=True).detach() if cut else h).relu()
        return package.nn.functional.cross_entropy(last(h), y)

    return first.weight, loss_of


@CHAPTER.says("With dropout, take both in evaluation mode.")
@pytest.mark.parametrize("training", [False, True])
def test_with_dropout_a_nudge_agrees_with_the_drawer_in_evaluation_mode_alone(library, training):
    package = importlib.import_module(library)
    package.manual_seed(0)
    layers = package.nn
    model = layers.Sequential(layers.Linear(6, 32), layers.Dropout(0.5), layers.Linear(32, 1))
    weight, x = model[0].weight, package.randn(16, 6)
    model.train(training)
    (model(x) ** 2).mean().backward()
    gaps = [abs(weight.grad.view(-1)[at].item() - measurements.nudge(lambda: (model(x) ** 2).mean(), weight,
                                                                     at=at)) for at in range(8)]
    assert max(gaps) > 1 if training else max(gaps) < 0.002


@CHAPTER.says("Near a kink, as of relu, the gap shrinks with a smaller `by`.", "The gap of a cut stays.")
def test_the_gap_of_a_kink_shrinks_with_the_step_and_that_of_a_cut_stays(library):
    """In a healthy net with ReLU, the step of one number for each of 2,048 numbers crosses many kinks.

    The step of the page, which is shorter, leaves a gap that is rounding.
    """
    package = importlib.import_module(library)
    gaps = {}
    for cut in (False, True):
        weight, loss_of = read_digits(package, cut)
        loss_of().backward()
        for seed in range(4):
            package.manual_seed(seed)
            way = package.randn(weight.numel())
            drawer = (weight.grad.view(-1) * way).sum().item()
            for by in (0.01 * 2048 ** 0.5, 0.01, 0.003):
                gaps[cut, by, seed] = abs(drawer - measurements.nudge(loss_of, weight, by, at=..., along=way))
    whole, page, shorter = [[[gaps[cut, by, seed] for seed in range(4)] for cut in (False, True)]
                            for by in (0.01 * 2048 ** 0.5, 0.01, 0.003)]
    assert max(whole[0]) > 0.025 and max(page[0] + shorter[0]) < 0.007
    assert min(page[1] + shorter[1]) > 0.01
    assert page[1] == pytest.approx(shorter[1], abs=0.007)


@CHAPTER.says("Exactly on one, as with a bias of 0 and inputs of 0, it vanishes if you add 0.1 to the "
              "number.")
@pytest.mark.parametrize("cut", [0, 1])
@pytest.mark.parametrize("rows", [0, 4])
def test_the_gap_on_a_kink_stays_for_each_step_and_vanishes_after_a_move(library, cut, rows):
    """All inputs are 0, or four of eight rows; with a cut, the gap stays after the move."""
    package = importlib.import_module(library)
    package.manual_seed(0)
    body, head = package.nn.Linear(3, 4), package.nn.Linear(4, 1)
    x = package.cat([package.zeros(4, 3), package.randn(rows, 3)])
    bias = package.nn.init.zeros_(body.bias)

    def loss_of():
        h = package.relu(body(x))
        return ((head(h)[:, 0] - 2) ** 2).mean() + cut * 3 * h.detach().sum()

    for at in range(4):
        gaps = []
        for more in (0, 0.1):
            bias.data[at] += more
            bias.grad = None
            loss_of().backward()
            gaps += [abs(bias.grad[at].item() - measurements.nudge(loss_of, bias, by, at))
                     for by in (0.01, 0.001)]
        assert min(gaps[:2]) > 0.02 and (min(gaps[2:]) > 0.02 if cut else max(gaps[2:]) < 0.01)


@CHAPTER.says("`nudge` of several numbers of a weight, at first and after a step: does its drawer agree?")
def test_a_cut_path_with_the_slope_0_shows_after_a_step(library):
    package = importlib.import_module(library)
    x, w = package.tensor([1., 2., -1.]), package.tensor([1.5], requires_grad=True)
    first = w.detach().clone()

    def loss_of():
        return ((w * x - x) ** 2).mean() + 5 * ((w.detach() - first) ** 2).sum()

    for step, agree in ((0.3, True), (0., False)):
        w.grad = None
        loss_of().backward()
        assert (abs(measurements.nudge(loss_of, w) - w.grad.item()) < 0.002) == agree
        with package.no_grad():
            w -= step * w.grad


@CHAPTER.says("With a large loss, nudges are rounded: take doubles.")
def test_a_nudge_of_a_large_loss_is_right_in_doubles_alone(library):
    package = importlib.import_module(library)
    package.manual_seed(0)
    net = package.nn.Sequential(package.nn.Linear(1, 16), package.nn.Tanh(), package.nn.Linear(16, 1))
    x = package.linspace(-1, 1, 9).view(9, 1)
    for double in (False, True):
        if double:
            net, x = net.double(), x.double()

        def loss_of(net=net, x=x):
            return ((net(x) - 3 * x - 1000) ** 2).mean()

        net.zero_grad()
        loss_of().backward()
        weight = net[0].weight
        gaps = [abs(weight.grad[at, 0].item() - measurements.nudge(loss_of, weight, 0.001, at))
                for at in range(16)]
        assert (max(gaps) < 0.05) == double


@CHAPTER.says("A target is detached on purpose: then nudge with one target for all losses.")
@pytest.mark.parametrize("start", [1., -2., 3.])
def test_with_one_target_for_all_losses_a_nudge_agrees_with_the_drawer(library, start):
    """As in chapter 7, a guess learns from a later guess, which is detached."""
    package = importlib.import_module(library)
    guess, x = package.nn.Linear(1, 1), package.linspace(-1, 1, 9).view(9, 1)
    package.nn.init.constant_(guess.weight, start)

    def loss_to(target):
        return ((guess(x[:4]) - target) ** 2).mean()

    target = guess(x[4:8]).detach()
    loss_to(target).backward()
    drawer = guess.weight.grad.item()
    assert abs(measurements.nudge(lambda: loss_to(guess(x[4:8]).detach()), guess.weight) - drawer) > 0.2
    assert measurements.nudge(lambda: loss_to(target), guess.weight) == pytest.approx(drawer, abs=0.002)


class FirstScript:
    """The chapter's first script, run from its own cells, and what it has after each way to repair it."""

    def __init__(self, library, seed):
        self.torch = importlib.import_module(library)
        self.names = {"torch": self.torch, "points": minigrad.book.points, "print": lambda *_: None}
        for words in ("def forward(self, x):", "nn.Linear(1, 16)"), ("def follow():",), ("def run():",):
            exec(one_with(*words).replace("manual_seed(15)", f"manual_seed({seed})"), self.names)

    def repaired(self, line_1, line_4):
        """Return the test loss, and the norms of `body.weight` before the run and after it."""
        names, torch = self.names, self.torch
        net = names["Net"]
        if line_1:
            net = type("Recorded", (net,), {"forward": lambda self, x: self.head(torch.tanh(self.body(x)))})
        model, names["optimizer"], average = names["start"](net)
        names["model"], names["average"] = model, [p.clone() for p in average] if line_4 else average
        before = model.body.weight.norm().item()
        return names["run"](), before, model.body.weight.norm().item()


@CHAPTER.says("A healthy copy ends below 0.01, but so can one with a bug.")
@pytest.mark.parametrize("seed", [15, 16, 17])
def test_a_copy_with_one_bug_can_end_below_a_hundredth_too(library, seed):
    script = FirstScript(library, seed)
    assert script.repaired(True, True)[0] < 0.01
    assert (script.repaired(False, True)[0] < 0.01) == (seed > 15)
    assert script.repaired(True, False)[0] > 0.03 and script.repaired(False, False)[0] > 2


@CHAPTER.says("So line 6 multiplies each weight by 0.99.")
@CHAPTER.says("Nor can such a body grow again when line 6 shrinks it.")
def test_line_6_shrinks_a_weight_that_shares_its_memory_and_only_a_learning_body_grows_again(library):
    script = FirstScript(library, 15)
    package, follow = script.torch, script.names["follow"]
    script.names["model"], _, script.names["average"] = script.names["start"]()
    old = [p.detach().clone() for p in script.names["model"].parameters()]
    follow()
    assert all(package.allclose(p, 0.99 * kept) for p, kept in
               zip(script.names["model"].parameters(), old, strict=True))
    norms = {bugs: script.repaired(*bugs)[1:] for bugs in ((False, False), (False, True), (True, False))}
    for bugs, part in (((False, False), 0.99 ** 300), ((False, True), 1)):
        assert norms[bugs][1] == pytest.approx(part * norms[bugs][0], rel=1e-3)
    assert norms[True, False][1] > 0.9 * norms[True, False][0]
    assert "norm of body: 0.09" in "".join(map(printed, (cell for cell in load(15)["cells"]
                                                         if "norm of body" in "".join(cell["source"]))))


@pytest.mark.parametrize("numbers", [1, 4, 9, 100])
def test_a_nudge_of_n_numbers_moves_the_weight_as_far_as_one_of_one_number(library, numbers):
    package = importlib.import_module(library)
    weight, seen = package.zeros(numbers, requires_grad=True), []

    def loss_of():
        seen.append(weight.detach().norm().item())
        return weight.sum()

    measurements.nudge(loss_of, weight, at=..., along=package.ones(numbers))
    assert seen == pytest.approx([0.01, 0.01, 0.], abs=1e-6)


@CHAPTER.says("`overfit` trains with the first four points alone, for 500 steps, and returns the last loss.")
@CHAPTER.says("Call it again after `overfit`, which changes the weights.")
def test_overfit_takes_500_steps_and_leaves_changed_weights_and_state(library):
    package = importlib.import_module(library)
    model, loss_of, x, y = healthy(package)
    optimizer, seen = package.optim.Adam(model.parameters(), lr=0.02), []
    before = [p.tolist() for p in model.parameters()]

    def seeing(x, y):
        seen.append(len(x))
        return loss_of(x, y)

    measurements.overfit(seeing, optimizer, x, y)
    assert seen == [4] * 501 and len(optimizer.state) == 4
    assert all(p.tolist() != old for p, old in zip(model.parameters(), before, strict=True))


@CHAPTER.says("`reaches` gives row 0 another input, and returns how far the loss moves. Then it gives row 1 "
              "another input, and returns by how much the move changes. Rows 2 and 3 follow.")
@CHAPTER.says("Net B mixes rows: its norm is that of all rows.")
@pytest.mark.parametrize("net", ["net_b", "net_c"])
def test_reaches_shows_a_net_that_divides_by_one_norm_for_all_rows(library, net):
    package = importlib.import_module(library)
    found = {"torch": package, "points": minigrad.book.points, "nn": package.nn, "print": lambda *_: None,
             "reaches": measurements.reaches}
    for words in "def net_b(x):", "def net_c(x):":
        exec(one_with(words), found)
    x, y = found["x"][:4], found["y"][:4]

    def move(*changed):
        """Return how far row 0 moves the loss, while these other rows have other inputs."""
        rows = [3 - row if row in changed else row for row in range(4)]
        before, after = (((found[net](x[[first, *rows[1:]]]).squeeze(1) - y) ** 2).mean().item()
                         for first in (0, 3))
        return after - before

    cell, = [cell for cell in load(15)["cells"] if "def net_c(x):" in "".join(cell["source"])]
    line, = [line for line in printed(cell).splitlines() if line.startswith(net)]
    first, *others = deciding.numbers(line.removeprefix(net))
    assert first == pytest.approx(abs(move()), abs=1.1e-4) and first > 0.1 and len(others) == 3
    for row, other in enumerate(others, 1):
        assert other == pytest.approx(abs(move(row) - move()), abs=1.1e-4)
        assert (other > 0) == (net == "net_b")


@CHAPTER.says("(a layer of zeros can hide other rows)")
def test_a_layer_of_zeros_hides_the_other_rows_until_it_has_moved(library):
    package = importlib.import_module(library)
    package.manual_seed(0)
    body, mean_of = package.nn.Linear(3, 1), package.nn.Linear(1, 1)
    package.nn.init.zeros_(mean_of.weight)
    x, y = package.randn(12, 3), package.randn(12)

    def loss_of(x, y):
        f = body(x)
        return (((f + mean_of(f.mean(dim=0)))[:, 0] - y) ** 2).mean()

    optimizer = package.optim.SGD([*body.parameters(), *mean_of.parameters()], lr=0.5)
    for hidden in (True, False):
        first, *others = measurements.reaches(loss_of, x, y)
        assert first > 0.01 and (max(others) < 2e-4) == hidden
        loss_of(x, y).backward()
        optimizer.step()


@CHAPTER.says("If a loss is a mean or sum of terms with the input of one row each, these changes are 0 in "
              "evaluation mode, up to rounding.")
@CHAPTER.says("`reaches` misses rows that meet other targets, as in a broadcast or in another "
              "order, and rows that are only added: `-((f - f.mean()) * y).mean()`.")
@CHAPTER.says("The loss is a root of a mean, or compares rows on purpose. A large loss is rounded.")
@CHAPTER.says("If the first number is about 0, the others show nothing.")
def test_a_mean_or_a_sum_over_rows_shows_0_for_the_other_rows_and_a_root_does_not(library):
    package = importlib.import_module(library)
    layers, F = package.nn, package.nn.functional
    package.manual_seed(0)
    model = layers.Sequential(layers.Linear(3, 8), layers.BatchNorm1d(8), layers.Tanh(), layers.Dropout(0.5),
                              layers.Linear(8, 2))
    x, y = package.randn(12, 3), package.arange(12) % 2
    model(x)                                     # stores means of its own
    model.eval()
    with package.no_grad():
        for p in (*model[0].parameters(), *model[4].parameters()):
            p.mul_(4)                            # so that a row moves the loss by more than its last digits

    def squares(x, y):
        return (model(x)[:, 0] - y) ** 2

    def other_rows(loss_of):
        first, *others = measurements.reaches(loss_of, x, y)
        assert first > 0
        return max(others)

    def added(x, y):
        f = model(x)[:, 0]
        return -((f - f.mean()) * y).mean()

    same = package.ones(4, 3)                    # rows that can't be told apart
    assert measurements.reaches(lambda x, y: (model(x)[:, 0] / model(x)[:, 0].norm()).sum(), same, y[:4]) == (
        [0.] * 4)
    for loss_of in (lambda x, y: squares(x, y).mean(), lambda x, y: squares(x, y).sum(), added,
                    lambda x, y: ((model(x)[[3, 0, 1, 2], 0] - y) ** 2).mean(),    # another order
                    lambda x, y: F.cross_entropy(model(x), y, weight=package.tensor([1., 3.])),
                    lambda x, y: ((model(x)[:, :1] - y) ** 2).mean()):     # pairs by accident
        assert other_rows(loss_of) <= 2e-4      # the loss has seven digits
    for loss_of in (lambda x, y: squares(x, y).mean().sqrt(), lambda x, y: (model(x) @ model(x).T).norm()):
        assert other_rows(loss_of) > 1e-3
    first, *others = measurements.reaches(lambda x, y: squares(x, 100 * y).mean(), x, y)
    assert 0 < max(others) < 0.01 * first
    assert measurements.shapes(model(x)[:, :1] - y)[0][0] == (12, 12)


@CHAPTER.says("`again` calls a function that computes what a script prints: twice in evaluation mode, twice "
              "in training mode, and once more in evaluation mode, because training mode changes the stored "
              "numbers.")
def test_again_returns_two_numbers_of_each_mode_and_one_of_evaluation_mode(library):
    layer, modes = importlib.import_module(library).nn.Linear(1, 1), []

    def loss_of():
        modes.append(layer.training)
        return len(modes)

    for mode in (False, True):
        modes.clear()
        shown = measurements.again(layer.train(mode), loss_of)
        assert modes == [False, False, True, True, False] and layer.training == mode
        assert shown == {"eval": [1., 2.], "train": [3., 4.], "eval again": 5.}


@CHAPTER.says("`again`: different numbers in `'eval'` | Dropout is never off. | The test takes random rows.")
@pytest.mark.parametrize("random", [True, False])
def test_again_shows_different_numbers_of_a_test_on_random_rows(library, random):
    package = importlib.import_module(library)
    model, loss_of, x, y = healthy(package)

    def test():
        rows = package.randperm(12)[:4] if random else package.arange(4)
        return loss_of(x[rows], y[rows]).item()

    first, second = measurements.again(model, test)["eval"]
    assert (first != second) == random


@CHAPTER.says("Both modes give this number, as without dropout or BatchNorm.")
@pytest.mark.parametrize("layer", ["Tanh", "Dropout", "BatchNorm1d"])
def test_without_dropout_or_batchnorm_both_modes_give_the_same_number(library, layer):
    package = importlib.import_module(library)
    middle = {"Tanh": (), "Dropout": (0.5,), "BatchNorm1d": (8,)}[layer]
    model, loss_of, x, y = healthy(package, getattr(package.nn, layer)(*middle))
    found = measurements.again(model, lambda: loss_of(x, y).item())
    assert (found["eval"] == found["train"]) == (layer == "Tanh")


@CHAPTER.says("the loop's loss is the number in `'eval'` | A test has left evaluation mode on.")
@pytest.mark.parametrize("wrong", [True, False])
def test_again_right_before_a_loss_shows_a_loop_that_is_left_in_evaluation_mode(library, wrong):
    package = importlib.import_module(library)
    model, loss_of, x, y = healthy(package, package.nn.BatchNorm1d(8))
    optimizer = package.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(3):
        model.train(epoch == 0 or not wrong)
        found = measurements.again(model, lambda: loss_of(x, y))
        loss = loss_of(x, y)
        assert is_same(loss.item(), found["eval"][0]) == (wrong and epoch > 0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@CHAPTER.says("Its ratio is the mean distance between the targets of these two rows, divided by the mean "
              "distance of all targets from their mean.")
@pytest.mark.parametrize("seed", range(2))
def test_the_ratio_of_picture_is_that_of_two_mean_distances(library, seed):
    package = importlib.import_module(library)
    package.manual_seed(seed)
    x, y = package.randn(15, 2), package.randn(15)
    rows, targets = x.tolist(), y.tolist()

    def nearest(row):
        return min((other for other in range(15) if other != row), key=lambda other: sum(
            (one - two) ** 2 for one, two in zip(rows[row], rows[other], strict=True)))

    mean = sum(targets) / 15
    ratio = sum(abs(targets[row] - targets[nearest(row)]) for row in range(15)) / sum(
        abs(one - mean) for one in targets)
    assert measurements.picture(x, y)[1] == pytest.approx(ratio, abs=0.011)


@CHAPTER.says("There are few rows, or columns of very different size. The target changes faster than the "
              "rows are spaced. Targets are noisy, or many columns don't matter; then mixed targets give a "
              "larger ratio.")
@CHAPTER.says("It is small if similar inputs have similar targets. Near 1 or above, inputs and targets often "
              "don't belong together.")
def test_what_raises_the_ratio_of_picture_and_what_does_not(library):
    package = importlib.import_module(library)
    package.manual_seed(0)
    x, mixed = package.randn(200, 20), package.randperm(200)
    one, y = x[:, :1], 3 * x[:, 0]

    def ratio(x, y=y):
        return measurements.picture(x, y)[1]

    assert ratio(one) < 0.1 < 0.35 < ratio(x) < ratio(x, y[mixed]) - 0.2
    assert ratio(one[:8], y[:8]) > 2 * ratio(one)
    assert ratio(package.cat([one, 1e6 * x[:, 1:2]], dim=1)) > 0.9 > 0.4 > ratio(x[:, :2])
    noisy = y + 5 * package.randn(200)
    assert 0.9 < ratio(one, noisy) < ratio(one, noisy[mixed]) - 0.1
    for rows, high in ((50, True), (1000, False)):
        row = package.linspace(-1, 1, rows).view(rows, 1)
        assert (ratio(row, (30 * row[:, 0]).sin()) > 1) == high
    few = y.clone()
    few[:10] = y[mixed][:10]
    assert ratio(one) < ratio(one, few) < 0.4 < 1 < ratio(one, y[mixed])


@CHAPTER.says("For each row, `picture` finds the other row with the most similar input.")
@pytest.mark.parametrize("seed", range(3))
def test_the_row_itself_is_not_the_other_row_of_picture_if_rows_are_equal(library, seed):
    """Noise has a ratio near 1.4; if a row that occurs twice were compared with itself, half of it."""
    package = importlib.import_module(library)
    package.manual_seed(seed)
    x, noise = package.rand(50, 1), package.randn(100)
    both, one = (measurements.picture(*data)[1] for data in ((package.cat([x, x]), noise), (x, noise[:50])))
    assert 1.15 < both < 1.75 and 1.15 < one < 1.75
    assert measurements.picture(package.cat([x, x]), package.cat([noise[:50], noise[:50]]))[1] == 0
    assert measurements.picture(package.zeros(2, 1), package.tensor([1., 3.]))[1] == 2


@pytest.mark.parametrize("seed", range(3))
def test_of_rows_that_are_equally_far_picture_takes_the_first(library, seed):
    """So both libraries print the same ratio for rounded inputs."""
    package = importlib.import_module(library)
    package.manual_seed(seed)
    x, y = (package.rand(120, 1) * 9).round(), package.randn(120)
    rows = x.view(-1).tolist()
    near = [min((abs(other - row), k) for k, other in enumerate(rows) if k != at)[1]
            for at, row in enumerate(rows)]
    ratio = (y[near] - y).abs().mean().item() / (y - y.mean()).abs().mean().item()
    assert measurements.picture(x, y)[1] == pytest.approx(ratio, abs=0.006)


@CHAPTER.says("Nine columns or more, as of images, count as one.")
@CHAPTER.says("`picture(h, y)`, if dropout returns `h`: much larger numbers than it was given")
@CHAPTER.says("`picture(targets, targets)` of a batch")
def test_picture_takes_columns_of_data_what_a_layer_returns_and_targets_alone(library):
    package = importlib.import_module(library)
    x, y = package.randn(12, 3), package.arange(12) % 3
    for columns in (8, 9):
        h = package.nn.Linear(3, columns)(x)
        found, _ = measurements.picture(h, y)
        assert len(found) == (8 if columns == 8 else 1)
        assert max(column[1] for column in found) == pytest.approx(h.max().item(), abs=1e-3)
    assert measurements.picture(y, y)[0] == [[0., 2., 1., 3]]


@CHAPTER.says("For an empty drawer, it returns `None`", "if the weight requires no gradient.")
@CHAPTER.says("every drawer should be empty before this pass: `None`, or 0.0 after "
              "`zero_grad(set_to_none=False)`.")
def test_an_empty_drawer_holds_none_or_zeros_or_belongs_to_a_frozen_weight(library):
    package = importlib.import_module(library)
    model, loss_of, x, y = healthy(package)
    optimizer = package.optim.SGD(model.parameters(), lr=0.1)
    for told in ({"set_to_none": False}, {}):
        loss_of(x, y).backward()
        optimizer.zero_grad(**told)
        assert set(measurements.drawers(model).values()) == ({0.} if told else {None})
    model[0].requires_grad_(False)
    loss_of(x, y).backward()
    assert [*measurements.drawers(model).values()][:2] == ["frozen"] * 2
    assert measurements.drawers(model)["2.bias"] == pytest.approx(model[2].bias.grad.norm().item(), abs=1e-5)


@CHAPTER.says("Some optimizers write twice in a step, as AdamW with weight decay; with `fused=True`, PyTorch "
              "counts no write.")
@pytest.mark.parametrize(("name", "writes", "more"), [
    ("SGD", 1, {}), ("AdamW", 2, {}), ("AdamW", 1, {"weight_decay": 0.}), ("Adam", 1, {}), ("RMSprop", 1, {}),
    ("NAdam", 2, {}), ("ASGD", 2, {}), ("Muon", 2, {}), ("RAdam", 1, {}), ("Adamax", 1, {}),
    *((name, writes, {"weight_decay": 0.1, "decoupled_weight_decay": decoupled})
      for name, one in (("Adam", 1), ("RAdam", 1), ("NAdam", 2))
      for decoupled, writes in ((False, one), (True, one + 1))),
    *((name, 0, {"fused": True}) for name in ("SGD", "Adam", "AdamW", "Adagrad"))])
def test_some_optimizers_write_twice_in_a_step_and_fused_ones_count_no_write(library, name, writes, more):
    package = importlib.import_module(library)
    if library == "minigrad" and (not hasattr(package.optim, name) or more.keys() & {
            "decoupled_weight_decay", "fused"}):
        return                                   # minigrad has none, or counts its writes
    model, loss_of, x, y = healthy(package)
    weights = [p for p in model.parameters() if p.ndim == 2]
    optimizer = getattr(package.optim, name)(weights, lr=0.1, **more)
    loss_of(x, y).backward()
    before, old = [version for version, _ in measurements.versions(*weights)], [p.tolist() for p in weights]
    optimizer.step()
    after = [version for version, _ in measurements.versions(*weights)]
    assert [new - old for new, old in zip(after, before, strict=True)] == [writes] * 2
    assert all(p.tolist() != kept for p, kept in zip(weights, old, strict=True))


@CHAPTER.says("The optimizer has weight decay. | AdamW has one by default.")
@pytest.mark.parametrize(("name", "more", "moves"), [
    ("AdamW", {}, True), ("Adam", {}, False), ("SGD", {}, False), ("SGD", {"weight_decay": 0.1}, True)])
def test_a_step_with_zeros_in_the_drawers_moves_a_weight_by_decay_alone(library, name, more, moves):
    package = importlib.import_module(library)
    package.manual_seed(0)
    layer = package.nn.Linear(3, 4)
    optimizer = getattr(package.optim, name)(layer.parameters(), lr=0.01, **more)
    (0 * layer(package.randn(5, 3))).sum().backward()
    old = {key: p.detach().clone() for key, p in layer.named_parameters()}
    assert set(measurements.drawers(layer).values()) == {0.}
    optimizer.step()
    assert (measurements.moved(layer, optimizer, old)["weight"][0] > 0) == moves


@CHAPTER.says("`drawers`, after the pass: inf or nan | A slope is infinite, or the loss is nan")
def test_an_infinite_slope_leaves_inf_or_nan_in_the_drawer(library):
    package = importlib.import_module(library)
    model = package.nn.Linear(3, 1)
    package.nn.init.zeros_(model.weight)
    for loss_of, shown in ((lambda w: w.sqrt().sum(), "inf"), (lambda w: (w ** 2).sqrt().sum(), "nan")):
        model.weight.grad = None
        loss_of(model.weight).backward()
        assert str(measurements.drawers(model)["weight"]) == shown


@CHAPTER.says("Measure `moved` in the step and between two steps.")
@CHAPTER.says("`versions` shows an equal address, but no write through `.data`.")
@pytest.mark.parametrize(("line", "versions", "shared"), [
    ("p.data.mul_(0.9)", 0, 1), ("kept.mul_(0.9)", 1, 2), ("p.mul_(0.9)", 1, 1)])
def test_moved_sees_each_write_into_a_weight_without_a_gradient_and_versions_not_all(
        library, line, versions, shared):
    package = importlib.import_module(library)
    model, loss_of, x, y = healthy(package)
    p = model[0].weight
    kept = p.detach() if shared == 2 else p.detach().clone()
    optimizer = package.optim.SGD(model.parameters(), lr=0.1)
    old = {name: q.detach().clone() for name, q in model.named_parameters()}
    (before, _), _ = measurements.versions(p, kept)
    optimizer.step()                             # all drawers are None
    assert measurements.moved(model, optimizer, old)["0.weight"] == (0., 0.1)
    with package.no_grad():
        exec(line, {"p": p, "kept": kept})
    assert measurements.moved(model, optimizer, old)["0.weight"][0] > 0
    (after, many), _ = measurements.versions(p, kept)
    assert (after - before, many) == (versions, shared)


@CHAPTER.says("Optimizers skip `None`, so another line writes, or the step does, through shared memory or a "
              "function that it calls.")
@pytest.mark.parametrize("way", ["a function", "shared memory", "neither"])
def test_a_step_can_move_a_weight_whose_drawer_is_none_before_it(library, way):
    package = importlib.import_module(library)
    package.manual_seed(0)
    used, other = package.nn.Linear(2, 2), package.nn.Linear(2, 2)
    if way == "shared memory":
        other.weight = package.nn.Parameter(used.weight.detach())
    both, x = package.nn.ModuleList([used, other]), package.randn(8, 2)
    optimizer = package.optim.SGD(both.parameters(), lr=0.1, weight_decay=0.1)

    def passes():
        loss = ((other if way == "a function" else used)(x) ** 2).mean()
        loss.backward()
        return loss

    if way != "a function":
        passes()
    assert measurements.drawers(both)["1.weight"] is None
    old = {key: p.detach().clone() for key, p in both.named_parameters()}
    optimizer.step(passes if way == "a function" else None)
    assert (measurements.moved(both, optimizer, old)["1.weight"][0] > 0.01) == (way != "neither")


@CHAPTER.says("`versions`: two tensors at one address | One should be a copy. | `t` and `t[:4]`, or tied "
              "weights, share memory on purpose. It misses `t[2:]`.")
@CHAPTER.says("`nn.init` writes, too: subtract two results.")
def test_versions_sees_a_view_by_its_address_only_if_it_begins_with_its_base(library):
    package = importlib.import_module(library)
    t = package.zeros(8)
    first, later, copy = t[:4], t[2:], t.clone()
    assert measurements.versions(t, first, later, copy) == [(0, 2), (0, 2), (0, 1), (0, 1)]
    package.nn.init.ones_(later)
    assert t.tolist() == [0.] * 2 + [1.] * 6 and copy.tolist() == [0.] * 8
    assert measurements.versions(t, copy) == [(1, 1), (0, 1)]


@CHAPTER.says("`moved`, by Adam's first step: less than about rate × √n, if the weight has n numbers | Adam "
              "has a large `eps`. | Some gradients are 0, or near 1e-8, the usual `eps`.")
@pytest.mark.parametrize(("size", "more"), [(1, {}), (1, {"eps": 0.1}), (1e-8, {}), (0, {})])
def test_a_first_step_has_the_length_that_the_table_says(library, size, more):
    package = importlib.import_module(library)
    package.manual_seed(0)
    layer = package.nn.Linear(3, 8)
    optimizer = package.optim.Adam(layer.parameters(), lr=0.01, **more)
    old = {name: p.detach().clone() for name, p in layer.named_parameters()}
    (size * (layer(package.randn(20, 3)) ** 2).mean()).backward()
    optimizer.step()
    far = measurements.moved(layer, optimizer, old)
    for key, p in layer.named_parameters():
        whole = 0.01 * p.numel() ** 0.5
        is_short = far[key][0] < 0.8 * whole
        assert is_short if more or size < 1 else far[key][0] == pytest.approx(whole, rel=0.02)


@CHAPTER.says("can the loss and the step fit four points with different targets?")
def test_a_broadcast_error_is_seen_by_overfit_if_the_targets_differ(library):
    package = importlib.import_module(library)
    for size in (0.01, 2.):
        model, _, x, _ = healthy(package)
        found = measurements.overfit(lambda x, y: ((model(x) - y) ** 2).mean(),     # noqa: B023
                                     package.optim.Adam(model.parameters(), lr=0.02), x, 1 + size * x[:, 0])
        assert (found > 0.1) == (size > 1)


@CHAPTER.says("A penalty (measure without it), dropout, large targets or smoothed labels keep it high.")
@pytest.mark.parametrize(("dropout", "size", "penalty", "high"), [
    (0., 4, 0., False), (0.7, 4, 0., True), (0., 1000, 0., True), (0., 4, 0.05, True)])
def test_dropout_large_targets_or_a_penalty_keep_the_loss_of_four_rows_above_a_tenth(
        dropout, size, penalty, high):
    model, loss_of, x, y = healthy(torch, torch.nn.Dropout(dropout))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)

    def with_penalty(x, y):
        return loss_of(x, y) + penalty * sum((p ** 2).sum() for p in model.parameters())

    assert (measurements.overfit(with_penalty, optimizer, x, size * y) > HIGH) == high


OF_THE_STEP = ("head_after_optimizer", "decay_of_weights", "epsilon")
OF_THE_LOSS = ("softmax_twice", "sigmoid_twice", "error_broadcast")


@CHAPTER.says("a loss above 0.1", "a loss below 0")
@CHAPTER.says("If a fresh `Adam(model.parameters(), lr=0.02)` fits the rows, the step is wrong, or its "
              "rate is too small. If not, the loss may be wrong")
@pytest.mark.parametrize("bug", [*OF_THE_STEP, *OF_THE_LOSS, "probabilities_for_logs"])
def test_a_fresh_adam_tells_a_wrong_step_from_a_wrong_loss(bug):
    """In the patients that were measured: with a fresh Adam, and with the script's own optimizers."""
    assert HIGH == 0.1
    for fresh, own, repaired, _ in stored_losses()[bug]:
        if bug == "probabilities_for_logs":
            assert fresh < -0.1 < 0 <= repaired
        elif own > HIGH:
            assert (fresh < HIGH) == (bug in OF_THE_STEP)
        assert bug not in ("softmax_twice", "sigmoid_twice") or fresh > HIGH > repaired
    assert any(abs(own) > HIGH for _, own, *_ in stored_losses()[bug])


@CHAPTER.says("A softmax before `cross_entropy`, which takes one itself, keeps the loss above 0.31.")
@pytest.mark.parametrize("classes", [2, 3, 10])
def test_no_scores_bring_a_loss_with_two_softmaxes_below_a_third(classes):
    F, labels = torch.nn.functional, torch.arange(classes)
    for size in (0., 1., 10., 1000.):
        scores = size * torch.eye(classes)
        assert F.cross_entropy(scores.softmax(dim=1), labels).item() > 0.31
    assert F.cross_entropy(scores, labels).item() < 1e-6


# Of each bug of a patient, words of the row in the chapter's table that shows it.
SHOWN_BY = {
    "hidden_detached": "`None` | A path is cut", "offset_item": "`None` | A path is cut",
    "limit_data": "another slope than in the drawer",
    "half_without_graph": "another slope than in the drawer",
    "features_off_the_record": "another slope than in the drawer",
    "average_alias": "Another line writes", "weights_clamped": "Another line writes",
    "slice_written": "a slice of it", "same_buffer": "at one address | One should be a copy",
    "zero_forgotten": "`zero_grad()` is missing", "zero_once_an_epoch": "`zero_grad()` is missing",
    "head_emptied_before_step": "or `None` | Another pass added to it, or it was emptied too early",
    "root_at_zero": "nan | A slope is infinite", "half_overflows": "or nan | Numbers are rounded",
    "step_before_pass": "no pass came before", "head_after_optimizer": "No optimizer holds the weight",
    "half_of_the_weights": "No optimizer holds the weight", "head_never_steps": "no step follows",
    "blocks_in_a_list": "fewer weights than the layers have", "epsilon": "a large `eps`",
    "schedule_each_batch": "a rate near 0", "halved_each_epoch": "a rate near 0",
    "decay_of_weights": "The optimizer has weight decay",
    "optimizer_made_again": "The optimizer is made again",
    "softmax_twice": "a loss above 0.1", "sigmoid_twice": "a loss above 0.1",
    "probabilities_for_logs": "a loss below 0", "error_broadcast": "more errors than rows",
    "all_columns_picked": "more errors than rows", "softmax_over_rows": "more than 0 for other rows",
    "eval_forgotten": "`eval()` is missing", "train_in_loss": "is in a wrong place",
    "dropout_always": "Dropout is never off", "dropout_made_in_forward": "Dropout is never off",
    "keep_dropped": "drops most numbers",
    "largest_score": "The accuracy is computed wrongly", "whole_share": "The accuracy is computed wrongly",
    "rows_apart": "Inputs and targets don't belong together",
    "columns_scrambled": "Inputs and targets don't belong together",
    "normalised_twice": "another normalisation", "test_as_it_came": "another normalisation",
    "test_by_itself": "or their own", "order_unused": "sorted rows",
    "bytes_wrap": "rounded or wrapped", "whole_division": "rounded or wrapped",
    "stamps_rounded": "rounded or wrapped", "squares_wrap": "rounded or wrapped"}


@pytest.mark.parametrize("bug", PATIENT_BUGS.values(), ids=lambda bug: bug.name)
def test_the_table_of_the_patients_has_a_row_for_each_bug_under_a_measurement_that_shows_it(bug):
    """`docs/patients.md` says which measurements show a bug; it is measured."""
    table = one_text("Look up what you didn't expect")
    row, = [line for line in table.splitlines() if SHOWN_BY[bug.name] in line]
    assert set(re.findall(r"\w+", row.split("|")[1])) & set(bug.measurements.split())


@CHAPTER.says("The ratio is 0.43, and above 1 with mixed targets. | Targets are in random order. | A few "
              "are mixed, or all are reversed.")
def test_the_ratios_are_those_that_were_printed_and_two_mixed_targets_change_the_first_little():
    cell, = [cell for cell in load(15)["cells"] if "torch.randperm(9)" in "".join(cell["source"])]
    shown = [deciding.numbers(line) for line in printed(cell).splitlines()]
    assert shown[0][-1] == 0.43 and len(shown[1]) == 5 and min(shown[1]) > 1
    inputs, targets = minigrad.book.points()
    x, swapped = torch.tensor(inputs).view(9, 1), torch.tensor([targets[1], targets[0], *targets[2:]])
    assert measurements.picture(x, swapped)[1] == 0.47
    assert measurements.picture(x, torch.tensor(targets[::-1]))[1] == 0.45


@CHAPTER.says("`distinct` returns two counts: of the different tensors, and of all.")
def test_distinct_counts_two_of_three_tensors_of_which_two_are_equal(library):
    package = importlib.import_module(library)
    assert measurements.distinct(package.ones(2), package.zeros(2), package.ones(2)) == (2, 3)


def test_the_code_of_a_measurement_is_printed_as_the_chapter_says():
    said, = re.findall(r"`(from \S+ import code_of, picture)` and `print\(code_of\(picture\)\)`",
                       one_text("To read its code, run"))
    found = {}
    exec(f"{said}\ntext = code_of(picture)", found)
    assert found["text"].startswith("def picture(x, y):\n") and '"""' not in found["text"]


# --- what the tables say about patients ---------------------------------------------------------------------

@CHAPTER.says("a ratio near 1 or above; with classes, above 0.35 | Inputs and targets don't belong together.")
@pytest.mark.parametrize(("seed", "last"), [(811, 17), (812, 14), (701, 12)])
def test_the_ratio_of_classes_is_above_a_third_if_the_rows_do_not_belong_together(seed, last):
    """Two moons with scrambled columns, and digits that are rounded to 0, beside their healthy copies."""
    for text, high in ((patient(seed).source, True), (patient(seed).healthy, False)):
        made = copying.objects_made_by("\n".join(text.splitlines()[:last]))
        assert (measurements.picture(made.x, made.y)[1] > 0.35) == high


def test_the_ratio_of_classes_is_less_than_a_fifth_in_healthy_patients():
    ratios = []
    for seed in range(40):
        script = patient(seed).made.healthy
        made = copying.objects_made_by("\n".join(
            line.text for line in script.lines[:script.at("epochs")] if line.printed))
        if not torch.is_floating_point(made.y):
            ratios.append(measurements.picture(made.x, made.y)[1])
    assert len(ratios) > 10 and max(ratios) < 0.2


@CHAPTER.says("Repair a fresh copy.")
def test_a_measurement_that_is_left_in_a_copy_can_change_its_number():
    lines, healthy = patient_of("15b").healthy.splitlines(), patient_of("15b").numbers["healthy"]
    at = 1 + next(at for at, line in enumerate(lines) if line.startswith("optimizer = "))
    number, = lines_printed("\n".join([
        *lines[:at], "from minigrad.book.classroom.measurements import overfit",
        "overfit(loss_of, optimizer, x, y)", *lines[at:]]))[-1]
    assert not is_same(number, healthy)


@CHAPTER.says("A net that predicts 0 has the mean square of the targets as its loss, and the best constant "
              "their variance, the mean square distance from their mean. For equally frequent classes, both "
              "are the logarithm of their number.")
@CHAPTER.says("a last loss near that of the best constant | `picture`, `shapes`, `drawers`, `moved`")
@pytest.mark.parametrize(("seed", "level"), [(110, 2), (60, 1), (13, 1)])
def test_a_loss_that_stays_high_is_that_of_the_best_constant_and_not_that_of_predicting_0(seed, level):
    """15b, and patients whose bug `shapes` or `moved` shows."""
    one = patient(seed, level)
    at = one.script.at("epochs")
    before, loop = ([line.text for line in lines if line.printed]
                    for lines in (one.script.lines[:at], one.script.lines[at:]))
    first, last, variance, square = lines_printed("\n".join([
        *before, "at_first = loss_of(x, y).item()", *loop,
        "model.train()", "classes = not torch.is_floating_point(y)",
        "logarithm = torch.tensor(float(len({*y.tolist()}))).log().item()",
        "variance = logarithm if classes else y.var(correction=0).item()",
        "square = logarithm if classes else (y ** 2).mean().item()",
        "print(at_first, loss_of(x, y).item(), variance, square)"]))[-1]
    assert last == pytest.approx(variance, rel=0.03) and first == pytest.approx(square, rel=0.25)
    assert variance == square or variance < 0.5 * square        # classes, or targets far from 0
    shown = {name for bug in one.bugs for name in bug.measurements.split()}
    assert shown & {"picture", "shapes", "drawers", "moved"}


@CHAPTER.says("a first loss far above that of predicting 0 |",
              "measure `reaches`, and `picture` of the inputs")
@pytest.mark.parametrize(("seed", "shown"), [(39, "reaches"), (87, "reaches")])
def test_a_first_loss_can_be_far_above_that_of_a_net_that_predicts_0(seed, shown):
    """The healthy scripts begin near it."""
    one = patient(seed, level=1)
    firsts = {}
    for healthy in (False, True):
        script = one.made.healthy if healthy else one.script
        made = copying.objects_made_by("\n".join(
            line.text for line in script.lines[:script.at("epochs")] if line.printed))
        firsts[healthy] = made.loss_of(made.x, made.y).item()
    guess = torch.tensor(float(len({*made.y.tolist()}))).log().item()
    assert firsts[True] == pytest.approx(guess, rel=0.2) and firsts[False] > 2 * guess
    assert shown in one.bugs[0].measurements.split()


def test_the_minutes_of_the_hunts_are_printed_and_are_eight_for_each_bug():
    book = load(15)
    at = next(at for at, cell in enumerate(book["cells"])
              if "".join(cell["source"]).startswith("## Your patients"))
    texts = ["".join(cell["source"]) for cell in book["cells"][at:-2] if cell["cell_type"] == "markdown"]
    counted = patient_minutes(book)
    assert A_BUG == 8 and sum(COUNTED.values()) == 5 and 40 <= counted <= 40 + read(texts) / 100
    assert f"and {counted} for patients of your own" in "".join(book["cells"][0]["source"])


# --- the diagnosis ------------------------------------------------------------------------------------------

DIAGNOSED = patient(675, level=1)


def told_in_the_diagnosis():
    """Return what the cell of the diagnosis printed for each of its four measurements."""
    cell, = [cell for cell in load(15)["cells"] if "patient(675, level=1)" in "".join(cell["source"])]
    symptom, *lines = printed(cell).splitlines()
    assert symptom == DIAGNOSED.symptom
    return {step: [line[3:] for line in lines if line.startswith(f"{step}. ")] for step in range(1, 5)}


@CHAPTER.says("Each column has 160 different numbers in 160 different rows. The ratio is 0.31. |",
              "none of these: the last layer alone can fit them",
              "In each weight, one nudge agrees with its drawer.",
              "Two weights have moved by 0.0. Their rate is `None`. | nothing: it shows the bug, and one "
              "line is wrong |")
def test_the_diagnosis_says_what_its_measurements_printed():
    (data,), (fits,), slopes, (moves,) = told_in_the_diagnosis().values()
    assert data.count(", 160]") == 3 and data.endswith(" 0.31) rows: (160, 160)")
    assert float(fits) < 0.1
    names = [name for name, _ in DIAGNOSED.objects().model.named_parameters()]
    assert [line.split()[0] for line in slopes] == names
    for line in slopes:
        nudged, drawer = deciding.numbers(line.partition(" ")[2])
        assert nudged == pytest.approx(drawer, abs=0.0011) and nudged != 0
    far = ast.literal_eval(moves)
    assert [name for name, (way, rate) in far.items() if rate is None] == ["0.weight", "0.bias"]
    assert all((way == 0) == (rate is None) for way, rate in far.values())


def test_the_diagnosis_rules_out_mixed_rows_because_mixed_targets_give_a_larger_ratio():
    c = DIAGNOSED.objects()
    ratios = [measurements.picture(c.x, c.y[torch.randperm(160)])[1] for _ in range(5)]
    assert min(ratios) > 0.9 and measurements.picture(c.x, c.y)[1] == 0.31


@CHAPTER.says("Line 25 gives the optimizer the last layer alone. Line 26 is innocent: it looks like line 4 "
              "of the first script, but `clone()` copies. With `model.parameters()` in line 25, the script "
              "prints 0.0931, and not 0.4025.")
def test_the_lines_of_the_diagnosis_are_those_of_its_patient():
    text = one_text("Which suspects does each measurement leave")
    shown = re.findall(r"^(\w+ = .*\S) +# (\d+)$", text, re.MULTILINE)
    lines = DIAGNOSED.source.splitlines()
    assert [(lines[int(at) - 1], int(at)) for _, at in shown] == [(line, int(at)) for line, at in shown]
    assert [int(at) for _, at in shown] == [25, 26] and "p.detach().clone()" in shown[1][0]
    bug, = DIAGNOSED.bugs
    assert DIAGNOSED.lines(bug) == [25] and bug.name == "half_of_the_weights"
    repaired = replaced(DIAGNOSED.source, ("SGD(model[-1].parameters()", "SGD(model.parameters()"))
    assert repaired == DIAGNOSED.healthy
    assert (DIAGNOSED.numbers["healthy"], DIAGNOSED.numbers["ill"]) == (0.0931, 0.4025)


# --- 15a: a patient that hides its text ---------------------------------------------------------------------

def asked(key):
    return next(one for one in ch15.EXERCISES if one.id == key)


def told_of(key, **changed):
    """Return the kind of the verdict and its words, for the right answer with some parts changed."""
    kind, _, *said = judged(asked(key), {**asked(key).example(None), **changed})
    return kind, " ".join(said)


def test_the_chapter_shows_no_line_of_the_patient_of_15a():
    """Only the sentences of a right answer do; the objects are those of its script."""
    symptom, = [printed(cell) for cell in load(15)["cells"]
                if "patient_a.symptom" in "".join(cell["source"]) and cell["cell_type"] == "code"]
    shown = "\n".join([*(text for text in sources() if "BEGIN SOLUTION" not in text),
                       one_text("Your turn 15a"), symptom])
    long = [line.strip() for line in patient_of("15a").source.splitlines() if len(line.strip()) > 30]
    assert len(long) > 15 and not [line for line in long if line in shown]
    assert "stamps" not in shown and "print(patient_a)" not in shown
    assert f"Line 10, `{patient_of('15a').source.splitlines()[9]}`, rounds the stamps." in asked("15a").why
    assert patient_of("15a").lines(patient_of("15a").bugs[0]) == [10]


@pytest.mark.parametrize(("seed", "level"), [(3, 1), (118, 1), (99, 2)])
def test_the_objects_of_a_patient_are_made_anew_before_its_loop_and_silently(seed, level, capsys):
    one = patient(seed, level)
    first, second = one.objects(), one.objects()
    assert capsys.readouterr().out == ""
    made_in_the_loop = {"optimizer"} if one.bugs[0].name == "optimizer_made_again" else set()
    assert vars(first).keys() == {*copying.MEASURED} - made_in_the_loop
    assert first.model is not second.model and picture_of(first) == picture_of(second)
    assert all(p.grad is None for p in first.model.parameters())
    loss = first.loss_of(first.x, first.y).item()
    if not made_in_the_loop:
        measurements.overfit(first.loss_of, first.optimizer, first.x, first.y)
        assert first.loss_of(first.x, first.y).item() != loss
    assert second.loss_of(second.x, second.y).item() == loss


def picture_of(made):
    return measurements.picture(made.x[:20], made.y[:20])


def test_each_other_name_of_15a_is_ruled_out_as_its_reply_says():
    a = patient_of("15a").objects()
    ratios = [measurements.picture(a.x, a.y[torch.randperm(160)])[1] for _ in range(5)]
    assert measurements.picture(a.x, a.y)[1] == 0.39 and 0.95 < min(ratios) <= max(ratios) < 1.6
    assert measurements.distinct(*a.y) == (160, 160)
    old = {name: p.detach().clone() for name, p in a.model.named_parameters()}
    a.loss_of(a.x, a.y).backward()
    for p in a.model.parameters():
        for at in range(min(4, p.numel())):
            nudged = measurements.nudge(lambda: a.loss_of(a.x, a.y), p, at=at)
            assert nudged == pytest.approx(p.grad.view(-1)[at].item(), abs=0.003)
    a.optimizer.step()
    moves = measurements.moved(a.model, a.optimizer, old).values()
    assert all(far > 0 and rate == 0.005 for far, rate in moves)
    names_told = re.findall(r'^\| `"(.+)"` \|', one_text("The bug is one of these:"), re.MULTILINE)
    assert sorted(names_told) == sorted([*ch15.RULED_OUT, ch15.ROUNDED])
    assert measurements.overfit(a.loss_of, a.optimizer, a.x, a.y) < 0.1


def test_another_name_in_15a_is_told_what_rules_it_out_and_not_the_bug():
    for name, reason in ch15.RULED_OUT.items():
        for given in (name.upper(), name.replace(" ", "")):
            kind, said = told_of("15a", bug=given)
            assert kind == NOT_YET and said.count(reason) == 1 and f"is not `{name}`" in said
            assert "rounded" not in said and "float32" not in said and "print(patient_a)" not in said


# --- answers ------------------------------------------------------------------------------------------------

def test_every_line_of_a_bug_is_taken_and_the_right_number():
    key = "15b"
    ill = patient_of(key)
    for bug in ill.bugs:
        for line in ill.lines(bug):
            lines = [line, *(ill.lines(other)[-1] for other in ill.bugs if other is not bug)]
            answer = {**treated(key)(None), "lines": lines[::-1], "number": f"{ill.numbers['healthy']}"}
            assert first_wrong(asked(key), answer, None) is None
    assert judged(asked(key), treated(key)(None))[0] == RIGHT


@pytest.mark.parametrize("lines", [[7, 4], [4, 11], ["11", "4"], {4, 7}])
def test_15d_takes_the_two_lines_in_any_order(lines):
    assert told_of("15d", lines=lines, number=0.0099)[0] == RIGHT


@pytest.mark.parametrize(("key", "changed", "says"), [
    ("15a", {"bug": None}, "Still missing: the name of the bug"),
    ("15a", {"bug": 3}, "one of the names in the table: mixed, repeated"),
    ("15a", {"bug": "the inputs are rounded"}, "one of the names in the table: mixed, repeated"),
    ("15b", {"number": None}, "number"),
    ("15b", {"number": 2.298}, "before anything is repaired. Your lines are right."),
    ("15b", {"number": 1.3473}, "is repaired, and the other one isn't"),
    ("15b", {"lines": [10]}, "One more line is broken"),
    ("15b", {"lines": [40, 41]}, "same bug"),
    ("15b", {"lines": [28, 10], "number": None}, "a tensor that shares its memory"),
    ("15b", {"lines": [99, 1]}, "there is no line"),
    ("15b", {"lines": [1, 2, 3]}, "Name two lines"),
    ("15b", {"lines": ["a line", 3]}, "Lines have numbers"),
    ("15d", {"lines": [7, 11]}, "One of your lines"), ("15d", {"lines": [1, 2]}, "None of your lines"),
    ("15d", {"lines": [7]}, "Give two lines"), ("15d", {"lines": 3}, "Give two lines"),
    ("15d", {"lines": [4, 11], "number": 0.0009}, "in line 4, leave this line out."),
    ("15d", {"lines": [4, 7], "number": 0.25}, "in line 4, leave this line out."),
    *((key, {"measured": {}}, "Still missing: what you measured") for key in ("15a", "15b", "15d")),
    ("15a", {"measured": {"nudge": 0.2}}, "knows no sign of a bug in what `nudge` returns"),
    ("15d", {"measured": 3}, "`measured` is a dict"),
    ("15d", {"measured": {"drawer": 3}}, "did you mean `drawers`?"),
    ("15a", {"measured": {"picture": 160}}, "but not by 160. Give all that it returned for `a.x`"),
    ("15a", {"measured": {"distinct": (400, 400)}}, "Apply it to other tensors."),
    ("15b", {"measured": {"picture": 1.48}}, "Which measurement shows the other one?"),
    ("15b", {"measured": {"picture": 1.48, "again": 2.298}}, "two of its five numbers are then 2.298"),
    ("15b", {"measured": {"picture": None, "again": 1.3473}}, "Give what `picture` returned."),
    ("15b", {"measured": {"picture": 1.0, "again": 1.3473}},
     "One of the two bugs is shown. `picture` shows a bug here"),
    ("15d", {"measured": {"distinct": 1, "drawers": 0.1}},
     "Give all that it returns right before the first step")])
def test_a_wrong_answer_is_told_what_is_wrong(key, changed, says):
    kind, said = told_of(key, **changed)
    assert kind == NOT_YET and says in said


@pytest.mark.parametrize(("lines", "which"), [
    ([10, 40], "ill"), ([10, 12], "ill"), ([None, None], "eval_forgotten"), ([12, 40], "eval_forgotten"),
    ([10, 12], "columns_scrambled")])
def test_a_number_alone_tells_nothing_of_a_line_that_the_answer_does_not_name(lines, which):
    """The replies to innocent lines, and to a bug that is left, are for answers that name them."""
    one = asked("15b")
    _, _, *said = judged(one, {"lines": lines, "number": patient_of("15b").numbers[which]})
    said = " ".join(said)
    assert not [wrong.says for wrong in one.wrong if wrong.says in said]
    assert set(map(int, re.findall(r"[Ll]ine (\d+)", said))) <= {*lines}
    right = not {12, None} & {*lines}
    assert ("Your lines are right." in said) == right
    assert ("before anything is repaired" in said) == (which == "ill" and right)


@pytest.mark.parametrize("lines", [[7, 3], [4, 3], [1, 2], [None, None]])
@pytest.mark.parametrize("left", ["fills", "equal"])
def test_the_loss_of_one_repair_in_15d_tells_no_line_that_the_answer_does_not_name(lines, left):
    said = " ".join(judged(asked("15d"), {"lines": lines, "number": ch15.last_script(**{left: True})}))
    assert "That is the loss with" not in said and not re.search(r"line \d", said)


@pytest.mark.parametrize(("key", "measured"), [
    ("15a", {"distinct": (63, 400)}), ("15a", {"distinct()": "(63, 400)"}),
    ("15a", {measurements.picture: 60}),
    ("15a", {"picture": ([[-1., 0.999, 0.03, 60]], 0.39)}),
    ("15b", {"picture": 1.35, "again": {"eval": [1.3473, 1.3473], "train": [2.298, 2.298]}}),
    ("15b", {"again": [0.0792, 0.3719], "picture": torch.tensor(1.48)}),
    ("15d", {"distinct": (1, 16), "drawers": {"weight": 2.54847, "bias": 10.07003}}),
    ("15d", {"distinct": (1, 16), "nudge": 0.669}), ("15d", {"distinct": (1, 16), "nudge": (-0.023, 0.156)})])
def test_a_measurement_may_be_told_in_any_form(key, measured):
    assert judged(asked(key), {**asked(key).example(None), "measured": measured})[0] == RIGHT


WHOLE = {"eval": [1.3473, 1.3473], "train": [1.3403, 1.3403], "eval again": 2.9}   # all rows in one batch


@pytest.mark.parametrize(("key", "name", "value"), [
    ("15a", "picture", 160), ("15a", "picture", 0.39), ("15a", "picture", ([[-1., 1., 0.017, 160]], 0.08)),
    ("15a", "distinct", (400, 400)), ("15a", "distinct", 400), ("15a", "distinct", (1, 16)),
    ("15b", "again", WHOLE), ("15b", "again", 1.3403), ("15b", "again", [2.298, 2.298]),
    ("15b", "again", [1.3403, 2.298]), ("15b", "picture", 200), ("15b", "picture", 0.84),
    ("15b", "picture", ([[-1., 1.2, 0.017, 200]] * 3, 0.35)),
    ("15b", "picture", [[-1., 1.2, 0.017, 200]] * 3),
    ("15d", "distinct", (1, 1)), ("15d", "distinct", (16, 16)), ("15d", "distinct", (1, 150)),
    ("15d", "drawers", {"weight": 0.08789, "bias": 0.00643}), ("15d", "nudge", 10.669),
    ("15d", "nudge", 0.46)])
def test_a_number_that_shows_no_bug_is_none_of_its_signs(key, name, value):
    """The others of the right answer stay, so nothing else can be what is missed."""
    measured = {**asked(key).example(None)["measured"], name: value}
    if name == "nudge":
        del measured["drawers"]
    if key == "15a":
        measured = {name: value}
    kind, _, *said = judged(asked(key), {**asked(key).example(None), "measured": measured})
    assert kind == NOT_YET and f"`{name}` shows a bug here, but not by" in " ".join(said)


def test_a_plural_has_a_plural_verb():
    assert so_far(Exercise("15x", "", {"lines": "your lines", "number": "the number"}), ["lines"]) == (
        "Your lines are right.")
    phrases = {"the loss": "", "whether the loss falls": "", "what your tests expect": "",
               "the number of leaves that require a gradient": "", "the two losses": "s",
               "the drawers after a step": "s"}
    assert {phrase: "s" * is_plural(phrase) for phrase in phrases} == phrases


# --- the signs of the bugs ----------------------------------------------------------------------------------

SHOW = """
from minigrad.book.classroom.measurements import again
def test():
    total = 0.
    with torch.no_grad():
        for inputs, targets in zip(test_x.split(10), test_y.split(10)):
            total += loss_of(inputs, targets).item() * len(targets)
    return total / len(test_y)
def show():
    for number in (test, lambda: loss_of(test_x, test_y), lambda: loss_of(x, y)):
        print(again(model, number))
show()
"""


@cache
def shown_in_15b(text):
    """Return what `again` shows of three numbers: before the script's test, after it, after 1 and 3 more."""
    lines, more = text.splitlines(), ["show()", "test()", "show()", "test()", "test()", "show()"]
    shown = lines_printed("\n".join([*lines[:39], SHOW, *lines[39:], *more]))
    found = [row for row in shown if len(row) == 5]
    return [found[at:at + 3] for at in range(0, 12, 3)]


SECOND = "shows this bug, but you took it at another moment than right before the test."


def told_of_again(numbers):
    """Return the verdict on a right answer to 15b with these numbers of `again`, and what is said."""
    return told_of("15b", measured={"picture": 1.48, "again": numbers})


def test_again_shows_the_mode_of_15b_right_before_the_test_and_another_moment_is_told():
    """With all that it returns, or one number; for another number than the printed one, it shows no bug."""
    mode, places = signs_of("15b")[0], shown_in_15b(patient_of("15b").source)
    assert len(places) == 4
    for at, seen in enumerate(places):
        assert [is_shown(mode, {"again": numbers}) for numbers in seen] == [at == 0, False, False]
        kind, said = told_of_again(seen[0])
        assert (kind == RIGHT) == (at == 0) and (SECOND in said) == (at > 0)
        if at > 0:                               # the reply tells neither a line nor the mode
            assert "`picture` shows" not in said and not re.search(r"[Ll]ine \d|training mode", said)
        for numbers in seen[1:]:
            assert told_of_again(numbers)[0] == NOT_YET and SECOND not in told_of_again(numbers)[1]
    (before, _, trained, _, later), (after, *_) = places[0][0], places[1][0]
    for few, good in (([before], True), ([later], True), ([before, trained], True), ([trained, later], True),
                      ([after], False), ([after, trained], False), ([after, after], False)):
        assert (told_of_again(few)[0] == RIGHT) == good and (SECOND in told_of_again(few)[1]) != good
    assert SECOND not in told_of_again([trained])[1] and told_of_again([trained])[0] == NOT_YET
    assert f"Evaluation mode gives {before:.2f} before the test." in asked("15b").why
    assert f"'eval again' is {later:.1f}" in asked("15b").why


def test_again_with_the_columns_of_15b_repaired_is_taken_right_before_the_test_too():
    repaired = replaced(patient_of("15b").source, ("torch.stack([voltage, load, age]).view(-1, 3)",
                                                   "torch.stack([voltage, load, age], dim=1)"))
    for at, seen in enumerate(shown_in_15b(repaired)):
        kind, said = told_of_again(seen[0])
        assert (kind == RIGHT) == (at == 0) and (SECOND in said) == (at > 0)


@CHAPTER.says("a repair can change what shows the other bug")
@CHAPTER.says("`again`, right before the test, with exactly what the script prints, its loop included")
def test_again_shows_other_numbers_after_the_test_of_15b_and_after_a_repair_of_its_columns():
    repaired = replaced(patient_of("15b").source, ("torch.stack([voltage, load, age]).view(-1, 3)",
                                                   "torch.stack([voltage, load, age], dim=1)"))
    (before, after), (then, later) = ([seen[0][0] for seen in shown_in_15b(text)[:2]]
                                      for text in (patient_of("15b").source, repaired))
    assert before == pytest.approx(1.3473, abs=1e-3) and after > 4
    assert is_same(then, patient_of("15b").numbers["healthy"]) and not is_same(later, then)


@pytest.mark.parametrize(("key", "last", "name", "call"), [
    ("15a", 14, "picture", "picture(x, y), picture(test_x, test_y)"),
    ("15a", 14, "distinct", "distinct(*clock), distinct(*x), distinct(*test_x)"),
    ("15b", 15, "picture", "picture(x, y), picture(test_x, test_y), picture(table, heat)")])
def test_a_sign_of_a_patient_is_measured_in_it_and_not_in_the_healthy_script(key, last, name, call):
    for text, shows in ((patient_of(key).source, True), (patient_of(key).healthy, False)):
        text = "\n".join([*text.splitlines()[:last], "from minigrad.book.classroom.measurements import *"])
        seen = lines_printed(f"{text}\nprint({call})")
        assert is_shown(signs_of(key)[-1], {name: seen[-1]}) == shows


@CHAPTER.says("Again, the text is hidden: first measure what `patient_b.objects()` returns. Then "
              "`print(patient_b)` shows the text")
def test_the_objects_of_15b_show_its_columns_before_its_text_is_seen():
    b = patient_of("15b").objects()
    assert is_shown(signs_of("15b")[1], {"picture": [measurements.picture(b.x, b.y)[1]]})
    shown, = [printed(cell) for cell in load(15)["cells"] if "print(patient_b" in "".join(cell["source"])
              and cell["cell_type"] == "code"]
    assert shown.strip() == patient_of("15b").symptom and "print(patient_b)" not in "\n".join(sources())
    assert all(line in str(patient_of("15b")) for line in patient_of("15b").source.splitlines())


def test_the_numbers_that_15b_s_reply_names():
    y = copying.objects_made_by("\n".join(patient_of("15b").source.splitlines()[:15])).y
    assert round(y.var().item(), 2) == 1.36
    assert "The last loss, 1.34, is near the variance of the targets, 1.36" in asked("15b").why


# --- the last script ----------------------------------------------------------------------------------------

FILLS = ("net(at).sum().backward()", "at.grad = torch.autograd.grad(net(at).sum(), at)[0]")
EQUAL = ("    nn.init.constant_(p, 0.1)  ", "    pass  ")


def last_cells():
    return [one_with("torch.randperm(50)"), one_with("steep.append(")]


def end_of(*pairs, library="minigrad", **more):
    """Run the last script, from its own cells alone, and return its test loss."""
    package = importlib.import_module(library)
    found = {"torch": package, **more}
    exec(replaced("\n".join(last_cells()), *pairs), found)
    with package.no_grad():
        return found["loss_on"](found["test"]).item()


def test_the_last_script_starts_cold_and_has_two_bugs(library):
    """One repair alone makes it worse, as the reply to a right answer says."""
    lines = [line for line in "\n".join(last_cells()).splitlines() if line.strip()]
    assert 30 <= len(lines) <= 35
    ends = [end_of(*pairs, library=library) for pairs in ((), (EQUAL,), (FILLS,), (FILLS, EQUAL))]
    assert ends[:2] == pytest.approx([0.3699, 0.8096], abs=1e-3)
    known = [ch15.last_script(fills=True), ch15.last_script(equal=True), ch15.last_script()]
    assert ends[1:] == pytest.approx(known, rel=1e-2)
    assert ends[3] < 0.1 < min(ends[:3]) and ends[1] > ends[0]


@CHAPTER.says("A healthy copy prints less than 0.1.")
@pytest.mark.parametrize("start", ["normal_(p, std=0.1)", "normal_(p)", "uniform_(p)"])
def test_15d_takes_the_loss_of_each_usual_start_and_none_with_one_bug_left(library, start):
    other = ("    nn.init.constant_(p, 0.1)  ", f"    nn.init.{start}  ")
    loss = end_of(FILLS, other, library=library)
    assert told_of("15d", number=round(loss, 4))[0] == RIGHT
    for left in end_of(other, library=library), ch15.last_script(equal=True), ch15.last_script(fills=True):
        assert told_of("15d", number=round(left, 4))[0] == NOT_YET


@pytest.mark.parametrize("equal", [True, False])
def test_a_right_answer_to_15d_is_told_both_bugs_and_why(library, equal):
    """Line 4 makes the units equal, and they stay so; line 7 fills the drawers, and its repair fills none."""
    told = asked("15d").why.splitlines()
    assert told[0].startswith("`distinct` counts 1 unit of 16. Line 4") and "line 7" in told[1]
    assert judged(asked("15d"), asked("15d").example(None))[2:] == (*told,)
    package = importlib.import_module(library)
    found, units = {"torch": package}, []
    found["see"] = lambda: units.append(measurements.distinct(*found["net"][0].weight)[0])
    exec(replaced("\n".join(last_cells()), ("    loss = loss_on(train)", "    see(); loss = loss_on(train)"),
                  *(() if equal else (EQUAL,))), found)
    assert {*units} == {1 if equal else 16}
    net, at = found["net"], found["grid"][:5].clone().requires_grad_()
    net.zero_grad()
    grad, = package.autograd.grad(net(at).sum(), at)
    assert set(measurements.drawers(net).values()) == {None} and grad.abs().max().item() > 0
    net(at).sum().backward()
    assert all(norm > 0 for norm in measurements.drawers(net).values())


def drawers_in_the_last_script(*pairs):
    """Return the drawers after the pass, after line 11 and after line 12 of some steps, and at the end."""
    seen = []
    text = replaced("\n".join(last_cells()), *pairs, (
        "    loss.backward()\n", "    loss.backward()\n    see()\n"), (
        "    adam.step()\n", "    see()\n    adam.step()\n"), (
        "    nn.utils.clip", "    see()\n    nn.utils.clip"))
    found = {"torch": torch, "see": lambda: seen.append(all_numbers(measurements.drawers(found["net"])))}
    exec(text, found)
    found["adam"].zero_grad()
    found["loss_on"](found["train"]).backward()
    found["steepness"](found["held"])
    found["see"]()
    return [seen[at:at + 3] for at in (0, 3, 75, 300, 447)], seen[-1]


@CHAPTER.says("To measure right before a line, insert the measurement and `raise SystemExit` above it in a "
              "copy: the cell stops there.")
@CHAPTER.says("In a copy of the second cell, `raise SystemExit` above `adam.step()` takes you there.")
def test_a_copy_of_the_last_script_that_stops_above_the_step_has_the_drawers_right_before_it(library):
    step, package, seen = "    adam.step()\n", importlib.import_module(library), []
    loop = {"torch": package, "see": lambda: seen.append(measurements.drawers(loop["net"]))}
    exec(replaced("\n".join(last_cells()), (step, f"    see()\n{step}")), loop)
    first, last = last_cells()
    stopped = {"torch": package}
    exec(first, stopped)
    with pytest.raises(SystemExit):
        exec(replaced(last, (step, f"    raise SystemExit\n{step}")), stopped)
    assert stopped["step"] == 0 and measurements.drawers(stopped["net"]) == seen[0] != seen[1]


def test_the_signs_of_15d_are_the_drawers_right_before_a_step_and_none_without_the_second_pass():
    """None is a sign right after a pass."""
    _, signs = signs_in_the_last_script()

    def shown(part):
        return is_shown(signs, {"drawers": part})

    steps, after = drawers_in_the_last_script()
    assert [[*map(shown, step)] for step in steps] == [[False, True, True]] * 5 and shown(after)
    for part in (steps[0][1], steps[-1][2], after):
        assert all(shown([one]) for one in part)
    steps, after = drawers_in_the_last_script(FILLS)
    assert not any(map(shown, [after, *(part for step in steps for part in step)]))


@CHAPTER.says("Find the two silent bugs by measurements right before the first step")
def test_a_nudge_shows_the_second_pass_of_15d_because_it_differs_from_each_drawer(library):
    """A nudge moves one number of a weight; in each weight, all numbers have the same slope."""
    package, found = importlib.import_module(library), {}
    text = replaced("\n".join(last_cells()), ("    adam.step()\n", "    see(net, loss)\n    adam.step()\n"),
                    ("range(150)", "range(1)"), ("    nn.utils.clip_grad_norm_(weights, 1.) ", "    pass "))

    def see(net, _):
        for name, p in net.named_parameters():
            found[name] = (measurements.nudge(lambda: names["loss_on"](names["train"]), p),
                           p.grad.view(-1)[0].item())

    names = {"torch": package, "see": see}
    exec(text, names)
    _, signs = signs_in_the_last_script()
    for slope, drawer in found.values():
        assert abs(slope - drawer) > 0.1
        assert is_shown(signs, {"nudge": [slope]}) and not is_shown(signs, {"nudge": [round(drawer, 3)]})
    assert found["2.bias"] == pytest.approx((0.669, 10.669), abs=1e-3)


# --- a copy of a patient in a new cell ----------------------------------------------------------------------

class Shell:
    """A notebook's IPython, as far as `new_cell` needs it."""

    def __init__(self, package, kernel=True):
        self.user_ns, self.cells = {"torch": package}, []
        if kernel:
            self.kernel = object()

    def set_next_input(self, text):
        self.cells.append(text)


ON_MINIGRAD, PYTORCH = "import minigrad as torch", type("Module", (), {"__name__": "torch"})()


def python_of(shell):
    return type("IPython", (), {"get_ipython": staticmethod(lambda: shell)})


@pytest.mark.parametrize(("package", "first"), [(torch, ON_MINIGRAD), (None, ON_MINIGRAD),
                                                (PYTORCH, "import torch")])
def test_a_copy_of_a_patient_comes_into_a_new_cell_and_keeps_its_lines(package, first, monkeypatch):
    shell = Shell(package)
    monkeypatch.setitem(sys.modules, "IPython", python_of(shell))
    patient_of("15a").new_cell()
    text, = shell.cells
    assert text.startswith(first + "\n") and text.count("\n") == patient_of("15a").source.count("\n")


def test_outside_a_notebook_the_copy_is_printed(monkeypatch, capsys):
    for shell in (None, Shell(torch, kernel=False)):
        monkeypatch.setitem(sys.modules, "IPython", python_of(shell))
        patient_of("15a").new_cell()
        assert capsys.readouterr().out.startswith("import minigrad as torch\n")
