"""Chapter 12: its rules, the place where its NaN starts, and other answers to its exercises."""
import math
import re

import numpy as np
import pytest

import minigrad as torch
from minigrad.book.classroom.engine import source as engine_source
from minigrad.book.classroom.judging import first_wrong
from minigrad.book.classroom.points import points
from minigrad.book.content.chapters import exercise
from minigrad.book.content.chapters.ch12 import doctor, patient, where_it_starts
from tests.helpers.sentences import Chapter
from tests.helpers.stored_chapters import load

CHAPTER = Chapter(12)
X = torch.linspace(-1, 1, 9)
TARGET = torch.tensor(points()[1])


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


def scalar(value):
    return torch.tensor(value, requires_grad=True)


def gradient(function, *values):
    x = leaf(*values)
    function(x).sum().backward()
    return x.grad.tolist()


# --- the rules ----------------------------------------------------------------------------------------------

MULTIPLY = {  # operations with the local derivative 0 at a number where their result is 0
    "z * z": (lambda z: z * z, 0.), "z ** 2": (lambda z: z ** 2, 0.), "z ** 3": (lambda z: z ** 3, 0.),
    "abs": (lambda z: z.abs(), 0.), "z * 0": (lambda z: z * 0., 3.), "1 - cos": (lambda z: 1 - z.cos(), 0.),
    "norm": (lambda z: z.norm().view(1), 0.), "square": (torch.square, 0.)}
SELECT = {
    "relu": (torch.relu, -1.), "relu at 0": (torch.relu, 0.), "clamp": (lambda z: z.clamp(min=0.), -1.),
    "clamp above": (lambda z: 1 - z.clamp(max=1.), 2.), "where": (lambda z: torch.where(z > 0, z, 0.), -1.),
    "slice": (lambda z: torch.cat([z, torch.tensor([0.])])[1:], -1.),
    "rows": (lambda z: torch.cat([z, torch.tensor([0.])])[[1]], -1.),
    "maximum": (lambda z: torch.maximum(z, torch.tensor([0.])), -1.),
    "masked_fill": (lambda z: z.masked_fill(z < 0, 0.), -1.)}


@pytest.mark.parametrize("name", [*MULTIPLY, *SELECT])
@CHAPTER.says("`*`, squares, roots, `abs` and `norm` multiply: they send NaN where their message is infinite "
              "and their local derivative 0")
@CHAPTER.says("`relu`, `clamp`, `where` and indexing select: they send 0 to what they didn't "
              "choose, whatever they receive.")
def test_a_node_that_multiplies_makes_nan_of_infinity_and_one_that_selects_makes_it_0(name):
    function, number = {**MULTIPLY, **SELECT}[name]
    for message in 5., math.inf, -math.inf, math.nan:
        x = leaf(number)
        result = function(x)
        result.backward(torch.full(result.shape, message))
        sent = math.nan if name in MULTIPLY and not math.isfinite(message) else 0.
        assert np.array_equal(x.grad.tolist(), [sent], equal_nan=True)


INFINITE_AT_0 = {"sqrt": torch.sqrt, "log": torch.log, "reciprocal": torch.reciprocal, "rsqrt": torch.rsqrt,
                 "power": lambda x: x ** 0.25, "over": lambda x: 3 / x}


@CHAPTER.says("or the other way round.")
@pytest.mark.parametrize("name", INFINITE_AT_0)
def test_where_sends_0_and_an_infinite_slope_makes_it_nan(name):
    function, values = INFINITE_AT_0[name], (0., 0.5, 2., 0., 4.)
    x = leaf(*values)
    torch.where(x > 0, function(x), 0.).sum().backward()
    assert x.grad.isnan().tolist() == [one == 0 for one in values]
    twice = gradient(lambda x: torch.where(x > 0, function(torch.where(x > 0, x, 1.)), 0.), *values)
    assert twice == [0. if one == 0 else x.grad[at].item() for at, one in enumerate(values)]


@CHAPTER.says("The book's engine computes `message * (x > 0)`, and PyTorch `where(x <= 0, 0., message)`:")
@pytest.mark.parametrize("message", [0., -3., math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("at", [-1., 0., 2., math.inf, -math.inf, math.nan])
def test_the_two_lines_send_what_the_relu_of_each_engine_sends(message, at):
    names = {}
    exec(engine_source(11), names)
    x, sent, mine = scalar(at), torch.tensor(message), names["Tensor"](at, True)
    with np.errstate(invalid="ignore"):
        mine.relu().backward(message)
        product = sent * (x > 0)
    assert np.array_equal(float(mine.grad), product.item(), equal_nan=True)
    torch.relu(x).backward(sent)
    assert np.array_equal(x.grad.item(), torch.where(x <= 0, 0., sent).item(), equal_nan=True)


@CHAPTER.says("Prefer the losses of `torch.nn` to your own, and read their warnings: `MSELoss` warns when "
              "its two inputs differ in shape.")
@pytest.mark.parametrize("shapes", [((9, 1), (9,)), ((9,), (9, 1)), ((2, 3), (3,)), ((4,), (1,)), ((4,), ())])
def test_mseloss_warns_of_two_shapes_that_can_be_broadcast(shapes):
    result, target = (torch.zeros(shape) for shape in shapes)
    with pytest.warns(UserWarning, match="different to the input size"):
        torch.nn.MSELoss()(result, target)


@CHAPTER.says("Near 0, a root is very steep, even with a tiny number under it.",
              "For the root of a square, the fix is safe: its gradient is at most 1 in size.")
def test_a_tiny_number_under_a_square_keeps_the_slope_below_1():
    values = [sign * 10 ** (step / 4) for step in range(-60, 40) for sign in (1, -1)]
    slopes = gradient(lambda z: (z * z + 1e-12).sqrt(), 0., *values)
    assert max(map(abs, slopes)) <= 1 + 1e-6
    assert gradient(lambda z: (z + 1e-12).sqrt(), 0.)[0] > 400_000


@CHAPTER.says("The best result is the mean of all targets, whatever the input is, so the slope falls towards "
              "0.")
def test_with_81_differences_the_slope_falls_towards_0_and_each_result_becomes_the_mean():
    slope, offset = scalar(3.), scalar(0.)
    opt, slopes = torch.optim.SGD([slope, offset], lr=0.1), []
    for _ in range(300):
        opt.zero_grad()
        ((slope * X.view(9, 1) + offset - TARGET) ** 2).mean().backward()
        opt.step()
        slopes.append(slope.item())
    assert slopes == sorted(slopes, reverse=True) and abs(slopes[-1]) < 0.01
    assert offset.item() == pytest.approx(TARGET.mean().item(), abs=1e-4)


# --- the exercises ------------------------------------------------------------------------------------------

def starts_at(shift):
    """Run 12c, as it is shown, with all targets moved; return the lines at which numbers cease to be finite.

    Also return what the nodes of each line received.
    """
    stub, = [cell for cell in load(12)["cells"]
             if {"exercise", "12c"} <= set(cell["metadata"].get("tags", ()))]
    lines = re.findall(r"^(.*?) +# \d$", "".join(stub["source"]), re.MULTILINE)
    names = {"x": X, "target": TARGET + shift, "w": scalar(1.), "b": scalar(0.)}
    exec("\n".join(lines), names)
    assert all(names[one].isfinite().all() for one in ("residual", "square", "size", "logs", "loss"))
    received = {}
    for at, name in enumerate(("residual", "square", "size", "logs"), 1):
        names[name].register_hook(lambda g, at=at: received.update({at: g}))
    with np.errstate(all="ignore"):
        names["loss"].backward()
    received[0] = names["w"].grad
    return [at for at in (1, 2, 3, 4)
            if received[at].isfinite().all() and not received[at - 1].isfinite().all()], received


def test_12c_starts_in_one_line_at_one_place_and_only_where_a_residual_is_0():
    found, received = starts_at(0.)
    line, place, residual = where_it_starts(None)
    assert found == [line]
    assert received[2].isinf().nonzero().tolist() == [[place]] == received[1].isnan().nonzero().tolist()
    assert (X - TARGET)[place].item() == residual
    assert starts_at(0.01)[0] == []


def filled(p):
    return -(p * p.masked_fill(p == 0, 1.).log()).sum()


def chosen_twice(p):
    safe = torch.where(p == 0, 1., p)
    return torch.where(p == 0, 0., -p * safe.log()).sum()


@pytest.mark.parametrize(("answer", "says"), [
    (filled, None), (chosen_twice, None), (3, "should be a function"), ("entropy", "quotes of entropy"),
    (lambda: 1, "should take"), (lambda p: p.detach().sum(), "computed from"),
    (lambda p: print(p), "should return a tensor"),
    (lambda p: p.clamp(min=1e-3).log().sum(), "should be 0.9743")])
def test_12a_takes_every_function_that_does_it_and_prints_nothing(answer, says, capsys):
    said = first_wrong(exercise("12a"), answer, None)
    assert said is None if says is None else says in said.replace("`", "")
    assert capsys.readouterr().out == ""


def test_12b_has_a_patient_whose_gradient_is_infinite_and_not_nan():
    ill = patient("infinite", torch)
    doctor(ill.model, ill.opt, ill.loss)
    assert dict(ill.model.named_parameters())[ill.name].grad.isinf().all()


def said_of(word, test):
    """Return a doctor that says a word of a healthy parameter, or of an ill one, if a test says so."""
    def hasty(model, opt, loss):
        before = {name: p.detach().clone() for name, p in model.named_parameters()}
        found = doctor(model, opt, loss)
        return {name: word if test(found[name], p, before[name]) else found[name]
                for name, p in model.named_parameters()}
    return hasty


@pytest.mark.parametrize(("answer", "says"), [
    (said_of("huge", lambda found, p, old: found == "NaN" and p.grad.isinf().any()),
     'For an infinite gradient, your doctor said "huge". The rest is right.'),
    (said_of("zero", lambda found, p, old: found == "ok" and p.grad.sum() == 0),
     'For a healthy parameter with one 0 in its gradient, your doctor said "zero". The words zero and'),
    (said_of("didn't move", lambda found, p, old: found == "ok" and (p == old).any()),
     'For a healthy parameter with one 0 in its gradient, your doctor said "didn\'t move". The words zero'),
    (said_of("did not move", lambda found, p, old: found == "didn't move"),
     'Your doctor said "did not move", which is none of the words in the table.'),
    (lambda model: {}, "should take"), (lambda model, opt, loss: print("ok"), "should return a dict"),
    (lambda model, opt, loss: {"w": "ok"}, "named_parameters")])
def test_12b_says_what_a_doctor_does_wrong_and_prints_nothing(answer, says, capsys):
    assert says in first_wrong(exercise("12b"), answer, None)
    assert capsys.readouterr().out == ""
