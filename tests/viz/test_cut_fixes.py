"""Which of several cuts is named, and a fix that is offered for it gives the intended gradient."""
from __future__ import annotations

import pytest

from tests.viz.test_why import BACKENDS, run

ROUTER = """
torch.manual_seed(0)
gate, experts = torch.nn.Linear(3, 2), [torch.nn.Linear(3, 1) for _ in range(2)]
X = torch.randn(6, 3)
terms = []
p = gate(X).softmax(1)
terms.append((p.mean(0) ** 2).sum())
top = p.argmax(1)
out = torch.stack([experts[int(at)](row) for at, row in zip(top, X)])
balance = torch.tensor(terms).mean()  # here
loss = out.pow(2).mean() + balance
loss.backward()
told = why(gate.weight)
"""
COPIED = """
w = torch.ones(3, requires_grad=True)
out = w * 3
parts = [(one ** 2).item() for one in out]
loss = torch.tensor(sum(parts) / 3, requires_grad=True)
loss.backward()
told = why(w)
"""
QUANTISED = """
torch.manual_seed(0)
codes, z = torch.nn.Embedding(4, 2), torch.randn(3, 2, requires_grad=True)
q = codes(torch.tensor([0, 1, 2]))
q = z + (q - z).detach()
loss = (q - z.detach()).pow(2).mean()
loss.backward()
told = why(codes.weight)
"""
SCALE = """
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(w)
        return x * w
    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0], None  # where it returns
def model(x, w):
    return Scale.apply(x, w)  # where it runs
x, w = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
with watch():
    loss = model(x * 1, w).sum()
    loss.backward()
told = why(w)
"""


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_copy_of_the_numbers_is_named_before_a_choice_that_may_be_meant(backend):
    told = run(backend, ROUTER)["told"]
    assert told.cause == "cut" and "through torch.tensor() (program.py:10, `" in told.text
    fixed = run(backend, ROUTER.replace("torch.tensor(terms)", "torch.stack(terms)"))
    assert fixed["told"].cause == "healthy" and fixed["gate"].weight.grad is not None


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_choice_alone_is_still_named(backend):
    text = ROUTER.replace("balance = torch.tensor(terms).mean()", "balance = 0")
    assert "as whole numbers (program.py:8, `" in run(backend, text)["told"].text


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_fix_names_each_cut_that_the_value_goes_through(backend):
    told = run(backend, COPIED)["told"]
    assert told.fixes[0].words.startswith(
        "Use the tensor itself here, without .item(), and in program.py:5, `")
    assert told.fixes[0].words.endswith(" without torch.tensor().")
    text = COPIED.replace(".item()", "").replace(
        "torch.tensor(sum(parts) / 3, requires_grad=True)", "sum(parts) / 3")
    assert run(backend, text)["w"].grad.tolist() == [6.0] * 3


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_detach_of_a_straight_through_sum_is_kept(backend):
    told = run(backend, QUANTISED)["told"]
    assert told.cause == "cut" and [fix.words for fix in told.fixes] == [
        "Assign this sum to another variable, such as `q_through`, and pass that on; compute the loss that "
        "trains q from `q`."]
    fixed = run(backend, QUANTISED.replace("q = z + (q", "q_through = z + (q"))
    assert fixed["codes"].weight.grad is not None and fixed["told"].cause == "healthy"


@pytest.mark.parametrize("backend", BACKENDS)
def test_no_fix_is_offered_for_another_straight_through_sum(backend):
    told = run(backend, QUANTISED.replace("q = z + (q - z)", "s = z + (q - z)").replace(
        "(q - z.detach())", "(s - 1)"))["told"]
    assert told.cause == "cut" and told.fixes == []


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_function_that_returns_none_has_its_own_lines(backend):
    told = run(backend, SCALE)["told"]
    assert told.cause == "None on the way"
    assert "ScaleBackward (program.py:11, `" in told.text or "ScaleBackward (which" in told.text
    assert "Its backward returns in program.py:9, `" in told.sentences[0]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("shape, fixes", [((6, 1), []), ((1, 6), ["Take it over dimension 1, which has 6 "
                                                                  "numbers."])])
def test_a_softmax_over_one_number_is_given_no_dimension_of_the_samples(backend, shape, fixes):
    told = run(backend, f"""
w = torch.ones({shape}, requires_grad=True)
loss = (w.softmax({shape.index(1)}) * 2).sum()
loss.backward()
told = why(w)
""")["told"]
    assert told.cause == "zero" and [fix.words for fix in told.fixes] == fixes


SAMPLED = """
torch.manual_seed(0)
net = torch.nn.Linear(3, 4)
X = torch.randn(5, 3)
def step():
    mean, spread = net(X).chunk(2, dim=1)
    z = torch.distributions.Normal(mean, spread.exp()).sample()  # here
    (z * last).sum().backward()
last = torch.ones(5, 2, requires_grad=True)
with watch():
    step()
told = why(net.weight)
"""


def test_a_sample_without_a_history_is_named_and_not_a_check_of_its_arguments():
    pytest.importorskip("torch")
    told = run("torch", SAMPLED)["told"]
    assert "under no_grad (program.py:7, `" in told.text and "booleans" not in told.text
    assert "`rsample()`" in told.fixes[0].words
    fixed = run("torch", SAMPLED.replace(".sample()", ".rsample()"))
    assert fixed["told"].cause == "healthy"


def test_advice_names_a_parameter_where_others_of_its_module_are_used():
    torch = pytest.importorskip("torch")
    text = """
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = torch.nn.ParameterDict({name: torch.nn.Parameter(torch.ones(2)) for name in "ab"})
        self.last = torch.nn.Linear(2, 1)
model = Net()
def step():
    model.last(model.scales["a"] * 2).sum().backward()
with watch(model):
    step()
told = why(model.scales["b"])
other = why(model.last.bias)
"""
    assert torch and run("torch", text)["other"].cause == "healthy"
    told = run("torch", text)["told"]
    assert told.cause == "not used" and "was not called" not in told.text
    assert told.fixes[0].words == (
        "Use model.scales.b in the forward computation, or take it out of the model.")
