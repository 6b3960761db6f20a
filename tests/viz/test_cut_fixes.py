"""Which of several cuts is named, and a fix that is offered for it gives the intended gradient."""
from __future__ import annotations

import pytest

from tests.viz.test_why import BACKENDS, run

ROUTER = """
torch.manual_seed(0)
gate, experts = torch.nn.Linear(3, 2), [torch.nn.Linear(3, 1) for _ in range(2)]
X = torch.randn(6, 3)
terms = []
p = gate(X).softmax(1)
terms.append((p.mean(0) ** 2).sum())
top = p.argmax(1)
out = torch.stack([experts[int(at)](row) for at, row in zip(top, X)])
balance = torch.tensor(terms).mean()  # here
loss = out.pow(2).mean() + balance
loss.backward()
told = why(gate.weight)
"""
QUANTISED = """
torch.manual_seed(0)
codes, z = torch.nn.Embedding(4, 2), torch.randn(3, 2, requires_grad=True)
q = codes(torch.tensor([0, 1, 2]))
q = z + (q - z).detach()
loss = (q - z.detach()).pow(2).mean()
loss.backward()
told = why(codes.weight)
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_copy_of_the_numbers_is_named_before_a_choice_that_may_be_meant(backend):
    told = run(backend, ROUTER)["told"]
    assert told.cause == "cut" and "through torch.tensor() (program.py:10, `" in told.text
    fixed = run(backend, ROUTER.replace("torch.tensor(terms)", "torch.stack(terms)"))
    assert fixed["told"].cause == "healthy" and fixed["gate"].weight.grad is not None


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_detach_of_a_straight_through_sum_is_kept(backend):
    told = run(backend, QUANTISED)["told"]
    assert told.cause == "cut" and [fix.words for fix in told.fixes] == [
        "Assign this sum to another variable, such as `q_through`, and pass that on; compute the loss that "
        "trains q from `q`."]
    fixed = run(backend, QUANTISED.replace("q = z + (q", "q_through = z + (q"))
    assert fixed["codes"].weight.grad is not None and fixed["told"].cause == "healthy"


SAMPLED = """
torch.manual_seed(0)
net = torch.nn.Linear(3, 4)
X = torch.randn(5, 3)
def step():
    mean, spread = net(X).chunk(2, dim=1)
    z = torch.distributions.Normal(mean, spread.exp()).sample()  # here
    (z * last).sum().backward()
last = torch.ones(5, 2, requires_grad=True)
with watch():
    step()
told = why(net.weight)
"""


def test_a_sample_without_a_history_is_named_and_not_a_check_of_its_arguments():
    pytest.importorskip("torch")
    told = run("torch", SAMPLED)["told"]
    assert "under no_grad (program.py:7, `" in told.text and "booleans" not in told.text
    assert "`rsample()`" in told.fixes[0].words
    fixed = run("torch", SAMPLED.replace(".sample()", ".rsample()"))
    assert fixed["told"].cause == "healthy"


def test_advice_names_a_parameter_where_others_of_its_module_are_used():
    torch = pytest.importorskip("torch")
    text = """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = torch.nn.ParameterDict({name: torch.nn.Parameter(torch.ones(2)) for name in "ab"})
        self.last = torch.nn.Linear(2, 1)
model = Net()
def step():
    model.last(model.scales["a"] * 2).sum().backward()
with watch(model):
    step()
told = why(model.scales["b"])
other = why(model.last.bias)
"""
    assert torch and run("torch", text)["other"].cause == "healthy"
    told = run("torch", text)["told"]
    assert told.cause == "not used" and "was not called" not in told.text
    assert told.fixes[0].words == (
        "Use model.scales.b in the forward computation, or take it out of the model.")
