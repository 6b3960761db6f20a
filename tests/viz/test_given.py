"""What a watch is given: its names in tables and fixes, models without training, and lines that made one."""
from __future__ import annotations

import gc

import pytest

from minigrad.viz import watch
from minigrad.viz.program.given import _given
from tests.viz.test_why import BACKENDS, run

START = """
torch.manual_seed(0)
nn, F = torch.nn, torch.nn.functional
X, Y = torch.randn(8, 3), torch.randn(8, 1)
"""
# A number as a key is no name: nothing that a variable leads to is the model or the optimizer.
NAMELESS = START + """
box = {0: nn.Linear(3, 3), 1: nn.Linear(3, 1)}
box[2] = torch.optim.SGD(box[0].parameters(), lr=0.1)
box[3] = torch.optim.SGD(box[1].parameters(), lr=0.1)
with watch([box[0], box[1]], [box[2], box[3]]) as seen:
    for step in range(4):
        box[3].zero_grad()
        box[1](box[0](X).detach()).pow(2).mean().backward()
        box[3].step()
        box[2].zero_grad()
        box[1](box[0](X)).pow(2).mean().backward()
        box[2].step()
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_table_names_the_optimizer_that_a_watch_was_given(backend):
    scope = run(backend, NAMELESS)
    assert {row.optimizer for row in scope["seen"].rows} == {"SGD, SGD, lr 0.1", "SGD', SGD, lr 0.1"}
    told = run(backend, NAMELESS + "told = why(box[1])\n"
               "other = nn.Linear(3, 1)\nother(X).sum().backward()\nalone = why(other)\n")
    assert {row.optimizer for row in told["told"].rows} == {"SGD', SGD, lr 0.1"}
    assert {(row.optimizer, row.cause) for row in told["alone"].rows} == {("", "healthy")}


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_fix_has_a_variable_for_what_no_variable_holds(backend):
    text = NAMELESS.replace("        box[3].step()\n", "").replace("[box[2], box[3]]", "box[2]")
    found = run(backend, text)["seen"].verdicts
    fixes = [fix.words for one in found for fix in one.fixes]
    assert [(one.cause, one.others) for one in found] == [("doubled", 1)]
    code = [part for words in fixes for part in words.split("`")[1::2]]
    assert any(words.endswith("`linear1` is Linear'.") for words in fixes), fixes
    assert code and not any("Linear" in part or "'" in part for part in code), code
    for part in code:
        compile(part, "fix", "exec")


def test_an_optimizer_that_is_gone_is_forgotten(torch):
    net = torch.nn.Linear(3, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    with watch(net, opt):
        pass
    number = id(opt)
    assert number in {key[1] for key in _given}
    del opt
    gc.collect()
    assert number not in {key[1] for key in _given}


TARGET = START + """
net, target = nn.Linear(3, 1), nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
with watch([net, target]) as seen:
    for step in range(4):
        with torch.no_grad():
            aims = target(X)
        opt.zero_grad()
        F.mse_loss(net(X), aims).backward()
        opt.step()
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_model_that_only_gives_targets_is_no_alarm(backend):
    hidden = TARGET.replace("opt = ", "box = {}; box[0] = ").replace("        opt.", "        box[0].")
    for text in (TARGET, hidden):
        seen = run(backend, text)["seen"]
        assert seen.verdicts == [], seen.text
        assert "2 had a gradient" in seen.text and "no pass reached 2" in seen.text, seen.text
        held = text.replace("SGD(net.parameters()", "SGD([*net.parameters(), *target.parameters()]")
        assert {one.cause for one in run(backend, held)["seen"].verdicts} == {"cut"}


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_gradient_that_only_the_last_pass_did_not_bring_is_counted(backend):
    seen = run(backend, START + """
heads = nn.ModuleList([nn.Linear(3, 1), nn.Linear(3, 1), nn.Linear(3, 1)])
opt = torch.optim.SGD(heads.parameters(), lr=0.1)
with watch(heads, opt) as seen:
    for step in range(6):
        opt.zero_grad()
        F.mse_loss(heads[step % 3](X), Y).backward()
        opt.step()
""")["seen"]
    assert seen.verdicts == [] and sum(row.grad == "None" for row in seen.rows) == 4
    assert "6 parameters in 6 backward passes: 6 had a gradient" in seen.text, seen.text
