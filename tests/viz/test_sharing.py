"""Weights that were to be shared, untied by a line or copied: found, and silent on copies that are meant."""
from __future__ import annotations

import pytest

from tests.viz.test_why import run

START = """
import copy
torch.manual_seed(0)
nn, F = torch.nn, torch.nn.functional
X = torch.arange(24).view(4, 6) % 10
{before}
class Model(nn.Module):
    def __init__(self, tie=True):
        super().__init__()
        self.embed = nn.Embedding(10, 8)
        self.head = nn.Linear(8, 10, bias=False)
        {lines}
    {more}
    def forward(self, x):
        return self.head(self.embed(x))
model = Model({given})
{after}
opt = torch.optim.SGD(model.parameters(), lr=0.1)
with watch(model, opt) as run:
    for step in range(3):
        opt.zero_grad()
        F.cross_entropy(model(X).flatten(0, 1), X.flatten()).backward()
        opt.step()
"""
TIE = "self.head.weight = self.embed.weight"


def of(lines, more="pass", after="", given="", before=""):
    pytest.importorskip("torch")
    lines = lines.replace("; ", "\n        ")
    return run("torch", START.format(lines=lines, more=more, after=after, given=given, before=before))


INIT = "def fill(self): self.embed.weight = nn.Parameter(torch.randn(10, 8) * 0.1)"
APPLIED = """
def fill(module):
    if isinstance(module, nn.Linear):
        module.weight = nn.Parameter(torch.randn(10, 8))
"""
UNTIED = {
    "by a method": {"lines": f"if tie: {TIE}; self.fill()", "more": INIT},
    "by a function": {"lines": TIE, "before": APPLIED, "after": "model.apply(fill)"},
    "by a pretrained table": {"lines": f"self.tie = tie; if self.tie: {TIE}",
                                  "after": "model.embed.weight = nn.Parameter(torch.randn(10, 8))"},
}


@pytest.mark.parametrize("name", UNTIED)
def test_a_weight_that_was_tied(name):
    found = of(**UNTIED[name])
    text = found["run"].text
    assert "untied: model.head.weight and model.embed.weight are two parameters, though Model ties" in text
    assert "another line (program.py:" in text and " = nn.Parameter(torch.rand" in text
    assert "`model.head.weight = model.embed.weight`" in text
    tie = "\nmodel.head.weight = model.embed.weight"
    fixed = of(**{**UNTIED[name], "after": UNTIED[name].get("after", "") + tie})
    assert fixed["model"].head.weight is fixed["model"].embed.weight
    assert "Nothing wrong" in fixed["run"].text, fixed["run"].text


@pytest.mark.parametrize("program", [
    {"lines": TIE}, {"lines": f"self.fill(); {TIE}", "more": INIT},
    {"lines": f"if tie: {TIE}; self.fill()", "more": INIT, "given": "tie=False"},
    {"lines": f"if tie: {TIE}; self.fill()", "more": INIT, "given": "False"},
    {"lines": TIE, "after": "model.head = nn.Linear(8, 10, bias=False)"},
    {"lines": TIE, "after": "model.head.weight = nn.Parameter(model.embed.weight.detach().clone())"},
    {"lines": f"self.tie = tie; if self.tie: {TIE}; self.fill()", "more": INIT, "given": "tie=0"},
    {"lines": TIE, "more": "def other(self): self.extra.weight = nn.Parameter(torch.ones(3))",
         "after": "model = copy.deepcopy(model)"}])
def test_weights_that_are_two_on_purpose(program):
    assert "untied" not in (text := of(**program)["run"].text), text


TWIN = """
import copy
torch.manual_seed(0)
nn = torch.nn
A, B = torch.randn(8, 4), torch.randn(8, 4)
class Twin(nn.Module):
    def __init__(self, branch):
        super().__init__()
        {lines}
    def forward(self, a, b):
        return (self.left(a) * self.right(b) - 1).pow(2).mean()
branch = nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 2))
model = Twin(branch)
opt = torch.optim.SGD({held}.parameters(), lr=0.1)
with watch(model, opt) as run:
    for step in range(3):
        opt.zero_grad()
        model(A, B).backward()
        opt.step()
"""
SHARE = "If both are to share their weights, make no copy: "


def twin(lines, held="branch"):
    pytest.importorskip("torch")
    return run("torch", TWIN.format(lines=lines.replace("; ", "\n        "), held=held))


@pytest.mark.parametrize("lines, old, new", [
    ("self.left = branch; self.right = copy.deepcopy(branch)", "copy.deepcopy(branch)", "branch"),
    ("self.left = branch; self.right = copy.deepcopy(self.left)", "copy.deepcopy(self.left)", "self.left")])
def test_a_copy_that_no_optimizer_holds(lines, old, new):
    text = twin(lines)["run"].text
    assert "no optimizer: " in text and f"{SHARE}`self.right = {new}` (program.py:10, `" in text, text
    fixed = twin(lines.replace(old, new))
    assert "Nothing wrong" in fixed["run"].text and fixed["model"].left is fixed["model"].right


@pytest.mark.parametrize("lines, held", [
    ("self.left = branch; self.right = copy.deepcopy(branch)", "model"),
    ("self.left = branch; self.right = nn.Linear(4, 2)", "branch"),
    ("self.left = nn.Linear(4, 2); self.right = copy.deepcopy(branch)", "model.left"),
    ("self.left = branch; self.right = copy.deepcopy(branch).requires_grad_(False)", "branch")])
def test_copies_and_others_that_are_not_to_share(lines, held):
    assert SHARE not in (text := twin(lines, held)["run"].text), text
