"""Calls in a loop over time that a detach() cuts off are counted, and not called a fault."""
from __future__ import annotations

import pytest

from minigrad.viz import why
from tests.viz.test_why import BACKENDS, run

LOOP = """
torch.manual_seed(0)
nn = torch.nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp, self.rec, self.head = nn.Linear(2, 5), nn.Linear(5, 5), nn.Linear(5, 1)
    def forward(self, x):
        h, outs = torch.zeros(x.shape[0], 5), []
        for t in range(x.shape[1]):
            h = h.detach()  # here
            h = torch.tanh(self.inp(x[:, t]) + self.rec(h))
            outs.append(h)
        return self.head(h)
net = Net()
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
X, Y = torch.randn(7, 6, 2), torch.randn(7, 1)
with watch(net, optimizer) as run:
    for step in range(3):
        optimizer.zero_grad()
        nn.functional.mse_loss(net(X), Y).backward()
        optimizer.step()
"""
CELLS = """
torch.manual_seed(0)
nn = torch.nn
class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.both = nn.Linear(7, 4)
    def forward(self, x, state):
        return torch.relu(self.both(torch.cat([x, state], 1)))
class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.last = Cell(), nn.Linear(4, 3)
    def forward(self, x):
        state = torch.ones(x.shape[0], 4)
        for at, now in enumerate(x.unbind(1)):
            if at % 3 == 0 and at:
                state = state.data  # here
            state = self.cell(now, state)
        return self.last(state)
reader = Reader()
sgd = torch.optim.SGD(reader.parameters(), lr=0.1)
with watch(reader, sgd) as run:
    for length in (5, 6):
        sgd.zero_grad()
        (reader(torch.randn(4, length, 3)) ** 2).mean().backward()
        sgd.step()
"""
FOUND = {
    "in every step": (LOOP, "Of the 6 calls of net.rec in each of the 3 calls of net that a backward pass "
                      "reached, 1 got a gradient: the first that did was given what detach() ("),
    "in some steps": (CELLS, "Of 11 calls of reader.cell in 2 calls of reader that a backward pass reached, "
                      "5 got a gradient: the first that did was given what .data ("),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", FOUND)
def test_the_calls_that_got_a_gradient_are_counted(backend, name):
    text, words = FOUND[name]
    scope = run(backend, text)
    found = scope["run"]
    line = next(at for at, one in enumerate(text.splitlines(), 1) if "# here" in one)
    assert f"{words}program.py:{line}, `" in found.text, found.text
    assert not found.verdicts and "Nothing else was found. Measured" in found.text
    assert "got a gradient: the first that did" in found.html
    told = why(scope[found.roots[0].name])
    assert f"{words}program.py:{line}, `" in told.nothing_found
    assert told.text.endswith("Nothing else was found.")
    path = "net.rec" if text is LOOP else "reader.cell"
    calls = [call for call in found.calls if call.path == path]
    assert (len(calls), sum(call.of_pass > 0 for call in calls)) == ((18, 3) if text is LOOP else (11, 5))


CUT = "            h = h.detach()  # here\n"
SILENT = {
    "nothing is cut": {CUT: ""},
    "each step has its own result": {"self.head(h)": "sum(map(self.head, outs))"},
    "results that nobody takes": {CUT: "", "self.rec(h))": "self.rec(torch.ones(7, 5)))"},
    "a copy that is only kept": {CUT: "", "outs.append(h)": "outs.append(h.detach())"},
    "windows": {
        CUT: "", "def forward(self, x)": "def forward(self, x, h)",
        "h, outs = torch.zeros(x.shape[0], 5), []": "outs = []",
        "return self.head(h)": "return self.head(h), h",
        "        optimizer.zero_grad()\n        nn.functional.mse_loss(net(X), Y)": """
        h = torch.zeros(7, 5)
        for part in (X[:, :3], X[:, 3:]):
            optimizer.zero_grad()
            out, h = net(part, h.detach())
            nn.functional.mse_loss(out, Y)""",
        "        optimizer.step()": "            optimizer.step()"},
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", SILENT)
def test_nothing_is_said_where_no_call_is_cut_off(backend, name):
    text = LOOP
    for old, new in SILENT[name].items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    scope = run(backend, text)
    found = scope["run"]
    assert "the first that did" not in why(scope["net"]).text
    assert "the first that did" not in found.text and "Nothing wrong was found." in found.text, found.text
