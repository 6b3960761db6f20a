"""Sentences of the symptom pages that no program there prints: each is measured here, on both libraries."""
import importlib
import math
import warnings
from importlib.util import find_spec

import pytest

from minigrad.book.build.reader.measuring import noted, outcome, ran, repaired
from minigrad.book.content.cases.symptoms import SYMPTOMS
from minigrad.book.content.cases.symptoms.symptom import edited

CAUSES = {(symptom.slug, cause.slug): cause for symptom in SYMPTOMS for cause in symptom.causes}
LOOKS = {(symptom.slug, look.measurement): look for symptom in SYMPTOMS for look in symptom.looks}
BOTH = pytest.mark.parametrize("library", ["minigrad", *(["torch"] if find_spec("torch") else [])])


def says(symptom, cause, words):
    """Fail if the page no longer has the sentence that a test is about."""
    one = CAUSES[symptom, cause]
    text = " ".join([one.what, *(f"{remedy.words} {remedy.price}" for remedy in one.remedies)])
    assert words in text, f"{words!r} isn't on the page of {symptom}, {cause}"


def after(library, code):
    """The names of a program after it has run."""
    names = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(f"import {library} as torch\n{code}", names)
    return names


def losses(library, code):
    """The loss of each step of a program."""
    kept = "    loss.backward()\n    told.append(loss.item())\n"
    changed = edited(code, ("for step", "told = []\nfor step"), ("    loss.backward()\n", kept))
    return after(library, changed)["told"]


# --- the loss doesn't fall

@BOTH
def test_floor_and_ceil_have_the_slope_of_round(library):
    says("flat-loss", "rounded", "`floor()` and `ceil()` have the same effect")
    torch = importlib.import_module(library)
    for name in ("round", "floor", "ceil"):
        x = torch.tensor([0.3, 1.6], requires_grad=True)
        getattr(x, name)().sum().backward()
        assert x.grad.tolist() == [0., 0.]


@BOTH
def test_dead_relus_leave_the_mean_of_the_targets(library):
    says("flat-loss", "dead", "until it is the mean of the targets")
    names = after(library, CAUSES["flat-loss", "dead"].code)
    assert not names["model"][1](names["model"][0](names["x"])).any()
    assert names["model"][2].bias.item() == pytest.approx(names["y"].mean().item(), abs=1e-3)


@BOTH
def test_a_tiny_rate_lowers_the_loss_in_every_step(library):
    says("flat-loss", "rate", "falls in every step, but by about 0.00005")
    told = losses(library, CAUSES["flat-loss", "rate"].code)
    assert all(later < earlier for earlier, later in zip(told, told[1:]))
    assert (told[0] - told[-1]) / 99 == pytest.approx(0.00005, abs=0.000005)
    assert round(told[0], 2) - round(told[-1], 2) <= 0.011
    assert {round(loss, 2) for loss in told[:10]} == {round(told[0], 2)}


@BOTH
def test_the_drawers_of_a_model_that_the_optimizer_does_not_hold_contain_the_sum(library):
    for symptom, slug in (("flat-loss", "copied"), ("one-weight", "late")):
        says(symptom, slug, "contains the sum of all gradients so far")
    code = CAUSES["flat-loss", "copied"].code
    first = after(library, code.replace("range(100)", "range(1)"))["model"]
    last = after(library, code)["model"]
    assert last[2].bias.grad.item() == pytest.approx(100 * first[2].bias.grad.item(), rel=1e-4)


# --- one weight doesn't move

@BOTH
def test_a_state_dict_lacks_layers_in_a_list(library):
    says("one-weight", "unlisted", "`state_dict()` doesn't contain these layers either")
    says("one-weight", "unlisted", "a `state_dict()` that was saved before lacks these layers")
    cause = CAUSES["one-weight", "unlisted"]
    saved = after(library, cause.code)["model"].state_dict()
    model = after(library, repaired(cause))["model"]
    assert not [name for name in saved if name.startswith("layers")]
    with pytest.raises(RuntimeError, match="Missing key"):
        model.load_state_dict(saved)


@BOTH
def test_data_and_detach_cut_as_item_does_and_a_nudge_still_shows_a_slope(library):
    says("one-weight", "cut", "`.data` and `.detach()` have the same effect")
    says("one-weight", "cut", "A nudge of the gain shows a slope, while its drawer is `None`")
    for way in ("self.gain.item()", "self.gain.data", "self.gain.detach()"):
        names = after(library, edited(CAUSES["one-weight", "cut"].code, ("self.gain.item()", way)))
        assert names["model"].gain.grad is None
        told = []
        for nudge in (0.01, -0.02):
            names["model"].gain.data += nudge
            told.append(((names["model"](names["x"]) - names["y"]) ** 2).mean().item())
        assert abs(told[0] - told[1]) > 1e-5


# --- NaN after a while

@BOTH
def test_the_spread_of_one_row_warns(library):
    says("nan", "one-row", "`std` warns about degrees of freedom")
    torch = importlib.import_module(library)
    with pytest.warns(UserWarning, match="degrees of freedom"):
        assert math.isnan(torch.tensor([1.]).std().item())


@BOTH
def test_the_sigmoid_of_17_is_1(library):
    says("nan", "log", "the sigmoid of 17 is exactly 1")
    torch = importlib.import_module(library)
    assert torch.sigmoid(torch.tensor(17.)).item() == 1. != torch.sigmoid(torch.tensor(16.)).item()


@BOTH
def test_a_clamp_removes_gradients_outside_its_limits(library):
    says("nan", "log", "exactly 0, even if its prediction is wrong")
    says("nan", "where", "the slope is 0 between 0 and 0.000001, where the square root is very steep")
    torch = importlib.import_module(library)
    score = torch.tensor(20., requires_grad=True)
    (-(1 - torch.sigmoid(score).clamp(1e-6, 1 - 1e-6)).log()).backward()    # the target is 0
    assert score.grad.item() == 0.
    z = torch.tensor([5e-7, 4e-6], requires_grad=True)
    z.clamp(min=1e-6).sqrt().sum().backward()
    assert z.grad[0].item() == 0. and z.grad[1].item() == pytest.approx(250, rel=1e-3)


# --- good in training, bad in the test

@BOTH
def test_unscaled_inputs_and_sorted_rows_give_one_answer(library):
    says("bad-test", "unscaled", "gives the same answer for all of them")
    says("bad-test", "sorted", "learns to answer 0 for every input")
    for slug in ("unscaled", "sorted"):
        names = after(library, CAUSES["bad-test", slug].code)
        answers = set(names["model"](names["test_x"]).argmax(1).tolist())
        assert len(answers) == 1
        assert slug == "unscaled" or answers == {0}


@BOTH
def test_numbers_about_running_statistics_and_weights(library):
    says("bad-test", "lag", "After 40 steps, they have gone a third of the way")
    says("bad-test", "few", "has 210 weights and only 16 training rows")
    assert 1 - 0.99 ** 40 == pytest.approx(1 / 3, abs=0.01)
    names = after(library, CAUSES["bad-test", "few"].code)
    assert sum(weight.numel() for weight in names["model"].parameters()) == 210
    assert len(names["train_x"]) == 16


# --- fine until I added ...

@BOTH
def test_a_softmax_before_cross_entropy_keeps_the_loss_up(library):
    says("added", "softmax", "can't fall below log(1 + 2/e), which is 0.5514")
    says("added", "softmax", "the loss is infinite as soon as a probability is exactly 0")
    torch = importlib.import_module(library)
    certain = torch.tensor([[1., 0., 0.]])
    label = torch.tensor([0])
    assert torch.nn.functional.cross_entropy(certain, label).item() == pytest.approx(0.5514, abs=1e-4)
    assert math.log(1 + 2 / math.e) == pytest.approx(0.5514, abs=1e-4)
    assert torch.nn.functional.nll_loss(torch.tensor([[0., 1.]]).log(), label).item() == math.inf


@BOTH
def test_a_smaller_rate_is_no_remedy_with_weight_decay_or_clipping(library):
    says("added", "parts", "correct for plain SGD, but not with weight decay or clipping")
    cause = CAUSES["added", "parts"]
    for old, new in ((")\n\ndef", ", weight_decay=0.1)\n\ndef"),
                     ("    optimizer.step()", "    torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)\n"
                                              "    optimizer.step()")):
        mean, rate = (after(library, repaired(cause, at).replace(old, new, 1))["model"][0].weight
                      for at in range(2))
        assert (mean - rate).abs().max().item() > 0.01


def test_the_nudges_of_a_healthy_script_with_dropout_differ():
    says("added", "dropout", "The nudges of a healthy script with dropout differ as well")
    look = LOOKS["added", "nudge"]
    ill, healthy = (outcome(look, noted(code, look)) for code in (
        CAUSES["added", "dropout"].code, repaired(CAUSES["added", "dropout"])))
    assert ill is healthy and "differ" in ill.words


@BOTH
def test_noise_that_stays_is_twice_the_data(library):
    says("added", "noise", "After 100 steps, its spread is about twice that of the data")
    code = edited(CAUSES["added", "noise"].code, ("model =", "kept = train_x.clone()\nmodel ="))
    names = after(library, code)
    assert (names["train_x"] - names["kept"]).std().item() == pytest.approx(
        2 * names["kept"].std().item(), rel=0.1)


@BOTH
def test_an_average_that_shares_memory_shrinks_the_weights(library):
    says("added", "average", "each step makes all weights smaller by nine percent")
    names = after(library, edited(CAUSES["added", "average"].code, ("lr=0.5", "lr=0."),
                                  ("range(100)", "range(1)"),
                                  ("optimizer = ", "old = model[0].weight.detach().clone()\noptimizer = ")))
    assert (names["model"][0].weight / names["old"]).mean().item() == pytest.approx(0.91, abs=1e-5)


# --- slower every epoch

@BOTH
def test_without_retain_graph_the_second_step_fails(library):
    says("slower", "smooth", "Without `retain_graph=True`, the second step raises an error")
    code = CAUSES["slower", "smooth"].code
    done = ran(edited(code, ("retain_graph=True", "")), f"import {library} as torch\n")
    assert "backward through the graph a second time" in done.message
    assert not ran(edited(code, ("retain_graph=True", ""), ("range(20)", "range(1)")),
                   f"import {library} as torch\n").message


@BOTH
def test_a_sum_of_losses_adds_all_earlier_gradients(library):
    says("slower", "total", "adds all of their gradients to the drawers again")
    code = edited(CAUSES["slower", "total"].code, ("lr=0.1", "lr=0."))
    first, last = (after(library, code.replace("range(20)", f"range({steps})"))["model"].bias.grad.item()
                   for steps in (1, 20))
    assert last == pytest.approx(20 * first, rel=1e-4)
