"""No sentence states what wasn't measured, and each fix that is offered gives the intended gradient.

A program runs as it is and with its fix applied, plain and under watch(). Programs run on minigrad and on
PyTorch where both have the operations.
"""
from __future__ import annotations

import importlib
import linecache
import math
import re
import threading
import warnings
from itertools import count
from textwrap import indent

import pytest

from minigrad.viz import watch, why

numbers = count()
BOTH = ("minigrad", "torch")
OVERFLOW = "x = torch.tensor([100., 200.], requires_grad=True)\n"


@pytest.fixture(params=["plain", "watched"])
def watched(request):
    return request.param == "watched"


def run(backend, text, watched=False, readable=True):
    """The variables of a program."""
    torch = pytest.importorskip(backend)
    if watched:
        text = f"with watch():\n{indent(text, '    ')}\n"
    name = f"evidence_{next(numbers)}.py" if readable else "<string>"
    if readable:
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    scope = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "watch": watch, "why": why,
             "np": importlib.import_module("numpy"), "__name__": "program"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(text, name, "exec"), scope)
        exec(compile("told = why(asked)", "<asked>", "exec"), scope) if "asked" in scope else None
    return scope


def asked(backend, text, tensor, watched=False, readable=True):
    return run(backend, f"{text}\ntold = why({tensor})\n", watched, readable)


def close(gradient, meant):
    return all(math.isclose(one, other, rel_tol=1e-3, abs_tol=1e-5)
               for one, other in zip(gradient.flatten().tolist(), meant, strict=True))


# name: (backends, program, tensor, what is said, what the fix says, its edits, the intended gradient)
FIXED = {
    "softmax by hand": (BOTH, OVERFLOW + """e = torch.exp(x)
p = e / e.sum()
loss = (p * torch.tensor([1., 3.])).sum()
loss.backward()""", "x", "ExpBackward0", "torch.softmax(x, 0)",
                        {"e / e.sum()": "torch.softmax(x, 0)"}, [0, 0]),
    "logsumexp by hand": (BOTH, OVERFLOW + """loss = torch.exp(x).sum().log()
loss.backward()""", "x", "ExpBackward0", "torch.logsumexp(x, 0)",
                          {"torch.exp(x).sum().log()": "torch.logsumexp(x, 0)"}, [0, 1]),
    "exp": (BOTH, "x = torch.tensor([1., 200.], requires_grad=True)\n" + """e = torch.exp(x)
loss = (e / (1 + e)).sum()
loss.backward()""", "x", "ExpBackward0", "torch.exp(x.clamp(max=70))",
            {"torch.exp(x)": "torch.exp(x.clamp(max=70))"},
            [0.196612, 0]),
    "half": (("torch",), """x = torch.ones(2, 3, requires_grad=True)
big = x.half() * 60000
over = big * 2
loss = (over.float() - over.float().mean()).pow(2).sum()
loss.backward()""", "x", "MulBackward0 (which made over)", ".float()",
                      {"big * 2": "big.float() * 2"}, [0] * 6),
    "std of one number": (BOTH, """x = torch.tensor([[1., 2.]], requires_grad=True)
s = x.std(0)
loss = ((x - x.mean(0)) / (s + 1e-6)).pow(2).sum() + x.sum()
loss.backward()""", "x", "StdBackward0 (which made s)", "torch.sqrt(torch.var(x, 0, correction=0) + 1e-12)",
                          {"x.std(0)": "torch.sqrt(torch.var(x, 0, correction=0) + 1e-12)"}, [1, 1]),
    "var of one number": (BOTH, """x = torch.tensor([[1., 2.]], requires_grad=True)
s = x.var(0)
loss = ((x - x.mean(0)) / (s + 1e-6)).pow(2).sum() + x.sum()
loss.backward()""", "x", "VarBackward0 (which made s)", "torch.var(x, 0, correction=0)",
                          {"x.var(0)": "torch.var(x, 0, correction=0)"}, [1, 1]),
    "layer_norm": (BOTH, """x = torch.ones(3, requires_grad=True)
n = F.layer_norm(x, (3,), eps=0.0)
loss = (n * torch.tensor([1., 2., 3.])).sum() + x.sum()
loss.backward()""", "x", "NativeLayerNormBackward0 (which made n)", "eps=1e-5", {"eps=0.0": "eps=1e-5"},
                   [-315.2278, 1, 317.2278]),
    "acos": (("torch",), """x = torch.tensor([1., 0.5], requires_grad=True)
y = torch.acos(x)
loss = y.sum()
loss.backward()""", "x", "AcosBackward0 (which made y)", "torch.acos(x.clamp(-1 + 1e-6, 1 - 1e-6))",
             {"torch.acos(x)": "torch.acos(x.clamp(-1 + 1e-6, 1 - 1e-6))"}, [0, -1.154701]),
    "numpy": (BOTH, """x = torch.tensor([1., 2.], requires_grad=True)
y = torch.from_numpy(np.exp(x.detach().numpy()))
w = torch.ones(2, requires_grad=True)
loss = (y * w).sum()
loss.backward()""", "x", "through detach()", "torch.exp() for np.exp()",
              {"torch.from_numpy(np.exp(x.detach().numpy()))": "torch.exp(x)"}, [2.718282, 7.389056]),
    "numpy, bound anew": (BOTH, """def ordered(t):
    return torch.from_numpy(np.exp(t.detach().numpy()))
x = torch.tensor([1., 2.], requires_grad=True)
first = x
x = ordered(x)
w = torch.ones(2, requires_grad=True)
loss = (x * w).sum()
loss.backward()""", "first", "first went into loss through detach()",
                          "torch.exp() for np.exp()",
                          {"torch.from_numpy(np.exp(t.detach().numpy()))": "torch.exp(t)"},
                          [2.718282, 7.389056]),
    "data, bound anew": (BOTH, """x = torch.ones(2, requires_grad=True)
first = x
x = x.data * 2
w = torch.ones(2, requires_grad=True)
loss = (x * w).sum()
loss.backward()""", "first", "first went into loss through .data", "without .data", {"x.data": "x"}, [2, 2]),
    "a reentrant checkpoint": (("torch",), """from torch.utils.checkpoint import checkpoint
torch.manual_seed(0)
block, head = nn.Linear(1, 1, bias=False), nn.Linear(1, 1)
h = checkpoint(block, torch.ones(3, 1), use_reentrant=True)
loss = head(h).sum() / head.weight.item()
loss.backward()""", "block.weight", "inside of a reentrant checkpoint()", "use_reentrant=False",
                               {"use_reentrant=True": "use_reentrant=False"}, [3]),
    "a reverse direction": (("torch",), """torch.manual_seed(0)
layer = nn.GRU(1, 1, batch_first=True, bidirectional=True)
out, h = layer(torch.ones(2, 3, 1))
loss = out[:, -1].sum()
loss.backward()""", "layer.weight_hh_l0_reverse", "takes the last time step alone",
                            "torch.cat([h[-2], h[-1]], 1)",
                            {"out[:, -1]": "torch.cat([h[-2], h[-1]], 1)"}, None),
    "a hook of each forward": (BOTH, """w = torch.tensor([1., 2.], requires_grad=True)
def forward(t):
    w.register_hook(lambda g: 0.5 * g)
    return (w * t).sum()
for _ in range(3):
    w.grad = None
    loss = forward(torch.ones(2))
    loss.backward()""", "w", "The same hook was registered 3 times on w (",
                               "Register it once, where w is made",
                               {"    w.register_hook(lambda g: 0.5 * g)\n": "",
                                "def forward": "w.register_hook(lambda g: 0.5 * g)\ndef forward"},
                               [0.5, 0.5]),
    "a summand of numbers": (BOTH, """w = torch.tensor([1., 2.], requires_grad=True)
sizes = torch.tensor([(w * w).sum(), w.sum()], requires_grad=True)
loss = w.sum() + sizes.sum()
loss.backward()""", "w", "through the numbers of sizes, a new leaf that torch.tensor() made (",
                             "torch.stack([...]) for several",
                             {"torch.tensor([(w * w).sum(), w.sum()], requires_grad=True)":
                              "torch.stack([(w * w).sum(), w.sum()])"}, [4, 6]),
    "a summand that is a Parameter": (BOTH, """w = torch.tensor([1., 2.], requires_grad=True)
size = nn.Parameter((w * w).sum())
loss = w.sum() + size
loss.backward()""", "w", "through the numbers of size, a new leaf that nn.Parameter() made (",
                                      "Use the tensor itself in this line.",
                                      {"nn.Parameter((w * w).sum())": "(w * w).sum()"}, [3, 5]),
    "layer_norm of one number": (BOTH, """w = torch.tensor([[2.], [3.]], requires_grad=True)
x = torch.tensor([[1., 1.], [2., 0.]])
y = F.layer_norm(x @ w, (1,))
loss = (y - 1).pow(2).sum()
loss.backward()""", "w", "normalises over a single number, as what it takes has the shape (2, 1)",
                                 "Take this normalisation out", {"F.layer_norm(x @ w, (1,))": "x @ w"},
                                 [20, 8]),
    "a mean of one number": (BOTH, """w = torch.tensor([[2.], [3.]], requires_grad=True)
x = torch.tensor([[1., 1.], [2., 0.]])
h = x @ w
y = (h - h.mean(1, keepdim=True)) / (h.var(1, keepdim=True, correction=0) + 1e-5)
loss = (y - 1).pow(2).sum()
loss.backward()""", "w", "DivBackward0 (which made y)", "Take this normalisation out",
                             {"y = (h - h.mean(1, keepdim=True)) / "
                              "(h.var(1, keepdim=True, correction=0) + 1e-5)": "y = h"}, [20, 8]),
}
PAIRS = [(backend, name) for name, row in FIXED.items() for backend in row[0]]


@pytest.mark.parametrize("backend, name", PAIRS)
def test_a_fix_gives_the_intended_gradient(backend, name, watched):
    _, text, tensor, says, fix, edits, meant = FIXED[name]
    told = asked(backend, text, tensor, watched)["told"]
    assert says in told.sentences[0], told.text
    if name == "half" and not watched:  # the factor is freed, so no fix is certain
        assert "the first one that is known" in told.sentences[0] and not told.fixes
        return
    assert fix in told.fixes[0].words, told.text
    for old, new in edits.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    scope = asked(backend, text, tensor, watched)
    gradient = eval(tensor, scope).grad
    assert close(gradient, meant) if meant is not None else gradient.abs().sum() > 0, gradient


LAYER = """torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 4)
    def forward(self, x):
        self.b = nn.Linear(4, 1)
        return self.b(torch.relu(self.a(x)))
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
loss = net(torch.ones(8, 3)).sum()
loss.backward()
before = net.b.weight.detach().clone()
opt.step()"""


@pytest.mark.parametrize("backend", BOTH)
def test_a_layer_that_forward_makes_moves_once_it_is_made_in_init(backend, watched):
    scope = asked(backend, LAYER, "net.b.weight", watched)
    assert "forward() makes it anew in each call" in scope["told"].sentences[0]
    assert "move `self.b = nn.Linear(4, 1)` into __init__()" in scope["told"].fixes[0].words
    assert scope["net"].b.weight.tolist() == scope["before"].tolist()
    line = "        self.b = nn.Linear(4, 1)\n"
    moved = LAYER.replace(line, "").replace("nn.Linear(3, 4)\n", f"nn.Linear(3, 4)\n{line}")
    scope = asked(backend, moved, "net.b.weight", watched)
    assert scope["net"].b.weight.tolist() != scope["before"].tolist()
    assert scope["told"].cause == "healthy"


def test_a_parametrized_weight_names_its_originals():
    scope = asked("torch", """m = nn.Sequential(nn.utils.parametrizations.weight_norm(nn.Linear(3, 4)))
m(torch.ones(5, 3)).sum().backward()
x = torch.ones(2)""", "m[0].weight")
    said = scope["told"].sentences[0]
    assert "original0" in said and "original1" in said and "x" not in said.split() and "`x" not in said
    paths = [part for part in scope["told"].fixes[0].words.split("`") if part.endswith(".grad")]
    assert len(paths) == 2 and all(eval(path, scope) is not None for path in paths)


@pytest.mark.parametrize("backend", BOTH)
def test_an_expression_takes_no_name_and_no_line_of_another(backend):
    told = asked(backend, "x = torch.ones(2)\ntensor = 3", "torch.ones(2, requires_grad=True) * 2")["told"]
    said = told.sentences[0]
    assert said.startswith("tensor_ is not a leaf") and "evidence_" not in said and not told.fixes


@pytest.mark.parametrize("backend", BOTH)
def test_without_program_text_no_line_and_no_search_of_the_text_is_claimed(backend, watched):
    text = """w = torch.ones(3, requires_grad=True)
u = torch.ones(3, requires_grad=True)
h = w * 2
z = h.data + 1
loss = (z * u).sum()
loss.backward()"""
    told = asked(backend, text, "w", watched, readable=False)["told"]
    whole = told.text.partition("Graph behind")[0]
    assert not any(word in whole for word in ("string>", "line", "No cut", "assignments", "Call backward()"))
    if watched:
        assert "through .data" in told.sentences[0] and "watch" not in whole


@pytest.mark.parametrize("backend", BOTH)
def test_a_value_that_the_text_cannot_follow_is_no_claim_that_there_is_no_cut(backend):
    told = asked(backend, """w = torch.ones(2, requires_grad=True)
u = torch.ones(2, requires_grad=True)
store = {"h": (w * 2).detach().numpy()}
loss = (torch.as_tensor(store["h"]) * u).sum()
loss.backward()""", "w")["told"]
    assert told.cause == "cut" or "No cut was found" not in told.text


@pytest.mark.parametrize("backend", BOTH)
def test_a_minimum_is_one_under_watch_too(backend, watched):
    told = asked(backend, """g = torch.ones(4, requires_grad=True)
h = g * 2
loss = ((h - h.mean()) / (h.std() + 1e-6)).pow(2).sum()
loss.backward()""", "g", watched)["told"]
    assert told.cause == "minimum"


@pytest.mark.parametrize("backend", BOTH)
def test_the_node_that_sent_a_nan_is_named_and_not_one_that_sent_beside_it(backend, watched):
    told = asked(backend, """p = torch.zeros(1, requires_grad=True)
probs = torch.sigmoid(p) * 0.0
logits = torch.log(probs) - torch.log1p(-probs)
loss = F.binary_cross_entropy_with_logits(logits, torch.zeros(1))
loss.backward()""", "p", watched)["told"]
    assert "LogBackward0" in told.sentences[0] and "torch.log(probs.clamp(min=1e-12))" in told.fixes[0].words


def test_equal_eigenvalues_are_named_without_a_fix(watched):
    told = asked("torch", """w = torch.ones(3, requires_grad=True)
values, vectors = torch.linalg.eigh(torch.diag(w) + torch.eye(3))
loss = (vectors[0] * torch.tensor([1., 2., 3.])).sum()
loss.backward()""", "w", watched)["told"]
    assert "LinalgEighBackward0 (which made values and vectors)" in told.sentences[0]
    assert "two eigenvalues are equal" in told.sentences[0] and not told.fixes


@pytest.mark.parametrize("backend", BOTH)
def test_what_is_finite_is_not_to_be_searched_for_nan(backend, watched):
    told = asked(backend, OVERFLOW + "loss = (torch.exp(x) * 0).sum()\nloss.backward()", "x", watched)["told"]
    assert "ExpBackward0" in told.sentences[0] and "isfinite" not in told.text


PARTS = {"whole, then part": ("(data + reg).backward(retain_graph=True)\n    reg.backward()", True),
         "part, then whole": ("reg.backward(retain_graph=True)\n    (data + reg).backward()", True),
         "two parts": ("data.backward(retain_graph=True)\n    reg.backward()", False),
         "emptied between": (
             "reg.backward(retain_graph=True)\n    opt.zero_grad()\n    (data + reg).backward()", False)}


@pytest.mark.parametrize("backend", BOTH)
@pytest.mark.parametrize("form", PARTS)
def test_a_part_that_is_passed_twice_before_a_step_is_found(backend, form):
    passes, twice = PARTS[form]
    program = """torch.manual_seed(0)
model = nn.Linear(3, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(2):
    opt.zero_grad()
    data = model(torch.ones(2, 3)).pow(2).mean()
    reg = model.weight.pow(2).sum()
    PASSES
    opt.step()"""
    scope = asked(backend, program.replace("PASSES", passes), "model.weight", watched=True)
    told = scope["told"]
    assert (told.cause == "doubled") is twice, told.text
    assert why(scope["model"].bias).cause == "healthy"
    if twice:
        assert "`reg.backward(" in told.sentences[0] and "Remove" in told.fixes[0].words
        assert "`reg.backward(" in told.fixes[0].words
        right = asked(backend, program.replace("PASSES", "(data + reg).backward()"), "model.weight",
                      watched=True)
        kept = [line for line in passes.split("\n    ") if not line.startswith("reg.")]
        mended = asked(backend, program.replace("PASSES", kept[0]), "model.weight", watched=True)
        assert mended["told"].cause == "healthy"
        assert close(mended["model"].weight.grad, right["model"].weight.grad.flatten().tolist())


@pytest.mark.parametrize("backend", BOTH)
def test_passes_in_worker_threads_are_counted_and_nothing_stays_behind(backend):
    torch = pytest.importorskip(backend)
    model, before = torch.nn.Linear(3, 1), torch.autograd.backward
    with watch(model) as seen:
        threads = [threading.Thread(target=lambda: model(torch.ones(2, 3)).sum().backward())
                   for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(seen.passes) == 3 and "3 backward passes" in str(seen)
    assert torch.autograd.backward is before


def test_numbers_on_the_meta_device_are_not_known():
    torch = pytest.importorskip("torch")
    model = torch.nn.Linear(3, 1, device="meta")
    with watch(model) as seen:
        model(torch.ones(2, 3, device="meta")).sum().backward()
    assert "of 2 the gradient is not known" in str(seen) and "0 had a gradient" not in str(seen)
    assert why(model.weight).cause == "not known"


SPOILT = """torch.manual_seed(0)
model = nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.tensor([[0., 0.], [1., 1.]])
with watch(model, opt) as run:
    for step in range(4):
        opt.zero_grad()
        distance = ((model(x) - model(x[:1])) ** 2).sum(1).sqrt()
        loss = distance.sum()
        loss.backward()
        opt.step()"""


@pytest.mark.parametrize("backend", BOTH)
def test_of_weights_that_a_step_spoilt_the_cause_is_looked_for_before_it(backend):
    verdict = run(backend, SPOILT)["run"].verdicts[0]
    assert "has held NaN or infinity since step 1 of 4 (" in verdict.sentence
    assert "Before that step, the gradient was finite when it arrived at SqrtBackward0" in verdict.sentence
    assert "clamp(min=" in verdict.fixes[0].words


TOO_LONG = """torch.manual_seed(0)
model = nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
x = 3000 * torch.rand(20, 2)
with watch(model, opt) as run:
    for step in range(20):
        opt.zero_grad()
        loss = ((model(x) - x.sum(1, keepdim=True)) ** 2).mean()
        loss.backward()
        opt.step()"""


@pytest.mark.parametrize("backend", BOTH)
def test_steps_that_were_too_long_are_named_beside_the_nan_that_followed(backend):
    first, *others = run(backend, TOO_LONG)["run"].verdicts
    assert (first.cause, [one.cause for one in others]) == ("nan", ["huge"])
    said = re.search(r"The norm of model.weight.grad grew in each of (\d) steps \(.*\), from (.*) to (.*), "
                     r"and each of them changed model.weight by at least (.*) times", others[0].sentence)
    count, start, end, ratio = map(float, said.groups())
    assert count >= 4 and ratio > 1e3 and end > ratio ** count * start / 10
    assert others[0].sentence.endswith("This was before model.weight.grad held NaN or infinity.")
    for old, new in (("lr=0.01", "lr=1e-8"), ("3000 * ", "")):
        repaired = run(backend, TOO_LONG.replace(old, new))["run"].verdicts
        assert not any(one.cause == "nan" or "grew in" in one.sentence for one in repaired)


@pytest.mark.parametrize("backend", BOTH)
@pytest.mark.parametrize("old, new", [
    ("** 2).mean()", "** 2).mean().neg()"),  # it has no minimum, and shorter steps don't end
    ("range(20)", "range(4)"),  # of three steps that grew nothing is said
    ("3000 * torch.rand(20, 2)", "torch.rand(20, 2).sub(0.5).log()")])  # the first one is NaN
def test_of_other_gradients_no_step_is_said_to_be_too_long(backend, old, new):
    assert old in TOO_LONG
    verdicts = run(backend, TOO_LONG.replace(old, new))["run"].verdicts
    assert verdicts and not any("grew in each" in one.sentence for one in verdicts)


@pytest.mark.parametrize("backend", BOTH)
def test_a_step_whose_gradient_was_finite_can_be_the_one_that_spoilt_a_weight(backend):
    program = TOO_LONG.replace("lr=0.01", "lr=1e35").replace("range(20)", "range(2)")
    scope = run(backend, program)
    sentences = " ".join(one.sentence for one in scope["run"].verdicts)
    assert "model.weight has held NaN or infinity since step 1 of 2 (" in sentences
    assert "that took such a gradient" not in sentences


SUMMED = """torch.manual_seed(0)
made, judge = nn.Linear(2, 2), nn.Linear(2, 1)
opt_made = torch.optim.SGD(made.parameters(), lr=0.1)
opt_judge = torch.optim.SGD(judge.parameters(), lr=0.1)
with watch([made, judge], [opt_made, opt_judge]) as run:
    for step in range(6):
        fake = made(torch.randn(4, 2)) * (float("inf") if step == 4 else 1.0)
        (judge(fake.detach()) ** 2).mean().backward()
        opt_judge.step()
        opt_made.zero_grad()
        judge(fake).mean().backward()
        opt_made.step()"""


@pytest.mark.parametrize("backend", BOTH)
def test_a_sum_over_passes_is_named_beside_the_nan_that_followed(backend):
    first, *_, last = run(backend, SUMMED)["run"].verdicts
    assert (first.cause, last.cause) == ("nan", "doubled")
    assert last.sentence.startswith("judge.weight.grad was a sum over passes: the pass (")
    assert last.sentence.endswith("This was before judge.weight.grad held NaN or infinity.")
    assert "`opt_judge.zero_grad()`" in last.fixes[0].words
    emptied = SUMMED.replace("        (judge(fake.d", "        opt_judge.zero_grad()\n        (judge(fake.d")
    late = SUMMED.replace("step == 4", "step == 0")  # no pass with finite numbers added
    for program in (emptied, late):
        assert {one.cause for one in run(backend, program)["run"].verdicts} == {"nan"}


FROZEN_NORM = """torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4), torch.nn.Linear(4, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
with watch(model, opt) as run:
    for step in range(3):
        model.train()
        model[1].eval()
        opt.zero_grad()
        (model(torch.randn(4, 3)) ** 2).mean().backward()
        opt.step()
        model.eval()
"""


@pytest.mark.parametrize("backend", BOTH)
def test_of_a_model_only_the_layer_that_was_in_evaluation_is_named(backend):
    verdict = run(backend, FROZEN_NORM)["run"].verdicts[0]
    assert verdict.sentence.startswith("model.1 was in evaluation mode when the pass ran")


NO_ROWS = """w = torch.tensor([1., 2.], requires_grad=True)
chosen = (w * 2)[w > 5]
loss = chosen.sum() / (chosen.detach() > 0).sum()
loss.backward()"""


@pytest.mark.parametrize("backend", BOTH)
def test_why_of_a_loss_that_is_nan_tells_where_that_arose(backend):
    told = asked(backend, NO_ROWS, "loss", True)["told"]
    assert told.cause == "nan" and told.sentences[0].startswith("loss is NaN or infinite: "), told.text
    assert "DivBackward0 (which made loss)" in told.sentences[0]
    told = asked(backend, NO_ROWS.replace("w > 5", "w > 1"), "loss", True)["told"]
    assert told.cause == "not a leaf" and "requires_grad_" not in told.text


@pytest.mark.parametrize("backend", BOTH)
def test_a_loss_that_began_as_a_number_never_was_a_leaf(backend):
    text = """w = torch.tensor([1., 2.], requires_grad=True)
total = 0
for _ in range(2):
    total = total + (w * w).sum()
total.backward()"""
    told = asked(backend, text, "total", False)["told"]
    assert told.sentences[0].startswith("total is not a leaf: AddBackward0 made it"), told.text
    assert [fix.words for fix in told.fixes] == ["Call `total.retain_grad()` before the pass."]
    kept = text.replace("total.backward", "total.retain_grad(); total.backward")
    scope = asked(backend, kept, "total", False)
    assert float(scope["total"].grad) == 1


@pytest.mark.parametrize("hinge", ["F.relu(x.pow(2) - 9 + 0.2)", "(1 - x).clamp(min=0)"])
@pytest.mark.parametrize("backend", BOTH)
def test_a_loss_of_hinges_that_are_all_satisfied_needs_no_softplus(backend, watched, hinge):
    text = f"""x = torch.tensor([1.5, 2.], requires_grad=True)
terms = {hinge}[torch.tensor([True, True])]
loss = terms.sum() / 2
loss.backward()"""
    told = asked(backend, text, "x", watched)["told"]
    assert told.sentences[0].startswith("Every number of x.grad is 0, and so is loss: "), told.text
    assert told.cause == "minimum" and not told.fixes
    moved = text.replace("- 9", "+ 9").replace("1 - x", "3 - x")
    assert asked(backend, moved, "x", watched)["told"].cause == "healthy"
