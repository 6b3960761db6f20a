"""The first NaN of a watched program: which operation made it of what, also without a gradient; and the fix.

Each fix is applied, and the gradients are compared with those of the program as it was meant.
"""
from __future__ import annotations

import pytest

from tests.viz.test_why import BACKENDS, run

START = """
torch.manual_seed(0)
nn, F = torch.nn, torch.nn.functional
X, Y = torch.rand(8, 4), torch.rand(8, 2)
X[:, 2] = 0.5
lonely = torch.arange(8) == 3
model = nn.Linear(4, 2)
opt = torch.optim.{opt}(model.parameters(), lr=1e-7)
def scaled(t):
    low, high = t.min(0).values, t.max(0).values
    span = high - low
    return (t - low) / span
with watch(model, opt) as run:
    {before}
    for step in range(2):
        opt.zero_grad()
        loss = {loss}
        loss.backward()
        opt.step()
"""
PUSH = "(F.log_softmax((model(X) @ model(X).mT).masked_fill(torch.eye(8).bool(), -torch.inf), 1))"
# name: (the optimizer, what comes first, the loss, the words, the fix, its edits, the edits of what is meant)
PROGRAMS = {
    "a division in a function": (
        "SGD", "x = scaled(X)", "(model(x) - Y).pow(2).mean()",
        "that model was given, which is x, has NaN in column 2, in 8 of 8 rows. Before that, a division "
        "(program.py:12, `return (t - low) / span`), which needed no gradient, had made the first NaN in it "
        "at [0, 2], as 0 / 0 is NaN: t - low was 0 there, and span 0.", "torch.where(span == 0, 1.0, span)",
        {"/ span": "/ torch.where(span == 0, 1.0, span)"}, {"/ span": "/ span.clamp(min=1e-6)"}),
    "a weight of an empty class": (
        "Adam", "counts = torch.tensor([3., 0.]); w = counts.log() * (counts > 0)",
        "(model(X) * w).mean()", "a product (program.py:14, `counts = torch.tensor([3., 0.]); w = ",
        "torch.where((counts > 0) == 0, 0.0, counts.log())",
        {"counts.log() * (counts > 0)": "torch.where((counts > 0) == 0, 0.0, counts.log())"},
        {"counts.log() * (counts > 0)": "torch.tensor([3., 1.]).log()"}),
    "a root of what is below 0": (
        "RMSprop", "x = torch.sqrt(X - 0.5)", "(model(x[:, 2:]) if False else model(x)).sum()",
        "from finite numbers: it is NaN where its input is negative",
        "(X - 0.5).clamp(min=1e-12).sqrt()", {"torch.sqrt(X - 0.5)": "(X - 0.5).clamp(min=1e-12).sqrt()"},
        {"torch.sqrt(X - 0.5)": "torch.where(X > 0.5, X - 0.5, 1e-12).sqrt()"}),
    "a power in a branch that is discarded": (
        "SGD", "e = torch.full((2,), 0.5)", "torch.where(model(X) > 0, model(X) ** e, 0.1 * model(X)).sum()",
        ") ** 0.5 is NaN: model(X) was -",
        "torch.where(model(X) > 0, torch.where(model(X) > 0, model(X), 1.0) ** e, 0.1 * model(X))",
        {"model(X) ** e": "torch.where(model(X) > 0, model(X), 1.0) ** e"},
        {"model(X) ** e": "model(X).clamp(min=1e-12) ** e"}),
    "a masked diagonal": (
        "SGD", "same = torch.eye(8).roll(1, 0)", f"-(same * {PUSH}).sum()",
        "as 0 * -inf is NaN", "Mask the infinite factor before the product",
        {f"same * {PUSH}": f"torch.where(same == 0, 0.0, {PUSH})"}, {"-torch.inf": "-1e9"}),
    "a row that is masked entirely": (
        "SGD", "shift = lambda s: s - s.max(1, keepdim=True).values",
        "shift(model(X).masked_fill(lonely[:, None], -torch.inf)).exp().sum()",
        "as -inf - -inf is NaN: s was -inf there, and s.max(1, keepdim=True).values -inf",
        "Mask with -1e9", {"-torch.inf": "-1e9"}, {"-torch.inf": "-1e6"}),
}
HEALTHY = {
    "NaN that is replaced": (
        "SGD", "x = torch.nan_to_num(scaled(X))", "(model(x) - Y).pow(2).mean()"),
    "a mask of -inf": (
        "Adam", "bias = (torch.eye(8) == 0).float().log()",
        "torch.softmax(model(X) @ model(X).mT + bias, 1)[0, 1]"),
    "NaN in what is not used": (
        "SGD", "ratio = X / X.std(0)", "(model(X) - Y).pow(2).mean()"),
}


def of(name, program, edits=(), backend="torch"):
    opt, before, loss, *_ = program
    text = START.format(opt=opt, before=before, loss=loss)
    for old, new in dict(edits).items():
        assert old in text, (name, old)
        text = text.replace(old, new)
    return run(backend, text)


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_first_nan_and_its_fix(name):
    pytest.importorskip("torch")
    *_, words, fix, edits, meant = PROGRAMS[name]
    found = of(name, PROGRAMS[name])["run"]
    assert words in found.text and fix in found.text, found.text
    fixed, right = of(name, PROGRAMS[name], edits), of(name, PROGRAMS[name], meant)
    assert "Nothing wrong" in fixed["run"].text
    for one, other in zip(fixed["model"].parameters(), right["model"].parameters()):
        assert one.grad.allclose(other.grad, rtol=1e-3, atol=1e-5), name


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_program_that_looks_alike(name):
    pytest.importorskip("torch")
    assert "Nothing wrong" in of(name, HEALTHY[name])["run"].text


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("made, says", [
    ("keep * logp", "as 0 * -inf is NaN: keep was 0 there, and logp -inf"),
    ("logp * keep", "as -inf * 0 is NaN: logp was -inf there, and keep 0"),
    ("logp - low", "as -inf - -inf is NaN: logp was -inf there, and low -inf")])
def test_a_mask_is_not_accused_of_what_met_in_a_later_operation(backend, made, says):
    text = f"""
w = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
keep = torch.tensor([[1., 0.], [1., 1.]])
logp = torch.where(keep == 0, -float("inf"), w * 2)
low = logp.min()
part = {made}
loss = part.sum()
told = why(loss)
"""
    said = " ".join(run(backend, text)["told"].sentences)
    assert "WhereBackward0" not in said and says in said, said


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_logarithm_of_a_negative_number_has_a_finite_slope(backend):
    """So a NaN in the weights came from a difference that was 0, although the loss is NaN anyway."""
    program = """
torch.manual_seed(0)
model, x = torch.nn.Linear(3, 1), torch.randn(6, 3)
if EQUAL:
    x[1] = x[0]
opt = torch.optim.SGD(model.parameters(), lr=1e-3)
with watch(model, opt) as run:
    s = model(x)[:, 0]
    loss = -torch.log(s[:-1] - s[1:]).sum()
    loss.backward()
    opt.step()
"""
    for equal in (True, False):
        found = run(backend, program.replace("EQUAL", str(equal)))
        nan = bool(found["model"].weight.isnan().any())
        assert nan == equal
        if equal:
            assert "was finite when it arrived at Log" in found["run"].text
            assert "made the first NaN" not in found["run"].text
            assert "no finite slope where its input is 0, and is NaN where it is neg" in found["run"].text
        else:
            assert "LogBackward0" in found["run"].text and "is NaN where it" in found["run"].text
            assert "when it left" not in found["run"].text
