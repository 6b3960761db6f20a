"""Summands that change no gradient: numbers taken by .item(), and what a hook or a helper has detached."""
from __future__ import annotations

from textwrap import indent

import pytest

from tests.viz.test_why import BACKENDS, run

START = """
nn, F = torch.nn, torch.nn.functional
torch.manual_seed(0)
X, Y, Z = torch.randn(16, 5), torch.randn(16, 5), torch.randn(16, 1)
net = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 5))
judge = nn.Sequential(nn.Linear(5, 6), nn.ReLU(), nn.Linear(6, 3)).requires_grad_(False)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
"""
LOOP = """
with watch(net, opt) as seen:
    for step in range(3):
{body}
        opt.zero_grad()
        loss.backward()
        opt.step()
told = why(net)
"""
TORCH = BACKENDS[1:]  # where a watch sees the operations that are not recorded


def train(backend, before, body):
    return run(backend, START + before + LOOP.format(body=indent(body.strip(), " " * 8)))


# name: (backends, lines before, lines that make the loss, how many parameters, what is said, what the fix
# says, its edits)
BROKEN = {
    "a loop over the parameters": (BACKENDS, "", """
penalty = 0
for p in net.parameters():
    penalty += p.abs().sum().item()
l1 = torch.tensor(penalty, requires_grad=True)
loss = F.mse_loss(net(X), Y) + 0.05 * l1""", 4, "through a number that .item() made (line 13, ",
        "without .item(), and in line 14, `l1 = torch.tensor(penalty, requires_grad=True)` without torch",
        {".sum().item()": ".sum()", "torch.tensor(penalty, requires_grad=True)": "penalty"}),
    "a sum in the line of the loss": (BACKENDS, "", """
loss = F.mse_loss(net(X), Y) + 0.1 * sum(q.norm().item() for q in net.parameters())""", 4,
        "that .item() made (line 11, ", "without .item().", {".norm().item()": ".norm()"}),
    "some of the parameters in a function": (BACKENDS, """
def size(model):
    total = 0.0
    for name, w in model.named_parameters():
        if "weight" in name:
            total = total + float(w.pow(2).sum())
    return total
""", "loss = F.mse_loss(net(X), Y) + 0.01 * size(net)", 2, "that float() made (line 13, ",
        "without float().", {"float(w.pow(2).sum())": "w.pow(2).sum()"}),
    "a list of numbers": (BACKENDS, "", """
sizes = []
for p in net.parameters():
    sizes.append(p.pow(2).sum().item())
decay = torch.tensor(sizes).sum()
loss = F.mse_loss(net(X), Y) + decay""", 4, "that .item() made (line 13, ",
        "without torch.tensor() (torch.stack() joins several)",
        {".sum().item()": ".sum()", "torch.tensor(sizes)": "torch.stack(sizes)"}),
    "a tensor made of all of them, one number among them": (BACKENDS, """
net = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
def l1(model):
    return torch.tensor([p.abs().sum() for p in model.parameters()]).sum()
""", """
reg = l1(net)
loss = F.mse_loss(net(X), Z) + 0.01 * reg""", 4, "reg is added into the loss (line 17, ",
        "in line 12, ", {"torch.tensor([": "torch.stack(["}),
    "a hook": (TORCH, """
taps = []
judge[1].register_forward_hook(lambda module, given, result: taps.append(result.detach()))
judge(Y)
wanted = taps.pop()
""", """
out = net(X)
judge(out)
style = (taps[0].mean(0) - wanted.mean(0)).pow(2).sum()
taps.clear()
loss = F.mse_loss(out, Y) + 2 * style""", 4, "style is added into the loss (line 20, ",
        "Use the tensor itself in line 10, ", {"result.detach()": "result"}),
    "an attribute": (TORCH, """
class Tap(nn.Module):
    def forward(self, x):
        self.seen = x.data
        return x
tap = Tap()
""", """
loss = F.mse_loss(tap(net(X)), Y) - 0.1 * tap.seen.std()""", 4,
        "A number is added into the loss (line 17, ", "without .data.", {"x.data": "x"}),
    "a helper": (BACKENDS, """
def features(x):
    h = judge(x)
    return h.detach()
wanted = features(Y)
""", """
out = net(X)
content = F.l1_loss(features(out), wanted)
loss = F.mse_loss(out, Y) + content""", 4, "content is added into the loss (line 18, ",
        "Use the tensor itself in line 11, `return h.detach()`, without detach().",
        {"return h.detach()": "return h"}),
    "a sum without a name": (BACKENDS, "", """
loss = F.l1_loss(net(X), Y) + sum(q.detach().norm() for q in net.parameters()) / 20""", 4,
        "it was computed from what detach() (line 11, ", "without detach().", {"q.detach()": "q"}),
}
ROWS = [(backend, name) for name, row in BROKEN.items() for backend in row[0]]


@pytest.mark.parametrize("backend, name", ROWS)
def test_it_is_named_with_its_line_and_the_fix_brings_its_gradient(backend, name):
    _, before, body, count, says, fix, edits = BROKEN[name]
    scope = train(backend, before, body)
    (found,) = scope["seen"].verdicts
    assert (found.cause, found.others) == ("constant summand", count - 1)
    assert says in found.sentence.replace("program.py:", "line ")
    assert fix in found.fixes[0].words.replace("program.py:", "line ")
    assert found.sentence in " ".join(scope["told"].sentences)
    for old, new in edits.items():
        assert old in before + body
        before, body = before.replace(old, new), body.replace(old, new)
    mended = train(backend, before, body)
    assert mended["seen"].verdicts == []
    grads = [[one.grad.tolist() for one in each["net"].parameters()] for each in (scope, mended)]
    changed = sum(one != other for one, other in zip(*grads, strict=True))
    assert changed >= count  # of all that it depends on


HEALTHY = {
    "the largest score, detached": "s = net(X)\nm = s.detach().max()\nloss = m + (s - m).exp().sum().log()",
    "a loss that is shown": "main = F.mse_loss(net(X), Y)\nother = net(X).abs().mean()\n"
                            "shift = (other - main).detach()\nloss = main + shift",
    "straight through": "out = net(X)\nhard = out.round()\nq = out + (hard - out).detach()\n"
                        "loss = F.mse_loss(q, Y) + 0.25 * F.mse_loss(out, hard.detach())",
    "a baseline": "out = net(X)\nvalue = out.sum(1)\ngain = Z[:, 0] - value.detach()\n"
                  "loss = -(F.log_softmax(out, 1)[:, 0] * gain).mean() + F.mse_loss(value, Z[:, 0])",
    "flooding": "raw = F.mse_loss(net(X), Y)\nb = raw.detach() * 0 + 0.02\nloss = (raw - b).abs() + b",
    "the largest score, without a name": "s = net(X)\nloss = s.max().detach() + (s - s.max().detach())"
                                         ".exp().sum().log()",
    "a sum with a history": "loss = F.mse_loss(net(X), Y) + 0.1 * sum((q * q.data).sum() for q in "
                            "net.parameters())",
    "weights by the losses": "a, b = F.mse_loss(net(X), Y), net(X).abs().mean()\n"
                             "w = torch.tensor([a, b]).softmax(0)\nloss = w[0] * a + w[1] * b",
    "a learned number, detached": "s = torch.ones(1, requires_grad=True)\nmain = F.mse_loss(s * net(X), Y)\n"
                                 "shift = s.detach().exp().sum()\nloss = main + shift",
}


@pytest.mark.parametrize("name", HEALTHY)
@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_meant_raises_no_alarm(backend, name):
    scope = train(backend, "", HEALTHY[name])
    assert scope["seen"].verdicts == [], [one.sentence for one in scope["seen"].verdicts]


LOOPED = {
    "layers": "class Deep(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
              "        self.layers = [nn.Linear(5, 5) for _ in range(2)]\n"
              "        self.out = nn.Linear(5, 5)\n    def forward(self, x):\n"
              "        for layer in self.layers:\n            x = torch.relu(layer(x))\n"
              "        return self.out(x)\nnet = Deep()\nloss = F.mse_loss(net(X), Y)",
    "pairs": "total = torch.tensor(0.)\nfor pair in [(X, Y), (X, Y)]:\n"
             "    total = total + F.mse_loss(net(pair[0]), pair[1]).item()\nloss = total.requires_grad_()",
    "numbers": "loss = F.mse_loss(net(X), Y)\nfor rate in [0.1, 0.2]:\n    loss = loss * rate",
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("looped", LOOPED)
def test_a_loop_over_what_is_no_tensor_is_read_without_an_error(backend, looped):
    text = LOOPED[looped]
    of = "net.layers[0].weight" if looped == "layers" else "net[0].weight"
    told = run(backend, f"{START}\n{text}\nloss.backward()\ntold = why({of})")["told"]
    assert told.sentences
