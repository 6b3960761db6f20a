"""Masks that are multiplied with scores, and noise that is multiplied with a variance."""
import pytest

from tests.viz.test_why import BACKENDS, run

START = """
torch.manual_seed(0)
X, mask = torch.randn(5, 3), torch.tensor([1., 1., 0., 1.])
model, other = torch.nn.Linear(3, 4), torch.nn.Linear(4, 3)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
with watch(model, opt) as run:
    for step in range(2):
        opt.zero_grad()
        s = model(X)
        {code}
        loss.backward()
        opt.step()
"""
KL = "0.5 * (s.exp() + s ** 2 - 1 - s).sum()"
BROKEN = {
    "attention": ("w = torch.softmax(s * mask, 1); loss = (w @ torch.ones(4, 2)).sum() + w[:, 0].sum()",
                  "masked scores", "and weighs as much as any other score of 0",
                  {"s * mask": "s.masked_fill(mask == 0, -1e9)"}),
    "an overlap": ("p = torch.sigmoid(s * mask); loss = (p * torch.arange(4.)).sum() / p.sum()",
                   "masked scores", "of which it makes 0.5", {"s * mask": "s.masked_fill(mask == 0, -1e9)"}),
    "a latent variable": (f"z = s.exp() * torch.randn(5, 4) + s; loss = other(z).pow(2).mean() + {KL}",
                          "deviation", "multiplies noise, as a standard deviation does",
                          {"s.exp() * torch": "torch.exp(0.5 * s) * torch"}),
    "with the terms in another order": (
        "d = torch.exp(s); z = d * torch.randn(5, 4); "
        "loss = other(z).pow(2).mean() - 0.5 * (1 + s - s.pow(2) - s.exp()).sum()", "deviation",
        "takes the same numbers",
        {"d = torch.exp(s)": "d = torch.exp(0.5 * s)"}),
}
HEALTHY = {
    "masked again": "p = torch.sigmoid(s * mask); loss = (p * mask).pow(2).sum()",
    "only what counts is chosen":
        "p = torch.softmax(s * mask, 1); loss = p[mask.expand(5, 4) == 1].pow(2).sum()",
    "another constant": "loss = torch.softmax(s * torch.tensor([1., 2., 0., 3.]), 1)[:, 0].sum()",
    "a mask before a layer": "loss = torch.sigmoid(other(s * mask)).pow(2).sum()",
    "a deviation that is learned":
        "z = s.exp() * torch.randn(5, 4); loss = other(z).pow(2).mean() - s.sum()",
    "no noise": f"z = s.exp() * torch.ones(5, 4); loss = other(z).pow(2).mean() + {KL}",
    "the root": f"z = (s / 2).exp() * torch.randn(5, 4); loss = other(z).pow(2).mean() + {KL}",
}


def of(backend, code):
    return run(backend, START.format(code=code))["run"]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", BROKEN)
def test_what_is_found_and_its_fix(backend, name):
    code, cause, words, edits = BROKEN[name]
    found = of(backend, code)
    assert [one.cause for one in found.verdicts] == [cause] and words in found.text, found.text
    for old, new in edits.items():
        assert old in code
        assert not of(backend, code.replace(old, new)).verdicts


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", HEALTHY)
def test_what_looks_alike_and_is_meant(backend, name):
    assert not of(backend, HEALTHY[name]).verdicts, of(backend, HEALTHY[name]).text
