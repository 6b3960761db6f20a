"""A write in place to what a module with a full backward hook took or returned: which one, and what helps."""
from __future__ import annotations

import pytest

from tests.viz.test_why import BACKENDS, run

START = """
nn, F = torch.nn, torch.nn.functional
torch.manual_seed(0)
arrived = []
def keep(module, grad_input, grad_output):
    arrived.append(grad_output[0])
class Joined(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)
    def forward(self, given):
        h = self.inner(given)
        h += given
        return h
"""
END = """
told = None
def train():
    out = net(torch.ones(4, 3))
    out.sum().backward()
try:
    {watched}:
        train()
except RuntimeError as error:
    told = explain(error)
"""
# name: (the module, what is said first, the fix, its edits)
BROKEN = {
    "the layer before": (
        "net = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2), nn.ReLU(inplace=True))\n"
        "net[2].register_full_backward_hook(keep)",
        "calls net.3 (ReLU), which has inplace=True and writes in place to what net.2 (Linear) returned.",
        "Give net.3 (ReLU) `inplace=False`. Price: a second tensor of 32 bytes",
        {"inplace=True": "inplace=False"}),
    "a block before, and other hooks": (
        "net = nn.Sequential(nn.Sequential(nn.Linear(3, 6), nn.Linear(6, 6)),\n"
        "                    nn.Sequential(nn.ReLU(inplace=True), nn.Linear(6, 1)))\n"
        "for part in (net[0][0], net[0][1], net[1][1]): part.register_full_backward_hook(keep)",
        "calls net.1.0 (ReLU), which has inplace=True and writes in place to what net.0.1 (Linear) returned.",
        "Give net.1.0 (ReLU) `inplace=False`. Price: a second tensor of 96 bytes",
        {"inplace=True": "inplace=False"}),
    "a statement of the program": (
        "net = Joined()\nnet.inner.register_full_backward_hook(keep)",
        "writes in place to h, what net.inner (Linear) returned.",
        "Write out of place: `h = h + given`. Price: a second tensor of 48 bytes",
        {"h += given": "h = h + given"}),
}


@pytest.mark.parametrize("watched", [True, False])
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", BROKEN)
def test_the_module_is_named_and_the_fix_brings_the_gradient(name, backend, watched):
    module, says, fix, edits = BROKEN[name]
    text = START + module + END.format(watched="with watch(net)" if watched else "if True")
    told = run(backend, text)["told"]
    assert told.cause == "view from a custom Function written"
    assert says in told.sentences[0], told.text
    assert "has a full backward hook. Such a hook makes" in told.sentences[1]
    assert fix in told.text and len(told.fixes) == 1
    assert "mark_dirty" not in told.text and "clone()" not in told.text
    for old, new in edits.items():
        assert old in text
        text = text.replace(old, new)
    mended = run(backend, text)
    assert mended["told"] is None and mended["arrived"] and mended["arrived"][0] is not None


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_part_of_what_was_returned_is_its_own_case_and_a_function_of_the_program_another(backend):
    module = START.replace("h += given", "h[:, 0] = 0.0")
    hook = "net = Joined()\nnet.inner.register_full_backward_hook(keep)"
    told = run(backend, module + hook + END.format(watched="if True"))["told"]
    assert "writes in place to h, what net.inner (Linear) returned." in told.sentences[0], told.text
    assert [fix.words for fix in told.fixes] == ["Write into a copy: `h = h.clone()` before the write."]
    mended = module.replace("h[:, 0] = 0.0", "h = h.clone(); h[:, 0] = 0.0")
    assert run(backend, mended + hook + END.format(watched="if True"))["told"] is None
    own = module.replace("self.inner(given)", "Own.apply(self.inner(given))")
    own = own.replace("h[:, 0] = 0.0", "h += 1") + """
class Own(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)
    @staticmethod
    def backward(ctx, grad):
        return grad
net = Joined()
"""
    told = run(backend, own + END.format(watched="if True"))["told"]
    assert "writes in place to h, a view that a custom Function returned." in told.sentences[0]


@pytest.mark.parametrize("backend", BACKENDS)
def test_without_a_hook_nothing_is_refused(backend):
    module = BROKEN["the layer before"][0].partition("\n")[0]
    assert run(backend, START + module + END.format(watched="if True"))["told"] is None


@pytest.mark.parametrize("backend", BACKENDS)
def test_of_several_hooks_none_is_chosen_where_the_order_is_not_known(backend):
    module = START.replace("h += given", "h = self.bend(h)").replace(
        "self.inner = nn.Linear(3, 3)", "self.inner, self.other = nn.Linear(3, 3), nn.Linear(3, 3)\n"
        "        self.bend = nn.ReLU(inplace=True)")
    hooks = "net = Joined()\nfor part in (net.inner, net.other): part.register_full_backward_hook(keep)"
    told = run(backend, module + hooks + END.format(watched="if True"))["told"]
    assert "writes in place to what a module with a full backward hook took or returned." in told.sentences[0]
    assert "net.inner (Linear) and net.other (Linear) have full backward hooks." in told.sentences[1]
