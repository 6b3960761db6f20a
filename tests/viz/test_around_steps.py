"""Faults around steps: a limit of nothing, old schedules, new optimizers, graphs that grow, aliases.

Each is found in programs that differ, its fix gives what was meant, and no healthy program has one.
"""
from __future__ import annotations

import pytest

from tests.viz.test_why import BACKENDS, run

START = """
torch.manual_seed(0)
nn, F = torch.nn, torch.nn.functional
X, Y = torch.randn(12, 5), torch.randn(12, 2)
model = {model}
def loss_of(model, x=X, y=Y):
    return (model(x) - y).pow(2).mean()
"""
MODELS = {
    "linear": "nn.Linear(5, 2)",
    "deep": "nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 2))",
    "norm": "nn.Sequential(nn.Linear(5, 6), nn.LayerNorm(6), nn.ReLU(), nn.Linear(6, 2, bias=False))",
}
LOOP = """
with watch(model) as run:
    for step in range({steps}):
        {first}
        opt.zero_grad()
        loss = loss_of(model)
        loss.backward()
        {before}
        opt.step()
        {after}
"""


def loop(before="pass", after="pass", steps=4, first="pass"):
    return LOOP.format(before=before, after=after, steps=steps, first=first)


LIMITS = {
    "shared with the optimizer": ("linear", """
params = filter(lambda p: p.requires_grad, model.parameters())  # here
opt = torch.optim.SGD(params, lr=0.1)
""" + loop("nn.utils.clip_grad_norm_(params, max_norm=0.1)"), "4 of 4 steps: params ("),
    "counted before": ("deep", """
weights = model.parameters()  # here
count = sum(p.numel() for p in weights)
opt = torch.optim.Adam(model.parameters(), lr=0.01)
""" + loop("nn.utils.clip_grad_norm_(weights, 0.01, norm_type=1)"), "clip_grad_norm_ (program.py:"),
}
SCHEDULES = {
    "replaced on the way": ("deep", """
opt = torch.optim.SGD(model[2].parameters(), lr=0.1)
plan = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=9)
with watch(model) as run:
    for epoch in range(9):
        if epoch == 3:
            opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.5)
            # anew
        opt.zero_grad()
        loss_of(model).backward()
        opt.step()
        plan.step()
""", "# anew", "plan = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=9)",
        "# anew", "import math", "plan.step()", """if epoch < 3: plan.step()
        else: opt.param_groups[0]['lr'] = 0.05 * (1 + math.cos(math.pi * (epoch - 2) / 9))"""),
    "replaced before": ("linear", """
opt = torch.optim.Adam(model.parameters(), lr=0.5)
decay = torch.optim.lr_scheduler.ExponentialLR(opt, 0.5)
opt = torch.optim.SGD(model.parameters(), lr=0.2)
# anew
""" + loop(after="decay.step()", steps=5),
        "# anew", "decay = torch.optim.lr_scheduler.ExponentialLR(opt, 0.5)",
        "# anew", "", "decay.step()", "opt.param_groups[0]['lr'] = 0.2 * 0.5 ** (step + 1)"),
}
MOMENTUM = "opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)\n"
NEW = {  # the line that is to be before the loop
    "in a function": ("deep", """
def train(model):
    opt = torch.optim.Adam(model.parameters(), lr=0.01)
    loss = loss_of(model)
    opt.zero_grad()
    loss.backward()
    opt.step()
with watch(model) as run:
    for step in range(6):
        train(model)
""", "opt = torch.optim.Adam(model.parameters(), lr=0.01)\n"),
    "in the loop": ("linear", loop(first=MOMENTUM), MOMENTUM),
}
SGD = "opt = torch.optim.SGD(model.parameters(), lr=0.1)\n"
BY_NAME = "for k, v in model.named_parameters(): ema"
GROWING = {
    "an average by name": (
        "deep", "ema = {k: v.detach().clone() for k, v in model.named_parameters()}\n" + SGD + loop(
            after=f"{BY_NAME}[k] = 0.9 * ema[k] + 0.1 * v"),
        BY_NAME, f"with torch.no_grad():\n            {BY_NAME}", "ema['0.weight']", "ema['2.bias']"),
    "a loss that is summed": (
        "linear", "total = 0\n" + SGD + loop(after="total = total + loss"),
        "total = total", "with torch.no_grad(): total = total", "total", "total"),
}
KEPT = {
    "compared after the step": SGD + loop(
        "old = [p.detach() for p in model.parameters()]", "moved = (model.weight - old[0]).norm()"),
    "read in the next round": "old = None\n" + SGD + loop().replace("        loss =", """\
        if old: moved = (model.weight - old['w']).abs().sum()
        old = {'w': model.weight.detach()}
        loss ="""),
    "made in some rounds": SGD + loop(
        "if step % 2 == 0: start = model.weight.detach()", "moved = (model.weight - start).abs().sum()"),
    "copied back": SGD + loop("best = {k: v.detach() for k, v in model.named_parameters()}") + """
    moved = (model.weight - best['weight']).abs().sum()
    model.load_state_dict(best)
""",
}


def cases(programs):
    return pytest.mark.parametrize("backend, name", [(one, name) for one in BACKENDS for name in programs])


def program(backend, model, text):
    return run(backend, START.format(model=MODELS.get(model, model)) + text)


def same_weights(one, other):
    return all(p.detach().allclose(q.detach(), atol=1e-6)
               for p, q in zip(one["model"].parameters(), other["model"].parameters(), strict=True))


def told(scope, cause):
    """The only verdict of a run, on every parameter of its model."""
    found, = scope["run"].verdicts
    assert found.cause == cause, scope["run"].text
    assert found.others == len(list(scope["model"].parameters())) - 1
    return found


@cases(LIMITS)
def test_a_limit_that_got_no_tensor(backend, name):
    model, text, words = LIMITS[name]
    scope = program(backend, model, text)
    found = told(scope, "not limited")
    assert words in found.sentence
    made = next(line for line in text.splitlines() if "# here" in line).partition("  #")[0]
    variable, _, expression = made.partition(" = ")
    expression = expression[1:-1] if expression.startswith("(") else expression
    fixed = text.replace(made, f"{variable} = list({expression})")
    assert f"`{variable} = list(" in found.fixes[0].words
    meant = text.replace(f"_({variable}", "_(model.parameters()")
    scopes = [program(backend, model, one) for one in (fixed, meant)]
    assert same_weights(*scopes) and not same_weights(scope, scopes[0])
    assert not scopes[0]["run"].verdicts, scopes[0]["run"].text


def test_the_import_of_a_function_before_the_watch_and_a_chain_are_seen():
    pytest.importorskip("torch")
    text = """
import itertools
from torch.nn.utils import clip_grad_norm_ as limit
params = itertools.chain(model[0].parameters(), model[2].parameters())
opt = torch.optim.SGD(params, lr=0.1)
""" + loop("limit((p for p in params if p.grad is not None), 0.1)")
    found = told(program("torch", "deep", text), "not limited")
    fixed = text.replace("(p for p in params if p.grad is not None)", "model.parameters()")
    assert "Give it a list" in found.fixes[0].words and not program("torch", "deep", fixed)["run"].verdicts


@cases(SCHEDULES)
def test_a_schedule_of_an_optimizer_that_takes_no_step(backend, name):
    model, text, *changes = SCHEDULES[name]
    scope = program(backend, model, text)
    found = told(scope, "old schedule")
    assert "no schedule here sets it" in found.sentence and ".step() (program.py:" in found.sentence
    fixed = program(backend, model, text.replace(*changes[:2]))
    meant = program(backend, model, text.replace(*changes[2:4]).replace(*changes[4:]))
    assert same_weights(fixed, meant) and not same_weights(fixed, scope)
    assert not any(one.cause == "old schedule" for one in fixed["run"].verdicts)


@cases(NEW)
def test_an_optimizer_that_is_made_in_each_step(backend, name):
    model, text, line = NEW[name]
    scope = program(backend, model, text)
    found = told(scope, "new optimizer")
    assert "was the first of another " in found.sentence and found.line.line
    head, tail = text.split(line)
    fixed = program(backend, model, line + head.rstrip(" ") + tail)
    assert not fixed["run"].verdicts and not same_weights(fixed, scope)
    kept = next(value for value in fixed.values() if hasattr(value, "param_groups"))
    steps = [kept.state[p].get("step") for p in fixed["model"].parameters()]
    assert all(step is None or float(step) > 2 for step in steps)


@cases(GROWING)
def test_a_graph_that_grows(backend, name):
    model, text, old, new, variable, another = GROWING[name]
    scope = program(backend, model, text)
    found = told(scope, "grows")
    assert f"{variable} is computed from model." in found.sentence
    assert "more with each of 3 steps" in found.sentence
    assert found.line.line == 1 + (START + text)[:(START + text).rindex(old)].count("\n")
    fixed = program(backend, model, text.replace(old, new))
    assert not fixed["run"].verdicts and same_weights(fixed, scope)
    one, other = eval(another, scope), eval(another, fixed)
    assert one.grad_fn is not None and other.grad_fn is None and one.detach().allclose(other, atol=1e-6)


@cases(KEPT)
def test_an_alias_that_is_read_after_a_step(backend, name):
    text = KEPT[name]
    scope = program(backend, "linear", text)
    assert scope["run"].verdicts[0].cause == "no copy", scope["run"].text
    fixed = program(backend, "linear", text.replace(".detach()", ".detach().clone()"))
    assert not fixed["run"].verdicts and scope["moved"].item() == 0 < fixed["moved"].item()



def tensors_in(value):
    values = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return [value] if values is None else [one for inner in values for one in tensors_in(inner)]


PRICED = {
    "a state_dict": ("deep", "best = model.state_dict()"),
    "a list": ("linear", "best = [p.detach() for p in model.parameters()]"),
    "a dict of dicts": ("deep", "best = {'net': model.state_dict(), 'data': {0: [X.clone()]}}"),
    "one tensor": ("linear", "best = model.weight.detach()"),
}


@cases(PRICED)
def test_the_price_of_a_copy_counts_all_that_it_copies(backend, name):
    model, line = PRICED[name]
    text = "import copy\n" + SGD + loop(line, "moved = (best is None)")
    verdict = program(backend, model, text)["run"].verdicts[0]
    fix, = verdict.fixes
    code = fix.words.partition("`")[2].rpartition("`")[0]
    fixed = program(backend, model, text.replace(line, code))
    copied = tensors_in(fixed["best"])
    size = sum(one.nbytes for one in copied)
    assert not fixed["run"].verdicts, fixed["run"].text
    assert fix.price == (f"a second tensor of {size} bytes" if len(copied) == 1 else
                         f"{len(copied)} more tensors, of {size:,} bytes together")


LOOPED = {
    "a step by hand": ("linear", """
those = model.parameters()  # here
with watch(model) as run:
    for step in range(4):
        model.zero_grad()
        loss_of(model).backward()
        with torch.no_grad():
            for p in those: p -= 0.1 * p.grad
"""),
    "a limit by hand": ("deep", """
some = (p for p in model.parameters() if p.dim() < 3)  # here
opt = torch.optim.SGD(some, lr=0.5)
""" + loop("[p.grad.clamp_(-0.01, 0.01) for p in some]")),
}


@cases(LOOPED)
def test_a_loop_over_an_iterator_that_came_to_its_end(backend, name):
    model, text = LOOPED[name]
    scope = program(backend, model, text)
    found = told(scope, "used up")
    made = next(line for line in text.splitlines() if "# here" in line).partition("  #")[0]
    variable, _, expression = made.partition(" = ")
    fixed = text.replace(made, f"{variable} = list({expression})")
    assert f"`{variable} = list(" in found.fixes[0].words
    meant = text
    for old, new in ((" in those:", " in {}:"), (" in some]", " in {}]")):
        meant = meant.replace(old, new.format("model.parameters()"))
    fixed, meant = [program(backend, model, one) for one in (fixed, meant)]
    assert same_weights(fixed, meant) and not fixed["run"].verdicts
    assert not same_weights(fixed, scope)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_group_without_tensors_is_named(backend):
    text = """
body = model[0].parameters()
count = sum(p.numel() for p in body)
opt = torch.optim.SGD([{"params": body}, {"params": model[2].parameters(), "lr": 0.01}], lr=0.1)
""" + loop()
    found, = program(backend, "deep", text)["run"].verdicts
    assert found.cause == "no optimizer" and "Group 0 of opt holds no tensor" in found.sentence
    fixed = text.replace("body = model[0].parameters()", "body = list(model[0].parameters())")
    assert not program(backend, "deep", fixed)["run"].verdicts


ADAM = "opt = torch.optim.Adam(model.parameters(), lr=0.01)\n"
HEALTHY = {
    "an iterator that comes to its end once": """
names = model.parameters()
count = sum(p.numel() for p in names)
""" + SGD + loop(after="for p in model.parameters(): size = p.norm()"),
    "a limit of others": "other = nn.Linear(5, 2)\nthose = other.parameters()\nlist(those)\n" + SGD + loop(
        "nn.utils.clip_grad_norm_(those, 1.0)"),
    "two phases, each with its schedule": "for rate in (0.1, 0.05):\n" + "".join(f"    {line}\n" for line in (
        "opt = torch.optim.SGD(model.parameters(), lr=rate, momentum=0.9)\n"
        "plan = torch.optim.lr_scheduler.ExponentialLR(opt, 0.9)" + loop(after="plan.step()")).splitlines()),
    "a second phase with a constant rate": """
warm = torch.optim.SGD(model.parameters(), lr=0.1)
plan = torch.optim.lr_scheduler.ExponentialLR(warm, 0.9)
opt = torch.optim.Adam(model.parameters(), lr=0.01)
with watch(model) as run:
    for step in range(9):
        now = warm if step < 4 else opt
        now.zero_grad()
        loss_of(model).backward()
        now.step()
        if step < 4: plan.step()
""",
    "two models, one with a schedule": """
other = nn.Linear(5, 2)
first = torch.optim.SGD(other.parameters(), lr=0.1)
plan = torch.optim.lr_scheduler.ExponentialLR(first, 0.9)
""" + ADAM + loop(after="plan.step()"),
    "plain SGD made in each step": loop(first=SGD),
    "an Adam for each phase": "with watch(model) as run:\n    for phase in range(3):\n        " + ADAM + """
        for step in range(2):
            opt.zero_grad()
            loss_of(model).backward()
            opt.step()
""",
    "an Adam that takes over what the last one kept": "kept = None\n" + loop(
        first=f"{ADAM}        if kept: opt.load_state_dict(kept)", after="kept = opt.state_dict()"),
    "a step from the same weights for each task": """
start = {k: v.clone() for k, v in model.state_dict().items()}
""" + loop(first=ADAM, after="model.load_state_dict(start)"),
    "a sum of batches": SGD + """
with watch(model) as run:
    for step in range(3):
        opt.zero_grad()
        total = 0
        for rows in X.split(4):
            total = total + model(rows).pow(2).mean()
        total.backward()
        opt.step()
""",
    "values of now, made in each step": SGD + loop(
        "now = {k: v.detach() for k, v in model.named_parameters()}; size = [v.sum() for v in now.values()]"),
    "values of now, read in a function": "def size(): return sum(v.norm() for v in now)\n" + SGD + loop(
        "now = [p.detach() for p in model.parameters()]; before = float(size())"),
}


@cases(HEALTHY)
def test_a_healthy_program_that_looks_alike(backend, name):
    scope = program(backend, "deep", HEALTHY[name])
    assert not scope["run"].verdicts, scope["run"].text


TASKS = """
meta = torch.optim.Adam(model.parameters(), lr=0.01)
with watch(model) as run:
    for step in range(3):
        meta.zero_grad()
        fast = START
        for _ in range(2):
            inner = loss_with(fast, X[:6], Y[:6])
            grads = torch.autograd.grad(inner, fast)  # here
            fast = [UPDATE for w, g in zip(fast, grads)]
        loss_with(fast, X[6:], Y[6:]).backward()
        meta.step()
"""
CALLED = """
names = [name for name, _ in model.named_parameters()]
def loss_with(weights, x, y):
    return (torch.func.functional_call(model, dict(zip(names, weights)), (x,)) - y).pow(2).mean()
"""
FIRST_ORDER = {
    "parameters": ("deep", CALLED, "list(model.parameters())", "w - 0.1 * g"),
    "a rate that is learned": ("deep", "rate = torch.tensor(0.1, requires_grad=True)\n" + CALLED,
                               "list(model.parameters())", "w - rate * g"),
    "by hand": ("linear", "def loss_with(weights, x, y): return (F.linear(x, *weights) - y).abs().mean()\n",
                "[model.weight, model.bias]", "w + (-0.3) * g.clamp(-1, 1)"),
}


@pytest.mark.parametrize("name", FIRST_ORDER)
def test_passes_of_first_order_are_a_fact(name):
    pytest.importorskip("torch")
    model, loss, start, update = FIRST_ORDER[name]
    text = loss + TASKS.replace("START", start).replace("UPDATE", update)
    page = program("torch", model, text)["run"]
    assert page.text.count("3 backward passes (program.py:") == 1, page.text
    assert "no second-order term" in page.text
    line = 1 + (START + text)[:(START + text).index("grads = ")].count("\n")
    assert f"from grad() (program.py:{line}, `" in page.text
    assert not page.verdicts and "Nothing else was found" in page.text
    second = program("torch", model, text.replace("inner, fast)", "inner, fast, create_graph=True)"))["run"]
    assert "second-order" not in second.text and "Nothing wrong was found" in second.text


@pytest.mark.parametrize("before", [
    "x = X.clone().requires_grad_(); g, = torch.autograd.grad(loss_of(model, x), x); "
    "loss_of(model, x + 0.1 * g.sign()).backward()",
    "g, = torch.autograd.grad(loss_of(model), model.weight); model.weight.data.sub_(0.1 * g)",
    "g, = torch.autograd.grad(loss_of(model), model.weight); (loss_of(model) / g.norm()).backward()"])
def test_other_uses_of_a_gradient_are_not_of_first_order(before):
    pytest.importorskip("torch")
    page = program("torch", "linear", SGD + loop(before))["run"]
    assert "second-order" not in page.text
