"""A weight that was computed from a Parameter, which the model then doesn't count."""
from __future__ import annotations

import importlib

import pytest

from minigrad.viz import why
from tests.viz.test_why import BACKENDS, run

NET = """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.out = torch.nn.Linear(4, 1)
        self.scale = {made}
        self.seen = None
    def forward(self, x):
        self.seen = torch.tanh(x @ torch.ones(3, 4)) * {used}
        return self.out(self.seen)
"""
TRAIN = """
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
with watch(net, opt) as run:
    for step in range(3):
        opt.zero_grad()
        net(torch.ones(2, 3)).sum().backward(retain_graph=True)
        opt.step()
"""


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("made", ["torch.nn.Parameter(torch.ones(4)) * 0.5",
                                  "torch.nn.Parameter(torch.ones(4, dtype=torch.float64)).float()"])
def test_what_is_computed_from_a_parameter_is_none(backend, made):
    scope = run(backend, NET.format(made=made, used="self.scale") + TRAIN)
    found, = scope["run"].verdicts
    assert found.cause == "not registered" and "net.scale (program.py:" in found.sentence
    right = run(backend, NET.format(made=f"torch.nn.Parameter(({made}).detach())", used="self.scale") + TRAIN)
    assert right["run"].verdicts == []
    assert len(list(right["net"].parameters())) == len(list(scope["net"].parameters())) + 1


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_result_that_a_model_keeps_is_no_weight(backend):
    text = NET.replace("        self.seen = None\n", "")
    text = text.format(made="None", used="free")
    free = "free = torch.nn.Parameter(torch.ones(4))\n"
    assert run(backend, f"{free}{text}{TRAIN}")["run"].verdicts == []


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_line_of_a_class_that_is_imported(backend, tmp_path, monkeypatch):
    text = NET.format(made="torch.nn.Parameter(torch.ones(4)) * 0.5", used="self.scale")
    (tmp_path / f"nets_of_{backend}.py").write_text(f"import {backend} as torch\n{text}", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    net = importlib.import_module(f"nets_of_{backend}").Net()
    assert f"net.scale (nets_of_{backend}.py:7, `self.scale" in why(net).text
