"""The gradient of a module's input is the module's own, as PyTorch's full backward hooks have it."""
import pytest

from minigrad.viz import watch
from minigrad.viz.watching.calls import calls_of

torch = pytest.importorskip("torch")
nn = torch.nn
F = nn.functional


class Block(nn.Module):
    """Pre-norm, with a gate: its input is also added to its result."""

    def __init__(self, size=6):
        super().__init__()
        self.norm, self.up = nn.LayerNorm(size), nn.Linear(size, size)
        self.gate = nn.Parameter(torch.full((size,), 1e-3))

    def forward(self, x):
        return x + self.gate * self.up(self.norm(x))


class Twice(nn.Module):
    """One layer called twice, and its input used by two layers."""

    def __init__(self):
        super().__init__()
        self.one, self.other = nn.Linear(6, 6), nn.Linear(6, 6)

    def forward(self, x):
        return self.one(self.one(x).tanh()) * self.other(x)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(6, 6) for _ in range(3))

    def forward(self, x):
        return x + F.softmax(self.query(x) @ self.key(x).T, dim=-1) @ self.value(x)


class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class WithFunction(nn.Module):
    def forward(self, x):
        return Own.apply(x) + x


class InPlace(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 6)

    def forward(self, x):
        return (self.layer(x) * 1).relu_() + x


class TwoInputs(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Bilinear(6, 6, 6)

    def forward(self, x):
        return self.mix(x, x.sin()) + x


class Picked(nn.Module):
    """Its input is the second result of an operation with two."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 6)

    def forward(self, x):
        first, second = x.chunk(2, dim=1)
        return self.layer(second) * torch.cat([first, second], 1)


def conv():
    return nn.Sequential(nn.Unflatten(1, (1, 6)), nn.Conv1d(1, 2, 3, padding=1), nn.BatchNorm1d(2), nn.ReLU(),
                         nn.Flatten(), nn.Linear(12, 6))


MODELS = {
    "a residual block": Block, "a layer that is called twice": Twice, "attention": Attention,
    "a function of one's own": WithFunction, "a write in place": InPlace, "two inputs": TwoInputs,
    "one of two results": Picked, "convolutions": conv, "a block of two layers":
    lambda: nn.Sequential(Block(), Block()), "a transformer's layer":
    lambda: nn.TransformerEncoderLayer(6, 2, 8, dropout=0., batch_first=True),
    "dropout that does nothing": lambda: nn.Sequential(nn.Linear(6, 6), nn.Dropout(0.), nn.Tanh()),
    "a shared layer": lambda: nn.Sequential(*[nn.Linear(6, 6)] * 3)}


def losses(make):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 6), make(), nn.Linear(6, 1))
    return model, torch.randn(5, 6)


def hooked(make):
    """{a module's place: the largest norm of a gradient that it sent to an input, for each of its calls}"""
    model, x = losses(make)
    found = {}

    def note(name, module, given):
        grads = [grad for grad in given if grad is not None]
        if isinstance(module, nn.MultiheadAttention):   # it is given one tensor three times
            grads = [sum(grads)]
        found.setdefault(name, []).append(max((grad.norm().item() for grad in grads), default=None))

    for name, module in model.named_modules():
        module.register_full_backward_hook(lambda module, given, got, name=name: note(name, module, given))
    model(x).pow(2).mean().backward()
    return found


def watched(make):
    model, x = losses(make)
    with watch(model):
        model(x).pow(2).mean().backward()
        return {name: [call.grad_in and call.grad_in.norm for call in reversed(calls_of(module))]
                for name, module in model.named_modules()}


@pytest.mark.filterwarnings("ignore:Full backward hook is firing")
@pytest.mark.parametrize("name", MODELS)
def test_a_module_s_input_has_the_gradient_that_the_module_sends(name):
    hooks, seen = hooked(MODELS[name]), watched(MODELS[name])
    compared = 0
    for module, norms in hooks.items():
        assert len(norms) == len(seen[module]), module
        for theirs, ours in zip(norms, seen[module], strict=True):
            if theirs is not None:
                assert ours == pytest.approx(theirs, rel=1e-6), module
                compared += 1
    assert compared >= 2


def test_the_sum_that_arrives_at_a_tensor_is_no_module_s():
    model, x = losses(Block)
    with watch(model) as run:
        model(x).pow(2).mean().backward()
        norm, = calls_of(model[1].norm)
    assert norm.grad_in.norm < 1e-2 < calls_of(model[0])[0].grad_out.norm
    assert f"{norm.grad_in.norm:.4g} at its input" in str(run)
