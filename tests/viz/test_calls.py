"""Calls of modules under `watch(model)`: exact, on minigrad and on PyTorch, and nothing changes."""
import sys

import pytest

from minigrad.viz import watch
from minigrad.viz.graph.walk import in_forward_order
from minigrad.viz.watching.calls import call_of, calls_of


def this_line():
    return sys._getframe(1).f_lineno


def block_of(torch):
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.norm, self.up, self.down = nn.LayerNorm(size), nn.Linear(size, 8), nn.Linear(8, size)

        def forward(self, x):
            return x + self.down(torch.relu(self.up(self.norm(x))))

    class Tiny(nn.Module):
        def __init__(self):
            super().__init__()
            self.emb = nn.Embedding(10, 4)
            self.layers = nn.ModuleList([Block(4), Block(4)])
            self.head = nn.Linear(4, 10)

        def forward(self, tokens):
            x = self.emb(tokens)
            for layer in self.layers:
                x = layer(x)
            return self.head(x)

    torch.manual_seed(0)
    return Tiny()


def test_each_call_has_its_place_its_shapes_and_its_sizes(torch):
    model = block_of(torch)
    with watch(model) as run:
        loss = model(torch.tensor([[1, 2, 3]])).sum()
        line = this_line() - 1
        loss.backward()
    assert [call.path for call in run.calls] == [
        "model", "model.emb", "model.layers.0", "model.layers.0.norm", "model.layers.0.up",
        "model.layers.0.down", "model.layers.1", "model.layers.1.norm", "model.layers.1.up",
        "model.layers.1.down", "model.head"]
    whole, emb, block = list(run.calls)[:3]
    assert (whole.kind, whole.inner, whole.outer, whole.line.line) == ("Tiny", "", None, line)
    assert (emb.inputs, emb.outputs, emb.parameters) == (((1, 3),), ((1, 3, 4),), 40)
    assert whole.parameters == sum(one.numel() for one in model.parameters()) and whole.frozen == 0
    assert block.chain == ("model", "model.layers.0") and block.key == (whole.number, block.number)
    assert emb.saved == 24 and emb.grad_in is None  # three indices of 8 bytes
    assert whole.saved == sum(call.saved for call in run.calls if call.outer is whole)
    assert whole.grad_out.norm == pytest.approx(30 ** 0.5)
    assert block.grad_in.norm == emb.grad_out.norm and block.training and not block.recomputed
    assert all(call.seconds > 0 and call.registered for call in run.calls)


def test_a_shared_module_has_a_call_for_each_use(torch):
    shared = torch.nn.Linear(3, 3)
    model = torch.nn.Sequential(shared, torch.nn.ReLU(), shared)
    with watch({"net": model}) as run:
        loss = model(torch.ones(2, 3)).sum()
        loss.backward()
    assert [call.path for call in run.calls] == ["net", "net.0", "net.1", "net.0"]
    first, second = calls_of(shared)
    keys = {call_of(node).key for node in in_forward_order([loss.grad_fn])
            if call_of(node) and call_of(node).path == "net.0"}
    assert keys == {first.key, second.key} and first.grad_out.norm != second.grad_out.norm


def test_a_layer_that_is_not_registered_is_seen(torch):
    class Hidden(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = [torch.nn.Linear(2, 2)]

        def forward(self, x):
            return self.layers[0](x)

    model = Hidden()
    with watch(model) as run:
        model(torch.ones(1, 2))
    whole, layer = run.calls
    assert whole.registered and not layer.registered
    assert (layer.path, whole.parameters, layer.parameters) == ("model.Linear", 0, 6)


def test_frozen_parts_modes_and_keyword_arguments(torch):
    class Twice(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)

        def forward(self, x, scale=None):
            return {"out": self.a(x) * scale, "more": [self.b(x)]}

    model = Twice().eval()
    model.a.requires_grad_(False)
    with watch(model) as run, torch.no_grad():
        model(torch.ones(5, 2), scale=torch.ones(5, 1))
    whole, a, b = run.calls
    assert (whole.frozen, whole.parameters, a.frozen, b.frozen) == (6, 12, 6, 0)
    assert not whole.training and not whole.grad_enabled
    assert whole.inputs == ((5, 2), (5, 1)) and whole.outputs == ((5, 2), (5, 2))


def test_an_error_in_a_call_leaves_nothing_open(torch):
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(3, 2))
    with watch(model) as run:
        with pytest.raises(RuntimeError):
            model(torch.ones(1, 2))
        model[0](torch.ones(1, 2))
    assert [call.raised for call in run.calls] == [True, False, True, False]
    assert run.calls[-1].outer is None and run.calls[-1].path == "model.0"


def training(torch, watched):
    model = block_of(torch)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(3):
        optimizer.zero_grad()
        loss = (model(torch.tensor([[1, 2, 3]])) ** 2).mean()
        loss.backward()
        optimizer.step()
    return [loss.item(), *(value for one in model.parameters()
                           for value in (one._version, one.tolist(), one.grad.tolist()))]


def test_what_can_not_be_watched_is_refused(torch):
    with pytest.raises(TypeError, match="takes a model, a list or a dict of them, not an int"):
        watch(3)
    with pytest.raises(TypeError, match="takes an optimizer, a list or a dict of them, not a Linear"):
        watch(None, torch.nn.Linear(1, 1))


def test_a_compiled_model_runs(recwarn):
    torch = pytest.importorskip("torch")
    model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
    fast = torch.compile(model, backend="eager")
    with watch(model):
        out = fast(torch.ones(1, 2))
        out.sum().backward()
    assert model[0].weight.grad is not None


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")  # of jvp
@pytest.mark.parametrize("name", ["vmap", "jvp", "ensemble", "one gradient for each row", "jacrev"])
def test_calls_under_a_functional_transform_are_all_counted(name):
    torch = pytest.importorskip("torch")
    func, nn = torch.func, torch.nn
    net = nn.Sequential(nn.Linear(3, 4), nn.Sequential(nn.LayerNorm(4), nn.Tanh()), nn.Linear(4, 2))
    x, own = torch.randn(5, 3), dict(net.named_parameters())

    def total(parameters, row):
        return func.functional_call(net, parameters, (row,)).sum()

    twins = {key: torch.stack([one, one]) for key, one in own.items()}
    run_it = {"vmap": lambda: func.vmap(net)(x), "jvp": lambda: func.jvp(net, (x,), (x,)),
              "jacrev": lambda: func.jacrev(net)(x[0]),
              "ensemble": lambda: func.vmap(total, in_dims=(0, None))(twins, x),
              "one gradient for each row": lambda: func.vmap(func.grad(total), in_dims=(None, 0))(own, x)}
    with watch(net) as run:
        run_it[name]()
    assert [call.path for call in run.calls] == [
        "net", "net.0", "net.1", "net.1.0", "net.1.1", "net.2"]
    assert "6 calls of modules" in run.opening() and not any(call.raised for call in run.calls)
