"""Chapter 15: its script is measured and repaired, its twins trained, its patients and rules tried."""
import ast
import importlib
import inspect
import re
import sys
import textwrap
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
    BUGS,
    SEEDS,
    all_numbers,
    both_found,
    is_shown,
    last_script,
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


def cells():
    return [cell for cell in load(15)["cells"] if cell["cell_type"] == "code"]


def sources():
    return ["".join(cell["source"]) for cell in cells()]


def one_with(*words_in_it):
    """Return the only cell of code that has these words."""
    found, = [text for text in sources() if all(word in text for word in words_in_it)
              and "BEGIN SOLUTION" not in text]
    return found


def line_with(start):
    """Return the only line of code that begins so."""
    found, = [line for text in sources() for line in text.splitlines() if line.startswith(start)]
    return found


def one_text(words_in_it):
    """Return the only cell of text that has these words."""
    found, = [text for cell in load(15)["cells"] if cell["cell_type"] == "markdown"
              and words_in_it in (text := "".join(cell["source"]))]
    return found


def stored(*words_in_it):
    """Return what the only cell with these words printed."""
    found, = [cell for cell in cells() if all(word in "".join(cell["source"]) for word in words_in_it)
              and "BEGIN SOLUTION" not in "".join(cell["source"])]
    return printed(found)


def names(*texts, library="minigrad", **given):
    """Run cells of the chapter after its first ones; return their variables."""
    package = importlib.import_module(library)
    book = importlib.import_module("minigrad.book")
    found = {"torch": package, "nn": package.nn, "print": lambda *said, **more: None,
             **{name: getattr(book, name) for name in book.__all__}, **given}
    for one in texts:
        exec(one, found)
    return found


def replaced(text, *pairs):
    for old, new in pairs:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


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


# --- the first patient --------------------------------------------------------------------------------------

def script():
    return (one_with("= points()", "class Net("), one_with("def start("), one_with("def run("))


@pytest.fixture(params=LIBRARIES)
def library(request):
    return request.param


def run_with(library, *pairs):
    """Run the first script with some of its lines replaced, and return what it prints."""
    texts = list(script())
    for old, new in pairs:
        at, = [at for at, text in enumerate(texts) if old in text]
        texts[at] = replaced(texts[at], (old, new))
    texts[2] = replaced(texts[2], ("\nrun()", "\nended = run()"))
    return names(*texts, library=library)["ended"]


RECORDED = ("        with torch.no_grad():                    # 1\n            h =",
            "        if True:\n            h =")
COPIES = ("[p.detach() for p", "[p.detach().clone() for p")


def test_the_first_patient_has_two_bugs_and_each_repair_helps(library):
    ill, first, second = (run_with(library, *pairs) for pairs in ((), (RECORDED,), (COPIES,)))
    healthy = run_with(library, RECORDED, COPIES)
    assert [ill, second, first, healthy] == [2.8061, 0.0208, 0.0334, 0.0044]
    assert healthy < 0.01 < min(first, second) and ill > 80 * max(first, second)
    assert re.findall(r"loss: (\S+)", stored("class Recorded")) == [
        "2.8061", "0.0208", "0.0334", "0.0044"]


@pytest.mark.parametrize(("old", "new"), [
    ("        log.append(loss.item())                  # 7\n", ""),
    ("            p.copy_(a)                           # 9", "            p.fill_(0).add_(a)"),
    ("            a.mul_(0.9).add_(p, alpha=0.1)       # 6", "            a.copy_(0.9 * a + 0.1 * p)")])
def test_an_innocent_line_can_be_written_otherwise(old, new):
    assert run_with("minigrad", RECORDED, COPIES, (old, new)) == pytest.approx(0.0044, abs=1e-4)


@CHAPTER.says("The test loss, 2.8, is little better than the 3.4 of a net that predicts 0.")
def test_the_first_patient_is_compared_with_a_net_that_predicts_0(library):
    found = names(*script()[:2], "model, optimizer, average = start()", library=library)
    nothing = lambda x, y: ((0 * found["model"](x).squeeze(1) - y) ** 2).mean().item()
    test = found["test_x"], found["test_y"]
    assert nothing(*test) == pytest.approx(3.4, abs=1e-4)
    assert stored("= points()", "class Net(") == "predicting 0: 3.4\n"
    assert stored("def run(").startswith(f"at the start: {round(found['loss_of'](*test).item(), 4)}\n")
    healthy = run_with(library, RECORDED, COPIES)
    assert 0.8 < run_with(library) / nothing(*test) < 1 and healthy < 0.01


def measured(*repairs):
    """Return what the chapter's measurements show in the first script, with some repairs."""
    texts = list(script())
    for old, new in repairs:
        at, = [at for at, text in enumerate(texts) if old in text]
        texts[at] = replaced(texts[at], (old, new))
    found = names(*texts[:2], "model, optimizer, average = start()")
    model, loss_of, x, y = found["model"], found["loss_of"], found["x"], found["y"]
    slope = measurements.nudge(lambda: loss_of(x, y), model.body.weight)
    seen = [measurements.drawers(model)]
    before = measurements.versions(*model.parameters(), *found["average"])
    old = {name: p.detach().clone() for name, p in model.named_parameters()}
    loss_of(x, y).backward()
    seen.append(measurements.drawers(model))
    grad = None if model.body.weight.grad is None else model.body.weight.grad[0, 0].item()
    found["optimizer"].step()
    after_step = measurements.moved(model, found["optimizer"], old)["body.weight"]
    found["follow"]()
    after_round = measurements.moved(model, found["optimizer"], old)["body.weight"]
    writes = [b[0] - a[0] for a, b in zip(before, measurements.versions(
        *model.parameters(), *found["average"]), strict=True)][:4]
    return {"slope": slope, "grad": grad, "step": after_step[0], "round": after_round[0], "writes": writes,
            "shared": before[0][1], "reaches": measurements.reaches(loss_of, x, y)}


def test_what_the_measurements_show_ill_and_healthy():
    ill, healthy = measured(), measured(RECORDED, COPIES)
    assert ill["slope"] == healthy["slope"] == -0.381 and ill["grad"] is None
    assert healthy["grad"] == pytest.approx(-0.381, abs=1e-3)
    assert ill["step"] == 0 and ill["round"] == pytest.approx(0.0176, abs=1e-4)
    assert healthy["step"] == healthy["round"] > 0
    assert ill["writes"] == [2, 2, 3, 3] and healthy["writes"] == [1, 1, 1, 1]
    assert (ill["shared"], healthy["shared"]) == (2, 1)
    assert ill["reaches"][1:] == [0., 0., 0.]
    assert healthy["reaches"][0] > 0 and healthy["reaches"][1:] == [0., 0., 0.]


# --- the twins ----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("name", ["net_a", "net_b"])
def test_each_twin_of_the_first_pair_differs_from_the_nudge_and_ends_worse(library, name):
    torch_, ends = importlib.import_module(library), {}
    text = one_with("def net_b(", ".detach()")
    whole = text.replace(".norm().item()", ".norm()").replace(".detach()", "")
    for repaired in (False, True):
        net = names(whole if repaired else text, library=library)

        def loss_of(net=net):
            return ((net[name](net["x"]).squeeze(1) - net["y"]) ** 2).mean()

        loss_of().backward()
        agree = {}
        for part in ("body", "head"):
            for kind, p in net[part].named_parameters():
                drawer, nudged = p.grad.view(-1)[0].item(), measurements.nudge(loss_of, p)
                agree[f"{part}.{kind}"] = abs(drawer - nudged) < 0.002
        assert agree["head.weight"] and agree["head.bias"] and agree["body.bias"] == repaired, agree
        optimizer = torch_.optim.SGD([*net["body"].parameters(), *net["head"].parameters()], lr=0.1)
        for _ in range(100):
            optimizer.zero_grad()
            loss_of().backward()
            optimizer.step()
        ends[repaired] = loss_of().item()
    assert ends[False] > 1.5 * ends[True]


def eight_numbers(library):
    """Return a direction in which all eight numbers of a bias are moved."""
    package = importlib.import_module(library)
    package.manual_seed(10)
    return package.randn(8)


EACH_ROW, ALL_ROWS = {"dim": 1, "keepdim": True}, {}


def twin_repaired(library):
    """Return the variables of the twins, and the two repairs of their size as functions of the input."""
    found = names(one_with("def net_b(", ".detach()"), one_with("px, py = "), library=library)
    tanh, body, head = found["torch"].tanh, found["body"], found["head"]

    def repair(how):
        def net(x):
            h = tanh(body(x))
            return head(h / h.norm(**how))
        return net

    return found, {"all": repair(ALL_ROWS), "each": repair(EACH_ROW)}


def with_norm(library):
    """Return the variables of the net with BatchNorm."""
    return names(one_with("def net_b(", ".detach()"), one_with("px, py = "), one_with("BatchNorm1d("),
                 library=library)


def loss_with(net):
    return lambda x, y: ((net(x).squeeze(1) - y) ** 2).mean()


@CHAPTER.says("A program can also be ill because its loss mixes rows, and no nudge shows this.")
def test_one_repair_of_the_size_mixes_rows_and_the_other_none(library):
    """Both have slopes that agree with the nudge; the one that mixes gives a row another result elsewhere."""
    found, nets = twin_repaired(library)
    shown = {}
    for name, net in nets.items():
        loss_of = loss_with(net)
        shown[name] = measurements.reaches(loss_of, found["px"], found["py"])
        bias = found["body"].bias
        bias.grad = None
        loss_of(found["px"], found["py"]).backward()
        slope = measurements.nudge(lambda loss_of=loss_of: loss_of(found["px"], found["py"]), bias, at=...,
                                   along=eight_numbers(library))
        assert slope == pytest.approx((bias.grad * eight_numbers(library)).sum().item(), abs=0.003)
        alone = max(abs(net(found["x"][at:at + 1]) - net(found["x"])[at]).item() for at in range(9))
        assert (alone > 0.1) == (name == "all") and (alone < 1e-5) == (name == "each")
    assert shown["all"][0] > 0 and min(shown["all"][1:]) > 0.005
    assert shown["each"][0] > 0 and shown["each"][1:] == [0., 0., 0.]
    for line, name in zip(stored("px, py = ").splitlines(), shown, strict=True):
        losses, reached = line.partition("reaches: ")[::2]
        assert reached == f"{shown[name]}"
        first, second, third, fourth = deciding.numbers(losses)
        move, other = first - second, third - fourth
        assert [round(move, 4), round(abs(move - other), 4)] == pytest.approx(shown[name][:2], abs=2e-5)


@CHAPTER.says("In training mode, `reaches` shows other rows: BatchNorm mixes them on purpose.")
def test_batchnorm_mixes_rows_in_training_mode_alone(library):
    found = with_norm(library)
    for mode in (True, False):
        found["norm"].train(mode)
        first, *others = measurements.reaches(found["loss"], found["px"], found["py"])
        assert first > 0 and any(others) == mode


def test_a_bias_before_batchnorm_moves_the_loss_in_evaluation_mode_alone(library):
    """Its drawer agrees in both modes; in training mode the result is that of a net without it."""
    found = with_norm(library)
    norm, bias, loss = (found[name] for name in ("norm", "body", "loss"))
    bias, way, slopes = bias.bias, eight_numbers(library), {}
    for mode in (True, False):
        norm.train(mode)
        bias.grad = None
        loss().backward()
        slopes[mode] = [abs(measurements.nudge(loss, bias, at=at)) for at in range(8)]
        along = measurements.nudge(loss, bias, at=..., along=way)
        assert along == pytest.approx((bias.grad * way).sum().item(), abs=0.003)
        assert bias.grad.tolist() == pytest.approx([measurements.nudge(loss, bias, at=at) for at in range(8)],
                                                   abs=0.005)
    assert slopes[True] == [0.] * 8 and 0.01 < min(slopes[False]) < 0.02 and max(slopes[False]) > 0.5
    norm.train()
    with found["torch"].no_grad():
        before = loss().item()
        bias.zero_()
        assert loss().item() == pytest.approx(before, abs=1e-5)
    assert norm.bias.shape == (8,)


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


@CHAPTER.says("With random numbers, as of dropout, it grows: take both in evaluation mode.")
def test_the_gap_of_random_numbers_grows_with_a_smaller_nudge():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(6, 32), torch.nn.Dropout(0.5), torch.nn.Linear(32, 1))
    x = torch.randn(16, 6)
    weight, way = model[0].weight, torch.randn(192)
    (model(x) ** 2).mean().backward()
    drawer = (weight.grad.view(-1) * way).sum().item()
    gaps = [sum(abs(drawer - measurements.nudge(lambda: (model(x) ** 2).mean(), weight, by, ..., way))
                for _ in range(10)) for by in (0.1, 0.01, 0.001)]
    assert gaps[2] > 5 * gaps[1] > 25 * gaps[0]


@CHAPTER.says("Near a kink, as of relu, the gap shrinks with a smaller `by`, and that of a cut stays.")
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


def test_a_nudge_near_a_kink_and_at_it(library):
    package = importlib.import_module(library)
    for at, shown in ((0.004, [0.7, 1.0]), (0., [0.5, 0.5])):
        w = package.tensor([at], requires_grad=True)
        package.relu(w).sum().backward()
        assert w.grad.item() == (1. if at else 0.)
        assert [measurements.nudge(lambda w=w: package.relu(w).sum(), w, by) for by in (0.01, 0.002)] == shown


@pytest.mark.parametrize("numbers", [1, 4, 9, 100])
def test_a_nudge_of_n_numbers_moves_the_weight_as_far_as_one_of_one_number(library, numbers):
    package = importlib.import_module(library)
    weight, seen = package.zeros(numbers, requires_grad=True), []

    def loss_of():
        seen.append(weight.detach().norm().item())
        return weight.sum()

    measurements.nudge(loss_of, weight, at=..., along=package.ones(numbers))
    assert seen == pytest.approx([0.01, 0.01, 0.], abs=1e-6)


@CHAPTER.says("An accuracy is rounded: take the loss.")
def test_an_accuracy_can_be_equal_in_both_modes_and_the_loss_is_not(library):
    package = importlib.import_module(library)
    model, _, x, _ = healthy(package, package.nn.Dropout(0.2))
    y = (x[:, 0] > 0).float()
    optimizer = package.optim.Adam(model.parameters(), lr=0.05)
    bce = package.nn.functional.binary_cross_entropy_with_logits
    for _ in range(60):
        optimizer.zero_grad()
        bce(model(x)[:, 0], y).backward()
        optimizer.step()
    accuracy = measurements.again(model, lambda: ((model(x)[:, 0] > 0).float() == y).float().mean().item())
    loss = measurements.again(model, lambda: bce(model(x)[:, 0], y).item())
    assert accuracy == {"eval": [1., 1.], "train": [1., 1.], "eval again": 1.}
    assert loss["eval"][0] == loss["eval"][1] and loss["eval"][0] not in loss["train"]


@pytest.mark.parametrize("mode", [True, False])
def test_again_gives_the_model_its_mode_back(library, mode):
    model, loss_of, x, y = healthy(importlib.import_module(library),
                                   importlib.import_module(library).nn.Dropout(0.5))
    model.train(mode)
    measurements.again(model, lambda: loss_of(x, y))
    assert {layer.training for layer in model.modules()} == {mode}


@CHAPTER.says("`overfit` trains with the first four points alone, for 500 steps, and returns the last loss.")
@CHAPTER.says("It changes model and optimizer: make new ones afterwards.")
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


@CHAPTER.says("A schedule ends near 0, such as `CosineAnnealingLR`.")
@CHAPTER.says("a warm-up begins with the rate 0")
def test_a_schedule_ends_near_0_and_the_first_step_of_a_warm_up_moves_nothing(library):
    package = importlib.import_module(library)
    for warm_up in (True, False):
        model, loss_of, x, y = healthy(package)
        optimizer, rates, far = package.optim.SGD(model.parameters(), lr=0.1), [], []
        kinds = package.optim.lr_scheduler
        schedule = (kinds.LambdaLR(optimizer, lambda step: min(1., step / 5)) if warm_up
                    else kinds.CosineAnnealingLR(optimizer, 9))
        for _ in range(10):
            old = {name: p.detach().clone() for name, p in model.named_parameters()}
            optimizer.zero_grad()
            loss_of(x, y).backward()
            optimizer.step()
            moves = measurements.moved(model, optimizer, old)
            far.append(moves["0.weight"][0])
            rates.append(moves["0.weight"][1])
            schedule.step()
        if warm_up:
            assert far[0] == rates[0] == 0. < min(far[1:])
        else:
            assert rates[0] == 0.1 and rates[-1] == pytest.approx(0., abs=1e-9) and far[-1] < 1e-5 < far[0]


@CHAPTER.says("Each row has several outputs.")
@CHAPTER.says("Rows are really equal, or drawn more than once. A last layer starts with zeros.")
@CHAPTER.says("In training mode, `p=0.5` doubles the numbers that it keeps.")
@CHAPTER.says("This loss doesn't use the layer.")
def test_what_the_table_calls_no_bug_is_seen_in_healthy_scripts(library):
    package = importlib.import_module(library)
    nn = package.nn
    package.manual_seed(0)
    x, layer, other = package.randn(5, 4), nn.Linear(4, 3), nn.Linear(4, 3)
    errors = layer(x) - package.randn(5, 3)
    assert measurements.shapes(errors)[0][0] == (5, 3) and errors.numel() > len(x)
    assert measurements.distinct(*x, x[1]) == (5, 6)
    nn.init.zeros_(other.weight)
    assert measurements.distinct(*other.weight) == (1, 3)
    kept = nn.Dropout(0.5)(package.ones(100))
    assert set(kept.tolist()) == {0., 2.}
    both = nn.ModuleList([layer, other])
    (errors ** 2).mean().backward()
    assert [measurements.drawers(both)[f"{at}.bias"] is None for at in (0, 1)] == [False, True]
    for p in other.parameters():
        p.requires_grad_(False)
    optimizer = package.optim.SGD(both.parameters(), lr=0.1)
    old = {name: p.detach().clone() for name, p in both.named_parameters()}
    optimizer.step()
    assert measurements.drawers(both)["1.bias"] == "frozen"
    assert measurements.moved(both, optimizer, old)["1.bias"] == (0., 0.1)


@CHAPTER.says("Here, the last number differs: passes in training mode change the stored numbers.")
def test_the_last_number_of_again_differs_because_of_the_stored_numbers(library):
    found = with_norm(library)
    loss_of, norm = found["loss"], found["norm"]
    shown = []
    for momentum in (0.1, 0.):          # with 0, a pass in training mode changes no stored number
        norm.momentum = momentum
        shown.append(measurements.again(norm, loss_of))
    assert [seen["eval again"] == seen["eval"][0] for seen in shown] == [False, True]
    first, second, _, _, last = deciding.numbers(stored("again(norm, loss)"))
    assert first == second != last


@CHAPTER.says("Row 0 alone changes from the first loss to the second, and from the third to the fourth. "
              "`reaches` returns the first of these moves, and how much the second differs from it.")
@pytest.mark.parametrize("ill", [False, True])
def test_reaches_returns_a_move_and_how_much_another_row_changes_it(library, ill):
    """On the repaired script, and on the twin whose rows are mixed."""
    if ill:
        found, nets = twin_repaired(library)
        given = {"loss_of": loss_with(nets["all"]), "x": found["px"], "y": found["py"]}
    else:
        found = names(*(text.replace(*RECORDED).replace(*COPIES) for text in script()), library=library)
        given = {name: found[name] for name in ("loss_of", "x", "y")}
    loss_of, x, y = given["loss_of"], given["x"], given["y"]

    def move(*changed):
        """Return how far row 0 moves the loss, while these other rows have other inputs."""
        rows = [3 - row if row in changed else row for row in range(4)]
        before, after = (loss_of(x[[first, *rows[1:]]], y[:4]).item() for first in (0, 3))
        return after - before

    first, *others = measurements.reaches(**given)
    assert first == pytest.approx(abs(move()), abs=1.1e-4) and first > 0
    for row, other in enumerate(others, 1):
        assert other == pytest.approx(abs(move(row) - move()), abs=1.1e-4) and (other > 0.005) == ill


@CHAPTER.says("If a loss is a mean or sum of terms with one row each, the differences are 0 in "
              "evaluation mode, up to rounding.")
@CHAPTER.says("The loss is a root of a mean, or compares rows on purpose.")
@pytest.mark.parametrize("seed", range(4))
def test_a_mean_or_a_sum_over_rows_shows_0_for_the_other_rows_and_a_root_does_not(library, seed):
    package = importlib.import_module(library)
    layers, F = package.nn, package.nn.functional
    package.manual_seed(seed)
    model = layers.Sequential(layers.Linear(3, 8), layers.BatchNorm1d(8), layers.Tanh(), layers.Dropout(0.5),
                              layers.Linear(8, 2))
    x, y = package.randn(12, 3), package.arange(12) % 2
    model(x)                                     # stores means of its own
    model.eval()
    with package.no_grad():
        for p in (*model[0].parameters(), *model[4].parameters()):
            p.mul_(4)                            # so that a row moves the loss by more than its last digits
    by_row = {
        "mean of squares": lambda x, y: ((model(x)[:, 0] - y) ** 2).mean(),
        "sum of squares": lambda x, y: ((model(x)[:, 0] - y) ** 2).sum(),
        "mean of distances": lambda x, y: (model(x)[:, 0] - y).abs().mean(),
        "classes": lambda x, y: F.cross_entropy(model(x), y),
        "weights": lambda x, y: F.cross_entropy(model(x), y, weight=package.tensor([1., 3.])),
        "a penalty": lambda x, y: F.cross_entropy(model(x), y) + sum(
            (p ** 2).sum() for p in model.parameters()),
        "pairs by accident": lambda x, y: ((model(x)[:, :1] - y) ** 2).mean()}
    mixing = {"root": lambda x, y: by_row["mean of squares"](x, y).sqrt(),
              "pairs": lambda x, y: ((model(x) @ model(x).T) ** 2).mean()}
    for loss_of in by_row.values():
        first, *others = measurements.reaches(loss_of, x, y)
        assert first > 0 and max(others) <= 2e-4        # the loss has seven digits
    for loss_of in mixing.values():
        assert max(measurements.reaches(loss_of, x, y)[1:]) > 1e-3
    squared = measurements.reaches(lambda x, y: mixing["root"](x, y) ** 2, x, y)
    assert squared[0] > 0 and max(squared[1:]) <= 2e-4


@CHAPTER.says("It computes this number twice in evaluation mode, twice in training mode, and once more in "
              "evaluation mode.")
def test_again_returns_two_numbers_of_each_mode_and_one_of_evaluation_mode(library):
    layer, modes = importlib.import_module(library).nn.Linear(1, 1), []

    def loss_of():
        modes.append(layer.training)
        return len(modes)

    shown = measurements.again(layer, loss_of)
    assert modes == [False, False, True, True, False]
    assert shown == {"eval": [1., 2.], "train": [3., 4.], "eval again": 5.}


@CHAPTER.says("`distinct` returns how many tensors differ, and how many there are")
def test_distinct_counts_a_batch_once_and_each_unit(library):
    package = importlib.import_module(library)
    x = package.arange(9.).view(9, 1)
    assert measurements.distinct(x[:3], x[3:6], x[:3]) == (2, 3)
    layer = package.nn.Linear(1, 16)
    assert measurements.distinct(*layer.weight) == (16, 16)
    with package.no_grad():
        layer.weight[3] = layer.weight[5]
    assert measurements.distinct(*layer.weight) == (15, 16)
    assert "units: (16, 16)\n" in stored("distinct(*model.body.weight)")


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


@CHAPTER.says("The first step of plain SGD moves a weight by rate × drawer (decay and Nesterov change this), "
              "and that of Adam by about rate × √n, if the weight has n numbers.")
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("name", "more"), [("SGD", {}), ("SGD", {"momentum": 0.9}), ("Adam", {}),
                                            ("Adam", {"eps": 0.1}), ("SGD", {"weight_decay": 0.5}),
                                            ("SGD", {"momentum": 0.9, "nesterov": True})])
def test_a_first_step_has_the_length_that_the_table_says(library, name, more, seed):
    package = importlib.import_module(library)
    package.manual_seed(seed)
    layer = package.nn.Linear(3, 8)
    optimizer = getattr(package.optim, name)(layer.parameters(), lr=0.01, **more)
    old = {name: p.detach().clone() for name, p in layer.named_parameters()}
    (layer(package.randn(20, 3)) ** 2).mean().backward()
    optimizer.step()
    full, far = measurements.drawers(layer), measurements.moved(layer, optimizer, old)
    for key, p in layer.named_parameters():
        expected = 0.01 * (full[key] if name == "SGD" else p.numel() ** 0.5)
        changed = not {"eps", "weight_decay", "nesterov"}.isdisjoint(more)
        assert (far[key][0] == pytest.approx(expected, rel=0.02, abs=2e-5)) != changed
        assert "eps" not in more or far[key][0] < 0.8 * expected       # the bug that the row names


@CHAPTER.says("`overfit` can't see a body that never learns: the head alone fits four points.")
@pytest.mark.parametrize("seed", [15, 1, 2, 3])
def test_four_points_are_fitted_with_a_body_that_never_learns(seed, library):
    for pairs in ((), (RECORDED,)):
        texts = list(script())
        for pair in pairs:
            texts = [text.replace(*pair) for text in texts]
        seeded = [text.replace("manual_seed(15)", f"manual_seed({seed})") for text in texts]
        found = names(*seeded, library=library)
        found["model"], optimizer, _ = found["start"]()
        body = found["model"].body.weight.detach().clone()
        assert measurements.overfit(found["loss_of"], optimizer, found["x"], found["y"]) < 0.05
        assert bool((found["model"].body.weight == body).all()) is not bool(pairs)


@CHAPTER.says("or above 0.35 with classes | Inputs and targets don't belong together.")
@pytest.mark.parametrize(("seed", "last"), [(811, 17), (812, 14), (701, 12)])
def test_the_ratio_of_classes_is_above_a_third_if_the_rows_do_not_belong_together(seed, last):
    """Two moons with scrambled columns, and digits that are rounded to 0, beside their healthy copies."""
    ill = patient(seed)
    for healthy in (False, True):
        text = (ill.healthy if healthy else ill.source).splitlines()[:last]
        ran = ill.run("\n".join([*text, "from minigrad.book.classroom.measurements import picture",
                                 "print(picture(x, y)[1])"]))
        assert (ran.number > 0.35) == (not healthy)


@pytest.mark.parametrize("bug", PATIENT_BUGS.values(), ids=lambda bug: bug.name)
def test_the_table_of_the_patients_has_a_row_for_each_bug_under_a_measurement_that_shows_it(bug):
    """`docs/patients.md` says which measurements show a bug; it is measured."""
    table = one_text("Look up what you didn't expect")
    row, = [line for line in table.splitlines() if SHOWN_BY[bug.name] in line]
    assert set(re.findall(r"\w+", row.split("|")[1])) & set(bug.measurements.split())


def test_in_no_pair_the_definition_of_twins_excludes_an_answer():
    assert "both may be ill, or neither" in CHAPTER
    for question in ch15.QUESTIONS:
        if "twin" in question.text:
            answers = zip(("twin A", "twin B", "both", "neither"), question.options, strict=True)
            assert all(answer in deciding.claimed(one) for answer, one in answers)
    assert [question.option(question.right).text[:4] for question in ch15.QUESTIONS[2:]] == ["both", "in e"]


# --- the limits of the measurements: healthy scripts that look ill ------------------------------------------

def healthy(package, *middle):
    """Return a model, a loss of rows, 12 rows and their targets."""
    package.manual_seed(0)
    layers = package.nn
    model = layers.Sequential(layers.Linear(3, 8), layers.Tanh(), *middle, layers.Linear(8, 1))
    x = package.randn(12, 3)
    return model, lambda x, y: ((model(x)[:, 0] - y) ** 2).mean(), x, x[:, 0] * x[:, 1]


def test_gradients_that_are_added_on_purpose_fill_the_drawers_before_a_pass(library):
    model, loss_of, x, y = healthy(importlib.import_module(library))
    loss_of(x[:6], y[:6]).backward()
    assert all(measurements.drawers(model).values())
    assert "Gradients of several batches are added on purpose." in CHAPTER


@CHAPTER.says("AdamW with weight decay, as by default, writes twice in a step")
@pytest.mark.parametrize(("name", "writes", "more"), [("SGD", 1, {}), ("Adam", 1, {}), ("AdamW", 2, {}), (
    "AdamW", 1, {"weight_decay": 0.}), ("AdamW", 2, {"weight_decay": 0.1})])
def test_adamw_writes_twice_in_a_step(library, name, writes, more):
    package = importlib.import_module(library)
    model, loss_of, x, y = healthy(package)
    optimizer = getattr(package.optim, name)(model.parameters(), lr=0.1, **more)
    loss_of(x, y).backward()
    before = [version for version, _ in measurements.versions(*model.parameters())]
    optimizer.step()
    after = [version for version, _ in measurements.versions(*model.parameters())]
    assert [new - old for new, old in zip(after, before, strict=True)] == [writes] * 4


@CHAPTER.says("Measure `moved` in the step and between two steps.")
@CHAPTER.says("`versions` shows a shared address, but no write through `.data`.")
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
@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_a_step_can_move_a_weight_whose_drawer_is_none_before_it(library, name, way):
    package = importlib.import_module(library)
    package.manual_seed(0)
    used, other = package.nn.Linear(2, 2), package.nn.Linear(2, 2)
    if way == "shared memory":
        other.weight = package.nn.Parameter(used.weight.detach())
    both, x = package.nn.ModuleList([used, other]), package.randn(8, 2)
    optimizer = getattr(package.optim, name)(both.parameters(), lr=0.1, weight_decay=0.1)

    def passes():
        layer = other if way == "a function" else used
        optimizer.zero_grad()
        loss = (layer(x) ** 2).mean()
        loss.backward()
        return loss

    if way != "a function":
        passes()
    assert measurements.drawers(both)["1.weight"] is None
    old = {key: p.detach().clone() for key, p in both.named_parameters()}
    optimizer.step(passes if way == "a function" else None)
    assert (measurements.moved(both, optimizer, old)["1.weight"][0] > 0.01) == (way != "neither")
    addresses = [many for _, many in measurements.versions(used.weight, other.weight)]
    assert addresses == ([2, 2] if way == "shared memory" else [1, 1])


@CHAPTER.says("For an empty drawer, it returns `None`", "if the weight requires no gradient.")
@pytest.mark.parametrize(("name", "more", "moves"), [("Adam", {}, True), ("SGD", {"momentum": 0.9}, True), (
    "SGD", {"weight_decay": 0.1}, True), ("SGD", {}, False)])
@pytest.mark.parametrize("emptied", [True, False])
def test_a_layer_that_is_frozen_after_a_step_moves_if_its_drawer_holds_zeros(
        library, name, more, moves, emptied):
    model, loss_of, x, y = healthy(importlib.import_module(library))
    optimizer = getattr(importlib.import_module(library).optim, name)(model.parameters(), lr=0.1, **more)
    loss_of(x, y).backward()
    for p in model[0].parameters():
        p.requires_grad_(False)
    assert measurements.drawers(model)["0.weight"] > 0
    optimizer.step()
    optimizer.zero_grad(set_to_none=emptied)
    loss_of(x, y).backward()
    assert measurements.drawers(model)["0.weight"] == ("frozen" if emptied else 0.)
    old = {key: p.detach().clone() for key, p in model.named_parameters()}
    optimizer.step()
    assert (measurements.moved(model, optimizer, old)["0.weight"][0] > 0) == (moves and not emptied)


@CHAPTER.says("`moved`, by a first step with zeros in the drawers: more than 0 | The optimizer has weight "
              "decay.")
@pytest.mark.parametrize("decay", [0., 0.1])
@pytest.mark.parametrize(("name", "more"), [("SGD", {}), ("SGD", {"momentum": 0.9}), ("Adam", {}),
                                            ("AdamW", {})])
def test_a_first_step_with_zeros_in_the_drawers_moves_a_weight_by_decay_alone(library, name, more, decay):
    package = importlib.import_module(library)
    model, *_ = healthy(package)
    optimizer = getattr(package.optim, name)(model.parameters(), lr=0.1, weight_decay=decay, **more)
    for p in model.parameters():
        p.grad = package.zeros_like(p)
    old = {key: p.detach().clone() for key, p in model.named_parameters()}
    optimizer.step()
    assert (measurements.moved(model, optimizer, old)["0.weight"][0] > 0) == (decay > 0)


@CHAPTER.says("`zero_grad()` is missing, or doesn't reach the weight.", "No optimizer holds the weight")
def test_a_weight_that_no_optimizer_holds_keeps_its_gradient_and_does_not_move(library):
    package = importlib.import_module(library)
    for held in (False, True):
        model, loss_of, x, y = healthy(package)
        bias = model[2].bias
        optimizer = package.optim.SGD([p for p in model.parameters() if held or p is not bias], lr=0.1)
        loss_of(x, y).backward()
        old = {name: p.detach().clone() for name, p in model.named_parameters()}
        optimizer.step()
        far, rate = measurements.moved(model, optimizer, old)["2.bias"]
        assert (far > 0, rate) == ((True, 0.1) if held else (False, None))
        optimizer.zero_grad()
        assert bool(measurements.drawers(model)["2.bias"]) != held


@CHAPTER.says("a repair can change what shows the other bug")
@CHAPTER.says("A test in training mode also changes the stored numbers: call `again` before it.")
def test_again_shows_other_numbers_after_the_test_of_15b_and_after_a_repair_of_its_columns():
    ill, seen = patient_of("15b"), {}
    repaired = ill.source.replace("torch.stack([voltage, load, age]).view(-1, 3)",
                                  "torch.stack([voltage, load, age], dim=1)")
    for name, text, last in (("before", ill.source, 39), ("after", ill.source, 44),
                             ("repaired", repaired, 39), ("repaired, after", repaired, 44)):
        ran = ill.run("\n".join([*text.splitlines()[:last], TEST, "from minigrad.book.classroom.measurements "
                                 "import again", "print(again(model, test)['eval'][0])"]))
        seen[name] = ran.number
    assert seen["before"] == pytest.approx(1.3473, abs=1e-3) and seen["after"] > 4
    assert is_same(seen["repaired"], ill.numbers["healthy"])
    assert not is_same(seen["repaired, after"], ill.numbers["healthy"])


@CHAPTER.says("Then repair a fresh copy: measurements can change its number.")
def test_a_measurement_that_is_left_in_a_copy_can_change_its_number():
    for key, line in (("15b", "overfit(loss_of, optimizer, x, y)"), ("15a", "way = torch.randn(32)")):
        lines, healthy = patient_of(key).healthy.splitlines(), patient_of(key).numbers["healthy"]
        at = 1 + next(at for at, line in enumerate(lines) if line.startswith("optimizer = "))
        ran = patient_of(key).run("\n".join([
            *lines[:at], "from minigrad.book.classroom.measurements import overfit", line, *lines[at:]]))
        assert ran.number is not None and not is_same(ran.number, healthy)


@CHAPTER.says("the loop's loss is the number in `'eval'` | A test has left evaluation mode on.")
@pytest.mark.parametrize("layer", ["BatchNorm1d", "Dropout"])
@pytest.mark.parametrize("wrong", [True, False])
def test_again_right_before_a_loss_shows_a_loop_that_is_left_in_evaluation_mode(library, layer, wrong):
    package = importlib.import_module(library)
    middle = package.nn.BatchNorm1d(8) if layer == "BatchNorm1d" else package.nn.Dropout(0.5)
    model, loss_of, x, y = healthy(package, middle)
    optimizer = package.optim.Adam(model.parameters(), lr=0.01)
    model.train()
    for epoch in range(3):
        if not wrong:
            model.train()
        for inputs, targets in zip(x.split(6), y.split(6), strict=True):
            found = measurements.again(model, lambda: loss_of(inputs, targets))     # noqa: B023
            loss = loss_of(inputs, targets)
            is_that_of_evaluation = is_same(loss.item(), found["eval"][0])
            assert is_that_of_evaluation == (wrong and epoch > 0)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()


@CHAPTER.says("`again`, right before a loss of a later epoch")
def test_again_between_a_loss_and_its_pass_makes_the_pass_fail(library):
    package = importlib.import_module(library)
    model, loss_of, x, y = healthy(package, package.nn.BatchNorm1d(8))
    loss = loss_of(x, y)
    measurements.again(model, lambda: loss_of(x, y))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


@CHAPTER.says("can the loss and the step fit four points with different targets?")
def test_a_broadcast_error_is_seen_by_overfit_if_the_targets_differ(library):
    package = importlib.import_module(library)
    for size in (0.01, 2.):
        model, _, x, _ = healthy(package)
        found = measurements.overfit(lambda x, y: ((model(x) - y) ** 2).mean(),     # noqa: B023
                                     package.optim.Adam(model.parameters(), lr=0.02), x, 1 + size * x[:, 0])
        assert (found > 0.1) == (size > 1)


@CHAPTER.says("such as −log p of a density: then `overfit` says nothing.")
def test_the_loss_of_a_healthy_density_falls_far_below_0(library):
    package = importlib.import_module(library)
    package.manual_seed(0)
    layer, x = package.nn.Linear(1, 1), package.randn(16, 1)

    def loss_of(x, y):
        size = layer(x)[:, 0]           # the logarithm of the standard deviation
        return (size + 0.5 * ((y - 3 * x[:, 0]) / size.exp()) ** 2).mean()

    optimizer = package.optim.Adam(layer.parameters(), lr=0.02)
    assert measurements.overfit(loss_of, optimizer, x, 3 * x[:, 0]) < -5


@CHAPTER.says("Adam moves a weight by a gradient of 1e-8, too, which `drawers` rounds to 0.0.")
@CHAPTER.says("`nn.init` writes, too: subtract two results.")
def test_adam_moves_a_weight_by_a_tiny_gradient_and_init_counts_as_a_write(library):
    package = importlib.import_module(library)
    layer = package.nn.Linear(1, 1)
    (before, _), = measurements.versions(layer.weight)
    package.nn.init.zeros_(layer.weight)
    assert measurements.versions(layer.weight) == [(before + 1, 1)]
    optimizer = package.optim.Adam(layer.parameters(), lr=0.1)
    old = {name: p.detach().clone() for name, p in layer.named_parameters()}
    layer.weight.grad = package.tensor([[1e-8]])
    assert measurements.drawers(layer)["weight"] == 0.
    optimizer.step()
    assert measurements.moved(layer, optimizer, old)["weight"][0] == pytest.approx(0.05, abs=1e-3)


@CHAPTER.says("No pass needs a record of lines 6 and 9.")
def test_lines_6_and_9_can_be_written_without_a_record(library):
    """`.data` is never recorded; without `no_grad`, the rest of these lines has nothing to record."""
    ended = run_with(library, RECORDED, COPIES,
                     ("    with torch.no_grad():                        # 5", "    if True:"),
                     ("add_(p, alpha", "add_(p.data, alpha"), ("p.copy_(a)      ", "p.data.copy_(a)"))
    assert ended == 0.0044


@CHAPTER.says("Their mean is 3, and their mean distance from it is 2.5, so the ratio is 1 / 2.5 = 0.4.")
@CHAPTER.says("Similar inputs have similar targets: the ratio is 0.43, and above 1 with mixed targets.")
@CHAPTER.says("other means or ranges than in the loop, or means of 0 as well")
def test_the_ratios_are_those_that_were_printed_and_rows_normalised_by_themselves_have_means_of_0():
    shown = [deciding.numbers(line) for line in stored("torch.randperm(9)").splitlines()]
    assert shown[1][-1] == 0.43 and len(shown[2]) == 5 and min(shown[2]) > 1
    rows = [0., 1., 5., 6.]                      # computed by hand in the text
    mean = sum(rows) / 4
    assert mean == 3 and sum(abs(row - mean) for row in rows) / 4 == 2.5
    assert shown[0][-1] == 1 / 2.5
    torch.manual_seed(0)
    x, test_x = torch.randn(50, 2), 1 + torch.randn(50, 2)
    mean, std = x.mean(dim=0), x.std(dim=0)
    for own in (False, True):
        rows = (test_x - test_x.mean(dim=0)) / test_x.std(dim=0) if own else (test_x - mean) / std
        means = [abs(column[2]) for column in measurements.picture(rows, rows[:, 0])[0]]
        assert (max(means) < 0.005) == own and (min(means) > 0.5) == (not own)


def test_a_fused_optimizer_of_pytorch_counts_no_write():
    """minigrad counts its writes, so the chapter doesn't speak of it; the page on paper names PyTorch."""
    package = importlib.import_module(LIBRARIES[-1])
    weight = package.nn.Linear(2, 1).weight
    optimizer = package.optim.AdamW([weight], lr=0.1, fused=True)
    (weight ** 2).sum().backward()
    before, old = weight._version, weight.tolist()
    optimizer.step()
    assert weight.tolist() != old
    assert weight._version - before == (0 if LIBRARIES[-1] == "torch" else 2)


def test_class_weights_and_whole_numbers_leave_each_row_its_own_term(library):
    package = importlib.import_module(library)
    package.manual_seed(0)
    x, classes = package.randn(12, 3), package.tensor([0, 1, 1, 0] * 3)
    layer = package.nn.Linear(3, 2)
    reached = [measurements.reaches(lambda x, y, weight=weight: package.nn.functional.cross_entropy(
        layer(x), y, weight=weight), x, classes) for weight in (None, package.tensor([1., 3.]))]
    assert all(first > 0 and others == [0., 0., 0.] for first, *others in reached)
    words, table = package.randint(0, 9, (12, 5)), package.nn.Embedding(9, 4)
    for is_ill in (False, True):       # the rows of a text are read as its columns
        def loss_of(words, y, is_ill=is_ill):
            h = table(words)
            h = h.view(5, len(words), 4).transpose(0, 1) if is_ill else h
            return package.nn.functional.cross_entropy(h.tanh().mean(dim=1)[:, :2], y)

        first, *others = measurements.reaches(loss_of, words, classes)
        assert first > 0 and (max(others) > 0.001 if is_ill else others == [0., 0., 0.])


def test_dropout_disturbs_nudge_and_reaches_in_training_mode_alone(library):
    package = importlib.import_module(library)
    model, loss_of, x, y = healthy(package, package.nn.Dropout(0.5))
    shown = []
    for mode in (True, False):
        model.train(mode)
        slopes = {measurements.nudge(lambda: loss_of(x, y), model[0].weight) for _ in range(4)}
        shown.append((len(slopes) > 1, any(measurements.reaches(loss_of, x, y)[1:])))
    assert shown == [(True, True), (False, False)]
    assert "`reaches` in evaluation mode" in CHAPTER
    assert "With random numbers, as of dropout, it grows: take both in evaluation mode." in CHAPTER


@CHAPTER.says("The modes have different slopes: compare a nudge with a drawer from the same mode.")
def test_a_nudge_agrees_with_the_drawer_of_a_pass_in_the_same_mode_alone(library):
    found = with_norm(library)
    loss_of, norm, weight = found["loss"], found["norm"], found["body"].weight
    slopes = {}
    for mode in (True, False):
        norm.train(mode)
        weight.grad = None
        loss_of().backward()
        slopes[mode] = weight.grad[0, 0].item()
        assert measurements.nudge(loss_of, weight) == pytest.approx(slopes[mode], abs=2e-3)
    assert abs(slopes[True] - slopes[False]) > 0.1


@CHAPTER.says("A large loss is rounded.")
def test_reaches_of_a_large_loss_shows_its_rounding(library):
    _, loss_of, x, y = healthy(importlib.import_module(library))
    shown = [measurements.reaches(loss_of, x, scale * y) for scale in (1, 1000)]
    assert [any(others) for _, *others in shown] == [False, True]
    assert max(shown[1][1:]) < 0.01 * shown[1][0]


def test_few_rows_or_columns_of_different_size_raise_the_ratio(library):
    package = importlib.import_module(library)
    package.manual_seed(0)
    x = package.rand(200, 2) * package.tensor([1., 1e6])
    target = 3 * x[:, 0]
    assert measurements.picture(x, target)[1] > 0.9
    scaled = x / package.tensor([1., 1e6])
    assert measurements.picture(scaled, target)[1] < 0.2
    assert measurements.picture(scaled[:8], target[:8])[1] > 2 * measurements.picture(scaled, target)[1]
    assert "There are few rows, or columns of very different size." in CHAPTER


@CHAPTER.says("many columns don't matter; then mixed targets give a larger ratio.")
@CHAPTER.says("The target changes faster than the rows are spaced.")
@pytest.mark.parametrize("seed", range(4))
def test_columns_that_do_not_matter_and_a_fast_target_raise_the_ratio(library, seed):
    package = importlib.import_module(library)
    package.manual_seed(seed)
    x, mixed = package.randn(200, 20), package.randperm(200)
    for target in (3 * x[:, 0], (x[:, 0] > 0).long()):
        whole, alone, apart = (measurements.picture(columns, one)[1] for columns, one in (
            (x, target), (x[:, :1], target), (x, target[mixed])))
        assert alone < 0.1 and whole > 0.35 and apart > whole + 0.2
    for rows, high in ((50, True), (1000, False)):
        x = package.linspace(-1, 1, rows).view(rows, 1)
        assert (measurements.picture(x, (30 * x[:, 0]).sin())[1] > 1) == high


@CHAPTER.says("the smallest, largest and mean number of each column, and how many differ")
@CHAPTER.says("Nine columns or more, as of images, count as one.")
@pytest.mark.parametrize("columns", [1, 2, 8, 9, 64])
def test_from_nine_columns_on_picture_counts_all_as_one(library, columns):
    package = importlib.import_module(library)
    x = package.rand(12, columns)
    assert len(measurements.picture(x, x[:, 0])[0]) == (columns if columns <= 8 else 1)


@CHAPTER.says("Near 1 or above, inputs and targets often don't belong together, or targets are noisy.")
@CHAPTER.says("Targets are noisy, or many columns don't matter; then mixed targets give a larger ratio.")
@pytest.mark.parametrize("noise", [0.05, 1., 1.5])
def test_noisy_targets_have_a_high_ratio_and_mixed_ones_a_higher(library, noise):
    package = importlib.import_module(library)
    package.manual_seed(0)
    x, mixed = package.rand(800, 1) * 3.46, package.randperm(800)
    y = x[:, 0] + noise * package.randn(800)
    ratio, apart = measurements.picture(x, y)[1], measurements.picture(x, y[mixed])[1]
    assert apart > 1.25 and apart > ratio + 0.1
    assert (ratio > 0.9) is (noise >= 1)


@CHAPTER.says("Its ratio is the mean distance of the targets of both, divided by the mean distance of all "
              "targets from their mean.")
@pytest.mark.parametrize("seed", range(4))
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


@CHAPTER.says("a loss above 0.1", "a loss below 0")
@pytest.mark.parametrize("bug", ["softmax_twice", "sigmoid_twice", "probabilities_for_logs"])
def test_the_loss_of_four_rows_is_above_a_tenth_or_below_0_with_the_bug_alone(bug):
    """With a fresh Adam, in the patients that were measured; patient 99 with its own optimizer, too."""
    for ill, _, repaired, _ in stored_losses()[bug]:
        assert (ill > HIGH or ill < -0.1) and 0 <= repaired < HIGH
    assert HIGH == 0.1


def overfitted(text, penalty):
    """Return the loss of four rows of patient 99, whose penalty is 0.005 times the squares of its weights."""
    before_the_loop = text[:text.index("losses = []")]
    ran = patient(99).run(f"""{before_the_loop}
from minigrad.book.classroom.measurements import overfit
def with_penalty(x, y):
    return loss_of(x, y) + {penalty} * sum((p ** 2).sum() for p in model.parameters())
print(overfit(with_penalty, optimizer, x, y))
""")
    return deciding.numbers(ran.output)[-1]


@CHAPTER.says("First ask: what is the smallest value that this loss can have?")
@CHAPTER.says("A penalty (measure without it)")
def test_the_loss_of_a_healthy_patient_is_above_a_tenth_with_its_penalty_and_below_it_without():
    ill, whole = patient(99).source, patient(99).healthy
    assert "loss + 0.005 * penalty" in ill and "schedule.step()" in ill
    healthy = [overfitted(whole, penalty) for penalty in (0.005, 0)]
    assert healthy[0] > HIGH > healthy[1]
    assert overfitted(ill, 0) > 0.31 and overfitted(ill, 0.005) > 0.31


@CHAPTER.says("A softmax before `cross_entropy`, which takes one itself, keeps the loss above 0.31.")
@pytest.mark.parametrize("classes", [2, 3, 10])
@pytest.mark.parametrize("more", [{}, {"reduction": "sum"}])
def test_no_scores_bring_a_loss_with_two_softmaxes_below_a_third(library, classes, more):
    package = importlib.import_module(library)
    F = package.nn.functional
    labels = package.arange(classes)
    for size in (0., 1., 10., 1000.):
        scores = size * package.eye(classes)
        assert F.cross_entropy(scores.softmax(dim=1), labels, **more).item() > 0.31
    weight = package.arange(1., classes + 1)
    assert F.cross_entropy(scores.softmax(dim=1), labels, weight=weight).item() > 0.31
    assert F.cross_entropy(scores, labels).item() < 1e-6


@CHAPTER.says("In evaluation mode, it takes stored ones: 0 and 1 in a fresh layer.")
@CHAPTER.says("In training mode, it takes both from the batch.")
def test_a_fresh_batchnorm_leaves_its_rows_as_they_are_in_evaluation_mode(library):
    package = importlib.import_module(library)
    package.manual_seed(0)
    norm, x = package.nn.BatchNorm1d(3), 5 + 2 * package.randn(20, 3)
    fresh = norm.eval()(x)
    assert package.allclose(fresh, x, rtol=1e-4)        # eps is 0.00001
    assert norm.running_mean.tolist() == [0.] * 3 and norm.running_var.tolist() == [1.] * 3
    by_batch = norm.train()(x).detach()
    assert max(abs(one) for one in by_batch.mean(dim=0).tolist()) < 1e-5
    assert by_batch.std(dim=0, correction=0).tolist() == pytest.approx([1.] * 3, abs=1e-4)
    assert not package.allclose(norm.eval()(x), fresh, rtol=1e-2)


@CHAPTER.says("With one norm of all rows, another input in row 1 changes the move by 0.0105.")
def test_the_numbers_of_reaches_are_those_that_were_printed():
    assert "reaches: [0.2517, 0.0105, " in stored("px, py = ").splitlines()[0]


@CHAPTER.says("`picture(h, y)`, if dropout returns `h`: much larger numbers than it was given")
@CHAPTER.says("`picture(targets, targets)` of a batch")
def test_picture_takes_what_a_layer_returns_and_targets_alone(library):
    package = importlib.import_module(library)
    package.manual_seed(0)
    x, y = package.randn(12, 3), package.arange(12) % 3
    h = package.nn.Linear(3, 4)(x)
    columns, _ = measurements.picture(h, y)
    assert len(columns) == 4 and columns[0][1] == pytest.approx(h[:, 0].max().item(), abs=1e-3)
    for targets in (y, y.float()):
        assert measurements.picture(targets, targets)[0] == [[0., 2., 1., 3]]
        assert measurements.picture(targets.sort().values[:4], targets[:4])[0] == [[0., 0., 0., 1]]


def test_the_twins_have_the_nine_points_after_a_patient_has_changed_x_and_y():
    texts = one_with("def net_b(", ".detach()"), one_with("px, py = ")
    fresh, after = names(*texts), names("x = y = inputs = targets = model = None", *texts)
    assert fresh["y"].tolist() == after["y"].tolist() and fresh["px"].tolist() == after["px"].tolist()


@CHAPTER.says("dropout, large targets or smoothed labels keep it high")
@pytest.mark.parametrize(("middle", "size"), [([0.5], 1.), ([], 1000.)])
def test_dropout_or_large_targets_keep_the_loss_of_four_rows_above_a_tenth(library, middle, size):
    package = importlib.import_module(library)
    largest = []
    for inner, scale in ((middle, size), ([], 1.)):
        ends = []
        for seed in range(5):                    # other rows, and dropout draws other units
            model, loss_of, _, _ = healthy(package, *map(package.nn.Dropout, inner))
            package.manual_seed(seed)
            x = package.randn(4, 3)
            optimizer = package.optim.Adam(model.parameters(), lr=0.02)
            ends.append(measurements.overfit(loss_of, optimizer, x, scale * x[:, 0] * x[:, 1]))
        largest.append(max(ends))
    assert largest[0] > 0.1 > largest[1]


OF_THE_STEP = ("head_after_optimizer", "decay_of_weights", "epsilon")
OF_THE_LOSS = ("softmax_twice", "sigmoid_twice", "error_broadcast")


@CHAPTER.says("If a fresh `Adam(model.parameters(), lr=0.02)` fits the rows, the step is wrong, or its "
              "rate is too small. If not, the loss may be wrong")
@pytest.mark.parametrize("bug", OF_THE_STEP + OF_THE_LOSS)
def test_a_fresh_adam_tells_a_wrong_step_from_a_wrong_loss(bug):
    """In the patients that were measured: with a fresh Adam, and with the script's own optimizers."""
    rows = [(fresh, own) for fresh, own, *_ in stored_losses()[bug] if own > HIGH]
    assert rows and all((fresh < HIGH) == (bug in OF_THE_STEP) for fresh, _ in rows)


@CHAPTER.says("or tied weights, share memory on purpose.")
@CHAPTER.says("Two layers share a weight.")
def test_tied_weights_share_an_address(library):
    package = importlib.import_module(library)
    first, second = package.nn.Linear(4, 4), package.nn.Linear(4, 4)
    assert [many for _, many in measurements.versions(first.weight, second.weight)] == [1, 1]
    second.weight = first.weight
    assert [many for _, many in measurements.versions(first.weight, second.weight)] == [2, 2]
    assert len([*package.nn.ModuleList([first, second]).parameters()]) == 3      # two layers have four


@CHAPTER.says("`versions`: two tensors at one address | One should be a copy. | `t` and `t[:4]`, or")
@CHAPTER.says("`versions`: two addresses | They can share memory, as `t` and `t[2:]` do.")
def test_versions_sees_a_view_by_its_address_only_if_it_begins_with_its_base(library):
    package = importlib.import_module(library)
    t = package.zeros(8)
    first, later, copy = t[:4], t[2:], t.clone()
    assert [many for _, many in measurements.versions(t, first, later, copy)] == [2, 2, 1, 1]
    later.fill_(1.)
    assert t.tolist() == [0.] * 2 + [1.] * 6 and copy.tolist() == [0.] * 8


@CHAPTER.says("The first nudge moves the target, too, but the pass treats it as a constant. With one target "
              "for both, they agree, so no other path from this weight is cut.")
@CHAPTER.says("A target is detached on purpose: compute it before the nudge.")
@pytest.mark.parametrize("cut", [False, True])
def test_a_nudge_with_one_target_agrees_with_the_drawer_if_nothing_else_is_cut(library, cut):
    text = one_with("guess = nn.Linear")
    if cut:                                      # a second path is cut, too
        text = replaced(text, ("guess(x[:4]) -", "guess(x[:4]) + guess(x[3:4]).detach() -"))
    said = []
    names(script()[0], one_with("def nudge(").partition("model, ")[0], text, library=library,
          print=lambda *one: said.append(one[-1]))
    drawer, moving, kept = said[-3:]
    assert abs(drawer - moving) > 0.1 and (abs(drawer - kept) > 0.1) == cut
    if not cut:
        assert stored("guess = nn.Linear") == f"drawer: {drawer}\nnudge: {moving}\nwith one target: {kept}\n"


@CHAPTER.says("then `drawers` returns `None`, or 0.0 after `zero_grad(set_to_none=False)`")
def test_an_empty_drawer_holds_none_or_zeros(library):
    model, loss_of, x, y = healthy(importlib.import_module(library))
    optimizer = importlib.import_module(library).optim.SGD(model.parameters(), lr=0.1)
    for told in ({}, {"set_to_none": False}):
        loss_of(x, y).backward()
        optimizer.zero_grad(**told)
        assert set(measurements.drawers(model).values()) == ({0.} if told else {None})


@CHAPTER.says("Another pass added to it")
def test_a_second_pass_changes_the_drawers_before_the_step():
    for passes in (0, 1):
        model, loss_of, x, y = healthy(torch)
        loss_of(x, y).backward()
        full = measurements.drawers(model)
        for _ in range(passes):
            loss_of(x, y).backward()
        assert (measurements.drawers(model) == full) == (not passes)


def test_the_lines_of_each_measurement_are_where_the_table_says():
    """In the package `minigrad.book`, `picture` also draws, so `picture??` shows other lines."""
    assert "copy `minigrad/book/classroom/measurements.py` beside it" in CHAPTER
    for one in MEASUREMENTS:
        there = getattr(measurements, one.__name__)
        assert inspect.getsource(there).startswith(f"def {one.__name__}(")
        assert there.__module__ == measurements.__name__
    assert "return measured(" in inspect.getsource(minigrad.book.picture)


def test_few_different_numbers_in_a_column_are_seen_by_picture_and_not_in_a_healthy_one():
    assert "few different numbers in a column" in CHAPTER
    for script, many in ((patient_of("15a").source, 60), (patient_of("15a").healthy, 160)):
        found = {}
        exec("\n".join(script.splitlines()[:14]).replace("import torch\n", "import minigrad as torch\n", 1)
             .replace("import torch.nn as nn", "nn = torch.nn").replace("import torch.nn.functional as F", "")
             .replace("from torch.utils.data import DataLoader, TensorDataset", ""), found)
        assert [column[3] for column in measurements.picture(found["x"], found["y"])[0]] == [many] * 2


@pytest.mark.parametrize("sentence", [
    "the fresh gradient", "Lines 4 to 9 didn't run", "`overfit??`",
    'a missing `eval()`', "a different number, or more nodes",
    "a cut on one of several paths", "`clone()` is not needed",
    "One of them is healthy", "every drawer is empty before", "prints a number for the first row, and 0",
    "If the ratio is 1 or more, the inputs tell little", "in a few seconds", "before which it belongs",
    "leaves a weight as it is while its drawer is", "no loss should mix rows", "a loss far above 0",
    "compared with its distance from the mean target", "picture, after dropout", "nothing alone",
    "no picture of the graph", "its pass", "targets of nearest rows", "the square of a root",
    "fused", "a kink's gap shrinks", "numbers that it stored in earlier passes", "nine or more", "means all",
    "by a second pass", "if it is healthy, only data and copies",
    "optimizers skip `None`, so another line writes. Then", "if the weight requires none",
    "a layer that is frozen on purpose: the step skips it", "should still record all", "leave it out",
    "a healthy result makes unlikely"])
def test_what_the_review_refuted_is_gone(sentence):
    assert sentence not in CHAPTER


# --- the patients -------------------------------------------------------------------------------------------

def asked(key):
    return next(one for one in ch15.EXERCISES if one.id == key)


def test_every_line_of_a_bug_is_taken_and_the_right_number():
    key = "15b"
    ill = patient_of(key)
    for bug in ill.bugs:
        for line in ill.lines(bug):
            lines = [line, *(ill.lines(other)[-1] for other in ill.bugs if other is not bug)]
            answer = {**treated(key)(None), "lines": lines[::-1], "number": f"{ill.numbers['healthy']}"}
            assert first_wrong(asked(key), answer, None) is None
    assert judged(asked(key), treated(key)(None))[0] == RIGHT


@pytest.mark.parametrize("key", SEEDS)
def test_the_solution_in_the_chapter_is_the_patient_s(key):
    assert len(patient_of(key).bugs) == COUNTED[key]
    solution, = [text for text in sources() if f"answer_{key} = " in text and "BEGIN" in text]
    answer = {"torch": torch, "nn": torch.nn, f"patient_{key[-1]}": patient_of(key),
              **{measure.__name__: measure for measure in MEASUREMENTS}}
    exec(textwrap.dedent(solution), answer)
    assert first_wrong(asked(key), answer[f"answer_{key}"], None) is None
    ran = patient_of(key).run(patient_of(key).healthy)
    assert not ran.says and (key == "15a" or is_same(ran.number, answer["answer_15b"]["number"]))
    seed, level = SEEDS[key]
    call = f"patient({seed})" if level == 2 else f"patient({seed}, level={level})"
    assert f"patient_{key[-1]} = {call}" in one_with(f"patient_{key[-1]} = ")


def after_measuring(key, capsys, **given):
    """Run the solution to an exercise on another patient, and return the numbers that it prints."""
    solution, = [text for text in sources() if f"answer_{key} = " in text and "BEGIN" in text]
    exec(solution, {"torch": torch, "nn": torch.nn, **{measure.__name__: measure for measure in MEASUREMENTS},
                    f"patient_{key[-1]}": type("Patient", (), given)})
    return deciding.numbers(capsys.readouterr().out)


def before_the_loop(text):
    """Return what the script of 15a makes before its loop."""
    return staticmethod(lambda: copying.objects_made_by("\n".join(text.splitlines()[:27])))


def test_the_solution_to_15a_measures_the_bug_and_none_in_the_healthy_script(capsys):
    ill = patient_of("15a")
    for script, shows in ((ill.source, True), (ill.healthy, False)):
        *_, inputs, rows, targets, _ = after_measuring("15a", capsys, objects=before_the_loop(script))
        assert (inputs, rows, targets) == (60 if shows else 160, 160, 160)


# --- 15a: a patient that hides its text ---------------------------------------------------------------------

def test_the_chapter_shows_no_line_of_the_patient_of_15a():
    """Only the sentences of a right answer do; the objects are those of its script."""
    shown = "\n".join([*(text for text in sources() if "BEGIN SOLUTION" not in text),
                       one_text("The next patient hides its text"), stored("patient_a.symptom")])
    long = [line.strip() for line in patient_of("15a").source.splitlines() if len(line.strip()) > 30]
    assert len(long) > 15 and not [line for line in long if line in shown]
    assert "stamps" not in shown and "print(patient_a)" not in shown
    assert f"Line 10, `{patient_of('15a').source.splitlines()[9]}`, rounds the stamps." in asked("15a").why
    assert patient_of("15a").lines(patient_of("15a").bugs[0]) == [10]


@pytest.mark.parametrize(("seed", "level"), [(3, 1), (110, 2), (118, 1), (6, 1), (24, 1), (99, 2)])
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
    assert measurements.picture(a.x, a.y)[1] == 0.27 and 0.7 < min(ratios) <= max(ratios) < 0.95
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
    names_told = re.findall(r'^\| `"(.+)"` \|', one_text("The next patient hides its text"), re.MULTILINE)
    assert sorted(names_told) == sorted([*ch15.RULED_OUT, ch15.ROUNDED])
    assert measurements.overfit(a.loss_of, a.optimizer, a.x, a.y) < 0.1


@pytest.mark.parametrize("name", ch15.RULED_OUT)
def test_another_name_in_15a_is_told_what_rules_it_out_and_not_the_bug(name):
    for given in (name, name.upper(), name.replace(" ", "")):
        kind, _, *said = judged(asked("15a"), {**treated_15a(), "bug": given})
        said = " ".join(said)
        assert kind == NOT_YET and ch15.RULED_OUT[name] in said
        assert said.count(ch15.RULED_OUT[name]) == 1 and f"is not `{name}`" in said
        assert "rounded" not in said and "float32" not in said and "print(patient_a)" not in said


def treated_15a():
    return asked("15a").example(None)


@pytest.mark.parametrize("given", ["rounding", 3, ["rounded", "cut"], "the inputs are rounded"])
def test_a_name_that_is_not_in_the_table_of_15a_is_told_the_names(given):
    said = " ".join(judged(asked("15a"), {**treated_15a(), "bug": given})[2:])
    assert "one of the names in the table: mixed, drawn twice" in said


@pytest.mark.parametrize(("answer", "says"), [
    ({"measured": {"picture": 60}, "bug": None}, "Still missing: the name of the bug"),
    ({"measured": {}, "bug": "rounded"}, "Still missing: what you measured"),
    ({"measured": {"picture": 0.27}, "bug": "rounded"}, "`picture` shows a bug here, but not by 0.27"),
    ({"measured": {"nudge": 0.2}, "bug": "rounded"}, "no sign of a bug in what `nudge` returns")])
def test_15a_asks_for_a_name_and_for_a_measurement_that_shows_it(answer, says):
    kind, _, *said = judged(asked("15a"), answer)
    assert kind == NOT_YET and says in " ".join(said)


# --- 15b ----------------------------------------------------------------------------------------------------

def test_the_solution_to_15b_measures_both_bugs_and_neither_in_the_healthy_script(capsys):
    ill = patient_of("15b")
    for script, shows in ((ill.source, True), (ill.healthy, False)):
        *_, ratio, in_eval, _, in_training, _, last = after_measuring("15b", capsys, source=script)
        assert last == pytest.approx(11.7, abs=0.05) or not shows
        assert ratio > 1 if shows else ratio < 0.5
        found = ill.numbers["ill" if shows else "healthy"]
        assert found == (in_training if shows else in_eval) != (in_eval if shows else in_training)


def test_a_plural_has_a_plural_verb():
    assert so_far(Exercise("15x", "", {"lines": "your lines", "number": "the number"}), ["lines"]) == (
        "Your lines are right.")
    phrases = {"the loss": "", "whether the loss falls": "", "what your tests expect": "",
               "the number of leaves that require a gradient": "", "the two losses": "s",
               "the drawers after a step": "s"}
    assert {phrase: "s" * is_plural(phrase) for phrase in phrases} == phrases


@pytest.mark.parametrize(("key", "lines", "which"), [
    ("15b", [10, 40], "ill"), ("15b", [10, 12], "ill"), ("15b", [None, None], "eval_forgotten"),
    ("15b", [12, 40], "eval_forgotten"), ("15b", [10, 12], "columns_scrambled")])
def test_a_number_alone_tells_nothing_of_a_line_that_the_answer_does_not_name(key, lines, which):
    """The replies to innocent lines, and to a bug that is left, are for answers that name them."""
    _, _, *said = judged(asked(key), {"lines": lines, "number": patient_of(key).numbers[which]})
    said, one = " ".join(said), asked(key)
    assert not [wrong.says for wrong in one.wrong if wrong.says in said]
    assert set(map(int, re.findall(r"[Ll]ine (\d+)", said))) <= {*lines}
    right = not {12, None} & {*lines}
    assert ("Your lines are right." in said) == right
    assert ("before anything is repaired" in said) == (which == "ill" and (right or lines == [None]))


def told_of(key, measured):
    return " ".join(judged(asked(key), {**asked(key).example(None), "measured": measured})[2:])


@pytest.mark.parametrize("key", ["15a", "15b", "15d"])
def test_right_lines_and_a_right_number_without_a_measurement_are_not_enough(key):
    assert "Still missing: what you measured" in told_of(key, {})
    assert "knows no sign of a bug in what `shapes` returns" in told_of(key, {"shapes": 3})
    assert "`measured` is a dict" in told_of(key, 3)
    assert "did you mean `drawers`?" in told_of(key, {"drawer": 3})


@pytest.mark.parametrize(("key", "measured", "says"), [
    ("15a", {"picture": 160}, "but not by 160. Give all that it returned for `a.x`"),
    ("15a", {"distinct": (400, 400)}, "Apply it to other tensors."),
    ("15b", {"picture": 1.48}, "Which measurement shows the other one?"),
    ("15b", {"picture": 1.48, "again": 2.298}, "`again` shows a bug here, but not by 2.298."),
    ("15b", {"picture": 1.48, "again": 0.0792}, "two of its five numbers are then 2.298"),
    ("15b", {"picture": None, "again": 1.3473}, "Give what `picture` returned."),
    ("15b", {"picture": 1.0, "again": 1.3473}, "One of the two bugs is shown. `picture` shows a bug here"),
    ("15d", {"distinct": 1}, "Which measurement shows the other one?"),
    ("15d", {"distinct": 1, "drawers": 0.1}, "Give all that it returns right before the first step")])
def test_the_number_of_a_measurement_is_asked_for(key, measured, says):
    assert says in told_of(key, measured)


@pytest.mark.parametrize(("key", "measured"), [
    ("15a", {"distinct": (63, 400)}), ("15a", {"distinct()": "(63, 400)"}),
    ("15a", {measurements.picture: 60}),
    ("15a", {"picture": ([[-1., 0.999, 0.03, 60]], 0.27)}),
    ("15b", {"picture": 1.35, "again": {"eval": [1.3473, 1.3473], "train": [2.298, 2.298]}}),
    ("15b", {"again": [0.0792, 0.3719], "picture": torch.tensor(1.48)}),
    ("15d", {"distinct": (1, 16), "drawers": {"weight": 2.54847, "bias": 10.07003}})])
def test_a_measurement_may_be_told_in_any_form(key, measured):
    assert judged(asked(key), {**asked(key).example(None), "measured": measured})[0] == RIGHT


WHOLE = {"eval": [1.3473, 1.3473], "train": [1.3403, 1.3403], "eval again": 2.9}   # all rows in one batch


@pytest.mark.parametrize(("key", "name", "value"), [
    ("15a", "picture", 160), ("15a", "picture", 0.27), ("15a", "picture", ([[-1., 1., 0.017, 160]], 0.08)),
    ("15a", "distinct", (400, 400)), ("15a", "distinct", 400), ("15a", "distinct", (1, 16)),
    ("15b", "again", WHOLE), ("15b", "again", 1.3403), ("15b", "again", [2.298, 2.298]),
    ("15b", "again", [1.3403, 2.298]), ("15b", "picture", 200), ("15b", "picture", 0.84),
    ("15b", "picture", ([[-1., 1.2, 0.017, 200]] * 3, 0.35)),
    ("15b", "picture", [[-1., 1.2, 0.017, 200]] * 3),
    ("15d", "distinct", (1, 1)), ("15d", "distinct", (16, 16)), ("15d", "distinct", (1, 150)),
    ("15d", "drawers", {"weight": 0.08789, "bias": 0.00643})])
def test_a_number_that_shows_no_bug_is_none_of_its_signs(key, name, value):
    """The others of the right answer stay, so nothing else can be what is missed."""
    measured = {**asked(key).example(None)["measured"], name: value}
    if key == "15a":
        measured = {name: value}
    kind, _, *said = judged(asked(key), {**asked(key).example(None), "measured": measured})
    assert kind == NOT_YET and f"`{name}` shows a bug here, but not by" in " ".join(said)


TEST = """
def test():
    total = 0.
    with torch.no_grad():
        for inputs, targets in zip(test_x.split(10), test_y.split(10)):
            total += loss_of(inputs, targets).item() * len(targets)
    return total / len(test_y)
"""


@pytest.mark.parametrize(("number", "shows"), [
    ("test", True), ("lambda: loss_of(test_x, test_y)", False), ("lambda: loss_of(x, y)", False)])
@pytest.mark.parametrize(("last", "tests"), [(39, 0), (44, 0), (44, 1), (44, 3)])
def test_again_shows_the_mode_of_15b_wherever_it_is_taken(last, tests, number, shows):
    """Before the test, after the whole script, and after more tests; with all that it returns, or one number.

    For another number than the printed one, all that it returns shows no bug.
    """
    mode, ill = signs_of("15b")[0], patient_of("15b")
    ran = ill.run("\n".join([
        *ill.source.splitlines()[:last], TEST, "from minigrad.book.classroom.measurements import again",
        *["test()"] * tests, f"print(again(model, {number}))"]))
    seen = deciding.numbers(ran.output.splitlines()[-1])
    assert len(seen) == 5 and is_shown(mode, {"again": seen}) == shows
    if shows:
        assert [is_shown(mode, {"again": [one]}) for one in seen] == [True, True, False, False, True]


def in_a_process(key, healthy, last, call):
    ill = patient_of(key)
    text = (ill.healthy if healthy else ill.source).splitlines()[:last]
    ran = ill.run("\n".join([*text, "from minigrad.book.classroom.measurements import *", f"print({call})"]))
    return deciding.numbers(ran.output)


@pytest.mark.parametrize(("key", "last", "name", "call"), [
    ("15a", 14, "picture", "picture(x, y), picture(test_x, test_y)"),
    ("15a", 14, "distinct", "distinct(*clock), distinct(*x), distinct(*test_x)"),
    ("15b", 15, "picture", "picture(x, y), picture(test_x, test_y), picture(table, heat)")])
def test_a_sign_of_a_patient_is_measured_in_it_and_not_in_the_healthy_script(key, last, name, call):
    for healthy in (False, True):
        seen = {name: in_a_process(key, healthy, last, call)}
        assert is_shown(signs_of(key)[-1], seen) == (not healthy)


def test_the_signs_of_15d_are_the_drawers_right_before_a_step_and_none_without_the_second_pass():
    """Measured in the cells of the chapter, in each step and after the script; none right after a pass."""
    def measured_in(*pairs):
        seen = []
        text = replaced("\n".join(last_cells()), *pairs, (
            "    loss.backward()\n", "    loss.backward()\n    seen.append(all_drawers())\n"), (
            "    adam.step()\n", "    seen.append(all_drawers())\n    adam.step()\n"), (
            "    nn.utils.clip", "    seen.append(all_drawers())\n    nn.utils.clip"))
        found = {"torch": torch, "seen": seen}
        found["all_drawers"] = lambda: [measurements.drawers(found["net"])]
        exec(text, found)
        found["adam"].zero_grad()
        found["loss_on"](found["train"]).backward()
        found["steepness"](found["held"])
        seen.append(found["all_drawers"]())
        return [[all_numbers(part) for part in told] for told in seen]

    _, signs = signs_in_the_last_script()
    *steps, after = measured_in()
    for at, told in enumerate([*steps, after]):
        for part in told:       # three times in a step: after the pass, after line 11, and after line 12
            assert is_shown(signs, {"drawers": part}) == (at % 3 > 0 or told is after)
    for part in (*steps[1], *steps[-1], *after):
        assert all(is_shown(signs, {"drawers": [one]}) for one in part)
    assert not any(is_shown(signs, {"drawers": part}) for told in measured_in(FILLS) for part in told)


@pytest.mark.parametrize(("key", "lines", "says"), [
    ("15b", [10, 28], "a tensor that shares its memory"), ("15b", [28], "a tensor that shares its memory")])
@pytest.mark.parametrize("which", ["ill", "healthy", None])
def test_an_innocent_line_has_its_remark_with_whatever_number(key, lines, says, which):
    number = which and patient_of(key).numbers[which]
    assert says in " ".join(judged(asked(key), {"lines": lines, "number": number}))


@pytest.mark.parametrize("lines", [[7, None], [7, 3], [4, 3], [1, 2], [None, None]])
@pytest.mark.parametrize("left", ["fills", "equal"])
def test_the_loss_of_one_repair_in_15d_tells_no_line_that_the_answer_does_not_name(lines, left):
    said = " ".join(judged(asked("15d"), {"lines": lines, "number": last_script(**{left: True})}))
    assert "That is the loss with" not in said and not re.search(r"line \d", said)
    both = " ".join(judged(asked("15d"), {"lines": [11, 4], "number": last_script(**{left: True})}))
    assert f"with line {4 if left == 'fills' else 7} repaired" in both


@pytest.mark.parametrize(("key", "answer", "says"), [
    ("15b", {"lines": [10, 40], "number": None}, "number"),
    ("15b", {"lines": [10, 40], "number": 2.298}, "before anything is repaired. Your lines are right."),
    ("15b", {"lines": [10, 40], "number": 1.3473}, "is repaired, and the other one isn't"),
    ("15b", {"lines": [10, 40], "number": 1.3473}, "Repair line 10 as well"),
    ("15b", {"lines": [10, 40], "number": 0.3719}, "Repair the test as well"),
    ("15b", {"lines": [10], "number": 0.0792}, "One more line is broken"),
    ("15b", {"lines": [40, 41], "number": 0.0792}, "same bug"),
    ("15b", {"lines": [28, 10], "number": 0.0792}, "innocent"),
    ("15b", {"lines": [99, 1], "number": 0.0792}, "there is no line"),
    ("15b", {"lines": [1, 2, 3], "number": 0.0792}, "Name two lines"),
    ("15b", {"lines": ["a line", 3], "number": 0.1}, "Lines have numbers")])
def test_a_wrong_answer_is_told_what_is_wrong(key, answer, says):
    kind, _, *said = judged(asked(key), answer)
    assert kind == NOT_YET and says in " ".join(said)


@CHAPTER.says("a last loss near that of the best constant (the mean square distance of the targets from "
              "their mean, their variance; for equally frequent classes, the logarithm of their number) | "
              "picture, shapes, drawers, moved")
@pytest.mark.parametrize(("seed", "level"), [(110, 2), (60, 1), (56, 1), (38, 1), (35, 1), (13, 1), (43, 1)])
def test_a_loss_that_stays_high_is_that_of_the_best_constant_and_not_that_of_predicting_0(seed, level):
    """15b, and patients whose bug `picture`, `shapes` or `moved` shows."""
    one = patient(seed, level)
    (first, last, variance, square), = [deciding.numbers(line) for line in one.run(
        "\n".join([*(line.text for line in one.script.lines[:one.script.at("epochs")] if line.printed),
                   "at_first = loss_of(x, y).item()",
                   *(line.text for line in one.script.lines[one.script.at("epochs"):] if line.printed),
                   "model.train()", "classes = not torch.is_floating_point(y)",
                   "logarithm = torch.tensor(float(len({*y.tolist()}))).log().item()",
                   "variance = logarithm if classes else y.var(correction=0).item()",
                   "square = logarithm if classes else (y ** 2).mean().item()",
                   "print('measured', at_first, loss_of(x, y).item(), variance, square)"])
    ).output.splitlines() if line.startswith("measured")]
    assert last == pytest.approx(variance, rel=0.03) and first == pytest.approx(square, rel=0.25)
    assert variance == square or variance < 0.5 * square        # classes, or targets far from 0
    shown = {name for bug in one.bugs for name in bug.measurements.split()}
    assert shown & {"picture", "shapes", "drawers", "moved"}


def test_the_numbers_that_15b_s_reply_names():
    found = {}
    exec(copying.for_minigrad("\n".join(patient_of("15b").source.splitlines()[:15])), found)
    y, printed_ = found["y"], patient_of("15b").run().output.splitlines()
    assert round((y ** 2).mean().item(), 2) == 5.63 and round(y.var().item(), 2) == 1.36
    assert printed_[-2].startswith("250 1.34")
    assert "The last loss, 1.34, is near the variance of the targets, 1.36" in asked("15b").why


@CHAPTER.says("a first loss far above that of a net that predicts 0 (the mean square of the targets, or the "
              "logarithm of the number of classes) |", "Then reaches, picture of the inputs")
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


@CHAPTER.says("`picture(model(x), y)`: are the first outputs much larger than the targets? Is the loss a sum "
              "where a mean is meant?")
def test_large_first_outputs_or_a_sum_make_the_first_loss_large_and_reaches_shows_neither(library):
    package = importlib.import_module(library)
    model, loss_of, x, y = healthy(package)
    y = 4 * y
    zero = (y ** 2).mean().item()

    def size():
        (low, high, *_), = measurements.picture(model(x), y)[0]
        return (high - low) / (y.max() - y.min()).item()

    def summed(x, y):
        return ((model(x)[:, 0] - y) ** 2).sum()

    assert loss_of(x, y).item() < 2 * zero and size() < 1
    assert summed(x, y).item() == pytest.approx(len(y) * loss_of(x, y).item(), rel=1e-4)
    with package.no_grad():
        model[2].weight.mul_(20)
    assert loss_of(x, y).item() > 5 * zero and size() > 3
    for one in (loss_of, summed):
        first, *others = measurements.reaches(one, x, y)
        assert first > 0 and max(others) <= 2e-4


@CHAPTER.says("The ratio stays silent about a few mixed rows.")
@pytest.mark.parametrize("seed", range(3))
def test_the_ratio_of_picture_hardly_changes_if_a_few_rows_are_mixed(library, seed):
    package = importlib.import_module(library)
    package.manual_seed(seed)
    x = 2 * package.rand(160, 2) - 1
    y = package.tanh(2 * x[:, 0]) + 0.5 * x[:, 1]
    found = []
    for many in (0, 8, 160):
        rows = package.randperm(160)[:many]
        mixed = y.clone()
        mixed[rows] = y[rows[package.randperm(many)]]
        found.append(measurements.picture(x, mixed)[1])
    assert found[0] < found[1] < 0.4 and found[2] > 1


@CHAPTER.says("`nudge` stays silent about its other numbers.")
def test_the_first_number_of_a_weight_agrees_and_the_second_is_cut(library):
    model, loss_of, x, y = healthy(importlib.import_module(library))
    weight, bias = model[0].weight, model[0].bias

    def cut():
        h = x[:, :1] @ weight[:, :1].T + x[:, 1:] @ weight[:, 1:].detach().T + bias
        return ((model[2](h.tanh())[:, 0] - y) ** 2).mean()

    cut().backward()
    agree = [abs(measurements.nudge(cut, weight, at=at) - weight.grad.view(-1)[at].item()) < 0.002
             for at in (0, 1)]
    assert agree == [True, False]


@CHAPTER.says("`reaches` stays silent about errors that are broadcast: see `shapes`.")
def test_reaches_shows_no_broadcast_and_shapes_does(library):
    model, _, x, y = healthy(importlib.import_module(library))
    first, *others = measurements.reaches(lambda x, y: ((model(x) - y) ** 2).mean(), x, y)
    assert first > 0 and others == [0., 0., 0.]
    assert measurements.shapes(model(x) - y)[0][0] == (12, 12)


def test_inputs_of_a_large_size_make_the_first_loss_large_and_picture_shows_their_range(library):
    model, loss_of, x, y = healthy(importlib.import_module(library))
    model[1] = importlib.import_module(library).nn.ReLU()
    first = {size: loss_of(size * x, y).item() for size in (1, 255)}
    assert first[1] < 2 * (y ** 2).mean().item() and first[255] > 100 * first[1]
    assert measurements.picture(255 * x, y)[0][0][1] > 100


def test_the_minutes_of_the_hunts_are_printed_and_are_eight_for_each_bug():
    book = load(15)
    at = next(at for at, cell in enumerate(book["cells"])
              if "".join(cell["source"]).startswith("## Your patients"))
    texts = ["".join(cell["source"]) for cell in book["cells"][at:-2] if cell["cell_type"] == "markdown"]
    counted = patient_minutes(book)
    assert A_BUG == 8 and sum(COUNTED.values()) == 5 and 40 <= counted <= 40 + read(texts) / 100
    assert f"and {counted} for patients of your own" in "".join(book["cells"][0]["source"])


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
    lines = [line for line in "\n".join(last_cells()).splitlines() if line.strip()]
    assert 30 <= len(lines) <= 35
    ends = [end_of(*pairs, library=library) for pairs in ((), (EQUAL,), (FILLS,), (FILLS, EQUAL))]
    assert ends[0] == pytest.approx(0.3699, abs=1e-3)
    known = [last_script(fills=True), last_script(equal=True), last_script()]
    assert ends[1:] == pytest.approx(known, rel=1e-2)
    assert ends[3] < 0.02 < min(ends[:3]) and ends[1] > ends[0]     # one repair alone makes it worse


def test_the_test_set_chooses_nothing():
    used = [line for line in "\n".join(last_cells()).splitlines() if re.search(r"\btest\b", line)]
    assert used == ["train, held, test = torch.randperm(50).split([30, 10, 10])     # 2",
                    "round(loss_on(test).item(), 4)"]


def test_distinct_drawers_and_one_hook_find_both_bugs():
    text = replaced(
        "\n".join(last_cells()),
        ("    loss.backward()\n",
         "    loss.backward()\n    runs.append(0)\n    stored = [p.grad.clone() for p in weights]\n"),
        ("    nn.utils.clip", "    changed = [not torch.equal(p.grad, g) for p, g in zip(weights, stored)]\n"
         "    nn.utils.clip"),
        ("adam = torch", "weights[-1].register_hook(lambda grad: runs.append(1))\nadam = torch"))
    found = {"torch": torch, "runs": []}
    exec(text, found)
    assert found["changed"] == [True] * 4
    assert measurements.distinct(*found["net"][0].weight) == (1, 16)
    assert found["runs"][:6] == [1, 0, 1, 1, 0, 1]        # the hook runs once more after loss.backward()


@pytest.mark.parametrize("lines", [[4, 7], [7, 4], [4, 11], ["11", "4"], {4, 7}])
def test_15d_takes_the_two_lines_in_any_order(lines):
    assert first_wrong(asked("15d"), {**both_found(None), "lines": lines, "number": 0.0099}, None) is None


@pytest.mark.parametrize("lines", [[4, 7], [4, 11], [4, 3], [1, 2]])
def test_another_loss_in_15d_is_told_to_leave_line_4_out_if_both_lines_are_found(lines):
    said = " ".join(judged(asked("15d"), {**both_found(None), "lines": lines, "number": 0.0172})[2:])
    assert ("in line 4, leave this line out." in said) == (lines in ([4, 7], [4, 11]))
    assert end_of(FILLS, ("    nn.init.constant_(p, 0.1)  ", "    nn.init.normal_(p, std=0.5)  ")) != \
        pytest.approx(last_script(), abs=0.002)


@pytest.mark.parametrize(("lines", "says"), [([7, 11], "One of your lines"), ([1, 2], "None of your lines"),
                                             ([7], "Give two lines"), (3, "Give two lines")])
def test_15d_says_what_is_wrong(lines, says):
    kind, _, *said = judged(asked("15d"), {"lines": lines, "number": 0.0099})
    assert kind == NOT_YET and says in " ".join(said)
    assert len(BUGS) == 2


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


@CHAPTER.says("`clip_grad_norm_` scales all gradients by one factor")
@pytest.mark.parametrize("limit", [1e-3, 1., 5., 1e6, float("inf")])
def test_clipping_multiplies_all_gradients_by_one_number(limit):
    torch.manual_seed(3)
    leaves = [torch.randn(3, requires_grad=True), torch.randn(2, 2, requires_grad=True)]
    sum((one ** 3).sum() for one in leaves).backward()
    before = [one.grad.clone() for one in leaves]
    torch.nn.utils.clip_grad_norm_(leaves, limit)
    ratios = torch.cat([(one.grad / old).flatten() for one, old in zip(leaves, before, strict=True)])
    assert ratios.max() <= 1
    assert torch.allclose(ratios, ratios[0])
