"""Predictions in a row against targets in a column, found from shapes; not where all pairs are meant."""
from __future__ import annotations

import pytest

from tests.viz.test_why import BACKENDS, run

START = """
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
X, Y = torch.randn(6, 3), torch.rand(6, 1)
with watch(net) as run:
    def step():
"""
ROW = "{}        loss = (net(X).squeeze(-1) - Y).pow(2).mean()  # here\n"
PRODUCT = "{}        loss = -(net(X).tanh() * Y.squeeze(1)).mean()  # here\n"
END = """
        loss.backward()
    step()
told = why(net[0].weight)
"""


def told(backend, text):
    scope = run(backend, START + text.format("") + END)
    return scope["told"]


def test_targets_in_a_column_that_the_graph_does_not_show():
    pytest.importorskip("torch")
    found = told("torch", ROW)
    assert found.cause == "broadcast" and "(program.py:7, `" in found.text
    assert "broadcasts (6,) against 6 numbers in a column to (6, 6)" in found.text
    assert told("torch", ROW.replace("- Y)", "- Y.squeeze(-1))")).cause == "healthy"


def test_targets_in_a_column_of_a_loss_function():
    pytest.importorskip("torch")
    text = "        loss = torch.nn.functional.mse_loss(net(X).squeeze(-1), Y)\n"
    assert told("torch", text).cause == "broadcast"
    assert told("torch", text.replace("Y)", "Y.squeeze(-1))")).cause == "healthy"


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_column_times_a_row(backend):
    found = told(backend, PRODUCT)
    assert found.cause == "broadcast" and "(program.py:7, `" in found.text
    assert "each number of one is combined with each of the other" in found.text
    assert told(backend, PRODUCT.replace("Y.squeeze(1)", "Y")).cause == "healthy"


POLICY = """{}        scores = torch.log_softmax(net[0](X), 1)
        chosen = scores.PICKED
        advantage = Y - 0.5
        loss = -(chosen * advantage).mean()  # here
"""
PICKED = ["gather(1, torch.ones(6, 1, dtype=torch.int64)).squeeze(1)", "sum(1)"]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("picked", PICKED)
def test_one_number_of_each_row_times_a_column(backend, picked):
    text = POLICY.replace("PICKED", picked)
    found = told(backend, text)
    assert found.cause == "broadcast" and "(program.py:10, `" in found.text
    assert "broadcasts (6,) against 6 numbers in a column to (6, 6)" in found.text
    for right in ("chosen * advantage.squeeze(1)", "chosen * advantage[:, None]",
                  "chosen.unsqueeze(1) * advantage"):
        assert told(backend, text.replace("chosen * advantage", right)).cause == "healthy", right


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("text", [
    "        loss = (net(X).squeeze(1) - Y.squeeze(1)[:, None]).abs().mean()\n",
    "        loss = (net(X).squeeze(1).unsqueeze(1) - Y.squeeze(1)).abs().mean()\n",
    "        loss = (net(X).squeeze(1) * Y.view(-1, 1)).mean()\n",
    "        s = net(X)\n        loss = (s - s.squeeze(1)).clamp(min=0).mean()\n",
    "        scale = torch.ones(1, 1)\n        loss = (net(X).squeeze(1) * scale).mean()\n",
    "        loss = (torch.eye(6) * net(X).squeeze(1)).mean()\n",
])
def test_pairs_that_are_meant(backend, text):
    assert told(backend, text).cause == "healthy"


WEIGHTED = """
torch.manual_seed(0)
nn, F = torch.nn, torch.nn.functional
X, weights, classes = torch.randn(6, 3), torch.rand(6, 1) + 0.1, torch.tensor([0, 1, 1, 0, 1, 0])
Y = torch.randn(6)
net = NET
opt = torch.optim.SGD(net.parameters(), lr=0.01)
with watch(net, opt) as run:
    for step in range(2):
        opt.zero_grad()
        out = net(X)
        loss = LOSS  # here
        loss.backward()
        opt.step()
"""
OUTER = [  # the model, a loss with an outer product, and what is written in its place
    ("nn.Linear(3, 1)", "(weights * (out.squeeze(1) - Y) ** 2).mean()"),
    ("nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))",
     "(F.cross_entropy(out, classes, reduction='none') * weights).sum() / 6"),
    ("nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))",
     "((out[:, 0] - Y).abs() / weights).mean()"),
    ("nn.Linear(3, 4)", "(out.pow(2).sum(1) + weights).mean()"),
]


@pytest.mark.parametrize("net, loss", OUTER)
@pytest.mark.parametrize("backend", BACKENDS)
def test_one_number_of_each_row_meets_a_column_of_weights(backend, net, loss):
    text = WEIGHTED.replace("NET", net)
    if backend != "torch" and "+ weights" in loss:
        return  # what a sum met is seen on PyTorch alone
    found = run(backend, text.replace("LOSS", loss))
    verdict, = found["run"].verdicts
    assert verdict.cause == "broadcast" and "(program.py:12, `" in verdict.sentence, verdict
    assert "broadcasts (6,) against 6 numbers in a column to (6, 6)" in verdict.sentence
    assert ".squeeze(1)` on the column" in verdict.fixes[0].words
    mended = run(backend, text.replace("LOSS", loss.replace("weights", "weights.squeeze(1)")))
    assert mended["run"].verdicts == []


def test_two_computed_operands():
    text = WEIGHTED.replace("NET", "nn.Linear(3, 2)")
    loss = "((out[:, 0] - Y) ** 2 / (out[:, 1:] ** 2 + 1)).mean()"
    for backend in BACKENDS:
        verdict, = run(backend, text.replace("LOSS", loss))["run"].verdicts
        assert verdict.cause == "broadcast"
        assert run(backend, text.replace("LOSS", loss.replace("1:]", "1]")))["run"].verdicts == []


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("loss", [
    "((out @ out.T).softmax(1) @ out).mean()",  # attention
    "(out.pow(2).sum(1, keepdim=True) + out.pow(2).sum(1) - 2 * out @ out.T).mean()",
    "(-(out.pow(2).sum(1)[:, None] + out.pow(2).sum(1) - 2 * (out @ out.T))).exp().mean()",
    "((out @ out.T) / (out.norm(dim=1, keepdim=True) * out.norm(dim=1))).mean()",
    "((out.norm(dim=1, keepdim=True) * out.norm(dim=1)) / (out @ out.T)).abs().mean()",
    "(out.norm(dim=1, keepdim=True) - out.norm(dim=1, keepdim=True).squeeze(1)).abs().mean()",
    "((out[:, 0].view(6, 1) - out[:, 0]) * (1 - torch.eye(6))).clamp(min=0).mean()",
    "F.cross_entropy(out @ out.T, torch.arange(6))",
    "(net[2](net[1](net[0](X)))[:, :1] - Y[:, None].T).abs().mean()",
    "(out[:, :1] * weights).mean()",
    "((out @ out.T - (Y.view(6, 1) == Y).float()) ** 2).mean()",
])
def test_squares_that_are_meant(backend, loss):
    text = WEIGHTED.replace("NET", "nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 4))")
    found = run(backend, text.replace("LOSS", loss))["run"]
    assert "broadcast" not in {one.cause for one in found.verdicts}, found.text


@pytest.mark.parametrize("backend", BACKENDS)
def test_pairs_of_predictions_and_of_these_with_targets_in_a_row(backend):
    text = WEIGHTED.replace("NET", "nn.Linear(3, 1)")
    loss = "(out - Y[:, None].T).abs().mean() - 0.5 * (out - out.T).abs().mean()"
    assert run(backend, text.replace("LOSS", loss))["run"].verdicts == []
    if backend == "torch":
        row = text.replace("LOSS", "(out - line).abs().mean()")
        row = row.replace("Y =", "line = torch.randn(1, 6)\nY =")
        assert run(backend, row)["run"].verdicts == []
        assert run(backend, row.replace("(1, 6)", "(6)"))["run"].verdicts[0].cause == "broadcast"


NOT_CALLED = """
X, Y = torch.linspace(-1, 1, 9), torch.linspace(-2, 3, 9)
def right():
    other = torch.nn.Linear(1, 1)
    loss = ((other(X.view(9, 1)) - Y.view(9, 1)) ** 2).mean()
    loss.backward()
later = {"right": lambda: right()}
def passes(loss):
    loss.backward()
net = torch.nn.Linear(1, 1)
loss = ((net(X.view(9, 1)) - Y) ** 2).mean()
passes(loss)
told = why(net.weight)
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_line_is_not_that_of_a_function_which_only_a_lambda_would_call(backend):
    found = run(backend, NOT_CALLED)["told"]
    assert found.cause == "broadcast" and "(program.py:11, `" in found.text


BRANCHING = [  # losses of d that several operations take
    "torch.where(d.abs() < 1, d ** 2 / 2, d.abs() - 0.5).mean()",
    "(0.5 * torch.minimum(d.abs(), one) ** 2 + (d.abs() - torch.minimum(d.abs(), one))).sum() / 6",
    "(torch.maximum(0.9 * d, -0.1 * d)).mean()",
    "d.abs().mean() + 0.5 * d.pow(2).mean()",
]
MEANT = [  # lines before, and losses in which several operations take a table of pairs
    ("s = net(X)\n        d = s - s.squeeze(1)", "torch.where(d.abs() < 0.1, d ** 2, d.abs()).mean()"),
    ("d = net(X) - Y", "torch.where(d.abs() < 1, d ** 2, d.abs()).mean()"),
    ("d, near = net(X) - Y.squeeze(1), torch.eye(6)", "(near * d ** 2 + (1 - near) * d.abs()).mean()"),
    ("d = net(X) - Y.squeeze(1)", "(d ** 2).amin(1).mean() + d.abs().amin(0).mean()"),
]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("loss", BRANCHING)
@pytest.mark.parametrize("layer", ["torch.nn.Linear(3, 1)", ""])
def test_several_operations_take_the_differences(backend, loss, layer):
    text = (f"        one = torch.tensor(1.0)\n        d = net(X) - Y.squeeze(1)  # here\n"
            f"        loss = {loss}\n")
    start = START.replace("net = ", f"net = {layer} #" if layer else "net = ")
    weight = "net.weight" if layer else "net[0].weight"
    end = END.replace("net[0].weight", weight)
    found = run(backend, start + text + end)["told"]
    assert found.cause == "broadcast" and "(program.py:8, `" in found.text, found.text
    right = text.replace("Y.squeeze(1)", "Y")
    assert run(backend, start + right + end)["told"].cause == "healthy"


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("before, loss", MEANT)
def test_several_operations_take_pairs_that_are_meant(backend, before, loss):
    found = told(backend, f"        {before}\n        loss = {loss}\n")
    assert found.cause == "healthy", found.text
