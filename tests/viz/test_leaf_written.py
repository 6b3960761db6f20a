"""A leaf that was overwritten before a pass: what is said of the write, and fixes that can be applied."""
from __future__ import annotations

import linecache
import re

import pytest

from minigrad.viz import explain, watch

START = """
torch.manual_seed(0)
nn = torch.nn
"""
ITEMS = START + """
class Rec(nn.Module):
    def __init__(self):
        super().__init__()
        self.items, self.mix = nn.Embedding(9, 4, max_norm=0.5), nn.Linear(4, 4)

    def forward(self, seq):
        table = self.mix(self.items.weight)
        user = self.items(seq).mean(1)
        return user @ table.t()

model, data = Rec(), torch.randint(0, 9, (6, 3))
"""
BAG = START + """
class Near(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.EmbeddingBag(7, 3, max_norm=1.0, mode="sum")

    def forward(self, ids):
        near = self.words.weight.pow(2)
        bags = self.words(ids).sum(1)
        return bags + near.sum(1)[:len(ids)]

model, data = Near(), torch.randint(0, 7, (4, 2))
"""
OWN = START + """
class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.w, self.out = nn.Parameter(torch.randn(3, 3)), nn.Linear(3, 2)

    def forward(self, x):
        h = torch.tanh(x @ self.w)
        with torch.no_grad(): self.w.clamp_(-0.5, 0.5)
        return self.out(h) * self.w.sum()

model, data = nn.Sequential(nn.Linear(5, 3), Own()), torch.randn(4, 5)
"""
LOOP = """
opt = torch.optim.{opt}(model.parameters(), lr=0.0)
for step in range(2):
    opt.zero_grad()
    loss = model(data).pow(2).mean()
    loss.backward()
    opt.step()
"""
INSIDE = {  # name: (program, optimizer, what wrote, the lines to exchange, what is copied)
    "Embedding": (ITEMS, "SGD", "model.items, which limits the rows of its weight in place (max_norm=0.5)",
                  ("        table = self.mix(self.items.weight)\n",
                   "        user = self.items(seq).mean(1)\n"),
                  "self.mix(self.items.weight", "model.items.weight"),
    "EmbeddingBag": (BAG, "Adam", "model.words, which limits the rows of its weight in place (max_norm=1.0)",
                     ("        near = self.words.weight.pow(2)\n",
                      "        bags = self.words(ids).sum(1)\n"), "self.words.weight",
                     "model.words.weight"),
    "its own": (OWN, "AdamW", "model.1.",
                ("        h = torch.tanh(x @ self.w)\n",
                 "        with torch.no_grad(): self.w.clamp_(-0.5, 0.5)\n"), "x @ self.w", "model[1].w"),
}


def run(torch, text, watched=True, **given):
    """(its variables, what is said of its error) of a program."""
    scope, file = {"torch": torch, **given}, "program.py"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    start, _, rest = text.partition("opt = ")
    try:
        exec(compile(start, file, "exec"), scope)
        rest = "\n" * start.count("\n") + "opt = " + rest
        if watched:
            with watch({"model": scope["model"]}):
                exec(compile(rest, file, "exec"), scope)
        else:
            exec(compile(rest, file, "exec"), scope)
    except RuntimeError as error:
        return scope, explain(error)
    return scope, None


def gradients(scope):
    return [one.grad for one in scope["model"].parameters()]


@pytest.mark.parametrize("name", INSIDE)
def test_a_write_inside_the_forward_pass_is_named_and_its_fixes_work(name):
    torch = pytest.importorskip("torch")
    program, opt, wrote, (use, write), copied, path = INSIDE[name]
    text = program + LOOP.format(opt=opt)
    _, said = run(torch, text)
    where = text[:text.index(write)].count("\n") + 1
    assert f"The write was in program.py:{where}, `" in said.text
    assert f"inside the forward pass of {wrote}" in said.text, said.text
    assert "before the write (such as" not in said.text and "anew" not in said.text
    first, second = said.fixes
    assert f"Move the write, program.py:{where}, `" in first.words
    assert f"`{path}.clone()`" in second.words
    moved, _ = run(torch, text.replace(use + write, write + use))
    clone, _ = run(torch, text.replace(copied, f"{copied}.clone()", 1))
    # in the second round nothing is left to be limited, so the gradient is that of a model without limits
    plain = re.sub(r", max_norm=[\d.]+|with torch.no_grad\(\).*", "", text)
    plain = plain.replace("opt = ", "model.load_state_dict(state)\nopt = ", 1)
    meant, _ = run(torch, plain, state=moved["model"].state_dict())
    for found in (moved, clone):
        for one, other in zip(gradients(found), gradients(meant)):
            assert torch.allclose(one, other, rtol=1e-4, atol=1e-6)


def test_without_a_watch_the_layer_may_have_written_and_the_optimizer_is_not_blamed():
    torch = pytest.importorskip("torch")
    for name in ("Embedding", "EmbeddingBag"):
        program, opt, *_ = INSIDE[name]
        _, said = run(torch, program + LOOP.format(opt=opt), watched=False)
        assert "in its forward pass, and that may have been it; `with watch():`" in said.text
        assert "optimizer" not in said.text and "before the write (such as" not in said.text


GAN = START + """
g = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 3))
d = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
opt_g, opt_d = torch.optim.SGD(g.parameters(), lr=0.1), torch.optim.SGD(d.parameters(), lr=0.1)
noise = torch.randn(4, 2)
for step in range(2):
    fake = g(noise)
    score = d(fake)
    g_loss = -score.mean()
    opt_d.zero_grad()
    score.mean().backward(retain_graph=True)
    opt_d.step()
    {between}
    g_loss.backward()
    opt_g.step()
"""
EMPTIES = {"by the optimizer": "opt_g.zero_grad()", "by the model": "g.zero_grad(set_to_none=True)",
           "by hand": "for one in g.parameters(): one.grad = None"}


def gan(torch, between="pass", edits=()):
    text = GAN.format(between=between)
    for old, new in dict(edits).items():
        assert old in text
        text = text.replace(old, new)
    scope, file = {"torch": torch}, "program.py"
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    try:
        with watch():
            exec(compile(text, file, "exec"), scope)
    except RuntimeError as error:
        return scope, explain(error)
    return scope, None


@pytest.mark.parametrize("empties", EMPTIES)
def test_what_empties_the_gradients_of_a_moved_pass_moves_too(torch, empties):
    between = EMPTIES[empties]
    _, said = gan(torch, between)
    fix = next(one for one in said.fixes if "Run the pass before the write" in one.words)
    assert f"Move program.py:16, `{between}`, in front of it, too" in fix.words
    code = re.search(r"`([^`]*inputs=[^`]*)`", fix.words)[1]
    moved = {f"    {between}\n    g_loss.backward()\n    opt_g": "    opt_g",
             "    opt_d.step()": f"    {between}\n    {code}\n    opt_d.step()"}
    applied, error = gan(torch, between, moved)
    assert error is None
    # intended: the gradient of the generator at the values that the discriminator had
    other, error = gan(torch, edits={
        "g_loss.backward()": "pass", "    opt_d.step()":
        "    grads = torch.autograd.grad(g_loss, list(g.parameters()), retain_graph=True)\n"
        "    for one, grad in zip(g.parameters(), grads): one.grad = grad\n    opt_d.step()"})
    assert error is None
    for one, meant in zip(applied["g"].parameters(), other["g"].parameters()):
        assert torch.allclose(one, meant) and one.grad is not None


def test_a_pass_is_not_moved_before_a_step_if_its_gradients_are_emptied_after_it(torch):
    """The first step would take the sum of both passes, and the second one would find nothing."""
    w = torch.ones(2, requires_grad=True)
    opt = torch.optim.SGD([w], lr=0.1)
    first, second = (w * w).sum(), (w * w * w).sum()
    first.backward()
    opt.step()
    opt.zero_grad()
    with pytest.raises(RuntimeError) as caught:
        second.backward()
    opt.step()
    assert [one.words.partition(" ")[0] for one in explain(caught.value).fixes] == ["Compute"]


def refused(write):
    with pytest.raises(RuntimeError) as caught:
        write()
    return explain(caught.value)


def test_a_copy_is_not_offered_where_it_would_change_no_layer(torch):
    """Going on with a copy of a parameter leaves the module as it was."""
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    rate = torch.nn.Parameter(torch.ones(3))
    bias = net[2].bias

    def prune():
        net[0].weight *= 0.5

    def reset():
        bias.zero_()

    def fill():
        rate[0] = 3.0

    for write in (prune, reset, fill):
        said = refused(write)
        assert [one.words for one in said.fixes] == [
            "Write inside `with torch.no_grad():`, as an optimizer does."]
    before = net[0].weight.detach().clone()
    with torch.no_grad():
        prune()
    assert net[0].weight.detach().tolist() == (before * 0.5).tolist()
