"""Loops over parameters that write nothing to them: found, cured, and silent on what looks alike."""
from __future__ import annotations

import pytest

from tests.viz.test_why import BACKENDS, run

START = """
torch.manual_seed(0)
nn = torch.nn
X, Y = torch.randn(16, 6), torch.randn(16, 2)
def make():
    return nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 2))
net, average = make(), make()
average.load_state_dict(net.state_dict())
{more}
"""
TRAIN = """
opt = torch.optim.SGD(net.parameters(), lr=0.1)
with watch({watched}, opt) as run:
    for step in range(4):
        opt.zero_grad()
        (net(X) - Y).pow(2).mean().backward()
        opt.step()
        {each}
"""
CLASS = """
class Average:
    def __init__(self, source, target):
        self.source, self.target = source, target
        for p in target.parameters():
            p.requires_grad_(False)
    def update(self, decay=0.9):
        with torch.no_grad():
            for (name, source), (_, target) in zip(self.source.named_parameters(),
                                                   self.target.named_parameters()):
                {line}
ema = Average(net, average)
"""
FUNCTION = """
@torch.no_grad()
def update(target, source, tau):
    for new, old in zip(source.parameters(), target.parameters()):
        {line}
"""
BY_HAND = """
with watch(net) as run:
    for step in range(4):
        net.zero_grad()
        (net(X) - Y).pow(2).mean().backward()
        with torch.no_grad():
            for p in net.parameters():
                {line}
"""


def of(backend, kind, line, watched="[net, average]"):
    pytest.importorskip(backend)
    if kind is BY_HAND:
        return run(backend, START.format(more="") + kind.format(line=line))
    each = "ema.update()" if kind is CLASS else "update(average, net, 0.1)"
    return run(backend, START.format(more=kind.format(line=line)) + TRAIN.format(
        each=each, watched=watched))


BROKEN = {  # name: (kind, line, the model, what is said, watched)
    "a class": (CLASS, "target = target * decay + source * (1 - decay)", "average", "in 3 steps",
                "[net, average]"),
    "a function": (FUNCTION, "old = tau * new + (1 - tau) * old", "average", "in 3 steps", "[net, average]"),
    "a copy": (FUNCTION, "old = new.clone()", "average", "in 3 steps", "[net, average]"),
    "steps by hand": (BY_HAND, "p = p - 0.1 * p.grad", "net", "in 4 passes", "net"),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", BROKEN)
def test_a_loop_that_gives_its_variable_another_tensor(name, backend):
    kind, line, model, says, watched = BROKEN[name]
    found = of(backend, kind, line, watched)
    verdict, = (one for one in found["run"].verdicts if one.cause == "rebound")
    assert verdict.name == f"{model}.0.weight" and verdict.others == 3, verdict
    assert f"has not changed {says}" in verdict.sentence and line.split(" ")[0] in verdict.sentence
    written = verdict.fixes[0].words.partition("`")[2].rpartition("`")[0]
    assert written.startswith(f"{line.split(' ')[0]}.copy_("), written
    before = [one.clone() for one in found[model].parameters()]
    repaired = of(backend, kind, written, watched)
    assert all(one.cause != "rebound" for one in repaired["run"].verdicts)
    assert not any(one.allclose(old) for one, old in zip(repaired[model].parameters(), before))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("kind, line", [
    (FUNCTION, "old.mul_(1 - tau).add_(new, alpha=tau)"),
    (FUNCTION, "old.data = tau * new.data + (1 - tau) * old.data"),
    (FUNCTION, "old *= 1 - tau; old += tau * new"),
    (FUNCTION, "old = old.copy_(tau * new + (1 - tau) * old)"),
    (FUNCTION, "old = old.requires_grad_(False)"),  # a frozen model that nothing is to write to
    (FUNCTION, "old = tau * new; target.total = getattr(target, 'total', 0) + old.sum()"),
    (CLASS, "target = source - target; self.distance = target.abs().max()"),
    (CLASS, "target.lerp_(source, 1 - decay) if True else None"),
    (CLASS, "source = source * 2"),  # which steps move
    (BY_HAND, "p.data = p.data - 0.1 * p.grad"),
    (BY_HAND, "p -= 0.1 * p.grad")])
def test_loops_that_write_or_that_read_what_they_made(kind, line, backend):
    line = line if backend == "torch" else line.replace("target.lerp_(source, 1 - decay) if True else None",
                                                        "target.add_((source - target) * (1 - decay))")
    text = of(backend, kind, line)["run"].text
    assert "rebound" not in text, text


def test_a_model_that_is_not_watched_itself():
    pytest.importorskip("torch")
    found = of("torch", *BROKEN["a function"][:2], watched="net")
    assert "rebound" not in found["run"].text
    told = run("torch", START.format(more=FUNCTION.format(line=BROKEN["a function"][1])) + TRAIN.format(
        each="update(average, net, 0.1)", watched="net") + "told = why(average)\n")["told"].text
    assert "average.0.weight has not changed in 3 steps" in told
