"""Training in evaluation mode: a fault, with all its layers, unless the program chose that mode."""
from __future__ import annotations

import pytest

from tests.viz.test_why import BACKENDS, run

START = """
torch.manual_seed(0)
nn = torch.nn
X, Y = torch.randn(32, 6) * 2 + 3, torch.randn(32, 1)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.bn = nn.Linear(6, 5), nn.BatchNorm1d(5)
        self.drop, self.out = nn.Dropout(0.5), nn.Linear(5, 1)
    def forward(self, x):
        return self.out(self.drop(torch.relu(self.bn(self.fc(x)))))
    {method}
{more}
model = {made}
with torch.no_grad():
    for _ in range({batches}): model(X)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
def train():
    for epoch in range(3):
        {before}
        for start in range(0, 32, 8):
            opt.zero_grad()
            nn.functional.mse_loss(model(X[start:start + 8]), Y[start:start + 8]).backward()
            opt.step()
        {after}
"""
WATCHED = "with watch(model, opt) as run: train()\ntold = why(model)\n"
OVERRIDE = """def train(self, mode=True):
        super().train(mode)
        for m in self.modules():
            if isinstance(m, nn.BatchNorm1d): m.eval()
        return self"""
HELPER = """def freeze_bn(net):
    for name, m in net.named_modules():
        if isinstance(m, nn.BatchNorm1d):
            m.eval()"""
CHOSEN = {
    "an own train()": {"method": OVERRIDE},
    "a parent's train()": {"method": OVERRIDE, "more": "class Sub(Net): pass", "made": "Sub()"},
    "a train() that calls a helper": {
        "method": "def train(self, mode=True):\n        super().train(mode)\n        freeze_bn(self)\n"
               "        return self", "more": HELPER},
    "a layer that stays so": {
        "more": "class BatchNormFixed(nn.BatchNorm1d):\n    def train(self, mode=True):\n"
             "        return super().train(False)\n"
             "_made = Net\ndef make():\n    net = _made(); net.bn = BatchNormFixed(5)\n"
             "    net.bn.num_batches_tracked += 1\n    return net", "made": "make()"},
    "a helper after train()": {"more": HELPER, "before": "model.train(); freeze_bn(model)"},
    "a helper on a condition": {
        "more": HELPER + "\nfine = True",
        "before": "model.train()\n        if fine: freeze_bn(model)"},
    "apply()": {"more": "def off(m):\n    if 'BatchNorm' in type(m).__name__: m.eval()",
                    "before": "model.train(); model.apply(off)"},
    "the layer itself": {"before": "model.train(); model.bn.eval()"},
}
FAULTS = {
    "left by an evaluation": ({
        "more": "def score():\n    model.eval()\n    with torch.no_grad(): return model(X).mean()",
        "before": "epoch or model.train()", "after": "score()"},
        "model was", "BatchNorm (model.bn) used its running averages",
        "and dropout (model.drop) dropped nothing"),
    "train() only once": ({"before": "epoch or model.train()"}, "model was", "(model.bn)", "(model.drop)"),
    "only its dropout": ({"before": "model.train(); model.drop.training = False"},
                         "model.drop was", "dropout dropped nothing", ""),
    "an own train() of something else": ({
        "method": "def train(self, mode=True):\n        super().train(mode)\n        self.count = 1\n"
               "        return self",
        "after": "model.eval()", "before": "epoch or model.train()"},
        "model was", "(model.bn)", "(model.drop)"),
    "another model after train()": ({
        "more": "teacher = Net()", "before": "epoch or model.train(); teacher.eval()"},
        "model was", "(model.bn)", "(model.drop)"),
    "statistics that no batch has updated": ({
        "more": HELPER, "before": "model.train(); freeze_bn(model)", "batches": 0},
        "model.bn was", "BatchNorm used its running averages, which it didn't update,", ""),
}


def program(made="Net()", batches=5, before="model.train()", after="model.eval()", method="pass",
            more=""):
    return START.format(made=made, batches=batches, before=before, after=after, method=method, more=more)


def wrong(backend, text, watched):
    scope = run(backend, text + (WATCHED if watched else "train()\ntold = why(model)\n"))
    found = [row for row in scope["told"].rows if row.cause == "evaluation mode"]
    assert not watched or bool(found) is any(
        one.cause == "evaluation mode" for one in scope["run"].verdicts)
    return scope, found


@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize("name", CHOSEN)
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_mode_that_was_chosen_is_no_fault(backend, name, watched):
    scope, found = wrong(backend, program(**CHOSEN[name]), watched)
    assert not found, found[0].sentence
    assert not scope["model"].bn.training


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_mode_that_nobody_chose_is_one_and_its_layers_are_named(backend, name):
    changes, *says = FAULTS[name]
    scope, found = wrong(backend, program(**changes), True)
    assert len(found) == 6 and all(words in found[0].sentence for words in says), found[0].sentence
    assert "follow the data" not in found[0].sentence


@pytest.mark.parametrize("backend", BACKENDS)
def test_train_in_each_epoch_mends_it(backend):
    changes, *_ = FAULTS["train() only once"]
    scope, found = wrong(backend, program(**changes), True)
    assert found[0].fixes[0].words == "Call `model.train()` before the forward pass."
    assert not wrong(backend, program(**{**changes, "before": "model.train()"}), True)[1]
