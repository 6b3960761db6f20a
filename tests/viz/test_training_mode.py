"""An evaluation in training mode: found with what it moved, cured by eval(), silent where it trains."""
from __future__ import annotations

import pytest

from tests.viz.test_why import BACKENDS, run

START = """
torch.manual_seed(0)
nn, F = torch.nn, torch.nn.functional
X, Y = torch.randn(24, 6) * 2 + 1, torch.randint(0, 3, (24,))
TX, TY = torch.randn(12, 6), torch.randint(0, 3, (12,))
"""
NORM = START + """
net = nn.Sequential(nn.Linear(6, 5), nn.BatchNorm1d(5), nn.ReLU(), nn.Linear(5, 3))
"""
DROP = START + """
class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.drop, self.last = nn.Linear(6, 8), nn.Dropout(0.3), nn.Linear(8, 3)
    def forward(self, x):
        return self.last(self.drop(torch.tanh(self.first(x))))
net = Part()
"""
TRAIN = """
opt = torch.optim.Adam(net.parameters(), lr=0.01)
def train():
    for at in range(0, 24, 8):
        opt.zero_grad()
        F.cross_entropy(net(X[at:at + 8]), Y[at:at + 8]).backward()
        opt.step()
"""
AFTER = TRAIN + """
with watch(net, opt) as run:
    train()
    train()
    right = 0
    before = [one.clone() for one in net.buffers()]
    with torch.no_grad():
        for at in (0, 6):
            right += (net(TX[at:at + 6]).argmax(1) == TY[at:at + 6]).sum().item()  # here
    after = [one.clone() for one in net.buffers()]
"""
EPOCHS = TRAIN + """
def accuracy(model, x, y):
    with torch.no_grad():
        scores = model(x)  # here
    return float((scores.argmax(1) == y).sum()) / len(y)
shown, best = [], 0.0
with watch(net, opt) as run:
    for epoch in range(4):
        net.train()
        train()
        shown.append(accuracy(net, TX, TY))
        best = max(best, shown[-1])
"""


def line_of(text):
    return next(at for at, line in enumerate(text.splitlines(), 1) if line.endswith("# here"))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("start", [NORM, DROP])
def test_an_evaluation_after_the_training(backend, start):
    text = start + AFTER
    scope = run(backend, text)
    verdict, = scope["run"].verdicts
    assert verdict.cause == "training mode" and verdict.line.line == line_of(text)
    assert verdict.sentence.startswith("net was called 2 times (program.py:")
    if start is NORM:
        assert "BatchNorm took the mean" in verdict.sentence and "dropout" not in verdict.sentence
        least = [(new - old).norm().item() for new, old in zip(scope["after"][:2], scope["before"][:2])]
        told = [float(one.split(" ")[0]) for one in verdict.sentence.split(" by ")[1:]]
        assert all(0.99 * small <= one for small, one in zip(least, told)), (least, told)
    else:
        assert "net.drop never ran" in verdict.sentence and "dropout dropped numbers" in verdict.sentence
    assert "`net.eval()` before it" in verdict.fixes[0].words and verdict.fixes[0].price
    title = run(backend, text + "told = why(net)")["told"].title
    assert title.endswith("and nothing wrong was found in their gradients")
    mended = run(backend, text.replace("    right = 0", "    right = 0; net.eval()"))
    assert mended["run"].verdicts == []
    assert all(bool((new == old).all()) for new, old in zip(mended["after"], mended["before"]))


@pytest.mark.parametrize("start", [NORM, DROP])
def test_an_evaluation_in_each_epoch(start):
    pytest.importorskip("torch")
    text = start + EPOCHS
    verdict, = run("torch", text)["run"].verdicts
    assert verdict.cause == "training mode" and verdict.line.line == line_of(text)
    assert verdict.sentence.startswith("net was called 4 times (program.py:")
    inference = run("torch", text.replace("no_grad", "inference_mode"))["run"]
    assert [one.cause for one in inference.verdicts] == ["training mode"]
    evaluated = text.replace("scores = model(x)", "scores = model.eval()(x)")
    assert run("torch", evaluated)["run"].verdicts == []


LOOP = """
with watch(net, opt) as run:
    for step in range(6):
        {}
        opt.zero_grad()
        loss.backward()
        opt.step()
"""
MADE = "opt = torch.optim.SGD(net.parameters(), lr=0.01)\n"
HEALTHY = {
    "targets that the model itself makes": NORM + MADE + LOOP.format("""
        with torch.no_grad(): aim = net(X).softmax(1).argmax(1)
        loss = F.cross_entropy(net(X + 0.1), aim)"""),
    "images for a critic": NORM + """
critic = nn.Linear(3, 1)
optC = torch.optim.SGD(critic.parameters(), lr=0.01)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
with watch([net, critic], [opt, optC]) as run:
    for step in range(4):
        with torch.no_grad(): fake = net(X)
        optC.zero_grad()
        (critic(fake).mean() - critic(torch.rand(24, 3)).mean()).backward()
        optC.step()
        opt.zero_grad()
        (-critic(net(X)).mean()).backward()
        opt.step()
""",
    "shapes that are looked at before the training": DROP + MADE + LOOP.format("""
        if step == 0:
            with torch.no_grad(): width = net(X[:1]).shape[1]
        loss = F.cross_entropy(net(X), Y)"""),
    "Monte Carlo dropout in training mode": DROP + MADE + LOOP.format("""
        loss = F.cross_entropy(net(X), Y)""") + """
    with torch.no_grad(): draws = torch.stack([net(TX) for _ in range(8)]).std(0)
""",
    "statistics that are measured anew, and an evaluation": NORM + MADE + LOOP.format("""
        loss = F.cross_entropy(net(X), Y)""") + """
    with torch.no_grad(): [net(X[at:at + 8]) for at in (0, 8, 16)]
    net.eval()
    with torch.no_grad(): right = net(TX).argmax(1)
""",
    "no layer that differs": START + "net = nn.Linear(6, 3)\n" + AFTER,
    "rollouts that are stored": DROP + MADE + """
with watch(net, opt) as run:
    for step in range(4):
        stored = torch.zeros(24, 3)
        with torch.no_grad():
            for at in (0, 8, 16): stored[at:at + 8] = net(X[at:at + 8])
        opt.zero_grad()
        (net(X) - stored).pow(2).mean().backward()
        opt.step()
""",
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", HEALTHY)
def test_what_belongs_to_the_training_is_no_fault(backend, name):
    found = run(backend, HEALTHY[name])["run"]
    assert "training mode" not in {one.cause for one in found.verdicts}, found.text
    repeated = "of these calls, 7 had an input that an earlier one had had since the last step."
    assert (repeated in found.text) == (name == "Monte Carlo dropout in training mode"), found.text


@pytest.mark.parametrize("reentrant", [False, True])
def test_a_checkpoint_is_no_evaluation(reentrant):
    pytest.importorskip("torch")
    found = run("torch", DROP + MADE + LOOP.format(f"""
        from torch.utils.checkpoint import checkpoint
        loss = F.cross_entropy(net(X), Y) + F.cross_entropy(
            checkpoint(net, X.clone().requires_grad_(), use_reentrant={reentrant}), Y)"""))["run"]
    assert "training mode" not in found.text.replace("in training mode", ""), found.text


# --- dropout that no eval() reaches

ALWAYS = START + """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last, self.p = nn.Linear(6, 8), nn.Linear(8, 3), 0.4
        self.drop = nn.Dropout(0.4)
    def forward(self, x):
        x = F.relu(self.first(x))
        x = {dropped}  # here
        return self.last(x)
net = Net()
""" + TRAIN + """
with watch(net, opt) as run:
    for epoch in range(3):
        net.train()
        train()
        {evaluation}
told = why(net)
"""
EVALUATION = "net.eval(); a = net(TX)"
NO_GRAD = """net.eval()
        with torch.no_grad():
            for at in (0, 6): net(TX[at:at + 6])"""
ON_PURPOSE = {  # name: (what drops, the evaluation)
    "told": ("F.dropout(x, self.p, training=self.training)", NO_GRAD),
    "told by position": ("F.dropout(x, 0.4, self.training)", NO_GRAD),
    "always, and written": ("F.dropout(x, 0.4, training=True)", NO_GRAD),
    "a part of the model": ("self.drop(x)", NO_GRAD),
    "nothing is dropped": ("F.dropout(x, 0.0)", NO_GRAD),
    "alpha_dropout drops nothing": ("F.alpha_dropout(x, 0.4)", NO_GRAD),
    "Monte Carlo, by train() of one layer": (
        "self.drop(x)", "net.eval(); net.drop.train(); a = [net(TX).detach() for _ in range(5)]"),
    "Monte Carlo, with the default": ("F.dropout(x, self.p)", """net.eval()
        with torch.no_grad():
            a = torch.stack([net(TX) for _ in range(5)])"""),
    "Monte Carlo, with the default, recorded": (
        "F.dropout(x, self.p)", "net.eval(); a = torch.stack([net(TX) for _ in range(5)]).std(0)"),
    "no evaluation": ("F.dropout(x, self.p)", "pass"),
    "an evaluation in training mode": ("F.dropout(x, self.p)", NO_GRAD.replace("net.eval()", "")),
}


@pytest.mark.parametrize("dropped, mended", [
    ("F.dropout(x, p=self.p)", "F.dropout(x, p=self.p, training=self.training)"),
    ("F.dropout1d(x, 0.4)", "F.dropout1d(x, 0.4, training=self.training)"),
    ("torch.tanh(nn.Dropout(0.4)(x))", "torch.tanh(self.drop(x))")])
@pytest.mark.parametrize("evaluation", [EVALUATION, NO_GRAD])
def test_dropout_that_drops_in_evaluation_mode(dropped, mended, evaluation):
    pytest.importorskip("torch")
    text = ALWAYS.format(dropped=dropped, evaluation=evaluation)
    scope = run("torch", text)
    verdict, = scope["run"].verdicts
    assert verdict.cause == "dropout" and verdict.line.line == line_of(text)
    assert verdict.sentence.startswith(f"In {6 if evaluation is NO_GRAD else 3} calls of net in evaluation")
    assert "dropped numbers, with p=0.4" in verdict.sentence
    assert "training=self.training" in scope["told"].text
    net = scope["net"].eval()
    assert not net(scope["TX"]).equal(net(scope["TX"]))
    scope = run("torch", ALWAYS.format(dropped=mended, evaluation=evaluation))
    net = scope["net"].eval()
    assert scope["run"].verdicts == [] and net(scope["TX"]).equal(net(scope["TX"]))


@pytest.mark.parametrize("name", ON_PURPOSE)
def test_dropout_that_drops_nothing_or_on_purpose(name):
    pytest.importorskip("torch")
    dropped, evaluation = ON_PURPOSE[name]
    run_of = run("torch", ALWAYS.format(dropped=dropped, evaluation=evaluation))["run"]
    assert all(one.cause != "dropout" for one in run_of.verdicts), run_of.text
    assert not run_of.verdicts or "in training mode" in name
