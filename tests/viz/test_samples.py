"""Samples that are recorded and pass zeros on; not those that a log-probability takes."""
from __future__ import annotations

from textwrap import indent

import pytest

from tests.viz.test_why import BACKENDS, run

START = """
nn, F = torch.nn, torch.nn.functional
torch.manual_seed(0)
X = torch.randn(16, 5)
body, mean, spread, gate = nn.Linear(5, 6), nn.Linear(6, 3), nn.Linear(6, 3), nn.Linear(6, 3)
net = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 5))
model = nn.ModuleList([body, mean, spread, gate, net])
opt = torch.optim.Adam(model.parameters(), lr=0.01)
def prior(m, s):
    return (m ** 2 + s ** 2 - 2 * s.log() - 1).sum(1).mean() / 2
with watch(model, opt) as seen:
    for step in range(3):
        h = torch.tanh(body(X))
"""
END = """
        opt.zero_grad()
        loss.backward()
        opt.step()
"""
TORCH = BACKENDS[1:]
BROKEN = {  # backends, lines, the parameters that it is told of, words of the fix, an edit
    "a code": (BACKENDS, """
m, s = mean(h), F.softplus(spread(h)) + 0.1
z = torch.normal(m, s)  # here
loss = F.mse_loss(net(z), X) + 0.1 * prior(m, s)""", 6, "std * torch.randn_like(std)",
        {"torch.normal(m, s)": "m + s * torch.randn_like(s)"}),
    "noise of a fixed size": (BACKENDS, """
m = mean(h)
noisy = torch.normal(m, 0.3).tanh()  # here
loss = (net(noisy) - X).abs().mean() + m.pow(2).mean()""", 4, "std * torch.randn_like(mean)",
        {"torch.normal(m, 0.3)": "(m + 0.3 * torch.randn_like(m))"}),
    "a sample without another loss": (BACKENDS, """
loss = F.mse_loss(net(torch.normal(mean(h), 0.5)), X)  # here""", 4, "std * torch.randn_like(mean)",
        {"torch.normal(mean(h), 0.5)": "mean(h) + 0.5 * torch.randn_like(mean(h))"}),
    "gates": (BACKENDS, """
p = torch.sigmoid(gate(h))
g = torch.bernoulli(p)  # here
loss = F.mse_loss(net(g), X) + 0.01 * p.mean()""", 4, "`drawn + p - p.detach()`",
        {"torch.bernoulli(p)": "torch.bernoulli(p); g = g + p - p.detach()"}),
    "counts": (TORCH, """
rate = F.softplus(gate(h))
loss = F.mse_loss(net(torch.poisson(rate)), X) + rate.sum() / 100  # here""", 4, "torch.poisson(p)",
        {"torch.poisson(rate)": "torch.poisson(rate) + rate - rate.detach()"}),
}
ROWS = [(backend, name) for name, row in BROKEN.items() for backend in row[0]]


def train(backend, body):
    return run(backend, START + indent(body.strip(), " " * 8) + END)["seen"]


@pytest.mark.parametrize("backend, name", ROWS)
def test_it_is_named_with_its_line_and_not_after_the_fix(backend, name):
    _, body, count, says, edits = BROKEN[name]
    text = START + body.strip()
    line = 1 + text[:text.index("# here")].count("\n")
    (found,) = [one for one in train(backend, body).verdicts if one.cause == "sample"]
    assert f"(program.py:{line}, `" in found.sentence and "passes zeros on" in found.sentence
    assert found.others == count - 1 and says in found.fixes[0].words
    for old, new in edits.items():
        assert old in body
        body = body.replace(old, new)
    assert "sample" not in {one.cause for one in train(backend, body).verdicts}


HEALTHY = {
    "a policy": """
m, s = mean(h), F.softplus(spread(h)) + 0.1
action = torch.normal(m, s)
chance = -((action - m) / s) ** 2 / 2 - s.log()
loss = -(chance.sum(1) * action.detach().mean(1)).mean() + F.mse_loss(net(action.detach()), X)""",
    "a policy of yes and no": """
p = torch.sigmoid(gate(h))
action = torch.bernoulli(p)
chance = action * p.log() + (1 - action) * (1 - p).log()
loss = -(chance.sum(1) * F.mse_loss(net(action), X, reduction="none").mean(1).detach()).mean()""",
    "straight through": """
p = torch.sigmoid(gate(h))
drawn = torch.bernoulli(p)
loss = F.mse_loss(net(drawn + (p - p.detach())), X)""",
    "noise of data": """
loss = F.mse_loss(net(mean(h)), torch.normal(X, 0.1)) + torch.bernoulli(torch.sigmoid(X)).mean()""",
}


@pytest.mark.parametrize("name", HEALTHY)
@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_meant_raises_no_alarm(backend, name):
    verdicts = train(backend, HEALTHY[name]).verdicts
    assert "sample" not in {one.cause for one in verdicts}, [one.sentence for one in verdicts]
