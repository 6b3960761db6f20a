"""Chapter 10: sentences of well-known material that are false, and programs that try to break its rules."""
import gc
import itertools
import os
import random
import re
import weakref

import numpy as np
import pytest

import minigrad as torch
from minigrad.book import digits, same_steps, saved_bytes, show_images, training
from minigrad.book.chapters import of
from minigrad.book.chapters.ch10 import MISTAKES, measured, mistakes_of, strongest, taken_for, tuning
from minigrad.book.exercises import judged
from minigrad.book.judging import first_wrong
from minigrad.book.verdict import NOT_YET, RIGHT
from tests.helpers.sentences import Chapter
from tests.helpers.stored_chapters import load, texts

CHAPTER = Chapter(10)
nn, cross_entropy = torch.nn, torch.nn.functional.cross_entropy


def new_net(drop=0.5):
    torch.manual_seed(0)
    return nn.Sequential(nn.Flatten(), nn.Linear(64, 16), nn.ReLU(), nn.Dropout(drop), nn.Linear(16, 10))


def some_digits(count=50):
    images, labels = digits()
    return torch.tensor(images[:count]), torch.tensor(labels[:count])


def steps(net, sgd, count=4):
    images, labels = some_digits()
    losses = []
    for _ in range(count):
        loss = cross_entropy(net(images), labels)
        sgd.zero_grad()
        loss.backward()
        sgd.step()
        losses.append(loss.item())
    return losses


def sgd_of(net, rate=0.1):
    return torch.optim.SGD(net.parameters(), lr=rate, momentum=0.9)


def nodes_behind(result):
    found, seen = [result.grad_fn], {result.grad_fn}
    for node in found:
        for behind, _ in node.next_functions:
            if behind is not None and behind not in seen:
                seen.add(behind)
                found.append(behind)
    return len(found)


# --- sentences that are false -------------------------------------------------------------------------------

def dropout_under_no_grad():
    net, (images, _) = new_net(), some_digits()
    with torch.no_grad():
        return torch.equal(net(images), net(images))


def recording_after_eval():
    net, (images, _) = new_net(), some_digits()
    return net.eval()(images).requires_grad


def a_sum_of_losses_after_passes():
    net, (images, labels) = new_net(), some_digits()
    total = 0
    for _ in range(3):
        loss = cross_entropy(net(images), labels)
        loss.backward()
        total += loss
    return saved_bytes(total)


def going_on(*left_out):
    """Which of the four losses after loading are those of the run that went on, with a part left out."""
    net = new_net()
    sgd = sgd_of(net)
    steps(net, sgd)
    saved = {"net": {name: value.clone() for name, value in net.state_dict().items()},
             "sgd": {**sgd.state_dict(), "state": {key: {"momentum_buffer": one["momentum_buffer"].clone()}
                     for key, one in sgd.state_dict()["state"].items()}}, "random": torch.get_rng_state()}
    want = steps(net, sgd)
    net = new_net()
    sgd = sgd_of(net)
    net.load_state_dict(saved["net"])
    if "sgd" not in left_out:
        sgd.load_state_dict(saved["sgd"])
    if "random" not in left_out:
        torch.set_rng_state(saved["random"])
    return [one == other for one, other in zip(steps(net, sgd), want, strict=True)]


def flat_loss_with_other_rates():
    losses = []
    for rate in (0.01, 0.1, 1.):
        net = new_net(drop=0.)
        sgd, (images, labels) = sgd_of(net, rate), some_digits()
        for _ in range(3):
            loss = cross_entropy(net(images).detach().requires_grad_(), labels)
            loss.backward()
            sgd.step()
            losses.append(loss.item())
    return len(set(losses))


def weights_that_dropout_changes():
    net, (images, _) = new_net(), some_digits()
    before = [p.clone() for p in net.parameters()]
    for _ in range(3):
        net(images)
    return sum(not torch.equal(*pair) for pair in zip(net.parameters(), before, strict=True))


SENTENCES = [
    ("dropout removes weights", weights_that_dropout_changes, 0),
    ("no_grad switches dropout off", dropout_under_no_grad, False),
    ("eval() stops the recording", recording_after_eval, True),
    ("total += loss keeps the activations of every step", a_sum_of_losses_after_passes, 0),
    ("the weights are all that training needs", lambda: going_on("sgd"), [True, False, False, False]),
    ("dropout doesn't matter to who goes on", lambda: going_on("random")[0], False),
    ("with all three parts the losses are the same", going_on, [True] * 4),
    ("another learning rate helps against a flat loss", flat_loss_with_other_rates, 1),
]


@pytest.mark.parametrize(("sentence", "program", "shows"), SENTENCES, ids=[row[0] for row in SENTENCES])
def test_a_sentence_is_put_to_the_test(sentence, program, shows):
    assert sentence not in CHAPTER
    assert program() == shows


# --- the rules ----------------------------------------------------------------------------------------------

OPTIMIZERS = {"SGD": lambda ps: torch.optim.SGD(ps, lr=0.1), "Adam": lambda ps: torch.optim.Adam(ps, lr=0.1),
              "momentum": lambda ps: torch.optim.SGD(ps, lr=0.1, momentum=0.9)}


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("seed", range(5))
def test_a_step_computes_no_gradient_and_reads_the_drawers(name, seed):
    """What is put in the drawers by hand moves the weights; what is in no drawer moves none."""
    rng = random.Random(seed)
    weights = [torch.tensor([rng.uniform(-1, 1)], requires_grad=True) for _ in range(4)]
    filled = rng.sample(range(4), 2)
    for at in filled:
        weights[at].grad = torch.tensor([rng.uniform(0.5, 1)])
    loss = sum((one ** 2).sum() for one in weights)       # a graph is there, and no pass runs through it
    before = [one.item() for one in weights]
    held = [None if one.grad is None else one.grad.item() for one in weights]
    OPTIMIZERS[name](weights).step()
    assert [at for at in range(4) if weights[at].item() != before[at]] == sorted(filled)
    assert [None if one.grad is None else one.grad.item() for one in weights] == held
    assert loss.grad_fn is not None


@pytest.mark.parametrize("count", [1, 2, 5, 20])
@pytest.mark.parametrize("passes", [True, False])
@CHAPTER.says("A recorded sum of losses keeps the graph of each loss. A sum of `loss.item()` keeps no graph.")
def test_a_sum_of_losses_keeps_each_graph_and_a_sum_of_items_keeps_none(count, passes):
    w = torch.tensor(1., requires_grad=True)
    total, numbers, kept, dropped = 0, 0., [], []
    for _ in range(count):
        loss, other = (w - 3) ** 2, (w - 3) ** 2
        kept.append(weakref.ref(loss.grad_fn))
        dropped.append(weakref.ref(other.grad_fn))
        if passes:
            loss.backward()
            other.backward()
        total += loss
        numbers += other.item()
    del loss, other
    gc.collect()
    assert isinstance(numbers, float) and numbers == total.item()
    assert nodes_behind(total) == 3 * count + 1           # minus, square, sum; and the drawer of w
    assert all(one() is not None for one in kept) and all(one() is None for one in dropped)
    assert (saved_bytes(total) == 0) == passes
    del total
    gc.collect()
    assert all(one() is None for one in kept)


def test_a_sum_that_is_not_recorded_keeps_no_graph():
    """So the rule speaks of a recorded sum."""
    assert "A sum of losses keeps the graph of each loss" not in CHAPTER
    w = torch.tensor(1., requires_grad=True)
    total = 0
    for _ in range(2):
        loss = (w - 3) ** 2
        with torch.no_grad():
            total = total + loss
    assert total.grad_fn is None


NONE = {    # a program that leaves None in p.grad: the words of the table that name its mistake
    "loss = q * q": "the loss doesn't use `p`",
    "loss = q * torch.stack([p, q]).argmax()": "`argmax`",
    "loss = q * (p > 1).float()": "a comparison",
    "loss = q * p.detach()": "`detach`",
    "loss = q * p.data": "`.data`",
    "with torch.no_grad(): r = p * p\nloss = q * r": "`no_grad`",
    "loss = q * p.item()": "`item()`",
    "p.requires_grad_(False); loss = q * p": "`p` is frozen",
    "p = p * 1; loss = q * p": "isn't a leaf"}
ZEROS = {
    "loss = (p * torch.tensor(0.)) * q": "a local derivative is 0",
    "loss = (-p).relu() * q": "a local derivative is 0",
    "loss = (p - 1) ** 2 + (p - 3) ** 2 + 0 * q": "the messages cancel"}


def row_of_the_table(begins):
    return next(line for text in texts(load(10)) for line in text.splitlines()
                if line.startswith(f"| {begins} |"))


@pytest.mark.filterwarnings("ignore:The .grad attribute")
@pytest.mark.parametrize(("program", "named"), [*NONE.items(), *ZEROS.items()])
def test_the_table_names_what_leaves_none_or_zeros(program, named):
    p, q = (torch.tensor(value, requires_grad=True) for value in (2., 3.))
    names = {"torch": torch, "p": p, "q": q}
    exec(program, names)
    names["loss"].backward()
    grad = names["p"].grad
    if program in NONE:
        assert grad is None and named in row_of_the_table("`None`")
    else:
        assert grad == 0 and named in row_of_the_table("zeros")


@pytest.mark.parametrize("program", ["sgd.zero_grad()", "sgd = torch.optim.SGD([q], lr=0.1)",
                                     "sgd = torch.optim.SGD([p], lr=1e-9)"])
def test_the_last_row_of_the_table_names_what_keeps_a_weight_with_a_gradient_in_place(program):
    p, q = (torch.tensor(value, requires_grad=True) for value in (2., 3.))
    names = {"torch": torch, "p": p, "q": q, "sgd": torch.optim.SGD([p, q], lr=0.1)}
    (p * q).backward()
    exec(program, names)
    names["sgd"].step()
    assert p == 2.
    row = row_of_the_table("numbers, but `p` doesn't move")
    assert all(words in row for words in ("`zero_grad()` before the step", "doesn't hold `p`",
                                          "too small for float32"))


def test_the_gradient_right_after_the_pass_tells_the_mistakes_apart():
    """The table of the chapter, against every mistake of 10b."""
    said = {mistake: measured(mistake).split("; ")[:2] for mistake in MISTAKES}
    assert said == {"detached": ["None", "None"], "cleared": ["numbers", "None"], "zeros": ["zeros", "zeros"],
                    "not held": ["numbers", "numbers"], "tiny rate": ["numbers", "numbers"]}
    assert [mistake for mistake in MISTAKES if "moves" in measured(mistake)] == ["tiny rate"]
    assert len(set(map(measured, MISTAKES))) == len(MISTAKES)


def test_a_frozen_weight_has_an_empty_drawer_and_cuts_nothing_else():
    net, (images, labels) = new_net(), some_digits()
    net[1].requires_grad_(False)
    cross_entropy(net(images), labels).backward()
    assert net[1].weight.grad is None and net[4].weight.grad is not None


def test_all_weights_zero_stop_the_first_layer_for_good():
    net = new_net(drop=0.)
    for one in net.parameters():
        nn.init.zeros_(one)
    losses = steps(net, sgd_of(net), 20)
    assert not net[1].weight.count_nonzero() and not net[4].weight.count_nonzero()
    assert net[4].bias.count_nonzero() == 10 and max(losses) < 2.31


# --- Adam ---------------------------------------------------------------------------------------------------

def textbook_adam(p, g, state, lr=0.001, betas=(0.9, 0.999), eps=1e-8):
    t = state["t"] = state.get("t", 0) + 1
    m = state["m"] = betas[0] * state.get("m", 0) + (1 - betas[0]) * g
    v = state["v"] = betas[1] * state.get("v", 0) + (1 - betas[1]) * g ** 2
    p -= lr * (m / (1 - betas[0] ** t)) / ((v / (1 - betas[1] ** t)).sqrt() + eps)


def code_of(begins):
    return next(text for cell in load(10)["cells"] if (text := "".join(cell["source"])).startswith(begins))


@pytest.mark.parametrize("options", [{"lr": 0.1}, {"lr": 0.1, "betas": (0.8, 0.95)},
                                     {"lr": 0.1, "eps": 0.1}], ids=str)
def test_the_adam_of_the_chapter_is_that_of_textbooks_and_ours(options, capsys):
    names = {}
    exec(code_of("def my_adam").partition("same_steps")[0], names)
    for update in names["my_adam"], textbook_adam:
        same_steps(update, torch.optim.Adam, **options)
        assert "After each of 50 steps, the weights are the same" in capsys.readouterr().out


@pytest.mark.parametrize("seed", range(3))
def test_a_loss_a_hundredth_as_large_stops_sgd_and_not_adam(seed):
    images, labels = some_digits(200)

    def losses_with(optimizer, lr, divisor):
        torch.manual_seed(seed)
        net, losses = nn.Sequential(nn.Flatten(), nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, 10)), []
        opt = optimizer(net.parameters(), lr=lr)
        for _ in range(20):
            opt.zero_grad()
            loss = cross_entropy(net(images), labels)
            (loss / divisor).backward()
            opt.step()
            losses.append(loss.item())
        return losses

    assert losses_with(torch.optim.Adam, 0.01, 100) == pytest.approx(
        losses_with(torch.optim.Adam, 0.01, 1), rel=1e-3)
    first, *_, last = losses_with(torch.optim.SGD, 0.5, 100)
    assert first - last < 0.1 < first - losses_with(torch.optim.SGD, 0.5, 1)[-1]


# --- what the chapter calls ---------------------------------------------------------------------------------

def test_training_counts_and_says_what_it_was_shown(capsys, monkeypatch):
    monkeypatch.setitem(os.environ, "MINIGRAD_BOOK", "text")
    run = training(3, "epoch")
    for epoch in run:
        run.show(loss=torch.tensor(8.) / 2 ** epoch, accuracy=epoch / 2)
    assert capsys.readouterr().out == ("3 of 3 epochs\nloss: 8 at epoch 1, 4 at epoch 2, 2 at epoch 3\n"
                                       "accuracy: 0 at epoch 1, 0.5 at epoch 2, 1 at epoch 3\n")
    assert 'alt="3 of 3 epochs' in run.shown.html and "data:image/png;base64," in run.shown.html


def test_training_shows_several_curves_in_one_panel(capsys, monkeypatch):
    monkeypatch.setitem(os.environ, "MINIGRAD_BOOK", "text")
    run = training(2, "epoch")
    for epoch in run:
        run.show(loss=4. / 2 ** epoch, accuracy={"train": epoch, "test": torch.tensor(epoch / 2)})
    assert capsys.readouterr().out == ("2 of 2 epochs\nloss: 4 at epoch 1, 2 at epoch 2\n"
                                       "accuracy, train: 0 at epoch 1, 1 at epoch 2\n"
                                       "accuracy, test: 0 at epoch 1, 0.5 at epoch 2\n")
    assert run.shown.html.count("data:image/png;base64,") == 1


def test_training_that_is_left_early_says_how_far_it_came(capsys):
    run = training(10)
    for _ in itertools.islice(run, 4):
        run.show(loss=1.)
    gc.collect()
    assert capsys.readouterr().out.startswith("4 of 10 steps\nloss: 1 at step 1")
    list(training(2))
    assert capsys.readouterr().out == "2 of 2 steps\n"


def test_images_in_words():
    shown = show_images({"a": np.eye(2), "slopes": torch.tensor([[-2., 0.], [1., 0.1]])}, alt="Two.")
    assert repr(shown) == "Two.\na    slopes\n9.   -9  0\n.9   +4  0"
    assert ' alt="Two.' in shown.html
    for wrong in ({}, {"a": np.ones(3)}):
        with pytest.raises(ValueError, match="show_images"):
            show_images(wrong)


# --- the exercises ------------------------------------------------------------------------------------------

def asked(key):
    return next(one for one in of(10).EXERCISES if one.id == key)


def by_nudging(net, image, digit):
    with torch.no_grad():
        def score(at, by):
            return net((image.flatten() + by * torch.eye(64)[at]).view(1, 8, 8))[0, digit].item()
        sizes = [abs(score(at, 0.01) - score(at, -0.01)) for at in range(64)]
    return divmod(max(range(64), key=sizes.__getitem__), 8)


def with_frozen_weights(net, image, digit):
    for p in net.parameters():
        p.requires_grad_(False)
    image = image.clone().requires_grad_()
    net(image.unsqueeze(0))[0, digit].backward()
    for p in net.parameters():
        p.requires_grad_(True)
    return list(divmod(image.grad.abs().argmax().item(), 8))


def through_the_drawers(net, image, digit):
    image = image.clone().requires_grad_()
    net(image.unsqueeze(0))[0, digit].backward()
    return divmod(image.grad.abs().argmax().item(), 8)


def emptying(set_to_none):
    def strongest_pixel(net, image, digit):
        found = through_the_drawers(net, image, digit)
        net.zero_grad(set_to_none=set_to_none)
        return found
    return strongest_pixel


def never_finished(*arguments):
    while True:
        pass


def said_to(key, answer):
    kind, *found = judged(asked(key), answer)
    return kind, str(found)


@pytest.mark.parametrize("right", [by_nudging, with_frozen_weights, strongest()])
def test_10a_takes_any_way_that_leaves_the_drawers_alone(right):
    assert said_to("10a", right)[0] == RIGHT


@pytest.mark.parametrize(("wrong", "says"), [
    (through_the_drawers, "added to the drawers"), (emptying(True), "emptied them"),
    (emptying(False), "emptied them"),
    (strongest(lambda slopes, image: slopes), "without their sign"),
    (strongest(lambda slopes, image: (slopes * image).abs()), "multiplied the gradient by the image"),
    (strongest(swapped=True), "The row comes first"),
    (lambda net, image, digit: (0, 0), "another pixel changes the score more"),
    (lambda net, image, digit: None, "should return a row and a column"),
    (lambda net, image, digit: 1, "should return a row and a column"),
    (lambda net, image, digit: "here", "should return a row and a column"),
    (3, "should be a function"), (lambda net: 1, "should take net, image, digit")])
def test_10a_says_what_is_wrong(wrong, says):
    """With the sentence of this mistake, and of no other one."""
    kind, said = said_to("10a", wrong)
    assert kind == NOT_YET and says in said
    assert ("sign" in said) == ("sign" in says)


@pytest.mark.parametrize("key", ["10a", "10c"])
def test_a_function_that_never_ends_is_stopped(key, monkeypatch):
    monkeypatch.setattr("minigrad.book.judging.SECONDS", 0.2)
    kind, said = said_to(key, lambda net, one, two: never_finished())
    assert kind == NOT_YET and "had not finished after 0.2 seconds" in said


def test_10b_is_found_by_trying():
    rows = asked("10b").standard
    assert mistakes_of(rows) == ["zeros", "not held", "detached", "tiny rate", "cleared"]
    assert first_wrong(asked("10b"), mistakes_of(rows), rows) is None


@pytest.mark.parametrize(("mistake", "taken", "says"), [
    ("not held", "cleared", "the drawer still held numbers"),
    ("cleared", "not held", "it had been emptied"), ("cleared", "zeros", "zeros would be a gradient"),
    ("zeros", "zero", "one of the five names"), ("tiny rate", "rate", "one of the five names")])
def test_10b_says_why_it_is_not_this_mistake(mistake, taken, says):
    rows = asked("10b").standard
    said = first_wrong(asked("10b"), taken_for(mistake, taken)(rows), rows)
    assert says in said and (says == "one of the five names") == ("one of the five names" in said)


def test_the_climax_says_how_well_the_engine_reads():
    """Its accuracy is printed, the first misread digits are drawn, and the sentence below is no lie."""
    cell = next(cell for cell in load(10)["cells"] if "".join(cell["source"]).startswith("pictures = {}"))
    printed = "".join(text for output in cell["outputs"] for text in output.get("text", []))
    found = re.fullmatch(r"accuracy: (0\.9\d+)\nmisread: (\d+) of 597\n", printed)
    assert found and round(1 - int(found[2]) / 597, 3) == float(found[1])
    assert "more than nine in ten" in CHAPTER and "It reads all the others" not in CHAPTER


def test_10c_takes_every_repair():
    def by_hand(net, images, labels):
        net[4] = nn.Linear(64, 2)
        losses = []
        for _ in range(5):
            loss = cross_entropy(net(images), labels)
            for one, step in zip(net[4].parameters(), torch.autograd.grad(loss, list(net[4].parameters())),
                                 strict=True):
                one.detach().sub_(0.5 * step)
            losses.append(loss)
        return losses

    for right in (by_hand, tuning()):
        assert judged(asked("10c"), right)[0] == RIGHT
    for wrong in (tuning(late=False), tuning(frozen=False), 3, lambda net: 1,
                  lambda net, images, labels: None, lambda net, images, labels: []):
        kind, _, says, *_ = judged(asked("10c"), wrong)
        assert kind == NOT_YET and says
