"""The gradient of a module's input is the module's own, as PyTorch's full backward hooks have it."""
import math

import pytest

from minigrad.viz import watch
from minigrad.viz.watching.calls import calls_of


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


def block(torch):
    """Pre-norm, with a gate: its input is also added to its result."""
    class Block(torch.nn.Module):
        def __init__(self, size=6):
            super().__init__()
            self.norm, self.up = torch.nn.LayerNorm(size), torch.nn.Linear(size, size)
            self.gate = torch.nn.Parameter(torch.full((size,), 1e-3))

        def forward(self, x):
            return x + self.gate * self.up(self.norm(x))

    return Block()


def applied(torch, forward, **layers):
    """A module with these layers, whose `forward` is the function."""
    class Applied(torch.nn.Module):
        def forward(self, x):
            return forward(self, x)

    module = Applied()
    for name, layer in layers.items():
        module.add_module(name, layer)
    return module


def linears(torch, *names):
    return {name: torch.nn.Linear(6, 6) for name in names}


def called_twice(torch):
    """One layer called twice, and its input used by two layers."""
    def forward(own, x):
        return own.one(own.one(x).tanh()) * own.other(x)

    return applied(torch, forward, **linears(torch, "one", "other"))


def attention(torch):
    def forward(own, x):
        return x + (own.query(x) @ own.key(x).T).softmax(-1) @ own.value(x)

    return applied(torch, forward, **linears(torch, "query", "key", "value"))


def two_inputs(torch):
    return applied(torch, lambda own, x: own.mix(x, x.sin()) + x, mix=torch.nn.Bilinear(6, 6, 6))


def picked(torch):
    """Its input is the second result of an operation with two."""
    def forward(own, x):
        first, second = x.chunk(2, dim=1)
        return own.layer(second) * torch.cat([first, second], 1)

    return applied(torch, forward, layer=torch.nn.Linear(3, 6))


def convolutions(torch):
    nn = torch.nn
    return nn.Sequential(nn.Unflatten(1, (1, 6)), nn.Conv1d(1, 2, 3, padding=1), nn.BatchNorm1d(2), nn.ReLU(),
                         nn.Flatten(), nn.Linear(12, 6))


MODELS = {
    "a residual block": block,
    "a layer that is called twice": called_twice,
    "attention": attention,
    "two inputs": two_inputs,
    "one of two results": picked,
    "convolutions": convolutions,
    "a transformer's layer":
        lambda torch: torch.nn.TransformerEncoderLayer(6, 2, 8, dropout=0., batch_first=True)}


def around(torch, make):
    """The model between two layers, and an input."""
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(6, 6), make(torch), torch.nn.Linear(6, 1))
    return model, torch.randn(5, 6)


def hooked(torch, make):
    """{a module's place: the largest norm of a gradient that it sent to an input, for each of its calls}"""
    model, x = around(torch, make)
    found = {}

    def note(name, module, given):
        grads = [grad for grad in given if grad is not None]
        if isinstance(module, torch.nn.MultiheadAttention):   # it is given one tensor three times
            grads = [sum(grads)]
        found.setdefault(name, []).append(math.hypot(*(grad.norm() for grad in grads)) if grads else None)

    for name, module in model.named_modules():
        module.register_full_backward_hook(lambda module, given, got, name=name: note(name, module, given))
    model(x).pow(2).mean().backward()
    return found


def watched(torch, make):
    model, x = around(torch, make)
    with watch(model):
        model(x).pow(2).mean().backward()
        return {name: [call.grad_in and call.grad_in.norm for call in reversed(calls_of(module))]
                for name, module in model.named_modules()}


@pytest.mark.filterwarnings("ignore:Full backward hook is firing")
@pytest.mark.parametrize("name", MODELS)
def test_a_module_s_input_has_the_gradient_that_the_module_sends(torch, name):
    hooks, seen = hooked(torch, MODELS[name]), watched(torch, MODELS[name])
    compared = 0
    for module, norms in hooks.items():
        assert len(norms) == len(seen[module]), module
        for theirs, ours in zip(norms, seen[module], strict=True):
            if theirs is not None:
                assert ours == pytest.approx(theirs, rel=1e-6), module
                compared += 1
    assert compared >= 2


def test_the_sum_that_arrives_at_a_tensor_is_no_module_s(torch):
    model, x = around(torch, block)
    with watch(model) as run:
        model(x).pow(2).mean().backward()
        norm, = calls_of(model[1].norm)
    assert norm.grad_in.norm < 1e-2 < calls_of(model[0])[0].grad_out.norm
    assert f"{norm.grad_in.norm:.4g} at its input" in str(run)
