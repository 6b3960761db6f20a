"""No false alarm: why() of each parameter and the verdicts find nothing wrong in healthy programs."""
from __future__ import annotations

import importlib

import pytest

from minigrad.viz.faults.parameters import FINE
from tests.helpers.verdicts import verdicts
from tests.helpers.why_healthy import HEALTHY, program
from tests.viz.test_why import BACKENDS, run

ASK = """
nets = globals().get("nets") or [net]
found = [one for each in nets for one in verdicts(each)]
causes = [(why(p).cause, why(p).text) for each in nets for p in each.parameters()]
"""


@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", HEALTHY)
def test_nothing_wrong_is_found(name, backend, watched):
    scope = run(backend, program(name, watched) + ASK, importlib=importlib, verdicts=verdicts)
    assert scope["found"] == []
    fine = (*FINE, "cut") if name in ("backbone under no_grad", "DQN", "a teacher in a list") else FINE
    fine = (*fine, "not used") if name in ("EMA through data", "DQN", "EMA") else fine
    assert [text for cause, text in scope["causes"] if cause not in fine] == []


CANCELS = """
torch.manual_seed(0)
model = torch.nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
with watch(model, opt) as run:
    for step in range(3):
        opt.zero_grad()
        loss = model(torch.randn(4, 3)).mean() - model(torch.randn(4, 3)).mean()
        loss.backward()
        opt.step()
told = why(model.bias)
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradients_that_add_up_to_0_are_no_fault(backend):
    scope = run(backend, CANCELS)
    assert "Nothing wrong was found" in scope["run"].text and "of 1 it adds up to 0" in scope["run"].text
    assert scope["told"].sentences == [
        "Every number of model.bias.grad is 0: what 2 operations sent adds up to 0."]


@pytest.mark.parametrize("backend", BACKENDS)
def test_whether_they_add_up_to_0_is_not_known_without_a_watch(backend):
    told = run(backend, CANCELS.replace("with watch(model, opt) as run", "if True"))["told"]
    assert told.cause == "not known" and told.sentences[0] == (
        "Every number of model.bias.grad is 0: 2 operations took model.bias, and whether each sent 0, or "
        "what they sent adds up to 0, is not known.")
    once = "model(torch.randn(4, 3)).mean() - model(torch.randn(4, 3)).mean()"
    told = run(backend, CANCELS.replace("with watch(model, opt) as run", "if True").replace(
        once, "(model(torch.randn(4, 3)) - 0).clamp(max=-100.).mean()"))["told"]
    assert told.cause == "zero"


IN_A_BRANCH = """
net = torch.nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for at in range(8):
    opt.zero_grad()
    loss = net(torch.ones(2, 3)).pow(2).mean()
    loss.backward()
    if at % 4 == 3:
        opt.step()
told = why(net)
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_which_passes_a_step_in_a_branch_took_is_not_known_without_a_watch(backend):
    told = run(backend, IN_A_BRANCH)["told"]
    assert told.title.endswith("of 2 it is not known whether anything is wrong") and len(told.sentences) == 1
    assert "`opt.step()`) is in a branch, and what empties the gradient is not" in told.sentences[0]
    both = IN_A_BRANCH.replace("    opt.zero_grad()\n", "").replace(
        "opt.step()", "opt.step(); opt.zero_grad(False)")
    for text in (both, IN_A_BRANCH.replace("if at % 4 == 3", "with torch.no_grad()")):
        told = run(backend, text)["told"]
        assert "not known whether" not in told.title and "branch" not in told.text


LARGE_INPUTS = """
torch.manual_seed(0)
nn, F = torch.nn, torch.nn.functional
net = nn.Sequential(nn.Linear(20, 3), nn.Sigmoid(), nn.Linear(3, 2))
with torch.no_grad():
    net[0].weight.fill_(SIZE)
x = 200 + torch.rand(6, 20)
with watch(net) as run:
    loss = F.cross_entropy(net(x), torch.tensor([0, 1, 0, 1, 0, 1]))
    loss.backward()
told = why(net[0].weight)
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_large_inputs_hide_no_saturation(backend):
    scope = run(backend, LARGE_INPUTS.replace("SIZE", "0.0022"))
    weight, bias = (float(one.grad.norm()) for one in (scope["net"][0].weight, scope["net"][0].bias))
    assert bias < 1e-3 < weight and scope["told"].cause == "saturated", scope["told"].text
    assert f"is {weight:.3g}, and that of net.0.bias.grad {bias:.3g}: Sigmoid" in scope["told"].sentences[0]
    assert [(one.cause, one.others) for one in scope["run"].verdicts] == [("saturated", 1)]
    assert run(backend, LARGE_INPUTS.replace("SIZE", "0.0005"))["told"].cause == "healthy"
