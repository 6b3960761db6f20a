"""A backward of the program itself: it isn't run again, and "nothing wrong" doesn't cover it."""
from __future__ import annotations

import pytest

from minigrad.viz import why
from tests.viz.test_why import BACKENDS, run

START = """
torch.manual_seed(0)
class Bend(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, much):
        runs.append("forward")
        ctx.much = much
        ctx.save_for_backward(x)
        return x * x * much

    @staticmethod
    def backward(ctx, {given}):
        runs.append("backward")
        (x,) = ctx.saved_tensors
        return {returned}
runs = []
class Plain(torch.nn.Module):
    def forward(self, x):
        return {middle}
model = torch.nn.Sequential(torch.nn.Linear(3, 4), Plain(), torch.nn.Linear(4, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.01)
X = torch.randn(8, 3)
def learn():
    with watch(model, opt) as run:
        for step in range(3):
            opt.zero_grad()
            model(X).pow(2).mean().backward()
            opt.step()
    return run
run = learn()
x = torch.rand(4, requires_grad=True, dtype=torch.float64)
"""
CHECK = "`torch.autograd.gradcheck(Bend.apply, inputs)`"


def program(backend, given, returned, middle="Bend.apply(x, 3.0)"):
    return run(backend, START.format(given=given, returned=returned, middle=middle))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("given, returned, never", [
    ("grad_output", "2 * ctx.much * x, None", " (which never reads grad_output)"),
    ("g", "x.new_ones(x.shape), None", " (which never reads g)"),
    ("*grads", "2 * ctx.much * x, None", ""),
    ("g", "g * ctx.much * x, None", "")])
def test_a_wrong_backward_is_no_clean_bill(backend, given, returned, never):
    scope = program(backend, given, returned)
    words = f"What Bend.backward{never} returns was not checked"
    for said in (scope["run"].text, why(scope["model"]).text, why(scope["model"][0].weight).text):
        assert words in said and CHECK in said
    assert scope["runs"] == ["forward", "backward"] * 3  # nothing was run again
    with pytest.raises(Exception, match="Jacobian mismatch"):
        scope["torch"].autograd.gradcheck(scope["Bend"].apply, (scope["x"], 3.0))


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_right_backward_passes_the_check_that_is_named(backend):
    scope = program(backend, "g", "g * 2 * ctx.much * x, None")
    assert "What Bend.backward returns was not checked" in scope["run"].text
    assert scope["torch"].autograd.gradcheck(scope["Bend"].apply, (scope["x"], 3.0))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("middle", ["x * x * 3.0", "checkpoint(torch.tanh, x)"])
def test_without_one_nothing_is_said_of_it(backend, middle):
    if "checkpoint" in middle:
        pytest.importorskip("torch")
        middle = "torch.utils.checkpoint.checkpoint(torch.tanh, x, use_reentrant=True)"
        backend = "torch"
    text = program(backend, "g", "g, None", middle)["run"].text
    assert "Nothing wrong was found" in text and "was not checked" not in text
