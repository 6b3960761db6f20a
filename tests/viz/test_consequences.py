"""What the first finding explains is told once, and what was measured is all that is said."""
from __future__ import annotations

import pytest

from tests.viz.test_why import BACKENDS, run

TORCH = [pytest.param("torch", marks=pytest.mark.skipif(
    "torch" not in BACKENDS, reason="PyTorch is not installed"))]
RNN = """
torch.manual_seed(0)
nn = torch.nn
class Adder(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.RNN(2, 16, batch_first=True, nonlinearity="relu")
        self.out = nn.Linear(16, 1)
        nn.init.eye_(self.rnn.weight_hh_l0)
    def forward(self, x):
        return self.out(self.rnn(x)[0][:, -1])
X = torch.rand(32, 10, 2)
Y = X[:, :, 0].sum(1, keepdim=True)
model = Adder()
opt = torch.optim.SGD(model.parameters(), lr=0.02)
with watch(model, opt) as run:
    for step in range(12):
        opt.zero_grad()
        ((model(X) - Y) ** 2).mean().backward()
        opt.step()
        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
told = why(model)
one = why(model.rnn.weight_hh_l0)
"""
LAYERS = """
torch.manual_seed(0)
nn = torch.nn
X, Y = torch.rand(32, 4), torch.rand(32, 1)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1), nn.ReLU())
opt = torch.optim.SGD(model.parameters(), lr=200.0)
with watch(model, opt) as run:
    for step in range(6):
        opt.zero_grad()
        ((model(X) - 4 * Y) ** 2).mean().backward()
        opt.step()
        nn.utils.clip_grad_norm_(model.parameters(), 1e-3)
told = why(model)
one = why(model[0].weight)
"""
CLIP = {"adder": "        nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)\n",
        "layers": "        nn.utils.clip_grad_norm_(model.parameters(), 1e-3)\n"}
PROGRAMS = {"adder": RNN, "layers": LAYERS}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("backend", TORCH)
def test_zeros_after_steps_without_their_limit_are_told_as_that(backend, name):
    scope = run(backend, PROGRAMS[name])
    (cause,) = {row.cause for row in scope["told"].rows if not row.is_fine}
    assert cause in ("not limited", "written late"), scope["told"].text
    assert len(scope["run"].verdicts) == 1 and "softplus" not in scope["run"].text
    assert scope["one"].cause == cause and "It became 0 later." in scope["one"].text
    fixed = PROGRAMS[name].replace(CLIP[name], "")
    repaired = run(backend, fixed.replace("        opt.step()\n", f"{CLIP[name]}        opt.step()\n"))
    assert all(row.is_fine for row in repaired["told"].rows), repaired["told"].text


@pytest.mark.parametrize("change", [
    {CLIP["adder"]: ""},  # no limit at all
    {"max_norm=1.0": "max_norm=1e9"},  # a limit that would change nothing
    {"eye_(self.rnn.weight_hh_l0)": "constant_(self.rnn.bias_hh_l0, -90.)"}])  # dead from the beginning
@pytest.mark.parametrize("backend", TORCH)
def test_zeros_of_an_rnn_that_no_limit_explains_are_offered_tanh(backend, change):
    text = RNN
    for old, new in change.items():
        assert old in text
        text = text.replace(old, new)
    scope = run(backend, text)
    row = next(row for row in scope["told"].rows if row.name == "model.rnn.weight_ih_l0")
    assert row.cause == "zero", scope["told"].text
    assert [fix.words for fix in row.fixes] == ["Make the RNN with `nonlinearity='tanh'`."]
    scope = run(backend, text.replace('"relu"', '"tanh"').replace("-90.", "-9."))
    assert scope["model"].rnn.weight_hh_l0.grad.abs().sum() > 0


NORM = """
torch.manual_seed(0)
nn = torch.nn
X, Y = torch.randn(32, 4), torch.randn(32, 1)
class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.fc, self.norm = nn.Linear(size, 8), nn.{norm}
        nn.init.constant_(self.norm.bias, -1.)
    def forward(self, x):
        return torch.relu(self.norm(self.fc(x))){more}
model = nn.Sequential(Block(4), nn.Linear(8, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.01)
def train():
    with watch(model, opt) as run:
        for step in range(3):
            opt.zero_grad()
            loss = ((model(X) - Y) ** 2).mean()
            loss.backward()
            opt.step()
    return run, loss
run, loss = train()
told = why(model)
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_computed_from_a_normalisation_of_one_number_is_told_with_it(backend):
    pytest.importorskip("torch")
    if backend == "minigrad":
        return  # has no GroupNorm
    scope = run(backend, NORM.format(norm="GroupNorm(8, 8)", more=""))
    bad = {row.name: row for row in scope["told"].rows if not row.is_fine}
    assert {row.cause for row in bad.values()} == {"no slope"}, scope["told"].text
    assert set(bad) == {f"model.{one}" for one in (
        "0.fc.weight", "0.fc.bias", "0.norm.weight", "0.norm.bias", "1.weight")}
    assert "was given nothing else" in bad["model.1.weight"].sentence
    assert scope["told"].text.count("Fix 1") == 1 and "softplus" not in scope["told"].text
    for repaired in ("GroupNorm(2, 8)", "LayerNorm(8)"):
        text = NORM.format(norm=repaired, more="").replace("-1.", "0.")
        assert all(row.is_fine for row in run(backend, text)["told"].rows)


@pytest.mark.parametrize("more", [" + x[:, :1]", " * x[:, :1]"])  # something else comes in
@pytest.mark.parametrize("backend", TORCH)
def test_other_zeros_beside_such_a_normalisation_are_not_explained_by_it(backend, more):
    text = NORM.format(norm="GroupNorm(8, 8)", more="").replace(
        "torch.relu(self.norm(self.fc(x)))", f"torch.relu(self.norm(self.fc(x)){more} - 90)")
    rows = {row.name: row for row in run(backend, text)["told"].rows}
    assert rows["model.0.fc.weight"].cause == "no slope"
    assert rows["model.0.norm.bias"].cause == rows["model.1.weight"].cause == "zero"


SWISH = """
torch.manual_seed(0)
nn = torch.nn
class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)
    @staticmethod
    def backward(ctx, grad_output):
        x, = ctx.saved_tensors
        s = torch.sigmoid(x)
        return {returned}
class Act(nn.Module):
    def forward(self, x): return Swish.apply(x)
X = torch.linspace(-3, 3, 64).unsqueeze(1)
Y = torch.sin(2 * X)
model = nn.Sequential(nn.Linear(1, 16), Act(), nn.Linear(16, 16), Act(), nn.Linear(16, 1))
{more}
opt = torch.optim.Adam({held}, lr=3e-3)
with watch(model, opt) as run:
    for step in range({steps}):
        loss = nn.functional.mse_loss(model(X), Y)
        opt.zero_grad()
        loss.backward()
        opt.step()
told = why(model)
"""
UNREAD, READ = "s * (1 + x * (1 - s))", "grad_output * s * (1 + x * (1 - s))"
NOTE = "What Swish.backward (which never reads grad_output) returns was not checked"


def swish(backend, returned=UNREAD, steps=3, held="model.parameters()", more=""):
    return run(backend, SWISH.format(returned=returned, steps=steps, held=held, more=more))


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_last_layer_that_has_converged_is_no_vanishing_one(backend, own):
    rates = "[{'params': model[:4].parameters(), 'lr': 1e-12}, {'params': model[4].parameters()}]"
    text = SWISH.format(returned="x * 0 + 100.", steps=60, held=rates, more="").replace(
        "Adam(", "SGD(").replace("lr=3e-3", "lr=0.1").replace("(-3, 3, 64)", "(1, 1, 1)")
    if not own:
        text = text.replace("Act()", "nn.Tanh()")
    scope = run(backend, text)
    size = [float(p.grad.norm()) / p.numel() ** 0.5 for p in scope["model"].parameters()]
    assert not own or 0 < size[-1] < 1e-6 * max(size)  # else the test says nothing
    assert {row.cause for row in scope["told"].rows} == {"healthy"}, scope["told"].text
    assert (NOTE in scope["told"].text) is (NOTE in scope["run"].text) is own


@pytest.mark.parametrize("backend", BACKENDS)
def test_that_a_gradient_is_never_read_is_said_beside_other_findings(backend):
    held = "[*model[0].parameters(), *model[2].parameters()]"
    scope = swish(backend, held=held)
    for text in (scope["told"].text, scope["run"].text, scope["run"].html):
        assert NOTE in text and "No optimizer here holds model.4.weight" in text
        assert text.index(NOTE) > text.index("No optimizer here")
    assert NOTE in scope["told"].sentences[-1]
    for scope in (swish(backend, READ, held=held), swish(backend, READ)):
        assert "never reads" not in scope["told"].text + scope["run"].text
    assert "was not checked" not in swish(backend, READ, held=held)["told"].text


@pytest.mark.parametrize("backend", TORCH)
def test_it_is_said_before_a_gradient_that_vanished_on_its_way_through_one(backend):
    returned, more = "x * 0 + 1e-9", "one = lambda: why(model[0].weight)"
    scope = swish(backend, returned, more=more)
    (first, *_), text = [row for row in scope["told"].rows if not row.is_fine], scope["told"].text
    assert first.cause == "vanishing" and first.own, text
    assert text.index(NOTE) < text.index(first.sentence)
    assert scope["run"].text.index(NOTE) < scope["run"].text.index(first.sentence)
    assert NOTE in scope["one"]().sentences[0]


HOOKS = """
torch.manual_seed(0)
model = torch.nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
X = torch.randn(8, 3)
with watch(model, opt) as run:
    for epoch in range(EPOCHS):
        model.weight.register_hook(lambda grad: grad * 0.9)
        for _ in range(10):
            opt.zero_grad()
            model(X).pow(2).mean().backward()
            opt.step()
told = why(model.weight)
"""


@pytest.mark.parametrize("epochs, words", [
    (4, "The first pass that was watched met 1 of its hooks, the last one 4."),
    (40, "The first pass that is remembered met ")])
@pytest.mark.parametrize("backend", BACKENDS)
def test_the_first_pass_is_only_called_so_if_none_is_forgotten(backend, epochs, words):
    text = run(backend, HOOKS.replace("EPOCHS", str(epochs)))["told"].text
    assert words in text and f"registered {epochs} times" in text
