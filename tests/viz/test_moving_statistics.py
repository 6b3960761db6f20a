"""BatchNorm in a frozen part whose statistics move: found, cured by the fix, silent elsewhere."""
from __future__ import annotations

import pytest

from tests.viz.test_why import BACKENDS, run

START = """
torch.manual_seed(0)
nn = torch.nn
X, Y = torch.randn(16, 6) * 2 + 3, torch.randn(16, 1)
"""
LOOP = """
opt = torch.optim.SGD([p for p in parameters if p.requires_grad], lr=0.05)
with watch(watched, opt) as run:
    for step in range(4):
        model.train()  # here
        opt.zero_grad()
        nn.functional.mse_loss(model(X), Y).backward()
        opt.step()
after = norm.running_mean.clone()
"""
PART = START + """
body = nn.Sequential(nn.Linear(6, 5), nn.BatchNorm1d(5), nn.ReLU(), nn.Linear(5, 4), nn.BatchNorm1d(4))
model = nn.Sequential(body, nn.Linear(4, 1))
for p in body.parameters(): p.requires_grad = False
norm, watched, parameters = body[1], model, list(model.parameters())
"""
FLAT = START + """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp, self.norm, self.out = nn.Linear(6, 7), nn.BatchNorm1d(7), nn.Linear(7, 1)
    def forward(self, x):
        return self.out(torch.tanh(self.norm(self.inp(x))))
model = Net()
model.inp.requires_grad_(False)
model.norm.requires_grad_(False)
norm, watched, parameters = model.norm, model, list(model.parameters())
"""
APART = START + """
class Two(nn.Module):
    def __init__(self, features, head):
        super().__init__()
        self.features, self.head = features, head
    def forward(self, x):
        with torch.no_grad():
            x = self.features(x)
        return self.head(x)
features = nn.Sequential(nn.Linear(6, 5), nn.BatchNorm1d(5, affine=False)).requires_grad_(False)
model = Two(features, nn.Linear(5, 1))
norm, watched, parameters = features[1], model, list(model.parameters())
"""
MODELS = START + """
encoder = nn.Sequential(nn.Linear(6, 5), nn.BatchNorm1d(5), nn.ReLU()).requires_grad_(False)
head = nn.Linear(5, 1)
def model(x): return head(encoder(x))
model.train = encoder.train
head.train()
norm, watched, parameters = encoder[1], [encoder, head], list(head.parameters())
"""
FOUND = {"a model of its own": (MODELS, "encoder.1", "encoder.eval()", 1),
         "a part": (PART, "model.0.1", "model[0].eval()", 3),
         "a flat model": (FLAT, "model.norm", "model.norm.eval()", 1),
         "under no_grad": (APART, "model.features.1", "model.features.eval()", 0)}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", FOUND)
def test_the_move_is_measured_and_eval_stops_it(backend, name):
    text, path, code, others = FOUND[name]
    scope = run(backend, text + "before = norm.running_mean.clone()\n" + LOOP)
    verdict, = scope["run"].verdicts
    moved = (scope["after"] - scope["before"]).norm().item()
    assert verdict.cause == "moving statistics" and verdict.others == others
    assert verdict.sentence.startswith(
        f"{path} ran in training mode in 4 calls that were watched, which moved its running mean by "
        f"{moved:.3g} and its running variance by ")
    line = (text + "\n" + LOOP).splitlines().index("        model.train()  # here") + 1
    assert f"The program calls train() (program.py:{line}, `model.train()" in verdict.sentence
    fix, = verdict.fixes
    assert fix.words.startswith(f"Call `{code}` before the forward pass") and fix.price
    mended = run(backend, text + "before = norm.running_mean.clone()\n" + LOOP.replace(
        "model.train()  # here", f"model.train(); {code}"))
    assert mended["run"].verdicts == [], mended["run"].text
    assert (mended["after"] - mended["before"]).norm().item() == 0


LOOK_ALIKE = {
    "nothing is frozen": PART.replace("for p in body.parameters(): p.requires_grad = False", ""),
    "the layer before it learns": FLAT.replace("model.inp.requires_grad_(False)", ""),
    "it has no parameters, in a model that learns": START + """
model = nn.Sequential(nn.BatchNorm1d(6, affine=False), nn.Linear(6, 4),
                      nn.BatchNorm1d(4, affine=False), nn.Linear(4, 1))
norm, watched, parameters = model[0], model, list(model.parameters())
""",
    "it follows another one": PART + """
import copy
student = body
body = copy.deepcopy(student)
for p in student.parameters(): p.requires_grad = True
class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.student, self.average, self.head = student, body, nn.Linear(4, 1)
    def forward(self, x):
        with torch.no_grad():
            for old, new in zip(self.average.parameters(), self.student.parameters()):
                old.mul_(0.9).add_(0.1 * new)
            aim = self.average(x)
        return self.head(self.student(x)) + 0 * aim[:, :1]
model = watched = Both()
parameters = list(model.parameters())
""",
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", LOOK_ALIKE)
def test_nothing_is_said_where_nothing_is_to_stay(backend, name):
    found = run(backend, LOOK_ALIKE[name] + LOOP)["run"]
    assert "moving statistics" not in found.text, found.text


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_critic_that_is_frozen_for_a_while_is_not_to_stay(backend):
    found = run(backend, START + """
critic = nn.Sequential(nn.Linear(1, 5), nn.BatchNorm1d(5), nn.ReLU(), nn.Linear(5, 1))
maker = nn.Linear(6, 1)
optC, optM = [torch.optim.SGD(one.parameters(), lr=0.1) for one in (critic, maker)]
with watch([critic, maker], [optC, optM]) as run:
    for step in range(3):
        critic.requires_grad_(True)
        optC.zero_grad()
        (critic(maker(X).detach()) - critic(Y)).pow(2).mean().backward()
        optC.step()
        critic.requires_grad_(False)
        optM.zero_grad()
        critic(maker(X)).pow(2).mean().backward()
        optM.step()
""")["run"]
    assert "moving statistics" not in found.text, found.text


LEFT = """
before = nn.Linear(WIDTH, 1)
early = torch.optim.SGD([*model.parameters(), *before.parameters()], lr=0.01, momentum=0.9)
frozen = FROZEN
for p in frozen: p.requires_grad = True
for _ in range(3):
    early.zero_grad()
    nn.functional.mse_loss(before(torch.tanh(model(X))), Y).backward()
    early.step()
for p in frozen: p.requires_grad = False
"""
LEFT_IN = {"a part": PART + LEFT.replace("FROZEN", "list(body.parameters())").replace("WIDTH", "1"),
           "a flat model": FLAT + LEFT.replace("WIDTH", "1").replace(
               "FROZEN", "[*model.inp.parameters(), *model.norm.parameters()]")}
STEP = "        opt.step()"


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", LEFT_IN)
def test_a_gradient_that_was_left_moves_nothing_if_its_optimizer_takes_no_step(backend, name):
    text = LEFT_IN[name]
    ask = "\ntold = why(model)\n"
    scope = run(backend, text + LOOP + ask)
    assert scope["frozen"][0].grad.norm() > 0
    assert {one.cause for one in scope["run"].verdicts} == {"moving statistics"}, scope["run"].text
    assert "stale" not in scope["told"].text
    still = LOOP.replace("model.train()", "model.train(); " + FOUND[name][2])
    healthy = run(backend, text + still + ask)
    assert healthy["run"].verdicts == [] and "nothing wrong" in healthy["told"].text, healthy["run"].text
    for also in (", early", ""):  # whether or not a watch was given that optimizer
        given = still.replace("watch(watched, opt)", f"watch(watched, [opt{also}])")
        assert run(backend, text + given)["run"].verdicts == []


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", LEFT_IN)
def test_a_gradient_that_was_left_moves_a_weight_with_each_step_of_its_optimizer(backend, name):
    text = LEFT_IN[name] + "old = frozen[0].detach().clone()"
    both = LOOP.replace(STEP, STEP + "\n        early.step()")
    scope = run(backend, text + both)
    found = next(one for one in scope["run"].verdicts if one.cause == "stale")
    line = (text + both).splitlines().index("        early.step()") + 1
    assert "still holds one" in found.sentence and (
        f"and the last step (program.py:{line}, `early.step()`) moved it." in found.sentence), found.sentence
    assert (scope["frozen"][0] - scope["old"]).norm() > 0
    fix, = found.fixes
    code = fix.words.removeprefix("Write `").partition("`")[0]
    mended = run(backend, text + "\n" + code + both)
    assert (mended["frozen"][0] - mended["old"]).norm() == 0
