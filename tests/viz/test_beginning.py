"""A first pass at flat ends, and class weights that rise with the rows: found, cured, silent elsewhere."""
from __future__ import annotations

import pytest

from tests.viz.test_why import BACKENDS, run

START = """
torch.manual_seed(0)
nn, F = torch.nn, torch.nn.functional
X, Y = torch.randn(40, 12), torch.randint(0, 4, (40,))
"""
LOOP = """
opt = torch.optim.SGD(net.parameters(), lr=0.01)
with watch(net, opt) as run:
    for step in range(3):
        opt.zero_grad()
        F.cross_entropy(net(X), Y).backward()
        opt.step()
"""
TANH = START + """
def begin(m):
    if isinstance(m, nn.Linear):
        torch.nn.init.normal_(m.weight)  # here
net = nn.Sequential(nn.Linear(12, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 4))
net.apply(begin)
"""
SIGMOID = START + """
class Wide(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.randn(12, 80) * 4)
        self.b = nn.Parameter(torch.randn(80, 4) * 3)
    def forward(self, x):
        return torch.sigmoid(x @ self.a) @ self.b
net = Wide()
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_weights_that_are_too_large(backend):
    scope = run(backend, TANH + LOOP + "told = why(net)")
    verdict, = scope["run"].verdicts
    assert verdict.cause == "starts saturated" and "72 % of" not in verdict.sentence
    assert "of the results of each of 2 TanhBackward0" in verdict.sentence
    assert "where 1 / sqrt(12) is 0.289 and Xavier's standard deviation 0.213" in verdict.sentence
    line = next(at for at, one in enumerate(TANH.splitlines(), 1) if one.endswith("# here"))
    assert f"net.0.weight was filled (program.py:{line}, `" in verdict.sentence
    assert "gradients" in scope["told"].title and "net: In the first pass" in scope["told"].text
    assert "`nn.init.xavier_uniform_(net[0].weight)` and" in verdict.fixes[0].words
    fixed = TANH.replace("init.normal_(m", "init.xavier_uniform_(m")
    assert run(backend, fixed + LOOP)["run"].verdicts == []


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_product_that_the_program_writes(backend):
    verdict, = run(backend, SIGMOID + LOOP)["run"].verdicts
    assert verdict.cause == "starts saturated" and "net.a 3.9" in verdict.sentence, verdict.sentence
    assert "1 SigmoidBackward0" in verdict.sentence and "1 / sqrt(12)" in verdict.sentence
    fixed = run(backend, SIGMOID + "nn.init.xavier_uniform_(net.a)\nnn.init.xavier_uniform_(net.b)" + LOOP)
    assert fixed["run"].verdicts == []


def test_a_convolution_and_a_binary_loss():
    pytest.importorskip("torch")
    text = START + """
net = nn.Sequential(nn.Unflatten(1, (1, 12)), nn.Conv1d(1, 40, 5), nn.Tanh(), nn.Flatten(),
                    nn.Linear(320, 1), nn.Flatten(0))
for p in net.parameters(): nn.init.uniform_(p, -3, 3)
""" + LOOP.replace("F.cross_entropy(net(X), Y)", "F.binary_cross_entropy_with_logits(net(X), (Y > 1) * 1.0)")
    verdict, = run("torch", text)["run"].verdicts
    assert "net.1.weight 1.8" in verdict.sentence and "where 1 / sqrt(5) is 0.447" in verdict.sentence
    assert "2 classes have log(2), 0.693" in verdict.sentence


@pytest.mark.parametrize("backend", BACKENDS)
def test_inputs_that_are_too_large(backend):
    text = TANH.replace("net.apply(begin)", "X = X * 90\nwith torch.no_grad(): net[-1].weight.mul_(40)")
    verdict, = run(backend, text + LOOP)["run"].verdicts
    assert "What net.0.weight was multiplied by had the root mean square 9" in verdict.sentence
    fixed = text.replace("X * 90", "(X - X.mean(0)) / X.std(0)").replace("mul_(40)", "mul_(1)")
    assert run(backend, fixed + LOOP)["run"].verdicts == []


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("change", [
    ("net.apply(begin)", ""),
    ("net.apply(begin)", "net.apply(begin)\nnn.init.zeros_(net[-1].weight)"),  # the loss is usual
    ("net.apply(begin)", "with torch.no_grad(): net[-1].weight.mul_(60)"),  # nothing is flat
    ("nn.Tanh()", "nn.ReLU()"),
])
def test_a_usual_beginning(backend, change):
    found = run(backend, TANH.replace(*change) + LOOP)["run"]
    assert "starts saturated" not in found.text, found.text


WEIGHTED = """
torch.manual_seed(0)
nn, F = torch.nn, torch.nn.functional
Y = torch.tensor([0] * 60 + [1] * 9 + [2] * 24 + [3] * 3)
X = torch.randn(96, 5)
counts = torch.tensor([60.0, 9.0, 24.0, 3.0])
weights = MADE
net = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 4))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
with watch(net, opt) as run:
    for step in range(4):
        rows = torch.randperm(96)[:64]
        opt.zero_grad()
        loss = LOSS  # here
        loss.backward()
        opt.step()
"""
FALLING = "counts.sum() / (len(counts) * counts)"
LOSSES = ["F.cross_entropy(net(X[rows]), Y[rows], weight=weights)",
          "F.nll_loss(F.log_softmax(net(X[rows]), dim=1), Y[rows], weights)",
          "nn.CrossEntropyLoss(weight=weights)(net(X[rows]), Y[rows])",
          "(weights[Y[rows]] * F.cross_entropy(net(X[rows]), Y[rows], reduction='none')).mean()"]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("loss", LOSSES)
def test_weights_that_rise_with_the_rows(backend, loss):
    text = WEIGHTED.replace("LOSS", loss).replace("MADE", "counts / counts.sum()")
    verdict, = run(backend, text)["run"].verdicts
    assert verdict.cause == "class weights" and "(program.py:14, `" in verdict.sentence, verdict
    assert "of 256 rows and the largest weight, " in verdict.sentence and "class 0 has" in verdict.sentence
    assert "(in the targets of 4 passes that were looked at)" in verdict.sentence
    assert f"`{FALLING}`" in verdict.fixes[0].words
    assert run(backend, WEIGHTED.replace("LOSS", loss).replace("MADE", FALLING))["run"].verdicts == []


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("made, loss", [
    ("torch.ones(4)", LOSSES[0]), ("counts", LOSSES[0].split(", weight")[0] + ")"),
    ("torch.tensor([1.0, 3.0, 2.0, 5.0])", LOSSES[3]),
    ("torch.rand(96)", LOSSES[3].replace("weights[Y[rows]]", "weights[rows]")),
    ("torch.tensor([4.0, 2.0, 1.0, 3.0])", LOSSES[0]),
])
def test_other_weights(backend, made, loss):
    found = run(backend, WEIGHTED.replace("LOSS", loss).replace("MADE", made))["run"]
    assert found.verdicts == [], found.text
    fact = "of 256 rows and the largest weight, 4" in found.text
    assert fact == ("[4.0" in made)
