"""A saved result that a write through `.data` changed: told before the saturation that it looks like."""
from __future__ import annotations

import pytest

from tests.viz.test_why import BACKENDS, run

GATE = """
torch.manual_seed(0)
nn = torch.nn
X, Y = torch.randn(32, 4), torch.randn(32, 1)
class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.out = nn.Linear(4, 4), nn.Linear(4, 1)
    def forward(self, x):
        g = {made}
        {write}
        return self.out(x * g), g
model = Gated()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
def train():
    for step in range(3):
        opt.zero_grad()
        out, g = model(X)
        loss = nn.functional.mse_loss(out, Y)
        loss.backward()
        opt.step()
    return loss, g
"""
PLAIN = """
torch.manual_seed(0)
w = torch.tensor([0.5, -0.3], requires_grad=True)
y = {made}
{write}
loss = (y * torch.tensor([1., 2.])).sum()
loss.backward()
told = why(w)
"""
MADE = {"sigmoid": "torch.sigmoid({})", "tanh": "torch.tanh({})"}


def ended(watched):
    return "with watch(model, opt) as run: loss, g = train()\n" if watched else "loss, g = train()\n"


@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize("write", ["g.data.round_()", "g.data.copy_((g.data > 0.5).float())"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_gate_that_is_rounded_through_data_is_not_saturated(backend, write, watched):
    text = GATE.format(made="torch.sigmoid(self.gate(x))", write=write)
    scope = run(backend, text + ended(watched) + "told = why(model)\n")
    line = text.splitlines().index(f"        {write}") + 1
    bad = [row for row in scope["told"].rows if not row.is_fine]
    assert {row.name for row in bad} == {"model.gate.weight", "model.gate.bias"}
    assert all(row.cause == "written" for row in bad), scope["told"].text
    assert f"was written to (program.py:{line}, `{write}`)" in bad[0].sentence
    (fix,) = bad[0].fixes
    code = fix.words.split("`")[1]
    assert code.startswith("g = g + (") and code.endswith(" - g).detach()")
    repaired = run(backend, text.replace(write, code) + ended(watched) + "told = why(model)\n")
    assert all(row.is_fine for row in repaired["told"].rows), repaired["told"].text
    grads = [repaired["model"].gate.weight.grad, scope["model"].gate.weight.grad]
    assert grads[0].abs().sum() > 0 and not grads[1].any()


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_write_that_no_line_shows_is_told_by_the_input(backend, kind):
    text = PLAIN.format(made=MADE[kind].format("w"), write="y.detach().numpy()[:] = 1.")
    told = run(backend, text)["told"]
    assert told.cause == "written" and "given no number above 0.5 in size" in told.sentences[0]


@pytest.mark.parametrize("change", [
    ("w", ""), ("w * 80", ""), ("w * 80", "z = y.data.round()"),
    ("w * 80", "y.detach().clone().zero_()"),
    ("w * 80", "z = y.clone().detach(); z.data.round_()")])
@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("backend", BACKENDS)
def test_without_a_write_a_saturation_is_one(backend, kind, change):
    given, write = change
    text = PLAIN.format(made=MADE[kind].format(given), write=write)
    if given != "w":
        text = text.replace("[0.5, -0.3]", "[3., -3.]")
    told = run(backend, text)["told"]
    assert told.cause == ("healthy" if given == "w" else "saturated"), told.text
