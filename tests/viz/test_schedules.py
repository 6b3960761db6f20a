"""Rates that are squared, and rates that rise again: found, cured, and silent on what is meant."""
from __future__ import annotations

import pytest

from tests.viz.test_why import run

START = """
torch.manual_seed(0)
nn = torch.nn
X, Y = torch.randn(16, 6), torch.randn(16, 2)
net = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 2))
rate = {rate}
opt = torch.optim.{opt}(net.parameters(), lr=rate)
def factor(step):
    return {body}
schedule = torch.optim.lr_scheduler.LambdaLR(opt, {given})
with watch(net, opt) as run:
    for step in range(6):
        opt.zero_grad()
        (net(X) - Y).pow(2).mean().backward()
        opt.step()
        if step % {every} == {every} - 1: schedule.step()
"""
SQUARED = "returns by the rate of opt"


def of(body, given="factor", opt="Adam", rate=1e-3, every=2):
    pytest.importorskip("torch")
    return run("torch", START.format(body=body, given=given, opt=opt, rate=rate, every=every))


@pytest.mark.parametrize("body, repaired, given, opt", [
    ("rate * 0.95 ** step", "0.95 ** step", "lr_lambda=factor", "Adam"),
    ("rate / (1 + step)", "1 / (1 + step)", "lambda step: rate / (1 + step)", "AdamW"),
    ("0.001 * (1 - step / 100)", "1 - step / 100", "factor", "Adam")])
def test_a_rate_in_place_of_a_factor(body, repaired, given, opt):
    text = of(body, given, opt)["run"].text
    assert "no rate: Each of 6 steps" in text and SQUARED in text and "at most 1e-06" in text, text
    named = "rate" if "rate" in body else "0.001"
    assert f"without `{named}`" in text
    fixed = of(repaired, given.replace(body, repaired), opt)
    assert SQUARED not in fixed["run"].text and fixed["schedule"].base_lrs == [1e-3]
    assert fixed["opt"].param_groups[0]["lr"] > 8e-4 * (1 if "/ (1" not in body else 0.25)


@pytest.mark.parametrize("body, rate, every", [
    ("min(1, (step + 1) / 1000)", 1e-3, 2), ("min(1, (step + 1) / 1000)", 1e-3, 100),
    ("max(1e-3, min(1, step / 10000))", 1e-3, 1), ("0.95 ** step", 1e-3, 1), ("rate ** 0 * 0.5", 1e-3, 1),
    ("0.5 ** (step + 1)", 0.5, 1)])
def test_schedules_whose_first_rate_is_small(body, rate, every):
    assert SQUARED not in (text := of(body, rate=rate, every=every)["run"].text), text


# --- a cosine whose T_max counts epochs, and whose step() runs for each batch

EPOCHS = """
torch.manual_seed(0)
nn = torch.nn
X, Y = torch.randn(40, 6), torch.randn(40, 2)
net = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 2))
num_epochs, batch = 6, 8
class Config:
    def __init__(self):
        self.epochs = 6
config = Config()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
S = torch.optim.lr_scheduler
schedule = {made}
def step(at):
    opt.zero_grad()
    (net(X[at:at + batch]) - Y[at:at + batch]).pow(2).mean().backward()
    opt.step()
{run}
"""
NESTED = """
with watch(net, opt) as run:
    for epoch in range({epochs}):
        for at in range(0, 40, batch):
            step(at)
            {each}
        {after}
"""
IN_FUNCTION = """
def train_epoch():
    for at in range(0, 40, batch):
        step(at)
        {each}
    {after}
with watch(net, opt) as run:
    for epoch in range(1, {epochs}):
        train_epoch()
"""
MADE = "S.CosineAnnealingLR(opt, T_max=num_epochs)"
BY_BATCH = ("schedule.step()", "pass")


def epochs(made=MADE, program=NESTED, count="num_epochs", each="schedule.step()", after="pass"):
    pytest.importorskip("torch")
    return run("torch", EPOCHS.format(made=made, run=program.format(epochs=count, each=each, after=after)))


@pytest.mark.parametrize("made, program, count", [
    (MADE, NESTED, "num_epochs"), ("S.CosineAnnealingLR(opt, 6, eta_min=1e-4)", NESTED, "6"),
    ("S.CosineAnnealingLR(opt, config.epochs)", IN_FUNCTION, "config.epochs + 1")])
def test_a_cosine_that_counts_epochs_and_is_stepped_by_batch(made, program, count):
    found = epochs(made, program, count)
    verdict, = found["run"].verdicts
    assert verdict.cause == "rate rises" and verdict.others == 3, found["run"].text
    assert "was called 30 times" in verdict.sentence and "With T_max=6" in verdict.sentence
    rates = [0.1 * (1 + __import__("math").cos(3.14159265 * at / 6)) / 2 for at in range(31)]
    rises = sum(before >= low < after for before, low, after in zip(rates, rates[1:], rates[2:]))
    assert f"until now {rises} times" in verdict.sentence
    repaired = epochs(made, program, count, "pass", "schedule.step()")
    assert repaired["run"].verdicts == [] and repaired["schedule"].get_last_lr()[0] < 1e-3
    longer = made.replace("num_epochs", "30").replace("6", "30").replace("config.epochs", "30")
    longer = epochs(longer, program, count)
    assert longer["run"].verdicts == [] and longer["schedule"].get_last_lr()[0] < 1e-3


@pytest.mark.parametrize("given", [
    {"each": "pass", "after": "schedule.step()"},
    {"made": "S.CosineAnnealingLR(opt, T_max=num_epochs * 5)"},
    {"made": "S.CosineAnnealingLR(opt, T_max=len(range(0, 40, batch)))"},  # a cycle in each epoch
    {"made": "S.CosineAnnealingLR(opt, T_max=3)"},
    {"made": "S.CosineAnnealingWarmRestarts(opt, T_0=num_epochs)"},
    {"made": "S.CosineAnnealingWarmRestarts(opt, num_epochs)", "each": "schedule.step(epoch + at / 40)"},
    {"made": "S.CyclicLR(opt, 1e-3, 0.1, step_size_up=6)"},
    {"made": "S.OneCycleLR(opt, 0.1, total_steps=num_epochs * 5)"},
    {"made": "S.CosineAnnealingLR(opt, T_max=5)", "count": "5", "program": NESTED},  # 5 batches in each of 5
    {"each": "schedule.step() if at == 32 else None"},
    {"made": "S.StepLR(opt, num_epochs, gamma=0.9)"}], ids=str)
def test_rates_that_rise_on_purpose_or_not_at_all(given):
    text = epochs(**given)["run"].text
    assert "rate rises" not in text, text


def test_a_gamma_of_0_is_named_with_its_line():
    made = ("0\nif num_epochs > 9:\n    schedule = S.StepLR(opt, 2, gamma=0.5)\nelse:\n"
            "    schedule = S.StepLR(opt, 2, gamma=0)")
    found = epochs(made, each="pass", after="schedule.step()")
    verdict, = found["run"].verdicts
    assert verdict.cause == "no rate" and "a StepLR with gamma=0 (program.py:17," in verdict.sentence
    assert verdict.line.line == 17 and "gamma above 0" in verdict.fixes[0].words
    fixed = epochs(made.replace("gamma=0)", "gamma=1)"), each="pass", after="schedule.step()")
    assert fixed["run"].verdicts == [] and fixed["schedule"].get_last_lr()[0] == 0.1
