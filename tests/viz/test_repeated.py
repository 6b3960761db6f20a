"""A result that is passed back several times between two steps: by mistake, and as programs mean it."""
import linecache

import pytest

from minigrad.viz import watch, why
from minigrad.viz.watching.doubled import repeated
from minigrad.viz.watching.history import history_of

BACKENDS = ["minigrad", "torch"]
START = """
import torch
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(4, 5), torch.nn.Tanh(), torch.nn.Linear(5, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x, y = torch.randn(6, 4), torch.randn(6, 1)
"""
# name -> (program, the lines one of which is named, replacements that apply the fix)
BROKEN = {
    "in a row": ("""
for _ in range(3):
    opt.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    loss.backward(retain_graph=True)
    loss.backward()
    opt.step()
""", [("    loss.backward()\n", ""), ("    loss.backward(retain_graph=True)\n", "")]),
    "in two functions": ("""
def loss_of(x, y):
    loss = ((net(x) - y) ** 2).mean()
    loss.backward(retain_graph=True)
    return {"loss": loss}
def train():
    opt.zero_grad()
    loss_of(x, y)["loss"].backward()
    opt.step()
train()
train()
""", [("    loss.backward(retain_graph=True)\n", ""),
      ('loss_of(x, y)["loss"].backward()', "loss_of(x, y)")]),
    "in a loop": ("""
for _ in range(2):
    opt.zero_grad(set_to_none=False)
    loss = ((net(x) - y) ** 2).mean()
    for _ in range(3):
        loss.backward(retain_graph=True)
    opt.step()
""", [("range(3)", "range(1)")]),
    "while accumulating": ("""
for _ in range(2):
    opt.zero_grad()
    for part in (slice(0, 3), slice(3, 6)):
        loss = ((net(x[part]) - y[part]) ** 2).mean() / 2
        loss.backward(retain_graph=True)
        loss.backward()
    opt.step()
""", [("        loss.backward()\n", "")]),
    "several numbers": ("""
opt.zero_grad()
errors = (net(x) - y) ** 2
errors.backward(torch.ones_like(errors), retain_graph=True)
errors.backward(torch.ones_like(errors))
opt.step()
""", [("errors.backward(torch.ones_like(errors))\n", "")]),
    "another loss between": ("""
opt.zero_grad()
out = net(x)
near, small = ((out - y) ** 2).mean(), (out ** 2).mean()
near.backward(retain_graph=True)
small.backward(retain_graph=True)
near.backward()
opt.step()
""", [("near.backward()\n", "")]),
}
HEALTHY = {
    "several losses of one graph": """
for _ in range(3):
    opt.zero_grad()
    out = net(x)
    ((out - y) ** 2).mean().backward(retain_graph=True)
    out.abs().mean().backward()
    opt.step()
""",
    "accumulation": """
for _ in range(2):
    opt.zero_grad()
    for _ in range(3):
        (((net(x) - y) ** 2).mean() / 3).backward()
    opt.step()
""",
    "emptied between": """
loss = ((net(x) - y) ** 2).mean()
loss.backward(retain_graph=True)
norm = net[0].weight.grad.norm()
opt.zero_grad()
loss.backward()
opt.step()
""",
    "two passes that are shown": """
w = torch.tensor([2.0, 3.0], requires_grad=True)
s = (w * w).sum()
s.backward(retain_graph=True)
print(w.grad)
s.backward()
print(w.grad)
w.grad = None
""",
    "a Jacobian row by row": """
out = net(x)
for at in range(6):
    row = torch.zeros(6, 1)
    row[at] = 1.0
    out.backward(row, retain_graph=True)
opt.step()
""",
    "a Jacobian with one row that changes": """
out, row = net(x), torch.zeros(6, 1)
for at in range(6):
    row.zero_()
    row[at] = 1.0
    out.backward(row, retain_graph=True)
opt.step()
""",
    "weights of one number": """
score = net(x).mean()
for reward in (1.0, 1.0):
    score.backward(torch.tensor(reward), retain_graph=True)
opt.step()
""",
    "a model that is shared by two results": """
for _ in range(2):
    opt.zero_grad()
    first, second = net(x).mean(), net(x).mean()
    first.backward(retain_graph=True)
    second.backward(retain_graph=True)
    opt.step()
""",
    "two optimizers that take one result in turn": """
first = torch.optim.SGD(net[0].parameters(), lr=0.1)
last = torch.optim.SGD(net[2].parameters(), lr=0.1)
for _ in range(2):
    for optimizer in (first, last):
        net.zero_grad()
        ((net(x) - y) ** 2).mean().backward(retain_graph=True)
        optimizer.step()
""",
    "an element at a time": """
out = net(x)[:, 0]
for one in out:
    one.backward(retain_graph=True)
opt.step()
""",
    "a penalty on the gradient": """
opt.zero_grad()
x.requires_grad_()
out = net(x).sum()
(slope,) = torch.autograd.grad(out, x, create_graph=True)
(out + (slope ** 2).sum()).backward()
opt.step()
""",
    "several calls of grad": """
opt.zero_grad()
loss = ((net(x) - y) ** 2).mean()
for _ in range(2):
    torch.autograd.grad(loss, list(net.parameters()), retain_graph=True)
loss.backward()
opt.step()
""",
    "a GAN": """
d = torch.nn.Linear(1, 1)
opt_d = torch.optim.SGD(d.parameters(), lr=0.1)
for _ in range(2):
    opt_d.zero_grad()
    fake = net(x)
    (d(y).mean() - d(fake.detach()).mean()).backward()
    opt_d.step()
    opt.zero_grad()
    d(fake).mean().backward()
    opt.step()
""",
    "different inputs": """
first, last = list(net[0].parameters()), list(net[2].parameters())
opt.zero_grad()
loss = ((net(x) - y) ** 2).mean()
loss.backward(inputs=first, retain_graph=True)
loss.backward(inputs=last)
opt.step()
""",
    "a gradient that is turned round between": """
opt.zero_grad()
loss = ((net(x) - y) ** 2).mean()
loss.backward(retain_graph=True)
for p in net.parameters():
    p.grad.neg_()
loss.backward()
opt.step()
""",
    "a hook that turns the second gradient round": """
calls = []
def turn(grad):
    calls.append(1)
    return grad if len(calls) == 1 else -0.5 * grad
hidden = net[0](x)
hidden.register_hook(turn)
loss = ((net[2](torch.tanh(hidden)) - y) ** 2).mean()
opt = torch.optim.SGD(net[0].parameters(), lr=0.1)
loss.backward(retain_graph=True)
loss.backward()
opt.step()
""",
    "a step of another optimizer between": """
other = torch.nn.Parameter(torch.ones(1))
first = torch.optim.SGD([other], lr=0.1)
loss = ((net(x) - y) ** 2).mean() + (other ** 2).sum()
loss.backward(retain_graph=True, inputs=[other])
first.step()
loss = ((net(x) - y) ** 2).mean()
loss.backward(retain_graph=True)
(other * 1).sum().backward()
first.step()
loss.backward()
opt.step()
""",
    "the graph of the gradient is recorded": """
opt.zero_grad()
loss = ((net(x) - y) ** 2).mean()
loss.backward(create_graph=True)
loss.backward()
opt.step()
net.zero_grad()
""",
    "a closure": """
def closure():
    opt.zero_grad()
    loss = ((net(x) - y) ** 2).mean()
    loss.backward()
    return loss
opt.step(closure)
opt.step(closure)
""",
}


def run(tmp_path, backend, text):
    """Run a program under a watch, and return its variables."""
    if backend == "torch":
        pytest.importorskip("torch")
    path = tmp_path / "train.py"
    path.write_text((START + text).replace("import torch", f"import {backend} as torch"), encoding="utf-8")
    linecache.checkcache(str(path))
    variables = {"__name__": "__main__"}
    with watch():
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), variables)
    return variables


def moved(variables):
    return [one.detach().reshape(-1).tolist() for one in variables["net"].parameters()]


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_repeated_pass_is_found_with_its_line(tmp_path, backend, name):
    text, fixes = BROKEN[name]
    variables = run(tmp_path, backend, text)
    for leaf in variables["net"].parameters():
        found = repeated(history_of(leaf))
        assert found and found.times == (3 if name == "in a loop" else 2)
        words = linecache.getline(found.last.line.filename, found.last.line.line)
        assert "backward(" in words
    exec("answer = why(net[0].weight)", variables | {"why": why}, variables)
    said = str(variables["answer"])
    assert variables["answer"].cause == "doubled" and "one result" in said
    assert "train.py:" in said and "Start one pass from it" in said


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("backend", BACKENDS)
def test_the_fix_gives_the_intended_gradient(tmp_path, backend, name):
    text, fixes = BROKEN[name]
    results = []
    for old, new in fixes:
        assert old in text
        mended = run(tmp_path, backend, text.replace(old, new))
        assert not any(repeated(history_of(leaf)) for leaf in mended["net"].parameters())
        results.append(moved(mended))
    broken = moved(run(tmp_path, backend, text))
    plain = START + text.replace(*fixes[0]).replace("retain_graph=True", "retain_graph=False")
    intended = {"__name__": "__main__"}
    if name != "another loss between":
        exec(plain.replace("import torch", f"import {backend} as torch"), intended)
        results.append(moved(intended))
    for result in results:
        assert result[0] == pytest.approx(results[0][0], rel=1e-5)
        assert result[0] != pytest.approx(broken[0], rel=1e-5)


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("name", HEALTHY)
@pytest.mark.parametrize("backend", BACKENDS)
def test_nothing_is_claimed_of_a_program_that_means_it(tmp_path, backend, name):
    variables = run(tmp_path, backend, HEALTHY[name])
    leaves = list(variables["net"].parameters()) + [variables[key] for key in ("w",) if key in variables]
    assert any(history_of(leaf) for leaf in leaves)
    for leaf in leaves:
        assert repeated(history_of(leaf)) is None
