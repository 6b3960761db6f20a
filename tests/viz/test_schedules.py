"""A LambdaLR that returns a rate in place of a factor: found, cured, and silent on warm-ups."""
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


@pytest.mark.parametrize("body, mended, given, opt", [
    ("rate * 0.95 ** step", "0.95 ** step", "lr_lambda=factor", "Adam"),
    ("rate / (1 + step)", "1 / (1 + step)", "lambda step: rate / (1 + step)", "AdamW"),
    ("0.001 * (1 - step / 100)", "1 - step / 100", "factor", "Adam")])
def test_a_rate_in_place_of_a_factor(body, mended, given, opt):
    text = of(body, given, opt)["run"].text
    assert "no rate: Each of 6 steps" in text and SQUARED in text and "at most 1e-06" in text, text
    named = "rate" if "rate" in body else "0.001"
    assert f"without `{named}`" in text
    fixed = of(mended, given.replace(body, mended), opt)
    assert SQUARED not in fixed["run"].text and fixed["schedule"].base_lrs == [1e-3]
    assert fixed["opt"].param_groups[0]["lr"] > 8e-4 * (1 if "/ (1" not in body else 0.25)


@pytest.mark.parametrize("body, rate, every", [
    ("min(1, (step + 1) / 1000)", 1e-3, 2), ("min(1, (step + 1) / 1000)", 1e-3, 100),
    ("max(1e-3, min(1, step / 10000))", 1e-3, 1), ("0.95 ** step", 1e-3, 1), ("rate ** 0 * 0.5", 1e-3, 1),
    ("0.5 ** (step + 1)", 0.5, 1)])
def test_schedules_whose_first_rate_is_small(body, rate, every):
    assert SQUARED not in (text := of(body, rate=rate, every=every)["run"].text), text
