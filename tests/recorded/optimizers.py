"""Optimizers and schedules: steps, states, groups, closures and errors."""
from __future__ import annotations

import copy

from . import error_of

KINDS = [("SGD", {"lr": 0.1}), ("SGD", {"lr": 0.1, "momentum": 0.9}),
         ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
         ("SGD", {"lr": 0.1, "momentum": 0.5, "dampening": 0.3}),
         ("SGD", {"lr": 0.1, "weight_decay": 0.05}),
         ("Adam", {"lr": 0.1}), ("Adam", {"lr": 0.05, "betas": (0.5, 0.6), "weight_decay": 0.1}),
         ("AdamW", {}),
         ("RMSprop", {"momentum": 0.5}), ("Adagrad", {"lr": 0.5, "lr_decay": 0.1})]


def steps(torch):
    """Take six steps on two parameters, one of which never gets a gradient."""
    found = []
    for kind, options in KINDS:
        p, unused = torch.tensor([1.5, -0.25, 3.0], requires_grad=True), torch.ones(2, requires_grad=True)
        optimizer = getattr(torch.optim, kind)([p, unused], **options)
        for i in range(6):
            optimizer.zero_grad()
            (p * p * torch.tensor([0.3, -1.0, 0.7]) + p * (i - 3)).sum().backward()
            optimizer.step()
        states = optimizer.state_dict()["state"]
        found.append([kind, p, unused, {key: sorted(state) for key, state in states.items()}])
    return found


def steps_with_falling_gradients(torch):
    """Step with gradients that become small, which amsgrad remembers as large."""
    found = []
    for kind in ("Adam", "AdamW"):
        for options in ({}, {"amsgrad": True}, {"amsgrad": True, "maximize": True},
                        {"amsgrad": True, "betas": (0.5, 0.7), "weight_decay": 0.1}):
            p = torch.tensor([1.5, -0.25, 3.0], requires_grad=True)
            optimizer = getattr(torch.optim, kind)([p], lr=0.1, **options)
            for i in range(8):
                p.grad = torch.tensor([1.0, -2.0, 0.5]) * 0.25 ** i
                optimizer.step()
            found.append([p, optimizer.state[p]])
    return found


def steps_with_gradients_set_to_zero(torch):
    """Train with gradients that are kept and filled with zeros, which no state may share."""
    found = []
    for kind, options in KINDS:
        p = torch.tensor([1.5, -0.25, 3.0], requires_grad=True)
        optimizer = getattr(torch.optim, kind)([p], **options)
        first = None
        for i in range(6):
            optimizer.zero_grad(set_to_none=False)
            (p * p * torch.tensor([0.3, -1.0, 0.7]) + p * (i - 3)).sum().backward()
            first = first if i else p.grad
            optimizer.step()
        optimizer.zero_grad(set_to_none=False)
        found.append([p, p.grad is first, p.grad, optimizer.state[p]])
    return found


def printed_optimizers(torch):
    return [repr(getattr(torch.optim, kind)([torch.ones(1, requires_grad=True)], **options))
            for kind, options in KINDS if kind in ("SGD", "Adam")]


def a_step_is_a_write_in_place(torch):
    found = []
    for kind in ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad"):
        p = torch.ones(2, requires_grad=True)
        alias, square = p.detach(), (p * p).sum()
        p.grad = torch.ones(2)
        getattr(torch.optim, kind)([p]).step()
        found.append([p.is_leaf, p.grad_fn, torch.equal(alias, p), error_of(square.backward)])
    return found


def saving_and_loading(torch):
    found = []
    for kind, options in KINDS:
        p = torch.tensor([1.0, 2.0], requires_grad=True)
        first = getattr(torch.optim, kind)([p], **options)
        for i in range(3):
            p.grad = torch.tensor([1.0, -0.5]) * (i + 1)
            first.step()
        q = p.detach().clone().requires_grad_()
        second = getattr(torch.optim, kind)([q], **options)
        second.load_state_dict(copy.deepcopy(first.state_dict()))
        p.grad, q.grad = torch.ones(2), torch.ones(2)
        first.step()
        second.step()
        found.append([torch.equal(p, q), p])
    return found


def loading_copies_the_state(torch):
    """Load a state, and change it: what was loaded and its owner stay as they were."""
    p = torch.tensor([1.0, 2.0], requires_grad=True)
    first, second = torch.optim.Adam([p]), torch.optim.Adam([p])
    p.sum().backward()
    first.step()
    saved = first.state_dict()
    second.load_state_dict(saved)
    second.state[p]["mark"] = 1
    return [sorted(one) for one in (saved["state"][0], first.state[p], second.state[p])]


def closure(torch):
    p, seen = torch.tensor([2.0], requires_grad=True), []
    optimizer = torch.optim.SGD([p], lr=0.25)

    def loss():
        seen.append(torch.is_grad_enabled())
        optimizer.zero_grad()
        (p * p).sum().backward()
        return (p * p).sum()

    with torch.no_grad():
        return [optimizer.step(loss), seen, p]


def own_optimizer(torch):
    class Signs(torch.optim.Optimizer):
        def __init__(self, params, lr):
            super().__init__(params, {"lr": lr})

        @torch.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                for p in group["params"]:
                    p.add_(p.grad.sign(), alpha=-group["lr"])

    p = torch.tensor([1.0, -1.0], requires_grad=True)
    (p * p).sum().backward()
    Signs([p], lr=0.5).step()
    return p


def optimizer_errors(torch):
    optim, x = torch.optim, torch.ones(2, requires_grad=True)
    sgd = optim.SGD([x], lr=0.1)
    return [error_of(call) for call in (
        lambda: optim.SGD([], lr=1), lambda: optim.SGD(x, lr=1), lambda: optim.SGD([x * 2], lr=1),
        lambda: optim.SGD([3.0]), lambda: optim.SGD([x], lr=-1),
        lambda: optim.SGD([x], momentum=-1),
        lambda: optim.SGD([x], nesterov=True), lambda: optim.Adam([x], betas=(1.0, 0.9)),
        lambda: optim.Adam([x], eps=-1), lambda: optim.AdamW([x], weight_decay=-1),
        lambda: optim.RMSprop([x], alpha=-1), lambda: optim.Adagrad([x], lr_decay=-1),
        lambda: sgd.add_param_group({"params": [x]}), lambda: sgd.add_param_group([x]),
        lambda: sgd.load_state_dict({"state": {}, "param_groups": []}),
        lambda: optim.Optimizer([x], {}).step())]


def schedules(torch):
    def rates(make):
        optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
        scheduler, seen = make(torch.optim.lr_scheduler, optimizer), []
        for _ in range(7):
            optimizer.step()
            scheduler.step()
            seen += scheduler.get_last_lr()
        return [seen, optimizer.param_groups[0]["lr"], scheduler.last_epoch]
    return [rates(make) for make in (
        lambda s, o: s.StepLR(o, 2), lambda s, o: s.StepLR(o, 3, 0.5),
        lambda s, o: s.ExponentialLR(o, 0.5),
        lambda s, o: s.CosineAnnealingLR(o, 3, eta_min=0.01),
        lambda s, o: s.LambdaLR(o, lambda epoch: 1 / (epoch + 1)))]


def schedule_before_the_optimizer(torch):
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.1)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1)
    scheduler.step()
    state = scheduler.state_dict()
    return [optimizer.param_groups[0]["lr"], state["last_epoch"], state["gamma"]]
