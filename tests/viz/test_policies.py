"""An actor's loss that trains the critic, too: found, cured, and silent on losses that look alike."""
from __future__ import annotations

import pytest

from tests.viz.test_why import run

START = """
torch.manual_seed(0)
nn, F = torch.nn, torch.nn.functional
X = torch.randn(32, 5)
actor, scale = nn.Linear(5, 3), nn.Linear(5, 1)
critic = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 1))
model = nn.ModuleDict({{"actor": actor, "critic": critic, "scale": scale}})
log_alpha = nn.Parameter(torch.zeros(()))
opt = torch.optim.Adam([*model.parameters(), log_alpha], lr=1e-3)
picked, reward, old = torch.randint(0, 3, (32,)), torch.rand(32), torch.full((32,), -1.1)
with watch(model, opt) as run:
    for step in range(3):
        opt.zero_grad()
        value, scores = critic(X).squeeze(-1), actor(X)
        chosen = F.log_softmax(scores, 1).gather(1, picked[:, None]).squeeze(1)
        {lines}
        loss.backward()
        opt.step()
"""
WORDS = "multiplies a log-probability by a difference that has a history through"
FITTED = " + 0.5 * F.mse_loss(value, reward)"
NORMAL = "torch.distributions.Normal(scores[:, 0], 1.0).log_prob(reward * 2)"


def of(lines):
    pytest.importorskip("torch")
    return run("torch", START.format(lines=lines.replace("; ", "\n        ")))


FAULTS = {  # lines, what to replace by what
    "gathered": ("gain = reward - value; loss = -(chosen * gain).mean()" + FITTED,
                 ("chosen * gain", "chosen * gain.detach()")),
    "Categorical, and one square for both": (
        "gain = reward - value; picks = torch.distributions.Categorical(logits=scores).log_prob(picked); "
        "loss = (-picks * gain).mean() + gain.pow(2).mean()", ("picks * gain)", "picks * gain.detach())")),
    "Normal, normalised": (
        f"gain = reward - value; gain = (gain - gain.mean()) / (gain.std() + 1e-6); "
        f"loss = -({NORMAL} * gain).mean()" + FITTED, ("* gain)", "* gain.detach())")),
    "ratios": ("gain = reward - value; ratio = torch.exp(chosen - old); loss = -torch.min(ratio * gain, "
               "ratio.clamp(0.8, 1.2) * gain).mean() + F.smooth_l1_loss(value, reward)",
               ("gain = reward - value", "gain = reward - value.detach()")),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_policy_loss_that_trains_the_values(name):
    lines, edit = FAULTS[name]
    found = of(lines)
    text = found["run"].text
    assert "advantage: " in text and WORDS in text and "`advantage.detach()`" in text, text
    table = text.partition("The parameters")[2].partition("Over the steps")[0]
    rows = {line.split()[0]: line for line in table.splitlines() if line.startswith("model.")}
    assert "advantage" in rows["model.critic.0.weight"], text
    assert "advantage" not in rows["model.actor.weight"], text
    fixed = of(lines.replace(*edit))["run"].text
    assert lines.replace(*edit) != lines and WORDS not in fixed


@pytest.mark.parametrize("lines", [
    "gain = (reward - value).detach(); loss = -(chosen * gain).mean()" + FITTED,
    "loss = -((1 - chosen.exp()) ** 2 * chosen).mean()" + FITTED,  # a focal loss
    "loss = (log_alpha.exp() * chosen - value).mean()" + FITTED,  # a learned temperature
    "loss = -(chosen * torch.sigmoid(scale(X)[:, 0])).mean()" + FITTED,  # learned weights of rows
    "loss = -((1 - torch.sigmoid(scale(X)[:, 0])) * chosen).mean()" + FITTED,
    "loss = (torch.exp(-scale(X)[:, 0]) * (value - reward) ** 2 + scale(X)[:, 0]).mean()",  # learned variance
    "p = scores.softmax(1); loss = (p * p.log()).sum(1).mean()" + FITTED,  # entropy
    "loss = -value.mean() + ((scores + torch.randn(32, 3)) - 1).pow(2).mean()"])
def test_losses_that_look_alike(lines):
    assert WORDS not in (text := of(lines)["run"].text) and "advantage: " not in text, text
