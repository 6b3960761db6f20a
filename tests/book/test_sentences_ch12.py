"""Chapter 12: sentences that are often said about NaN, and programs that try to break its rules."""
import math
import random
import re

import numpy as np
import pytest

import minigrad as torch
from minigrad.book.classroom.engine import source as engine_source
from minigrad.book.classroom.exercises import judged
from minigrad.book.classroom.judging import first_wrong
from minigrad.book.classroom.points import points
from minigrad.book.classroom.verdict import NOT_YET
from minigrad.book.content.chapters import of, question
from minigrad.book.content.chapters.ch12 import (
    WORDS,
    doctor,
    patient,
    shape_and_slope,
    where_it_starts,
    word_of,
)
from minigrad.viz import watch, why
from tests.helpers.sentences import Chapter
from tests.helpers.stored_chapters import load

CHAPTER = Chapter(12)
X = torch.linspace(-1, 1, 9)
TARGET = torch.tensor(points()[1])
EXERCISES = {one.id: one for one in of(12).EXERCISES}


def leaf(*values):
    return torch.tensor(values, requires_grad=True)


def scalar(value):
    return torch.tensor(value, requires_grad=True)


def gradient(function, *values):
    x = leaf(*values)
    function(x).sum().backward()
    return x.grad.tolist()


def is_nan(function, *values):
    return [math.isnan(one) for one in gradient(function, *values)]


def distance():
    w, b = scalar(1.), scalar(0.)
    far = w * X + b - TARGET
    return w, b, far, (far ** 2).sqrt().mean()


def finite_loss_and_gradients():
    w, b, far, loss = distance()
    loss.backward()
    finite = all(one.isfinite().all() for one in (far, far ** 2, (far ** 2).sqrt(), loss))
    return finite, w.grad.isnan().item()


def named_by_anomaly_mode():
    with torch.autograd.set_detect_anomaly(True):
        *_, loss = distance()
        with pytest.warns(UserWarning, match="PowBackward0"), pytest.raises(RuntimeError) as caught:
            loss.backward()
    return str(caught.value).split("'")[1]


def infinity_in_anomaly_mode():
    with torch.autograd.set_detect_anomaly(True):
        return gradient(torch.sqrt, 0.)


def clipped_together():
    """A norm with a NaN in it makes NaN of the gradients of all parameters."""
    ill, well = leaf(1.), leaf(1.)
    ill.grad, well.grad = torch.tensor([math.nan]), torch.tensor([1.])
    torch.nn.utils.clip_grad_norm_([ill, well], 1.)
    return math.isnan(well.grad.item())


def dead(steps=5, activation=torch.nn.ReLU):
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(1, 3), activation(), torch.nn.Linear(3, 1))
    with torch.no_grad():
        net[0].bias.fill_(-2.)
    opt, losses, start = torch.optim.SGD(net.parameters(), lr=0.1), [], [p.tolist() for p in net.parameters()]
    for _ in range(steps):
        loss = ((net(X.view(9, 1)) - TARGET.view(9, 1)) ** 2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return losses, [p.tolist() != old for p, old in zip(net.parameters(), start, strict=True)]


def masked():
    return torch.tensor([-math.inf, -math.inf])


def by_hand(scores):
    return scores.max() + (scores - scores.max()).exp().sum().log()


def warned():
    with pytest.warns(UserWarning, match="different to the input size"):
        torch.nn.MSELoss()(torch.zeros(9, 1), TARGET)
    return True


def after_selecting(name):
    return {"relu": lambda x: torch.relu(x).sqrt(), "clamp": lambda x: x.clamp(min=0.).sqrt(),
            "where": lambda x: torch.where(x > 0, x, 0.).sqrt(),
            "maximum": lambda x: torch.maximum(x, torch.tensor([0.])).sqrt()}[name]


SENTENCES = [
    ("A gradient can be NaN although every number of the forward pass is finite: an infinite slope times 0 "
     "is enough.", lambda: gradient(after_selecting("relu"), -1.), [0.]),
    ("An infinite slope times 0 is NaN.", lambda: gradient(after_selecting("clamp"), -1.), [0.]),
    ("It multiplies the message by its own slope", lambda: gradient(after_selecting("maximum"), -1.), [0.]),
    ("Add a tiny number under the root to keep its gradient small.",
     lambda: gradient(lambda x: (x + 1e-12).sqrt(), 0.), [500_000.]),
    ("No tool knows what you meant", lambda: warned(), True),
    ("Subtract the largest number before exp, and add it again after log. In exact arithmetic this changes "
     "nothing",
     lambda: (by_hand(masked()).item() != by_hand(masked()).item(), torch.logsumexp(masked(), 0).item()),
     (True, -math.inf)),
    ("torch.logsumexp gives a finite gradient for every row",
     lambda: is_nan(lambda x: torch.logsumexp(x, 0), -math.inf, -math.inf), [True, True]),
    ("a NaN in a gradient needs a NaN in the loss", finite_loss_and_gradients, (True, True)),
    ("where() protects the branch that was not taken",
     lambda: is_nan(lambda x: torch.where(x > 0, x.sqrt(), 0.), 0., 4.), [True, False]),
    ("the gradient of a bad branch is always NaN",
     lambda: is_nan(lambda x: torch.where(x > 0, x.log(), 0.), -1., 4.), [False, False]),
    ("a small number after the square root is a cure",
     lambda: is_nan(lambda x: (x * x).sqrt() + 1e-8, 0.), [True]),
    ("a clamp after the square root is a cure",
     lambda: is_nan(lambda x: (x * x).sqrt().clamp(min=1e-8), 0.), [True]),
    ("norm() has a NaN at 0, as its formula contains sqrt", lambda: gradient(torch.norm, 0., 0.), [0., 0.]),
    ("abs() has no gradient at 0", lambda: gradient(torch.abs, 0.), [0.]),
    ("anomaly mode names the operation at which it started", named_by_anomaly_mode, "PowBackward0"),
    ("anomaly mode reports infinity", infinity_in_anomaly_mode, [math.inf]),
    ("clipping removes a NaN", clipped_together, True),
    ("every operation with a NaN gives NaN", lambda: (torch.tensor(math.nan) ** 0).item(), 1.),
    ("a falling loss means that every parameter learns", lambda: dead()[1], [False, False, False, True]),
]


@pytest.mark.parametrize(("sentence", "program", "shows"), SENTENCES, ids=[row[0] for row in SENTENCES])
def test_a_sentence_is_refuted(sentence, program, shows):
    assert sentence not in CHAPTER
    assert program() == shows


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
    received, x = [], leaf(number)
    result = function(x)
    result.register_hook(received.append)
    result.sqrt().sum().backward()
    assert gradient(function, number) == [0.]
    assert received[0].tolist() == [math.inf]
    assert x.grad.isnan().item() == (name in MULTIPLY) and (name in MULTIPLY or x.grad.item() == 0)


@pytest.mark.parametrize("message", [math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("name", SELECT)
def test_a_node_that_selects_sends_0_whatever_it_receives(name, message):
    function, number = SELECT[name]
    x = leaf(number)
    result = function(x)
    result.backward(torch.full(result.shape, message))
    assert x.grad.tolist() == [0.]


@pytest.mark.parametrize("message", [math.inf, 0., 5.])
def test_the_relu_of_the_engine_multiplies(message):
    """With an infinite message its gradient is NaN; a finite one hides the difference."""
    names = {}
    exec(engine_source(11), names)
    x = names["Tensor"](-1., True)
    with np.errstate(invalid="ignore"):
        x.relu().backward(message)
    assert math.isnan(x.grad) == math.isinf(message)


@pytest.mark.parametrize("seed", range(40))
def test_the_distance_has_a_finite_gradient_unless_it_is_0(seed):
    """A finite forward pass, and NaN where a distance is 0, whatever the others are."""
    rng = random.Random(seed)
    far = [rng.choice([0., 0.5, -1.5, 2., 3.]) for _ in range(4)]
    x = leaf(*far)
    (x ** 2).sqrt().mean().backward()
    assert x.grad.isnan().tolist() == [one == 0 for one in far]
    assert gradient(torch.abs, *far) == [(one > 0) - (one < 0) for one in far]


INFINITE_AT_0 = {"sqrt": torch.sqrt, "log": torch.log, "reciprocal": torch.reciprocal, "rsqrt": torch.rsqrt,
                 "power": lambda x: x ** 0.25, "over": lambda x: 3 / x}


@CHAPTER.says("or the other way round.")
@pytest.mark.parametrize("name", INFINITE_AT_0)
@pytest.mark.parametrize("seed", range(5))
def test_where_sends_0_and_an_infinite_slope_makes_it_nan(name, seed):
    rng, function = random.Random(seed), INFINITE_AT_0[name]
    values = [rng.choice([0., 0.5, 2., 4.]) for _ in range(5)] + [0., 3.]
    x, received = leaf(*values), []
    result = function(x)
    result.register_hook(received.append)
    torch.where(x > 0, result, 0.).sum().backward()
    assert received[0].tolist() == [float(one > 0) for one in values]
    assert x.grad.isnan().tolist() == [one == 0 for one in values]
    twice = gradient(lambda x: torch.where(x > 0, function(torch.where(x > 0, x, 1.)), 0.), *values)
    for at, one in enumerate(values):
        assert twice[at] == (x.grad[at].item() if one > 0 else 0.)


def test_the_loss_falls_in_each_step_while_one_parameter_moves():
    losses, moved = dead()
    assert losses == sorted(set(losses), reverse=True)
    assert moved == [False, False, False, True]


@CHAPTER.says("A `LeakyReLU` sends 0.01 times its message where its input is negative:")
def test_a_leaky_relu_lets_all_four_parameters_move():
    assert dead(activation=torch.nn.LeakyReLU)[1] == [True] * 4
    leaky, values = torch.nn.LeakyReLU(), (-3., -0.5)
    assert gradient(leaky, *values) == pytest.approx([0.01, 0.01])
    assert leaky(torch.tensor(values)).tolist() == pytest.approx([-0.03, -0.005])


@pytest.mark.parametrize("seed", range(10))
def test_a_dead_relu_gives_zeros_before_and_after_it(seed):
    torch.manual_seed(seed)
    first, last = torch.nn.Linear(2, 4), torch.nn.Linear(4, 3)
    with torch.no_grad():
        first.bias.fill_(-9.)
    last(torch.relu(first(torch.rand(5, 2)))).square().sum().backward()
    assert not any(p.grad.any() for p in (*first.parameters(), last.weight))
    assert last.bias.grad.all()


def test_why_needs_a_watch_for_a_dead_relu_and_none_for_a_softmax():
    net = torch.nn.Sequential(torch.nn.Linear(1, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
    with torch.no_grad():
        net[0].bias.fill_(-2.)
    loss = net(X.view(9, 1)).square().mean()
    loss.backward()
    assert "don't tell where" in why(net[0].weight).sentences[0]
    with watch():
        loss = net(X.view(9, 1)).square().mean()
        loss.backward()
    assert "when it arrived at ReluBackward0" in why(net[0].weight).sentences[0]
    line = torch.nn.Linear(1, 1)
    result = line(X.view(9, 1)).softmax(1).mean()
    result.backward()
    assert "over dimension 1, in which its input has one number" in why(line.weight).sentences[0]


def test_why_says_of_one_number_that_it_is_nan():
    w, b, far, loss = distance()
    loss.backward()
    assert why(w).sentences[0].startswith("w.grad is NaN: ")


def test_a_loss_that_was_not_meant_is_well_for_the_doctor_and_named_by_why():
    """The slope moves away from 3, as a column minus a row has 81 elements."""
    line = torch.nn.Linear(1, 1)
    torch.nn.init.constant_(line.weight, 3.)
    opt = torch.optim.SGD(line.parameters(), lr=0.1)
    for _ in range(20):
        loss = ((line(X.view(9, 1)) - TARGET) ** 2).mean()
        found = doctor(line, opt, loss)
        assert set(found.values()) == {"ok"}
    assert 0 < line.weight.item() < 1
    assert why(line.weight).cause == "broadcast"


def test_one_step_with_such_a_gradient_makes_everything_nan():
    w, b, _, loss = distance()
    loss.backward()
    torch.optim.SGD([w, b], lr=0.1).step()
    assert all(one.isnan().item() for one in (w, b, ((w * X + b - TARGET) ** 2).mean()))


# --- the exercises ------------------------------------------------------------------------------------------

def test_12a_takes_every_function_that_does_it():
    def filled(p):
        return -(p * p.masked_fill(p == 0, 1.).log()).sum()

    def chosen_twice(p):
        safe = torch.where(p == 0, 1., p)
        return torch.where(p == 0, 0., -p * safe.log()).sum()

    for right in (filled, chosen_twice):
        assert first_wrong(EXERCISES["12a"], right, None) is None
    for broken, says in ((3, "should be a function"), (lambda: 1, "should take"),
                         (lambda p: p.detach().sum(), "computed from"),
                         (lambda p: p.clamp(min=1e-3).log().sum(), "should be 0.9743")):
        kind, _, told, *_ = judged(EXERCISES["12a"], broken)
        assert kind == NOT_YET
        assert says in told


@pytest.mark.parametrize("word", WORDS)
def test_12b_has_a_patient_for_each_word(word):
    ill = patient(word, torch)
    assert ill.loss.isfinite()
    assert doctor(ill.model, ill.opt, ill.loss)[ill.name] == word_of(word)


def test_12b_has_a_patient_whose_gradient_is_infinite_and_not_nan():
    ill = patient("infinite", torch)
    doctor(ill.model, ill.opt, ill.loss)
    assert dict(ill.model.named_parameters())[ill.name].grad.isinf().all()


def test_12b_notices_a_doctor_that_asks_only_for_nan():
    def without_infinity(model, opt, loss):
        found = doctor(model, opt, loss)
        grads = {name: p.grad for name, p in model.named_parameters()}
        return {name: "huge" if grads[name] is not None and grads[name].isinf().any() else word
                for name, word in found.items()}

    told = first_wrong(EXERCISES["12b"], without_infinity, None)
    assert told == 'For an infinite gradient, your doctor said "huge". The rest is right.'


@pytest.mark.parametrize(("word", "said_of"), [
    ("zero", lambda p, old: (p.grad == 0).any()), ("zero", lambda p, old: p.grad.sum() == 0),
    ("didn't move", lambda p, old: (p == old).any())])
def test_12b_notices_a_doctor_that_asks_for_one_number_or_for_the_sum(word, said_of):
    def hasty(model, opt, loss):
        before = {name: p.detach().clone() for name, p in model.named_parameters()}
        found = doctor(model, opt, loss)
        return {name: word if found[name] == "ok" and said_of(p, before[name]) else found[name]
                for name, p in model.named_parameters()}

    told = first_wrong(EXERCISES["12b"], hasty, None)
    assert told.startswith(f'For a healthy parameter with one 0 in its gradient, your doctor said "{word}". '
                           "The words zero and didn't move are about all numbers of a parameter.")


def test_12b_names_a_word_that_is_not_in_the_table():
    def misspelt(*given):
        return {name: word.replace("didn't", "did not") for name, word in doctor(*given).items()}

    told = first_wrong(EXERCISES["12b"], misspelt, None)
    assert told == 'Your doctor said "did not move", which is none of the words in the table.'


@pytest.mark.parametrize("word", [word for word in WORDS if word_of(word) not in ("ok", "NaN")])
def test_12b_notices_a_word_that_is_never_said(word):
    def blind(*given):
        return {name: "ok" if found == word else found for name, found in doctor(*given).items()}

    told = first_wrong(EXERCISES["12b"], blind, None)
    about = WORDS[word].removeprefix("the word for ")
    assert told == f'For {about}, your doctor said "ok". The rest is right.'


@pytest.mark.parametrize(("mistake", "says"), [
    ({"empties": False}, "from an earlier pass"), ({"copies": False}, "changes with the parameter"),
    ({"steps": False}, "doesn't call opt.step()"),
    ({"by_id": False}, "compares numbers"), ({"asks_first": "didn't move"}, "in the order of the table"),
    ({"asks_first": "zero"}, "AttributeError")])
def test_12b_says_what_a_doctor_does_wrong(mistake, says):
    told = first_wrong(EXERCISES["12b"], lambda model, opt, loss: doctor(model, opt, loss, **mistake), None)
    assert says in told


def test_12b_takes_no_other_things():
    for broken, says in ((3, "should be a function"), (lambda model: {}, "should take"),
                         (lambda model, opt, loss: "ok", "should return a dict"),
                         (lambda model, opt, loss: {"w": "ok"}, "named_parameters")):
        assert says in first_wrong(EXERCISES["12b"], broken, None)


@CHAPTER.says("Prefer the losses of `torch.nn` to your own, and read their warnings: `MSELoss` warns when "
              "its two inputs differ in shape.")
@pytest.mark.parametrize("shapes", [((9, 1), (9,)), ((9,), (9, 1)), ((2, 3), (3,)), ((4,), (1,)), ((4,), ())])
def test_mseloss_warns_of_two_shapes_that_can_be_broadcast(shapes):
    result, target = (torch.zeros(shape) for shape in shapes)
    with pytest.warns(UserWarning, match="different to the input size"):
        torch.nn.MSELoss()(result, target)


def test_mseloss_does_not_warn_of_equal_shapes(recwarn):
    torch.nn.MSELoss()(torch.zeros(9, 1), torch.zeros(9, 1))
    assert not recwarn.list


@CHAPTER.says("Near 0, a root is very steep, even with a tiny number under it.",
              "For the root of a square, the fix is safe: its gradient is at most 1 in size.")
def test_a_tiny_number_under_a_square_keeps_the_slope_below_1_and_a_clamp_does_not():
    values = [sign * 10 ** (step / 4) for step in range(-60, 40) for sign in (1, -1)]
    slopes = gradient(lambda z: (z * z + 1e-12).sqrt(), 0., *values)
    assert max(map(abs, slopes)) <= 1 + 1e-6
    assert gradient(lambda z: z.clamp(min=1e-12).sqrt(), 0., 2e-12)[1] > 300_000
    assert gradient(lambda z: (z + 1e-12).sqrt(), 0.)[0] > 400_000


@CHAPTER.says("If PyTorch has the function that you need, call it instead: for `abs` and `norm`, it chose "
              "the gradient 0 at 0.")
@pytest.mark.parametrize("rate", [0.1, 0.01])
def test_the_program_of_the_opening_and_the_term_of_chapter_11_train_with_abs_and_norm(rate):
    """The roots leave NaN in both drawers, at the first step; `abs` and `norm` leave numbers."""
    assert gradient(torch.abs, 0.) == [0.] and gradient(torch.norm, 0., 0., 0.) == [0., 0., 0.]
    for size, norm, fits in ((torch.abs, torch.norm, True), (lambda z: (z ** 2).sqrt(), torch.norm, False),
                             (torch.abs, lambda z: (z ** 2).sum().sqrt(), False)):
        w, b = scalar(1.), scalar(0.)
        opt, losses = torch.optim.SGD([w, b], lr=rate), []
        for _ in range(60):
            loss = size(w * X + b - TARGET).mean() + 0.01 * norm(torch.stack([w - 1, b]))
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
        assert math.isfinite(losses[0])
        assert (losses[-1] < losses[0] - 0.1) == fits and math.isnan(losses[-1]) != fits


@CHAPTER.says("The best result is the mean of all targets, whatever the input is, so the slope falls towards "
              "0.")
def test_the_loss_of_81_differences_is_smallest_where_each_result_is_the_mean_of_the_targets():
    best = ((torch.full((9, 1), TARGET.mean().item()) - TARGET) ** 2).mean().item()
    for seed in range(20):
        torch.manual_seed(seed)
        assert ((torch.randn(9, 1) + TARGET.mean() - TARGET) ** 2).mean().item() > best
    slope, offset = scalar(3.), scalar(0.)
    opt = torch.optim.SGD([slope, offset], lr=0.1)
    slopes = []
    for _ in range(300):
        opt.zero_grad()
        ((slope * X.view(9, 1) + offset - TARGET) ** 2).mean().backward()
        opt.step()
        slopes.append(slope.item())
    assert slopes == sorted(slopes, reverse=True) and abs(slopes[-1]) < 0.01


@CHAPTER.says("The nine points lie close to a line with the slope 3. `fit` starts with 1:")
@pytest.mark.parametrize("start", [1., 3.])
def test_training_finds_and_keeps_the_slope_3_if_the_shapes_are_right(start):
    slope, offset = scalar(start), scalar(0.)
    opt = torch.optim.SGD([slope, offset], lr=0.1)
    for _ in range(60):
        opt.zero_grad()
        ((slope * X.view(9, 1) + offset - TARGET.view(9, 1)) ** 2).mean().backward()
        opt.step()
    assert abs(slope.item() - 3) < 0.1


@CHAPTER.says("It names the square, the first node that sends NaN:")
def test_anomaly_mode_names_the_square_where_the_root_sent_infinity():
    assert named_by_anomaly_mode() == "PowBackward0"
    said, = [cell for cell in load(12)["cells"] if "set_detect_anomaly" in "".join(cell["source"])]
    printed = "".join(said["outputs"][0]["text"])
    assert "'PowBackward0' returned nan values" in printed
    assert [name for name, sent in sent_by_each_line().items() if sent.isinf().any()] == ["root"]


def endless(*_):
    while True:
        pass


@pytest.mark.parametrize(("key", "answer", "says"), [
    ("12a", lambda p: endless(), "had not finished after 0.3 seconds"),
    ("12b", lambda model, opt, loss: endless(), "had not finished after 0.3 seconds"),
    ("12a", "entropy", "leave out the quotes of entropy"),
    ("12a", lambda p: print(p), "should return a tensor"),
    ("12b", lambda model, opt, loss: print("ok"), "should return a dict")])
def test_hostile_answers_get_a_sentence_and_print_nothing(key, answer, says, monkeypatch, capsys):
    monkeypatch.setattr("minigrad.book.classroom.judging.SECONDS", 0.3)
    assert says in first_wrong(EXERCISES[key], answer, None).replace("`", "")
    assert capsys.readouterr().out == ""


def lines_of_12c():
    """Return the program that the chapter shows, by the numbers of its lines."""
    stub, = [cell for cell in load(12)["cells"]
             if {"exercise", "12c"} <= set(cell["metadata"].get("tags", ()))]
    shown = re.findall(r"^(.*?) +# (\d+)$", "".join(stub["source"]), re.MULTILINE)
    return {int(at): line for line, at in shown}


def starts_at(shift):
    """Run 12c with all targets moved, and return the lines whose nodes make finite numbers into others."""
    names = {"x": X, "target": TARGET + shift, "w": scalar(1.), "b": scalar(0.)}
    exec("\n".join(lines_of_12c().values()), names)
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
    assert found == [line] and lines_of_12c()[line] == "size = square.sqrt()"
    assert received[2].isinf().nonzero().tolist() == [[place]] == received[1].isnan().nonzero().tolist()
    assert (X - TARGET)[place].item() == residual
    assert starts_at(0.01)[0] == []


def test_12c_takes_the_line_the_place_and_the_residual():
    for right in ([3, 3, 0.], (3., torch.tensor(3), torch.tensor(0.)), ["3", 3, 0]):
        assert first_wrong(EXERCISES["12c"], right, None) is None
    for line, says in ((2, "sends the first NaN"), (1, "a NaN already"), (4, "is finite"),
                       (5, "The number of the line is not 5")):
        said = first_wrong(EXERCISES["12c"], [line, 3, 0.], None)
        assert says in said and "The rest is right" in said
    assert "has the number 0" in first_wrong(EXERCISES["12c"], [3, 4, 0.], None)
    for wrong in ([3, 3, 1.], [3, 2, 0.], [3, None, 0.], 3):
        assert first_wrong(EXERCISES["12c"], wrong, None)


@CHAPTER.says("If the forward pass is NaN, ask each intermediate result whether it is finite. The first "
              "that isn't shows you the operation:",
              "In float32, `exp` of 100 is infinite, and infinity divided by infinity is NaN. "
              "`torch.softmax` subtracts the largest number first.")
def test_another_source_of_nan():
    z = torch.tensor([100., 0.])
    assert z.exp()[0].item() == math.inf and (z.exp() / z.exp().sum())[0].isnan()
    for sign in (1, -1):
        endless = sign * torch.tensor(math.inf)
        assert (endless / endless).isnan()
    assert torch.softmax(z, 0).tolist() == pytest.approx([1., 0.])
    for numbers in (z, torch.tensor([1000., 999., -5.]), torch.randn(4)):
        shifted = (numbers - numbers.max()).exp()
        assert torch.allclose(torch.softmax(numbers, 0), shifted / shifted.sum())


@CHAPTER.says("The book's engine computes `message * (x > 0)`, and PyTorch `where(x <= 0, 0., message)`:")
@pytest.mark.parametrize("message", [0., -3., math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("at", [-1., 0., 2., math.inf, -math.inf, math.nan])
def test_the_two_lines_send_what_the_relu_of_each_engine_sends(message, at):
    names = {}
    exec(engine_source(11), names)
    x, sent, mine = torch.tensor(at), torch.tensor(message), names["Tensor"](at, True)
    with np.errstate(invalid="ignore"):
        mine.relu().backward(message)
        product = sent * (x > 0)
    assert np.array_equal(float(mine.grad), product.item(), equal_nan=True)
    leaf = scalar(at)
    torch.relu(leaf).backward(sent)
    assert np.array_equal(leaf.grad.item(), torch.where(x <= 0, 0., sent).item(), equal_nan=True)


def sent_by_each_line():
    """Return what the nodes of the mean, of the root and of the square send, seen by hooks."""
    w, b, sent = scalar(1.), scalar(0.), []
    residuals = w * X + b - TARGET
    square = residuals ** 2
    size = square.sqrt()
    for tensor in (size, square, residuals):
        tensor.register_hook(sent.append)
    with np.errstate(all="ignore"):
        size.mean().backward()
    return dict(zip(("mean", "root", "square"), sent, strict=True))


def test_the_root_sends_infinity_and_the_square_makes_nan_of_it():
    sent = sent_by_each_line()
    assert sent["mean"].isfinite().all() and sent["square"].isnan().any()
    assert sent["root"].isinf().any() and not sent["root"].isnan().any()


@pytest.mark.parametrize(("printed", "right"), [
    ("slope 0.18  loss 3.66\ntorch.Size([9, 9])", True), ("slope 2.61  loss 0.07\ntorch.Size([9, 1])", False),
    ("slope 2.61  loss 0.07\ntorch.Size([9, 9])", False)])
def test_12_5_is_decided_by_the_slope_and_the_shape_that_are_printed(printed, right):
    asked = question("12.5")
    assert (shape_and_slope(printed) == asked.option(asked.right).text) == right
    assert shape_and_slope(printed) in {option.text for option in asked.options}


def test_the_first_result_that_is_not_finite_is_printed_before_the_first_nan():
    """Chapter 12 prints one line for each result: the exponential is infinite, and its share is NaN."""
    said, = [cell for cell in load(12)["cells"] if "isfinite().all().item()" in "".join(cell["source"])]
    lines = "".join(said["outputs"][0]["text"]).splitlines()
    assert [line.split()[:2] for line in lines[:3]] == [["z", "True"], ["e", "False"], ["p", "False"]]
    assert "inf" in lines[1] and "nan" not in lines[1] and "nan" in lines[2]


def test_a_model_on_the_wrong_shapes_is_no_better_than_its_input_free_baseline():
    """With the right shapes it is; the baseline is as good as the mean of the targets allows."""
    def last_loss(batch, target):
        torch.manual_seed(0)
        line = torch.nn.Linear(1, 1)
        torch.nn.init.constant_(line.weight, 3.)
        opt = torch.optim.SGD(line.parameters(), lr=0.1)
        for _ in range(20):
            loss = ((line(batch) - target) ** 2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
        return loss.item()

    column, zeros = X.view(9, 1), torch.zeros(9, 1)
    assert last_loss(column, TARGET) > last_loss(zeros, TARGET)
    assert last_loss(column, TARGET.view(9, 1)) < 0.01 * last_loss(zeros, TARGET.view(9, 1))


def test_a_penalty_on_the_numbers_of_a_drawer_changes_no_gradient():
    w = scalar(1.)
    loss = ((w * X - TARGET) ** 2).mean()
    loss.backward(retain_graph=True)
    alone, w.grad = w.grad, None
    (loss + 100 * alone ** 2).backward()
    assert w.grad.item() == alone.item()
