"""Gradients that were limited while they still held the factor of a GradScaler, or of the loss."""
from __future__ import annotations

import pytest

from tests.viz.test_why import run

START = """
torch.manual_seed(0)
nn, F = torch.nn, torch.nn.functional
net = {net}
opt = torch.optim.{opt}(net.parameters(), lr=0.01)
amp = torch.amp.GradScaler("cpu", init_scale={scale})
X, Y = torch.randn(8, 6) * 4, torch.randn(8, 2) * 9
with watch(net, opt) as run:
    for step in range(4):
        opt.zero_grad()
        loss = F.mse_loss(net(X), Y)
        amp.scale(loss).backward()
        {between}
        amp.step(opt)
        amp.update()
"""
NETS = ("nn.Linear(6, 2)",
        "nn.Sequential(nn.Unflatten(1, (2, 3)), nn.Conv1d(2, 4, 2), nn.Flatten(), nn.Linear(8, 2))")
NORM = "nn.utils.clip_grad_norm_(net.parameters(), 1.0)"
VALUE = "nn.utils.clip_grad_value_(net.parameters(), 0.5)"
BY_HAND = "[p.grad.clamp_(-0.5, 0.5) for p in net.parameters()]"
UNSCALE = "amp.unscale_(opt); "
LATE = "\n        amp.unscale_(opt)"


def program(between, net=NETS[0], opt="SGD", scale=4096.0):
    pytest.importorskip("torch")
    return run("torch", START.format(net=net, opt=opt, scale=scale, between=between))


@pytest.mark.parametrize("net", NETS)
@pytest.mark.parametrize("limit, opt, scale", [
    (NORM, "SGD", 4096.0), (VALUE, "Adam", 65536.0), (BY_HAND, "RMSprop", 256.0),
    (NORM + LATE, "AdamW", 4096.0)])
def test_the_limit_and_the_factor_are_named(limit, opt, scale, net):
    text = program(limit, net, opt, scale)["run"].text
    assert "limited while scaled: net." in text and f"the factor {scale:g} of the GradScaler" in text, text
    assert "was limited (program.py:13, `" in text and "Call `amp.unscale_(opt)` before that line" in text
    fixed = program(UNSCALE + limit.replace(LATE, ""), net, opt, scale)
    assert "Nothing wrong" in fixed["run"].text
    plain = program(UNSCALE + limit.replace(LATE, ""), net, opt, 1.0)
    for one, other in zip(fixed["net"].parameters(), plain["net"].parameters()):
        assert one.grad.allclose(other.grad, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("between", [
    "pass", UNSCALE + NORM, "[p.grad.div_(2) for p in net.parameters()]",
    "nn.utils.clip_grad_norm_(net.parameters(), 1.0 * amp.get_scale())",
    "most = amp.get_scale(); nn.utils.clip_grad_norm_(net.parameters(), most)",
    "nn.utils.clip_grad_norm_(net.parameters(), 1e9)"])
def test_a_healthy_loop_that_looks_alike(between):
    text = program(between)["run"].text
    assert "limited while scaled" not in text and "Nothing wrong" in text, text


OWN = """
torch.manual_seed(0)
nn, F = torch.nn, torch.nn.functional
net = nn.Linear(6, 2)
opt = torch.optim.{opt}(net.parameters(), lr=0.01)
X, Y, S, limit = torch.randn(8, 6) * 4, torch.randn(8, 2) * 9, 1024.0, 512.0 * 2
with watch(net, opt) as run:
    for step in range(4):
        opt.zero_grad()
        {loss}.backward()
        {between}
        opt.step()
"""
MSE = "(F.mse_loss(net(X), Y) * S)"
DIVIDE = "[p.grad.div_(S) for p in net.parameters()]"
FACTOR = "while it still held the factor 1024 of the loss"


def by_hand(loss, between, opt="SGD"):
    pytest.importorskip("torch")
    return run("torch", OWN.format(loss=loss, between=between.replace("; ", "\n        "), opt=opt))


@pytest.mark.parametrize("loss, limit, divide, opt", [
    (MSE, NORM, DIVIDE, "SGD"),
    ("(S * (net(X) - Y).pow(2).mean())", BY_HAND, "for p in net.parameters(): p.grad /= S", "Adam"),
    (MSE, VALUE, "torch._foreach_mul_([p.grad for p in net.parameters()], 1 / S)", "AdamW")])
def test_a_limit_before_the_factor_of_the_loss_is_divided_out(loss, limit, divide, opt):
    text = by_hand(loss, f"{limit}; {divide}", opt)["run"].text
    assert FACTOR in text and "Divide by 1024 before that line" in text, text
    fixed = by_hand(loss, f"{divide}; {limit}", opt)
    plain = by_hand(loss.replace("* S", "* 1.0").replace("(S *", "(1.0 *"), limit, opt)
    assert "Nothing wrong" in fixed["run"].text
    for one, other in zip(fixed["net"].parameters(), plain["net"].parameters()):
        assert one.grad.allclose(other.grad, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("loss, between", [
    ("F.mse_loss(net(X), Y)", f"{NORM}; {DIVIDE}"),  # as where clipped gradients of rows are averaged
    (MSE, f"nn.utils.clip_grad_norm_(net.parameters(), limit); {DIVIDE}"),
    (MSE, f"nn.utils.clip_grad_norm_(net.parameters(), 1.0 * S); {DIVIDE}"),
    (MSE, f"{NORM}; [p.grad.div_(8) for p in net.parameters()]"),
    (MSE, NORM), (MSE, f"nn.utils.clip_grad_norm_(net.parameters(), 1e9); {DIVIDE}")])
def test_healthy_limits_and_divisions(loss, between):
    text = by_hand(loss, between)["run"].text
    assert "limited while scaled" not in text and "Nothing wrong" in text, text
