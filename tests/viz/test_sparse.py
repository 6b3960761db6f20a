"""An optimizer that takes no sparse gradients: the embedding's line, and both fixes."""
from __future__ import annotations

import warnings

import pytest

from minigrad.viz import explain
from tests.viz.test_why import run

START = """
torch.manual_seed(0)
nn = torch.nn
class Scores(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(9, 3, sparse=True)
        self.bag = nn.EmbeddingBag(5, 3)
        self.last = nn.Linear(3, 1)
    def forward(self, ids):
        return self.last(self.words(ids) + self.bag(ids[:, None])).mean()
net = Scores()
{made}
def learn():
    for step in range(2):
        {empty}
        net(torch.tensor([1, 4])).backward()
        {step}
"""
MADE = "opt = torch.optim.{}(net.parameters(), lr=0.1{})"
SPLIT = """rows = torch.optim.SparseAdam([net.words.weight], lr=0.1)
opt = torch.optim.Adam([*net.bag.parameters(), *net.last.parameters()], lr=0.1)"""


def program(made, edits=(), empty="opt.zero_grad()", step="opt.step()"):
    pytest.importorskip("torch")
    text = START.format(made=made, empty=empty, step=step)
    for old, new in dict(edits).items():
        assert old in text
        text = text.replace(old, new)
    return run("torch", text)


@pytest.mark.parametrize("kind", ["Adam", "AdamW", "RMSprop", "RAdam", "NAdam"])
def test_the_embedding_and_its_line_are_named(kind):
    with pytest.raises(RuntimeError) as caught:
        program(MADE.format(kind, ""))["learn"]()
    told = explain(caught.value)
    assert told.cause == "sparse gradient"
    words = f"has {kind} take a sparse gradient, which it can't: that of net.words.weight (program.py:"
    assert words in told.text
    assert "self.words = nn.Embedding(9, 3, sparse=True)`)" in told.text
    assert [fix.words.partition(":")[0] for fix in told.fixes] == [
        "Leave out `sparse=True`",
        f"Give these to `torch.optim.SparseAdam([net.words.weight])`, and the others to {kind}."]


def test_both_fixes_take_the_intended_steps():
    dense = program(MADE.format("Adam", ""), {", sparse=True": ""})
    split = program(SPLIT, (), "opt.zero_grad(); rows.zero_grad()", "opt.step(); rows.step()")
    for one in (dense, split):
        one["learn"]()
    for name, value in dense["net"].state_dict().items():
        assert value.allclose(split["net"].state_dict()[name], atol=1e-6), name


def test_a_weight_decay_of_sparse_rows():
    learn = program(MADE.format("Adagrad", ", weight_decay=0.1"))["learn"]
    with pytest.raises(RuntimeError) as caught:
        learn()
    told = explain(caught.value)
    assert "Adagrad" in told.text and "Leave out `weight_decay`." in [fix.words for fix in told.fixes]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of PyTorch, about checks of sparse tensors
        program(MADE.format("Adagrad", ""))["learn"]()
