"""Steps that took zeros alone are never "nothing wrong"; one parameter with zeros may be fine."""
from __future__ import annotations

import pytest

from tests.viz.test_why import run

BACKENDS = ["minigrad", "torch"]
START = """
torch.manual_seed(0)
nn = torch.nn
X, at, gain = torch.randn(12, 5), torch.arange(12) % 3, torch.randn(12)
def log_prob(net):
    return torch.log_softmax(net(X), 1)[torch.arange(12), at]
"""
POLICY = START + """
policy = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 3))
opt = torch.optim.{opt}(policy.parameters(), lr=0.01)
with watch(policy, opt) as run:
    for step in range({steps}):
        old = log_prob(policy)
        new = log_prob(policy)
        ratio = {ratio}
        loss = -(ratio * gain).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
"""
SAME = START + """
class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head = nn.Linear(5, 4), nn.Linear(4, 1)
    def forward(self, x):
        return self.head(torch.tanh(self.body(x)))
critic = Critic()
opt = torch.optim.{opt}(critic.parameters(), lr=0.1)
def update():
    value = critic(X)
    target = value
    error = {error}
    opt.zero_grad()
    (error * gain[:, None]).sum().backward()
    opt.step()
with watch(critic, opt) as run:
    for step in range({steps}):
        update()
"""
BROKEN = {  # name: (program, what it says, its edit, the meant program's edits)
    "a ratio that keeps both histories": (
        POLICY, {"opt": "Adam", "steps": 4, "ratio": "torch.exp(new - old)"}, "`old.detach()`",
        ("new - old", "new - old.detach()"), ("new - old", "new - torch.tensor(old.tolist())")),
    "a difference of two calls": (
        POLICY, {"opt": "SGD", "steps": 3, "ratio": "1 + 2 * (new.exp() - old.exp())"},
        "`(old.exp()).detach()`",
        ("- old.exp()", "- (old.exp()).detach()"), ("- old.exp()", "- torch.tensor(old.exp().tolist())")),
    "decay alone moves it": (
        POLICY, {"opt": "AdamW", "steps": 3, "ratio": "(new - old).exp()"}, "what moved them was no gradient",
        ("new - old", "new - old.detach()"), ("new - old", "new - torch.tensor(old.tolist())")),
    "a target that is the value itself": (
        SAME, {"opt": "RMSprop", "steps": 3, "error": "value - target"}, "`target.detach()`",
        ("value - target", "value - target.detach()"),
        ("value - target", "value - torch.tensor(target.tolist())")),
}
HEALTHY = {
    "the old side is detached": (
        POLICY, {"opt": "Adam", "steps": 4, "ratio": "torch.exp(new - old.detach())"}),
    "one step of zeros": (POLICY, {"opt": "Adam", "steps": 1, "ratio": "torch.exp(new - old)"}),
    "a part that adds up to 0": (POLICY, {"opt": "SGD", "steps": 3, "ratio": "(new - old).exp() + new"}),
    "a target of its own": (SAME, {"opt": "SGD", "steps": 3, "error": "value - target.detach() * 0.9"}),
    "zeros until the third step": (
        POLICY, {"opt": "SGD", "steps": 4, "ratio": "(new - (old.detach() if step > 1 else old)).exp()"}),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", BROKEN)
def test_steps_of_zeros_are_a_finding_and_the_fix_gives_the_intended_gradient(name, backend):
    pytest.importorskip(backend)
    program, given, words, applied, meant = BROKEN[name]
    text = program.format(**given)
    said = run(backend, text)["run"].text
    assert "Nothing wrong" not in said and "only zeros: Each of " in said, said
    assert words in said and " sends to its inputs goes to " in said and "So it is for 3 more" in said
    scopes = [run(backend, text.replace(*edit)) for edit in (applied, meant)]
    models = [scope.get("policy") or scope["critic"] for scope in scopes]
    for one, other in zip(*(model.parameters() for model in models)):
        assert one.grad.allclose(other.grad, rtol=1e-4, atol=1e-6) and float(one.grad.abs().max()) > 0
    assert "only zeros" not in scopes[0]["run"].text


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_run_that_looks_alike(name, backend):
    pytest.importorskip(backend)
    program, given = HEALTHY[name]
    assert "only zeros" not in run(backend, program.format(**given))["run"].text
