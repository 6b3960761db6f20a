"""Rows of a weight that stay equal: found, cured by the fix, and not claimed of what looks alike."""
from __future__ import annotations

import pytest

from tests.viz.test_why import BACKENDS, run

LOOP = """
X, Y = torch.randn(16, 6), torch.randn(16, 1)
with watch(model, opt) as run:
    for step in range(5):
        opt.zero_grad()
        nn.functional.mse_loss(model(X), Y).backward()
        opt.step()
told = why(model)
"""
AT_END = LOOP.replace("        opt.zero_grad()\n", "").replace("opt.step()", "opt.step(); opt.zero_grad()")
START = "torch.manual_seed(0)\nnn = torch.nn\n"
LAYERS = START + """
model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 5), nn.Tanh(), nn.Linear(5, 1))
for module in model:
    if isinstance(module, nn.Linear):
        nn.init.constant_(module.weight, 0.1)  # here
        nn.init.zeros_(module.bias)
opt = torch.optim.Adam(model.parameters(), lr=0.01)
"""
PRODUCTS = START + """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Parameter(torch.full((6, 7), 0.2))  # here
        self.last = nn.Parameter(torch.full((7, 1), 0.3))
    def forward(self, x):
        return torch.relu(x @ self.first) @ self.last
model = Net()
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
"""
FILTERS = START + """
model = nn.Sequential(nn.Unflatten(1, (1, 2, 3)), nn.Conv2d(1, 4, 2), nn.ReLU(),
                      nn.Flatten(), nn.Linear(8, 1))
with torch.no_grad():
    for p in model.parameters():
        p.fill_(0.25)  # here
opt = torch.optim.AdamW(model.parameters(), lr=0.01)
"""
GATES = START + """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.head = nn.LSTM(2, 9, batch_first=True), nn.Linear(9, 1)
        for name, p in self.named_parameters():
            if name.startswith(("rnn", "head.w")): p.data.fill_(0.1)  # here
    def forward(self, x):
        return self.head(self.rnn(x.reshape(-1, 3, 2))[0][:, -1])
model = Net()
opt = torch.optim.Adam(model.parameters(), lr=0.01)
"""
FOUND = {  # program, what it is told of, what is said, the parameters that are to be filled
    "layers": (LAYERS, "model.0.weight", "All 8 rows of model.0.weight are equal",
               ("model[0].weight", "model[2].weight")),
    "products": (PRODUCTS, "model.first", "All 7 columns of model.first are equal", ("model.first",)),
    "filters": (FILTERS, "model.1.weight", "All 4 rows of model.1.weight are equal", ("model[1].weight",)),
    "gates": (GATES, "model.rnn.weight_ih_l0", "In each of its 4 groups, all 9 rows of "
              "model.rnn.weight_ih_l0 are equal", ("model.rnn.weight_ih_l0", "model.rnn.weight_hh_l0")),
}
MISSING = {"minigrad": ("filters", "gates")}  # it has neither of these layers
PAIRS = [(backend, name) for backend in BACKENDS for name in FOUND if name not in MISSING.get(backend, ())]


@pytest.mark.parametrize("loop", [LOOP, AT_END], ids=["emptied before", "emptied at the end"])
@pytest.mark.parametrize("backend, name", PAIRS)
def test_rows_that_stay_equal_are_found_and_random_numbers_set_them_apart(backend, name, loop):
    text, about, words, filled = FOUND[name]
    scope = run(backend, text + loop)
    verdict = next(one for one in scope["run"].verdicts if one.cause == "equal rows")
    line = next(at for at, one in enumerate(text.splitlines(), 1) if "# here" in one)
    assert verdict.name == about and verdict.sentence.startswith(words), verdict.sentence
    assert f"(program.py:{line}, `" in verdict.sentence and "steps keep them equal" in verdict.sentence
    assert "equal rows" in [row.cause for row in scope["told"].rows]
    found = [row for row in scope["told"].rows if row.cause == "equal rows"]
    codes = [row.fixes[0].words.partition("`")[2].partition("`")[0] for row in found]
    assert sorted(codes) == sorted(f"nn.init.normal_({code}, std=0.1)" for code in filled)
    assert all(fix.price for row in found for fix in row.fixes)
    mended = run(backend, text + "\n".join(codes) + loop.replace("opt.step(); opt.zero_grad()", "opt.step()"))
    assert "equal rows" not in mended["run"].text + mended["told"].text
    for row in found:
        weight = dict(mended["model"].named_parameters())[row.name.removeprefix("model.")]
        grad = weight.grad if about != "model.first" else weight.grad.T
        assert grad is None or float((grad[0] - grad[1]).abs().max()) > 0


def changed(changes, text=LAYERS):
    for old, new in changes.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    return text


HEALTHY = {
    "a last layer that begins at 0": changed({
        "nn.Linear(5, 1))": "nn.Linear(5, 3))\ntargets = torch.randn(16, 3)",
        "for module in model:": "for module in model[4:]:",
        "constant_(module.weight, 0.1)": "zeros_(module.weight)",
    }),
    "one constant layer, whose units others take differently": changed({
        "for module in model:": "for module in model[:1]:"}),
    "an adapter whose second factor begins at 0": START + """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.base, self.head = nn.Linear(6, 6).requires_grad_(False), nn.Linear(6, 1)
        self.A, self.B = nn.Parameter(torch.randn(2, 6)), nn.Parameter(torch.zeros(6, 2))
    def forward(self, x):
        return self.head(self.base(x) + x @ self.A.T @ self.B.T)
model = Net()
opt = torch.optim.SGD([model.A, model.B], lr=0.1)
""",
    "rows that are equal and biases that are not": changed({
        "nn.init.zeros_(module.bias)": "nn.init.uniform_(module.bias)"}),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", HEALTHY)
def test_nothing_is_said_of_what_only_looks_alike(backend, name):
    loop = LOOP.replace("Y = torch.randn(16, 6), torch.randn(16, 1)", "Y = torch.randn(16, 6), targets") if (
        "targets" in HEALTHY[name]) else LOOP
    scope = run(backend, HEALTHY[name] + loop)
    assert "equal rows" not in scope["run"].text + scope["told"].text, scope["run"].text


def test_filters_of_one_channel_each_that_begin_equal():
    pytest.importorskip("torch")
    scope = run("torch", START + """
model = nn.Sequential(nn.Unflatten(1, (3, 2, 1)), nn.Conv2d(3, 3, (2, 1), groups=3), nn.Conv2d(3, 4, 1),
                      nn.ReLU(), nn.Flatten(), nn.Linear(4, 1))
nn.init.constant_(model[1].weight, 0.5)
nn.init.constant_(model[2].weight, 0.5)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
""" + LOOP)
    assert "equal rows" not in scope["run"].text, scope["run"].text
