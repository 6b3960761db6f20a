"""Faults that raise nothing: the cause, the line and, where nothing is wrong, no claim.

The programs train in functions, so that their graphs are gone when somebody asks.
"""
from __future__ import annotations

import pytest

from tests.helpers.silent import SILENT
from tests.viz.test_why import BACKENDS, run

PAIRS = [(backend, name) for backend in BACKENDS for name in SILENT]


@pytest.mark.parametrize("backend, name", PAIRS)
def test_the_cause_and_the_line(backend, name):
    program = SILENT[name]
    told = run(backend, program.text)["told"]
    assert told.cause == program.cause, told.text
    lines = [at for at, line in enumerate(program.text.splitlines(), 1) if "# here" in line]
    assert all(f"(program.py:{line}, `" in " ".join(told.sentences) for line in lines), told.text
    assert all(fix.price for fix in told.fixes)


@pytest.mark.parametrize("backend, name", PAIRS)
def test_nothing_is_claimed_of_the_healthy_program(backend, name):
    told = run(backend, SILENT[name].healthy)["told"]
    assert told.cause == "healthy", told.text


def test_a_write_through_data_is_found_where_no_version_counts_it():
    pytest.importorskip("torch")
    text = """
w = torch.randn(3, requires_grad=True)
def centred(h):
    h.data -= h.data.mean()
    return h
def step():
    h = torch.sigmoid(w * 2)
    (centred(h) * torch.arange(3.0)).sum().backward()
with watch():
    step()
told = why(w)
"""
    told = run("torch", text)["told"]
    assert told.cause == "written" and "(program.py:4, `" in told.text
    told = run("torch", text.replace("h.data -= h.data.mean()", "h = h - h.mean()"))["told"]
    assert told.cause == "healthy"


def test_a_parameter_that_the_library_froze_names_the_line_that_made_it():
    pytest.importorskip("torch")
    text = """
nn, F = torch.nn, torch.nn.functional
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding.from_pretrained(torch.randn(5, 3))
        self.layer, self.last = nn.Linear(3, 3), nn.Linear(3, 1)
    def forward(self, tokens):
        return self.last(torch.tanh(self.layer(self.embedding(tokens))))
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
F.mse_loss(net(torch.arange(5)), torch.ones(5, 1)).backward()
opt.step()
told = why(net.embedding.weight)
"""
    told = run("torch", text)["told"]
    assert told.cause == "frozen" and "(program.py:6, `" in told.text
    told = run("torch", text.replace("3))\n", "3), freeze=True)\n"))["told"]
    assert told.cause == "constant"


AVERAGE = """
import copy
nn = torch.nn
torch.manual_seed(0)
X = torch.randn(8, 3)
net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 1))
average = copy.deepcopy(net)
average.eval()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
def train():
    for _ in range(3):
        opt.zero_grad()
        (net(X) ** 2).mean().backward()
        opt.step()
        with torch.no_grad():
            for old, new in zip(average.parameters(), net.parameters()):
                old.mul_(0.9).add_(0.1 * new)
            average(X)  # here
with watch({"average": average}) as run:
    train()
told = why(average[1].weight)
"""
WITH_BUFFERS = """for old, new in zip(average.buffers(), net.buffers()):
                old.copy_(new)
            average(X)"""


@pytest.mark.parametrize("change", [("", ""), ("average.eval()", "average.eval().requires_grad_(False)")])
@pytest.mark.parametrize("backend", BACKENDS)
def test_an_average_whose_statistics_were_never_updated(backend, change):
    text = AVERAGE.replace(*change) if change[0] else AVERAGE
    scope = run(backend, text)
    line = text.splitlines().index("            average(X)  # here") + 1
    assert scope["told"].cause == "no statistics", scope["told"].text
    assert f"average.1 ran in evaluation mode (program.py:{line}, `average(X)" in scope["told"].text
    assert "no statistics: average.1 ran in evaluation mode" in scope["run"].text
    code = "for new, old in zip(average.buffers(), net.buffers()): new.copy_(old)"
    assert [(fix.words, bool(fix.price)) for fix in scope["told"].fixes] == [
        (f"Copy the buffers where the weights are written: `{code}`.", True)]
    mended = run(backend, text.replace("average(X)  # here", f"{code}\n            average(X)"))
    assert mended["told"].cause != "no statistics"


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_frozen_part_of_a_model_that_learns_is_no_copy(backend):
    scope = run(backend, """
nn = torch.nn
torch.manual_seed(0)
X = torch.randn(8, 3)
model = nn.Sequential(nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)), nn.Linear(4, 1))
model[0].eval().requires_grad_(False)
def train():
    opt = torch.optim.SGD(model[1].parameters(), lr=0.1)
    for _ in range(3):
        opt.zero_grad()
        (model(X) ** 2).mean().backward()
        opt.step()
with watch({"model": model}) as run:
    train()
told = why(model[0][1].weight)
""")
    assert scope["told"].cause == "constant" and "statistics" not in scope["run"].text


HEALTHY_AVERAGES = {
    "its buffers are copied": ("average(X)  # here", WITH_BUFFERS),
    "no statistics are kept": ("nn.BatchNorm1d(4)", "nn.BatchNorm1d(4, track_running_stats=False)"),
    "no step is taken": ("opt.step()", "pass"),
    "it stays as it was": ("old.mul_(0.9).add_(0.1 * new)", "pass"),
    "it uses the batch": ("average.eval()", "average.train()"),
}


@pytest.mark.parametrize("name", HEALTHY_AVERAGES)
@pytest.mark.parametrize("backend", BACKENDS)
def test_no_statistics_are_missed_in_a_healthy_average(backend, name):
    old, new = HEALTHY_AVERAGES[name]
    assert AVERAGE.count(old) == 1
    if "track_running_stats" in new and backend == "minigrad":
        with pytest.raises(TypeError, match="track_running_stats"):  # its BatchNorm always keeps statistics
            run(backend, AVERAGE.replace(old, new))
        return
    scope = run(backend, AVERAGE.replace(old, new))
    assert "statistics" not in scope["run"].text + scope["told"].text


CRITIC = """
nn = torch.nn
torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1), nn.BatchNorm1d(1))
opt = torch.optim.SGD(critic.parameters(), lr=0.1)
real, fake = torch.randn(16, 2) + 1, torch.randn(16, 2)
for _ in range(3):
    opt.zero_grad()
    loss = critic(fake).mean() - critic(real).mean()  # here
    loss.backward()
    opt.step()
told = why(critic[0].weight)
"""
CRITICS = {
    "no BatchNorm": {", nn.BatchNorm1d(1))": ")"},
    "squares": {"critic(fake).mean()": "critic(fake).pow(4).mean()"},
    "another way": {"critic(real).mean()": "critic[:3](real).mean()"},
    "in evaluation": {"opt = ": "critic.eval().requires_grad_()\nopt = "},
}


@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_mean_of_what_batchnorm_made_sends_nothing(backend, watched):
    def told(text):
        head, lines = text.partition("for _")[0], text.partition("for _")[2]
        return run(backend, f"{head}with watch():\n  for _{lines}" if watched else text)["told"]

    found = told(CRITIC.replace("\n    ", "\n      ") if watched else CRITIC)
    assert found.cause == "vanishing" and "Its mean over the batch is its bias" in found.text
    assert "`loss = critic(fake).mean() - critic(real).mean()" in found.sentences[0]
    for changes in CRITICS.values():
        text = CRITIC
        for old, new in changes.items():
            assert old in text
            text = text.replace(old, new)
        assert "its bias" not in told(text.replace("\n    ", "\n      ") if watched else text).text
