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


# --- an actor beside a critic, in one optimizer

ACTOR = START + """
class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(5, 8), nn.Tanh())
        self.actor, self.critic = nn.Sequential(nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 3)), nn.Linear(8, 1)
        self.shift = nn.Linear(8, 1)
    def forward(self, x):
        h = self.body(x)
        return self.actor(h), self.critic(h)[:, 0], self.shift(h)
agent = Agent()
opt = torch.optim.{opt}(agent.parameters(), lr=0.01)
with torch.no_grad():
    before = torch.log_softmax(agent(X)[0], 1).gather(1, at[:, None])[:, 0]
with watch(agent, opt) as run:
    for step in range(4):
        scores, values, shift = agent(X)
        {lines}
        loss = {loss} + (values - gain).pow(2).mean() + 0.1 * shift.pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
"""
GATHERED = ("new, old = (torch.log_softmax(scores, 1).gather(1, at[:, None]).squeeze(1) for _ in range(2)); "
            "ratio = torch.exp(new - old)")
LOSS = "-torch.min(ratio * gain, ratio.clamp(0.8, 1.2) * gain).mean()"
SIDES = {  # name: (lines, loss, what to replace, optimizer)
    "gathered, clipped": (GATHERED, LOSS, ("new - old", "new - old.detach()"), "Adam"),
    "one for both, indexed": (
        "new = torch.log_softmax(scores, 1)[torch.arange(12), at]; old = new; ratio = (new - old).exp()",
        "-(ratio * gain).mean()", ("new - old", "new - old.detach()"), "SGD"),
    "decay alone moves it": (GATHERED, LOSS, ("new - old", "new - old.detach()"), "AdamW"),
}
BESIDE = {  # name: (lines, loss)
    "old ones from before the steps": (GATHERED.replace("new - old", "new - before"), LOSS),
    "a shift in an exponent": (
        "top = (scores + shift).max(1, keepdim=True)[0]; part = torch.exp(scores + shift - top)",
        "-(part / part.sum(1, keepdim=True))[:, 0].log().mean()"),
    "a difference that is no exponent": (GATHERED.replace("torch.exp(new - old)", "new - old"),
                                         "(ratio * gain).mean()"),
    "the difference is zero for a while": (
        GATHERED.replace("new - old", "new - (old if step < 2 else old.detach())"), LOSS),
    "a ratio that doesn't use the module": ("ratio = torch.exp(before - before)", LOSS),
}


def beside(backend, lines, loss, opt="Adam"):
    pytest.importorskip(backend)
    return run(backend, ACTOR.format(lines=lines.replace("; ", "\n        "), loss=loss, opt=opt))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", SIDES)
def test_a_part_whose_ratio_keeps_both_histories(name, backend):
    lines, loss, edit, opt = SIDES[name]
    found = beside(backend, lines, loss, opt)
    said, = (one for one in found["run"].verdicts if one.cause == "only zeros")
    assert "for each of the 4 parameters of agent.actor, such as agent.actor.0.weight" in said.sentence
    assert ("none of them moved" in said.sentence) == (opt != "AdamW") and said.others == 3
    assert "`old.detach()`" in said.fixes[0].words
    repaired = beside(backend, lines.replace(*edit), loss, opt)
    meant = beside(backend, lines.replace("new - old", "new - torch.tensor(old.tolist())"), loss, opt)
    assert all(one.cause != "only zeros" for one in repaired["run"].verdicts)
    for one, other in zip(repaired["agent"].parameters(), meant["agent"].parameters()):
        assert one.grad.allclose(other.grad, rtol=1e-4, atol=1e-6)
    assert all(float(one.grad.abs().max()) > 0 for one in repaired["agent"].actor.parameters())


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", BESIDE)
def test_a_part_whose_zeros_are_meant_or_pass(name, backend):
    found = beside(backend, *BESIDE[name])["run"]
    assert "only zeros" not in found.text, found.text


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("scores", ["torch.ones(4, 4)", "1e4 * torch.eye(4)"])
def test_a_softmax_whose_rows_are_summed_is_not_called_saturated(backend, scores):
    """Its gradient is 0 at any scale of the scores, so that no smaller ones would help."""
    pytest.importorskip(backend)
    told = run(backend, f"""
w = ({scores}).requires_grad_()
with watch():
    torch.softmax(w, 1).sum().backward()
told = why(w)
""")["told"]
    assert told.cause == "zero" and not told.fixes
    assert "where all numbers of a row receive the same" in " ".join(told.sentences)
