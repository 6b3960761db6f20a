"""Chapter 10: its rule and formulas, its table of flat losses, the accuracies it quotes, and its helpers."""
import gc
import itertools
import re

import numpy as np
import pytest

import minigrad as torch
from minigrad.book import show_images, training
from minigrad.book.classroom.engine import source as engine_source
from tests.helpers.sentences import Chapter
from tests.helpers.stored_chapters import code_cells, load, source, texts

CHAPTER = Chapter(10)
cross_entropy = torch.nn.functional.cross_entropy


# --- the table of what `p.grad` tells -----------------------------------------------------------------------

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
    "loss = (p - 1) ** 2 + (p - 3) ** 2 + 0 * q": "the messages cancel",
    "loss = p * q * 1e-20 * 1e-20 * 1e-20": "too small for float32"}
STAYS = {
    "pass": "no `step()`", "sgd.zero_grad(); sgd.step()": "`zero_grad()` before it",
    "torch.optim.SGD([q], lr=0.1).step()": "doesn't hold `p`",
    "torch.optim.SGD([p], lr=1e-9).step()": "too small for float32"}


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


@pytest.mark.parametrize(("program", "named"), STAYS.items())
def test_the_table_names_what_keeps_a_weight_with_a_gradient_in_place(program, named):
    p, q = (torch.tensor(value, requires_grad=True) for value in (2., 3.))
    (p * q).backward()
    assert p.grad == 3
    exec(program, {"torch": torch, "p": p, "q": q, "sgd": torch.optim.SGD([p, q], lr=0.1)})
    assert p == 2 and named in row_of_the_table("numbers, but `p` doesn't move")


# --- the accuracies that the chapter prints, and what it says of them ---------------------------------------

def shown_by(code):
    """Return what the one cell with this code shows."""
    cell, = [one for one in code_cells(load(10)) if code in source(one)]
    return "".join("".join(one["text"] if "text" in one else one["data"]["text/plain"])
                   for one in cell["outputs"])


@CHAPTER.says("On the validation set, the accuracy hardly rises any more, so 40 epochs are enough.",
              "the accuracy is over 99 % on the training set, over 98 % on the validation set, and 93 % on "
              "the test set")
def test_the_network_reads_the_last_images_less_well():
    train, valid = ({int(at): float(value) for value, at in re.findall(r"([\d.]+) at epoch (\d+)", line)}
                    for line in shown_by("training(40").splitlines()[-2:])
    assert train[40] > 0.99 and valid[40] > 0.98 and valid[40] - valid[17] < 0.01 < valid[40] - valid[1]
    assert shown_by('print("test:", accuracy(net,').startswith("test: 0.93")


@CHAPTER.says("The first network reads the most images, so choose it. (Its lead is small: two images of "
              "200.)", "A learning rate of 3 is too large: that network reads no more than a guess would, "
              "one image in ten.")
def test_the_chosen_network_reads_most_of_the_validation_set():
    first, *others, fast = [float(line.split()[-1]) for line in shown_by("def trained(").splitlines()]
    assert round(200 * (first - max(others))) == 2 and min(others) > 0.9 and fast <= 0.1


@CHAPTER.says("these three read 1.00 of their training images, and 0.97 or 0.98 of new ones.")
def test_images_that_are_drawn_at_random_are_read_better_than_the_last_ones():
    lines = shown_by("part in (order[:1000]").splitlines()
    assert lines[0] == "train, validation, test" and len(lines) == 4
    assert {tuple(line.split()[::2]) for line in lines[1:]} == {("1.00", "0.97"), ("1.00", "0.98")}


# --- formulas -----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("seed", range(3))
@CHAPTER.says("By the third formula, the derivative of the loss with respect to a score is its probability, "
              "minus 1 for the label.",
              "A step on the scores would raise the label's, and lower all others.")
def test_the_derivative_of_the_cross_entropy_is_the_probability_minus_1_for_the_label(seed):
    rng = np.random.default_rng(seed)
    scores = torch.tensor(rng.normal(size=(1, 10)), requires_grad=True)
    label = int(rng.integers(10))
    cross_entropy(scores, torch.tensor([label])).backward()
    expected = (scores.exp() / scores.exp().sum()).detach().clone()
    expected[0, label] -= 1
    third = scores.exp().sum().log() - scores[0, label]
    assert torch.allclose(torch.autograd.grad(third, scores)[0], expected)
    assert torch.allclose(scores.grad, expected)
    assert [at for at, slope in enumerate(scores.grad[0].tolist()) if slope < 0] == [label]


@CHAPTER.says("This changes neither the probabilities nor the loss.",
              "A probability can still become 0; compute the loss by the third formula.")
def test_a_loss_by_the_third_formula_is_finite_where_a_probability_becomes_0():
    scores = np.array([0., 1000.])
    shifted = scores - scores.max()
    assert np.exp(shifted)[0] == 0 and np.log(np.exp(shifted).sum()) - shifted[0] == 1000
    engine = {}
    exec(engine_source(10), engine)
    assert engine["Tensor"]([scores]).cross_entropy(np.array([0])).data == 1000


@pytest.mark.parametrize("seed", range(10))
@CHAPTER.says("If `X` and `W` are matrices, the node of `Y = X @ W` that receives `g` sends `g @ W.T` to "
              "`X` and `X.T @ g` to `W`, if they require a gradient.",
              "So `W[k, j]` receives the sum of `X[i, k] * g[i, j]` over `i`")
def test_a_matrix_product_sends_what_the_rule_says(seed):
    rng = np.random.default_rng(seed)
    rows, inner, columns = rng.integers(1, 5, 3)
    X, W = (torch.tensor(rng.normal(size=shape), requires_grad=True)
            for shape in ((rows, inner), (inner, columns)))
    g = torch.tensor(rng.normal(size=(rows, columns)))
    for_X, for_W = (X @ W).grad_fn(g)
    assert torch.allclose(for_X, g @ W.T) and torch.allclose(for_W, X.T @ g)
    j, k = int(rng.integers(columns)), int(rng.integers(inner))
    assert torch.allclose(for_W[k, j], sum(X[i, k] * g[i, j] for i in range(rows)))
    assert (X.detach() @ W).grad_fn(g)[0] is None and (X @ W.detach()).grad_fn(g)[1] is None


# --- what the chapter calls ---------------------------------------------------------------------------------

def test_training_shows_its_curves_and_several_in_one_panel(capsys, monkeypatch):
    monkeypatch.setenv("MINIGRAD_BOOK", "text")
    run = training(2, "epoch")
    for epoch in run:
        run.show(loss=4. / 2 ** epoch, accuracy={"train": epoch, "test": torch.tensor(epoch / 2)})
    assert capsys.readouterr().out == ("2 of 2 epochs\nloss: 4 at epoch 1, 2 at epoch 2\n"
                                       "accuracy, train: 0 at epoch 1, 1 at epoch 2\n"
                                       "accuracy, test: 0 at epoch 1, 0.5 at epoch 2\n")
    assert 'alt="2 of 2 epochs' in run.shown.html
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
