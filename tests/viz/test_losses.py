"""A loss that is given what is no probability, or no logarithm of one: what was measured, and the fix."""
from __future__ import annotations

import pytest

from tests.viz.test_why import run

START = """
torch.manual_seed(0)
nn, F = torch.nn, torch.nn.functional
X, labels, aims = torch.randn(16, 6), torch.randint(0, 4, (16,)), torch.softmax(torch.randn(16, 4), 1)
model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 4))
opt = torch.optim.{opt}(model.parameters(), lr=1e-4)
with watch(model, opt) as run:
    for step in range(3):
        loss = {loss}
        opt.zero_grad()
        loss.backward()
        opt.step()
"""
MIXED = "(torch.softmax(model(X), 1) + torch.softmax(model(-X), 1)) / 2"
# name: (the optimizer, the loss, the words, its edits, the loss that is meant)
PROGRAMS = {
    "kl_div of softmax": (
        "Adam", 'F.kl_div(model(X).softmax(-1), aims, reduction="batchmean")',
        "made: in a call that was measured, the numbers of its input are between ",
        {"model(X).softmax(-1)": "model(X).log_softmax(-1)"},
        'torch.sum(aims * (aims.log() - model(X).log_softmax(1))) / 16'),
    "kl_div of scores": (
        "SGD", 'F.kl_div(model(X) * 9, aims, reduction="batchmean")', "its input has numbers up to ",
        {"model(X) * 9": "F.log_softmax(model(X) * 9, 1)"}, "F.cross_entropy(model(X) * 9, aims)"),
    "kl_div to a teacher's logarithms": (
        "SGD", 'F.kl_div(F.log_softmax(model(X), 1), aims.log(), reduction="sum")',
        "its target has numbers down to -", {'"sum"': '"sum", log_target=True'},
        "F.cross_entropy(model(X), aims) * 16"),
    "log_target with probabilities": (
        "Adam", "F.kl_div(F.log_softmax(model(X), 1), aims, log_target=True)", "its target are between",
        {", log_target=True": ""}, "F.cross_entropy(model(X), aims) / 4"),
    "cross_entropy of a mixture": (
        "Adam", f"F.cross_entropy({MIXED}, labels)", "cross_entropy() (program.py:9, `",
        {MIXED: f"({MIXED}).log()"}, f"F.nll_loss(({MIXED}).log(), labels)"),
}
WANTED = {  # what the loss was not given
    **dict.fromkeys(PROGRAMS, "no logarithms"), "kl_div to a teacher's logarithms": "no probabilities",
    "cross_entropy of a mixture": "no scores",
}
TWICE = {
    "cross_entropy of limited probabilities": "F.cross_entropy(model(X).softmax(1).clamp(1e-6, 1), labels)",
    "logits of a column of sigmoid": (
        "F.binary_cross_entropy_with_logits(torch.sigmoid(model(X))[:, 0].clamp(0.01, 0.99), aims[:, 0])"),
}
HEALTHY = {
    "classes with probabilities": "F.cross_entropy(model(X), aims)",
    "kl_div": 'F.kl_div(F.log_softmax(model(X) / 2, 1), aims, reduction="batchmean") * 4',
    "log_target": "F.kl_div(F.log_softmax(model(X), 1), aims.log(), log_target=True)",
    "log_softmax again": "F.cross_entropy(F.log_softmax(model(X), 1), labels)",
    "scores between 0 and 1": "F.binary_cross_entropy_with_logits(model(X) * 0.01 + 0.5, aims)",
}


def of(loss, opt="Adam", edits=()):
    pytest.importorskip("torch")
    for old, new in dict(edits).items():
        assert old in loss
        loss = loss.replace(old, new)
    return run("torch", START.format(opt=opt, loss=loss))


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_was_given_and_the_fix(name):
    opt, loss, words, edits, meant = PROGRAMS[name]
    text = of(loss, opt)["run"].text
    assert words in text and f"{WANTED[name]}: " in text, text
    fixed, right = of(loss, opt, edits), of(meant, opt)
    assert "Nothing wrong" in fixed["run"].text
    for one, other in zip(fixed["model"].parameters(), right["model"].parameters()):
        assert one.grad.allclose(other.grad, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("name", TWICE)
def test_softmax_or_sigmoid_that_is_limited_first(name):
    text = of(TWICE[name])["run"].text
    assert "is taken twice" in text, text


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_loss_that_looks_alike(name):
    assert "Nothing wrong" in of(HEALTHY[name])["run"].text
