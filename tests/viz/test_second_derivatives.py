"""Derivatives of derivatives: none of what is linear in pieces, and sums over columns."""
import pytest

from tests.viz.test_why import BACKENDS, run

START = """
torch.manual_seed(0)
nn = torch.nn
net = nn.Sequential(nn.Linear(2, 6), nn.{slope}(), nn.Linear(6, 6), nn.{slope}(), nn.Linear(6, 1))
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
def first(u, x):
    return grad(u, x, torch.ones_like(u), create_graph=True)[0]
with watch(net, opt) as run:
    grad = torch.autograd.grad
    for step in range(3):
        x = torch.randn(8, 2, requires_grad=True)
        u = net(x)
        g = first(u, x)
        {code}
        opt.zero_grad()
        loss.backward()
        opt.step()
"""
EACH = "sum(grad(g[:, i].sum(), x, create_graph=True)[0][:, i] for i in (0, 1))"
SUMMED = "differentiated the sum of 2 columns of a gradient by the same input"


def of(backend, code, slope="Tanh"):
    return run(backend, START.format(code=code, slope=slope))["run"]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("code", [
    "h = first(g, x); loss = (h.sum(1) + u[:, 0]).pow(2).mean()",
    "h = grad(g.sum(), x, create_graph=True)[0]; loss = (h[:, 0] + h[:, 1] + u[:, 0]).pow(2).mean()"])
def test_a_sum_over_columns_is_found_and_the_fix_computes_each(backend, code):
    found = of(backend, code)
    assert [one.cause for one in found.verdicts] == ["summed derivatives"] and SUMMED in found.text
    assert EACH[4:EACH.index(" for")] in found.text
    assert not of(backend, f"loss = ({EACH} + u[:, 0]).pow(2).mean()").verdicts


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("slope", ["ReLU", "LeakyReLU"])
def test_a_second_derivative_that_is_0_everywhere(backend, slope):
    code = f"loss = ({EACH} + u[:, 0]).pow(2).mean()"
    found = of(backend, code, slope)
    assert [one.cause for one in found.verdicts] == ["no second derivative"], found.text
    assert "In 6 calls of grad()" in found.text and "all numbers that came out were 0" in found.text
    assert f"computed with {slope.replace('ReLU', 'Relu')}Backward0" in found.text
    assert not of(backend, code, "GELU").verdicts


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("code", [
    "loss = (g.norm(dim=1) - 1).pow(2).mean() + u.mean()",  # the penalty of a critic
    "w = net[0].weight; d = grad(u.pow(2).mean(), w, create_graph=True)[0]; "
    "v = w - 0.1 * d; more = grad((d * v).sum(), w, retain_graph=True)[0]; "
    "loss = (x @ v.T).relu().mean() + 0 * more.sum() + u.mean()",
    "v = torch.randn(8, 2).sign(); h = grad(g, x, v, create_graph=True)[0]; loss = (h * v).sum() + u.mean()"])
def test_first_derivatives_and_products_with_vectors_are_meant(backend, code):
    for slope in ("ReLU", "Tanh") if "sign" not in code else ("Tanh",):
        assert not of(backend, code, slope).verdicts, of(backend, code, slope).text
