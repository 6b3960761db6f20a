"""A backward that is written into a Module, which autograd never calls."""
import pytest

from tests.viz.test_why import BACKENDS, run

START = """
torch.manual_seed(0)
nn = torch.nn
class Reversed(nn.Module):
    def forward(self, x):
        {forward}
    def backward(self, grad):
        {backward}
class Flipped(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()
    @staticmethod
    def backward(ctx, grad):
        return -grad
net = nn.Sequential(nn.Linear(3, 4), {layer}, nn.Linear(4, 1))
net.forward = lambda x: net[2](net[1](net[0](x)))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
with watch(net, opt) as run:
    for step in range(2):
        opt.zero_grad()
        loss = net(torch.randn(5, 3)).pow(2).mean()
        {pass_}
        opt.step()
"""
WORDS = "net.1 is a Module with a method backward(self, grad) (program.py:7, `def backward(self, grad):`)"
USUAL = {"forward": "return x * 1", "backward": "return -grad", "layer": "Reversed()",
         "pass_": "loss.backward()"}


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_backward_of_a_module_is_never_called(backend):
    found = run(backend, START.format(**USUAL))["run"]
    assert [one.cause for one in found.verdicts] == ["backward not called"]
    assert WORDS in found.text and "In 2 calls" in found.text
    assert "Make Reversed a `torch.autograd.Function`" in found.text


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("edit", [
    {"forward": "return Flipped.apply(x)", "backward": "raise NotImplementedError", "layer": "nn.Tanh()"},
    {"pass_": "loss.backward(); net[1].backward(torch.ones(3))"},
    {"forward": "y = x * 1; y.register_hook(self.backward); return y"},
    {"backward": "grad.backward()", "pass_": "net[1].backward(loss)"},
    {"backward": "grad.sum().backward()"}])
def test_one_that_is_called_or_starts_a_pass(backend, edit):
    found = run(backend, START.format(**{**USUAL, **edit}))["run"]
    assert not found.verdicts, found.text


@pytest.mark.parametrize("backend", BACKENDS)
def test_what_the_fix_says_turns_the_gradient_around(backend):
    grads = []
    for layer in ("Reversed()", "Fixed()"):
        text = START.replace("net = nn.Seq", "class Fixed(nn.Module):\n    def forward(self, x):\n"
                             "        return Flipped.apply(x)\nnet = nn.Seq")
        made = run(backend, text.format(**{**USUAL, "layer": layer, "pass_": "loss.backward(); break"}))
        grads.append(made["net"][0].weight.grad)
    assert grads[0].allclose(-grads[1])
