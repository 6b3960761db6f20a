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
from minigrad.book import measurements
from minigrad.book.chapters import ch15
from minigrad.book.chapters.ch15 import BUGS, SEEDS, last_script, patient_of, treated
from minigrad.book.counting import A_BUG, patient_minutes, words
from minigrad.book.counting import BUGS as COUNTED
from minigrad.book.exercises import judged
from minigrad.book.judging import first_wrong
from minigrad.book.measurements import NINE, code_of
from minigrad.book.patients.numbers_compared import is_same
from minigrad.book.verdict import NOT_YET, RIGHT
from tests.helpers.sentences import Chapter, plain
from tests.helpers.stored_chapters import load

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


def stored(*words_in_it):
    """Return what the only cell with these words printed."""
    found, = [cell for cell in cells() if all(word in "".join(cell["source"]) for word in words_in_it)
              and "BEGIN SOLUTION" not in "".join(cell["source"])]
    return "".join("".join(output.get("text", "")) for output in found["outputs"])


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


@pytest.mark.parametrize("measurement", [one for one in NINE if one is not measurements.picture],
                         ids=lambda one: one.__name__)
def test_a_measurement_of_the_chapter_is_that_of_the_page(measurement):
    name = measurement.__name__
    page, mine = (function(text, name) for text in (code_of(measurement), one_with(f"def {name}(")))
    assert page == mine


# --- the first patient --------------------------------------------------------------------------------------

def script():
    return (one_with("= points()"), one_with("class Net("), one_with("def start("), one_with("def run("))


@pytest.fixture(params=LIBRARIES)
def library(request):
    return request.param


def run_with(library, *pairs):
    """Run the first script with some of its lines replaced, and return what it prints."""
    texts = list(script())
    for old, new in pairs:
        at, = [at for at, text in enumerate(texts) if old in text]
        texts[at] = replaced(texts[at], (old, new))
    texts[3] = replaced(texts[3], ("\nrun()", "\nended = run()"))
    return names(*texts, library=library)["ended"]


RECORDED = ("        with torch.no_grad():                    # 1: saves memory\n            h =",
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


def measured(*repairs):
    """Return what the chapter's measurements show in the first script, with some repairs."""
    texts = list(script())
    for old, new in repairs:
        at, = [at for at, text in enumerate(texts) if old in text]
        texts[at] = replaced(texts[at], (old, new))
    found = names(*texts[:3], "model, optimizer, average = start()")
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
    assert ill["reaches"] is None
    assert healthy["reaches"][0] > 0 and healthy["reaches"][1:] == [0., 0., 0.]


def test_why_names_the_line_and_says_nothing_false():
    said = stored("why(model.body.weight)")
    assert "under no_grad" in said and "`h = torch.tanh(model.body(x))`" in said


# --- the twins ----------------------------------------------------------------------------------------------

def test_pair_1_differs_in_the_nudge_and_ends_worse(library):
    found = names(one_with("= points()"), one_with("def net_b(", "def net_a("), library=library)
    torch_, x, column = found["torch"], found["x"], found["column"]
    ends = {}
    for name, whole in (("net_a", False), ("net_b", False), ("net_b", True)):
        text = one_with("def net_b(", "def net_a(")
        net = names(one_with("= points()"), text.replace(".item()", "") if whole else text, library=library)

        def loss_of(net=net, name=name):
            return ((net[name](x) - column) ** 2).mean()

        loss_of().backward()
        drawer, nudged = net["body"].bias.grad[0].item(), measurements.nudge(loss_of, net["body"].bias)
        assert (abs(drawer - nudged) > 0.05) == (name == "net_b" and not whole), (name, drawer, nudged)
        optimizer = torch_.optim.SGD([*net["body"].parameters(), *net["head"].parameters()], lr=0.1)
        for _ in range(100):
            optimizer.zero_grad()
            loss_of().backward()
            optimizer.step()
        ends[name, whole] = loss_of().item()
    ill, repaired, healthy = ends["net_b", False], ends["net_b", True], ends["net_a", False]
    assert ill > 1.5 * repaired and ill > 5 * healthy


def test_pair_2_differs_in_what_moves_and_ends_worse(library):
    found = names(one_with("= points()"), "column = y.view(9, 1)", one_with("def groups("), library=library)
    ends, layers = [], []
    for net, optimizer in (found["twin_a"], found["twin_b"]):
        first = net[4].weight.detach().clone()
        for _ in range(200):
            optimizer.zero_grad()
            loss = ((net(found["x"]) - found["column"]) ** 2).mean()
            loss.backward()
            optimizer.step()
        ends.append(loss.item())
        layers.append(bool((net[4].weight == first).all()))
    assert layers == [True, False] and ends[0] > 10 * ends[1]
    said = stored("twin_a, twin_b):").split("\n")
    assert said[:6] == ["moved   (0.0, None)", "drawers 2.54751", "doctor  not in the optimizer",
                        "moved   (0.25475, 0.1)", "drawers None", "doctor  ok"]


def test_pair_3_is_the_same_twice_and_only_the_modes_tell(library):
    found = names(one_with("= points()"), "column = y.view(9, 1)", one_with("def loss_b(", "norm.train()"),
                  one_with("BatchNorm1d("), library=library)
    right, norm = found["right_half"], found["norm"]
    healthy = measurements.again(norm, lambda: found["loss_a"](*right))
    ill = measurements.again(norm, lambda: found["loss_b"](*right))
    assert healthy["eval"][0] == healthy["eval"][1] < healthy["train"][0] == healthy["train"][1]
    assert ill["eval"] == ill["train"] == healthy["train"]
    assert found["test_b"](*right).item() > 20 * found["test_a"](*right).item()
    assert norm.training


def test_pair_4_differs_in_what_reaches_a_row_and_ends_worse(library):
    found = names(one_with("= points()"), one_with("dim=0", "def loss_a("), library=library)
    torch_, px, labels, layer = (found[name] for name in ("torch", "px", "labels", "layer"))
    assert found["loss_a"](px, labels).shape == found["loss_b"](px, labels).shape
    reached = [measurements.reaches(found[name], px, labels) for name in ("loss_a", "loss_b")]
    assert reached[0][1:] == [0., 0., 0.] < reached[0] and min(reached[1]) > 0
    start = [p.detach().clone() for p in layer.parameters()]
    ends = []
    for name in ("loss_a", "loss_b"):
        with torch_.no_grad():
            for p, value in zip(layer.parameters(), start, strict=True):
                p.copy_(value)
        optimizer = torch_.optim.SGD(layer.parameters(), lr=1.)
        for _ in range(100):
            optimizer.zero_grad()
            found[name](px, labels).backward()
            optimizer.step()
        ends.append(found["loss_a"](px, labels).item())     # the loss that is meant
    assert ends[1] > 2 * ends[0]


def test_pair_5_differs_in_the_version_of_the_data_and_ends_worse(library):
    ends = []
    for name in ("epoch_a", "epoch_b"):
        found = names(one_with("= points()"), one_with("def epoch_b("), library=library)
        torch_, inputs = found["torch"], found["x"].clone()
        torch_.manual_seed(1)
        net = torch_.nn.Sequential(torch_.nn.Linear(1, 8), torch_.nn.Tanh(), torch_.nn.Linear(8, 1))
        optimizer = torch_.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(100):
            for at, rows in enumerate(found[name](inputs)):
                optimizer.zero_grad()
                ((net(rows)[:, 0] - found["y"][3 * at:3 * at + 3]) ** 2).mean().backward()
                optimizer.step()
        assert inputs._version == (300 if name == "epoch_a" else 0)
        ends.append(((net(found["test_x"])[:, 0] - found["test_y"]) ** 2).mean().item())
    assert ends[0] > 10 * ends[1]


def test_each_pair_has_its_odd_word_in_both_twins():
    for odd, *words_in_it in ((".item()", "def net_b(", "def net_a("), (".train()", "def test_a("),
                              ("dim=0", "mixed ="), ("+= 0.05", "def epoch_a(")):
        assert one_with(*words_in_it).count(odd) == 2, odd


# --- the rules ----------------------------------------------------------------------------------------------

def optimizers():
    """Yield (library, class, weight decay) of every optimizer that takes dense gradients of any shape."""
    for library in LIBRARIES:
        package = importlib.import_module(library)
        for name in dir(package.optim):
            kind = getattr(package.optim, name)
            if isinstance(kind, type) and issubclass(kind, package.optim.Optimizer) and name not in (
                    "Optimizer", "SparseAdam", "LBFGS", "Muon"):
                for decay in (0., 0.1) if "weight_decay" in inspect.signature(kind).parameters else (0.,):
                    yield pytest.param(package, kind, decay, id=f"{library}-{name}-{decay}")


@pytest.mark.parametrize(("package", "kind", "decay"), [*optimizers()])
@CHAPTER.says("`step()` of a built-in optimizer leaves a weight as it is while its drawer is `None`.")
def test_a_step_leaves_a_weight_with_an_empty_drawer(package, kind, decay):
    weight, other = (package.ones(2, 2, requires_grad=True) for _ in range(2))
    options = {"lr": 0.1}
    if decay:
        options["weight_decay"] = decay
    if kind.__name__ == "SGD":
        options["momentum"] = 0.9
    optimizer = kind([weight, other], **options)
    for _ in range(3):                              # what it remembers of earlier steps
        optimizer.zero_grad()
        (weight * 3 + other).sum().backward()
        optimizer.step()
    optimizer.zero_grad()
    (2 * other).sum().backward()
    before, old = weight.detach().clone(), other.detach().clone()
    optimizer.step()
    assert weight.grad is None and (weight == before).all() and not (other == old).all()


@pytest.mark.parametrize("index", [[0, 1, 2], [2, 0, 5], [4], [3, 3, 3]])
@pytest.mark.parametrize("library", LIBRARIES)
@CHAPTER.says("If `rows = x[a:b]`, then `rows += 1` changes `x`. If `rows = x[index]`, where `index` is a "
              "tensor of positions, it doesn't.")
def test_a_slice_is_written_through_and_an_index_is_not(library, index):
    package = importlib.import_module(library)
    for shape in ((6,), (6, 2)):
        x = package.zeros(*shape)
        rows = x[package.tensor(index)]
        rows += 1
        assert not x.any()
        for a, b in ((0, 3), (2, 4), (-2, None), (None, None)):
            y = package.zeros(*shape)
            rows = y[a:b]
            rows += 1
            assert y[a:b].all() and y.sum() == rows.numel()


@pytest.mark.parametrize("sentence", [
    "the fresh gradient", 'a missing `eval()`', "a different number, or more nodes",
    "a cut on one of several paths", "`clone()` is not needed"])
def test_what_the_review_refuted_is_gone(sentence):
    assert sentence not in CHAPTER


ROWS = {    # a row of the recap: the cell that shows it, and what it printed
    "81 errors for nine points": (("print(shapes(model",), "(9, 9)"),
    "a loss far above 0": (("def overfit(",), "0.716"),
    "a slope that isn't in the drawer": (("nudge:", "model.head.weight"), "nudge: -0.381"),
    "full from the second step on": (("twin_a, twin_b):",), "drawers 2.54751"),
    "`None`": (("before the pass",), "after the pass  {'body.weight': None"),
    "0, and no rate": (("twin_a, twin_b):",), "(0.0, None)"),
    "more than 0, with an empty drawer": (("print(moved(",), "'body.weight': (0.01762, 0.05)"),
    "the same in both modes, with BatchNorm": (("print(again(norm",),
                                               "{'eval': [2.8491, 2.8491], 'train': [2.8491, 2.8491]}"),
    "more than one write in a step": (("watched =",), "(7, 2)"),
    "2.19 for targets in a wrong order": (("picture(x, y[",), "2.19"),
    "more than one row": (("reaches(loss_of_twin",), "[0.6977, 0.2476, 0.2256, 0.2245]"),
}


def test_every_row_of_the_recap_was_shown_by_a_cell_that_ran():
    text, = [text for text in (plain("".join(cell["source"])) for cell in load(15)["cells"])
             if text.startswith("recap")]
    for row, (where, printed) in ROWS.items():
        assert plain(row) in text and printed in stored(*where), row
    solution, = [cell for cell in cells() if {"solution", "15d"} <= set(cell["metadata"].get("tags", ()))]
    after, before_step = "".join("".join(one.get("text", "")) for one in solution["outputs"]).splitlines()[:2]
    assert after.split("pass ")[1] != before_step.split("step ")[1] and "'0.weight': None" in after


def test_the_pages_that_are_quoted_are_named():
    said = "\n".join("".join(cell["source"]) for cell in load(15)["cells"])
    for page in ("A Recipe for Training Neural Networks", "Saving and Loading Models", "torch.autograd"):
        assert f'"{page}"' in said


# --- the patients -------------------------------------------------------------------------------------------

def asked(key):
    return next(one for one in ch15.EXERCISES if one.id == key)


@pytest.mark.parametrize("key", SEEDS)
def test_every_line_of_a_bug_is_taken_and_the_right_number(key):
    ill = patient_of(key)
    assert len(ill.bugs) == COUNTED[key]
    for bug in ill.bugs:
        for line in ill.lines(bug):
            lines = [line, *(ill.lines(other)[-1] for other in ill.bugs if other is not bug)]
            answer = {"lines": lines[::-1], "number": f"{ill.numbers['healthy']}"}
            assert first_wrong(asked(key), answer, None) is None
    assert judged(asked(key), treated(key)(None))[0] == RIGHT


@pytest.mark.parametrize("key", SEEDS)
def test_the_solution_in_the_chapter_is_the_patient_s(key):
    solution, = [text for text in sources() if f"answer_{key} = " in text and "BEGIN" in text]
    answer = {}
    exec(textwrap.dedent(solution), answer)
    assert first_wrong(asked(key), answer[f"answer_{key}"], None) is None
    ran = patient_of(key).run(patient_of(key).healthy)
    assert not ran.says and is_same(ran.number, answer[f"answer_{key}"]["number"])
    seed, level = SEEDS[key]
    call = f"patient({seed})" if level == 2 else f"patient({seed}, level={level})"
    assert f"patient_{key[-1]} = {call}" in one_with("patient_a = ")


@pytest.mark.parametrize(("key", "answer", "says"), [
    ("15a", {"lines": [28], "number": None}, "innocent"),
    ("15a", {"lines": [23], "number": 3.449}, "before anything is repaired"),
    ("15a", {"lines": [23], "number": None}, "number"),
    ("15b", {"lines": [32, 26], "number": 0.4844}, "is repaired, and the other one isn't"),
    ("15b", {"lines": [32], "number": 0.1097}, "One more line is broken"),
    ("15b", {"lines": [31, 32], "number": 0.1097}, "same bug"),
    ("15b", {"lines": [33, 26], "number": 0.1097}, "innocent"),
    ("15b", {"lines": [99, 1], "number": 0.1097}, "there is no line"),
    ("15b", {"lines": [1, 2, 3], "number": 0.1097}, "Name two lines"),
    ("15b", {"lines": ["a line", 3], "number": 0.1}, "Lines have numbers"),
    ("15c", {"lines": [32, 38], "number": 87.33}, "from 0 to 1"),
    ("15c", {"lines": [32, 38], "number": "many"}, "is a number")])
def test_a_wrong_answer_is_told_what_is_wrong(key, answer, says):
    kind, _, *said = judged(asked(key), answer)
    assert kind == NOT_YET and says in " ".join(said)


def test_the_minutes_of_the_hunts_are_printed_and_are_eight_for_each_bug():
    book = load(15)
    at = next(at for at, cell in enumerate(book["cells"])
              if "".join(cell["source"]).startswith("## Your patients"))
    read = sum(words("".join(cell["source"])) for cell in book["cells"][at:-2]
               if cell["cell_type"] == "markdown")
    counted = patient_minutes(book)
    assert A_BUG == 8 and sum(COUNTED.values()) == 7 and 56 <= counted <= 56 + read / 100
    assert f"and {counted} for four patients of your own" in "".join(book["cells"][0]["source"])


# --- the last script ----------------------------------------------------------------------------------------

FILLS = ("last(first(at)).sum().backward()", "at.grad = torch.autograd.grad(last(first(at)).sum(), at)[0]")
CACHED = ("last(hidden[rows])", "last(first(grid[rows]))")


def last_cells():
    return [one_with("torch.randperm(50)"), one_with("def steepness("), one_with("steep.append(")]


def end_of(*pairs, library="minigrad", **more):
    """Run the last script, from its own cells alone, and return its test loss."""
    package = importlib.import_module(library)
    found = {"torch": package, **more}
    exec(replaced("\n".join(last_cells()), *pairs), found)
    with package.no_grad():
        return found["loss_on"](found["test"]).item()


def test_the_last_script_starts_cold_and_has_two_bugs(library):
    lines = [line for line in "\n".join(last_cells()).splitlines() if line.strip()]
    assert 35 <= len(lines) <= 40
    ends = [end_of(*pairs, library=library) for pairs in ((), (CACHED,), (FILLS,), (FILLS, CACHED))]
    assert ends[0] == pytest.approx(0.7232, abs=1e-3)
    known = [last_script(fills=True), last_script(cached=True), last_script()]
    assert ends[1:] == pytest.approx(known, rel=1e-2)
    assert ends[3] < 0.02 < min(ends[:3]) and ends[1] > ends[0]     # one repair alone makes it worse


def test_the_test_set_chooses_nothing():
    used = [line for line in "\n".join(last_cells()).splitlines() if re.search(r"\btest\b", line)]
    assert used == ["train, held, test = order[:30], order[30:40], order[40:]       # 2",
                    "round(loss_on(test).item(), 4)"]


def test_drawers_and_one_hook_find_both_bugs():
    text = replaced(
        "\n".join(last_cells()),
        ("    loss.backward()\n",
         "    loss.backward()\n    runs.append(0)\n    stored = [p.grad for p in weights]\n"),
        ("adam = torch", "weights[-1].register_hook(lambda grad: runs.append(1))\nadam = torch"))
    found = {"torch": torch, "runs": []}
    exec(text, found)
    assert [one is None for one in found["stored"]] == [True, True, False, False]
    assert found["runs"][:6] == [1, 0, 1, 1, 0, 1]        # the hook runs once more after loss.backward()


@pytest.mark.parametrize("lines", [[3, 7], [7, 3], [4, 12], ["12", "4"], {4, 7}])
def test_15d_takes_the_two_lines_in_any_order(lines):
    assert first_wrong(asked("15d"), {"lines": lines, "loss": 0.0099}, None) is None


@pytest.mark.parametrize(("lines", "says"), [([3, 4], "One of your lines"), ([1, 2], "None of your lines"),
                                             ([7], "Give two lines"), (3, "Give two lines")])
def test_15d_says_what_is_wrong(lines, says):
    kind, _, *said = judged(asked("15d"), {"lines": lines, "loss": 0.0099})
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
