"""What was once claimed without evidence: the sentence of today, and a neighbour of which the old one is true."""
from __future__ import annotations

import pytest

from tests.viz.test_evidence import BOTH, asked, watched  # noqa: F401

PENALTY = """torch.manual_seed(0)
critic = nn.Linear(2, 1)
x = torch.ones(3, 2, requires_grad=True)
score = torch.tanh(critic(x))
grads = torch.autograd.grad(score.sum(), x)[0]
penalty = ((grads.norm() - 1) ** 2).mean()
loss = critic(x).mean() + penalty"""


@pytest.mark.parametrize("backend", BOTH)
def test_a_penalty_of_gradients_without_history_is_not_to_require_a_gradient_itself(backend, watched):  # noqa: F811
    told = asked(backend, PENALTY, "penalty", watched)["told"]
    assert "it was computed from a gradient (evidence_" in told.sentences[0]
    assert [fix.words for fix in told.fixes] == ["Give grad() `create_graph=True`."]
    mended = PENALTY.replace("sum(), x)", "sum(), x, create_graph=True)") + "\npenalty.backward()"
    assert asked(backend, mended, "x")["critic"].weight.grad.abs().sum() > 0
    plain = asked(backend, "x = torch.ones(3)", "x")["told"]
    assert "`x.requires_grad_()`" in plain.fixes[0].words


NONE = """class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight.sign())
        return x @ weight.sign()
    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        return grad @ weight.t(), None
torch.manual_seed(0)
model = nn.Module()
model.first, model.weight = nn.Linear(3, 2), nn.Parameter(torch.randn(2, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(2):
    opt.zero_grad()
    loss = Sign.apply(model.first(torch.ones(4, 3)), model.weight).sum()
    loss.backward()
    opt.step()
"""


@pytest.mark.parametrize("backend", BOTH)
@pytest.mark.parametrize("owner", ["opt", "model"])
def test_zero_grad_took_no_gradient_where_it_left_the_others(backend, owner):
    program = NONE.replace("opt.zero_grad", f"{owner}.zero_grad")
    told = asked(backend, program, "model.weight")["told"]
    assert told.cause == "None on the way" and "zero_grad" not in told.text, told.text
    assert "`return grad @ weight.t(), None`" in told.sentences[0]
    emptied = asked(backend, f"{program}{owner}.zero_grad()\n", "model.weight")["told"]
    assert emptied.cause == "emptied" and "zero_grad()" in emptied.sentences[0]


SAMPLED = """torch.manual_seed(0)
mu, dec = nn.Linear(2, 1), nn.Linear(1, 1)
dist = torch.distributions.Normal(mu(torch.ones(3, 2)), 1.0)
z = dist.sample()
part = dec(z).pow(2).mean()
whole = part + dist.mean.pow(2).mean()
whole.backward()"""
COPIED = """mu, dec = nn.Linear(2, 1), nn.Linear(1, 1)
h = mu(torch.ones(3, 2))
part = dec(h.detach()).pow(2).mean()
whole = part + h.pow(2).mean()
whole.backward()"""


@pytest.mark.parametrize("backend, program, word, fix", [
    ("torch", SAMPLED, "through sample()", "rsample()"), *((one, COPIED, "through detach()", "without detach()")
                                                          for one in BOTH)])
def test_a_given_loss_that_the_tensor_has_no_part_in_is_not_passed_over(backend, program, word, fix, watched):  # noqa: F811
    told = run_with_loss(backend, program, "part", watched)
    assert told.sentences[0].startswith("A pass from part gives mu.weight no gradient: ")
    assert word in told.sentences[0] and fix in told.fixes[0].words
    assert run_with_loss(backend, program, "whole", watched).cause == "healthy"
    assert run_with_loss(backend, program.replace(".sample()", ".rsample()").replace(".detach()", ""),
                         "part", watched).cause == "healthy"


def run_with_loss(backend, program, loss, watched):  # noqa: F811
    return asked(backend, program, f"mu.weight, {loss}", watched)["told"]
