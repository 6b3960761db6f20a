"""A deepcopy that fails on a computed tensor: the attribute is named, with the line that stores it."""
from __future__ import annotations

import copy

import pytest

from tests.viz.test_why import BACKENDS, run

HEAD = """
import copy
nn, F = torch.nn, torch.nn.functional
torch.manual_seed(0)
X = torch.randn(4, 3)
"""
TAIL = """
net(X).pow(2).mean().backward()
try:
    COPY
    told = None
except RuntimeError as error:
    told = explain(error)
grads = [one.grad.tolist() for one in net.parameters()]
"""
SCALED = """
class Scaled(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.w = nn.Parameter(torch.randn(2, size))
        self.last = None
    def forward(self, x):
        self.last = self.w * 0.5
        return F.linear(x, self.last)
net = nn.Sequential(Scaled(3), nn.Tanh(), Scaled(2))
"""
LIST = """
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self._maps = nn.Linear(3, 3), []
    def forward(self, x):
        found = torch.softmax(self.query(x), 1)
        self._maps.append(found)
        return found * x
class Holder:
    def __init__(self, net):
        self.net, self.best = net, None
    def keep(self):
        self.best = copy.deepcopy(self.net)
net = nn.Sequential(Attention(), nn.Linear(3, 1))
"""
BUFFER = """
net = nn.Linear(3, 2)
net.register_buffer("average", torch.zeros(2, 3))
net.average = 0.9 * net.average + 0.1 * net.weight
"""
DICT = """
net = nn.Linear(3, 2)
state = {"sizes": [net.weight.sum()], "step": 3}
"""
# text, what is copied, what is said, what the fix says, its edits
ROWS = {
    "an attribute": (SCALED, "copy.deepcopy(net)", "copies net, in which net.0.last holds a tensor that Mul",
                     "`last = self.w * 0.5` and `self.last = last.detach()`",
                     {"self.last = self.w * 0.5": "last = self.w * 0.5; self.last = last.detach()",
                      "F.linear(x, self.last)": "F.linear(x, last)"}),
    "a list": (LIST, "Holder(net).keep()", "self.net.0._maps[0] holds a tensor that SoftmaxBackward0",
               "`self._maps.append(found.detach())`", {"append(found)": "append(found.detach())"}),
    "a buffer": (BUFFER, "copy.deepcopy(net)", "in which net.average holds a tensor that AddBackward0 made (",
                 "`net.average = average.detach()`",
                 {"net.average = 0.9 * net.average + 0.1 * net.weight":
                  "average = 0.9 * net.average + 0.1 * net.weight; net.average = average.detach()"}),
    "a dict": (DICT, "copy.deepcopy(state)", "copies state, in which state['sizes'][0] holds a tensor",
               "Before the copy, keep the numbers alone: `state['sizes'][0] = state['sizes'][0].detach()`",
               {"net.weight.sum()": "net.weight.sum().detach()"}),
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("backend", BACKENDS)
def test_the_attribute_is_named_and_the_fix_leaves_the_gradients(backend, name):
    text, copied, says, fix, edits = ROWS[name]
    whole = HEAD + text + TAIL.replace("COPY", copied)
    scope = run(backend, whole)
    assert scope["told"].cause == "copy of a computed tensor"
    assert says in scope["told"].sentences[0], scope["told"].sentences
    assert fix in scope["told"].fixes[0].words
    for old, new in edits.items():
        assert old in whole
        whole = whole.replace(old, new)
    mended = run(backend, whole)
    assert mended["told"] is None and mended["grads"] == scope["grads"]
    copy.deepcopy(mended["net"])


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_watch_tells_the_line_where_the_text_does_not(backend):
    text = HEAD + """
def keep(module, given, result):
    setattr(module, "kept", result)
net = nn.Sequential(nn.Linear(3, 2), nn.Tanh())
net[0].register_forward_hook(keep)
""" + TAIL.replace("COPY", "copy.deepcopy(net)").replace(
        "net(X)", "with watch(net):\n    loss = net(X)\nloss", 1)
    told = run(backend, text)["told"]
    assert "net.0.kept holds a tensor that AddmmBackward0 made (program.py:13, " in told.sentences[0]
    assert "`net[0].kept = net[0].kept.detach()`" in told.fixes[0].words
