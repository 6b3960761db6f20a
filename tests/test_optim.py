"""Optimizers: PyTorch's recorded answers, and laws that need no record."""
from __future__ import annotations

import copy
import gc
import json
import math
import pickle

import pytest

import minigrad as torch
from minigrad import optim
from tests.nn_programs import ADAPTIVE, EXACT, EXACT_TO_A_DIGIT, measured
from tests.test_nn import MODULES, RECORDED

KINDS = ["SGD", *dict(ADAPTIVE)]


@pytest.mark.parametrize("name", [name for name in EXACT if name not in MODULES])
def test_like_pytorch(name):
    assert json.loads(json.dumps(measured(torch, EXACT[name]))) == RECORDED[name]


@pytest.mark.parametrize("name", EXACT_TO_A_DIGIT)
def test_like_pytorch_to_a_digit(name):
    close(json.loads(json.dumps(measured(torch, EXACT_TO_A_DIGIT[name]))), RECORDED[name])


def close(got, wanted):
    """The same, but for the last digits of float32."""
    if isinstance(wanted, float) and isinstance(got, float):
        assert math.isclose(got, wanted, rel_tol=2e-5, abs_tol=1e-7)
    elif isinstance(wanted, dict):
        assert list(got) == list(wanted)
        close(list(got.values()), list(wanted.values()))
    elif isinstance(wanted, list):
        assert len(got) == len(wanted)
        for g, w in zip(got, wanted):
            close(g, w)
    else:
        assert got == wanted


def trained(make, gradients, zero=True):
    """A parameter after one step for each gradient."""
    p = torch.tensor([1.0, -2.0], requires_grad=True)
    optimizer = make([p])
    for gradient in gradients:
        if zero:
            optimizer.zero_grad()
        (p * torch.tensor(gradient)).sum().backward()
        optimizer.step()
    return p.detach()


GRADIENTS = [[1.0, 0.5], [-0.5, 2.0], [0.25, 0.25], [4.0, -1.0]]


def test_momentum_1_is_never_zeroing():
    assert torch.equal(trained(lambda p: optim.SGD(p, lr=0.5, momentum=1), GRADIENTS),
                       trained(lambda p: optim.SGD(p, lr=0.5), GRADIENTS, zero=False))


def test_maximizing_is_minimizing_the_opposite():
    opposite = [[-g for g in gradient] for gradient in GRADIENTS]
    for kind in KINDS:
        make = getattr(optim, kind)
        assert torch.equal(trained(lambda p: make(p, maximize=True), GRADIENTS),    # noqa: B023
                           trained(make, opposite)), kind


def test_adamw_without_decay_is_adam():
    assert torch.equal(trained(lambda p: optim.AdamW(p, weight_decay=0), GRADIENTS),
                       trained(optim.Adam, GRADIENTS))


def test_decoupled_decay_scales_the_parameter_first():
    p = torch.tensor([2.0], requires_grad=True)
    optimizer = optim.AdamW([p], lr=0.1, weight_decay=0.5)
    p.grad = torch.zeros(1)
    optimizer.step()
    assert p.item() == pytest.approx(2.0 * (1 - 0.05))


def test_large_parameters_take_the_same_steps():
    """Beyond SMALL the sums are made in another way; the result is the same but for the last digit."""
    torch.manual_seed(0)
    large = torch.randn(20000)
    gradient = torch.randn(20000)
    for kind in KINDS:
        p, q = large.clone().requires_grad_(), large[:100].clone().requires_grad_()
        for parameter, grad in ((p, gradient), (q, gradient[:100])):
            optimizer = getattr(optim, kind)([parameter])
            for _ in range(3):
                parameter.grad = grad.clone()
                optimizer.step()
        assert torch.allclose(p[:100], q, rtol=1e-5, atol=1e-6), kind


@pytest.mark.parametrize("kind", KINDS)
def test_parameters_without_gradient_are_left_alone(kind):
    p, frozen = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    optimizer = getattr(optim, kind)([p, frozen])
    p.sum().backward()
    optimizer.step()
    assert frozen.item() == 1
    assert frozen._version == 0
    assert p.item() < 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_is_a_write_in_place(kind):
    p = torch.ones(2, requires_grad=True)
    alias, same = p.detach(), p
    square = (p * p).sum()
    p.grad = torch.ones(2)
    getattr(optim, kind)([p]).step()
    assert p is same
    assert p.is_leaf
    assert p.grad_fn is None
    assert torch.equal(alias, p)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        square.backward()


@pytest.mark.parametrize("kind", KINDS)
def test_saving_and_loading_continues_where_it_was(kind):
    def step(p, optimizer, times):
        for i in range(times):
            p.grad = torch.tensor([1.0, -0.5]) * (i + 1)
            optimizer.step()
    make = getattr(optim, kind)
    p = torch.tensor([1.0, 2.0], requires_grad=True)
    first = make([p])
    step(p, first, 3)
    q = p.detach().clone().requires_grad_()
    second = make([q])
    second.load_state_dict(copy.deepcopy(first.state_dict()))
    step(p, first, 2)
    step(q, second, 2)
    assert torch.equal(p, q)
    assert repr(pickle.loads(pickle.dumps(first))) == repr(first)


def test_groups_have_their_own_options():
    a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
    optimizer = optim.SGD([{"params": [a]}, {"params": b, "lr": 0.5}], lr=0.25)
    (a + b).sum().backward()
    optimizer.step()
    assert (a.item(), b.item()) == (0.75, 0.5)
    optimizer.param_groups[0]["lr"] = 1.0
    optimizer.step()
    assert (a.item(), b.item()) == (-0.25, 0.0)


def test_closure_and_hooks():
    p, seen = torch.tensor([2.0], requires_grad=True), []
    optimizer = optim.SGD([p], lr=0.25)
    optimizer.register_step_pre_hook(lambda o, args, kwargs: seen.append("before"))
    optimizer.register_step_post_hook(lambda o, args, kwargs: seen.append(p.item()))

    def closure():
        seen.append(torch.is_grad_enabled())
        optimizer.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        return loss

    with torch.no_grad():
        assert optimizer.step(closure).item() == 4
    assert seen == ["before", True, 1.0]


def test_an_optimizer_of_ones_own():
    class Signs(optim.Optimizer):
        def __init__(self, params, lr):
            super().__init__(params, {"lr": lr})

        @torch.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                for p in group["params"]:
                    p.add_(p.grad.sign(), alpha=-group["lr"])

    p, seen = torch.tensor([1.0, -1.0], requires_grad=True), []
    optimizer = Signs([p], lr=0.5)
    optimizer.register_step_post_hook(lambda *args: seen.append(1))
    (p * p).sum().backward()
    optimizer.step()
    assert p.tolist() == [0.5, -0.5]
    assert seen == [1]


def test_a_rate_that_is_a_tensor():
    p = torch.ones(1, requires_grad=True)
    optimizer = optim.SGD([p], lr=torch.tensor(0.5))
    scheduler = optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    p.grad = torch.ones(1)
    optimizer.step()
    scheduler.step()
    assert p.item() == 0.5
    assert optimizer.param_groups[0]["lr"].item() == 0.25


def test_nothing_is_left_behind():
    """An optimizer with a scheduler dies without the garbage collector."""
    import weakref

    p = torch.ones(3, requires_grad=True)
    optimizer = optim.Adam([p])
    p.sum().backward()
    optimizer.step()
    reference = weakref.ref(p)
    gc.disable()
    try:
        del optimizer, p
        assert reference() is None
    finally:
        gc.enable()
