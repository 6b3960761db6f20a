"""Errors inside of vmap(), and a reentrant checkpoint: what only PyTorch has."""
from __future__ import annotations

import pytest

from tests.viz.test_why import BACKENDS, run

pytestmark = pytest.mark.skipif("torch" not in BACKENDS, reason="minigrad has no vmap()")

HEAD = """
from torch.func import functional_call, grad, vmap, jacfwd
nn, F = torch.nn, torch.nn.functional
torch.manual_seed(0)
X, Y = torch.randn(8, 4, 6), torch.randn(8, 4, 1)
net = nn.Sequential(nn.Linear(6, 8), LAYER, nn.Linear(8, 1))
def loss_of(params, x, y):
    return F.mse_loss(functional_call(net, params, (x,)), y)
params = {name: one.detach() for name, one in net.named_parameters()}
try:
    with watch(net):
        found = vmap(grad(loss_of), in_dims=(None, 0, 0))(params, X, Y)
    told = None
except RuntimeError as error:
    told = explain(error)
"""


@pytest.mark.parametrize("layer, named", [
    ("nn.Dropout(0.3)", "net.1 (Dropout)"), ("nn.AlphaDropout(0.2)", "net.1 (AlphaDropout)"),
    ("nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)", "net.1.self_attn (MultiheadAttention)")])
def test_a_layer_that_draws_random_numbers_is_named(layer, named):
    text = HEAD.replace("LAYER", layer)
    told = run("torch", text)["told"]
    assert told.cause == "random numbers in vmap()" and f"in {named}, which draws" in told.sentences[0]
    fix = told.fixes[0].words
    assert 'Pass `randomness="different"` to vmap() in program.py:' in fix
    mended = run("torch", text.replace("(None, 0, 0)", '(None, 0, 0), randomness="different"'))
    assert mended["told"] is None
    assert all(bool(one.isfinite().all()) for one in mended["found"].values())


def test_random_numbers_of_the_program_itself_are_no_module():
    text = """
from torch.func import jacfwd
def noisy(x):
    return x + torch.rand(3)
try:
    found = jacfwd(noisy)(torch.ones(3))
    told = None
except RuntimeError as error:
    told = explain(error)
"""
    told = run("torch", text)["told"]
    assert "`return x + torch.rand(3)`, failed inside of jacfwd(), and draws random" in told.sentences[0]
    mended = run("torch", text.replace("jacfwd(noisy)", 'jacfwd(noisy, randomness="different")'))
    assert mended["told"] is None


@pytest.mark.parametrize("layer, edit", [
    ("nn.BatchNorm1d(8)", ("BatchNorm1d(8", "BatchNorm1d(8, track_running_stats=False")),
    ("nn.BatchNorm1d(8, affine=False)", ("affine=False", "affine=False, track_running_stats=False")),
    ("nn.BatchNorm1d(8)", ("try:", "net[1].eval()\ntry:"))])
@pytest.mark.parametrize("given", ["params", "(params, dict(net.named_buffers()))"])
def test_a_norm_that_writes_its_averages_is_named(layer, edit, given):
    text = HEAD.replace("LAYER", layer).replace("(net, params,", f"(net, {given},")
    told = run("torch", text)["told"]
    assert "written statistics in " in told.cause and "in net.1 (BatchNorm1d), " in told.sentences[0]
    fixes = " ".join(one.words for one in told.fixes)
    assert "`track_running_stats=False`" in fixes and "`net[1].eval()`" in fixes
    assert run("torch", text.replace(*edit))["told"] is None


LORA = """
from torch.utils import checkpoint as saving
nn, F = torch.nn, torch.nn.functional
torch.manual_seed(0)
class Low(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.base = nn.Linear(size, size).requires_grad_(False)
        self.down, self.up = nn.Linear(size, 2), nn.Linear(2, size)
    def forward(self, x):
        return self.base(x) + self.up(torch.tanh(self.down(x)))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(9, 6).requires_grad_(False)
        self.blocks = nn.ModuleList([Low(6), Low(6)])
        self.head = nn.Linear(6, 2).requires_grad_(False)
    def forward(self, ids):
        h = self.embed(ids)
        for block in self.blocks:
            h = CALL
        return self.head(h.mean(1))
net = Net()
ids, y = torch.randint(0, 9, (5, 4)), torch.randint(0, 2, (5,))
seen, told = None, None
try:
    BEGIN
        loss = F.cross_entropy(net(ids), y)
        loss.backward()
except RuntimeError as error:
    told = explain(error)
asked = why(net.blocks[1].up.weight)
grads = [one.grad.tolist() for one in net.parameters() if one.grad is not None]
"""
CALLS = ["saving.checkpoint(block, h, use_reentrant=True)",
         "saving.checkpoint(lambda x, inner=block: inner(x), h, use_reentrant=True)"]


@pytest.mark.parametrize("begin", ["if True:", "with watch(net) as seen:"])
@pytest.mark.parametrize("call", CALLS)
def test_explain_why_and_run_name_a_reentrant_checkpoint(call, begin):
    text = LORA.replace("CALL", call).replace("BEGIN", begin)
    scope = run("torch", text)
    said = f"reentrant checkpoint() (program.py:21, `h = {call}"[:70]
    assert scope["told"].cause == "no history" and said in scope["told"].sentences[1]
    assert [one.words for one in scope["told"].fixes] == ["Pass `use_reentrant=False` to checkpoint()."]
    if scope["seen"] is not None:
        (found,) = scope["seen"].verdicts
        assert (found.cause, found.others) == ("checkpoint", 7) and said in found.sentence
    if scope["seen"] is not None or call == CALLS[0]:
        assert scope["asked"].cause == "checkpoint" and said in scope["asked"].sentences[0]
    mended = run("torch", text.replace("use_reentrant=True", "use_reentrant=False"))
    plain = run("torch", text.replace(f"h = {call}", "h = block(h)"))
    assert mended["told"] is None and mended["grads"] == plain["grads"] and len(plain["grads"]) == 8


def test_a_reentrant_checkpoint_whose_input_requires_a_gradient_is_healthy():
    text = LORA.replace("CALL", CALLS[0]).replace("BEGIN", "with watch(net) as seen:")
    scope = run("torch", text.replace("h = self.embed(ids)", "h = self.embed(ids).requires_grad_()"))
    assert scope["told"] is None and scope["seen"].verdicts == []


def test_all_parameters_frozen_is_no_matter_of_the_checkpoint():
    text = LORA.replace("CALL", CALLS[0]).replace("BEGIN", "if True:")
    told = run("torch", text.replace("net = Net()", "net = Net().requires_grad_(False)"))["told"]
    assert "checkpoint" not in " ".join(told.sentences) and "every parameter" in told.sentences[1]
