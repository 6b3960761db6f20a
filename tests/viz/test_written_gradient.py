"""A backward that writes into the gradient it is given: found where another operation gets the numbers."""
from __future__ import annotations

import pytest

from minigrad.viz import why
from tests.viz.test_why import BACKENDS, run

START = """
nn, F = torch.nn, torch.nn.functional
torch.manual_seed(0)
class Bend(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        {backward}
        return g
class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.fc, self.side = nn.Linear(size, size), {side}
    def forward(self, x):
        h = self.fc(x)
        {forward}
net = nn.Sequential(Block(6), nn.Tanh(), Block(6), nn.Linear(6, 1))
opt = torch.optim.{optimizer}(net.parameters(), lr=0.01)
X = torch.randn(32, 6)
with watch(net, opt) as seen:
    for step in range(4):
        opt.zero_grad()
        net(X).pow(2).mean().backward()
        opt.step()
x = torch.randn(5, dtype=torch.float64, requires_grad=True)
"""
WRITES = ["g[x < 0] = 0", "g *= x > 0", "g.mul_(x > 0)"]
SHARED = {"a sum with its input": "return h + Bend.apply(h)",
          "a sum with an earlier result": "s = self.side(x)\n        return Bend.apply(h) + s",
          "reshaped": "return (h.reshape(-1, 2, 3) + Bend.apply(h).reshape(-1, 2, 3)).reshape(-1, 6)"}
ALONE = {"a chain": "return Bend.apply(h)",
         "a later result, which has run": "b = Bend.apply(h)\n        return b + self.side(x)"}


def program(backend, write, forward, optimizer="SGD"):
    side = "nn.Linear(size, size)" if "self.side" in forward else "None"
    return run(backend, START.format(backward=write, forward=forward, side=side, optimizer=optimizer))


def grads(scope):
    return [None if one.grad is None else one.grad.tolist() for one in scope["net"].parameters()]


@pytest.mark.parametrize("forward, write, optimizer", [
    ("a sum with its input", WRITES[0], "SGD"), ("a sum with an earlier result", WRITES[1], "Adam"),
    ("a sum with an earlier result", WRITES[2], "SGD"), ("reshaped", WRITES[0], "SGD")])
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_shared_gradient_is_found_and_the_copy_mends_it(backend, forward, write, optimizer):
    scope = program(backend, write, SHARED[forward], optimizer)
    found = scope["seen"].verdicts
    assert {one.cause for one in found} == {"written gradient"}
    assert all(f"that Bend.backward wrote (program.py:13, `{write}`)" in one.sentence for one in found)
    assert "`g = g.clone()`" in found[0].fixes[0].words
    assert "gradcheck" not in scope["seen"].text
    assert scope["torch"].autograd.gradcheck(scope["Bend"].apply, (scope["x"],))  # which sees nothing
    mended = program(backend, f"g = g.clone()\n        {write}", SHARED[forward])
    right = program(backend, "g = g * (x > 0)", SHARED[forward])
    assert mended["seen"].verdicts == [] and grads(mended) == grads(right) != grads(scope)


@pytest.mark.parametrize("forward", ALONE)
@pytest.mark.parametrize("backend", BACKENDS)
def test_what_no_other_operation_gets_is_no_fault_and_needs_no_gradcheck(backend, forward):
    scope = program(backend, WRITES[0], ALONE[forward])
    assert grads(scope) == grads(program(backend, "g = g * (x > 0)", ALONE[forward]))
    assert scope["seen"].verdicts == [], [one.sentence for one in scope["seen"].verdicts]
    for said in (scope["seen"].text, why(scope["net"]).text):
        assert "Bend.backward (which writes into the gradient that it is given) returns was not" in said
        assert "gradcheck" not in said


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_copy_under_another_name_is_no_write(backend):
    write = "given = g\n        g = given.clone()\n        g[x < 0] = 0"
    scope = program(backend, write, SHARED["a sum with its input"])
    assert scope["seen"].verdicts == [] and "gradcheck" in scope["seen"].text
