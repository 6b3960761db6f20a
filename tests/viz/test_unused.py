"""Steps that change nothing and gradients that no step takes: found in a run, and not in its healthy twin."""
from __future__ import annotations

import re

import pytest

from tests.viz.test_why import BACKENDS, run

HOOK = """
kept = []
def keep(module, given, output):
    kept.append(output.detach())
    return kept[-1]
model[0].register_forward_hook(keep)
"""
START = """
torch.manual_seed(0)
nn = torch.nn
X, Y = torch.randn(8, 3), torch.randn(8, 1)
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
every = 4
def loss_of(model, at=slice(None)):
    return (model(X[at]) - Y[at]).pow(2).mean()
"""
LOOP = """
with watch(model, opt) as run:
    for step in range(8):
        opt.zero_grad()
        loss_of(model).backward()
        opt.step()
"""
AT_END = """
with watch(model, opt) as run:
    for step in range(8):
        loss_of(model).backward()
        opt.step()
        opt.zero_grad()
"""
CLIP = "        nn.utils.clip_grad_norm_(model.parameters(), 0.1)\n"
CLASSES = """
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 3))
classes, Y = torch.arange(8) % 3, Y.expand(8, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
"""
LOSS = LOOP.replace("loss_of(model).backward()", "loss = nn.functional.{}\n        loss.backward()")
WAIT = LOOP.replace("        opt.step()\n", "        if step % every == 3: opt.step()\n")
SUMS = """
with watch(model, opt) as run:
    for step in range(3):
        sums = [0 for _ in model.parameters()]
        for row in range(4):
            opt.zero_grad(set_to_none=False)
            loss_of(model, slice(row, row + 1)).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            sums = [a + p.grad / 4 for a, p in zip(sums, model.parameters())]
        for a, p in zip(sums, model.parameters()): {put}
        nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        opt.step()
"""
PENALTY = """
def penalty():
    x = X.clone().requires_grad_()
    slope, = torch.autograd.grad(model(x).sum(), x)
    return ((slope.norm(dim=1) - 1) ** 2).mean()
"""
TEACHER = """
teacher = nn.Linear(3, 1)
def aims():
    with torch.no_grad():
        return teacher(X)
"""
TARGETS = TEACHER.replace("Linear(3, 1)", "Linear(3, 4)")
ADDED = LOOP.replace("loss_of(model).backward()", """{}
        loss = loss_of(model) + 10 * extra
        loss.backward()""")
BATCHES = """
with watch(model, opt) as run:
    for epoch in range(4):
        for at in range(10):
            opt.zero_grad()
            loss_of(model).backward()
            opt.step()
            schedule.step()
"""
EACH_EPOCH = {"            schedule.step()": "        schedule.step()"}
# name: (what comes before the loop, the loop, what is replaced to make it healthy, cause, words)
RUNS = {
    "the rate fell to 0": (
        "schedule = torch.optim.lr_scheduler.LambdaLR(opt, lambda step: 1.0 if step < 4 else 0.0)",
        LOOP.replace("opt.step()", "opt.step(); schedule.step()"), {"else 0.0": "else 0.1"},
        "no rate", "The last 4 of 8 steps (program.py:15, `"),
    "the last step alone has the rate 0": (
        "schedule = torch.optim.lr_scheduler.LambdaLR(opt, lambda step: 1 - step / 7)",
        LOOP.replace("opt.step()", "opt.step(); schedule.step()"), {}, "", ""),
    "a schedule that steps in the inner loop": (
        "schedule = torch.optim.lr_scheduler.StepLR(opt, step_size=1, gamma=0.1)", BATCHES,
        EACH_EPOCH, "no rate",
        "with the learning rate 1e-08 or less, and each changed model.0.weight by less than a "
        "ten-millionth of its size; an earlier step had 0.1. The step() of schedule (program.py:17, "
        "`schedule.step()`) was called 40 times; schedule is made (program.py:10, `"),
    "rates that fell a little with each batch": (
        "schedule = torch.optim.lr_scheduler.ExponentialLR(opt, 0.8)", BATCHES, EACH_EPOCH, "no rate",
        "In 19 of 40 steps (program.py:16, `opt.step()`) the learning rate of model.0.weight was at most a "
        "hundredth of the highest, 0.1; the last one was 1.662e-05. The step() of schedule (program.py:17, "
        "`schedule.step()`) was called 40 times"),
    "rates of exactly a hundredth of the highest": (
        "schedule = torch.optim.lr_scheduler.StepLR(opt, step_size=20, gamma=0.01)", BATCHES, EACH_EPOCH,
        "no rate",
        "In 20 of 40 steps (program.py:16, `opt.step()`) the learning rate of model.0.weight was at most a "
        "hundredth of the highest, 0.1; the last one was 0.001. The step() of"),
    "a schedule that is meant to count batches": (
        "schedule = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=40)", BATCHES, {}, "", ""),
    "a schedule of single steps that falls far": (
        "schedule = torch.optim.lr_scheduler.ExponentialLR(opt, 0.4)",
        LOOP.replace("opt.step()", "opt.step(); schedule.step()"), {}, "", ""),
    "a schedule that brings the rate to 1e-5 of the first": (
        "schedule = torch.optim.lr_scheduler.LambdaLR(opt, lambda step: 1e-5 if step > 2 else 1.0)",
        LOOP.replace("opt.step()", "opt.step(); schedule.step()"), {}, "", ""),
    "a few tiny rates at the end of a schedule": (
        "schedule = torch.optim.lr_scheduler.LambdaLR(opt, lambda step: 1e-12 if step > 4 else 1.0)",
        LOOP.replace("opt.step()", "opt.step(); schedule.step()"), {}, "", ""),
    "no step was reached": (
        "scheduled = True", LOOP.replace("opt.step()", "scheduled or opt.step()"), {"= True": "= False"},
        "no step", "opt took no step while the program was watched: its step() (program.py:15, `"),
    "gradients that are looked at": (
        "looked = True", LOOP.replace("opt.zero", "model.zero").replace("opt.step()", "looked or opt.step()"),
        {}, "", ""),
    "the gradient is limited after the step": (
        "", LOOP + CLIP, {"        opt.step()\n" + CLIP: CLIP + "        opt.step()\n"},
        "written late", "was written (program.py:16, `"),
    "the gradient is limited before the pass": (
        "", LOOP.replace("        opt.zero_grad()\n", "        opt.zero_grad()\n" + CLIP),
        {"        opt.zero_grad()\n" + CLIP: "        opt.zero_grad()\n",
         "        opt.step()\n": CLIP + "        opt.step()\n"},
        "not limited", "model.0.weight.grad was limited (program.py:14, `"),
    "the gradient is limited in a branch": (
        "limited = [False]",
        LOOP.replace("        loss_of", f"        if limited[0]:\n    {CLIP}        loss_of"), {}, "", ""),
    "the gradient is limited in another loop": (
        "", LOOP.replace("with watch(model, opt) as run", "if True") + CLIP + LOOP, {}, "", ""),
    "scores in place of log-probabilities": (
        CLASSES, LOSS.format("nll_loss(model(X), classes)"),
        {"nll_loss(": "cross_entropy("}, "no logarithms",
        "`loss = nn.functional.nll_loss(model(X), classes)`) takes numbers above 0 from Addmm"),
    "log-probabilities": (
        CLASSES, LOSS.format("nll_loss(torch.log(torch.softmax(model(X), 1) + 1e-6), classes)"), {}, "", ""),
    "targets above 1": (
        CLASSES, LOSS.format("binary_cross_entropy_with_logits(model(X), 2 * (Y > 0).float())"),
        {"2 * (Y > 0)": "(Y > 0)"}, "no probabilities",
        "has targets below 0 or above 1, for which no score is the best."),
    "zeros written after the step": (
        "", LOOP + "        for one in model.parameters(): one.grad.zero_()\n", {}, "", ""),
    "the rate fell to 0, and gradients are emptied at the end": (
        "schedule = torch.optim.lr_scheduler.LambdaLR(opt, lambda step: 1.0 if step < 4 else 0.0)",
        AT_END.replace("opt.step()", "opt.step(); schedule.step()"), {"else 0.0": "else 0.1"},
        "no rate", "The last 4 of 8 steps (program.py:14, `"),
    "a model in evaluation, and gradients are emptied at the end": (
        "model.append(nn.BatchNorm1d(1, affine=False)); model.eval()", AT_END, {"l.eval()": "l.train()"},
        "evaluation mode", "was in evaluation mode when the pass ran"),
    "three of four passes are thrown away": (
        "", WAIT, {"opt.zero_grad()": "step % every or opt.zero_grad()"}, "thrown away",
        "No step took what 6 of 8 passes (program.py:14, `"),
    **{f"a sum that the program writes there and limits: {put}": ("", SUMS.format(put=put), {}, "", "")
       for put in ("p.grad.copy_(a)", "p.grad.zero_().add_(a)", "p.grad += a - p.grad",
                   "p.grad.data.copy_(a)", "p.grad = a.clone()", "p.grad[:] = a")},
    "a sum of gradients that the program puts there": (
        "", """
with watch(model, opt) as run:
    for step in range(3):
        sums = [0 for _ in model.parameters()]
        for row in range(4):
            opt.zero_grad()
            loss_of(model, slice(row, row + 1)).backward()
            sums = [a + p.grad / 4 for a, p in zip(sums, model.parameters())]
        for a, p in zip(sums, model.parameters()): p.grad = a
        opt.step()
""", {}, "", ""),
    "two networks and one function that steps": (
        """
D = nn.Linear(1, 1)
optD = torch.optim.SGD(D.parameters(), lr=0.1)
def update(loss, opt):
    opt.zero_grad()
    loss.backward()
    opt.step()
""", """
with watch([model, D], [opt, optD]) as run:
    for step in range(4):
        update(D(model(X)).mean() - D(Y).mean(), optD)
        update(-D(model(X)).mean(), opt)
""", {}, "", ""),
    "a frozen layer that momentum moves": (
        "", LOOP.replace("opt.zero_grad()", """opt.zero_grad(set_to_none=False)
        if step == 3: model[0].requires_grad_(False)"""),
        {"set_to_none=False": "", "momentum=0.9": "momentum=0.0"}, "stale",
        "the last step (program.py:16, `"),
    "a huge gradient in the first step": (
        "factor = [1e8]", LOOP.replace("loss_of(model)", "(loss_of(model) * (1e8 if step == 0 else 1e-8))"),
        {"1e8 if": "1 if"}, "huge", "took it"),
    "a column of the data is NaN": (
        "X[:, 1] = 0.0; X = X / X.std(0)", LOOP, {"X.std(0)": "X.std(0).clamp(min=1e-6)"}, "nan",
        "since step 1 of 8 (program.py:15, `opt.step()`). Before that step, a tensor of shape (8, 3) that "
        "model was given, which is X, has NaN in column 1, in 8 of 8 rows; what made it so was not seen. "
        "X is assigned (program.py:10, `"),
    "a target is NaN from the third step on": (
        "targets = torch.ones(8)", LOOP.replace("        loss_of(model)", """
        targets[3] = float("nan") if step > 1 else 1.0
        nn.functional.mse_loss(model(X)[:, 0], targets)"""),
        {'float("nan") if step > 1 else': ""}, "nan",
        "since step 3 of 8 (program.py:17, `opt.step()`). Before that step, a tensor of shape (8,), which is "
        "targets, has NaN in 1 of 8 numbers; it was last written (program.py:15, `targets[3] = "),
    "a forward hook returns what it keeps": (
        HOOK, LOOP, {"    return kept[-1]\n": ""}, "cut",
        "model.0.weight.grad is None, and no pass reached model.0.weight: a forward hook of model.0 "
        "(program.py:12, `def keep(module, given, output):`) returned a value without a history, "),
    "a forward hook returns another value with its history": (
        HOOK.replace("return kept[-1]", "return output * 2"), LOOP, {}, "", ""),
    "a penalty on a gradient without a history": (
        PENALTY, ADDED.format("extra = penalty()"), {", x)": ", x, create_graph=True)"}, "constant summand",
        "extra is added into the loss (program.py:20, `loss = loss_of(model) + 10 * extra`), and changes no "
        "gradient: extra does not require a gradient: it was computed from a gradient (program.py:13, `"),
    "a summand that compares what learns nothing": (
        TEACHER, ADDED.format("extra = (aims() - aims()).pow(2).mean()"), {"(aims() - ": "(model(X) - "},
        "constant summand", "and changes no gradient: it is exactly 0 and requires no gradient. extra ("),
    "the divergence of a teacher from itself": (
        TARGETS, ADDED.format("""given = aims()
        aim = torch.softmax(given, 1)
        extra = (aim * (aim.log() - torch.log_softmax(given, 1))).sum(1).mean()"""),
        {"log_softmax(given": "log_softmax(model(X) * given"},
        "constant summand", " and requires no gradient. extra ("),
    "a teacher compared with itself in two ways": (
        TARGETS, ADDED.format("""given = aims()
        extra = (torch.softmax(given, 1).log() - torch.log_softmax(given, 1)).abs().mean()"""),
        {"log_softmax(given": "log_softmax(model(X) * given"},
        "constant summand", " and requires no gradient. extra ("),
    "a small loss of a model that another line trains": (
        TEACHER, ADDED.format("extra = aims().pow(2).mean() * 1e-4"), {}, "", ""),
    "a small number on purpose": ("", ADDED.format("extra = torch.full((), 1e-8)"), {}, "", ""),
    "a small summand that learns": (
        TEACHER, ADDED.format("extra = (model(X) - aims()).pow(2).mean() * 1e-9"), {}, "", ""),
    "a summand that is 0 on purpose": ("", ADDED.format("extra = torch.zeros(())"), {}, "", ""),
    "a constant summand of a model that another line trains": (
        TEACHER, ADDED.format("extra = aims().pow(2).mean()"), {}, "", ""),
    "layers in lists of lists": (
        """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = []
        self.parts.append([nn.Linear(3, 3), nn.Tanh()])
        self.last = nn.Linear(3, 1)
    def forward(self, x):
        for layer, bend in self.parts:
            x = bend(layer(x))
        return self.last(x)
model = Net()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
""", LOOP, {"self.parts = []": "self.parts = nn.ModuleList()", "append([": "append(nn.ModuleList([",
            "Tanh()])": "Tanh()]))"}, "not registered", "model.parts[0][0].weight"),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", RUNS)
def test_a_run_says_it_and_its_healthy_twin_does_not(name, backend):
    before, loop, changes, cause, words = RUNS[name]
    if cause:
        found = run(backend, START + before + loop)["run"]
        assert cause in [one.cause for one in found.verdicts], found.text
        assert words in found.text and "Nothing wrong" not in found.text
        assert all(fix.price for one in found.verdicts for fix in one.fixes)
    text = START + before + loop
    for old, new in changes.items():
        text = text.replace(old, new)
    twin = run(backend, text)["run"]
    assert [one.cause for one in twin.verdicts] == [], twin.text


LIMITED = {  # (before, loop)
    "by the norm": ("", WAIT.replace(
        "opt.step()", "nn.utils.clip_grad_norm_(model.parameters(), LIMIT); opt.step()")),
    "each number, in a function": ("""
def update(step):
    loss_of(model).backward()
    if step % every == 3:
        for one in model.parameters():
            one.grad.clamp_(-LIMIT, LIMIT)
        opt.step()
    opt.zero_grad(set_to_none=False)
""", "\nwith watch(model, opt) as run:\n    for step in range(8): update(step)\n"),
    "after a GradScaler has divided": (
        "scaler = torch.amp.GradScaler('cpu', init_scale=8.0)",
        WAIT.replace("loss_of(model)", "scaler.scale(loss_of(model))").replace(
            "opt.step()", "scaler.step(opt); scaler.update()")),
}


@pytest.mark.parametrize("limit", ["0.01", "100.0"])
@pytest.mark.parametrize("name", LIMITED)
def test_most_passes_are_thrown_away_and_the_others_are_limited(name, limit):
    pytest.importorskip("torch")
    text = (START + "\n".join(LIMITED[name])).replace("LIMIT", limit)
    verdict, = run("torch", text)["run"].verdicts
    assert verdict.cause == "thrown away" and verdict.others == 3
    assert verdict.sentence.startswith("No step took what 6 of 8 passes (program.py:"), verdict.sentence
    at, line = next((at, line) for at, line in enumerate(text.splitlines(), 1) if ".zero_grad(" in line)
    assert f"it was emptied (program.py:{at}, `{line.strip()}`) after each of them." in verdict.sentence
    first = 3 if "def update" in text else 0  # of four rounds, the one in which a step was just taken
    twin = run("torch", text.replace("opt.zero_grad(", f"step % every == {first} and opt.zero_grad("))["run"]
    assert twin.verdicts == [], twin.text


@pytest.mark.parametrize("backend", BACKENDS)
def test_nan_that_a_model_holds_itself_is_not_in_the_data(backend):
    found = run(backend, START + """
class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)
        self.register_buffer("scale", torch.tensor([float("nan")]))
    def forward(self, x):
        return self.layer(x) * self.scale
model = Scaled()
opt = torch.optim.SGD(model.parameters(), lr=0.1)
""" + LOOP)["run"]
    assert {one.cause for one in found.verdicts} == {"nan"} and "the data" not in found.text, found.text


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_module_has_its_own_hooks_after_each_call_that_is_watched(backend):
    found = run(backend, START + HOOK + """
inside = []
def fail(module, given, output):
    inside.append(list(module._forward_hooks.values()))
    if len(inside) > 1: raise ValueError("no")
handle = model[0].register_forward_hook(fail)
with watch(model, opt):
    model(X)
    between = list(model[0]._forward_hooks.values())
    try: model(X)
    except ValueError: failed = True
""")
    own = [found["keep"], found["fail"]]
    assert found["failed"] and found["between"] == own
    assert list(found["model"][0]._forward_hooks.values()) == own


VAE = """
torch.manual_seed(0)
nn = torch.nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean, self.dec = nn.Linear(3, 2), nn.Linear(2, 3)
    def forward(self, x):
        q = torch.distributions.Normal(self.mean(x), 1.0)
        z = q.sample()
        return self.dec(z), q
model, X = Net(), torch.randn(8, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
with watch(model, opt) as run:
    for step in range(3):
        out, q = model(X)
        loss = (out - X).pow(2).mean() + q.mean.pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
"""


def test_a_sample_that_a_module_takes_without_its_history():
    pytest.importorskip("torch")
    found = run("torch", VAE)["run"]
    assert {one.cause for one in found.verdicts} == {"sample"}, found.text
    assert ("The loss also depends on model.mean.weight through what model.dec was given (program.py:10, "
            "`z = q.sample()`), and no gradient came that way") in found.text
    assert {one.name for one in found.verdicts} == {"model.mean.weight"}
    scored = ("q.mean.pow(2).mean()", "q.log_prob(torch.ones(8, 2)).mean()")  # as a policy is trained
    for old, new in [("q.sample()", "q.rsample()"), scored,
                     ("self.dec(z)", "self.dec(x[:, :2]) + 0 * z[:, :1]")]:
        twin = run("torch", VAE.replace(old, new))["run"]
        assert old in VAE
        assert twin.verdicts == [], twin.text


def test_steps_that_half_precision_rounds_away():
    pytest.importorskip("torch")
    text = START.replace("lr=0.1", "lr=1e-6").replace("momentum=0.9", "momentum=0.0") + LOOP
    half = text.replace("Linear(4, 1))", "Linear(4, 1)).half()").replace(
        "model(X[at]) - Y[at]", "model(X[at].half()) - Y[at].half()")
    found = run("torch", half)["run"]
    assert {one.cause for one in found.verdicts} == {"no change"}
    assert "None of the last 8 steps (program.py:15, `" in found.text and "is of float16" in found.text
    assert run("torch", text)["run"].verdicts == []


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("wrong, right", [
    ("for one in model[0].parameters(): one.require_grad = False",
     "for one in model[0].parameters(): one.requires_grad = False"),
    ("model[0].requires_grad = False", "model[0].requires_grad_(False)")])
def test_an_attribute_that_nothing_reads_freezes_nothing(backend, wrong, right):
    found = run(backend, START + wrong + LOOP)["run"]
    assert {one.cause for one in found.verdicts} == {"misnamed"}, found.text
    assert "(program.py:10, `" in found.text and "model.0.weight.requires_grad is True" in found.text
    assert run(backend, START + right + LOOP)["run"].verdicts == []
    read = wrong.replace(" = False", "").replace("for one in model[0].parameters(): one", "model[0].weight")
    assert run(backend, START + wrong + "\n" + read + LOOP)["run"].verdicts == []


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("seen", ["", "# in another file"])
def test_an_attribute_of_a_module_that_nothing_reads_trains_nothing(backend, seen):
    wrong = "model[0].requires_grad_(False); " + (
        'setattr(model[0], "requires_" + "grad", True)' if seen else "model[0].requires_grad = True")
    found = run(backend, START + wrong + LOOP)["run"]
    assert {one.cause for one in found.verdicts} == {"misnamed"}, found.text
    assert "model.0.requires_grad is True" in found.text and "0.weight.requires_grad is False" in found.text
    assert ("(program.py:10, `" in found.text) == (not seen)
    held = START.replace("model.parameters()", "model[2].parameters()")
    assert not seen or run(backend, held + wrong + LOOP)["run"].verdicts == []  # it may be meant
    right = wrong.replace("True)", "False)").replace("= True", "= False")
    assert run(backend, START + right + LOOP)["run"].verdicts == []


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_rates_are_those_of_the_steps_that_are_told(backend):
    text = START + "model[2].weight.data *= 1e-4\n" + (
        "schedule = torch.optim.lr_scheduler.StepLR(opt, step_size=1, gamma=0.5)")
    text += BATCHES.replace("range(4)", "range(12)").replace(
        "            opt.step()", "            rates.append(opt.param_groups[0]['lr']); opt.step()")
    scope = run(backend, "rates = []\n" + text)
    said = re.search(r"The last (\d+) of 120 .* learning rate (\S+) or less", scope["run"].text)
    assert said[2] == f"{scope['rates'][-int(said[1])]:.4g}", scope["run"].text


MANY = """
schedule = torch.optim.lr_scheduler.StepLR(opt, step_size=4, gamma=0.5)
moved = {}
with watch(model, opt) as run:
    for step in range(500):
        opt.zero_grad()
        loss_of(model).backward()
        before = [p.detach().clone() for p in model.parameters()]
        opt.step()
        for at, (p, old) in enumerate(zip(model.parameters(), before)):
            moved[at] = step + 1 if (p - old).norm().item() else moved.get(at, 0)
        schedule.step()
told = why(model)
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_steps_are_counted_that_are_too_many_to_be_remembered(backend):
    scope = run(backend, START + MANY)
    verdict, = scope["run"].verdicts
    found = re.match(r"The last (\d+) of 500 steps \(.*\) took model.0.weight .* (\S+) or less, and "
                     r"(changed nothing|each changed model.0.weight by less)", verdict.sentence)
    rates = [0.1 * 0.5 ** (step // 4) for step in range(500)]
    assert verdict.others == 3 and float(found[2]) >= 0.999 * rates[500 - int(found[1])]
    assert 500 - int(found[1]) >= max(scope["moved"].values()) or found[3] != "changed nothing"
    for at, row in enumerate(scope["told"].rows):
        still = 500 - scope["moved"][at]
        assert 0 < still < 500 and row.words()[5] == f"not in the last {still} steps"
        assert f"0, not in the last {still} steps" in scope["run"].text


SAME, SHORTER = "with the measured norms nothing changes", "the steps become shorter"
LATE = {  # a line after the step, and what it would do in its right place
    "nn.utils.clip_grad_norm_(model.parameters(), 0.01)": SHORTER,
    "nn.utils.clip_grad_norm_(model.parameters(), 100.0)": SAME,
    "nn.utils.clip_grad_norm_(list(model.parameters()), max_norm=50)": SAME,
    "for one in model.parameters(): one.grad.clamp_(-0.001, 0.001)": SHORTER,
    "for one in model.parameters(): one.grad.clamp_(-9, 9)": SAME,
    "for one in model.parameters(): one.grad.mul_(3)": "the steps become others",
}
EARLY = {  # a limit before each pass
    "nn.utils.clip_grad_norm_(model.parameters(), 0.01)": SHORTER,
    "nn.utils.clip_grad_norm_(model.parameters(), max_norm=100.0)": f"{SAME}: the largest was ",
    "nn.utils.clip_grad_norm_(model.parameters(), 0.1, 1.0)": "steps whose gradients are above the limit",
}


def price_of(backend, edit):
    text = START + LOOP.replace("loss_of(model).backward()\n", "loss_of(model).backward()\n        pass\n")
    found = run(backend, edit(text))["run"]
    (verdict,) = [one for one in found.verdicts if one.cause in ("written late", "not limited")]
    return verdict.fixes[0].price, text


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("line", LATE)
def test_the_price_of_a_late_write_is_what_was_measured_of_it(line, backend):
    price, text = price_of(backend, lambda text: text.replace(
        "opt.step()\n", f"opt.step()\n        {line}\n"))
    assert LATE[line] in price, price
    moved = run(backend, text.replace("        pass\n", f"        {line}\n"))["model"]
    plain = run(backend, text)["model"]
    same = all(one.allclose(other, rtol=1e-5, atol=0) for one, other in zip(
        moved.parameters(), plain.parameters()))
    assert same == (SAME in price)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("line", EARLY)
def test_the_price_of_a_limit_before_the_pass_is_that_of_the_measured_norms(line, backend):
    price, _ = price_of(backend, lambda text: text.replace(
        "        loss_of(model)", f"        {line}\n        loss_of(model)"))
    assert EARLY[line] in price, price
