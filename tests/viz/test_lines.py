"""explain() and why() name the line to edit where it has run and is known, and no line otherwise."""
import linecache

import pytest

from minigrad.viz import explain, watch, why
from tests.viz.test_explain import BACKENDS


@pytest.fixture(params=BACKENDS)
def run(request, tmp_path):
    """Return a function that runs a program's text, and returns its answer.

    The answer is what explain() says of the error of the program, or what why(asked) says.
    """
    def answer(text, asked="", watched=False, parts=1):
        file = tmp_path / "program.py"
        text = text.replace("import torch\n", f"import {request.param} as torch\n")
        text = f"from {request.param} import nn\n{text}"
        file.write_text(text + (f"\nsaid = why({asked})\n" if asked else ""), encoding="utf-8")
        linecache.checkcache(str(file))
        names = {"__name__": "program", "why": why}
        code = compile(file.read_text(encoding="utf-8"), str(file), "exec")
        try:
            if watched:
                with watch():
                    exec(code, names)
            else:
                exec(code, names)
        except RuntimeError as error:
            return explain(error).text
        return names["said"].text

    return answer


def line_of(text, part):
    """Return `program.py:7`, for a part of a program's text; a line is put in front of the text."""
    return f"program.py:{text[:text.index(part)].count(chr(10)) + 2}"


CELL = """
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
guess = x * 2
target = torch.tensor([2.0, 3.0])
with caught:
    hits = (guess > target).float().mean()
    hits.backward()
    hits = guess.detach().sum()
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_block_that_an_error_left_has_run_as_far_as_the_error(backend, tmp_path):
    file = tmp_path / "program.py"
    text = CELL.replace("import torch", f"import {backend} as torch")
    file.write_text(text, encoding="utf-8")
    caught = pytest.raises(RuntimeError)
    exec(compile(text, str(file), "exec"), {"caught": caught})
    said = explain(caught.excinfo.value).text
    assert "booleans (program.py:7" in said and "program.py:9" not in said


HEALTHY = "nothing wrong was found"

RULES = [  # (program, what is asked, what is said, the line that is named, a healthy change)
    ("""
import torch
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(2, 2), nn.Linear(2, 1)
    @torch.no_grad()
    def encode(self, x):
        return self.first(x)
    def forward(self, x):
        return self.second(self.encode(x))
net = Net()
loss = net(torch.ones(3, 2)).sum()
loss.backward()
""", "net.first.weight", "under no_grad", "@torch.no_grad()", ("    @torch.no_grad()\n", "")),
    ("""
import torch
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2)])
    def forward(self, x):
        for layer in self.layers:
            x = layer(x.detach())
        return x
net = Net()
def step():
    loss = net(torch.ones(3, 2)).pow(2).sum()
    loss.backward()
step()
""", "net.layers[0].weight", "detach()", "x = layer(x", (".detach()", "")),
    ("""
import torch
def sample(mean, scale):
    mean = mean.detach()
    return mean * 2, scale.exp()
w = torch.ones(2, requires_grad=True)
v = torch.ones(2, requires_grad=True)
mean, scale = sample(w * 3, v)
loss = (mean + scale).sum()
loss.backward()
""", "w", "detach()", "mean = mean.detach()", ("mean = mean.detach()", "mean = mean * 1")),
    ("""
import torch
def distances(z):
    return z.pow(2).sum(1).sqrt()
w = torch.zeros(2, 2, requires_grad=True)
loss = distances(w * 2).sum()
loss.backward()
""", "w", "has no finite slope where its input is 0", "return z.pow", ("torch.zeros", "torch.ones")),
    ("""
import torch
def shrink(h):
    h.data -= 1
    return h
w = torch.ones(2, requires_grad=True)
h = torch.sigmoid(w)
loss = shrink(h).sum()
loss.backward()
""", "w", "through .data", "h.data -= 1", ("h.data -= 1", "h = h - 1")),
    ("""
import torch
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem, self.head = nn.Linear(2, 2), nn.Linear(2, 1)
    def block(self, grad):
        return grad * 0
    def forward(self, x):
        h = self.stem(x)
        h.register_hook(self.block)
        return self.head(h)
net = Net()
loss = net(torch.ones(3, 2)).sum()
loss.backward()
""", "net.stem.weight", "A hook is registered", "h.register_hook", ("return grad * 0", "print(end='')")),
    ("""
import torch
W = torch.ones(2, requires_grad=True) * 0.1
loss = W.sum()
loss.backward()
""", "W", "is not a leaf", "W = torch", (" * 0.1", "")),
]


@pytest.mark.parametrize("text, asked, says, line, _", RULES)
def test_why_names_the_line(run, text, asked, says, line, _):
    said = run(text, asked)
    assert says in said and line_of(text, line) in said


@pytest.mark.parametrize("text, asked, says, line, change", RULES)
def test_why_says_nothing_of_a_healthy_program(run, text, asked, says, line, change):
    said = run(text.replace(*change), asked)
    assert HEALTHY in said and "hook" not in said


ERRORS = [  # (program that raises, what is said, the line that is named, what repairs it)
    ("""
import torch
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        return x * factor
    @staticmethod
    def backward(ctx, grad):
        return grad * 2
x = torch.ones(2, requires_grad=True)
loss = Scale.apply(x, 2.0).sum()
loss.backward()
""", "1 gradient for 2 arguments", "return grad * 2", ("return grad * 2", "return grad * 2, None")),
    ("""
import torch
w = torch.ones(2, requires_grad=True)
penalty = (w * w).sum()
for _ in range(2):
    loss = (w * 3).sum() + penalty
    loss.backward()
""", "is gone", "penalty = (w * w)", ("range(2)", "range(1)")),
    ("""
import torch
w = torch.ones(2, requires_grad=True)
fake = torch.exp(w)
first = (fake * 2).sum()
first.backward()
second = (fake * 3).sum()
second.backward()
""", "is gone", "first.backward()", ("(fake * 2)", "(fake.detach() * w)")),
    ("""
import torch
def gate(x):
    new = torch.tanh(x)
    new *= 2
    return new
w = torch.ones(2, requires_grad=True)
loss = gate(w * 1).sum()
loss.backward()
""", "TanhBackward0", "new *= 2", ("new *= 2", "new = new * 2")),
    ("""
import torch
w = torch.ones(2, requires_grad=True)
def score(mixed):
    return (mixed.detach() * w).sum()
x = torch.ones(2, requires_grad=True)
torch.autograd.grad(score(x), x)
""", "went into", "return (mixed.detach()", ("mixed.detach()", "mixed")),
    ("""
import torch
net = nn.Linear(2, 1)
net.extra = nn.Linear(2, 1)
for name, parameter in net.named_parameters():
    if not name.startswith("extra"):
        parameter.requires_grad = False
loss = net(torch.ones(3, 2)).sum()
loss.backward()
""", "as it is of 2 of the 4 parameters of net", "parameter.requires_grad = False", ('"extra"', '""')),
]


@pytest.mark.parametrize("text, says, line, change", ERRORS)
def test_explain_names_the_line_to_edit(run, text, says, line, change):
    said = run(text)
    assert says in said and line_of(text, line) in said


@pytest.mark.parametrize("text, says, line, change", ERRORS)
def test_the_line_mends_the_program(run, text, says, line, change):
    assert run(text.replace(*change), "torch.ones(1)")


def test_a_pass_before_a_step_adds_to_emptied_gradients(run):
    said = run("""
import torch
w = torch.ones(2, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
h = w * w
first, second = (h * 2).sum(), (h * 3).sum()
first.backward(retain_graph=True)
optimizer.step()
optimizer.zero_grad()
second.backward()
""")
    before = next(line for line in said.splitlines() if "before the write" in line)
    assert "the sum of the gradients of both passes" in before


def test_a_reentrant_checkpoint_is_named():
    torch = pytest.importorskip("torch")
    from torch.utils.checkpoint import checkpoint

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.block, self.head = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)

        def forward(self, x):
            return self.head(checkpoint(self.block, x, use_reentrant=True))

    net = Net()

    def step(x):
        loss = net(x).sum()
        loss.backward()

    with pytest.warns(UserWarning, match="None of the inputs"):
        step(torch.ones(3, 2))
    assert "reentrant checkpoint() (test_lines.py" in why(net.block.weight).text
    net.zero_grad()
    step(torch.ones(3, 2, requires_grad=True))
    assert HEALTHY in why(net.block.weight).text
