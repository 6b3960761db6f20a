"""Programs in other styles: classes, closures, comprehensions, threads, modes that a caller switched.

Each mended program compares its gradient with the one that the program means.
"""
from __future__ import annotations

import threading

from tests.helpers.explained_programs import broken, edited, gan, leaf, mended, size

# --- a step between two passes that share a network


@broken("modified", guilty="AddmmBackward0", says=("saved d.2.weight", "opt_d.step()"), line="moves only D")
def gan_step_of_a_detached_fake(torch):
    g, d, opt_g, opt_d, noise = gan(torch)
    fake = g(noise)
    d_loss, g_loss = d(fake.detach()).mean(), -d(fake).mean()
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()  # moves only D
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()


def gan_meant(torch, moved):
    """Return D after its own step alone, and the gradient of G at D as it is before or after that step."""
    g, d, _, opt_d, noise = gan(torch)
    before = torch.autograd.grad(-d(g(noise)).mean(), list(g.parameters()))
    d(g(noise).detach()).mean().backward()
    opt_d.step()
    after = torch.autograd.grad(-d(g(noise)).mean(), list(g.parameters()))
    return list(d.parameters()), after if moved else before


def assert_meant(torch, d, g, moved):
    weights, gradients = gan_meant(torch, moved)
    assert all(torch.allclose(one, its) for one, its in zip(d.parameters(), weights))
    assert all(torch.allclose(one.grad, its) for one, its in zip(g.parameters(), gradients))


edited(gan_step_of_a_detached_fake, "Compute g_loss anew after the write to d.2.weight", {
    "g_loss.backward()": "g_loss = -d(fake).mean()\ng_loss.backward()", "opt_g.step()": ""},
    "assert_meant(torch, d, g, moved=True)")
edited(gan_step_of_a_detached_fake, "`g_loss.backward(inputs=list(g.parameters()))`", {
    "opt_d.step()": "g_loss.backward(inputs=list(g.parameters()))\nopt_d.step()",
    "opt_g.zero_grad()": "", "g_loss.backward()": "", "opt_g.step()": ""},
    "assert_meant(torch, d, g, moved=False)")


# --- a state that an object or a closure keeps between calls

class Trainer:
    def __init__(self, torch):
        self.torch, self.w = torch, leaf(torch)
        self.hidden = torch.ones(2)

    def step(self, detach=False):
        self.hidden = self.hidden * self.w
        loss = (self.hidden ** 2).sum()
        loss.backward()  # in each round
        if detach:
            self.hidden = self.hidden.detach()


@broken("freed", guilty="MulBackward0", says=("self.hidden carries the graph of an earlier round",),
        line="in each round")
def state_of_a_trainer(torch):
    trainer = Trainer(torch)
    for _ in range(2):
        trainer.step()


@mended(state_of_a_trainer, "`self.hidden = self.hidden.detach()`")
def _(torch):
    trainer = Trainer(torch)
    for _ in range(2):
        trainer.step(detach=True)
    assert trainer.w.grad.tolist() == [2 + 2, 4 + 16]  # of w ** 2 at 1, then of (w h) ** 2 with h = w


@mended(state_of_a_trainer, "Add the results up")
def _(torch):
    w, h, total = leaf(torch), torch.ones(2), 0
    for _ in range(2):
        h = h * w
        total = total + (h ** 2).sum()
    total.backward()
    assert w.grad.tolist() == [2 + 4, 4 + 32]  # of w ** 2 + w ** 4


@mended(state_of_a_trainer, "retain_graph=True")
def _(torch):
    w, h = leaf(torch), torch.ones(2)
    for _ in range(2):
        h = h * w
        (h ** 2).sum().backward(retain_graph=True)
    assert w.grad.tolist() == [2 + 4, 4 + 32]


# --- passes in a comprehension, in a thread, twice in a line

@broken("freed", guilty="SinBackward0", says=("[loss.backward() for loss in losses]",),
        line="all of them")
def passes_in_a_comprehension(torch):
    x = leaf(torch)
    shared = x.sin().sum()
    losses = [shared * 2, shared * 3]
    [loss.backward() for loss in losses]  # all of them


@broken("freed", guilty="ExpBackward0", says=("which made base",), line="of the worker")
def passes_in_a_thread(torch):
    base, errors = leaf(torch).exp(), []

    def work(k):
        part = (base * k).sum()
        part.backward()  # of the worker

    def tried():
        try:
            work(1.0)
            work(2.0)
        except RuntimeError as error:
            errors.append(error)

    thread = threading.Thread(target=tried)
    thread.start()
    thread.join()
    raise errors[0]


def two_passes(torch, function, weights, anew=False, retain=False, added=False):
    x = leaf(torch)
    y = function(x)
    if added:
        sum((y * weight).sum() for weight in weights).backward()
        return x.grad
    for weight in weights:
        y = function(x) if anew else y
        (y * weight).sum().backward(retain_graph=retain)
    return x.grad


for _program, _name, _weights in ((passes_in_a_comprehension, "sin", (2, 3)),
                                  (passes_in_a_thread, "exp", (1, 2))):
    for _words, _how in (("anew", "anew"), ("Add the results up", "added"), ("retain_graph=True", "retain")):
        def _fix(torch, name=_name, weights=_weights, how=_how):
            meant = torch.cos if name == "sin" else torch.exp
            found = two_passes(torch, getattr(torch, name), weights, **{how: True})
            assert torch.allclose(found, sum(weights) * meant(torch.tensor([1.0, 2.0])))
        mended(_program, _words)(_fix)


# --- a gradient in a loss, which has to be recorded

@broken("freed", guilty="PowBackward0", line="not recorded")
def penalty_of_a_gradient(torch):
    x = leaf(torch)
    y = (x ** 3).sum()
    (slope,) = torch.autograd.grad(y, x)  # not recorded
    (y + (slope ** 2).sum()).backward()


edited(penalty_of_a_gradient, "`create_graph=True`", {
    "(slope,) = torch.autograd.grad(y, x)": "(slope,) = torch.autograd.grad(y, x, create_graph=True)"},
    "assert x.grad.tolist() == [3 + 36, 12 + 36 * 8]")  # of x ** 3 + 9 * x ** 4
edited(penalty_of_a_gradient, "compute y anew", {
    "(y + (slope ** 2).sum()).backward()": "y = (x ** 3).sum()\n(y + (slope ** 2).sum()).backward()"},
    "assert x.grad.tolist() == [3, 12]")


# --- writes: through a view, the second of two, through a loop over parameters

@broken("modified", guilty="ExpBackward0", says=("saved y",), line="half of y")
def written_through_a_view(torch):
    x = leaf(torch)
    y = x.exp()
    half = y[:1]
    z = y.sum()
    half.add_(1)  # half of y
    z.backward()


def through_a_view(torch, change):
    x = leaf(torch)
    y = x.exp()
    half = y[:1]
    z = y.sum()
    new = change(half)
    z.backward()
    assert torch.allclose(x.grad, x.detach().exp()) and torch.allclose(y, x.exp())
    return size(new)


mended(written_through_a_view, "`half = half.add(1)`")(
    lambda torch: through_a_view(torch, lambda half: half.add(1)))
mended(written_through_a_view, "`half = half.clone()`")(
    lambda torch: through_a_view(torch, lambda half: half.clone().add_(1)))


edited(written_through_a_view, "after the backward pass", {
    "half.add_(1)": "", "z.backward()": "z.backward()\nhalf.add_(1)"},
    "assert torch.allclose(x.grad, x.detach().exp())")


def averaged(torch):
    torch.manual_seed(0)
    student, teacher = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    x = torch.ones(1, 2, requires_grad=True)
    return student, teacher, x


@broken("modified", guilty="AddmmBackward0", says=("saved teacher.weight",), line="average")
def average_of_weights(torch):
    student, teacher, x = averaged(torch)
    out = teacher(student(x)).sum()
    for target, source in zip(teacher.parameters(), student.parameters()):
        with torch.no_grad():
            target.add_(0.1 * source)  # average
    out.backward()


def move_average(torch, student, teacher):
    with torch.no_grad():
        for target, source in zip(teacher.parameters(), student.parameters()):
            target.add_(0.1 * source)


@mended(average_of_weights, "Run every backward()")
def _(torch):
    student, teacher, x = averaged(torch)
    meant = (teacher.weight.detach().sum(0) @ student.weight.detach())
    teacher(student(x)).sum().backward()
    move_average(torch, student, teacher)
    assert torch.allclose(x.grad[0], meant)


@mended(average_of_weights, "Compute out anew")
def _(torch):
    student, teacher, x = averaged(torch)
    teacher(student(x)).sum()
    move_average(torch, student, teacher)
    meant = (teacher.weight.detach().sum(0) @ student.weight.detach())
    teacher(student(x)).sum().backward()
    assert torch.allclose(x.grad[0], meant)


# --- recording was off, or nothing required a gradient

def total_of(w):
    loss = (w * 3).sum()
    loss.backward()


@broken("no history", says=("`with torch.no_grad():`",))
def caller_in_a_block(torch):
    w = leaf(torch)
    with torch.no_grad():
        total_of(w)


@broken("no history", says=("torch.set_grad_enabled(phase == \"train\")",))
def phase_that_records_nothing(torch):
    w, phase = leaf(torch), "val"
    with torch.set_grad_enabled(phase == "train"):
        loss = (w * 3).sum()
    loss.backward()


def outside_of_the_block(torch):
    w = leaf(torch)
    total_of(w)
    assert w.grad.tolist() == [3, 3]


for _program in (caller_in_a_block, phase_that_records_nothing):
    mended(_program, "Compute the result outside of")(outside_of_the_block)


@broken("no history", says=("requires_grad of model.weight is False",))
def frozen_model(torch):
    model = torch.nn.Linear(2, 1)
    for parameter in model.parameters():
        parameter.requires_grad = False
    loss = model(torch.ones(3, 2)).sum()
    loss.backward()


@mended(frozen_model, "Let a leaf require a gradient")
def _(torch):
    model = torch.nn.Linear(2, 1)
    model(torch.ones(3, 2)).sum().backward()
    assert (model.weight.grad.tolist(), model.bias.grad.tolist()) == ([[3, 3]], [3])


